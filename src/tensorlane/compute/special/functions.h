// The special functions of the BM1684X, bit for bit: exp, log, angles, roots, division and the
// activations that the chip composes of them.
//
// Every function has two implementations over arrays of widened values: `reference`, value by
// value, and `vector`, which gives the same bits. Sources and results hold values of the type of
// the call in fp32; the functions of the first list compute in that type, those of the second in
// fp32 whatever it is, roots by their rule.
//
//   special::exp(Dtype::kBf16).vector({x, nullptr, result, count}, {});
//
// Where a result is a NaN, it is the one NaN 0xffc00000. NAME_in_place: what the chip computes
// where the result overwrites the source, which it reads again after it has begun to write.
#ifndef TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_H_
#define TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>

#include "tensorlane/tensor/dtype.h"

// name, what it computes of its sources x and y and of the constants of the call
#define TL_SPECIAL_TYPED(X)                                \
  X(exp)   /* e^x */                                       \
  X(expm1) /* e^x - 1 */                                   \
  X(log)   /* ln x */                                      \
  X(sin)                                                   \
  X(cos)                                                   \
  X(elu)         /* x > 0 ? x : first * (e^x - 1) */       \
  X(log_sigmoid) /* x - ln(1 + e^x) */                     \
  X(hsigmoid)    /* first * x + second, limited to 0..1 */ \
  X(hswish)      /* x * (x + 3 limited to 0..6) / 6 */     \
  X(hswish_in_place)

#define TL_SPECIAL_FP32(X)                                            \
  X(tan)                                                              \
  X(cot)                                                              \
  X(arcsin)                                                           \
  X(arccos)                                                           \
  X(sinh)                                                             \
  X(cosh)                                                             \
  X(tanh)                                                             \
  X(arcsinh)                                                          \
  X(arccosh)                                                          \
  X(arctanh)                                                          \
  X(log1p)      /* ln(1 + x) */                                       \
  X(pow)        /* x^y */                                             \
  X(scaled_exp) /* e^(first * x) */                                   \
  X(scaled_log) /* first * ln x */                                    \
  X(sigmoid)                                                          \
  X(silu)  /* x * sigmoid(x) */                                       \
  X(swish) /* x * sigmoid(first * x) */                               \
  X(selu)                                                             \
  X(erf)                                                              \
  X(erfc)                                                             \
  X(gelu)                                                             \
  X(gelu_fast) /* gelu by tanh */                                     \
  X(mish)                                                             \
  X(softplus) /* x > 20 ? x : ln(1 + e^(first * x)) * (1 / second) */ \
  X(softsign)                                                         \
  X(softsign_in_place)                                                \
  X(arcsin_in_place)

#define TL_SPECIAL_ROOTS(X)                                       \
  X(rsqrt) /* 1 / sqrt(x) in `steps` Newton steps; so the rest */ \
  X(sqrt)                                                         \
  X(reciprocal)                                                   \
  X(div) /* x * (1 / y) */

namespace tensorlane::special {

inline constexpr int kNewtonSteps = 3;  // of the functions that do not take a number

struct Constants {
  float first = 0;
  float second = 0;
  int steps = kNewtonSteps;
  int corrections = 0;  // of a reciprocal: y + y * (1 - x * y), where that is no worse
};

// Rows of `count` values, and the values from the begin of each to that of the next. y is null
// where a function has one source; the result may be a source.
struct Arrays {
  const float* x;
  const float* y;
  float* result;
  std::size_t count;
  std::size_t rows = 1;
  std::ptrdiff_t x_next = 0, y_next = 0, result_next = 0;
};
using Compute = void (*)(const Arrays& arrays, const Constants& constants);

struct Function {
  Compute vector, reference;
};

// Chips compute them in two ways: those that kept the series of the BM1684X's model of 2024, and
// those with tables, as the BM1688's model has them in fp32.
enum class Dialect : std::uint8_t { kSeries, kTables };
// Whether roots look at operands that no steps are for, and whether those of fp16 take their steps
// in fp16.
enum class RootRule : std::uint8_t { kBare, kChecked, kCheckedTyped };

// Internal error for a type other than fp32, fp16 and bf16.
#define TL_SPECIAL_DECLARE_TYPED(name) \
  Function name(Dtype dtype, Dialect dialect = Dialect::kSeries);
TL_SPECIAL_TYPED(TL_SPECIAL_DECLARE_TYPED)
#undef TL_SPECIAL_DECLARE_TYPED

#define TL_SPECIAL_DECLARE_FP32(name) Function name(Dialect dialect = Dialect::kSeries);
TL_SPECIAL_FP32(TL_SPECIAL_DECLARE_FP32)
#undef TL_SPECIAL_DECLARE_FP32

#define TL_SPECIAL_DECLARE_ROOT(name) \
  Function name(Dtype dtype = Dtype::kFp32, RootRule rule = RootRule::kBare);
TL_SPECIAL_ROOTS(TL_SPECIAL_DECLARE_ROOT)
#undef TL_SPECIAL_DECLARE_ROOT

}  // namespace tensorlane::special

#endif  // TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_H_
