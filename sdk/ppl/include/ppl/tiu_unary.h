// SPDX-License-Identifier: Apache-2.0
//
// tiu:: functions of one operand, and those that special functions are made of: what needs tables
// of the chip loads them once per launch.

#ifndef TENSORLANE_PPL_TIU_UNARY_H_
#define TENSORLANE_PPL_TIU_UNARY_H_

#include "ppl/tiu_arithmetic.h"

namespace ppl {
namespace detail {

enum Table { kExpCoefficients, kExpTable, kLogCoefficients, kArcsinCoefficients };

// The table, loaded before if this is the first to need it.
inline View table(Table which) {
  using Loads = void (*)(local_addr_t);
  struct Kind {
    int length;
    Loads load;
  };
  const Kind kinds[] = {
      {32, tpu_bdc_load_fp32_exp_coeff},
      {192, tpu_bdc_load_fp32_exp_table},
      {64, tpu_bdc_load_fp32_log_coeff},
      {64, tpu_bdc_load_fp32_arcsin_coeff},
  };
  Recorder& all = recorder();
  View view;
  view.shape = {1, lanes(), 1, kinds[which].length};
  view.stride = local_stride(view.shape, view.type, TPU_ALIGN, 0);
  const bool loaded = all.tables[which] >= 0;
  if (!loaded) {
    all.tables[which] = all.make_buffer(std::int64_t{view.stride.n} * 4);
    all.buffers[all.tables[which]].handles = 1;  // until the launch ends
  }
  view.buffer = all.tables[which];
  if (!loaded) {
    const Loads load = kinds[which].load;
    all.record(Engine::kTiu, {writes(view)}, [=] { load(at(view)); });
  }
  return view;
}

// What a function that takes neither strides nor other types than fp32 is given.
struct InFp32 {
  InFp32(const operand& dst, const operand& src)
      : result((dst.settle(src.shape()), dst.seen()), DT_FP32, dst.seen().lane),
        out(result.view()),
        source(aligned(spread(converted(src.seen(), DT_FP32), out.shape, out.lane), out.lane)) {}
  View work() const { return temporary(out.shape, DT_FP32, out.lane); }
  void finish() const { result.finish(); }

  const Result result;
  const View out, source;
};

inline void exponential(const operand& dst, const operand& src) {
  const InFp32 call(dst, src);
  const View out = call.out, from = call.source, work0 = call.work(), work1 = call.work();
  const View coefficients = table(kExpCoefficients), powers = table(kExpTable);
  recorder().record(
      Engine::kTiu,
      {writes(out), reads(from), writes(work0), writes(work1), reads(coefficients), reads(powers)},
      [=] {
        tpu_bdc_fp32_exp(at(out), at(from), at(work0), at(work1), at(coefficients), at(powers),
                         &out.shape);
      });
  call.finish();
}

using Unary = void (*)(local_addr_t, local_addr_t, const dim4*, const dim4*, const dim4*,
                       data_type_t);
inline void of_one(Unary function, const operand& dst, const operand& src) {
  dst.settle(src.shape());
  const View& to = dst.seen();
  const View source = spread(src.seen(), to.shape, to.lane);
  const View result = computed_at(to, source.type);
  recorder().record(Engine::kTiu, {writes(result), reads(source)}, [=] {
    function(at(result), at(source), &result.shape, &result.stride, &source.stride, result.type);
  });
  bring(to, result);
}

}  // namespace detail

namespace tiu {

PPL_CALL void abs(const operand& dst, const operand& src) {
  PPL_HERE;
  detail::of_one(tpu_bdc_abs, dst, src);
}
PPL_CALL void floor(const operand& dst, const operand& src) {
  PPL_HERE;
  detail::of_one(tpu_bdc_fp_floor, dst, src);
}
PPL_CALL void ceil(const operand& dst, const operand& src) {
  PPL_HERE;
  detail::of_one(tpu_bdc_fp_ceil, dst, src);
}
PPL_CALL void round(const operand& dst, const operand& src, rounding_mode_t mode) {
  PPL_HERE;
  using namespace detail;
  dst.settle(src.shape());
  const View& to = dst.seen();
  const View source = spread(src.seen(), to.shape, to.lane), result = computed_at(to, source.type);
  recorder().record(Engine::kTiu, {writes(result), reads(source)}, [=] {
    tpu_bdc_fp_round(at(result), at(source), &result.shape, &result.stride, &source.stride,
                     result.type, mode);
  });
  detail::bring(to, result);
}

// 1 / sqrt(src) and sqrt(src), by 1 to 4 Newton steps in fp32.
PPL_CALL void frsqrt(const operand& dst, const operand& src, int steps = 3) {
  PPL_HERE;
  using namespace detail;
  const InFp32 call(dst, src);
  const View out = call.out, from = call.source;
  recorder().record(Engine::kTiu, {writes(out), reads(from)},
                    [=] { tpu_bdc_fp32_tunable_rsqrt(at(out), at(from), &out.shape, steps); });
  call.finish();
}
PPL_CALL void fsqrt(const operand& dst, const operand& src, int steps = 3) {
  PPL_HERE;
  using namespace detail;
  const InFp32 call(dst, src);
  const View out = call.out, from = call.source;
  recorder().record(Engine::kTiu, {writes(out), reads(from)},
                    [=] { tpu_bdc_fp32_tunable_sqrt(at(out), at(from), &out.shape, steps); });
  call.finish();
}

}  // namespace tiu
}  // namespace ppl

#endif  // TENSORLANE_PPL_TIU_UNARY_H_
