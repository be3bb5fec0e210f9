// Problems of quantisation for its tests.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_TEST_SUPPORT_H_
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_TEST_SUPPORT_H_

#include "tensorlane/compute/products/any_type_test_support.h"
#include "tensorlane/compute/products/quantize.h"

namespace tensorlane::operands_test {

// The same problem on the operands of `memory`.
inline QuantArgs rebase(QuantArgs args, OperandMemory& memory) {
  for (LocalView* view : {&args.dst, &args.src, &args.quant}) *view = memory.here(*view);
  return args;
}

}  // namespace tensorlane::operands_test

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_TEST_SUPPORT_H_
