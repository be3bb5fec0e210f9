#include <cstdio>

#include "tensorlane/tensor/dtype.h"

int main() {
  const int bytes = tensorlane::dtype_bytes(tensorlane::parse_dtype("fp32"));
  std::printf("an fp32 element has %d bytes\n", bytes);
  return bytes == 4 ? 0 : 1;
}
