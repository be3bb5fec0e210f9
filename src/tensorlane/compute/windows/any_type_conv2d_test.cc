#include "tensorlane/compute/windows/any_type_conv2d.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tensorlane/base/parallel.h"
#include "tensorlane/compute/products/any_type_test_support.h"

namespace tensorlane {
namespace {

using operands_test::align_up;
using operands_test::any_bits;
using operands_test::any_values;
using operands_test::any_window;
using operands_test::fill_any_type;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::place_any_type;
using operands_test::Values;

AnyTypeConv2dArgs rebase(AnyTypeConv2dArgs args, OperandMemory& memory) {
  for (LocalView* view : {&args.input, &args.weight, &args.bias, &args.output,
                          &args.zero_point.view, &args.padding.view, &args.insert_value.view}) {
    *view = memory.here(*view);
  }
  return args;
}

void place_and_fill(AnyTypeConv2dArgs& args, OperandMemory& memory, int input_start,
                    int output_start, Values values, std::mt19937& random) {
  const Window2d& window = args.window;
  const int weights = static_cast<int>(args.weight_count());
  args.weight =
      place_any_type(memory, args.weight_type, output_start, 1, args.output_c, 1, weights, false);
  args.bias = place_any_type(memory, args.bias_type, output_start, 1, args.output_c, 1, 1, false);
  args.output = place_any_type(memory, args.output_type, output_start, args.n, args.output_c,
                               window.output_h, window.output_w);
  if (args.input.memory == nullptr) {
    args.input = place_any_type(memory, args.input_type, input_start, args.n, args.input_c,
                                args.input_h, args.input_w);
  }
  fill_any_type(args.input, args.input_type, args.n, args.input_c, args.input_h, args.input_w,
                values, random);
  fill_any_type(args.weight, args.weight_type, 1, args.output_c, 1, weights, values, random);
  fill_any_type(args.bias, args.bias_type, 1, args.output_c, 1, 1, values, random);
  fill_any_type(args.output, args.output_type, args.n, args.output_c, window.output_h,
                window.output_w, values, random);
  args.weight_bits = any_bits(args.weight_type, values, random);
}

AnyTypeConv2dArgs any_shape(int most_channels) {
  AnyTypeConv2dArgs args;
  args.n = in_range(1, 2);
  args.input_c = in_range(1, most_channels);
  args.input_h = in_range(1, 9);
  args.input_w = in_range(1, 21);
  args.output_c = in_range(1, 11);
  args.rotate = *rc::gen::arbitrary<bool>();
  args.weight_is_constant = in_range(0, 5) == 0;
  if (in_range(0, 2) == 0) {
    args.insert_h = in_range(0, 3);
    args.insert_w = in_range(0, 3);
  }
  args.window = any_window(args.inserted_h(), args.inserted_w(), 3, 2);
  return args;
}

void with_strided_input(AnyTypeConv2dArgs& args, OperandMemory& memory, int start) {
  const int bytes = dtype_bytes(args.input_type);
  args.input = memory.place(start, args.n, args.input_c, args.input_h, args.input_w, 0,
                            2 * args.input_w + in_range(0, 5), 2, bytes);
}

// In any output type, with any start and bias, of any values.
void expect_floats_equal(AnyTypeConv2dArgs& args, OperandMemory& memory) {
  args.result_add = *rc::gen::arbitrary<bool>();
  args.has_bias = *rc::gen::arbitrary<bool>();
  args.output_type =
      args.result_add ? Dtype::kFp32 : *rc::gen::element(Dtype::kFp32, args.input_type);
  const int start = in_range(0, 7);
  if (in_range(0, 3) == 0) with_strided_input(args, memory, start);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  place_and_fill(args, memory, start, in_range(0, 7), any_values(), random);
  expect_simd_equals_reference(memory, args, rebase, any_type_conv2d_reference,
                               any_type_conv2d_simd);
}

RC_GTEST_PROP(AnyTypeConv2d, SimdEqualsReferenceBitForBitOnFloats, ()) {
  OperandMemory memory(8, 1 << 17);
  AnyTypeConv2dArgs args = any_shape(70);
  args.input_type = *rc::gen::element(Dtype::kFp32, Dtype::kFp16, Dtype::kBf16);
  args.weight_type = args.input_type;
  expect_floats_equal(args, memory);
}

// So many output channels that the tiles of 16-bit floats go by logarithms.
RC_GTEST_PROP(AnyTypeConv2d, ManyChannelsOfHalvesEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 18);
  AnyTypeConv2dArgs args = any_shape(70);
  args.output_c = in_range(32, 45);
  args.input_type = args.weight_type = *rc::gen::element(Dtype::kFp16, Dtype::kBf16);
  args.block_channels = *rc::gen::element(16, kBlockChannels);
  expect_floats_equal(args, memory);
}

RC_GTEST_PROP(AnyTypeConv2d, SimdEqualsReferenceBitForBitOnIntegers, ()) {
  OperandMemory memory(8, 1 << 17);
  AnyTypeConv2dArgs args = any_shape(70);
  const auto int8 = [] { return *rc::gen::element(Dtype::kInt8, Dtype::kUint8); };
  args.input_type = int8();
  args.weight_type = int8();
  const bool wide = *rc::gen::arbitrary<bool>();  // the asymmetric functions
  args.output_type =
      wide ? Dtype::kInt32
           : *rc::gen::element(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16);
  args.bias_type = *rc::gen::element(Dtype::kInt16, Dtype::kUint16);
  args.has_bias = *rc::gen::arbitrary<bool>();
  args.result_add = wide && *rc::gen::arbitrary<bool>();
  args.finish = {.output = args.output_type,
                 .shift = wide ? 0 : -in_range(0, 31),
                 .relu = *rc::gen::arbitrary<bool>(),
                 .saturate = !wide};
  const int start = in_range(0, 7);
  if (in_range(0, 3) == 0) with_strided_input(args, memory, start);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  place_and_fill(args, memory, start, in_range(0, 7), Values::kPlain, random);
  const bool plain = *rc::gen::arbitrary<bool>();  // no zero points, padding of the input's type
  args.zero_point.value = plain ? 0 : in_range(-128, 127);
  args.padding.value = in_range(-128, 127);
  args.insert_value.value = in_range(-128, 127);
  if (plain && *rc::gen::arbitrary<bool>()) {
    args.padding.value = args.insert_value.value = in_range(0, 127);
  }
  if (!plain && *rc::gen::arbitrary<bool>()) {
    args.zero_point = {.per_channel = true,
                       .view = place_any_type(memory, Dtype::kInt8, args.weight.start_npu, 1,
                                              args.output_c, 1, 1, false),
                       .type = int8()};
    fill_any_type(args.zero_point.view, Dtype::kInt8, 1, args.output_c, 1, 1, Values::kPlain,
                  random);
    args.padding = {
        .per_channel = true,
        .view = place_any_type(memory, Dtype::kInt8, start, 1, args.input_c, 1, 2, false),
        .type = args.input_type};
    fill_any_type(args.padding.view, Dtype::kInt8, 1, args.input_c, 1, 2, Values::kPlain, random);
    args.insert_value = args.padding;
    args.insert_value.at = 1;
  }
  expect_simd_equals_reference(memory, args, rebase, any_type_conv2d_reference,
                               any_type_conv2d_simd);
}

// Sizes like those of networks: every block of the fast path, bands and threads.
TEST(AnyTypeConv2d, SimdEqualsReferenceOnNetworkSizes) {
  struct Case {
    Dtype type, output;
    int n, input_c, size, output_c, kernel, stride;
  };
  for (const Case& c : {Case{Dtype::kFp16, Dtype::kFp16, 1, 40, 9, 21, 3, 1},
                        Case{Dtype::kBf16, Dtype::kFp32, 2, 40, 7, 17, 1, 1},
                        Case{Dtype::kFp16, Dtype::kFp32, 1, 3, 25, 9, 7, 2},
                        Case{Dtype::kInt8, Dtype::kInt8, 2, 130, 9, 66, 3, 1},
                        Case{Dtype::kUint8, Dtype::kInt16, 1, 3, 64, 32, 7, 2},
                        Case{Dtype::kFp32, Dtype::kFp32, 1, 33, 20, 40, 3, 1}}) {
    SCOPED_TRACE(testing::Message() << dtype_name(c.type) << " " << c.input_c);
    OperandMemory memory(64, 1 << 18);
    AnyTypeConv2dArgs args;
    args.input_type = c.type;
    args.weight_type = c.type == Dtype::kUint8 ? Dtype::kInt8 : c.type;
    args.output_type = c.output;
    args.bias_type = dtype_info(c.type).is_float ? Dtype::kFp32 : Dtype::kInt16;
    args.n = c.n;
    args.input_c = c.input_c;
    args.input_h = args.input_w = c.size;
    args.output_c = c.output_c;
    args.has_bias = true;
    args.finish = {.output = c.output, .shift = -8};
    Window2d& window = args.window;
    window.kernel_h = window.kernel_w = c.kernel;
    window.stride_h = window.stride_w = c.stride;
    window.pad_top = window.pad_left = c.kernel / 2;
    window.output_h = window.output_w =
        window_output_extent(c.size, c.kernel / 2, c.kernel / 2, c.kernel, c.stride, 1);
    std::mt19937 random(1);
    place_and_fill(args, memory, 0, 62, Values::kPlain, random);
    OperandMemory fast = memory;
    any_type_conv2d_reference(args);
    ASSERT_TRUE(any_type_conv2d_simd(rebase(args, fast)));
    EXPECT_EQ(first_difference(memory, fast), "");
  }
}

// A kernel of one element over one row is computed strip by strip, each of which reads its own
// columns of the input: more than one where the row is long or goes to several threads.
TEST(AnyTypeConv2d, StripsOfALongRowReadTheirColumns) {
  struct SmallWorkOnThreads {
    SmallWorkOnThreads() { parallel_trial.smaller = 12, parallel_trial.order = 1; }
    ~SmallWorkOnThreads() { parallel_trial.smaller = 0, parallel_trial.order = 0; }
  };
  for (const Dtype type : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16, Dtype::kInt8}) {
    for (const bool strided : {false, true}) {
      SCOPED_TRACE(testing::Message() << dtype_name(type) << (strided ? " strided" : ""));
      OperandMemory memory(8, 1 << 18);
      const bool is_float = dtype_info(type).is_float;
      AnyTypeConv2dArgs args;
      args.input_type = args.weight_type = args.output_type = type;
      args.bias_type = is_float ? Dtype::kFp32 : Dtype::kInt16;
      args.n = 1;
      args.input_c = 5;
      args.input_h = 1;
      args.input_w = 5000;
      args.output_c = 9;
      args.finish = {.output = type, .shift = -4};
      args.window.output_h = 1;
      args.window.output_w = args.input_w;
      if (strided) {
        args.input = memory.place(0, args.n, args.input_c, args.input_h, args.input_w, 0,
                                  2 * args.input_w, 2, dtype_bytes(type));
      }
      std::mt19937 random(1);
      place_and_fill(args, memory, 0, 0, Values::kPlain, random);
      OperandMemory fast = memory;
      any_type_conv2d_reference(args);
      limit_threads(4);
      {
        const SmallWorkOnThreads threads;
        ASSERT_TRUE(any_type_conv2d_simd(rebase(args, fast)));
      }
      EXPECT_EQ(first_difference(memory, fast), "");
    }
  }
}

TEST(AnyTypeConv2d, WeightIndicesOfTheDocument) {
  AnyTypeConv2dArgs args;
  args.input_c = 70;
  args.window.kernel_h = 2;
  args.window.kernel_w = 3;
  args.weight_type = Dtype::kInt8;  // 64IC
  EXPECT_EQ(args.weight_count(), 768);
  EXPECT_EQ(args.weight_index(0, 0, 1), 64);
  EXPECT_EQ(args.weight_index(0, 1, 0), 192);
  EXPECT_EQ(args.weight_index(64, 0, 0), 384);
  EXPECT_EQ(args.weight_index(65, 1, 2), 705);
  args.weight_type = Dtype::kFp16;  // 32IC
  EXPECT_EQ(args.weight_count(), 576);
  EXPECT_EQ(args.weight_index(32, 0, 0), 192);
  EXPECT_EQ(args.weight_index(33, 1, 2), 353);
  args.weight_type = Dtype::kFp32;
  EXPECT_EQ(args.weight_index(3, 1, 2), 3 * 6 + 5);
}

}  // namespace
}  // namespace tensorlane
