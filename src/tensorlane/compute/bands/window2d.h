// The sliding window of convolution and pooling.
//
// Output position (oh, ow) looks at input rows oh*stride_h + kh*dilation_h - pad_top and columns
// ow*stride_w + kw*dilation_w - pad_left, for kh < kernel_h and kw < kernel_w. Positions outside
// the input are padding. Padding at the bottom and right shows only in output_h and output_w.
#ifndef TENSORLANE_COMPUTE_BANDS_WINDOW2D_H_
#define TENSORLANE_COMPUTE_BANDS_WINDOW2D_H_

namespace tensorlane {

struct Window2d {
  int kernel_h = 1;
  int kernel_w = 1;
  int stride_h = 1;
  int stride_w = 1;
  int dilation_h = 1;
  int dilation_w = 1;
  int pad_top = 0;
  int pad_left = 0;
  int output_h = 0;
  int output_w = 0;

  int input_row(int oh, int kh) const { return oh * stride_h + kh * dilation_h - pad_top; }
  int input_column(int ow, int kw) const { return ow * stride_w + kw * dilation_w - pad_left; }
};

// Output extent of one axis (OKKernel manual, okk_bdc_conv2d). Not positive when the kernel does
// not fit.
constexpr int window_output_extent(int input, int pad_before, int pad_after, int kernel, int stride,
                                   int dilation) {
  const int room = input + pad_before + pad_after - ((kernel - 1) * dilation + 1);
  return room < 0 ? 0 : room / stride + 1;
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_WINDOW2D_H_
