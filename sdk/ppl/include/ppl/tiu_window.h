// SPDX-License-Identifier: Apache-2.0
//
// tiu:: pooling and convolution.

#ifndef TENSORLANE_PPL_TIU_WINDOW_H_
#define TENSORLANE_PPL_TIU_WINDOW_H_

#include "ppl/tiu_arithmetic.h"

namespace ppl {
namespace detail {

struct Window {
  dim2 kernel, stride, dilation;
  padding_t padding;

  dim4 output(const dim4& in) const {
    const auto along = [](int size, int before, int after, int kernel, int step, int apart) {
      return (size + before + after - ((kernel - 1) * apart + 1)) / step + 1;
    };
    return {in.n, in.c, along(in.h, padding.top, padding.bottom, kernel.h, stride.h, dilation.h),
            along(in.w, padding.left, padding.right, kernel.w, stride.w, dilation.w)};
  }
};
inline Window window(const dim2* kernel, const padding_t* padding, const dim2* stride,
                     const dim2* dilation) {
  return {*kernel, *stride, dilation == nullptr ? dim2{1, 1} : *dilation,
          padding == nullptr ? padding_t{0, 0, 0, 0} : *padding};
}

template <class Issue>
void pool(const operand& dst, const operand& src, const Window& shape, Issue issue) {
  dst.settle(shape.output(src.shape()));
  const View to = dst.seen();
  const dim4 natural = shape.output(src.shape());
  if (!same_shape(natural, to.shape)) {
    recorder().refuse(
        PplShapeInferErr,
        msg("windows give {} x {} x {} results, the tensor has room for {} x {} x {}"), natural.c,
        natural.h, natural.w, to.shape.c, to.shape.h, to.shape.w);
  }
  const Result result(to, src.seen().type, to.lane);
  const View out = result.view(), in = aligned(src.seen(), to.lane);
  recorder().record(Engine::kTiu, {writes(out), reads(in)}, [=] { issue(out, in, shape); });
  result.finish();
}

inline scalar_t lowest(data_type_t type) {
  scalar_t bits;
  bits.u32 = FP_NEG_MAX(type);
  return bits;
}

}  // namespace detail

namespace tiu {

// Largest, smallest, and `scale` times the sum, of every window.
PPL_CALL void fpool_max(const operand& dst, const operand& src, const dim2* kernel,
                        const padding_t* padding, const dim2* stride, const dim2* dilation) {
  PPL_HERE;
  using namespace detail;
  detail::pool(dst, src, window(kernel, padding, stride, dilation),
               [](const View& out, const View& in, const Window& of) {
                 tpu_bdc_fp_max_pool2d(at(out), at(in), &in.shape, &of.kernel, &of.padding,
                                       &of.stride, &of.dilation, in.type, lowest(in.type));
               });
}
// The chip has no minimum of windows: it is the negative of the maximum of the negatives.
PPL_CALL void fpool_min(const operand& dst, const operand& src, const dim2* kernel,
                        const padding_t* padding, const dim2* stride, const dim2* dilation) {
  PPL_HERE;
  using namespace detail;
  const View from = src.seen(), negative = temporary(from.shape, from.type, from.lane);
  recorder().record(Engine::kTiu, {writes(negative), reads(from)}, [=] {
    tpu_bdc_neg(at(negative), at(from), &from.shape, &negative.stride, &from.stride, from.type);
  });
  const Window of = window(kernel, padding, stride, dilation);
  dst.settle(of.output(src.shape()));
  const View to = dst.seen();
  const View largest = temporary(of.output(from.shape), from.type, from.lane);
  recorder().record(Engine::kTiu, {writes(largest), reads(negative)}, [=] {
    tpu_bdc_fp_max_pool2d(at(largest), at(negative), &negative.shape, &of.kernel, &of.padding,
                          &of.stride, &of.dilation, from.type, lowest(from.type));
  });
  const View result = computed_at(to, from.type);
  recorder().record(Engine::kTiu, {writes(result), reads(largest)}, [=] {
    tpu_bdc_neg(at(result), at(largest), &result.shape, &result.stride, &largest.stride,
                result.type);
  });
  bring(to, result);
}
PPL_CALL void fpool_avg(const operand& dst, const operand& src, const dim2* kernel,
                        const padding_t* padding, const dim2* stride, const dim2* dilation,
                        float scale) {
  PPL_HERE;
  using namespace detail;
  const scalar_t factor = scalar(scale).as(src.seen().type);
  detail::pool(dst, src, window(kernel, padding, stride, dilation),
               [factor](const View& out, const View& in, const Window& of) {
                 tpu_bdc_fp_avg_pool2d(at(out), at(in), &in.shape, &of.kernel, &of.padding,
                                       &of.stride, &of.dilation, in.type, factor);
               });
}
// The same with zeros put between the elements of src.
PPL_CALL void fpool_avg(const operand& dst, const operand& src, const dim2* kernel,
                        const padding_t* padding, const dim2* stride, const dim2* dilation,
                        const dim2* insert, float scale) {
  PPL_HERE;
  if (insert != nullptr && (insert->h != 0 || insert->w != 0)) {
    detail::recorder().refuse(
        PplTensorConvErr, detail::msg("zeros between the elements of a pooled tensor are not made "
                                      "here"));
  }
  fpool_avg(dst, src, kernel, padding, stride, dilation, scale);
}
// Over w: the sum, largest or smallest of every row, of floats. Chips have a command of that name
// that nobody has described; windows as wide as the row do the same.
PPL_CALL void reduce(const operand& dst, const operand& src, int operation) {
  PPL_HERE;
  using namespace detail;
  const dim2 kernel = {1, src.shape().w}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  if (is_float(src.seen().type) && operation == ALL_REDUCE_SUM) {
    fpool_avg(dst, src, &kernel, &none, &one, &one, 1.f);
  } else if (is_float(src.seen().type) && operation == ALL_REDUCE_MAX) {
    fpool_max(dst, src, &kernel, &none, &one, &one);
  } else if (is_float(src.seen().type) && operation == ALL_REDUCE_MIN) {
    fpool_min(dst, src, &kernel, &none, &one, &one);
  } else {
    recorder().refuse(PplTensorConvErr,
                      msg("rows of floats are reduced to their sum, maximum or minimum"));
  }
}
PPL_CALL void pool_max(const operand& dst, const operand& src, const dim2* kernel,
                       const padding_t* padding, const dim2* stride, const dim2* dilation) {
  PPL_HERE;
  using namespace detail;
  const bool is_signed = tpu_is_data_type_signed_int(src.seen().type);
  detail::pool(dst, src, window(kernel, padding, stride, dilation),
               [is_signed](const View& out, const View& in, const Window& of) {
                 tpu_bdc_int8_max_pool2d(at(out), at(in), &in.shape, &of.kernel, &of.padding,
                                         &of.stride, &of.dilation, in.type,
                                         scalar(is_signed ? -128 : 0).as(in.type));
               });
}

// Convolution; weights of 16 bits as [1, output channels, input channels / get_nic * kh * kw,
// get_nic], bias fp32 and compact.
PPL_CALL void fconv(const operand& dst, const operand& src, const operand& weight,
                    const operand& bias, int output_channels, const dim2* kernel,
                    const dim2* stride, const dim2* dilation, const padding_t* padding,
                    const dim2* insert, bool rotate, bool add, data_type_t type, bool has_bias,
                    bool relu, bool saturate) {
  PPL_HERE;
  using namespace detail;
  static_cast<void>(saturate);
  if (rotate || (insert != nullptr && (insert->h != 0 || insert->w != 0))) {
    recorder().refuse(PplTensorConvErr,
                      msg("convolutions with turned kernels or zeros put in are not made here"));
  }
  const Window of = window(kernel, padding, stride, dilation);
  dim4 shape = of.output(src.shape());
  shape.c = output_channels;
  dst.settle(shape);
  View to = dst.seen();
  if (type != DT_NONE && type != to.type) {  // the bytes of `dst` hold another type
    to.type = type;
    to.stride = local_stride(to.shape, to.type, to.mode, to.lane);
  }
  const Result result(to);
  if (add) result.fetch();
  const View out = result.view(), in = src.seen(), weights = weight.seen(), row = bias.seen();
  recorder().record(
      Engine::kTiu,
      {writes(out), reads(in), reads(weights), has_bias ? reads(row) : reads(weights)}, [=] {
        tpu_bdc_fp_conv2d(at(out), at(in), at(weights), has_bias ? at(row) : 0, &in.shape,
                          &in.stride, output_channels, &of.kernel, &of.padding, &of.stride,
                          &of.dilation, out.type, in.type, has_bias, add);
      });
  if (relu) {
    recorder().record(Engine::kTiu, {writes(out), reads(out)}, [=] {
      tpu_bdc_relu(at(out), at(out), &out.shape, &out.stride, &out.stride, out.type);
    });
  }
  result.finish();
}
// All weights are one number.
PPL_CALL void fconv(const operand& dst, const operand& src, scalar weight, int output_channels,
                    const dim2* kernel, const dim2* stride, const dim2* dilation,
                    const padding_t* padding, bool add, data_type_t type) {
  PPL_HERE;
  using namespace detail;
  const Window of = window(kernel, padding, stride, dilation);
  dim4 shape = of.output(src.shape());
  shape.c = output_channels;
  dst.settle(shape);
  View to = dst.seen();
  if (type != DT_NONE && type != to.type) {
    to.type = type;
    to.stride = local_stride(to.shape, to.type, to.mode, to.lane);
  }
  const Result result(to);
  if (add) result.fetch();
  const View out = result.view(), in = src.seen();
  const scalar_t constant = weight.as(in.type);
  recorder().record(Engine::kTiu, {writes(out), reads(in)}, [=] {
    tpu_bdc_fp_conv2d_kernel_const(at(out), at(in), 0, constant, &in.shape, &in.stride,
                                   output_channels, &of.kernel, &of.padding, &of.stride,
                                   &of.dilation, out.type, in.type, false, add);
  });
  result.finish();
}

}  // namespace tiu
}  // namespace ppl

#endif  // TENSORLANE_PPL_TIU_WINDOW_H_
