// U = G g G^T for 3x3 filters g, one work-item each: (block + 2)^2 values of U per filter, in the
// order of operations of tensorlane/layout/winograd.h, so that the bits are the same.
//
//   PLAIN_HALF  1: the filters are half, 0: float; the result is float

#pragma OPENCL FP_CONTRACT OFF

#if PLAIN_HALF
#define PLAIN half
#define LOAD(plain, at) vload_half(at, plain)
#else
#define PLAIN float
#define LOAD(plain, at) (plain)[at]
#endif

kernel void winograd_filter(global const PLAIN* filters, global float* transformed,
                            constant const float* g, const int side, const int count) {
  const int item = get_global_id(0);
  if (item >= count) return;
  float filter[9];
  for (int i = 0; i < 9; ++i) filter[i] = LOAD(filters, item * 9 + i);
  global float* tile = transformed + item * side * side;
  for (int r = 0; r < side; ++r) {
    float left[3];  // row r of G g
    for (int col = 0; col < 3; ++col) {
      left[col] = 0;
      for (int k = 0; k < 3; ++k) left[col] += g[r * 3 + k] * filter[k * 3 + col];
    }
    for (int s = 0; s < side; ++s) {
      tile[r * side + s] = left[0] * g[s * 3] + left[1] * g[s * 3 + 1] + left[2] * g[s * 3 + 2];
    }
  }
}
