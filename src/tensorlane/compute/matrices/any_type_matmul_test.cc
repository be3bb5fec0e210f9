#include "tensorlane/compute/matrices/any_type_matmul.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>

#include "tensorlane/compute/matrices/fp8_matmul.h"
#include "tensorlane/compute/products/any_type_test_support.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {
namespace {

using operands_test::any_bits;
using operands_test::any_values;
using operands_test::in_range;
using operands_test::OperandMemory;
using operands_test::place_any_type;
using operands_test::Values;

AnyTypeMatmulArgs rebase(AnyTypeMatmulArgs args, OperandMemory& memory) {
  for (AnyTypeMatrix* matrix :
       {&args.left, &args.right, &args.output, &args.bias, &args.zero_points, &args.shifts}) {
    matrix->view = memory.here(matrix->view);
  }
  return args;
}

// A rows x cols matrix in storage of either kind.
AnyTypeMatrix place(OperandMemory& memory, Dtype type, int rows, int cols, int per_channel,
                    bool transposed, int start) {
  AnyTypeMatrix matrix;
  matrix.type = type;
  matrix.transposed = transposed;
  matrix.cols_per_channel = per_channel;
  if (transposed) std::swap(rows, cols);
  matrix.view = per_channel == 0
                    ? place_any_type(memory, type, start, 1, rows, 1, cols)
                    : place_any_type(memory, type, start, rows,
                                     (cols + per_channel - 1) / per_channel, 1, per_channel);
  return matrix;
}

void fill(const AnyTypeMatrix& matrix, int rows, int cols, Values values, std::mt19937& random) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < cols; ++column) {
      store_bits(matrix.address(row, column), matrix.type, any_bits(matrix.type, values, random));
    }
  }
}

struct Types {
  Dtype left, right, output, bias;
};

struct Sizes {
  int rows, inner, cols;
};

Sizes any_sizes() {
  return {in_range(1, 19), in_range(1, 70), in_range(1, 60)};
}

AnyTypeMatmulArgs any_problem(OperandMemory& memory, const Types& types, Values values,
                              const Sizes& sizes = any_sizes()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  AnyTypeMatmulArgs args;
  args.rows = sizes.rows;
  args.inner = sizes.inner;
  args.cols = sizes.cols;
  const bool by_columns = *rc::gen::arbitrary<bool>();  // MM1, else MM2
  const auto per_channel = [&] { return by_columns ? in_range(1, 40) : 0; };
  const int start = by_columns ? in_range(0, 7) : 0;
  const bool all_trans = !by_columns && in_range(0, 2) == 0;
  const bool left_trans = all_trans || (by_columns && in_range(0, 1) == 0);
  const bool right_trans = all_trans || (!by_columns && in_range(0, 1) == 0);
  const int right_per_channel = per_channel();
  args.left =
      place(memory, types.left, args.rows, args.inner, per_channel(), left_trans, in_range(0, 7));
  args.right =
      place(memory, types.right, args.inner, args.cols, right_per_channel, right_trans, start);
  args.output =
      place(memory, types.output, args.rows, args.cols, right_per_channel, all_trans, start);
  args.bias = place(memory, types.bias, 1, args.cols, right_per_channel, false, start);
  fill(args.left, args.rows, args.inner, values, random);
  fill(args.right, args.inner, args.cols, values, random);
  fill(args.output, args.rows, args.cols, values, random);
  fill(args.bias, 1, args.cols, values, random);
  for (AnyTypeMatrix* matrix : {&args.left, &args.right}) {
    if (in_range(0, 5) == 0) {
      matrix->is_constant = true;
      matrix->bits = any_bits(matrix->type, values, random);
    }
  }
  args.has_bias = !all_trans && *rc::gen::arbitrary<bool>();
  args.finish.output = types.output;
  return args;
}

