// Convolution on the BM1684X: every conv2d function of tpu_kernel.h is one of these.
//
//   input   [n, input_c, input_h, input_w], any strides; `insert` elements between its rows and
//           columns, padding around that
//   weight  [output_c, input_c, kernel_h, kernel_w] in groups of G input channels: 64IC for 8-bit,
//           32IC for 16-bit elements, no groups (G = 1) for fp32; output channel oc lies in NPU
//           (start + oc) mod npus, and there element (oc, ic, y, x) is
//             slot(oc)*G*kh*kw*ceil(ic_count/G) + (ic div G)*G*kh*kw + (y*kw + x)*G + ic mod G
//           elements behind the first. Or the same constant everywhere
//   bias    [1, output_c, 1, 1] compact
//   output  [n, output_c, output_h, output_w]
//
// Floats follow product_rules.h; sums of fp16 and bf16 are stored as fp32 or rounded once to the
// output's type. Integers: sum of input * (weight - zero point), then IntegerFinish.
// `rotate` turns the kernel by 180 degrees (transposed convolution).
#ifndef TENSORLANE_COMPUTE_WINDOWS_ANY_TYPE_CONV2D_H_
#define TENSORLANE_COMPUTE_WINDOWS_ANY_TYPE_CONV2D_H_

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/product_frame.h"
#include "tensorlane/compute/bands/window2d.h"
#include "tensorlane/compute/products/channel_value.h"
#include "tensorlane/compute/tiles/product_rules.h"

namespace tensorlane {

struct AnyTypeConv2dArgs {
  LocalView input;
  LocalView weight;  // base and start NPU; the strides follow from the groups
  LocalView bias;
  LocalView output;
  Dtype input_type = Dtype::kFp32;
  Dtype weight_type = Dtype::kFp32;
  Dtype bias_type = Dtype::kFp32;
  Dtype output_type = Dtype::kFp32;
  int n = 1;
  int input_c = 1;
  int input_h = 1;
  int input_w = 1;
  int output_c = 1;
  Window2d window;
  int insert_h = 0;
  int insert_w = 0;
  bool rotate = false;
  bool weight_is_constant = false;
  std::uint32_t weight_bits = 0;  // of the constant
  bool has_bias = false;
  bool result_add = false;
  int block_channels = kBlockChannels;  // of the rule kBlockSums
  // Integers only.
  ChannelValue zero_point;    // of the weights, per output channel
  ChannelValue padding;       // per input channel
  ChannelValue insert_value;  // per input channel
  IntegerFinish finish;

  ProductRule rule() const { return product_rule(input_type); }
  // Rows and columns with the inserted ones.
  int inserted_h() const { return (input_h - 1) * (insert_h + 1) + 1; }
  int inserted_w() const { return (input_w - 1) * (insert_w + 1) + 1; }
  // Elements from the first weight of an output channel to the one that meets input channel ic at
  // kernel position (kh, kw), which `rotate` turns.
  std::int64_t weight_index(int ic, int kh, int kw) const;
  // Elements of one output channel.
  std::int64_t weight_count() const;
  const std::byte* channel_weights(int oc) const;
  // Of the output `position` elements behind the first of (n, oc).
  std::byte* output_address(int n, int oc, std::int64_t position) const {
    return output.address(n, oc, 0, position);
  }
  // With the input laid out as `view`, its inserted elements in place.
  ProductFrame frame(const LocalView& view, int channels) const;
};

// Input channels that lie next to each other in weights of this type.
int weight_group(Dtype weight_type);

// Plain loops that define the result.
void any_type_conv2d_reference(const AnyTypeConv2dArgs& args);

// The same bits, fast. False when the case is outside what it handles (nothing is written then).
bool any_type_conv2d_simd(const AnyTypeConv2dArgs& args);
// Its two halves.
bool float_conv2d_simd(const AnyTypeConv2dArgs& args);
bool integer_conv2d_simd(const AnyTypeConv2dArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_WINDOWS_ANY_TYPE_CONV2D_H_
