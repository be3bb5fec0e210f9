#include "tensorlane/compute/windows/channel_mean.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/compute/products/any_type_test_support.h"

namespace tensorlane {
namespace {

using operands_test::fill_any_type;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::place_any_type;

// Rows with gaps between them have the means of rows without, whatever the gaps hold.
RC_GTEST_PROP(ChannelMean, GapsBetweenRowsChangeNoBit, ()) {
  OperandMemory memory(8, 1 << 16);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  ChannelMeanArgs args;
  args.type = *rc::gen::element(Dtype::kFp32, Dtype::kFp16, Dtype::kBf16);
  args.n = in_range(1, 2);
  args.c = in_range(1, 40);
  args.h = in_range(1, 9);
  args.w = in_range(1, 40);
  args.columns = 64 / dtype_bytes(args.type);
  args.scale = 0.125F;
  const int start = in_range(0, 7), pitch = args.w + in_range(1, 9);
  const int bytes = dtype_bytes(args.type);
  const auto outputs = [&] {
    return place_any_type(memory, args.type, start, args.n, args.c, 1, 1);
  };
  ChannelMeanArgs apart = args;
  args.input = place_any_type(memory, args.type, start, args.n, args.c, args.h, args.w);
  args.output = outputs();
  apart.input = memory.place(start, args.n, args.c, args.h, args.w, 0, pitch, 1, bytes);
  apart.output = outputs();
  fill_any_type(args.input, args.type, args.n, args.c, args.h, args.w, operands_test::any_values(),
                random);
  for (int n = 0; n < args.n; ++n)
    for (int c = 0; c < args.c; ++c)
      for (int h = 0; h < args.h; ++h)
        std::memcpy(apart.input.address(n, c, h, 0), args.input.address(n, c, h, 0),
                    static_cast<std::size_t>(args.w * bytes));
  RC_ASSERT(channel_mean_simd(args));
  RC_ASSERT(channel_mean_simd(apart));
  for (int n = 0; n < args.n; ++n)
    for (int c = 0; c < args.c; ++c)
      RC_ASSERT(std::memcmp(args.output.address(n, c, 0, 0), apart.output.address(n, c, 0, 0),
                            static_cast<std::size_t>(bytes)) == 0);
}

}  // namespace
}  // namespace tensorlane
