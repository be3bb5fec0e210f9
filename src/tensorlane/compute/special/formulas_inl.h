// The special functions of the BM1684X, written once for scalars and for vectors.
//
// A formula is a template over `A`, the arithmetic: scalar_arithmetic.h or the vectors of
// functions_simd.cc. A::V holds values of A::Format in fp32, every A::add, sub and mul rounds to
// that type, NaN results are any NaN. Included once per vector target, as Highway's -inl.h files
// are. [observed: the orders of operations here give every recorded bit of the model of 2024]
#if defined(TENSORLANE_COMPUTE_SPECIAL_FORMULAS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_SPECIAL_FORMULAS_INL_H_
#undef TENSORLANE_COMPUTE_SPECIAL_FORMULAS_INL_H_
#else
#define TENSORLANE_COMPUTE_SPECIAL_FORMULAS_INL_H_
#endif

#include <limits>
#include <numbers>

#include "hwy/highway.h"
#include "tensorlane/compute/special/functions.h"
#include "tensorlane/compute/special/series.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::special {
namespace HWY_NAMESPACE {

template <class A>
using ValueOf = typename A::V;

template <class A>
HWY_INLINE ValueOf<A> infinity(bool negative = false) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return A::set(negative ? -kInfinity : kInfinity);
}
template <class A>
HWY_INLINE ValueOf<A> negative(ValueOf<A> x) {
  return A::flip_sign(x, A::set(-0.0F));
}
// a > b ? a : b and a < b ? a : b: of a NaN `a`, b.
template <class A>
HWY_INLINE ValueOf<A> larger(ValueOf<A> a, ValueOf<A> b) {
  return A::select(A::greater(a, b), a, b);
}
template <class A>
HWY_INLINE ValueOf<A> smaller(ValueOf<A> a, ValueOf<A> b) {
  return A::select(A::greater(b, a), a, b);
}
// The first `terms` terms of a series, highest first.
template <class A, std::size_t kSize>
HWY_INLINE ValueOf<A> polynomial(ValueOf<A> x, const std::array<float, kSize>& c,
                                 std::size_t terms = kSize) {
  ValueOf<A> sum = A::set(c[terms - 1]);
  for (std::size_t i = terms - 1; i-- > 0;) sum = A::next_term(sum, x, A::set(c[i]));
  return sum;
}

// ---- Roots and reciprocals: Newton steps from a guess by integer arithmetic ----

template <class A>
HWY_INLINE ValueOf<A> newton_step(ValueOf<A> half, ValueOf<A> y) {
  const ValueOf<A> t = A::mul(A::mul(half, y), y);
  return A::mul(y, A::sub(A::set(1.5F), t));
}
template <class A>
HWY_INLINE ValueOf<A> newton_rsqrt(ValueOf<A> x, int steps) {
  ValueOf<A> y = A::rsqrt_guess(x);
  const ValueOf<A> half = A::mul(A::set(0.5F), x);
  static_assert(kNewtonSteps == 3);  // compilers keep a loop of three turns
  if (steps == kNewtonSteps)
    return newton_step<A>(half, newton_step<A>(half, newton_step<A>(half, y)));
  for (int step = 0; step < steps; ++step) y = newton_step<A>(half, y);
  return y;
}
// Of operands that no steps are for: zero, below zero, infinite, NaN. Denormal numbers of fp32 are
// none of these. [observed]
template <class A>
HWY_INLINE ValueOf<A> checked_rsqrt(ValueOf<A> x, ValueOf<A> y) {
  const ValueOf<A> zero = A::set(0.0F);
  const ValueOf<A> nan = A::set(std::numeric_limits<float>::quiet_NaN());
  y = A::select(A::greater(zero, x), nan, y);
  y = A::select(A::equal(x, infinity<A>()), zero, y);
  y = A::select(A::same_bits(A::absolute(x), zero), A::or_sign(infinity<A>(), x), y);
  return A::select(A::equal(x, x), y, nan);
}
// The steps of most negative operands run away to +Inf, for which the chip has 0.
template <class A>
HWY_INLINE ValueOf<A> rsqrt(ValueOf<A> x, int steps) {
  const ValueOf<A> y = newton_rsqrt<A>(x, steps);
  if constexpr (A::Format::kChecksRoots) return checked_rsqrt<A>(x, y);
  return A::select(A::equal(y, infinity<A>()), A::set(0.0F), y);
}
template <class A>
HWY_INLINE ValueOf<A> square_root(ValueOf<A> x, int steps = kNewtonSteps) {
  if constexpr (A::Format::kChecksRoots) {
    const ValueOf<A> zero = A::set(0.0F);
    return A::select(A::equal(x, zero), A::or_sign(zero, x), A::mul(x, rsqrt<A>(x, steps)));
  }
  return A::select(A::same_bits(x, A::set(-0.0F)), x, A::mul(x, rsqrt<A>(x, steps)));
}
template <class A>
HWY_INLINE ValueOf<A> reciprocal(ValueOf<A> x, int steps = kNewtonSteps) {
  const ValueOf<A> size = A::absolute(x);
  ValueOf<A> y = newton_rsqrt<A>(size, steps);
  if constexpr (A::Format::kChecksRoots) y = checked_rsqrt<A>(size, y);
  return A::or_sign(A::mul(y, y), x);
}

