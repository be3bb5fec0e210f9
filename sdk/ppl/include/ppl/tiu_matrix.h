// SPDX-License-Identifier: Apache-2.0
//
// tiu:: products of matrices whose rows lie in channels: [1, rows, 1, columns].

#ifndef TENSORLANE_PPL_TIU_MATRIX_H_
#define TENSORLANE_PPL_TIU_MATRIX_H_

#include "ppl/tiu_arithmetic.h"

namespace ppl {
namespace detail {

struct Product {
  bool left_transposed = false, right_transposed = false, result_transposed = false;
  bool relu = false, add = false;
  data_type_t type = DT_NONE;  // of the result; DT_NONE: the tensor's
};

// The chip multiplies fp16 and bf16. fp32 operands are multiplied where the chip can; where it
// cannot add to what is there, the product is added in a command of its own.
inline void multiply(const operand& dst, const operand& left, const operand& right,
                     const operand* bias, const Product& how) {
  Recorder& all = recorder();
  if (!how.left_transposed) {
    dst.settle({1, left.shape().c, 1, how.right_transposed ? right.shape().c : right.shape().w});
  }
  View to = dst.seen();
  if (how.type != DT_NONE && how.type != to.type) {  // the bytes of `dst` hold another type
    to.type = how.type;
    to.stride = local_stride(to.shape, to.type, to.mode, to.lane);
  }
  View a = left.seen(), b = right.seen();
  const bool all_transposed = how.left_transposed && how.right_transposed && how.result_transposed;
  if (how.left_transposed != all_transposed || how.result_transposed != all_transposed)
    all.refuse(PplTensorConvErr, msg("products transpose the right operand, all or none"));
  const int rows = all_transposed ? a.shape.w : a.shape.c;
  const int inner = all_transposed ? a.shape.c : a.shape.w;
  const int right_inner = how.right_transposed ? b.shape.w : b.shape.c;
  const int columns = how.right_transposed ? b.shape.c : b.shape.w;
  if (inner != right_inner) {
    all.refuse(PplShapeInferErr, msg("a product of {} x {} by {} x {}"), rows, inner, right_inner,
               columns);
  }
  if (a.type != b.type) b = converted(b, a.type);
  const bool apart = how.add && (how.right_transposed || to.type != DT_FP32);
  const Result result(to, to.type, 0);
  View out = result.view();
  const View sum = out;
  if (apart) out = temporary(out.shape, to.type == DT_FP32 ? DT_FP32 : to.type);
  a = aligned(a, 0);
  b = aligned(b, 0);
  const bool add = how.add && !apart;
  if (add) result.fetch();
  const data_type_t type = a.type;
  if (all_transposed) {
    all.record(Engine::kTiu, {writes(out), reads(a), reads(b)}, [=] {
      tpu_bdc_fp_mm_all_trans(at(out), at(a), at(b), inner, rows, columns, out.type, type, add);
    });
  } else if (how.right_transposed) {
    all.record(Engine::kTiu, {writes(out), reads(a), reads(b)}, [=] {
      tpu_bdc_fp_mm_R_trans(at(out), at(a), at(b), rows, inner, columns, out.type, type);
    });
  } else {
    all.record(Engine::kTiu, {writes(out), reads(a), reads(b)}, [=] {
      tpu_bdc_fp_mm(at(out), at(a), at(b), rows, inner, columns, out.type, type, add);
    });
  }
  if (apart) {
    result.fetch();
    all.record(Engine::kTiu, {writes(sum), reads(sum), reads(out)}, [=] {
      tpu_bdc_fp_add(at(sum), at(sum), at(out), &sum.shape, &sum.stride, &sum.stride, &out.stride,
                     sum.type);
    });
  }
  if (bias != nullptr) {
    const View row = spread(converted(bias->seen(), sum.type), sum.shape, sum.lane);
    all.record(Engine::kTiu, {writes(sum), reads(sum), reads(row)}, [=] {
      tpu_bdc_fp_add(at(sum), at(sum), at(row), &sum.shape, &sum.stride, &sum.stride, &row.stride,
                     sum.type);
    });
  }
  if (how.relu) {
    all.record(Engine::kTiu, {writes(sum), reads(sum)}, [=] {
      tpu_bdc_relu(at(sum), at(sum), &sum.shape, &sum.stride, &sum.stride, sum.type);
    });
  }
  result.finish();
}

}  // namespace detail

namespace tiu {

// left x right; `add`: to what dst holds.
PPL_CALL void fmm2(const operand& dst, const operand& left, const operand& right,
                   bool left_transposed = false, bool right_transposed = false,
                   bool result_transposed = false, bool relu = false, bool add = false,
                   data_type_t type = DT_NONE) {
  PPL_HERE;
  detail::multiply(dst, left, right, nullptr,
                   {left_transposed, right_transposed, result_transposed, relu, add, type});
}
PPL_CALL void fmm2(const operand& dst, const operand& left, const operand& right, bool add,
                   data_type_t type) {
  PPL_HERE;
  detail::multiply(dst, left, right, nullptr, {false, false, false, false, add, type});
}
// The same and a row of bias on every row.
PPL_CALL void fmm2(const operand& dst, const operand& left, const operand& right,
                   const operand& bias, bool left_transposed, bool right_transposed,
                   bool result_transposed, bool relu, bool add, data_type_t type, bool has_bias) {
  PPL_HERE;
  detail::multiply(dst, left, right, has_bias ? &bias : nullptr,
                   {left_transposed, right_transposed, result_transposed, relu, add, type});
}
PPL_CALL void fmm2_nn(const operand& dst, const operand& left, const operand& right,
                      bool add = false, data_type_t type = DT_NONE) {
  PPL_HERE;
  detail::multiply(dst, left, right, nullptr, {false, false, false, false, add, type});
}
PPL_CALL void fmm2_nt(const operand& dst, const operand& left, const operand& right,
                      bool add = false, data_type_t type = DT_NONE) {
  PPL_HERE;
  detail::multiply(dst, left, right, nullptr, {false, true, false, false, add, type});
}

}  // namespace tiu
}  // namespace ppl

#endif  // TENSORLANE_PPL_TIU_MATRIX_H_
