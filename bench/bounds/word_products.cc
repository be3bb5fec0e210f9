// Bare loops of products of 32-bit integers, halved with halves to even and saturated. Products of
// even and of odd elements are vectors of 64 bits; what is done with them is done to their lower
// and upper words, each in the order of the elements.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bounds.h"
#include "lanes.h"

namespace tensorlane::bench {
namespace {

using Words = Lanes<std::int32_t>;
using Bits = Lanes<std::uint32_t>;
using Wide = Lanes<std::uint64_t>;

template <class T>
Wide product(Wide a, Wide b) {
#ifdef __AVX512F__
  const auto x = reinterpret_cast<__m512i>(a), y = reinterpret_cast<__m512i>(b);
  return reinterpret_cast<Wide>(std::is_signed_v<T> ? _mm512_mul_epi32(x, y)
                                                    : _mm512_mul_epu32(x, y));
#else
  const auto x = reinterpret_cast<__m256i>(a), y = reinterpret_cast<__m256i>(b);
  return reinterpret_cast<Wide>(std::is_signed_v<T> ? _mm256_mul_epi32(x, y)
                                                    : _mm256_mul_epu32(x, y));
#endif
}
// The odd words of one vector and the even ones of another.
Bits joined(Wide odd, Wide even) {
#ifdef __AVX512F__
  constexpr __mmask16 kOdd = 0xaaaa;
  return reinterpret_cast<Bits>(_mm512_mask_blend_epi32(kOdd, reinterpret_cast<__m512i>(even),
                                                        reinterpret_cast<__m512i>(odd)));
#else
  constexpr int kOdd = 0xaa;
  return reinterpret_cast<Bits>(
      _mm256_blend_epi32(reinterpret_cast<__m256i>(even), reinterpret_cast<__m256i>(odd), kOdd));
#endif
}

// saturate(a * b / 2): half of the product, and one more where both bits that end it are set.
template <class T>
[[gnu::always_inline]] inline Bits halved_product(Wide a, Wide b, Wide a_odd, Wide b_odd) {
  const Wide even = product<T>(a, b), odd = product<T>(a_odd, b_odd);
  const Bits high = joined(odd, even >> 32), half = joined(odd << 31, even >> 1);
  const Bits up = reinterpret_cast<Bits>(a & b) & half & 1, nearest = half + up;
  if constexpr (std::is_signed_v<T>) {
    // Of -1 the half alone has a sign, of the largest number that is beyond the type the other one.
    const Words sign = reinterpret_cast<Words>(half | nearest) >> 31;
    const Words upper = reinterpret_cast<Words>(high);
    const Words end = (upper >> 31) ^ std::numeric_limits<std::int32_t>::max();
    return reinterpret_cast<Bits>(upper == sign ? reinterpret_cast<Words>(nearest) : end);
  } else {
    const Words beyond = reinterpret_cast<Words>(high >> 1) > 0;
    return (half < nearest ? nearest : half) | reinterpret_cast<Bits>(beyond);
  }
}

enum class Factors : std::uint8_t { kTwo, kConstant, kSame };

template <class T, Factors kFactors>
void products(const Placed& placed) {
  static const volatile T one = 1;  // the constant of ops_bench, which the compiler does not know
  const Wide constant = reinterpret_cast<Wide>(Bits{} + static_cast<std::uint32_t>(one));
  for (const Run& run : placed.runs) {
    T* const dst = reinterpret_cast<T*>(run.at[0]);
    const T* const x = reinterpret_cast<const T*>(run.at[1]);
    const T* const y = reinterpret_cast<const T*>(run.at[2]);
    for_each_vector<kLanesOf<T>>(run.count, [&](std::int64_t i, std::int64_t left) {
      const Wide a = load_lanes<Wide>(x + i), a_odd = a >> 32;
      if constexpr (kFactors == Factors::kTwo) {
        const Wide b = load_lanes<Wide>(y + i);
        store_first(dst + i, halved_product<T>(a, b, a_odd, b >> 32), left);
      } else if constexpr (kFactors == Factors::kConstant) {
        store_first(dst + i, halved_product<T>(a, constant, a_odd, constant), left);
      } else {
        store_first(dst + i, halved_product<T>(a, a, a_odd, a_odd), left);
      }
    });
  }
}

// Of rows that a vector fits in. The shifts of channels, halves all, are not looked at.
template <class T, Factors kFactors>
std::function<void()> products_loop(const Command& command, Memories memory) {
  Placed placed = place(command, memory);
  if (!placed || !placed.dense()) return {};
  for (const Run& run : placed.runs) {
    if (run.count < kLanesOf<T>) return {};
  }
  for (std::size_t k = 1; k < (kFactors == Factors::kTwo ? 3U : 2U); ++k) {
    if (placed.steps[k] == 0) return {};
  }
  // NPU by NPU: lines of several are in the same sets of the caches.
  std::ranges::sort(placed.runs, {}, [](const Run& run) { return run.at[0]; });
  return [placed = std::move(placed)] { products<T, kFactors>(placed); };
}

}  // namespace

const BoundList& word_product_bounds() {
#define TL_PRODUCTS(T, types, name)                                                           \
  {"tpu_bdc_int_(pcs_)?mul", types, name " a * b, rounded", products_loop<T, Factors::kTwo>}, \
      {"tpu_bdc_int_(pcs_)?mul_C", types, name " a * b, rounded with a constant",             \
       products_loop<T, Factors::kConstant>},                                                 \
  {                                                                                           \
    "tpu_bdc_int_square", types, name " a * a, rounded", products_loop<T, Factors::kSame>     \
  }
  static const auto& list = *new BoundList{
      TL_PRODUCTS(std::uint32_t, "uint32( uint32)?( int8 -> uint32)?", "uint32"),
      TL_PRODUCTS(std::int32_t, "int32( int32)?( int8 -> int32)?", "int32"),
  };
#undef TL_PRODUCTS
  return list;
}

}  // namespace tensorlane::bench
