// SPDX-License-Identifier: Apache-2.0
//
// Functions made of those of ppl.h, under the names that public kernels call them by; made from
// formulas. A file of the same name earlier on the include path takes their place.

#ifndef TENSORLANE_PPL_WRAPPER_FUNC_H_
#define TENSORLANE_PPL_WRAPPER_FUNC_H_

#include "ppl.h"

namespace ppl {

// e ^ src, in fp32 whatever the tensors' types: no intermediate overflows.
PPL_CALL void exp_no_overflow(const operand& dst, const operand& src, const dim4* block,
                              const dim4* real) {
  PPL_HERE;
  static_cast<void>(block);
  static_cast<void>(real);
  detail::exponential(dst, src);
}

// Over w, and over h where dst has one row: the maximum (mode 0) or `scale` times the sum (mode 1).
PPL_CALL void quick_pooling(const operand& dst, const operand& src, const dim4* block,
                            const dim4* real, float padding, int mode, float scale = 1.f) {
  PPL_HERE;
  static_cast<void>(block);
  static_cast<void>(real);
  static_cast<void>(padding);
  const dim4& shape = src.shape();
  const dim2 kernel = {dst.shape().h == 1 ? shape.h : 1, shape.w}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  if (mode == 0) {
    tiu::fpool_max(dst, src, &kernel, &none, &one, &one);
  } else {
    tiu::fpool_avg(dst, src, &kernel, &none, &one, &one, scale);
  }
}

// start, start + step, ... in `lanes` channels.
PPL_CALL void arange_broadcast(const operand& dst, int lanes, int start, int step, int count) {
  PPL_HERE;
  static_cast<void>(lanes);
  tiu::arange_broadcast(dst, start, step, count);
}

// 1 / (1 + e ^ -src).
template <class T = fp32>
PPL_CALL void sigmoid_fp32(const operand& dst, const operand& src, const dim4* block,
                           const dim4* real) {
  PPL_HERE;
  static_cast<void>(block);
  static_cast<void>(real);
  using namespace detail;
  const InFp32 call(dst, src);
  const View out = call.out, from = call.source, work0 = call.work(), work1 = call.work();
  const View coefficients = table(kExpCoefficients), powers = table(kExpTable);
  recorder().record(
      Engine::kTiu,
      {writes(out), reads(from), writes(work0), writes(work1), reads(coefficients), reads(powers)},
      [=] {
        tpu_bdc_fp32_sigmoid(at(out), at(from), at(work0), at(work1), at(coefficients), at(powers),
                             &out.shape);
      });
  call.finish();
}

// arcsin src.
PPL_CALL void farcsin(const operand& dst, const operand& src, const dim4* block, const dim4* real) {
  PPL_HERE;
  static_cast<void>(block);
  static_cast<void>(real);
  using namespace detail;
  const InFp32 call(dst, src);
  const View out = call.out, from = call.source, work = call.work();
  const View coefficients = table(kArcsinCoefficients);
  recorder().record(
      Engine::kTiu, {writes(out), reads(from), writes(work), reads(coefficients)},
      [=] { tpu_bdc_fp32_arcsin(at(out), at(from), at(work), at(coefficients), &out.shape); });
  call.finish();
}

// a ^ b.
PPL_CALL void pow_f32(const operand& dst, const operand& a, const operand& b, const dim4* block,
                      const dim4* real) {
  PPL_HERE;
  static_cast<void>(block);
  static_cast<void>(real);
  using namespace detail;
  const InFp32 call(dst, a);
  const View out = call.out, base = call.source, work0 = call.work(), work1 = call.work();
  const View power = aligned(spread(converted(b.seen(), DT_FP32), out.shape, out.lane), out.lane);
  const View exp = table(kExpCoefficients), log = table(kLogCoefficients),
             powers = table(kExpTable);
  recorder().record(Engine::kTiu,
                    {writes(out), reads(base), reads(power), writes(work0), writes(work1),
                     reads(exp), reads(log), reads(powers)},
                    [=] {
                      tpu_bdc_fp32_pow(at(out), at(base), at(power), at(work0), at(work1), at(exp),
                                       at(log), at(powers), &out.shape);
                    });
  call.finish();
}
PPL_CALL void pow_f32(const operand& dst, const operand& a, scalar power, const dim4* block,
                      const dim4* real) {
  PPL_HERE;
  static_cast<void>(block);
  static_cast<void>(real);
  using namespace detail;
  const InFp32 call(dst, a);
  const View out = call.out, base = call.source, work0 = call.work(), work1 = call.work();
  const View exp = table(kExpCoefficients), log = table(kLogCoefficients),
             powers = table(kExpTable);
  const auto constant = static_cast<float>(power.real());
  recorder().record(Engine::kTiu,
                    {writes(out), reads(base), writes(work0), writes(work1), reads(exp), reads(log),
                     reads(powers)},
                    [=] {
                      tpu_bdc_fp32_pow_C(at(out), at(base), at(work0), at(work1), at(exp), at(log),
                                         at(powers), constant, &out.shape);
                    });
  call.finish();
}
PPL_CALL void pow_f32(const operand& dst, scalar base, const operand& b, const dim4* block,
                      const dim4* real) {
  PPL_HERE;
  static_cast<void>(block);
  static_cast<void>(real);
  using namespace detail;
  const InFp32 call(dst, b);
  const View out = call.out, power = call.source, work0 = call.work(), work1 = call.work();
  const View exp = table(kExpCoefficients), powers = table(kExpTable);
  const auto constant = static_cast<float>(base.real());
  recorder().record(
      Engine::kTiu,
      {writes(out), reads(power), writes(work0), writes(work1), reads(exp), reads(powers)}, [=] {
        tpu_bdc_fp32_C_pow(at(out), at(power), at(work0), at(work1), at(exp), at(powers), constant,
                           &out.shape);
      });
  call.finish();
}

}  // namespace ppl

#endif  // TENSORLANE_PPL_WRAPPER_FUNC_H_
