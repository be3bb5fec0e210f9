// Plain double-precision loops that the examples check the kernels against.
#ifndef EXAMPLES_OKKERNEL_COMMON_NN_REFERENCE_H_
#define EXAMPLES_OKKERNEL_COMMON_NN_REFERENCE_H_

#include <cstddef>
#include <vector>

namespace example {

// A sliding window along one axis: size, padding before and after, step, dilation.
struct Window {
  int kernel, before, after, step, dilation;
  int outputs(int inputs) const {
    return (inputs + before + after - ((kernel - 1) * dilation + 1)) / step + 1;
  }
};

// `groups` is 1 (convolution) or ic (depthwise: oc == ic, weight oc x 1 x kh x kw).
// input n x ic x h x w, weight oc x ic / groups x kh x kw, bias oc values or empty.
inline std::vector<double> conv2d_reference(const std::vector<float>& input,
                                            const std::vector<float>& weight,
                                            const std::vector<float>& bias, int n, int ic, int oc,
                                            int h, int w, Window y, Window x, int groups) {
  const int oh = y.outputs(h), ow = x.outputs(w), per_group = ic / groups;
  std::vector<double> output(static_cast<std::size_t>(n) * oc * oh * ow);
  for (int b = 0; b < n; ++b) {
    for (int o = 0; o < oc; ++o) {
      double* plane = &output[(static_cast<std::size_t>(b) * oc + o) * oh * ow];
      for (int i = 0; i < oh * ow; ++i) plane[i] = bias.empty() ? 0.0 : bias[o];
      for (int g = 0; g < per_group; ++g) {
        const int channel = groups == 1 ? g : o;
        const float* in = &input[(static_cast<std::size_t>(b) * ic + channel) * h * w];
        for (int ky = 0; ky < y.kernel; ++ky) {
          for (int kx = 0; kx < x.kernel; ++kx) {
            const double tap =
                weight[((static_cast<std::size_t>(o) * per_group + g) * y.kernel + ky) * x.kernel +
                       kx];
            for (int i = 0; i < oh; ++i) {
              const int row = i * y.step + ky * y.dilation - y.before;
              if (row < 0 || row >= h) continue;
              for (int j = 0; j < ow; ++j) {
                const int column = j * x.step + kx * x.dilation - x.before;
                if (column < 0 || column >= w) continue;
                plane[i * ow + j] += tap * in[static_cast<std::size_t>(row) * w + column];
              }
            }
          }
        }
      }
    }
  }
  return output;
}

// left rows x depth, right depth x cols.
inline std::vector<double> matmul_reference(const std::vector<float>& left,
                                            const std::vector<float>& right, std::size_t rows,
                                            std::size_t depth, std::size_t cols) {
  std::vector<double> output(rows * cols, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    double* out = &output[i * cols];
    for (std::size_t k = 0; k < depth; ++k) {
      const double a = left[i * depth + k];
      const float* b = &right[k * cols];
      for (std::size_t j = 0; j < cols; ++j) out[j] += a * b[j];
    }
  }
  return output;
}

}  // namespace example

#endif  // EXAMPLES_OKKERNEL_COMMON_NN_REFERENCE_H_
