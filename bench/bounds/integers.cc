// Bare loops of integers: sums and products with their shift, rounded halves to even and saturated,
// and the changes of type that are made of them.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "bounds.h"

namespace tensorlane::bench {
namespace {

template <class D, class W>
W within(W value) {
  return std::clamp<W>(value, std::numeric_limits<D>::min(), std::numeric_limits<D>::max());
}
// value / 2, halves to even: as ops_bench has it in every call.
template <class W>
W halved(W value) {
  return (value + (value >> 1 & 1)) >> 1;
}

// What a number of 64 bits is as one of D after the same. Lanes of 64 bits are neither compared nor
// shifted with their sign; their halves are.
template <class D>
D halved_to(std::int64_t product) {
  const auto value =
      static_cast<std::uint64_t>(product) + (static_cast<std::uint64_t>(product) >> 1U & 1U);
  const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(value >> 1U));
  const auto upper = static_cast<std::int32_t>(static_cast<std::uint32_t>(value >> 32U));
  const std::int32_t sign = upper >> 31, high = upper >> 1;
  const std::int32_t expected = std::is_signed_v<D> ? low >> 31 : 0;
  const std::int32_t end =
      sign ^ (std::is_signed_v<D> ? std::numeric_limits<std::int32_t>::max() : -1);
  return static_cast<D>(high == expected ? low : end);
}

// The same of a sum of two numbers of 32 bits, by half of it.
template <class D, class S>
D halved_sum(S a, S b) {
  const S half = static_cast<S>((a & b) + ((a ^ b) >> 1));
  const S up = static_cast<S>((a ^ b) & half & 1);
  if constexpr (std::is_signed_v<D> == std::is_signed_v<S>) return half + up;
  return static_cast<D>(std::min<S>(half, static_cast<S>(std::numeric_limits<D>::max()) - up) + up);
}
template <class S>
std::int32_t halved_difference(S a, S b) {
  const auto x = static_cast<std::int32_t>(a ^ b);
  const std::int32_t half =
      (std::is_signed_v<S> ? x >> 1
                           : static_cast<std::int32_t>(static_cast<std::uint32_t>(x) >> 1U)) -
      static_cast<std::int32_t>(~a & b);
  const std::int32_t up = x & half & 1;
  return std::min(half, std::numeric_limits<std::int32_t>::max() - up) + up;
}

// A number that the compiler does not know: constants, multipliers and offsets of ops_bench are 1.
std::int32_t one() {
  static const volatile std::int32_t number = 1;
  return number;
}

enum class Operation : std::uint8_t { kSum, kDifference, kProduct };

template <class D, class S, Operation kOperation>
D computed(S a, S b) {
  if constexpr (sizeof(S) < 4) {
    const std::int32_t x = a, y = b;
    if constexpr (kOperation == Operation::kSum) return within<D>(halved(x + y));
    if constexpr (kOperation == Operation::kDifference) return within<D>(halved(x - y));
    if constexpr (std::is_same_v<S, std::uint16_t>)
      return within<D>(halved(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y)));
    return within<D>(halved(x * y));
  } else {
    if constexpr (kOperation == Operation::kSum) return halved_sum<D>(a, b);
    if constexpr (kOperation == Operation::kDifference) return halved_difference(a, b);
    using Wide = std::conditional_t<std::is_signed_v<S>, std::int64_t, std::uint64_t>;
    return halved_to<D>(static_cast<std::int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b)));
  }
}

// Of tensors, of a tensor and a constant on either side, and of a tensor with itself; shifts of
// channels are a half like the others.
template <class D, class S, Operation kOperation, bool kTwo, bool kTurned = false>
void arithmetic(const Placed& placed) {
  const auto f = [](S a, S b) { return computed<D, S, kOperation>(a, b); };
  if constexpr (kTwo) {
    each_pair<D, S, S>(placed, f);
  } else {
    each_element<D, S>(placed,
                       [f, c = static_cast<S>(one())](S a) { return kTurned ? f(c, a) : f(a, c); });
  }
}
template <class S>
void square(const Placed& placed) {
  each_element<S, S>(placed, [](S a) { return computed<S, S, Operation::kProduct>(a, a); });
}

