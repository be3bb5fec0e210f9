// One band of output rows' worth of input, rearranged so that every kernel position reads it with
// the same, contiguous pattern.
//
// Padded input row r is row r div stride_h of row phase r mod stride_h, columns alike. Inside a
// plane (one row phase, one column phase) neighbouring columns belong to neighbouring outputs, and
// all planes have the same pitch. Output (oh, ow) of the band is position q = oh*pitch + ow, and
// kernel position (kh, kw) reads element offset(kh, kw) + q for every q: one loop over q serves any
// stride, dilation and padding without a branch. Positions with ow >= output_w are by-products that
// nobody stores.
#ifndef TENSORLANE_COMPUTE_BANDS_PHASE_PLANES_H_
#define TENSORLANE_COMPUTE_BANDS_PHASE_PLANES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/window2d.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

class PhasePlanes {
 public:
  // For bands of at most `band_rows` output rows.
  PhasePlanes(const Window2d& window, int input_h, int input_w, int band_rows);

  int pitch() const { return pitch_; }
  // Words one input channel takes.
  std::int64_t channel_size() const { return channel_size_; }
  std::int32_t offset(int kh, int kw) const {
    return row_offsets_[static_cast<std::size_t>(kh)] +
           column_offsets_[static_cast<std::size_t>(kw)];
  }
  // Whether a plane is what the input is: rows of it, one behind the other.
  bool is_input() const;
  // The input rows [first, second) that a band from output row `first_row` on reads.
  std::pair<int, int> input_rows(int first_row) const;
  // Number of positions of a band of `rows` output rows.
  std::int64_t positions(int rows) const {
    return static_cast<std::int64_t>(rows - 1) * pitch_ + window_.output_w;
  }

  // Channels of an input: where the first element of each lies and how far apart, in elements, its
  // rows and columns are.
  struct Channels {
    std::span<const std::byte* const> elements;
    std::int64_t h = 0;
    std::int64_t w = 1;
    Dtype type = Dtype::kFp32;
  };
  // Whether a channel's elements may have a type of their own (`lay_out_rows` makes words of them).
  // Elsewhere they are words.
  bool takes_elements(std::int64_t step_w) const { return window_.stride_w == 1 && step_w == 1; }
  // Writes the band that starts at output row `first_row` of each channel to `to[0 ..
  // channel_size)` and on in steps of `step` words, with padding[k] outside channel k; up to
  // kPaddedRowsSlack words behind that may be written too. Word: float, std::int32_t, or
  // std::uint16_t and std::uint8_t for elements of 16 and 8 bits as they are.
  template <class Word>
  void fill(const Channels& channels, int first_row, const Word* padding, Word* to,
            std::int64_t step) const;
  // The same from channel (n, c) of an input of words.
  template <class Word>
  void fill(const LocalView& input, int n, int c, int first_row, Word padding, Word* to) const {
    const std::byte* const elements[] = {input.address(n, c, 0, 0)};
    fill(Channels{elements, input.h, input.w}, first_row, &padding, to, 0);
  }

 private:
  // Padded columns phase, phase + stride_w, ... of one row: columns [begin, end) of the plane lie
  // inside the input, the first of them in input column `first`.
  struct ColumnPhase {
    int phase;
    int begin;
    int end;
    int first;
  };
  ColumnPhase column_phase(int phase) const;
  void find_offsets();
  template <class Word>
  void fill_by_rows(const Channels& channels, int row_phase, int first_row, const Word* padding,
                    Word* to, std::int64_t step) const;
  template <class Word>
  void fill_words(const Word* channel, const Channels& strides, int first_row, Word padding,
                  Word* to) const;
  template <class Word>
  void fill_row(const Word* row, std::int64_t step, ColumnPhase columns, Word padding,
                Word* to) const;

  Window2d window_;
  int input_h_;
  int input_w_;
  int rows_;                                // of a plane
  int pitch_;                               // columns of a plane
  std::vector<int> row_phases_;             // those that some kernel row uses
  std::vector<ColumnPhase> column_phases_;  // those that some kernel column uses
  std::int64_t channel_size_;
  std::vector<std::int32_t> row_offsets_;     // of each kernel row
  std::vector<std::int32_t> column_offsets_;  // of each kernel column
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_PHASE_PLANES_H_