// The same where `sizes` are those of the result as it is stored: of one that is stored transposed
// the rows are its columns. Columns of right and output are `per_channel` to a channel, where they
// are divided, or as any_problem has them for 0.
AnyTypeMatmulArgs any_stored_problem(OperandMemory& memory, const Types& types, Values values,
                                     const Sizes& sizes, int per_channel = 0) {
  AnyTypeMatmulArgs args = any_problem(memory, types, values, sizes);
  if (!args.output.transposed && per_channel == 0) return args;
  if (args.output.transposed) std::swap(args.rows, args.cols);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const auto place_again = [&](AnyTypeMatrix& matrix, int rows, int cols, int columns) {
    if (matrix.is_constant) return;
    matrix =
        place(memory, matrix.type, rows, cols, columns, matrix.transposed, matrix.view.start_npu);
    fill(matrix, rows, cols, values, random);
  };
  const int divided = args.output.cols_per_channel;
  const int columns = divided == 0 || per_channel == 0 ? divided : per_channel;
  place_again(args.left, args.rows, args.inner, args.left.cols_per_channel);
  place_again(args.right, args.inner, args.cols, columns);
  place_again(args.output, args.rows, args.cols, columns);
  place_again(args.bias, 1, args.cols, columns);
  return args;
}

RC_GTEST_PROP(AnyTypeMatmul, SimdEqualsReferenceBitForBitOnFloats, ()) {
  OperandMemory memory(8, 1 << 17);
  const Dtype type = *rc::gen::element(Dtype::kFp32, Dtype::kFp16, Dtype::kBf16);
  const Dtype output = *rc::gen::element(Dtype::kFp32, type);
  AnyTypeMatmulArgs args = any_problem(memory, {type, type, output, Dtype::kFp32}, any_values());
  args.result_add = output == Dtype::kFp32 && *rc::gen::arbitrary<bool>();
  expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                               any_type_matmul_simd);
}

// Strips of columns, several of them, with the last tile of the last partly filled.
RC_GTEST_PROP(AnyTypeMatmul, ManyRowsOfHalvesEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 20);
  const Dtype type = *rc::gen::element(Dtype::kFp16, Dtype::kBf16);
  const Dtype output = *rc::gen::element(Dtype::kFp32, type);
  constexpr int kLong = 3;
  const bool is_long = in_range(0, kLong) == 0;
  const Sizes sizes = is_long ? Sizes{in_range(17, 30), in_range(1, 20), in_range(300, 700)}
                              : Sizes{in_range(17, 90), in_range(1, 130), in_range(1, 70)};
  AnyTypeMatmulArgs args =
      any_problem(memory, {type, type, output, Dtype::kFp32}, any_values(), sizes);
  args.block_channels = *rc::gen::element(16, kBlockChannels);
  args.result_add = output == Dtype::kFp32 && *rc::gen::arbitrary<bool>();
  expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                               any_type_matmul_simd);
}

// Whose sums are exact but for a few columns.
RC_GTEST_PROP(AnyTypeMatmul, NumbersOfFewBitsEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 19);
  const Dtype type =
      *rc::gen::element(Dtype::kFp16, Dtype::kBf16, Dtype::kFp8E4M3, Dtype::kFp8E5M2);
  const bool is_fp8 = dtype_bytes(type) == 1;
  const Dtype output = *rc::gen::element(Dtype::kFp32, is_fp8 ? Dtype::kFp16 : type);
  const Sizes sizes{in_range(17, 80), in_range(1, 90), in_range(1, 120)};
  AnyTypeMatmulArgs args =
      any_problem(memory, {type, type, output, Dtype::kFp32}, Values::kPlain, sizes);
  // No function takes fp8 split over channels by columns, or a constant.
  RC_PRE(!is_fp8 || args.left.cols_per_channel + args.right.cols_per_channel == 0);
  args.left.is_constant = args.left.is_constant && !is_fp8;
  args.right.is_constant = args.right.is_constant && !is_fp8;
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const int most = in_range(1, 8);
  const auto fill_with = [&](const AnyTypeMatrix& matrix, int rows, int cols) {
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < cols; ++column) {
        const float number = static_cast<float>(static_cast<int>(random() % 16) - 8) /
                             static_cast<float>(1 << (random() % static_cast<unsigned>(most)));
        std::uint32_t bits = 0;
        convert_elements(&bits, type, &number, Dtype::kFp32, 1);
        if (!matrix.is_constant) store_bits(matrix.address(row, column), type, bits);
      }
    }
  };
  fill_with(args.left, args.rows, args.inner);
  fill_with(args.right, args.inner, args.cols);
  if (in_range(0, 3) == 0 && !args.right.is_constant) {  // one that is of many bits, or none at all
    store_bits(args.right.address(in_range(0, args.inner), in_range(0, args.cols)), type,
               any_bits(type, Values::kSpecial, random));
  }
  if (in_range(0, 4) == 0 && !args.left.is_constant) {
    store_bits(args.left.address(in_range(0, args.rows), in_range(0, args.inner)), type,
               any_bits(type, Values::kSpecial, random));
  }
  args.result_add = output == Dtype::kFp32 && *rc::gen::arbitrary<bool>();
  if (is_fp8) {
    expect_simd_equals_reference(memory, args, rebase, fp8_matmul_reference, fp8_matmul_simd);
  } else {
    expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                                 any_type_matmul_simd);
  }
}

