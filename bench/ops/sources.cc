#include "sources.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tensorlane/tensor/float16.h"

namespace tensorlane::bench {
namespace {

std::uint32_t number_bits(Dtype dtype, std::uint32_t random) {
  const float value = 0.5F + static_cast<float>(random % 512) / 1024.0F;
  switch (dtype) {
    case Dtype::kFp16:
      return float_to_fp16(value);
    case Dtype::kBf16:
      return float_to_bf16(value);
    case Dtype::kFp32:
    case Dtype::kX32:
      return std::bit_cast<std::uint32_t>(value);
    default:
      return random % 16;
  }
}

// One past the largest index of a command that has any.
std::uint32_t index_bound(const Command& command) {
  std::int64_t bound = 1 << 30;
  for (const std::string_view name : {"param_h", "param_w", "line_num"}) {
    for (const Param& param : command.op->params()) {
      if (param.name == name) bound = std::min(bound, command.arg(name).value());
    }
  }
  if (bound < 1 << 30) return static_cast<std::uint32_t>(bound);
  // Corners of windows that lie inside.
  constexpr std::int64_t kWindow = 3;
  for (const Operand& operand : command.operands()) {
    if (operand.reads() && !operand.spec->decides && operand.layout.rank() == 4)
      bound = std::min({bound, operand.layout.extent(2), operand.layout.extent(3)});
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(bound - kWindow, 1));
}

}  // namespace

void fill_sources(const Command& command, std::span<std::byte* const> memory) {
  constexpr std::size_t kPattern = 4099;  // elements, a prime: rows differ
  for (const Operand& operand : command.operands()) {
    if (!operand.reads() || operand.space == Space::kStatic) continue;
    const Dtype dtype = operand.layout.dtype();
    const auto width = static_cast<std::size_t>(dtype_bits(dtype) / 8);
    const bool decides = operand.spec->decides;
    const bool indices = decides && operand.name().find("mask") == std::string_view::npos;
    const std::uint32_t bound = indices ? index_bound(command) : 0;
    std::vector<std::byte> pattern(kPattern * width);
    std::uint32_t random = 1;
    for (std::size_t i = 0; i < kPattern; ++i) {
      random = random * 1664525U + 1013904223U;
      const std::uint32_t value = indices   ? (random >> 8U) % bound
                                  : decides ? number_bits(dtype, random >> 16U) % 2
                                            : number_bits(dtype, random >> 16U);
      std::memcpy(pattern.data() + i * width, &value, width);
    }
    std::byte* const base = memory[static_cast<std::size_t>(operand.space)];
    std::size_t from = 0;
    for (const ByteRun& run : operand.layout.byte_runs()) {
      if (operand.spec->copies) from = 0;
      std::byte* at = base + run.npu * operand.layout.npu_bytes() + run.offset;
      for (auto left = static_cast<std::size_t>(run.bytes); left > 0;) {
        const std::size_t part = std::min(left, pattern.size() - from);
        std::memcpy(at, pattern.data() + from, part);
        at += part;
        left -= part;
        from = (from + part) % pattern.size();
      }
    }
  }
}

}  // namespace tensorlane::bench
