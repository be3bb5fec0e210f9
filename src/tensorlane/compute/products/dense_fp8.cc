// Numbers of 8 bits as fp32, in vectors.
#include <array>
#include <numeric>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/tensor/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/dense_fp8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// kFirstSpecial: the size from which on a number is infinite or none, which `numbers`, all 256 of
// them, say.
template <int kMantissaBits, int kBias, int kFirstSpecial>
void widen_fp8_vectors(const float* numbers, const std::byte* from, std::int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::uint8_t, decltype(d)> narrow;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr int kShift = 23 - kMantissaBits;
  // The unit of the last place of a number without an exponent.
  const auto unit = hn::BitCast(d, hn::Set(di, (127 + 1 - kBias - kMantissaBits) << 23));
  const auto exponent = hn::Set(di, (127 - kBias) << 23);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto word = hn::PromoteTo(di, hn::LoadU(narrow, bytes + i));
    const auto size = hn::And(word, hn::Set(di, 0x7F));
    if (HWY_UNLIKELY(!hn::AllFalse(di, hn::Gt(size, hn::Set(di, kFirstSpecial - 1))))) {
      for (std::int64_t k = i; k < i + lanes; ++k) to[k] = numbers[bytes[k]];
      continue;
    }
    const auto sign = hn::ShiftLeft<24>(hn::Xor(word, size));
    const auto normal = hn::Add(hn::ShiftLeft<kShift>(size), exponent);
    const auto small = hn::BitCast(di, hn::Mul(hn::ConvertTo(d, size), unit));
    const auto is_small = hn::Lt(size, hn::Set(di, 1 << kMantissaBits));
    const auto number = hn::Or(sign, hn::IfThenElse(is_small, small, normal));
    hn::StoreU(hn::BitCast(d, number), d, to + i);
  }
  for (; i < count; ++i) to[i] = numbers[bytes[i]];
}

void widen_e4m3(const float* numbers, const std::byte* from, std::int64_t count, float* to) {
  widen_fp8_vectors<3, 7, 0x7F>(numbers, from, count, to);
}
void widen_e5m2(const float* numbers, const std::byte* from, std::int64_t count, float* to) {
  widen_fp8_vectors<2, 15, 0x7C>(numbers, from, count, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(widen_e4m3);
HWY_EXPORT(widen_e5m2);

namespace {

// All numbers of fp8, which become fp16 first, as the chip has it.
using Fp8Numbers = std::array<float, 256>;
Fp8Numbers fp8_numbers(Dtype dtype) {
  std::array<std::uint8_t, 256> all{};
  std::iota(all.begin(), all.end(), std::uint8_t{0});
  std::array<std::byte, 2 * all.size()> halves{};
  convert_elements(halves.data(), Dtype::kFp16, all.data(), dtype, all.size(),
                   tpu_cast_options(Dtype::kFp16, dtype, RoundingMode::kHalfToEven));  // exact
  Fp8Numbers numbers{};
  widen_halves(halves.data(), Dtype::kFp16, static_cast<std::int64_t>(all.size()), numbers.data());
  return numbers;
}

}  // namespace

void widen_fp8(const std::byte* from, Dtype dtype, std::int64_t count, float* to) {
  static const Fp8Numbers e4m3 = fp8_numbers(Dtype::kFp8E4M3);
  static const Fp8Numbers e5m2 = fp8_numbers(Dtype::kFp8E5M2);
  if (dtype == Dtype::kFp8E4M3)
    return HWY_DYNAMIC_DISPATCH(widen_e4m3)(e4m3.data(), from, count, to);
  HWY_DYNAMIC_DISPATCH(widen_e5m2)(e5m2.data(), from, count, to);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
