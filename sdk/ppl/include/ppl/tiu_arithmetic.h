// SPDX-License-Identifier: Apache-2.0
//
// tiu:: element by element: floating point arithmetic, minimum and maximum.
//
// An operand with one element along an axis counts for all. Types: where operands differ, they are
// converted to fp32, and a result of another type than its operands is computed in theirs and
// converted.

#ifndef TENSORLANE_PPL_TIU_ARITHMETIC_H_
#define TENSORLANE_PPL_TIU_ARITHMETIC_H_

#include "ppl/shapes.h"

namespace ppl {
namespace detail {

using OfTwo = void (*)(local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*,
                       const dim4*, const dim4*, data_type_t);
using WithConstant = void (*)(local_addr_t, local_addr_t, scalar_t, const dim4*, const dim4*,
                              const dim4*, data_type_t);

// The result where it is computed: in `dst`, or in the type of the operands beside it.
inline View computed_at(const View& dst, data_type_t type) {
  return dst.type == type ? dst : temporary(dst.shape, type, dst.lane);
}
inline void bring(const View& dst, const View& computed) {
  if (dst.type != computed.type) record_cast(dst, computed, RM_HALF_TO_EVEN);
}

inline void of_two(OfTwo function, const operand& dst, const operand& a, const operand& b) {
  dst.settle(joint(a.shape(), b.shape()));
  const View& to = dst.seen();
  View left = a.seen(), right = b.seen();
  if (left.type != right.type) {
    left = converted(left, DT_FP32);
    right = converted(right, DT_FP32);
  }
  left = spread(left, to.shape, to.lane);
  right = spread(right, to.shape, to.lane);
  const View result = computed_at(to, left.type);
  recorder().record(Engine::kTiu, {writes(result), reads(left), reads(right)}, [=] {
    function(at(result), at(left), at(right), &result.shape, &result.stride, &left.stride,
             &right.stride, result.type);
  });
  bring(to, result);
}

inline void with_constant(WithConstant function, const operand& dst, const operand& a, scalar c) {
  dst.settle(a.shape());
  const View& to = dst.seen();
  const View source = spread(a.seen(), to.shape, to.lane);
  const View result = computed_at(to, source.type);
  const scalar_t constant = c.as(source.type);
  recorder().record(Engine::kTiu, {writes(result), reads(source)}, [=] {
    function(at(result), at(source), constant, &result.shape, &result.stride, &source.stride,
             result.type);
  });
  bring(to, result);
}

// Division is the chip's in fp32, by Newton steps.
constexpr int kDivisionSteps = 3;

inline View in_fp32(const operand& source, const View& to) {
  return spread(converted(source.seen(), DT_FP32), to.shape, to.lane);
}

}  // namespace detail

namespace tiu {

PPL_CALL void fadd(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  detail::of_two(tpu_bdc_fp_add, dst, a, b);
}
PPL_CALL void fadd(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_fp_add_C, dst, a, c);
}
PPL_CALL void fadd(const operand& dst, scalar c, const operand& a) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_fp_add_C, dst, a, c);
}
PPL_CALL void fsub(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  detail::of_two(tpu_bdc_fp_sub, dst, a, b);
}
PPL_CALL void fsub(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_fp_sub_C, dst, a, c);
}
PPL_CALL void fsub(const operand& dst, scalar c, const operand& a) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_fp_C_sub, dst, a, c);
}
PPL_CALL void fmul(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  detail::of_two(tpu_bdc_fp_mul, dst, a, b);
}
PPL_CALL void fmul(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_fp_mul_C, dst, a, c);
}
PPL_CALL void fmul(const operand& dst, scalar c, const operand& a) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_fp_mul_C, dst, a, c);
}

// Minimum and maximum, of floats and integers alike.
PPL_CALL void max(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  detail::of_two(tpu_bdc_max, dst, a, b);
}
PPL_CALL void max(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_max_C, dst, a, c);
}
PPL_CALL void min(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  detail::of_two(tpu_bdc_min, dst, a, b);
}
PPL_CALL void min(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_min_C, dst, a, c);
}
PPL_CALL void fmax(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  max(dst, a, b);
}
PPL_CALL void fmax(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  max(dst, a, c);
}
PPL_CALL void fmin(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  min(dst, a, b);
}
PPL_CALL void fmin(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  min(dst, a, c);
}

// `steps` Newton steps, 1 to 4.
PPL_CALL void fdiv(const operand& dst, const operand& a, const operand& b,
                   int steps = detail::kDivisionSteps) {
  PPL_HERE;
  using namespace detail;
  dst.settle(joint(a.shape(), b.shape()));
  const View& to = dst.seen();
  const View left = in_fp32(a, to), right = in_fp32(b, to), result = computed_at(to, DT_FP32);
  recorder().record(Engine::kTiu, {writes(result), reads(left), reads(right)}, [=] {
    tpu_bdc_fp32_tunable_div(at(result), at(left), at(right), &result.shape, &result.stride,
                             &left.stride, &right.stride, steps);
  });
  detail::bring(to, result);
}
PPL_CALL void fdiv(const operand& dst, scalar c, const operand& b,
                   int steps = detail::kDivisionSteps) {
  PPL_HERE;
  using namespace detail;
  dst.settle(b.shape());
  const View& to = dst.seen();
  const View source = in_fp32(b, to), result = computed_at(to, DT_FP32);
  const auto constant = static_cast<float>(c.real());
  recorder().record(Engine::kTiu, {writes(result), reads(source)}, [=] {
    tpu_bdc_fp32_tunable_C_div(at(result), at(source), constant, &result.shape, &result.stride,
                               &source.stride, steps);
  });
  detail::bring(to, result);
}
PPL_CALL void fdiv(const operand& dst, const operand& a, scalar c,
                   int steps = detail::kDivisionSteps) {
  PPL_HERE;
  using namespace detail;
  dst.settle(a.shape());
  const View& to = dst.seen();
  const View source = in_fp32(a, to), result = computed_at(to, DT_FP32);
  const auto constant = static_cast<float>(c.real());
  recorder().record(Engine::kTiu, {writes(result), reads(source)}, [=] {
    tpu_bdc_fp32_tunable_div_C(at(result), at(source), constant, &result.shape, &result.stride,
                               &source.stride, steps);
  });
  detail::bring(to, result);
}

}  // namespace tiu
}  // namespace ppl

#endif  // TENSORLANE_PPL_TIU_ARITHMETIC_H_
