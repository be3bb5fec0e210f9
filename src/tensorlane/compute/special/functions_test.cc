// The special functions: vectors give the reference's bits on every instruction set this processor
// has, and the results are as near to the mathematics as the chip's are.
#include "tensorlane/compute/special/functions.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "tensorlane/compute/special/formulas_inl.h"
#include "tensorlane/compute/special/functions_internal.h"
#include "tensorlane/compute/special/scalar_arithmetic.h"
#include "tensorlane/tensor/float16.h"

namespace tensorlane::special {
namespace {

struct Named {
  std::string name;
  Function function;
  Dtype dtype = Dtype::kFp32;
};

std::vector<Named> all_functions() {
  std::vector<Named> all;
  for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16}) {
#define TL_ADD_TYPED(name) all.push_back({#name, name(dtype), dtype});
    TL_SPECIAL_TYPED(TL_ADD_TYPED)
#undef TL_ADD_TYPED
  }
  constexpr auto kTables = Dialect::kTables;
#define TL_ADD_TABLES(name) all.push_back({#name " by tables", name(Dtype::kFp32, kTables)});
  TL_SPECIAL_TYPED(TL_ADD_TABLES)
#undef TL_ADD_TABLES
#define TL_ADD_FP32(name)         \
  all.push_back({#name, name()}); \
  all.push_back({#name " by tables", name(kTables)});
  TL_SPECIAL_FP32(TL_ADD_FP32)
#undef TL_ADD_FP32
  constexpr auto kTyped = RootRule::kCheckedTyped;
#define TL_ADD_ROOT(name)                                        \
  all.push_back({#name, name()});                                \
  all.push_back({#name " checked", name(Dtype::kFp32, kTyped)}); \
  all.push_back({#name " in fp16", name(Dtype::kFp16, kTyped), Dtype::kFp16});
  TL_SPECIAL_ROOTS(TL_ADD_ROOT)
#undef TL_ADD_ROOT
  return all;
}

// Every value of a 16-bit type; of fp32 some of every exponent, and all limits.
std::vector<float> operands(Dtype dtype) {
  std::vector<float> values;
  if (dtype != Dtype::kFp32) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto half = static_cast<std::uint16_t>(bits);
      values.push_back(dtype == Dtype::kFp16 ? fp16_to_float(half) : bf16_to_float(half));
    }
    return values;
  }
  std::mt19937 random(11);
  const auto any_mantissa = [&] { return static_cast<std::uint32_t>(random()) & 0x7fffffU; };
  for (std::uint32_t exponent = 0; exponent < 0x200; ++exponent) {
    for (const std::uint32_t mantissa : {0U, 1U, 0x2aaaabU, 0x400000U, 0x7fffffU})
      values.push_back(std::bit_cast<float>(exponent << 23U | mantissa));
    for (int k = 0; k < 40; ++k)
      values.push_back(std::bit_cast<float>(exponent << 23U | any_mantissa()));
  }
  for (int k = 0; k < 20000; ++k)
    values.push_back(std::uniform_real_distribution<float>(-100, 100)(random));
  return values;
}

TEST(SpecialFunctions, VectorsGiveTheReferencesBits) {
  const Constants constants{.first = 0.7F, .second = 1.3F, .steps = 2, .corrections = 2};
  for (const Named& one : all_functions()) {
    const std::vector<float> x = operands(one.dtype);
    std::vector<float> y(x.rbegin(), x.rend()), expected(x.size()), actual(x.size());
    one.function.reference({x.data(), y.data(), expected.data(), x.size()}, constants);
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      one.function.vector({x.data(), y.data(), actual.data(), x.size()}, constants);
      hwy::SetSupportedTargetsForTest(0);
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(actual[i]),
                  std::bit_cast<std::uint32_t>(expected[i]))
            << one.name << " of " << x[i] << ", " << y[i] << " as " << dtype_name(one.dtype)
            << " on " << hwy::TargetName(target);
      }
    }
  }
}

// y + y * (1 - x * y) where that is no further from the reciprocal than y.
TEST(SpecialFunctions, ACorrectionTakesTheNearerReciprocal) {
  std::mt19937 random(13);
  std::vector<float> x(20000), before(x.size()), after(x.size());
  for (float& each : x) {
    each = std::ldexp(std::uniform_real_distribution<float>(0.5, 1)(random),
                      static_cast<int>(random() % 20) - 10);
    if (random() % 2 == 0) each = -each;
  }
  const auto distance_of = [](float value, float y) { return 1 - value * y; };
  for (const int steps : {0, 1, 2, 3}) {
    reciprocal().reference({x.data(), nullptr, before.data(), x.size()}, {.steps = steps});
    reciprocal().reference({x.data(), nullptr, after.data(), x.size()},
                           {.steps = steps, .corrections = 1});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float distance = distance_of(x[i], before[i]);
      const float next = before[i] + before[i] * distance;
      const bool nearer = std::abs(distance_of(x[i], next)) <= std::abs(distance);
      ASSERT_EQ(after[i], nearer ? next : before[i]) << x[i] << ", " << steps << " steps";
    }
  }
}

TEST(SpecialFunctions, WriteAsManyResultsAsTheyAreAskedForAlsoInPlace) {
  constexpr float kOther = 12345;
  for (const Named& one : all_functions()) {
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<float> x(64, kOther), y(64, 2), expected(64, kOther);
      for (std::size_t i = 0; i < count; ++i) x[i] = 0.25F * static_cast<float>(i % 4);
      const Constants constants{.first = 1, .second = 1};
      one.function.reference({x.data(), y.data(), expected.data(), count}, constants);
      one.function.vector({x.data(), y.data(), x.data(), count}, constants);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(x[i]), std::bit_cast<std::uint32_t>(expected[i]))
            << one.name << ' ' << count;
    }
  }
}

// Distance to the exact value: in units in the last place, or absolute. The figures are those of
// the chip. [observed]
struct Distance {
  const char* name;
  Function function;
  double low, high;
  double (*exact)(double);
  double ulp, absolute = 0;
};
const Distance kDistances[] = {
    {"exp", exp(Dtype::kFp32), -80, 85, std::exp, 67},
    {"expm1", expm1(Dtype::kFp32), 0.01, 20, std::expm1, 20, 1.8e-7},
    {"log", log(Dtype::kFp32), 1e-5, 1e5, std::log, 2, 1.2e-7},
    {"sin", sin(Dtype::kFp32), -7, 7, std::sin, 2, 7.3e-7},
    {"cos", cos(Dtype::kFp32), -7, 7, std::cos, 2, 5.1e-7},
    {"tan", tan(), -1.5, 1.5, std::tan, 22, 5.5e-7},
    {"cot", cot(), 0.1, 1.5, [](double x) { return 1 / std::tan(x); }, 22, 8.1e-7},
    {"arcsin", arcsin(), -1, 1, std::asin, 2, 3.5e-4},
    {"arccos", arccos(), -1, 1, std::acos, 2, 3.5e-4},
    {"sinh", sinh(), -10, 10, std::sinh, 19, 3.3e-7},
    {"cosh", cosh(), -10, 10, std::cosh, 19},
    {"tanh", tanh(), -8, 8, std::tanh, 2, 6.2e-7},
    {"arcsinh", arcsinh(), 0, 100, std::asinh, 13, 2e-7},
    {"arccosh", arccosh(), 1.01, 100, std::acosh, 4},
    {"arctanh", arctanh(), -0.9, 0.9, std::atanh, 3, 2.4e-7},
    {"log1p", log1p(), -0.9, 100, std::log1p, 2, 1.5e-7},
    {"sigmoid", sigmoid(), -20, 20, [](double x) { return 1 / (1 + std::exp(-x)); }, 21},
    {"erf", erf(), -4, 4, std::erf, 2, 6.4e-7},
    {"erfc", erfc(), -4, 4, std::erfc, 2, 6.4e-7},
    {"rsqrt", rsqrt(), 1e-3, 1e3, [](double x) { return 1 / std::sqrt(x); }, 3},
    {"sqrt", sqrt(), 1e-3, 1e3, std::sqrt, 3},
    {"reciprocal", reciprocal(), 1e-3, 1e3, [](double x) { return 1 / x; }, 5},
};

TEST(SpecialFunctions, TakeRowsWithGapsAndLeaveWhatLiesBetween) {
  constexpr std::size_t kRows = 3, kCount = 21, kNext = 25;
  constexpr float kOther = 12345;
  const Constants constants{.first = 1, .second = 1};
  for (const Named& one : all_functions()) {
    std::vector<float> x(kRows * kNext), y(kCount), expected(kRows * kNext, kOther);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.25F * static_cast<float>(i % 9);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 0.5F + static_cast<float>(i % 3);
    std::vector<float> reference = expected, actual = expected;
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::size_t row = r * kNext;
      one.function.vector({x.data() + row, y.data(), &expected[row], kCount}, constants);
    }
    const Arrays rows{x.data(), y.data(), nullptr, kCount, kRows, kNext, 0, kNext};
    for (auto [compute, results] :
         {std::pair(one.function.vector, &actual), std::pair(one.function.reference, &reference)}) {
      Arrays arrays = rows;
      arrays.result = results->data();
      compute(arrays, constants);
      for (std::size_t i = 0; i < results->size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint32_t>((*results)[i]),
                  std::bit_cast<std::uint32_t>(expected[i]))
            << one.name << ' ' << i;
    }
  }
}

TEST(SpecialFunctions, AreAsNearToTheExactValueAsTheChips) {
  for (const Distance& one : kDistances) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(static_cast<float>(one.low),
                                                  static_cast<float>(one.high));
    double worst = 0, at = 0;  // in parts of what is allowed
    for (int k = 0; k < 5000; ++k) {
      const float x = uniform(random);
      float result = 0;
      one.function.vector({&x, nullptr, &result, 1}, {});
      const double exact = one.exact(double{x});
      const double unit = std::ldexp(1, std::ilogb(exact) - 23);
      const double part = std::abs(double{result} - exact) / std::max(one.ulp * unit, one.absolute);
      if (part > worst) at = double{x};
      worst = std::max(worst, part);
    }
    EXPECT_LE(worst, 1) << one.name << '(' << at << ')';
    EXPECT_GE(worst, 0.2) << one.name << ": the distance allowed is too large";
  }
}

