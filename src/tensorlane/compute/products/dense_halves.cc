// The loops over numbers of 16 bits of dense_words.h, in vectors.
#include <cstring>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/tensor/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/dense_halves.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/partial_vectors_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using WideFloats = hn::ScalableTag<float>;
constexpr std::int64_t kFloatLanes = hn::MaxLanes(WideFloats());

template <class Half>
void widen_vectors(const std::byte* from, std::int64_t count, float* to) {
  const WideFloats d;
  const hn::Rebind<std::uint16_t, WideFloats> narrow;
  const hn::Rebind<Half, WideFloats> half;
  const auto* halves = reinterpret_cast<const std::uint16_t*>(from);
  std::int64_t i = 0;
  for (; i + kFloatLanes <= count; i += kFloatLanes)
    hn::StoreU(hn::PromoteTo(d, hn::BitCast(half, hn::LoadU(narrow, halves + i))), d, to + i);
  if (i == count) return;
  const auto rest = static_cast<std::size_t>(count - i);
  const auto end = FirstLanes<hn::Rebind<std::uint16_t, WideFloats>>(rest).load(halves + i);
  FirstLanes<WideFloats>(rest).store(hn::PromoteTo(d, hn::BitCast(half, end)), to + i);
}

// Where a processor has no instruction for it, Highway's conversion of fp16 knows no infinity.
#if (HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86) || HWY_ARCH_ARM_A64
constexpr bool kWidensFp16 = true;
#else
constexpr bool kWidensFp16 = false;
#endif

void widen_all(const std::byte* from, Dtype dtype, std::int64_t count, float* to) {
  if (dtype == Dtype::kBf16) return widen_vectors<hwy::bfloat16_t>(from, count, to);
  if constexpr (kWidensFp16) return widen_vectors<hwy::float16_t>(from, count, to);
  convert_elements(to, Dtype::kFp32, from, dtype, static_cast<std::size_t>(count));
}

#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
constexpr bool kNarrowsFp16 = true;
#else
constexpr bool kNarrowsFp16 = false;
#endif
constexpr std::uint32_t kInfinity = 0x7F800000U;

// Numbers to the nearest of the type, NaN to 0x7fff.
template <bool kToFp16>
HWY_INLINE auto narrowed(hn::Vec<WideFloats> value) {
  const hn::RebindToUnsigned<WideFloats> du;
  const hn::Rebind<std::uint16_t, WideFloats> narrow;
  const auto bits = hn::BitCast(du, value);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFFU));
  const auto nan = hn::Gt(magnitude, hn::Set(du, kInfinity));
  if constexpr (kToFp16) {
    const auto half =
        hn::BitCast(narrow, hn::DemoteTo(hn::Rebind<hwy::float16_t, WideFloats>(), value));
    const auto whole = hn::PromoteTo(du, half);
    return hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<WideFloats>(),
                                            hn::IfThenElse(nan, hn::Set(du, 0x7FFF), whole)));
  } else {
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7FFF)), odd));
    const auto zero = hn::ShiftLeft<15>(hn::ShiftRight<31>(bits));
    const auto denormal = hn::Lt(magnitude, hn::Set(du, 0x00800000U));
    const auto flushed = hn::IfThenElse(denormal, zero, rounded);
    return hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<WideFloats>(),
                                            hn::IfThenElse(nan, hn::Set(du, 0x7FFF), flushed)));
  }
}

template <bool kToFp16>
void narrow_vectors(const float* from, std::int64_t count, std::byte* to) {
  const WideFloats d;
  const hn::Rebind<std::uint16_t, WideFloats> narrow;
  auto* halves = reinterpret_cast<std::uint16_t*>(to);
  std::int64_t i = 0;
  for (; i + kFloatLanes <= count; i += kFloatLanes)
    hn::StoreU(narrowed<kToFp16>(hn::LoadU(d, from + i)), narrow, halves + i);
  if (i == count) return;
  const auto rest = static_cast<std::size_t>(count - i);
  const auto end = FirstLanes<WideFloats>(rest).load(from + i);
  FirstLanes<hn::Rebind<std::uint16_t, WideFloats>>(rest).store(narrowed<kToFp16>(end), halves + i);
}

// The upper halves of words.
void copy_upper_halves(const float* from, std::int64_t count, std::byte* to) {
  const WideFloats d;
  const hn::RebindToUnsigned<WideFloats> du;
  const hn::Rebind<std::uint16_t, WideFloats> narrow;
  const auto upper = [&](hn::Vec<WideFloats> value) HWY_ATTR {
    const auto word = hn::ShiftRight<16>(hn::BitCast(du, value));
    return hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<WideFloats>(), word));
  };
  auto* halves = reinterpret_cast<std::uint16_t*>(to);
  std::int64_t i = 0;
  for (; i + kFloatLanes <= count; i += kFloatLanes)
    hn::StoreU(upper(hn::LoadU(d, from + i)), narrow, halves + i);
  if (i == count) return;
  const auto rest = static_cast<std::size_t>(count - i);
  const auto end = FirstLanes<WideFloats>(rest).load(from + i);
  FirstLanes<hn::Rebind<std::uint16_t, WideFloats>>(rest).store(upper(end), halves + i);
}

