#include "tensorlane/tiles/phase_planes.h"

#include <algorithm>
#include <cstring>

namespace tensorlane {
namespace {

std::vector<int> phases(int kernel, int dilation, int stride) {
  std::vector<int> used;
  for (int k = 0; k < kernel && static_cast<int>(used.size()) < stride; ++k) {
    const int phase = k * dilation % stride;
    if (std::find(used.begin(), used.end(), phase) == used.end()) used.push_back(phase);
  }
  return used;
}

// A constant step lets the compiler shuffle instead of gather.
template <class Word, class Step>
void copy_strided(const Word* from, Step step, int count, Word* to) {
  for (int i = 0; i < count; ++i) to[i] = from[i * step];
}

}  // namespace

PhasePlanes::PhasePlanes(const Window2d& window, int input_h, int input_w, int band_rows)
    : window_(window),
      input_h_(input_h),
      input_w_(input_w),
      rows_((window.kernel_h - 1) * window.dilation_h / window.stride_h + band_rows),
      pitch_((window.kernel_w - 1) * window.dilation_w / window.stride_w + window.output_w),
      row_phases_(phases(window.kernel_h, window.dilation_h, window.stride_h)) {
  for (const int phase : phases(window.kernel_w, window.dilation_w, window.stride_w)) {
    column_phases_.push_back(column_phase(phase));
  }
  const auto planes = static_cast<std::int64_t>(row_phases_.size() * column_phases_.size());
  channel_size_ = planes * rows_ * pitch_;
}

PhasePlanes::ColumnPhase PhasePlanes::column_phase(int phase) const {
  const int stride = window_.stride_w;
  const int before = std::max(0, window_.pad_left - phase);  // padded columns, of any phase
  const int begin = std::min(pitch_, (before + stride - 1) / stride);
  const int last = input_w_ - 1 + window_.pad_left - phase;
  const int end = last < 0 ? begin : std::clamp(last / stride + 1, begin, pitch_);
  return {phase, begin, end, begin * stride + phase - window_.pad_left};
}

std::int32_t PhasePlanes::offset(int kh, int kw) const {
  const int row = kh * window_.dilation_h;
  const int column = kw * window_.dilation_w;
  const auto row_phase = std::find(row_phases_.begin(), row_phases_.end(), row % window_.stride_h);
  const auto column_phase =
      std::find_if(column_phases_.begin(), column_phases_.end(),
                   [&](const ColumnPhase& c) { return c.phase == column % window_.stride_w; });
  const auto plane =
      (row_phase - row_phases_.begin()) * static_cast<std::int64_t>(column_phases_.size()) +
      (column_phase - column_phases_.begin());
  return static_cast<std::int32_t>((plane * rows_ + row / window_.stride_h) * pitch_ +
                                   column / window_.stride_w);
}

bool PhasePlanes::is_input() const {
  return window_.kernel_h == 1 && window_.kernel_w == 1 && window_.stride_h == 1 &&
         window_.stride_w == 1 && window_.pad_top == 0 && window_.pad_left == 0 &&
         pitch_ == input_w_;
}

std::pair<int, int> PhasePlanes::input_rows(int first_row) const {
  const int first = first_row * window_.stride_h - window_.pad_top;
  const int begin = std::clamp(first, 0, input_h_);
  return {begin, std::clamp(first + rows_ * window_.stride_h, begin, input_h_)};
}

template <class Word>
void PhasePlanes::fill(const LocalView& input, int n, int c, int first_row, Word padding,
                       Word* to) const {
  const auto* channel = reinterpret_cast<const Word*>(input.address(n, c, 0, 0));
  for (const int row_phase : row_phases_) {
    for (const ColumnPhase& columns : column_phases_) {
      for (int row = 0; row < rows_; ++row, to += pitch_) {
        const int ih = (first_row + row) * window_.stride_h + row_phase - window_.pad_top;
        if (ih < 0 || ih >= input_h_) {
          std::fill_n(to, pitch_, padding);
        } else {
          fill_row(channel + ih * input.h, input.w, columns, padding, to);
        }
      }
    }
  }
}

template <class Word>
void PhasePlanes::fill_row(const Word* row, std::int64_t step, ColumnPhase columns, Word padding,
                           Word* to) const {
  const int count = columns.end - columns.begin;
  const int pitch = pitch_;  // a copy: the words might be ints, as far as the compiler knows
  for (int q = 0; q < columns.begin; ++q) to[q] = padding;
  for (int q = columns.end; q < pitch; ++q) to[q] = padding;
  if (count == 0) return;
  const Word* from = row + columns.first * step;
  to += columns.begin;
  step *= window_.stride_w;
  if (step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Word));
  } else if (step == 2) {
    copy_strided(from, std::integral_constant<int, 2>(), count, to);
  } else {
    copy_strided(from, step, count, to);
  }
}

template void PhasePlanes::fill(const LocalView&, int, int, int, float, float*) const;
template void PhasePlanes::fill(const LocalView&, int, int, int, std::int32_t, std::int32_t*) const;

}  // namespace tensorlane