// The chip's series of angles has more terms than are computed here.
template <class Format>
void expect_all_terms_that_show() {
  using A = ScalarArithmetic<Format>;
  using namespace HWY_NAMESPACE;  // NOLINT(google-build-using-namespace): the formulas
  const Environment<Format> environment;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float x = A::read(format_to_float(bits, Format::kFormat));
    const float f = turns<A>(x), square = A::mul(f, f);
    const float sin = A::mul(polynomial<A>(square, kSineSeries<Format>), f);
    const float cos = polynomial<A>(square, kCosineSeries<Format>);
    const auto same = [](float a, float b) {
      return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
             (std::isnan(a) && std::isnan(b));
    };
    ASSERT_TRUE(same(sine<A>(x), sin)) << x;
    ASSERT_TRUE(same(cosine<A>(x), cos)) << x;
  }
}
TEST(SpecialFunctions, TermsOfAnglesThatAreLeftOutShowInNoResultOf16Bits) {
  expect_all_terms_that_show<Fp16>();
  expect_all_terms_that_show<Bf16>();
}

TEST(SpecialFunctions, AtTheEndsOfTheirOperands) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto of = [](const Function& function, float x, float y = 0) {
    float result = 0;
    function.vector({&x, &y, &result, 1}, {});
    return result;
  };
  EXPECT_EQ(of(exp(Dtype::kFp32), 0x1p23F), 0x1p127F);  // the power of two stays at its largest
  EXPECT_EQ(of(exp(Dtype::kFp32), -kInf), 0);
  EXPECT_EQ(of(log(Dtype::kFp32), 0), -kInf);
  EXPECT_FLOAT_EQ(of(log(Dtype::kFp32), -5), -126 * std::numbers::ln2_v<float>);
  EXPECT_EQ(of(log(Dtype::kFp16), 65504), -kInf);
  EXPECT_EQ(of(rsqrt(), -1), 0);
  EXPECT_EQ(of(reciprocal(), 0), kInf);
  EXPECT_EQ(of(reciprocal(), -0.0F), -kInf);
  EXPECT_EQ(of(div(), 6, 3), 6 * of(reciprocal(), 3));
  EXPECT_EQ(of(pow(), 2, 3), of(exp(Dtype::kFp32), 3 * of(log(Dtype::kFp32), 2)));
  EXPECT_EQ(of(erf(), 0), 0);
  EXPECT_TRUE(std::isnan(of(tan(), kInf)));
  // Where chips look at operands first.
  constexpr RootRule kChecked = RootRule::kChecked;
  EXPECT_EQ(of(rsqrt(Dtype::kFp32, kChecked), -0.0F), -kInf);
  EXPECT_TRUE(std::isnan(of(rsqrt(Dtype::kFp32, kChecked), -1)));
  EXPECT_EQ(of(reciprocal(Dtype::kFp32, kChecked), kInf), 0);
  EXPECT_EQ(of(sqrt(Dtype::kFp32, kChecked), 0), 0);
  EXPECT_EQ(of(div(Dtype::kFp32, kChecked), 1e-40F, 0), kInf);
  EXPECT_EQ(of(exp(Dtype::kFp32, Dialect::kTables), 1e30F), std::exp(88.0F));
  EXPECT_EQ(of(log(Dtype::kFp32, Dialect::kTables), -5), kInf);
}

}  // namespace
}  // namespace tensorlane::special