// x / y by the reciprocal of y.
template <class A>
HWY_INLINE ValueOf<A> quotient(ValueOf<A> x, ValueOf<A> y, ValueOf<A> inverse) {
  const ValueOf<A> product = A::mul(x, inverse);
  if constexpr (!A::Format::kChecksRoots) return product;
  // A denormal number by zero is infinite, though products take it for a zero. [observed]
  const ValueOf<A> zero = A::set(0.0F);
  const ValueOf<A> infinite = A::flip_sign(A::or_sign(infinity<A>(), x), y);
  const ValueOf<A> tiny = A::select(A::same_bits(A::absolute(y), zero), infinite, product);
  const ValueOf<A> small = A::select(A::same_bits(A::absolute(x), zero), product, tiny);
  return A::select(A::equal(x, zero), small, product);
}

// Of a number without sign, or any NaN.
template <class A>
HWY_INLINE ValueOf<A> reciprocal_of_size(ValueOf<A> size) {
  ValueOf<A> y = newton_rsqrt<A>(size, kNewtonSteps);
  if constexpr (A::Format::kChecksRoots) y = checked_rsqrt<A>(size, y);
  return A::mul(y, y);
}

// y + y * (1 - x * y) but where that is further from the reciprocal, or no number where y has a
// distance.
template <class A>
HWY_INLINE ValueOf<A> corrected_reciprocal(ValueOf<A> x, ValueOf<A> y) {
  const ValueOf<A> one = A::set(1.0F);
  const ValueOf<A> distance = A::sub(one, A::mul(x, y));
  const ValueOf<A> next = A::add(y, A::mul(y, distance));
  const ValueOf<A> rest = A::sub(one, A::mul(x, next));
  return A::select(A::larger_size(A::absolute(rest), A::absolute(distance)), y, next);
}

// ---- Powers of e ----

