#include "tensorlane/tiles/phase_planes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/tiles/operands_test_support.h"
#include "tensorlane/tiles/padded_rows.h"

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
  std::vector<float> band(static_cast<std::size_t>(planes.channel_size()) + kPaddedRowsSlack, NAN);
  constexpr float kPadding = 7.0F;
  for (int first = 0; first < window.output_h; first += band_rows) {
    planes.fill(input, 1, 2, first, kPadding, band.data());
    for (int oh = first; oh < std::min(first + band_rows, window.output_h); ++oh)
      for (int ow = 0; ow < window.output_w; ++ow)
        for (int kh = 0; kh < window.kernel_h; ++kh)
          for (int kw = 0; kw < window.kernel_w; ++kw) {
            const int ih = window.input_row(oh, kh);
            const int iw = window.input_column(ow, kw);
            const bool inside = ih >= 0 && ih < input_h && iw >= 0 && iw < input_w;
            const int position = (oh - first) * planes.pitch() + ow;
            RC_ASSERT(band.at(static_cast<std::size_t>(planes.offset(kh, kw) + position)) ==
                      (inside ? *input.at(1, 2, ih, iw) : kPadding));
          }
  }
}

}  // namespace
}  // namespace tensorlane