// So many rows by so few columns that rows are multiplied group by group as they are laid out, the
// last group partly filled.
RC_GTEST_PROP(AnyTypeMatmul, GroupsOfRowsOfFloatsEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 21);
  const Dtype type = *rc::gen::element(Dtype::kFp32, Dtype::kFp16, Dtype::kBf16);
  const Dtype output = *rc::gen::element(Dtype::kFp32, type);
  constexpr int kElements = 66000;
  const int inner = in_range(60, 130);
  const Sizes sizes{kElements / inner + in_range(1, 90), inner, in_range(1, 7)};
  AnyTypeMatmulArgs args =
      any_stored_problem(memory, {type, type, output, Dtype::kFp32}, any_values(), sizes);
  args.result_add = output == Dtype::kFp32 && *rc::gen::arbitrary<bool>();
  expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                               any_type_matmul_simd);
}

// With every kind of finish, and zero points of bytes.
AnyTypeMatmulArgs any_integer_problem(OperandMemory& memory, Dtype left, const Sizes& sizes) {
  const bool is_int8 = dtype_bytes(left) == 1;
  const Dtype right = is_int8 ? *rc::gen::element(Dtype::kInt8, Dtype::kUint8) : left;
  const Dtype output = is_int8 ? *rc::gen::element(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16,
                                                   Dtype::kUint16, Dtype::kInt32)
                               : Dtype::kInt32;
  AnyTypeMatmulArgs args =
      any_problem(memory, {left, right, output, Dtype::kInt16}, Values::kPlain, sizes);
  args.result_add = *rc::gen::arbitrary<bool>();
  args.finish.left_shift = in_range(0, 15);
  args.finish.shift = in_range(-31, 0);
  args.finish.rounding = static_cast<RoundingMode>(in_range(0, 6));
  args.finish.relu = *rc::gen::arbitrary<bool>();
  args.finish.saturate = output != Dtype::kInt32 || *rc::gen::arbitrary<bool>();
  if (!args.finish.saturate && *rc::gen::arbitrary<bool>()) args.finish.shift = 0;
  if (is_int8 && *rc::gen::arbitrary<bool>()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    args.zero_points = place(memory, right, 1, args.cols, 0, args.output.transposed, 0);
    fill(args.zero_points, 1, args.cols, Values::kPlain, random);
  }
  return args;
}

RC_GTEST_PROP(AnyTypeMatmul, SimdEqualsReferenceBitForBitOnIntegers, ()) {
  OperandMemory memory(8, 1 << 17);
  const Dtype left =
      *rc::gen::element(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16, Dtype::kInt32);
  expect_simd_equals_reference(memory, any_integer_problem(memory, left, any_sizes()), rebase,
                               any_type_matmul_reference, any_type_matmul_simd);
}

// Strips of columns, several of them, whatever other paths would take of these.
RC_GTEST_PROP(AnyTypeMatmul, ManyRowsOfIntegersEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 20);
  const Dtype left = *rc::gen::element(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16);
  constexpr int kLong = 3;
  const bool is_long = in_range(0, kLong) == 0;
  const Sizes sizes = is_long ? Sizes{in_range(17, 40), in_range(1, 20), in_range(500, 1100)}
                              : Sizes{in_range(17, 140), in_range(1, 150), in_range(1, 70)};
  expect_simd_equals_reference(memory, any_integer_problem(memory, left, sizes), rebase,
                               any_type_matmul_reference, integer_matmul_simd);
}

