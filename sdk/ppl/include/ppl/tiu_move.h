// SPDX-License-Identifier: Apache-2.0
//
// tiu:: copies, constants, sequences, transposes, gathers by index.

#ifndef TENSORLANE_PPL_TIU_MOVE_H_
#define TENSORLANE_PPL_TIU_MOVE_H_

#include "ppl/shapes.h"

namespace ppl {
namespace detail {

// dst[n, c, h, w] = src[n, w, h, c].
inline void transpose(const operand& dst, const operand& src) {
  const dim4& from = src.shape();
  dst.settle({from.n, from.w, from.h, from.c});
  const View to = dst.seen();
  const Result result(to, to.type, 0);
  const View source = aligned(src.seen(), src.seen().lane), out = result.view();
  recorder().record(Engine::kTiu, {writes(out), reads(source)},
                    [=] { tpu_bdc_wc_trans(at(out), at(source), &out.shape, out.type); });
  result.finish();
}

// Numbers of 4 bits are cast by no command: each byte is taken apart, the low half first.
inline void unpack(const View& dst, const View& src, rounding_mode_t mode) {
  if (src.stride.h % 2 != 0 && src.shape.h > 1)
    recorder().refuse(PplTensorConvErr, msg("rows of an odd number of 4-bit elements"));
  const bool is_signed = src.type == DT_INT4;
  View bytes = as_bytes(src);
  const data_type_t type = is_signed ? DT_INT8 : DT_UINT8;
  const bool direct = bits_of(dst.type) == 8 && !is_float(dst.type);
  const View all = direct ? dst : temporary(dst.shape, type, dst.lane);
  View low = all, high = all;
  low.stride.w = high.stride.w = 2 * all.stride.w;
  low.shape.w = (all.shape.w + 1) / 2;
  high.shape.w = all.shape.w / 2;
  high.offset += all.stride.w;
  bytes.shape = low.shape;
  using Shift = void (*)(local_addr_t, local_addr_t, char, const dim4*, const dim4*, const dim4*,
                         data_type_t, data_type_t, rounding_mode_t);
  const auto shifted = [](Shift by, const View& to, const View& from, char bits) {
    const data_type_t type = by == tpu_bdc_logical_shift_C ? DT_UINT8 : DT_INT8;
    recorder().record(Engine::kTiu, {writes(to), reads(from)}, [=] {
      by(at(to), at(from), bits, &to.shape, &to.stride, &from.stride, type, type, RM_DOWN);
    });
  };
  const Shift right = is_signed ? tpu_bdc_arithmetic_shift_C : tpu_bdc_logical_shift_C;
  if (is_signed) {
    shifted(tpu_bdc_logical_shift_C, low, bytes, 4);
    shifted(right, low, low, -4);
  } else {
    recorder().record(Engine::kTiu, {writes(low), reads(bytes)}, [=] {
      tpu_bdc_and_C(at(low), at(bytes), scalar(0xf).as(type), &low.shape, &low.stride,
                    &bytes.stride, type);
    });
  }
  if (high.shape.w > 0) {
    bytes.shape = high.shape;
    shifted(right, high, bytes, -4);
  }
  if (!direct) record_cast(dst, all, mode);
}

}  // namespace detail

namespace tiu {

PPL_CALL void move(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  dst.settle(src.shape());
  const View to = dst.seen();
  View from = spread(src.seen(), to.shape, to.lane);
  if (bits_of(from.type) == bits_of(to.type)) from.type = to.type;  // bits are copied
  if (from.type != to.type) {
    record_cast(to, from, RM_HALF_TO_EVEN);
  } else {
    record_copy(to, from);
  }
}

// Channel k of `src` becomes channel k of `dst`, which may begin in another NPU.
PPL_CALL void move_cross_lane(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  dst.settle(src.shape());
  const Result result(dst.seen());
  View from = src.seen();
  if (!is_aligned(from)) from = aligned(from, from.lane);
  record_cross(result.view(), from);
  result.finish();
}

PPL_CALL void fill(const operand& dst, scalar c) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen();
  const scalar_t constant = c.as(to.type);
  recorder().record(Engine::kTiu, {writes(to)},
                    [=] { tpu_bdc_set_C(at(to), constant, &to.shape, &to.stride, to.type); });
}
PPL_CALL void zero(const operand& dst) {
  PPL_HERE;
  fill(dst, 0);
}

// `src`, which has one channel, in every channel of `dst`.
PPL_CALL void broadcast(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  const View& from = src.seen();
  dst.settle({from.shape.n, dst.shape().c, from.shape.h, from.shape.w});
  const View to = dst.seen();
  if (from.shape.c == 1 && to.shape.c > 1 && to.shape.c + to.lane <= lanes() && is_aligned(from) &&
      is_aligned(to) && from.type == to.type && from.shape.n == to.shape.n &&
      from.shape.h == to.shape.h && from.shape.w == to.shape.w) {
    recorder().record(Engine::kTiu, {writes(to), reads(from)},
                      [=] { tpu_bdc_npu_bcast(at(to), at(from), &to.shape, to.type); });
    return;
  }
  move(dst, src);
}

PPL_CALL void cast(const operand& dst, const operand& src, rounding_mode_t mode = RM_HALF_TO_EVEN) {
  PPL_HERE;
  using namespace detail;
  dst.settle(src.shape());
  const View to = dst.seen();
  if (bits_of(src.seen().type) == 4 && bits_of(to.type) > 4) {
    unpack(to, spread(src.seen(), to.shape, to.lane), mode);
  } else {
    record_cast(to, spread(src.seen(), to.shape, to.lane), mode);
  }
}

// start, start + step, ... along h and w, the same in every channel. Integers of 32 bits, or what
// they are in another type.
PPL_CALL void arange_broadcast(const operand& dst, int start, int step, int count) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen();
  const dim4 shape = {1, std::min(to.shape.c, lanes() - to.lane), to.shape.h, to.shape.w};
  const bool direct = bits_of(to.type) == 32 && !is_float(to.type) && is_aligned(to) &&
                      shape.c == to.shape.c && to.shape.n == 1;
  View sequence = direct ? to : temporary(shape, DT_INT32, to.lane);
  recorder().record(Engine::kTiu, {writes(sequence)}, [=] {
    tpu_bdc_arithmetic_sequence_bcast(at(sequence), sequence.shape.c, start, step, count);
  });
  if (direct) return;
  sequence.stride.c = 0;  // the next row of channels holds the same
  sequence.stride.n = 0;
  sequence.shape = to.shape;
  if (to.type == DT_INT32) {
    record_copy(to, sequence);
  } else {
    record_cast(to, sequence, RM_HALF_TO_EVEN);
  }
}

