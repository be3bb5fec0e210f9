// Sums of one block of the rule kBlockSums (product_rules.h) in vectors, for tiles of 16-bit
// floats. Included once per vector target, as Highway's -inl.h files are.
//
// A block takes two passes over its products, which are exact in fp32: the first finds the largest
// exponent E, the second multiplies by 2^(24-E) and adds up the integers below, which fit 31 bits.
// It multiplies by adding to exponents, which an integer adder does: 0 becomes 2^(24-E-127), whose
// integer is 0 as well, and a product that is not 0 stays one as long as E <= 24. Vectors with
// larger products are multiplied in earnest; those with an infinite product or with products whose
// unit 2^(E-24) is below the range of fp32 are done again one by one.
#if defined(TENSORLANE_COMPUTE_TILES_BLOCK_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_TILES_BLOCK_SUM_INL_H_
#undef TENSORLANE_COMPUTE_TILES_BLOCK_SUM_INL_H_
#else
#define TENSORLANE_COMPUTE_TILES_BLOCK_SUM_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "tensorlane/compute/tiles/product_rules.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Vector = hn::Vec<Floats>;
using IntegerVector = hn::Vec<Integers>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));

// Exponent fields below this make 2^(E-24) a denormal number.
inline constexpr int kSmallestField = 25;
// Of an E of 24.
inline constexpr int kLargestAddedField = 24 + 127;
inline constexpr int kInfiniteField = 255;

// Rounds towards zero; |value| < 2^26. Highway's conversion also mends overflow, at three more
// instructions each.
HWY_INLINE IntegerVector truncate(Vector value) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return IntegerVector{_mm512_cvttps_epi32(value.raw)};
#elif HWY_TARGET == HWY_AVX2
  return IntegerVector{_mm256_cvttps_epi32(value.raw)};
#else
  return hn::ConvertTo(Integers(), value);
#endif
}

// max(largest, |product|). An operand NaN must stay visible only where specials are expected.
template <bool kSpecials>
HWY_INLINE Vector larger_magnitude(Vector largest, Vector product) {
  const Floats d;
  if (kSpecials) {
    const Integers di;
    return hn::BitCast(d, hn::Max(hn::BitCast(di, largest), hn::BitCast(di, hn::Abs(product))));
  }
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  constexpr int kLargerMagnitudeWithoutSign = 0xB;
  return Vector{_mm512_range_ps(largest.raw, product.raw, kLargerMagnitudeWithoutSign)};
#else
  return hn::Max(largest, hn::Abs(product));
#endif
}

// How products are multiplied by 2^(24-E).
enum class Scaled { kByAdding, kByMultiplying };

// The sum of one block for the lanes of one vector. `products` are `stride` floats apart.
template <Scaled kScaled>
HWY_INLINE Vector sum_block(const float* HWY_RESTRICT products, int stride, int length,
                            Vector largest) {
  const Floats d;
  const Integers di;
  // 2^E. Where all products are zero, what is made from it is of no consequence, but positive.
  const IntegerVector power =
      hn::And(hn::BitCast(di, largest), hn::Set(di, std::int32_t{kInfiniteField} << 23));
  const IntegerVector positive = hn::Set(di, std::numeric_limits<std::int32_t>::max());
  const IntegerVector scale = hn::And(hn::Sub(hn::Set(di, (278 - 256) << 23), power), positive);
  const Vector unit = hn::BitCast(d, hn::And(hn::Sub(power, hn::Set(di, 24 << 23)), positive));
  // At most what leaves 0 below 1; only that of lanes of zeros is more.
  const IntegerVector shift =
      hn::Min(hn::Sub(hn::Set(di, kLargestAddedField << 23), power), hn::Set(di, 126 << 23));
  const auto scaled = [&](const float* product) {
    const Vector value = hn::Load(d, product);
    if constexpr (kScaled == Scaled::kByMultiplying) {
      return truncate(hn::Mul(value, hn::BitCast(d, scale)));
    } else {
      return truncate(hn::BitCast(d, hn::Add(hn::BitCast(di, value), shift)));
    }
  };
  IntegerVector even = hn::Zero(di);
  IntegerVector odd = hn::Zero(di);
  int k = 0;
#pragma GCC unroll 4
  for (; k + 1 < length; k += 2, products += 2 * stride) {
    even = hn::Add(even, scaled(products));
    odd = hn::Add(odd, scaled(products + stride));
  }
  if (k < length) even = hn::Add(even, scaled(products));
  return hn::Mul(hn::ConvertTo(d, hn::Add(even, odd)), unit);
}

// Whether some lane that is not 0 has an exponent outside of [kSmallestField, largest_field].
HWY_INLINE bool has_exponents_beyond(Vector largest, int largest_field) {
  const hn::RebindToUnsigned<Floats> du;
  constexpr std::uint32_t kSmallest = std::uint32_t{kSmallestField} << 23;
  const std::uint32_t end = (static_cast<std::uint32_t>(largest_field) + 1) << 23;
  const auto bits = hn::BitCast(du, largest);
  const auto outside =
      hn::Gt(hn::Sub(bits, hn::Set(du, kSmallest)), hn::Set(du, end - 1 - kSmallest));
  if (HWY_LIKELY(hn::AllFalse(du, outside))) return false;
  return !hn::AllFalse(du, hn::AndNot(hn::Eq(bits, hn::Zero(du)), outside));
}

template <class V>
HWY_NOINLINE V sum_carefully(const float* products, int stride, int length, V largest) {
  const Floats d;
  if (!has_exponents_beyond(largest, kInfiniteField - 1))
    return sum_block<Scaled::kByMultiplying>(products, stride, length, largest);
  HWY_ALIGN float sums[kLanes];
  float lane_products[kBlockChannels];
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int k = 0; k < length; ++k) lane_products[k] = products[k * stride + lane];
    sums[lane] = sum_of_block({lane_products, static_cast<std::size_t>(length)});
  }
  return hn::Load(d, sums);
}

// The same of a block whose largest exponents may be any, by the way that fits them.
HWY_INLINE Vector sum_any_block(const float* products, int stride, int length, Vector largest) {
  return has_exponents_beyond(largest, kLargestAddedField)
             ? sum_carefully(products, stride, length, largest)
             : sum_block<Scaled::kByAdding>(products, stride, length, largest);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_TILES_BLOCK_SUM_INL_H_
