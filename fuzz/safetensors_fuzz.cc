// Any bytes as a safetensors file: every tensor that it lists can be read, or is refused by a
// UserError.
#include "fuzz_support.h"
#include "tensorlane/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tensorlane;
  const FuzzInput input = split_input(data, size);
  allow_user_errors([&] {
    const SafetensorsFile file(input.file);
    std::uint64_t bytes = 0;
    for (const TensorInfo& info : file.tensors()) {
      bytes += info.bytes;
      allow_user_errors([&] {
        const Tensor tensor = file.read(info.name, input.dtype);
        check_tensor(tensor, "read");
        require(tensor.shape == info.shape);
      });
    }
    require(bytes <= input.file.size());
  });
  return 0;
}