void narrow_all(const float* from, Dtype dtype, std::int64_t count, std::byte* to) {
  if (dtype == Dtype::kBf16) return narrow_vectors<false>(from, count, to);
  if constexpr (kNarrowsFp16) return narrow_vectors<true>(from, count, to);
  convert_elements(to, dtype, from, Dtype::kFp32, static_cast<std::size_t>(count),
                   tpu_cast_options(dtype, Dtype::kFp32, RoundingMode::kHalfToEven));
}

// Of lambdas: a call for each short row takes as long as its elements.
#undef TL_HALVES_INLINE
#define TL_HALVES_INLINE HWY_ATTR __attribute__((always_inline))

// What WordRows::for_each does, compiled for these vectors, so that `visit` is part of the loop.
template <class Visit>
HWY_INLINE void for_each_row(const WordRows<float>& given, const Visit& visit) {
  const WordRows<float> rows = given;
  for (std::size_t k = 0; k < rows.to.size(); ++k) {
    const float* row = rows.from + static_cast<std::int64_t>(k) * rows.step;
    std::byte* out = rows.to[k];
    for (int r = 0; r < rows.rows; ++r, row += rows.pitch, out += rows.row_bytes) visit(row, out);
  }
}

void narrow_rows(const WordRows<float>& rows, Dtype dtype) {
  for_each_row(rows, [&, columns = rows.columns](const float* from, std::byte* to)
                         HWY_ATTR { narrow_all(from, dtype, columns, to); });
}

// Numbers that the type has take no rounding; NaN are looked for, as they are rare.
template <bool kToFp16>
void store_rounded(const WordRows<float>& rows) {
  const WideFloats d;
  const hn::RebindToUnsigned<WideFloats> du;
  using Narrow = hn::Rebind<std::uint16_t, WideFloats>;
  const Narrow narrow;
  const auto exact = [=](hn::Vec<WideFloats> value) TL_HALVES_INLINE {
    if constexpr (kToFp16) {
      return hn::BitCast(narrow, hn::DemoteTo(hn::Rebind<hwy::float16_t, WideFloats>(), value));
    } else {
      const auto upper = hn::ShiftRight<16>(hn::BitCast(du, value));
      return hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<WideFloats>(), upper));
    }
  };
  const auto elements_of = [=](const float* from) TL_HALVES_INLINE {
    const auto value = hn::LoadU(d, from);
    if (HWY_LIKELY(hn::AllFalse(d, hn::IsNaN(value)))) return exact(value);
    return narrowed<kToFp16>(value);
  };
  const std::int64_t whole = rows.columns / kFloatLanes * kFloatLanes, rest = rows.columns - whole;
  const FirstLanes<Narrow> end(static_cast<std::size_t>(rest));
  for_each_row(rows, [=](const float* from, std::byte* to) TL_HALVES_INLINE {
    auto* const halves = reinterpret_cast<std::uint16_t*>(to);
    for (std::int64_t i = 0; i < whole; i += kFloatLanes)
      hn::StoreU(elements_of(from + i), narrow, halves + i);
    if (rest != 0) end.store(elements_of(from + whole), halves + whole);
  });
}
void store_rounded_of(const WordRows<float>& rows, Dtype dtype) {
  if (dtype == Dtype::kBf16) return store_rounded<false>(rows);
  if constexpr (kNarrowsFp16) return store_rounded<true>(rows);
  narrow_rows(rows, dtype);
}

void copy_bf16_rows(const WordRows<float>& rows) {
  for_each_row(rows, [columns = rows.columns](const float* from, std::byte* to)
                         HWY_ATTR { copy_upper_halves(from, columns, to); });
}

bool has_special(std::span<const float> numbers) {
  const WideFloats d;
  const hn::RebindToUnsigned<WideFloats> du;
  const auto exponent = hn::Set(du, 0x7F800000U);
  const std::size_t lanes = hn::Lanes(d);
  auto largest = hn::Zero(du);
  std::size_t i = 0;
  for (; i + lanes <= numbers.size(); i += lanes) {
    const auto bits = hn::BitCast(du, hn::LoadU(d, numbers.data() + i));
    largest = hn::Max(largest, hn::And(bits, exponent));
  }
  bool found = !hn::AllFalse(du, hn::Eq(largest, exponent));
  for (; i < numbers.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &numbers[i], sizeof bits);
    found |= (bits & 0x7F800000U) == 0x7F800000U;
  }
  return found;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(widen_all);
HWY_EXPORT(narrow_all);
HWY_EXPORT(narrow_rows);
HWY_EXPORT(store_rounded_of);
HWY_EXPORT(copy_bf16_rows);
HWY_EXPORT(has_special);

void widen_halves(const std::byte* from, Dtype dtype, std::int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_all)(from, dtype, count, to);
}

void narrow_to_halves(const float* from, Dtype dtype, std::int64_t count, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(narrow_all)(from, dtype, count, to);
}

void narrow_rows_to_halves(const WordRows<float>& rows, Dtype dtype) {
  HWY_DYNAMIC_DISPATCH(narrow_rows)(rows, dtype);
}

void store_rounded_rows(const WordRows<float>& rows, Dtype dtype) {
  HWY_DYNAMIC_DISPATCH(store_rounded_of)(rows, dtype);
}

void store_bf16_bits(const WordRows<float>& rows) {
  HWY_DYNAMIC_DISPATCH(copy_bf16_rows)(rows);
}

bool any_special(std::span<const float> numbers) {
  return HWY_DYNAMIC_DISPATCH(has_special)(numbers);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
