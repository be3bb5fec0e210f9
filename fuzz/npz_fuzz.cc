// Any bytes as a .npz archive: every tensor that it lists can be read, or is refused by a
// UserError.
#include "fuzz_support.h"
#include "tensorlane/io/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tensorlane;
  const FuzzInput input = split_input(data, size);
  allow_user_errors([&] {
    const NpzFile file(input.file);
    for (const TensorInfo& info : file.tensors()) {
      allow_user_errors([&] {
        const Tensor tensor = file.read(info.name, input.dtype);
        check_tensor(tensor, "read");
        require(tensor.shape == info.shape);
      });
    }
  });
  return 0;
}
