// SPDX-License-Identifier: Apache-2.0
//
// tiu:: comparisons, and selections by them.

#ifndef TENSORLANE_PPL_TIU_COMPARE_H_
#define TENSORLANE_PPL_TIU_COMPARE_H_

#include "ppl/tiu_arithmetic.h"

namespace ppl {
namespace detail {

using Compares = void (*)(local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*,
                          const dim4*, const dim4*, const dim4*, data_type_t, data_type_t);
using ComparesWithConstant = void (*)(local_addr_t, local_addr_t, scalar_t, scalar_t, const dim4*,
                                      const dim4*, const dim4*, data_type_t, data_type_t);

// The chip's result has at most as many bits as what is compared; a wider one is converted.
inline View compared_at(const View& to, data_type_t type) {
  if (bits_of(to.type) <= bits_of(type)) return to;
  return temporary(to.shape, bits_of(type) == 8 ? DT_UINT8 : DT_UINT16, to.lane);
}

inline void compare(Compares function, const operand& dst, const operand& a, const operand& b,
                    scalar value) {
  dst.settle(joint(a.shape(), b.shape()));
  const View to = dst.seen();
  View left = a.seen(), right = b.seen();
  if (left.type != right.type) {
    left = converted(left, DT_FP32);
    right = converted(right, DT_FP32);
  }
  left = spread(left, to.shape, to.lane);
  right = spread(right, to.shape, to.lane);
  const View result = compared_at(to, left.type);
  const scalar_t constant = value.as(result.type);
  recorder().record(Engine::kTiu, {writes(result), reads(left), reads(right)}, [=] {
    function(at(result), at(left), at(right), constant, &result.shape, &result.stride, &left.stride,
             &right.stride, result.type, left.type);
  });
  bring(to, result);
}
inline void compare(ComparesWithConstant function, const operand& dst, const operand& a, scalar c,
                    scalar value) {
  dst.settle(a.shape());
  const View to = dst.seen(), source = spread(a.seen(), to.shape, to.lane);
  const View result = compared_at(to, source.type);
  const scalar_t with = c.as(source.type), constant = value.as(result.type);
  recorder().record(Engine::kTiu, {writes(result), reads(source)}, [=] {
    function(at(result), at(source), with, constant, &result.shape, &result.stride, &source.stride,
             result.type, source.type);
  });
  bring(to, result);
}

using Selects = void (*)(local_addr_t, const variable_t*, const variable_t*, const variable_t*,
                         const variable_t*, const dim4*, data_type_t, data_type_t);

// An operand of a selection: a tensor in the aligned layout, or a constant.
struct Choice {
  bool is_tensor = false;
  View view;
  scalar value = 0;

  Choice(const operand& tensor)  // NOLINT(google-explicit-constructor): either is one
      : is_tensor(true), view(tensor.seen()) {}
  template <class N, class = std::enable_if_t<std::is_convertible_v<N, double>>>
  Choice(N number) : value(number) {}  // NOLINT(google-explicit-constructor)

  void prepare(const dim4& shape, data_type_t type, int lane) {
    if (!is_tensor) return;
    view = spread(converted(view, type), shape, lane);
    view = aligned(view, lane);
  }
  Access access(const View& dst) const { return is_tensor ? reads(view) : writes(dst); }
  variable_t variable(data_type_t type) const {
    variable_t result;
    result.type = is_tensor ? TENSOR : SCALAR;
    if (is_tensor) {
      result.context.addr = at(view);
    } else {
      result.context.scalar = value.as(type);
    }
    return result;
  }
};

inline void select(Selects function, const operand& dst, Choice a, Choice b, Choice yes,
                   Choice no) {
  dim4 shape = {1, 1, 1, 1};
  for (const Choice* each : {&a, &b, &yes, &no}) {
    if (each->is_tensor) shape = joint(shape, each->view.shape);
  }
  dst.settle(shape);
  const View to = dst.seen();
  const Result result(to);
  const data_type_t type = a.is_tensor ? a.view.type : b.is_tensor ? b.view.type : DT_FP32;
  a.prepare(to.shape, type, to.lane);
  b.prepare(to.shape, type, to.lane);
  yes.prepare(to.shape, to.type, to.lane);
  no.prepare(to.shape, to.type, to.lane);
  const View out = result.view();
  recorder().record(Engine::kTiu,
                    {writes(out), a.access(out), b.access(out), yes.access(out), no.access(out)},
                    [=] {
                      const variable_t left = a.variable(type), right = b.variable(type),
                                       one = yes.variable(out.type), other = no.variable(out.type);
                      function(at(out), &left, &right, &one, &other, &out.shape, type, out.type);
                    });
  result.finish();
}

}  // namespace detail

namespace tiu {

// `value` where the comparison holds, 0 elsewhere.
PPL_CALL void eq(const operand& dst, const operand& a, const operand& b, scalar value) {
  PPL_HERE;
  detail::compare(tpu_bdc_equal, dst, a, b, value);
}
PPL_CALL void eq(const operand& dst, const operand& a, scalar c, scalar value) {
  PPL_HERE;
  detail::compare(tpu_bdc_equal_C, dst, a, c, value);
}
PPL_CALL void gt(const operand& dst, const operand& a, const operand& b, scalar value) {
  PPL_HERE;
  detail::compare(tpu_bdc_greater, dst, a, b, value);
}
PPL_CALL void gt(const operand& dst, const operand& a, scalar c, scalar value) {
  PPL_HERE;
  detail::compare(tpu_bdc_greater_C, dst, a, c, value);
}
PPL_CALL void lt(const operand& dst, const operand& a, const operand& b, scalar value) {
  PPL_HERE;
  detail::compare(tpu_bdc_less, dst, a, b, value);
}
PPL_CALL void lt(const operand& dst, const operand& a, scalar c, scalar value) {
  PPL_HERE;
  detail::compare(tpu_bdc_less_C, dst, a, c, value);
}

// `yes` where a > b (a == b, a < b), `no` elsewhere; each a tensor or a number.
PPL_CALL void gt_select(const operand& dst, detail::Choice a, detail::Choice b, detail::Choice yes,
                        detail::Choice no) {
  PPL_HERE;
  detail::select(tpu_bdc_greater_select, dst, a, b, yes, no);
}
PPL_CALL void eq_select(const operand& dst, detail::Choice a, detail::Choice b, detail::Choice yes,
                        detail::Choice no) {
  PPL_HERE;
  detail::select(tpu_bdc_equal_select, dst, a, b, yes, no);
}
PPL_CALL void lt_select(const operand& dst, detail::Choice a, detail::Choice b, detail::Choice yes,
                        detail::Choice no) {
  PPL_HERE;
  detail::select(tpu_bdc_less_select, dst, a, b, yes, no);
}

}  // namespace tiu
}  // namespace ppl

#endif  // TENSORLANE_PPL_TIU_COMPARE_H_