// Panels of both operands, several of them, with the last of each partly filled.
RC_GTEST_PROP(AnyTypeMatmul, ManyRowsOfBytesEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 20);
  const auto byte = [] { return *rc::gen::element(Dtype::kInt8, Dtype::kUint8); };
  const Dtype left = byte(), right = byte();
  const Dtype output = *rc::gen::element(Dtype::kInt32, Dtype::kUint32, Dtype::kUint8);
  constexpr int kLong = 4;  // one of so many problems has more than a panel of something
  const bool is_long = in_range(0, kLong) == 0;
  const Sizes sizes = is_long ? Sizes{in_range(17, 40), in_range(1, 20), in_range(500, 1100)}
                              : Sizes{in_range(17, 140), in_range(1, 150), in_range(1, 70)};
  AnyTypeMatmulArgs args =
      any_problem(memory, {left, right, output, Dtype::kInt16}, Values::kPlain, sizes);
  args.result_add = in_range(0, 3) == 0;
  args.finish.saturate = output == Dtype::kUint8;
  args.finish.shift = args.finish.saturate ? in_range(-12, 0) : 0;
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  switch (in_range(0, 3)) {
    case 0:
      break;
    case 1:
      args.zero_points = AnyTypeMatrix::constant(random() & 0xFFU, right);
      break;
    default:
      args.zero_points = place(memory, right, 1, args.cols, 0, args.output.transposed, 0);
      fill(args.zero_points, 1, args.cols, Values::kPlain, random);
  }
  expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                               any_type_matmul_simd);
}

// Sums of whole vectors of columns, which go straight to their rows.
RC_GTEST_PROP(AnyTypeMatmul, SumsOfBytesThatAreResultsEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 20);
  const auto byte = [] { return *rc::gen::element(Dtype::kInt8, Dtype::kUint8); };
  const Dtype left = byte(), right = byte();
  const Dtype output = *rc::gen::element(Dtype::kInt32, Dtype::kUint32);
  const auto some = [](int most) { return 16 * in_range(1, most); };
  const Sizes sizes{in_range(17, 90), in_range(1, 80), some(9)};
  AnyTypeMatmulArgs args = any_stored_problem(memory, {left, right, output, Dtype::kInt16},
                                              Values::kPlain, sizes, some(4));
  args.has_bias = false;
  args.finish.saturate = false;
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const int zero_points = in_range(0, 3);
  if (zero_points == 1) args.zero_points = AnyTypeMatrix::constant(random() & 0xFFU, right);
  if (zero_points == 2) {
    args.zero_points = place(memory, right, 1, args.cols, 0, args.output.transposed, 0);
    fill(args.zero_points, 1, args.cols, Values::kPlain, random);
  }
  expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                               any_type_matmul_simd);
}

// Rows of the right operand in parts that are read where they lie, being too long to be copied.
RC_GTEST_PROP(AnyTypeMatmul, BytesInLongPartsEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 20);
  const auto byte = [] { return *rc::gen::element(Dtype::kInt8, Dtype::kUint8); };
  const Dtype left = byte(), right = byte();
  const Sizes sizes{in_range(1, 40), in_range(1, 30), in_range(200, 1500)};
  AnyTypeMatmulArgs args =
      any_problem(memory, {left, right, Dtype::kInt32, Dtype::kInt16}, Values::kPlain, sizes);
  args.finish.saturate = false;
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  args.right = place(memory, right, args.inner, args.cols, in_range(100, 700), false, 0);
  fill(args.right, args.inner, args.cols, Values::kPlain, random);
  if (*rc::gen::arbitrary<bool>())
    args.zero_points = AnyTypeMatrix::constant(random() & 0xFFU, right);
  expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                               any_type_matmul_simd);
}

// Each NPU has zero points of its own, for the rows of right that it holds.
RC_GTEST_PROP(AnyTypeMatmul, ZeroPointsOfEachNpuEqualReferenceBitForBit, ()) {
  constexpr int kNpus = 8;
  OperandMemory memory(kNpus, 1 << 17);
  const auto byte = [] { return *rc::gen::element(Dtype::kInt8, Dtype::kUint8); };
  const Dtype left = byte(), right = byte();
  const Sizes sizes{in_range(1, 80), in_range(1, 60), in_range(1, 90)};
  AnyTypeMatmulArgs args =
      any_problem(memory, {left, right, Dtype::kInt32, Dtype::kInt16}, Values::kPlain, sizes);
  args.result_add = in_range(0, 3) == 0;
  args.finish.saturate = false;
  args.zero_points_by_npu = true;
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  args.zero_points = place(memory, byte(), kNpus, args.cols, 0, false, 0);
  fill(args.zero_points, kNpus, args.cols, Values::kPlain, random);
  if (in_range(0, 4) == 0)
    args.right = AnyTypeMatrix::constant(static_cast<std::uint32_t>(in_range(0, 255)), right);
  expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                               any_type_matmul_simd);
}

