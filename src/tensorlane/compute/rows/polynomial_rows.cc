#include "tensorlane/compute/rows/polynomial_rows.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/polynomial_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/half_floats_inl.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Each step of a sum waits for the one before; that many sums side by side do not. Half of them at
// the ends of rows.
constexpr int kManySums = 8, kFewSums = 4;

struct Polynomial {
  const float* coefficients;
  std::size_t count;
};

// Any NaN of a 16-bit type becomes the one it has when it is written.
template <class Half>
struct SumOfHalves : Half {
  using Tag = Halves;
  static HWY_INLINE V rounded(V x) { return Half::nearest(x); }
  static constexpr int kSums = kManySums;
  template <int kCount>
  static HWY_INLINE void correct_nans(const Polynomial&, const V*, V*) {}
};

// NaNs of fp32 as compute/fp32_arithmetic.h has them: the first operand's.
struct SumOfFp32 {
  using Tag = Floats;
  static constexpr int kSums = HWY_TARGET <= HWY_AVX3 ? kFewSums : kManySums;  // measured
  static HWY_INLINE V read(V x) { return x; }
  static HWY_INLINE V write(V x) { return x; }
  static HWY_INLINE V rounded(V x) { return x; }
  static HWY_INLINE V with_nan_of(V a, V b, V result) {
    const V quiet = float_of(number(0x00400000));
    const V invalid = float_of(number(static_cast<std::int32_t>(0xffc00000U)));
    result = hn::IfThenElse(hn::IsNaN(result), invalid, result);
    result = hn::IfThenElse(hn::IsNaN(b), hn::Or(b, quiet), result);
    return hn::IfThenElse(hn::IsNaN(a), hn::Or(a, quiet), result);
  }
  // A NaN on the way is one at the end.
  template <int kCount>
  static void correct_nans(const Polynomial& polynomial, const V* x, V* sum) {
    for (int v = 0; v < kCount; ++v) {
      if (HWY_LIKELY(hn::AllFalse(Floats(), hn::IsNaN(sum[v])))) continue;
      sum[v] = hn::Set(Floats(), polynomial.coefficients[polynomial.count - 1]);
      for (std::size_t k = polynomial.count - 1; k-- > 0;) {
        const V term = hn::Set(Floats(), polynomial.coefficients[k]);
        const V product = with_nan_of(sum[v], x[v], hn::Mul(sum[v], x[v]));
        sum[v] = with_nan_of(product, term, hn::Add(product, term));
      }
    }
  }
};

template <class Format, int kCount>
HWY_INLINE void compute(const Polynomial& polynomial, const V* x, V* sum) {
  const V highest = hn::Set(Floats(), polynomial.coefficients[polynomial.count - 1]);
  for_each_vector<kCount>([&](auto v) TL_INLINE_ATTR { sum[v] = highest; });
  for (std::size_t k = polynomial.count - 1; k-- > 0;) {
    const V term = hn::Set(Floats(), polynomial.coefficients[k]);
    for_each_vector<kCount>([&](auto v) TL_INLINE_ATTR {
      sum[v] = Format::rounded(hn::Add(Format::rounded(hn::Mul(sum[v], x[v])), term));
    });
  }
  Format::template correct_nans<kCount>(polynomial, x, sum);
}

template <class Format>
void rows_of(const Polynomial& polynomial, const Row& frame) {
  using Tag = typename Format::Tag;
  using T = hn::TFromD<Tag>;
  const Tag d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));
  constexpr int kSums = Format::kSums;
  constexpr std::int64_t kAll = kSums * kLanes;
  const auto compute_some = [&](auto count, const T* from, T* to) HWY_ATTR {
    V x[count], sum[count];
    for_each_vector<count()>(
        [&](auto v) TL_INLINE_ATTR { x[v] = Format::read(hn::LoadU(d, from + v * kLanes)); });
    compute<Format, count()>(polynomial, x, sum);
    for_each_vector<count()>(
        [&](auto v) TL_INLINE_ATTR { hn::StoreU(Format::write(sum[v]), d, to + v * kLanes); });
  };
  constexpr std::integral_constant<int, kSums> kWhole;
  constexpr std::integral_constant<int, kSums / 2> kHalf;
  HWY_ALIGN T some[kAll] = {};  // the end of a row, as many elements as there are lanes
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      const auto* from =
          reinterpret_cast<const T*>(frame.src[0] + b * frame.src_block[0] + r * frame.src_next[0]);
      auto* to = reinterpret_cast<T*>(frame.dst + b * frame.dst_block + r * frame.dst_next);
      std::int64_t left = frame.count;
      for (; left >= kAll; left -= kAll, from += kAll, to += kAll) compute_some(kWhole, from, to);
      if (left == 0) continue;
      const auto bytes = static_cast<std::size_t>(left) * sizeof(T);
      std::memcpy(some, from, bytes);
      left <= kAll / 2 ? compute_some(kHalf, some, some) : compute_some(kWhole, some, some);
      std::memcpy(to, some, bytes);
    }
  }
}

void rows_of_type(Dtype dtype, const float* coefficients, std::size_t count, const Row& frame) {
  const Polynomial polynomial{coefficients, count};
  switch (dtype) {
    case Dtype::kFp16:
      return rows_of<SumOfHalves<Fp16>>(polynomial, frame);
    case Dtype::kBf16:
      return rows_of<SumOfHalves<Bf16>>(polynomial, frame);
    default:
      return rows_of<SumOfFp32>(polynomial, frame);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(rows_of_type);

void rows_on_processor(Dtype dtype, std::span<const float> coefficients, const Row& frame) {
  HWY_DYNAMIC_DISPATCH(rows_of_type)(dtype, coefficients.data(), coefficients.size(), frame);
}

}  // namespace
}  // namespace simd

void polynomial_rows(Dtype dtype, std::span<const float> coefficients, const Row& frame) {
  simd::rows_on_processor(dtype, coefficients, frame);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
