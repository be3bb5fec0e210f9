#include "tensorlane/tpukernel/random_call_test_support.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "tensorlane/differential/lone_calls.h"
#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/float16.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/front_end.h"

namespace tensorlane::tpukernel {
namespace {

std::uint32_t float_bits(float value, Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp16:
      return float_to_fp16(value);
    case Dtype::kBf16:
      return float_to_bf16(value);
    default:
      return convert_element(std::bit_cast<std::uint32_t>(value), dtype, Dtype::kFp32);
  }
}

}  // namespace

std::optional<std::vector<Arg>> random_call(const Op& op, Random& random) {
  return differential::lone_call(front_end(), op, random());
}

void fill_randomly(const Operand& operand, std::byte* memory, Random& random) {
  enum Kind { kSmall, kModerate, kAnyBits, kSpecial, kKinds };
  const auto kind = static_cast<Kind>(random() % kKinds);
  const Dtype dtype = operand.layout.dtype();
  const DtypeInfo& info = dtype_info(dtype);
  const auto bytes = static_cast<std::size_t>(info.bits / 8);
  const float specials[] = {0.0F,     -0.0F,    1.0F,  -1.0F, 1.0F / 0.0F, -1.0F / 0.0F,
                            0x1p-14F, 0x1p-24F, 65504, -448,  0x1p127F,    std::nanf("")};
  const auto element = [&]() -> std::uint32_t {
    const auto bits = static_cast<std::uint32_t>(random());
    if (kind == kAnyBits) return bits;
    if (info.is_float) {
      if (kind == kSpecial && bits % 2 == 0)
        return float_bits(specials[bits / 2 % std::size(specials)], dtype);
      const auto value = static_cast<float>(static_cast<std::int32_t>(bits));
      return float_bits(value * (kind == kSmall ? 0x1p-31F : 0x1p-27F), dtype);
    }
    if (kind == kSmall) return bits % 81 - (info.is_signed ? 40 : 0);
    const std::uint32_t top = std::uint32_t{1} << (info.bits - 1);
    if (kind == kSpecial) return (bits % 2 == 0 ? 0 : top) - bits / 2 % 2;
    return bits % top;
  };
  for (const ByteRun& run : operand.layout.byte_runs()) {
    std::byte* at = memory + run.npu * bm1684x().local.npu_bytes + run.offset;
    for (std::int64_t i = 0; i < run.bytes; i += static_cast<std::int64_t>(bytes), at += bytes) {
      const std::uint32_t value = element();
      std::memcpy(at, &value, bytes);
    }
  }
}

}  // namespace tensorlane::tpukernel