// 2^k * e^r with k = floor(x / ln 2) and r = x - k * ln 2, k and r in the type's precision.
template <class A>
HWY_INLINE ValueOf<A> exponential(ValueOf<A> x) {
  using Format = typename A::Format;
  if constexpr (Format::kTables) {
    x = larger<A>(x, A::set(static_cast<float>(kLeastPower)));
    x = smaller<A>(x, A::set(static_cast<float>(kGreatestPower)));
    const ValueOf<A> whole = A::round_half_even(x);
    const ValueOf<A> rest = A::sub(x, whole);
    return A::mul(polynomial<A>(rest, kExpSeries<Format>), A::power_of_e(whole));
  }
  constexpr auto kTop = static_cast<float>(Format::kFormat.bias());
  if constexpr (requires { Format::kExpBegin; }) x = larger<A>(x, A::set(Format::kExpBegin));
  if constexpr (requires { Format::kExpEnd; }) x = smaller<A>(x, A::set(Format::kExpEnd));
  const ValueOf<A> whole = A::floor(A::mul(x, A::set(kLog2E<Format>)));
  const ValueOf<A> rest = A::sub(x, A::mul(whole, A::set(kLn2<Format>)));
  const ValueOf<A> k = smaller<A>(larger<A>(whole, A::set(-kTop)), A::set(kTop));
  return A::mul(polynomial<A>(rest, kExpSeries<Format>), A::power_of_two(k));
}

// e * ln 2 + ln(1 + t) for x = 2^e * (1 + t) with 1 + t in (2/3, 4/3].
template <class A>
HWY_INLINE ValueOf<A> logarithm_of_positive(ValueOf<A> x) {
  using Format = typename A::Format;
  x = larger<A>(x, A::set(Format::kSmallest));
  const ValueOf<A> exponent = A::exponent_above(x, kTwoThirds<Format>);
  ValueOf<A> fraction;
  if constexpr (Format::kTables) {
    fraction = A::mul(x, reciprocal<A>(A::power_of_two(exponent)));
  } else {
    fraction = A::mul(x, A::power_of_minus_two(exponent));
  }
  const ValueOf<A> t = A::sub(fraction, A::set(1.0F));
  return A::add(A::mul(exponent, A::set(kLn2<Format>)), polynomial<A>(t, kLogSeries<Format>));
}
template <class A>
HWY_INLINE ValueOf<A> logarithm(ValueOf<A> x) {
  const ValueOf<A> result = logarithm_of_positive<A>(x);
  if constexpr (!A::Format::kZeroHasLogarithm) return result;
  return A::select(A::same_bits(x, A::set(0.0F)), infinity<A>(true), result);
}

// ---- Angles ----

constexpr auto kHalfTurnsPerRadian = static_cast<float>(std::numbers::inv_pi);

