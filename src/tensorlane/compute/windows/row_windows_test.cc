// Sums of fp32 over windows of 3 by 3 in long rows, on every instruction set: rows that end
// anywhere in a vector, padding wider than one, columns of which no input counts.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/compute/bands/operands_test_support.h"
#include "tensorlane/compute/windows/any_type_window.h"

namespace tensorlane {
namespace {

using operands_test::OperandMemory;
using operands_test::Values;

class RowProblems {
 public:
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  // A window that fits, most of them in long rows.
  AnyTypeWindowArgs draw(OperandMemory& memory) {
    AnyTypeWindowArgs args;
    args.n = 1 + below(2);
    args.c = 1 + below(5);
    args.input_h = below(4) == 0 ? 30 + below(40) : 1 + below(8);
    args.input_w = below(4) == 0 ? 1 + below(20) : 28 + below(70);
    Window2d& window = args.window;
    window.kernel_h = window.kernel_w = 3;
    window.pad_top = below(5);
    window.pad_left = below(4) == 0 ? below(45) : below(3);
    const int pad_right = below(4) == 0 ? below(45) : below(3);
    window.output_h =
        std::max(1, window_output_extent(args.input_h, window.pad_top, 2 + below(3), 3, 1, 1));
    window.output_w =
        std::max(1, window_output_extent(args.input_w, window.pad_left, pad_right, 3, 1, 1));
    args.rotate = below(2) == 0;
    args.weight_is_constant = below(3) == 0;
    args.weight_bits = std::bit_cast<std::uint32_t>(1.0F / 9);
    args.has_bias = below(2) == 0;
    args.bias_is_last = below(2) == 0;
    args.starts_empty = below(2) == 0;
    place(args, memory);
    return args;
  }

 private:
  void place(AnyTypeWindowArgs& args, OperandMemory& memory) {
    const Window2d& window = args.window;
    const int start = below(4);
    const auto rows = [&](int h, int w) {  // some with gaps between them
      const int pitch = w + (below(3) == 0 ? below(5) : 0);
      return memory.place(start, args.n, args.c, h, w, 0, pitch);
    };
    args.input = rows(args.input_h, args.input_w);
    args.output = rows(window.output_h, window.output_w);
    args.weight = memory.place(start, 1, args.c, 3, 3);
    args.bias = memory.place(start, 1, args.c, 1, 1);
    const auto values = static_cast<Values>(below(4));
    fill(args.input, args.n, args.c, args.input_h, args.input_w, values, random_);
    fill(args.weight, 1, args.c, 3, 3, values, random_);
    fill(args.bias, 1, args.c, 1, 1, values, random_);
  }

  std::mt19937 random_{5};
};

TEST(RowWindows, EqualTheReferenceBitForBitOnEveryTarget) {
  RowProblems problems;
  int taken = 0;
  constexpr int kProblems = 300;
  for (int i = 0; i < kProblems; ++i) {
    OperandMemory memory(4, 1 << 18);
    const AnyTypeWindowArgs args = problems.draw(memory);
    const OperandMemory before = memory;
    any_type_window_reference(args);
    targets_test::on_every_target([&] {
      OperandMemory fast = before;
      AnyTypeWindowArgs here = args;
      for (LocalView* view : {&here.input, &here.weight, &here.bias, &here.output})
        *view = fast.here(*view);
      const bool took = row_windows_simd(here);
      EXPECT_EQ(took, args.window.output_w >= 32);
      taken += took ? 1 : 0;
      ASSERT_EQ(first_difference(took ? memory : before, fast), "")
          << i << ": " << args.input_h << " x " << args.input_w << ", padding "
          << args.window.pad_top << ", " << args.window.pad_left;
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(taken, kProblems / 2);
}

TEST(RowWindows, OthersAreLeftAlone) {
  OperandMemory memory(4, 1 << 18);
  AnyTypeWindowArgs args;
  args.input_h = 5;
  args.input_w = args.window.output_w = 40;
  args.window = {.kernel_h = 3, .kernel_w = 3, .output_h = 3, .output_w = 38};
  args.input = memory.place(0, 1, 1, 5, 40);
  args.output = memory.place(0, 1, 1, 3, 38);
  args.weight = memory.place(0, 1, 1, 3, 3);
  ASSERT_TRUE(row_windows_simd(args));
  using Change = void (*)(AnyTypeWindowArgs&);
  const Change changes[] = {
      [](AnyTypeWindowArgs& other) { other.rule = WindowRule::kMaximum; },
      [](AnyTypeWindowArgs& other) { other.padding_bits = 1; },
      [](AnyTypeWindowArgs& other) { other.window.kernel_h = 2; },
      [](AnyTypeWindowArgs& other) { other.window.kernel_w = 4; },
      [](AnyTypeWindowArgs& other) { other.window.stride_h = 2; },
      [](AnyTypeWindowArgs& other) { other.window.stride_w = 2; },
      [](AnyTypeWindowArgs& other) { other.window.dilation_h = 2; },
      [](AnyTypeWindowArgs& other) { other.window.dilation_w = 2; },
      [](AnyTypeWindowArgs& other) { other.insert_h = 1; },
      [](AnyTypeWindowArgs& other) { other.insert_w = 1; },
      [](AnyTypeWindowArgs& other) { other.input.w = 2; },
      [](AnyTypeWindowArgs& other) { other.output.w = 2; },
      [](AnyTypeWindowArgs& other) { other.input_type = Dtype::kFp16; },
      [](AnyTypeWindowArgs& other) { other.output_type = Dtype::kFp16; },
      [](AnyTypeWindowArgs& other) { other.weight_type = Dtype::kFp16; },
  };
  for (const Change change : changes) {
    AnyTypeWindowArgs other = args;
    change(other);
    EXPECT_FALSE(row_windows_simd(other)) << &change - changes;
  }
}

}  // namespace
}  // namespace tensorlane