// saturate((a + b) / 2) of a sum and a product of bytes.
template <class D, class S>
void accumulate(const Placed& placed) {
  each_change<D, S, S>(placed, [](std::int32_t sum, std::int32_t a, std::int32_t b) {
    return within<D>(halved(sum + a * b));
  });
}
template <class D, class S>
void accumulate_constant(const Placed& placed) {
  const std::int32_t factor = one();
  for (const Run& run : placed.runs) {
    D* const dst = reinterpret_cast<D*>(run.at[0]);
    const S* const a = reinterpret_cast<const S*>(run.at[1]);
    for (std::int64_t i = 0; i < run.count; ++i)
      dst[i] =
          static_cast<D>(within<D>(halved(std::int32_t{dst[i]} + std::int32_t{a[i]} * factor)));
  }
}

// (a - offset) * multiplier, or with the offset behind.
template <class D, class S, bool kRequants>
void quantize(const Placed& placed) {
  each_element<D, S>(placed, [multiplier = one(), offset = one()](S a) {
    if constexpr (sizeof(S) == 4) {
      const std::int64_t product = std::int64_t{a} * multiplier;
      return halved_to<D>(product - std::int64_t{offset} * multiplier);
    } else {
      const std::int32_t value = a;
      return within<D>(kRequants ? halved(value * multiplier) + offset
                                 : halved((value - offset) * multiplier));
    }
  });
}
template <class D, class S>
void dequantize_floats(const Placed& placed) {
  each_element<D, S>(placed, [offset = one()](S a) {
    return static_cast<float>(std::int32_t{a} - offset) * 1.5F;
  });
}
// Without the numbers of the channels, which are read once for each.
template <void (*loop)(const Placed&)>
std::function<void()> quantising_loop(const Command& command, Memories memory) {
  Command tensors = command;
  std::erase_if(tensors.operand_storage,
                [](const Operand& operand) { return operand.name() == "quant_addr"; });
  return placed_loop<loop>(tensors, memory);
}

template <class S>
S shifted(S a) {
  return static_cast<S>(a << 1U);
}
template <class S>
void shift(const Placed& placed) {
  each_element<S, S>(placed, shifted<S>);
}

}  // namespace

