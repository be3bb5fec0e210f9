// One use of each component: a tensor becomes a file, the file a local tensor of the BM1684, and
// that a drawing.
#include <cstdio>
#include <filesystem>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/io/npy.h"
#include "tensorlane/layout/convert.h"

using namespace tensorlane;

int main(int, char** argv) {
  try {
    const std::string file = std::string(argv[0]) + ".npy";
    Tensor tensor{Dtype::kFp32, {1, 100, 3, 5}, {}};
    tensor.data.resize(tensor_bytes(tensor.dtype, tensor.shape, "tensor"));
    write_npy_file(file, tensor);
    const bool same = read_npy_file(file) == tensor;
    std::filesystem::remove(file);

    const NamedLayout local =
        make_layout({.layout = "aligned", .shape = tensor.shape, .memory = bm1684().local});
    const bool drawn = draw_svg(local).starts_with("<svg");
    make_layout({.layout = "alined", .shape = tensor.shape});
    std::printf("an unknown layout was found; %d %d\n", same, drawn);
  } catch (const UserError& error) {
    return std::string(error.what()).find("aligned") != std::string::npos ? 0 : 1;
  }
  return 1;
}
