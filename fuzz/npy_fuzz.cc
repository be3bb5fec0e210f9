// Any bytes as a .npy file: a tensor that survives being written and read again, or a UserError.
#include "fuzz_support.h"
#include "tensorlane/io/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tensorlane;
  const FuzzInput input = split_input(data, size);
  allow_user_errors([&] {
    const Tensor tensor = read_npy(input.file, input.dtype);
    check_tensor(tensor, "read");
    require(!input.dtype || tensor.dtype == *input.dtype);
    require(read_npy(npy_bytes(tensor), tensor.dtype) == tensor);
  });
  return 0;
}
