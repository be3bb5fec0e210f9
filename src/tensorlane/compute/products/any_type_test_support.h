// What the tests of products of any type share: random values of any dtype.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_ANY_TYPE_TEST_SUPPORT_H_
#define TENSORLANE_COMPUTE_PRODUCTS_ANY_TYPE_TEST_SUPPORT_H_

#include <random>

#include "tensorlane/compute/bands/operands_test_support.h"
#include "tensorlane/compute/element_io.h"

namespace tensorlane::operands_test {

// Bits of a random element. Floats are drawn as `values` says; every other one of the plain 16-bit
// values has a small exponent, so that the units of a block matter.
inline std::uint32_t any_bits(Dtype dtype, Values values, std::mt19937& random) {
  if (!dtype_info(dtype).is_float) return random();
  float value = draw(values, random);
  if (values == Values::kPlain && random() % 2 == 0) {
    value = std::ldexp(value, -static_cast<int>(random() % 12));
  }
  return float_to_bits(value, dtype);
}

inline void fill_any_type(const LocalView& view, Dtype dtype, int n, int c, int h, int w,
                          Values values, std::mt19937& random) {
  for (int in = 0; in < n; ++in)
    for (int ic = 0; ic < c; ++ic)
      for (int ih = 0; ih < h; ++ih)
        for (int iw = 0; iw < w; ++iw)
          store_bits(view.address(in, ic, ih, iw), dtype, any_bits(dtype, values, random));
}

// The layout of a NULL stride on the BM1684X: channel slots at multiples of 64 bytes.
inline LocalView place_any_type(OperandMemory& memory, Dtype dtype, int start, int n, int c, int h,
                                int w, bool aligned = true) {
  const int bytes = dtype_bytes(dtype);
  const std::int64_t plane = std::int64_t{h} * w;
  return memory.place(start, n, c, h, w, aligned ? align_up(plane, 64 / bytes) : plane, 0, 1,
                      bytes);
}

}  // namespace tensorlane::operands_test

#endif  // TENSORLANE_COMPUTE_PRODUCTS_ANY_TYPE_TEST_SUPPORT_H_
