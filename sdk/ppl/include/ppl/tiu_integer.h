// SPDX-License-Identifier: Apache-2.0
//
// tiu:: on integers: sums and products with a shift, shifts, bits.

#ifndef TENSORLANE_PPL_TIU_INTEGER_H_
#define TENSORLANE_PPL_TIU_INTEGER_H_

#include "ppl/tiu_arithmetic.h"

namespace ppl {
namespace detail {

using IntegersOfTwo = void (*)(local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*,
                               const dim4*, const dim4*, data_type_t, data_type_t, data_type_t,
                               char, rounding_mode_t, bool);
using IntegersWithConstant = void (*)(local_addr_t, local_addr_t, scalar_t, const dim4*,
                                      const dim4*, const dim4*, data_type_t, data_type_t,
                                      data_type_t, char, rounding_mode_t, bool);

// Differences are signed numbers to the chip; without saturation their bits are those of unsigned
// ones.
inline data_type_t without_sign_rule(data_type_t type, bool saturate) {
  if (saturate || tpu_is_data_type_signed(type)) return type;
  return static_cast<data_type_t>(type | 1);
}

inline void integers(IntegersOfTwo function, const operand& dst, const operand& a, const operand& b,
                     int shift, rounding_mode_t mode, bool saturate) {
  dst.settle(joint(a.shape(), b.shape()));
  View to = dst.seen();
  if (function == tpu_bdc_int_sub) to.type = without_sign_rule(to.type, saturate);
  const View left = spread(a.seen(), to.shape, to.lane),
             right = spread(b.seen(), to.shape, to.lane);
  recorder().record(Engine::kTiu, {writes(to), reads(left), reads(right)}, [=] {
    function(at(to), at(left), at(right), &to.shape, &to.stride, &left.stride, &right.stride,
             to.type, left.type, right.type, static_cast<char>(shift), mode, saturate);
  });
}
inline void integers(IntegersWithConstant function, const operand& dst, const operand& a, scalar c,
                     int shift, rounding_mode_t mode, bool saturate) {
  dst.settle(a.shape());
  View to = dst.seen();
  if (function != tpu_bdc_int_add_C && function != tpu_bdc_int_mul_C)
    to.type = without_sign_rule(to.type, saturate);
  const View source = spread(a.seen(), to.shape, to.lane);
  const bool is_signed = tpu_is_data_type_signed_int(source.type) || c.whole() < 0;
  const data_type_t type = is_signed ? DT_INT32 : DT_UINT32;
  const scalar_t constant = c.as(type);
  recorder().record(Engine::kTiu, {writes(to), reads(source)}, [=] {
    function(at(to), at(source), constant, &to.shape, &to.stride, &source.stride, to.type,
             source.type, type, static_cast<char>(shift), mode, saturate);
  });
}

}  // namespace detail

namespace tiu {

// (a + b) << shift, rounded >> -shift where it is negative.
PPL_CALL void add(const operand& dst, const operand& a, const operand& b, int shift = 0,
                  rounding_mode_t mode = RM_HALF_TO_EVEN, bool saturate = false) {
  PPL_HERE;
  detail::integers(tpu_bdc_int_add, dst, a, b, shift, mode, saturate);
}
PPL_CALL void add(const operand& dst, const operand& a, scalar c, int shift = 0,
                  rounding_mode_t mode = RM_HALF_TO_EVEN, bool saturate = false) {
  PPL_HERE;
  detail::integers(tpu_bdc_int_add_C, dst, a, c, shift, mode, saturate);
}
PPL_CALL void sub(const operand& dst, const operand& a, const operand& b, int shift = 0,
                  rounding_mode_t mode = RM_HALF_TO_EVEN, bool saturate = false) {
  PPL_HERE;
  detail::integers(tpu_bdc_int_sub, dst, a, b, shift, mode, saturate);
}
PPL_CALL void sub(const operand& dst, const operand& a, scalar c, int shift = 0,
                  rounding_mode_t mode = RM_HALF_TO_EVEN, bool saturate = false) {
  PPL_HERE;
  detail::integers(tpu_bdc_int_sub_C, dst, a, c, shift, mode, saturate);
}
PPL_CALL void sub(const operand& dst, scalar c, const operand& a, int shift = 0,
                  rounding_mode_t mode = RM_HALF_TO_EVEN, bool saturate = false) {
  PPL_HERE;
  detail::integers(tpu_bdc_int_C_sub, dst, a, c, shift, mode, saturate);
}
PPL_CALL void mul(const operand& dst, const operand& a, const operand& b, int shift = 0,
                  rounding_mode_t mode = RM_HALF_TO_EVEN, bool saturate = false) {
  PPL_HERE;
  detail::integers(tpu_bdc_int_mul, dst, a, b, shift, mode, saturate);
}
PPL_CALL void mul(const operand& dst, const operand& a, scalar c, int shift = 0,
                  rounding_mode_t mode = RM_HALF_TO_EVEN, bool saturate = false) {
  PPL_HERE;
  detail::integers(tpu_bdc_int_mul_C, dst, a, c, shift, mode, saturate);
}

// Left where the shift is positive, right where it is negative: of signed numbers arithmetically.
PPL_CALL void shift(const operand& dst, const operand& a, const operand& by, rounding_mode_t mode) {
  PPL_HERE;
  using namespace detail;
  dst.settle(a.shape());
  const View to = dst.seen(), source = spread(a.seen(), to.shape, to.lane),
             shift = spread(by.seen(), to.shape, to.lane);
  const auto function =
      tpu_is_data_type_signed_int(source.type) ? tpu_bdc_arithmetic_shift : tpu_bdc_logical_shift;
  recorder().record(Engine::kTiu, {writes(to), reads(source), reads(shift)}, [=] {
    function(at(to), at(source), at(shift), &to.shape, &to.stride, &source.stride, &shift.stride,
             to.type, source.type, shift.type, mode);
  });
}
PPL_CALL void shift(const operand& dst, const operand& a, scalar by, rounding_mode_t mode) {
  PPL_HERE;
  using namespace detail;
  dst.settle(a.shape());
  const View to = dst.seen(), source = spread(a.seen(), to.shape, to.lane);
  const auto function = tpu_is_data_type_signed_int(source.type) ? tpu_bdc_arithmetic_shift_C
                                                                 : tpu_bdc_logical_shift_C;
  const auto bits = static_cast<char>(by.whole());
  recorder().record(Engine::kTiu, {writes(to), reads(source)}, [=] {
    function(at(to), at(source), bits, &to.shape, &to.stride, &source.stride, to.type, source.type,
             mode);
  });
}

PPL_CALL void bitwise_and(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  detail::of_two(tpu_bdc_and, dst, a, b);
}
PPL_CALL void bitwise_and(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_and_C, dst, a, c);
}
PPL_CALL void bitwise_or(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  detail::of_two(tpu_bdc_or, dst, a, b);
}
PPL_CALL void bitwise_or(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_or_C, dst, a, c);
}
PPL_CALL void bitwise_xor(const operand& dst, const operand& a, const operand& b) {
  PPL_HERE;
  detail::of_two(tpu_bdc_xor, dst, a, b);
}
PPL_CALL void bitwise_xor(const operand& dst, const operand& a, scalar c) {
  PPL_HERE;
  detail::with_constant(tpu_bdc_xor_C, dst, a, c);
}

}  // namespace tiu
}  // namespace ppl

#endif  // TENSORLANE_PPL_TIU_INTEGER_H_
