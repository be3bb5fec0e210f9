#include "tensorlane/compute/bands/phase_planes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/compute/bands/operands_test_support.h"
#include "tensorlane/compute/bands/padded_rows.h"

namespace tensorlane {
namespace {

using operands_test::any_window;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::Values;

// The law the fast paths rest on: one offset per kernel position serves every output of a band.
RC_GTEST_PROP(PhasePlanes, EveryKernelPositionReadsAllOutputsAtOneOffset, ()) {
  const int input_h = in_range(1, 20);
  const int input_w = in_range(1, 20);
  const Window2d window = any_window(input_h, input_w, 6, 3);
  const int band_rows = in_range(1, window.output_h);
  OperandMemory memory(4, 1 << 15);
  const int stride_w = in_range(0, 3);
  const LocalView input = memory.place(1, 2, 3, input_h, input_w, 0, 4 * input_w, stride_w);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  fill(input, 2, 3, input_h, input_w, Values::kPlain, random);

  const PhasePlanes planes(window, input_h, input_w, band_rows);
  // Of each channel, with its own padding: no product has other words than bytes padded that way,
  // yet whoever fills planes may.
  constexpr float kPadding[] = {7.0F, 9.0F, 11.0F};
  const std::byte* const channels[] = {input.address(1, 0, 0, 0), input.address(1, 1, 0, 0),
                                       input.address(1, 2, 0, 0)};
  const std::int64_t step = planes.channel_size() + kPaddedRowsSlack;
  std::vector<float> bands(static_cast<std::size_t>(3 * step), NAN);
  for (int first = 0; first < window.output_h; first += band_rows) {
    planes.fill({channels, input.h, input.w}, first, kPadding, bands.data(), step);
    for (int c = 0; c < 3; ++c)
      for (int oh = first; oh < std::min(first + band_rows, window.output_h); ++oh)
        for (int ow = 0; ow < window.output_w; ++ow)
          for (int kh = 0; kh < window.kernel_h; ++kh)
            for (int kw = 0; kw < window.kernel_w; ++kw) {
              const int ih = window.input_row(oh, kh);
              const int iw = window.input_column(ow, kw);
              const bool inside = ih >= 0 && ih < input_h && iw >= 0 && iw < input_w;
              const std::int64_t at =
                  c * step + planes.offset(kh, kw) + (oh - first) * planes.pitch() + ow;
              RC_ASSERT(bands.at(static_cast<std::size_t>(at)) ==
                        (inside ? *input.at(1, c, ih, iw) : kPadding[c]));
            }
  }
}

}  // namespace
}  // namespace tensorlane