template <class A>
HWY_INLINE ValueOf<A> turns(ValueOf<A> x) {
  const ValueOf<A> z = A::mul(x, A::set(kTurnsPerRadian<typename A::Format>));
  return A::sub(z, A::round_half_away(z));
}
template <class A>
HWY_INLINE ValueOf<A> sine(ValueOf<A> x) {
  using Format = typename A::Format;
  const ValueOf<A> f = turns<A>(x);
  return A::mul(polynomial<A>(A::mul(f, f), kSineSeries<Format>, Format::kTurnTerms), f);
}
template <class A>
HWY_INLINE ValueOf<A> cosine(ValueOf<A> x) {
  using Format = typename A::Format;
  const ValueOf<A> f = turns<A>(x);
  return polynomial<A>(A::mul(f, f), kCosineSeries<Format>, Format::kTurnTerms);
}
// tan(pi z): with u = tan(pi / 4 - |angle|), tan of the angle is 2 / (1 + u) - 1.
template <class A>
HWY_INLINE ValueOf<A> tangent_of_half_turns(ValueOf<A> z) {
  const ValueOf<A> f = A::sub(z, A::round_half_even(z));
  const ValueOf<A> w = A::sub(A::set(0.25F), A::absolute(f));
  const ValueOf<A> u = A::mul(polynomial<A>(A::mul(w, w), kTangentSeries, kTangentTerms), w);
  const ValueOf<A> inverse = reciprocal<A>(A::add(A::set(1.0F), u));
  const ValueOf<A> result = A::sub(A::mul(A::set(2.0F), inverse), A::set(1.0F));
  return A::select(A::greater(A::set(0.0F), f), A::or_sign(result, A::set(-0.0F)), result);
}
template <class A>
HWY_INLINE ValueOf<A> tangent(ValueOf<A> x) {
  return tangent_of_half_turns<A>(A::mul(x, A::set(kHalfTurnsPerRadian)));
}
template <class A>
HWY_INLINE ValueOf<A> cotangent(ValueOf<A> x) {
  return tangent_of_half_turns<A>(A::sub(A::set(0.5F), A::mul(x, A::set(kHalfTurnsPerRadian))));
}
// -1, 0, 1 as the chip's sign has it: 0 for +0 only, -1 for -0 and denormal numbers.
template <class A>
HWY_INLINE ValueOf<A> with_sign_of(ValueOf<A> x, ValueOf<A> magnitude) {
  const ValueOf<A> result =
      A::select(A::greater(x, A::set(0.0F)), magnitude, negative<A>(magnitude));
  if constexpr (A::Format::kTables)  // denormal numbers have none
    return A::select(A::equal(x, A::set(0.0F)), A::set(0.0F), result);
  return A::select(A::same_bits(x, A::set(0.0F)), A::set(0.0F), result);
}
// 2 * arcsin(v) with v = sin of half the angle, without sign.
template <class A>
HWY_INLINE ValueOf<A> size_of_arcsine(ValueOf<A> x) {
  const ValueOf<A> half_cosine =
      square_root<A>(A::sub(A::set(0.25F), A::mul(A::set(0.25F), A::mul(x, x))));
  const ValueOf<A> square = A::sub(A::set(0.5F), half_cosine);
  const ValueOf<A> half =
      A::mul(polynomial<A>(square, kArcsineSeries, kArcsineTerms), square_root<A>(square));
  return A::mul(A::set(2.0F), half);
}
template <class A>
HWY_INLINE ValueOf<A> arcsine(ValueOf<A> x) {
  return with_sign_of<A>(x, size_of_arcsine<A>(x));
}
// The sign comes last, in two steps: minus the size but where x is +0, then the size where x is
// positive. In place the first step has overwritten x. [inferred]
template <class A>
HWY_INLINE ValueOf<A> arcsine_in_place(ValueOf<A> x) {
  const ValueOf<A> size = size_of_arcsine<A>(x);
  return A::select(A::same_bits(size, A::set(0.0F)), size, negative<A>(size));
}
template <class A>
HWY_INLINE ValueOf<A> arccosine(ValueOf<A> x) {
  return A::sub(A::set(static_cast<float>(std::numbers::pi / 2)), arcsine<A>(x));
}

// ---- What the chip composes of them ----