const BoundList& integer_bounds() {
  using s8 = std::int8_t;
  using u8 = std::uint8_t;
  using s16 = std::int16_t;
  using u16 = std::uint16_t;
  using s32 = std::int32_t;
  using u32 = std::uint32_t;
  constexpr Operation kSum = Operation::kSum, kDifference = Operation::kDifference,
                      kProduct = Operation::kProduct;
#define TL_ARITHMETIC(D, S, types, operation, name, functions)                                    \
  {"tpu_bdc_int_(pcs_)?" functions, types, name, placed_loop<arithmetic<D, S, operation, true>>}, \
  {                                                                                               \
    "tpu_bdc_int_(pcs_)?" functions "_C", types, name " with a constant",                         \
        placed_loop<arithmetic<D, S, operation, false>>                                           \
  }
#define TL_ALL(D, S, types, name)                                               \
  TL_ARITHMETIC(D, S, types, kSum, name " a + b, rounded", "add"),              \
      TL_ARITHMETIC(D, S, types, kProduct, name " a * b, rounded", "mul"), {    \
    "tpu_bdc_int_square", types, name " a * a, rounded", placed_loop<square<S>> \
  }
#define TL_DIFFERENCES(D, S, types, name)                                     \
  TL_ARITHMETIC(D, S, types, kDifference, name " a - b, rounded", "sub"), {   \
    "tpu_bdc_int_(pcs_)?C_sub", types, name " a - b, rounded, of a constant", \
        placed_loop<arithmetic<D, S, kDifference, false, true>>               \
  }
  static const auto& list = *new BoundList{
      TL_ALL(u16, u16, "uint16( uint16)?( int8 -> uint16)?", "uint16"),
      TL_ALL(s16, s16, "int16( int16)?( int8 -> int16)?", "int16"),
      TL_ALL(u32, u32, "uint32( uint32)?( int8 -> uint32)?", "uint32"),
      TL_ALL(s32, s32, "int32( int32)?( int8 -> int32)?", "int32"),
      TL_DIFFERENCES(s16, s16, "int16( int16)?( int8 -> int16)?", "int16"),
      TL_DIFFERENCES(s16, u16, "uint16( uint16)?( int8)? -> int16", "uint16"),
      TL_DIFFERENCES(s32, s32, "int32( int32)?( int8 -> int32)?", "int32"),
      TL_DIFFERENCES(s32, u32, "uint32( uint32)?( int8)? -> int32", "uint32"),
      {"tpu_bdc_int8_mac", "uint8 uint8 -> uint16", "uint16 sum of products, rounded",
       placed_loop<accumulate<u16, u8>>},
      {"tpu_bdc_int8_mac", "int8 int8 -> int16", "int16 sum of products, rounded",
       placed_loop<accumulate<s16, s8>>},
      {"tpu_bdc_int8_mac_C", "uint8 -> uint16", "uint16 sum of products, rounded, with a constant",
       placed_loop<accumulate_constant<u16, u8>>},
      {"tpu_bdc_int8_mac_C", "int8 -> int16", "int16 sum of products, rounded, with a constant",
       placed_loop<accumulate_constant<s16, s8>>},
      {"tpu_bdc_int_(pc_)?requant", "uint16( int32 -> uint16)?", "uint16 scaled and rounded",
       quantising_loop<quantize<u16, u16, true>>},
      {"tpu_bdc_int_(pc_)?requant", "int16( int32 -> int16)?", "int16 scaled and rounded",
       quantising_loop<quantize<s16, s16, true>>},
      {"tpu_bdc_int_(pc_)?dequant", "uint16( int32 -> uint16)?", "uint16 scaled and rounded",
       quantising_loop<quantize<u16, u16, false>>},
      {"tpu_bdc_int_(pc_)?dequant", "int16( int32 -> int16)?", "int16 scaled and rounded",
       quantising_loop<quantize<s16, s16, false>>},
      {"tpu_bdc_int_(pc_)?dequant", "int32( int32)?( -> int32)?", "int32 scaled and rounded",
       quantising_loop<quantize<s32, s32, false>>},
      {"tpu_bdc_int_(pc_)?dequant", "int32( int32)? -> uint32",
       "int32 scaled and rounded to uint32", quantising_loop<quantize<u32, s32, false>>},
      {"tpu_bdc_fp32_(pc_)?dequant", "uint8( fp32)? -> fp32", "uint8 scaled to fp32",
       quantising_loop<dequantize_floats<float, u8>>},
      {"tpu_bdc_fp32_(pc_)?dequant", "int8( fp32)? -> fp32", "int8 scaled to fp32",
       quantising_loop<dequantize_floats<float, s8>>},
      {"tpu_bdc_fp32_(pc_)?dequant", "uint16( fp32)? -> fp32", "uint16 scaled to fp32",
       quantising_loop<dequantize_floats<float, u16>>},
      {"tpu_bdc_fp32_(pc_)?dequant", "int16( fp32)? -> fp32", "int16 scaled to fp32",
       quantising_loop<dequantize_floats<float, s16>>},
      {"tpu_bdc_fp32_(pc_)?dequant", "int32( fp32)? -> fp32", "int32 scaled to fp32",
       quantising_loop<dequantize_floats<float, s32>>},
      {"tpu_bdc_(arithmetic|logical)_shift_C", "uint16", "uint16 shifted", placed_loop<shift<u16>>},
      {"tpu_bdc_arithmetic_shift_C", "int16", "int16 shifted", placed_loop<shift<s16>>},
      {"tpu_bdc_(arithmetic|logical)_shift_C", "uint32", "uint32 shifted", placed_loop<shift<u32>>},
      {"tpu_bdc_arithmetic_shift_C", "int32", "int32 shifted", placed_loop<shift<s32>>},
  };
#undef TL_DIFFERENCES
#undef TL_ALL
#undef TL_ARITHMETIC
  return list;
}

}  // namespace tensorlane::bench
