#include "tensorlane/compute/bands/phase_planes.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/compute/bands/padded_rows.h"

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
  find_offsets();
}

PhasePlanes::ColumnPhase PhasePlanes::column_phase(int phase) const {
  const int stride = window_.stride_w;
  const int before = std::max(0, window_.pad_left - phase);  // padded columns, of any phase
  const int begin = std::min(pitch_, (before + stride - 1) / stride);
  const int last = input_w_ - 1 + window_.pad_left - phase;
  const int end = last < 0 ? begin : std::clamp(last / stride + 1, begin, pitch_);
  return {phase, begin, end, begin * stride + phase - window_.pad_left};
}

void PhasePlanes::find_offsets() {
  const std::int64_t plane = std::int64_t{rows_} * pitch_;
  const auto planes = static_cast<std::int64_t>(column_phases_.size());  // of a row phase
  for (int kh = 0; kh < window_.kernel_h; ++kh) {
    const int row = kh * window_.dilation_h;
    const auto phase = std::ranges::find(row_phases_, row % window_.stride_h) - row_phases_.begin();
    row_offsets_.push_back(static_cast<std::int32_t>(
        phase * planes * plane + std::int64_t{row / window_.stride_h} * pitch_));
  }
  for (int kw = 0; kw < window_.kernel_w; ++kw) {
    const int column = kw * window_.dilation_w;
    const auto phase =
        std::ranges::find(column_phases_, column % window_.stride_w, &ColumnPhase::phase) -
        column_phases_.begin();
    column_offsets_.push_back(static_cast<std::int32_t>(phase * plane + column / window_.stride_w));
  }
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
void PhasePlanes::fill(const PhasePlanes::Channels& channels, int first_row, const Word* padding,
                       Word* to, std::int64_t step) const {
  if (takes_elements(channels.w)) {
    for (const int row_phase : row_phases_) {
      fill_by_rows(channels, row_phase, first_row, padding, to, step);
      to += std::int64_t{rows_} * pitch_;
    }
    return;
  }
  for (const std::byte* const channel : channels.elements) {
    fill_words(reinterpret_cast<const Word*>(channel), channels, first_row, *padding++, to);
    to += step;
  }
}

template <class Word>
void PhasePlanes::fill_words(const Word* channel, const Channels& strides, int first_row,
                             Word padding, Word* to) const {
  for (const int row_phase : row_phases_) {
    for (const ColumnPhase& columns : column_phases_) {
      for (int row = 0; row < rows_; ++row, to += pitch_) {
        const int ih = (first_row + row) * window_.stride_h + row_phase - window_.pad_top;
        if (ih < 0 || ih >= input_h_) {
          std::fill_n(to, pitch_, padding);
        } else {
          fill_row(channel + ih * strides.h, strides.w, columns, padding, to);
        }
      }
    }
  }
}

// One plane, whose rows are parts of the input's: all that lie inside it at once.
template <class Word>
void PhasePlanes::fill_by_rows(const Channels& channels, int row_phase, int first_row,
                               const Word* padding, Word* to, std::int64_t step) const {
  const int stride = window_.stride_h;
  const int top = first_row * stride + row_phase - window_.pad_top;  // the plane's first input row
  const int begin = top >= 0 ? 0 : std::min(rows_, (stride - 1 - top) / stride);
  const int end =
      top >= input_h_ ? begin : std::clamp((input_h_ - 1 - top) / stride + 1, begin, rows_);
  const ColumnPhase& columns = column_phases_.front();
  const int count = columns.end - columns.begin;
  const std::int64_t plane = std::int64_t{rows_} * pitch_;
  RowLayouts<Word> layouts{.rows = {.type = channels.type},
                           .around = {.pitch = pitch_, .before = plane},
                           .from = channels.elements,
                           .padding = padding,
                           .to = to,
                           .step = step};
  if (begin == end || count == 0) return lay_out_rows(layouts);
  const std::int64_t bytes = dtype_bytes(channels.type);
  const std::int64_t first = (top + std::int64_t{begin} * stride) * channels.h + columns.first;
  layouts.rows = {.first = first * bytes,
                  .row_bytes = stride * channels.h * bytes,
                  .type = channels.type,
                  .rows = end - begin,
                  .columns = count};
  layouts.around.before = std::int64_t{begin} * pitch_ + columns.begin;
  layouts.around.behind =
      plane - layouts.around.before - std::int64_t{end - begin - 1} * pitch_ - count;
  lay_out_rows(layouts);
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

template void PhasePlanes::fill(const PhasePlanes::Channels&, int, const float*, float*,
                                std::int64_t) const;
template void PhasePlanes::fill(const PhasePlanes::Channels&, int, const std::int32_t*,
                                std::int32_t*, std::int64_t) const;
template void PhasePlanes::fill(const PhasePlanes::Channels&, int, const std::uint16_t*,
                                std::uint16_t*, std::int64_t) const;
template void PhasePlanes::fill(const PhasePlanes::Channels&, int, const std::uint8_t*,
                                std::uint8_t*, std::int64_t) const;

}  // namespace tensorlane