template <class A>
HWY_INLINE ValueOf<A> exponential_minus_1(ValueOf<A> x) {
  return A::sub(exponential<A>(x), A::set(1.0F));
}
template <class A>
HWY_INLINE ValueOf<A> exponential_plus_1(ValueOf<A> x) {
  return A::add(exponential<A>(x), A::set(1.0F));
}
template <class A>
HWY_INLINE ValueOf<A> sigmoid(ValueOf<A> x) {
  return reciprocal<A>(exponential_plus_1<A>(negative<A>(x)));
}
template <class A>
HWY_INLINE ValueOf<A> silu(ValueOf<A> x) {
  return A::mul(x, sigmoid<A>(x));
}
template <class A>
HWY_INLINE ValueOf<A> swish(ValueOf<A> x, ValueOf<A> beta) {
  return A::mul(x, sigmoid<A>(A::mul(beta, x)));
}
template <class A>
HWY_INLINE ValueOf<A> hyperbolic_tangent(ValueOf<A> x) {
  const ValueOf<A> two = A::set(2.0F);
  const ValueOf<A> inverse = reciprocal<A>(exponential_plus_1<A>(A::mul(two, x)));
  return A::sub(A::set(1.0F), A::mul(two, inverse));
}
template <class A>
HWY_INLINE ValueOf<A> hyperbolic_sine(ValueOf<A> x) {
  const ValueOf<A> e = exponential<A>(x);
  return A::mul(A::set(0.5F), A::sub(e, reciprocal<A>(e)));
}
template <class A>
HWY_INLINE ValueOf<A> hyperbolic_cosine(ValueOf<A> x) {
  const ValueOf<A> e = exponential<A>(x);
  return A::mul(A::set(0.5F), A::add(e, reciprocal<A>(e)));
}
template <class A>
HWY_INLINE ValueOf<A> elu(ValueOf<A> x, ValueOf<A> alpha) {
  return A::select(A::greater(x, A::set(0.0F)), x, A::mul(alpha, exponential_minus_1<A>(x)));
}
template <class A>
HWY_INLINE ValueOf<A> selu(ValueOf<A> x) {
  return A::mul(A::set(1.05070098F), elu<A>(x, A::set(1.67326324F)));
}
template <class A>
HWY_INLINE ValueOf<A> error_function(ValueOf<A> x) {
  const ValueOf<A> z = A::absolute(x);
  const ValueOf<A> t = reciprocal<A>(A::add(A::set(1.0F), A::mul(A::set(0.5F), z)));
  const ValueOf<A> exponent = A::sub(polynomial<A>(t, kErfSeries), A::mul(z, z));
  return with_sign_of<A>(x, A::sub(A::set(1.0F), A::mul(t, exponential<A>(exponent))));
}
template <class A>
HWY_INLINE ValueOf<A> complementary_error_function(ValueOf<A> x) {
  return A::sub(A::set(1.0F), error_function<A>(x));
}
template <class A>
HWY_INLINE ValueOf<A> gelu(ValueOf<A> x) {
  const ValueOf<A> erf =
      error_function<A>(A::mul(x, A::set(static_cast<float>(std::numbers::sqrt2 / 2))));
  return A::mul(A::mul(A::set(0.5F), x), A::add(A::set(1.0F), erf));
}
template <class A>
HWY_INLINE ValueOf<A> gelu_by_tanh(ValueOf<A> x) {
  const ValueOf<A> cubic = A::mul(A::set(0.044715F), A::mul(A::mul(x, x), x));
  const ValueOf<A> slope = A::set(0.797884583F);  // sqrt(2 / pi)
  const ValueOf<A> tanh = hyperbolic_tangent<A>(A::mul(slope, A::add(x, cubic)));
  if constexpr (A::Format::kTables)
    return A::mul(A::set(0.5F), A::mul(x, A::add(A::set(1.0F), tanh)));
  return A::mul(A::mul(A::set(0.5F), x), A::add(A::set(1.0F), tanh));
}
// x * tanh(ln(1 + e^x)) as x - 2 x / ((1 + e^x)^2 + 1). The end of e^x shows in no result.
// [observed]
template <class A>
HWY_INLINE ValueOf<A> mish(ValueOf<A> x) {
  const ValueOf<A> e = smaller<A>(larger<A>(exponential<A>(x), A::set(0.0F)), A::set(0x1p63F));
  const ValueOf<A> s = A::add(e, A::set(1.0F));
  const ValueOf<A> inverse = reciprocal<A>(A::add(A::mul(s, s), A::set(1.0F)));
  return A::sub(x, A::mul(A::set(2.0F), A::mul(x, inverse)));
}
template <class A>
HWY_INLINE ValueOf<A> log_sigmoid(ValueOf<A> x) {
  return A::sub(x, logarithm_of_positive<A>(exponential_plus_1<A>(x)));
}
// Multiplied by beta where the document divides; x itself above 20, whatever beta is. [observed]
template <class A>
HWY_INLINE ValueOf<A> softplus(ValueOf<A> x, ValueOf<A> beta, ValueOf<A> one_by_beta) {
  const ValueOf<A> log = logarithm_of_positive<A>(exponential_plus_1<A>(A::mul(beta, x)));
  const ValueOf<A> scaled = A::mul(reciprocal<A>(one_by_beta), log);
  if constexpr (A::Format::kTables) return A::select(A::equal(beta, A::set(1.0F)), log, scaled);
  return A::select(A::greater(x, A::set(20.0F)), x, scaled);
}
template <class A>
HWY_INLINE ValueOf<A> softsign(ValueOf<A> x) {
  return A::mul(x, reciprocal_of_size<A>(A::add(A::set(1.0F), A::absolute(x))));
}
// 1 + |x| is written to the result before x is read to be divided.
template <class A>
HWY_INLINE ValueOf<A> softsign_in_place(ValueOf<A> x) {
  const ValueOf<A> divisor = A::add(A::set(1.0F), A::absolute(x));
  return A::mul(divisor, reciprocal<A>(divisor));
}
template <class A>
HWY_INLINE ValueOf<A> logarithm_of_1_plus(ValueOf<A> x) {
  return logarithm_of_positive<A>(A::add(x, A::set(1.0F)));
}
template <class A>
HWY_INLINE ValueOf<A> power(ValueOf<A> x, ValueOf<A> y) {
  return exponential<A>(A::mul(y, logarithm<A>(x)));
}
template <class A>
HWY_INLINE ValueOf<A> arsinh(ValueOf<A> x) {
  const ValueOf<A> root = square_root<A>(A::add(A::mul(x, x), A::set(1.0F)));
  return logarithm_of_positive<A>(A::add(x, root));
}
template <class A>
HWY_INLINE ValueOf<A> arcosh(ValueOf<A> x) {
  const ValueOf<A> root = square_root<A>(A::sub(A::mul(x, x), A::set(1.0F)));
  return logarithm_of_positive<A>(A::add(x, root));
}
template <class A>
HWY_INLINE ValueOf<A> artanh(ValueOf<A> x) {
  const ValueOf<A> one = A::set(1.0F);
  const ValueOf<A> ratio = A::mul(A::add(one, x), reciprocal<A>(A::sub(one, x)));
  return A::mul(A::set(0.5F), logarithm_of_positive<A>(ratio));
}

