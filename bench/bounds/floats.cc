// Bare loops of functions of floats.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bounds.h"

namespace tensorlane::bench {
namespace {

// The quotient that the chip has: three Newton steps from a guess by integers.
float quotient(float a, float b) {
  const float size = std::fabs(b), half = 0.5F * size;
  float y = std::bit_cast<float>(0x5f3759dfU - (std::bit_cast<std::uint32_t>(size) >> 1U));
  y = y * (1.5F - half * y * y);
  y = y * (1.5F - half * y * y);
  y = y * (1.5F - half * y * y);
  return y * y * std::copysign(a, b);
}
// As fp32 is stored: every NaN is one.
float stored(float x) {
  return x == x ? x : std::bit_cast<float>(0xffc00000U);
}

// ---- bf16 as it is stored ----

float widened(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16U);
}
std::uint32_t rounded_up(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits + 0x7fffU + (bits >> 16U & 1U);
}
std::uint16_t narrowed(float x) {  // every NaN is one
  return static_cast<std::uint16_t>(x == x ? rounded_up(x) >> 16U : 0x7fffU);
}

// What a result between two operations is rounded to.
float nearest(float x) {
  return std::bit_cast<float>(rounded_up(x) & 0xffff0000U);
}

void divide(const Placed& placed) {
  each_pair<float, float, float>(placed, [](float a, float b) { return stored(quotient(a, b)); });
}
void divide_constant(const Placed& placed) {
  each_element<float, float>(placed, [](float b) { return quotient(3.0F, b); });
}

void divide_halves(const Placed& placed) {
  each_pair<std::uint16_t, std::uint16_t, std::uint16_t>(
      placed, [](auto a, auto b) { return narrowed(quotient(widened(a), widened(b))); });
}
// Any function of one tensor of 16-bit floats: one of the results of all of them, eight to a store.
void look_up(const Placed& placed) {
  using Vector [[gnu::vector_size(16)]] = std::uint16_t;
  static const auto& results = *new std::vector<std::uint16_t>(1U << 16U, 1);
  const std::uint16_t* const table = results.data();
  for (const Run& run : placed.runs) {
    auto* const dst = reinterpret_cast<std::uint16_t*>(run.at[0]);
    const auto* const x = reinterpret_cast<const std::uint16_t*>(run.at[1]);
    std::int64_t i = 0;
    for (; i + 8 <= run.count; i += 8) {
      const auto* const at = x + i;
      const Vector eight = {table[at[0]], table[at[1]], table[at[2]], table[at[3]],
                            table[at[4]], table[at[5]], table[at[6]], table[at[7]]};
      std::memcpy(dst + i, &eight, sizeof eight);
    }
    for (; i < run.count; ++i) dst[i] = table[x[i]];
  }
}
void softsign(const Placed& placed) {
  each_element<float, float>(placed, [](float x) { return quotient(x, 1.0F + std::fabs(x)); });
}
// y + y * (1 - x * y) where that is nearer.
void corrected_reciprocal(const Placed& placed) {
  each_element<float, float>(placed, [](float x) {
    const float y = quotient(1.0F, x), distance = 1.0F - x * y, next = y + y * distance;
    return std::fabs(1.0F - x * next) > std::fabs(distance) ? y : next;
  });
}

// dst = the sum of terms by Horner's scheme, some elements side by side as by the peer.
std::function<void()> polynomial(const Command& command, Memories memory) {
  struct Piece {
    std::uint16_t* dst;
    const std::uint16_t* src;
    std::int64_t count;
  };
  const auto runs_of = [&](const Operand& operand) {
    std::vector<std::byte*> runs;
    std::byte* const base = memory[static_cast<std::size_t>(operand.space)];
    for (const ByteRun& run : operand.layout.byte_runs())
      runs.push_back(base + run.npu * operand.layout.npu_bytes() + run.offset);
    return runs;
  };
  const Operand &dst = *command.find("dst_addr"), &src = *command.find("src_addr");
  const std::vector<std::byte*> to = runs_of(dst), from = runs_of(src);
  if (to.size() != from.size()) return {};
  std::vector<Piece> pieces;
  for (const ByteRun& run : dst.layout.byte_runs()) {
    const std::size_t k = pieces.size();
    pieces.push_back({reinterpret_cast<std::uint16_t*>(to[k]),
                      reinterpret_cast<const std::uint16_t*>(from[k]), run.bytes / 2});
  }
  std::vector<float> terms(static_cast<std::size_t>(command.arg("num").value()), 0.75F);
  return [pieces = std::move(pieces), terms = std::move(terms)] {
    constexpr std::int64_t kBlock = 64;
    for (const Piece& piece : pieces) {
      for (std::int64_t begin = 0; begin < piece.count; begin += kBlock) {
        const std::int64_t count = std::min(kBlock, piece.count - begin);
        float x[kBlock] = {}, sum[kBlock];
        for (std::int64_t i = 0; i < count; ++i) x[i] = widened(piece.src[begin + i]);
        for (float& each : sum) each = terms.back();
        for (std::size_t k = terms.size() - 1; k-- > 0;) {
          for (std::int64_t i = 0; i < kBlock; ++i)
            sum[i] = nearest(nearest(sum[i] * x[i]) + terms[k]);
        }
        for (std::int64_t i = 0; i < count; ++i) piece.dst[begin + i] = narrowed(sum[i]);
      }
    }
  };
}

// ---- pairs of vectors ----

// A vector as it lies: parts of as many elements as an NPU has of it.
class VectorParts {
 public:
  VectorParts(const Command& command, std::string_view param, Memories memory) {
    const Operand& operand = *command.find(param);
    const Layout& layout = operand.layout;
    const std::int64_t together = layout.digits(1).front().extent, all = layout.extent(1);
    const auto bytes_of = [&](std::int64_t elements) {
      return static_cast<std::size_t>(elements * layout.element_units());
    };
    bytes_ = bytes_of(together);
    for (std::int64_t j = 0; j < all; j += together) {
      const Layout::Index index{0, j};
      parts_.push_back(memory[static_cast<std::size_t>(operand.space)] +
                       layout.address({index.data(), 2}));
      last_bytes_ = bytes_of(std::min(together, all - j));
    }
  }
  void read_to(std::byte* to) const {
    for (const std::byte* part : parts_) {
      const std::size_t bytes = part == parts_.back() ? last_bytes_ : bytes_;
      bytes == 8 ? std::memcpy(to, part, 8) : std::memcpy(to, part, bytes);
      to += bytes_;
    }
  }