// Both exchange c and w; which is faster on the chip depends on which of them is longer.
PPL_CALL void transpose_cw(const operand& dst, const operand& src) {
  PPL_HERE;
  detail::transpose(dst, src);
}
PPL_CALL void transpose_wc(const operand& dst, const operand& src) {
  PPL_HERE;
  detail::transpose(dst, src);
}

// dst[n, c, i] = param[n, c, index[i].h, index[i].w]; an index holds w in its low and h in its high
// 16 bits, and lies compactly along c.
PPL_CALL void gather_hw(const operand& dst, const operand& param, const operand& index) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen();
  const Result result(to);
  const View out = result.view(), from = aligned(param.seen(), to.lane), at_index = index.seen();
  const dim4 shape = {out.shape.n, out.shape.c, 1, out.shape.h * out.shape.w};
  recorder().record(Engine::kTiu, {writes(out), reads(from), reads(at_index)}, [=] {
    tpu_bdc_hw_gather(at(out), at(from), at(at_index), &shape, from.shape.h, from.shape.w,
                      out.type);
  });
  result.finish();
}

// dst[n, c, 0, index[c, i]] = param[n, c, 0, i], after dst was filled with `c`.
PPL_CALL void scatter_w(const operand& dst, const operand& param, const operand& index, scalar c) {
  PPL_HERE;
  using namespace detail;
  fill(dst, c);
  const View to = dst.seen();
  const Result result(to);
  result.fetch();
  const View out = result.view(), from = aligned(param.seen(), to.lane),
             places = aligned(index.seen(), to.lane);
  recorder().record(Engine::kTiu, {writes(out), reads(from), reads(places)}, [=] {
    tpu_bdc_batch_bcast_w_scatter(at(out), at(from), at(places), &out.shape, from.shape.w, out.type,
                                  places.type, false);
  });
  result.finish();
}

}  // namespace tiu
}  // namespace ppl

#endif  // TENSORLANE_PPL_TIU_MOVE_H_