// ---- Straight lines for curves ----

template <class A>
HWY_INLINE ValueOf<A> limited(ValueOf<A> x, float top) {
  return smaller<A>(larger<A>(x, A::set(0.0F)), A::set(top));
}
template <class A>
HWY_INLINE ValueOf<A> hard_sigmoid(ValueOf<A> x, ValueOf<A> alpha, ValueOf<A> beta) {
  return limited<A>(A::add(A::mul(alpha, x), beta), 1);
}
template <class A>
HWY_INLINE ValueOf<A> hard_swish(ValueOf<A> x) {
  // No sum is denormal, and a sixth of a product that is becomes zero as well.
  const ValueOf<A> bend = limited<A>(A::add_gradually(x, A::set(3.0F)), 6);
  return A::mul(A::mul_gradually(x, bend), A::set(kSixth<typename A::Format>));
}

// The limited sum is written to the result before x is read to be multiplied.
template <class A>
HWY_INLINE ValueOf<A> hard_swish_in_place(ValueOf<A> x) {
  const ValueOf<A> bend = limited<A>(A::add(x, A::set(3.0F)), 6);
  return A::mul(A::mul(bend, bend), A::set(kSixth<typename A::Format>));
}

// ---- The functions of functions.h ----

#define TL_SPECIAL_ONE_SOURCE(name, formula)                                    \
  template <class A>                                                            \
  HWY_INLINE ValueOf<A> of_##name(ValueOf<A> x, ValueOf<A>, const Constants&) { \
    return formula<A>(x);                                                       \
  }
