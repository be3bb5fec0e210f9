// SIMD rows of the hot fp32 functions, for `simd_rows` of compute/rows/elementwise.h.
//
// Same formulas and same bits as the scalar ones in the ops list, NaN and denormals included. A row
// function takes its sources in the order of the names here; a source of step 0 is a constant.
#ifndef TENSORLANE_COMPUTE_ROWS_SIMD_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_SIMD_ROWS_H_

#include "tensorlane/compute/rows/elementwise.h"

// name, what it computes from its sources
#define TL_FP32_SIMD_ROWS(X)                              \
  X(add)                /* a + b */                       \
  X(sub)                /* a - b */                       \
  X(sub_from)           /* b - a */                       \
  X(mul)                /* a * b */                       \
  X(negate)             /* 0 - a */                       \
  X(difference)         /* a > b ? a - b : b - a */       \
  X(squared_sum)        /* (a + b) ^ 2 */                 \
  X(squared_difference) /* (a - b) ^ 2 */                 \
  X(prelu)              /* a, s: a > 0 ? a : s * a */     \
  X(sign)               /* 1, 0 or -1 */                  \
  X(half_to_even)       /* to whole numbers, by mode */   \
  X(half_away_from_zero)                                  \
  X(towards_zero)                                         \
  X(down)                                                 \
  X(up)                                                   \
  X(mac)                 /* d, a, b: a * b + d */         \
  X(scale)               /* 0 + a * s */                  \
  X(scale_bias)          /* a, s, b: a * s + b */         \
  X(maximum)             /* a > b ? a : b, flushed */     \
  X(minimum)             /* a <= b ? a : b */             \
  X(lesser)              /* a >= b ? b : a, flushed */    \
  X(relu)                /* a > 0 ? a : 0 */              \
  X(div)                 /* a / b by Newton steps */      \
  X(reciprocal)          /* 1 / a */                      \
  X(rsqrt)               /* 1 / sqrt(a) */                \
  X(sqrt)                /* reciprocal of rsqrt */        \
  X(greater_value)       /* a, b, s: a > b ? s : 0 */     \
  X(equal_value)         /* a, b, s: same bits ? s : 0 */ \
  X(greater_select)      /* a, b, s, t: a > b ? s : t */  \
  X(equal_select)        /* neither is greater ? s : t */ \
  X(to_int32)            /* cut toward zero, saturated */ \
  X(lookup_float)        /* of the low byte, signed */    \
  X(taylor)              /* x, series */                  \
  X(exp_tail)            /* x, series */                  \
  X(exp_from_tail)       /* x, tail */                    \
  X(sigmoid_denominator) /* x, series: 1 + exp(-x) */     \
  X(tanh_ratio)          /* x, series: R / (E + R) */     \
  X(tanh_from_ratio)     /* w: 1 - 2 * w */

namespace tensorlane::simd {

#define TL_DECLARE_ROW(name) void name(const Row& row);
TL_FP32_SIMD_ROWS(TL_DECLARE_ROW)
#undef TL_DECLARE_ROW

}  // namespace tensorlane::simd

#endif  // TENSORLANE_COMPUTE_ROWS_SIMD_ROWS_H_
