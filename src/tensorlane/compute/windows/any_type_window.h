// Depthwise convolution and pooling: one window per output, every channel on its own.
//
//   input   [n, c, input_h, input_w]; `insert` elements between its rows and columns, padding
//           around that
//   weight  [1, c, kernel_h, kernel_w] compact, or the same constant everywhere
//   bias    [1, c, 1, 1] compact
//   output  [n, c, output_h, output_w]
//
// Rules, found bit for bit on the vendor's models; where they differ the BM1684X's comes first:
//
//   sum of floats  everything in the type of the operands: position t = kh*kernel_w + kw adds its
//                  rounded product to chain[t mod 2], each sum rounded; out = chain[0] + chain[1]
//                  rounded. The bias starts chain[1], or is added to `out` (bias_is_last). Zeros
//                  start the rest, or nothing does (starts_empty): a sum of negative zeros is one.
//                  Average pooling has its scale as weight
//   maximum        float_maximum.h; a NaN wins, or never does (nan_loses)
//   integers       exact sums, then IntegerFinish of product_rules.h
//
// Padding is a factor that takes part: zero in sums of floats, a number of the caller elsewhere.
#ifndef TENSORLANE_COMPUTE_WINDOWS_ANY_TYPE_WINDOW_H_
#define TENSORLANE_COMPUTE_WINDOWS_ANY_TYPE_WINDOW_H_

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/window2d.h"
#include "tensorlane/compute/products/channel_value.h"
#include "tensorlane/compute/tiles/product_rules.h"

namespace tensorlane {

enum class WindowRule : std::uint8_t { kSum, kMaximum };

struct AnyTypeWindowArgs {
  WindowRule rule = WindowRule::kSum;
  LocalView input;
  LocalView weight;
  LocalView bias;
  LocalView output;
  Dtype input_type = Dtype::kFp32;
  Dtype weight_type = Dtype::kFp32;
  Dtype bias_type = Dtype::kFp32;
  Dtype output_type = Dtype::kFp32;
  int n = 1;
  int c = 1;
  int input_h = 1;
  int input_w = 1;
  Window2d window;
  int insert_h = 0;
  int insert_w = 0;
  bool rotate = false;
  bool weight_is_constant = false;
  std::uint32_t weight_bits = 0;
  bool has_bias = false;
  bool bias_is_last = false;
  bool starts_empty = false;
  bool nan_loses = false;
  std::uint32_t padding_bits = 0;  // of a float
  ChannelValue padding;            // integers
  ChannelValue insert_value;       // integers; inserted floats are 0
  IntegerFinish finish;            // integers

  bool is_float() const { return dtype_info(input_type).is_float; }
  int inserted_h() const { return (input_h - 1) * (insert_h + 1) + 1; }
  int inserted_w() const { return (input_w - 1) * (insert_w + 1) + 1; }
  // The weight of a position of the window, rotated where the call says so.
  std::uint32_t weight_bits_at(int channel, int kh, int kw) const;
};

// Plain loops that define the result.
void any_type_window_reference(const AnyTypeWindowArgs& args);

// The bits of one maximum of floats.
std::uint32_t any_type_window_maximum(const AnyTypeWindowArgs& args, int n, int c, int oh, int ow);

// The same bits, fast. False when the case is outside what it handles (nothing is written then).
bool any_type_window_simd(const AnyTypeWindowArgs& args);
// Its part: sums of fp32 over windows of 3 by 3 in long rows.
bool row_windows_simd(const AnyTypeWindowArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_WINDOWS_ANY_TYPE_WINDOW_H_
