// Fast sums of fp32 over windows of 3 by 3 in long rows: of inputs where they lie.
#include <algorithm>
#include <array>
#include <bit>

#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/tiles/row_window_tile.h"
#include "tensorlane/compute/windows/any_type_window.h"

namespace tensorlane {
namespace {

// Rows of results of a task: pairs.
constexpr int kTaskRows = 32;

class RowWindows {
 public:
  explicit RowWindows(const AnyTypeWindowArgs& args)
      : args_(args), bands_((args.window.output_h + kTaskRows - 1) / kTaskRows) {}

  static bool fits(const AnyTypeWindowArgs& args) {
    const Window2d& window = args.window;
    return args.rule == WindowRule::kSum && args.input_type == Dtype::kFp32 &&
           args.output_type == Dtype::kFp32 && args.weight_type == Dtype::kFp32 &&
           args.padding_bits == 0 && window.kernel_h == kRowKernel &&
           window.kernel_w == kRowKernel && window.stride_h == 1 && window.stride_w == 1 &&
           window.dilation_h == 1 && window.dilation_w == 1 && args.insert_h == 0 &&
           args.insert_w == 0 && window.output_w >= kLeastRowWindows &&
           has_dense_rows(args.input) && has_dense_rows(args.output);
  }

  void run() const {
    Words<float> outside(static_cast<std::size_t>(args_.input_w));
    std::fill_n(outside.data(), outside.size(), 0.0F);
    const Window2d& window = args_.window;
    const std::int64_t outputs =
        std::int64_t{args_.n} * args_.c * window.output_h * window.output_w;
    for_each_task(
        std::int64_t{args_.c} * args_.n * bands_, layout_work(outputs), [&](std::int64_t i) {
          const auto of_image = i / bands_;
          run_band(static_cast<int>(of_image % args_.n), static_cast<int>(of_image / args_.n),
                   static_cast<int>(i % bands_), outside.data());
        });
  }

 private:
  void run_band(int n, int c, int band, const float* outside) const {
    const Window2d& window = args_.window;
    std::array<float, kRowKernel * kRowKernel> weights;
    for (std::size_t t = 0; t < weights.size(); ++t) {
      const int position = static_cast<int>(t);
      weights[t] = std::bit_cast<float>(
          args_.weight_bits_at(c, position / kRowKernel, position % kRowKernel));
    }
    const float start = args_.starts_empty ? -0.0F : 0.0F;
    const float bias =
        args_.has_bias ? word_of<float>(load_bits(args_.bias.address(0, c, 0, 0), args_.bias_type),
                                        args_.bias_type)
                       : start;
    const bool last = args_.has_bias && args_.bias_is_last;
    const int first_row = band * kTaskRows;
    sum_window_rows({.input = args_.input.at(n, c, 0, 0),
                     .input_pitch = args_.input.h,
                     .input_h = args_.input_h,
                     .input_w = args_.input_w,
                     .pad_top = window.pad_top,
                     .pad_left = window.pad_left,
                     .outside = outside,
                     .output = args_.output.at(n, c, 0, 0),
                     .output_pitch = args_.output.h,
                     .first_row = first_row,
                     .end_row = std::min(first_row + kTaskRows, window.output_h),
                     .output_w = window.output_w,
                     .weights = weights.data(),
                     .starts = {start, last ? start : bias, last ? &bias : nullptr}});
  }

  const AnyTypeWindowArgs& args_;
  const int bands_;  // of a channel
};

}  // namespace

bool row_windows_simd(const AnyTypeWindowArgs& args) {
  if (!RowWindows::fits(args)) return false;
  RowWindows(args).run();
  return true;
}

}  // namespace tensorlane