 private:
  std::vector<const std::byte*> parts_;
  std::size_t bytes_ = 0, last_bytes_ = 0;
};

// The rows of a channel after each other, of kColumns elements each.
template <class T, std::int64_t kColumns, class F>
std::function<void()> pairs_of(const Command& command, Memories memory, const F& f) {
  const Layout& layout = command.find("dst_addr")->layout;
  const std::int64_t rows = layout.extent(0), columns = layout.extent(1);
  if (columns % kColumns != 0 || command.arg("src1_len_per_channel").value() != kColumns) return {};
  std::vector<std::byte*> channels;
  for (std::int64_t j = 0; j < columns; j += kColumns) {
    const Layout::Index index{0, j};
    channels.push_back(memory[static_cast<std::size_t>(command.find("dst_addr")->space)] +
                       layout.address({index.data(), 2}));
  }
  const std::int64_t next = layout.digits(0).front().stride;
  // Some at a time: a load between stores waits for those that look like its address.
  constexpr std::int64_t kTogether = 8;
  const VectorParts from_left(command, "src0_addr", memory);
  const VectorParts from_right(command, "src1_addr", memory);
  const auto left_buffer =
      std::make_shared<std::vector<T>>(static_cast<std::size_t>(rows + kTogether));
  const auto right_buffer = std::make_shared<std::vector<T>>(static_cast<std::size_t>(columns));
  return [=] {
    T* const left = left_buffer->data();
    from_left.read_to(reinterpret_cast<std::byte*>(left));
    from_right.read_to(reinterpret_cast<std::byte*>(right_buffer->data()));
    const T* of_channel = right_buffer->data();
    for (std::byte* const channel : channels) {
      T of_columns[kColumns];
      std::copy_n(of_channel, kColumns, of_columns);
      std::byte* to = channel;
      const auto store = [&](T of_row) {
        T* __restrict dst = reinterpret_cast<T*>(to);
        for (std::int64_t i = 0; i < kColumns; ++i) dst[i] = f(of_row, of_columns[i]);
        to += next;
      };
      for (std::int64_t first = 0; first < rows; first += kTogether) {
        T of_rows[kTogether];
        std::memcpy(of_rows, left + first, sizeof of_rows);
        if (rows - first >= kTogether) {
#pragma GCC unroll 8
          for (const T of_row : of_rows) store(of_row);
        } else {
          for (std::int64_t r = 0; r < rows - first; ++r) store(of_rows[r]);
        }
      }
      of_channel += kColumns;
    }
  };
}
template <class T>
std::function<void()> pairs(const Command& command, Memories memory) {
  const auto f = [](T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(a & b);
    if constexpr (!std::is_integral_v<T>) return a + b;
  };
  if (auto small = pairs_of<T, 4>(command, memory, f)) return small;
  return pairs_of<T, 49>(command, memory, f);
}

}  // namespace

const BoundList& float_bounds() {
  constexpr std::string_view kPairs =
      "tpu_bdc(_fp|_int)?_vc_(add|sub|mul|and|or|xor|min|max|(not_)?equal|(less|greater)(_equal)?)";
  static const auto& list = *new BoundList{
      {"(okk_bdc|tpu_bdc_fp|tpu_bdc_fp32)(_tunable)?_div", "fp32", "fp32 quotient",
       placed_loop<divide>},
      {"(okk_bdc|tpu_bdc_fp|tpu_bdc_fp32)(_tunable)?(_C_div|_div_C|_reciprocal)", "fp32",
       "fp32 quotient with a constant", placed_loop<divide_constant>},
      {"tpu_bdc_fp(_tunable)?_div", "bf16", "bf16 quotient", placed_loop<divide_halves>},
      {"tpu_bdc_fp32_softsign", "fp32", "fp32 softsign", placed_loop<softsign>},
      {"tpu_bdc_fp32(_tunable)?_compensate_reciprocal", "fp32", "fp32 corrected reciprocal",
       placed_loop<corrected_reciprocal>},
      {"tpu_bdc_fp(_tunable)?_(C_div|reciprocal|r?sqrt|hswish|hsigmoid|sin|cos|exp|log)",
       "fp16|bf16", "16-bit floats looked up", placed_loop<look_up>},
      {"tpu_bdc_fp_taylor", "bf16", "bf16 polynomial", polynomial},
      {kPairs, "fp32", "fp32 pairs", pairs<float>},
      {kPairs, "u?int32( uint32 -> int32)?", "32-bit pairs", pairs<std::uint32_t>},
      {kPairs, "u?int16( uint16 -> int16)?", "16-bit pairs", pairs<std::uint16_t>},
      {kPairs, "u?int8( uint8 -> int8)?", "8-bit pairs", pairs<std::uint8_t>},
  };
  return list;
}

}  // namespace tensorlane::bench
