// Which element lies in lane 1 of pixel (9, 5)? And which devices could hold the image?
#include <cstdio>

#include "tensorlane/opencl/image_transfer.h"
#include "tensorlane/opencl/kernel_text.h"
#include "tensorlane/opencl/verify.h"

int main() {
  using namespace tensorlane;
  const NamedLayout image =
      make_layout({.system = System::kMace, .layout = "IN_OUT_CHANNEL", .shape = {2, 3, 5, 6}});
  const Layout plain = opencl::plain_layout(image, Dtype::kFp32);
  const opencl::PixelMap map = opencl::pixel_map(image, plain, true);
  for (const opencl::DeviceInfo& device : opencl::list_devices()) {
    std::printf("%d: %s, images up to %d x %d\n", device.number, device.name.c_str(),
                static_cast<int>(device.max_width), static_cast<int>(device.max_height));
  }
  std::printf("%s", opencl::pixel_functions("input", image).c_str());
  return map.source(9, 5, 1) == 179 && !map.source(9, 5, 2) ? 0 : 1;
}