TL_SPECIAL_ONE_SOURCE(exp, exponential)
TL_SPECIAL_ONE_SOURCE(expm1, exponential_minus_1)
TL_SPECIAL_ONE_SOURCE(log, logarithm)
TL_SPECIAL_ONE_SOURCE(sin, sine)
TL_SPECIAL_ONE_SOURCE(cos, cosine)
TL_SPECIAL_ONE_SOURCE(tan, tangent)
TL_SPECIAL_ONE_SOURCE(cot, cotangent)
TL_SPECIAL_ONE_SOURCE(arcsin, arcsine)
TL_SPECIAL_ONE_SOURCE(arccos, arccosine)
TL_SPECIAL_ONE_SOURCE(sinh, hyperbolic_sine)
TL_SPECIAL_ONE_SOURCE(cosh, hyperbolic_cosine)
TL_SPECIAL_ONE_SOURCE(tanh, hyperbolic_tangent)
TL_SPECIAL_ONE_SOURCE(arcsinh, arsinh)
TL_SPECIAL_ONE_SOURCE(arccosh, arcosh)
TL_SPECIAL_ONE_SOURCE(arctanh, artanh)
TL_SPECIAL_ONE_SOURCE(log1p, logarithm_of_1_plus)
TL_SPECIAL_ONE_SOURCE(sigmoid, sigmoid)
TL_SPECIAL_ONE_SOURCE(silu, silu)
TL_SPECIAL_ONE_SOURCE(selu, selu)
TL_SPECIAL_ONE_SOURCE(erf, error_function)
TL_SPECIAL_ONE_SOURCE(erfc, complementary_error_function)
TL_SPECIAL_ONE_SOURCE(gelu, gelu)
TL_SPECIAL_ONE_SOURCE(gelu_fast, gelu_by_tanh)
TL_SPECIAL_ONE_SOURCE(mish, mish)
TL_SPECIAL_ONE_SOURCE(log_sigmoid, log_sigmoid)
TL_SPECIAL_ONE_SOURCE(softsign, softsign)
TL_SPECIAL_ONE_SOURCE(hswish, hard_swish)
TL_SPECIAL_ONE_SOURCE(hswish_in_place, hard_swish_in_place)
TL_SPECIAL_ONE_SOURCE(softsign_in_place, softsign_in_place)
TL_SPECIAL_ONE_SOURCE(arcsin_in_place, arcsine_in_place)
#undef TL_SPECIAL_ONE_SOURCE

template <class A>
HWY_INLINE ValueOf<A> of_hsigmoid(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  return hard_sigmoid<A>(x, A::set(c.first), A::set(c.second));
}
template <class A>
HWY_INLINE ValueOf<A> of_pow(ValueOf<A> x, ValueOf<A> y, const Constants&) {
  return power<A>(x, y);
}
template <class A>
HWY_INLINE ValueOf<A> of_scaled_exp(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  return exponential<A>(A::mul(x, A::set(c.first)));
}
template <class A>
HWY_INLINE ValueOf<A> of_scaled_log(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  return A::mul(logarithm<A>(x), A::set(c.first));
}
template <class A>
HWY_INLINE ValueOf<A> of_elu(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  return elu<A>(x, A::set(c.first));
}
template <class A>
HWY_INLINE ValueOf<A> of_swish(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  return swish<A>(x, A::set(c.first));
}
template <class A>
HWY_INLINE ValueOf<A> of_softplus(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  return softplus<A>(x, A::set(c.first), A::set(c.second));
}
template <class A>
HWY_INLINE ValueOf<A> of_rsqrt(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  return rsqrt<A>(x, c.steps);
}
template <class A>
HWY_INLINE ValueOf<A> of_sqrt(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  return square_root<A>(x, c.steps);
}
template <class A>
HWY_INLINE ValueOf<A> of_reciprocal(ValueOf<A> x, ValueOf<A>, const Constants& c) {
  ValueOf<A> y = reciprocal<A>(x, c.steps);
  for (int k = 0; k < c.corrections; ++k) y = corrected_reciprocal<A>(x, y);
  return y;
}
template <class A>
HWY_INLINE ValueOf<A> of_div(ValueOf<A> x, ValueOf<A> y, const Constants& c) {
  return quotient<A>(x, y, reciprocal<A>(y, c.steps));
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::special
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_SPECIAL_FORMULAS_INL_H_
