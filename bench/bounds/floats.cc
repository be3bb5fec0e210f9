// Bare loops of functions of floats.
#include <algorithm>
#include <array>
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
// The BM1684 keeps the NaN of a divisor, the BM1684X stores one for all.
void divide_constant(const Placed& placed) {
  each_element<float, float>(placed, [](float b) { return quotient(3.0F, b); });
}
void divide_constant_stored(const Placed& placed) {
  each_element<float, float>(placed, [](float b) { return stored(quotient(3.0F, b)); });
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
    switch (bytes_) {
      case 2:
        return read<2>(to);
      case 4:
        return read<4>(to);
      case 8:
        return read<8>(to);
      case 16:
        return read<16>(to);
      default:
        read_from(0, to);
    }
  }

 private:
  // Parts of so many bytes, the last one alone of other ones.
  template <std::size_t kBytes>
  void read(std::byte* to) const {
    for (std::size_t k = 0; k + 1 < parts_.size(); ++k)
      std::memcpy(to + k * kBytes, parts_[k], kBytes);
    read_from(parts_.size() - 1, to + (parts_.size() - 1) * kBytes);
  }
  void read_from(std::size_t first, std::byte* to) const {
    for (std::size_t k = first; k < parts_.size(); ++k, to += bytes_)
      std::memcpy(to, parts_[k], k + 1 == parts_.size() ? last_bytes_ : bytes_);
  }

  std::vector<const std::byte*> parts_;
  std::size_t bytes_ = 0, last_bytes_ = 0;
};

// Where parts of `size` rows begin, the last one with `rows` at its end. Scattered, in the order of
// steps of 1, 2, 3, ... parts: after steady ones a processor fetches lines beyond short channels.
std::vector<std::int64_t> parts_of_rows(std::int64_t rows, std::int64_t size, bool scattered) {
  const auto parts = static_cast<std::uint64_t>((rows + size - 1) / size);
  std::vector<std::int64_t> order;
  for (std::uint64_t step = 1, part = 0; order.size() < parts; part += scattered ? step++ : 1) {
    const std::uint64_t place = part % std::bit_ceil(parts);
    if (place < parts)
      order.push_back(std::min(static_cast<std::int64_t>(place) * size, rows - size));
  }
  return order;
}

// The rows of one channel, then those of the next, of kColumns elements each.
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
  constexpr std::int64_t kTogether = 8;
  constexpr std::size_t kShort = 16;  // of a row
  if (rows < kTogether) return {};
  const VectorParts from_left(command, "src0_addr", memory);
  const VectorParts from_right(command, "src1_addr", memory);
  // Four bytes are a word, in which each row's number stands as often.
  using Unit = std::conditional_t<kColumns * sizeof(T) == 4, std::uint32_t, T>;
  constexpr std::int64_t kUnits = kColumns * sizeof(T) / sizeof(Unit);
  const auto left_buffer = std::make_shared<std::vector<T>>(static_cast<std::size_t>(rows));
  const auto right_buffer = std::make_shared<std::vector<T>>(static_cast<std::size_t>(columns));
  const auto rows_buffer = std::make_shared<std::vector<Unit>>(static_cast<std::size_t>(rows));
  return [=, order = parts_of_rows(rows, kTogether, kColumns * sizeof(T) <= kShort)] {
    const T* const left = left_buffer->data();
    from_left.read_to(reinterpret_cast<std::byte*>(left_buffer->data()));
    from_right.read_to(reinterpret_cast<std::byte*>(right_buffer->data()));
    Unit* const of_rows = rows_buffer->data();
    for (std::int64_t r = 0; r < rows; ++r)
      of_rows[r] = static_cast<Unit>(sizeof(Unit) > sizeof(T) ? 0x01010101U * left[r] : left[r]);
    const T* of_channel = right_buffer->data();
    for (std::byte* const channel : channels) {
      std::array<Unit, kUnits> of_columns;
      std::memcpy(of_columns.data(), of_channel, sizeof of_columns);
      for (const std::int64_t first : order) {
        // Together: a load between stores waits for those that look like its address.
        std::array<Unit, kTogether> some_rows;
        std::copy_n(of_rows + first, kTogether, some_rows.begin());
        std::byte* to = channel + first * next;
#pragma GCC unroll 8
        for (const Unit of_row : some_rows) {
          Unit* __restrict dst = reinterpret_cast<Unit*>(to);
          for (std::int64_t i = 0; i < kUnits; ++i) dst[i] = f(of_row, of_columns[i]);
          to += next;
        }
      }
      of_channel += kColumns;
    }
  };
}
template <class T>
std::function<void()> pairs(const Command& command, Memories memory) {
  const auto f = [](auto a, auto b) {
    if constexpr (std::is_integral_v<T>) return static_cast<decltype(a)>(a & b);
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
      {"okk_bdc(_C_div|_div_C|_reciprocal)", "fp32", "fp32 quotient with a constant",
       placed_loop<divide_constant>},
      {"tpu_bdc_(fp|fp32)(_tunable)?(_C_div|_div_C|_reciprocal)", "fp32",
       "fp32 quotient with a constant, one NaN", placed_loop<divide_constant_stored>},
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
