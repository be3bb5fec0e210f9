// model_conv PACKED OFFSET: conv1 of the model, its weights taken from the packed file as they are.
#include "../common/host.h"
#include "args.h"

static std::vector<float> floats_at(const char* name, long offset, std::size_t count) {
  std::vector<float> data(count);
  std::FILE* file = std::fopen(name, "rb");
  if (file == nullptr || std::fseek(file, offset, SEEK_SET) != 0 ||
      std::fread(data.data(), sizeof(float), count, file) != count) {
    std::printf("cannot read %zu floats at %ld of %s\n", count, offset, name);
    std::exit(1);
  }
  std::fclose(file);
  return data;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::printf("usage: %s PACKED OFFSET\n", argv[0]), 1;
  const int ic = 35, oc = 70, h = 14, w = 14;
  // The right result, from the weights as the model has them.
  const std::vector<float> input = whole_numbers(ic * h * w), weight = whole_numbers(oc * ic * 9);
  std::vector<float> want(oc * h * w);
  for (int o = 0; o < oc; ++o) {
    for (int at = 0; at < h * w; ++at) {
      for (int i = 0; i < ic; ++i) {
        for (int tap = 0; tap < 9; ++tap) {
          const int y = at / w + tap / 3 - 1, x = at % w + tap % 3 - 1;
          if (y >= 0 && y < h && x >= 0 && x < w)
            want[o * h * w + at] += weight[(o * ic + i) * 9 + tap] * input[(i * h + y) * w + x];
        }
      }
    }
  }
  Device device;
  const int pairs = (ic + 1) / 2, rows = (oc + 63) / 64;  // 64 NPUs
  const std::size_t count = static_cast<std::size_t>(64) * pairs * rows * 9 * 2;
  const Buffer<float> from(device, input),
      filters(device, floats_at(argv[1], std::atol(argv[2]), count));
  const Buffer<float> to(device, want.size());
  device.launch("model_conv",
                args_t{ic, oc, h, w, to.address(), from.address(), filters.address()});
  return compare("conv1", to.read(), want);
}
