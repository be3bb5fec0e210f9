// SPDX-License-Identifier: Apache-2.0
//
// Operands in the form that a command of the chip takes: broadcast, converted, copied into the
// aligned layout, moved to another NPU. What has to be done for it is recorded before the command.

#ifndef TENSORLANE_PPL_SHAPES_H_
#define TENSORLANE_PPL_SHAPES_H_

#include "ppl/gtensor.h"

namespace ppl {
namespace detail {

// Two numbers of 4 bits are seen as a byte.
inline View as_bytes(View view) {
  if (bits_of(view.type) != 4) return view;
  view.type = DT_UINT8;
  view.shape.w = (view.shape.w + 1) / 2;
  view.stride.h = (view.stride.h + 1) / 2;
  view.stride.c = (view.stride.c + 1) / 2;
  view.stride.n = (view.stride.n + 1) / 2;
  return view;
}

// A tensor for one command and those around it.
inline View temporary(const dim4& shape, data_type_t type, int lane = 0) {
  View view;
  view.type = type;
  view.lane = lane;
  view.shape = shape;
  view.stride = local_stride(shape, type, TPU_ALIGN, lane);
  view.buffer = recorder().make_buffer(std::int64_t{view.stride.n} * shape.n * bits_of(type) / 8);
  return view;
}

inline bool is_aligned(const View& view) {
  const dim4 plain = local_stride(view.shape, view.type, TPU_ALIGN, view.lane);
  const dim4 &shape = view.shape, &stride = view.stride;
  return (shape.n == 1 || stride.n == plain.n) &&
         (channel_rows(shape.c, view.lane) == 1 || stride.c == plain.c) &&
         (shape.h == 1 || stride.h == plain.h) && (shape.w == 1 || stride.w == 1) &&
         view.offset % row_bytes() == 0;
}

inline void record_copy(const View& dst, const View& src) {
  recorder().record(Engine::kTiu, {writes(dst), reads(src)}, [=] {
    tpu_bdc_cpy(at(dst), at(src), &dst.shape, &dst.stride, &src.stride, dst.type);
  });
}
inline void record_cross(const View& dst, const View& src) {
  recorder().record(Engine::kTiu, {writes(dst), reads(src)},
                    [=] { tpu_bdc_cpy_cross_npu(at(dst), at(src), &dst.shape, dst.type); });
}
inline void record_cast(const View& dst, const View& src, rounding_mode_t mode) {
  recorder().record(Engine::kTiu, {writes(dst), reads(src)}, [=] {
    tpu_bdc_cast(at(dst), at(src), &dst.shape, &dst.stride, &src.stride, dst.type, src.type, mode);
  });
}

// Channel 0 of `src` in every channel of a new tensor; at most one row of NPUs.
inline View on_all_lanes(const View& src, int channels, int lane) {
  const dim4 one = {src.shape.n, 1, src.shape.h, src.shape.w};
  View from = src;
  from.shape = one;
  if (!is_aligned(from)) {
    const View plain = temporary(one, src.type, src.lane);
    record_copy(plain, from);
    from = plain;
  }
  const View all =
      temporary({one.n, std::min(channels, lanes() - lane), one.h, one.w}, src.type, lane);
  recorder().record(Engine::kTiu, {writes(all), reads(from)},
                    [=] { tpu_bdc_npu_bcast(at(all), at(from), &all.shape, all.type); });
  return all;
}

// An axis of an operand has the result's elements, one for all (or a stride of 0), or more than are
// looked at.
inline void need_like(const View& src, const dim4& of) {
  const dim4 &shape = src.shape, &stride = src.stride;
  const auto too_few = [](int has, int step, int wants) {
    return has != 1 && step != 0 && has < wants;
  };
  if (too_few(shape.n, stride.n, of.n) || too_few(shape.c, stride.c, of.c) ||
      too_few(shape.h, stride.h, of.h) || too_few(shape.w, stride.w, of.w)) {
    recorder().refuse(PplShapeInferErr,
                      msg("an operand of shape {} does not go with a result of shape {}"), shape,
                      of);
  }
}

// `src` with a stride of 0 along every axis along which it has one element and `shape` more.
// Channels lie in NPUs: one is copied to all of them first.
inline View spread(const View& src, const dim4& shape, int lane) {
  need_like(src, shape);
  View view = src;
  if (view.shape.c == 1 && shape.c > 1) {
    view = on_all_lanes(view, shape.c, lane);
    view.stride.c = 0;
  } else if (view.lane != lane) {
    View aligned = view;
    if (!is_aligned(view)) {
      aligned = temporary(view.shape, view.type, view.lane);
      record_copy(aligned, view);
    }
    view = temporary(aligned.shape, view.type, lane);
    record_cross(view, aligned);
  }
  if (view.shape.n == 1 && shape.n > 1) view.stride.n = 0;
  if (view.shape.h == 1 && shape.h > 1) view.stride.h = 0;
  if (view.shape.w == 1 && shape.w > 1) view.stride.w = 0;
  view.shape = shape;
  return view;
}

inline View converted(const View& src, data_type_t type) {
  if (src.type == type) return src;
  const View result = temporary(src.shape, type, src.lane);
  record_cast(result, src, RM_HALF_TO_EVEN);
  return result;
}

// The same elements in the aligned layout from NPU `lane` on.
inline View aligned(const View& src, int lane) {
  View view = src;
  if (!is_aligned(view)) {
    const View plain = temporary(view.shape, view.type, view.lane);
    record_copy(plain, view);
    view = plain;
  }
  if (view.lane == lane) return view;
  const View moved = temporary(view.shape, view.type, lane);
  record_cross(moved, view);
  return moved;
}

// Where a command that takes no strides puts its result, before `finish` brings it to `dst`.
class Result {
 public:
  Result(const View& dst, data_type_t type, int lane) : dst_(dst), at_(dst) {
    if (dst.type == type && dst.lane == lane && is_aligned(dst)) return;
    at_ = temporary(dst.shape, type, lane);
    away_ = true;
  }
  explicit Result(const View& dst) : Result(dst, dst.type, dst.lane) {}
  const View& view() const { return at_; }
  // After the command was recorded. A result that is added to is brought to `view` before.
  void fetch() const {
    if (away_) bring(at_, dst_);
  }
  void finish() const {
    if (away_) bring(dst_, at_);
  }

 private:
  static void bring(const View& to, View from) {
    if (from.lane != to.lane) from = aligned(from, to.lane);
    if (from.type != to.type) {
      record_cast(to, from, RM_HALF_TO_EVEN);
    } else {
      record_copy(to, from);
    }
  }
  View dst_, at_;
  bool away_ = false;
};

// The shape of what two operands give, element by element.
inline dim4 joint(const dim4& a, const dim4& b) {
  return {std::max(a.n, b.n), std::max(a.c, b.c), std::max(a.h, b.h), std::max(a.w, b.w)};
}

}  // namespace detail
}  // namespace ppl

#endif  // TENSORLANE_PPL_SHAPES_H_