Dtype any_integer() {
  return *rc::gen::element(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16,
                           Dtype::kInt32, Dtype::kUint32);
}

// Sums of 64 bits with every kind of finish, with or without a shift per column.
AnyTypeMatmulArgs any_wide_problem(OperandMemory& memory, Dtype left, Dtype right,
                                   const Sizes& sizes) {
  const Dtype output = *rc::gen::element(Dtype::kInt32, Dtype::kUint32, Dtype::kInt16);
  AnyTypeMatmulArgs args =
      any_problem(memory, {left, right, output, Dtype::kInt16}, Values::kPlain, sizes);
  args.result_add = in_range(0, 3) == 0;
  args.finish.left_shift = in_range(0, 15);
  args.finish.shift = in_range(-64, 64);
  args.finish.rounding = static_cast<RoundingMode>(in_range(0, 6));
  args.finish.relu = in_range(0, 3) == 0;
  args.finish.saturate = in_range(0, 3) == 0;
  if (!args.output.transposed && *rc::gen::arbitrary<bool>()) {
    args.has_shifts = true;
    args.shifts = place(memory, Dtype::kInt8, 1, args.cols, 0, false, 0);
    const int step = in_range(1, 31);
    for (int column = 0; column < args.cols; ++column)
      store_integer(args.shifts.address(0, column), Dtype::kInt8, column * step % 127 - 63);
  }
  // What these fast paths leave to others.
  if (in_range(0, 4) == 0) {
    args.zero_points = AnyTypeMatrix::constant(static_cast<std::uint32_t>(in_range(1, 99)), right);
  }
  return args;
}

RC_GTEST_PROP(AnyTypeMatmul, WideSumsEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 17);
  const Dtype left = any_integer(), right = any_integer();
  // What this fast path takes: not one of 32 bits with sign and one without.
  RC_PRE(!(left == Dtype::kUint32 && dtype_info(right).is_signed));
  RC_PRE(!(right == Dtype::kUint32 && dtype_info(left).is_signed));
  expect_simd_equals_reference(memory, any_wide_problem(memory, left, right, any_sizes()), rebase,
                               any_type_matmul_reference, wide_matmul_simd);
}

RC_GTEST_PROP(AnyTypeMatmul, SumsOfDigitsEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 19);
  const Sizes sizes{in_range(17, 70), in_range(1, 90), in_range(1, 300)};
  expect_simd_equals_reference(memory,
                               any_wide_problem(memory, any_integer(), any_integer(), sizes),
                               rebase, any_type_matmul_reference, digit_matmul_simd);
}

// Of every number of rows, with sums of one part and of several.
RC_GTEST_PROP(AnyTypeMatmul, SumsOfPairsEqualReferenceBitForBit, ()) {
  OperandMemory memory(8, 1 << 20);
  const auto short_integer = [] {
    return *rc::gen::element(Dtype::kInt8, Dtype::kUint8, Dtype::kInt16, Dtype::kUint16);
  };
  const int inner = in_range(0, 3) == 0 ? in_range(250, 600) : in_range(1, 90);
  const Sizes sizes{in_range(1, 20), inner, in_range(1, inner > 90 ? 99 : 300)};
  expect_simd_equals_reference(memory,
                               any_wide_problem(memory, short_integer(), short_integer(), sizes),
                               rebase, any_type_matmul_reference, short_matmul_simd);
}

RC_GTEST_PROP(AnyTypeMatmul, SimdEqualsReferenceWithAShiftPerColumn, ()) {
  OperandMemory memory(8, 1 << 17);
  AnyTypeMatmulArgs args = any_problem(
      memory, {Dtype::kInt8, Dtype::kUint8, Dtype::kInt32, Dtype::kInt16}, Values::kPlain);
  if (args.output.transposed) args.output.transposed = false;
  RC_PRE(args.output.cols_per_channel != 0);
  args.has_shifts = true;
  args.shifts = place(memory, Dtype::kInt8, 1, args.cols, args.output.cols_per_channel, false,
                      args.output.view.start_npu);
  for (int column = 0; column < args.cols; ++column) {
    store_integer(args.shifts.address(0, column), Dtype::kInt8, column % 32 - 28);
  }
  args.finish.rounding = static_cast<RoundingMode>(in_range(0, 6));
  expect_simd_equals_reference(memory, args, rebase, any_type_matmul_reference,
                               any_type_matmul_simd);
}

}  // namespace
}  // namespace tensorlane
