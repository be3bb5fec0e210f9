#include "../common/host.h"
#include "args.h"

typedef signed char int8;

#ifdef BACKEND_1684X
typedef int8 weight_type;
typedef short bias_type;
static const int kGroup = 64;
#else
typedef float weight_type;
typedef float bias_type;
static const int kGroup = 2;
#endif

// Weights (o, i, 3, 3) as the chip reads them (lesson 7).
static std::vector<weight_type> packed(const std::vector<int8>& weight, int oc, int ic) {
  const int groups = (ic + kGroup - 1) / kGroup;
  std::vector<weight_type> out(static_cast<std::size_t>(oc) * groups * 9 * kGroup);
  for (int o = 0; o < oc; ++o) {
    for (int i = 0; i < ic; ++i) {
      const int outer = kGroup == 2 ? i / kGroup * oc + o : o * groups + i / kGroup;
      for (int tap = 0; tap < 9; ++tap)
        out[(outer * 9 + tap) * kGroup + i % kGroup] = weight[(o * ic + i) * 9 + tap];
    }
  }
  return out;
}

// Where an element of image n lies among bytes: on the BM1684 four images share a word (4N).
static std::size_t place(int n, int at, int size) {
#ifdef BACKEND_1684X
  return static_cast<std::size_t>(n) * size + at;
#else
  return (static_cast<std::size_t>(n / 4) * size + at) * 4 + n % 4;
#endif
}

static int8 small(int i) {
  return static_cast<int8>(i * 37 % 255 - 127);
}

int main() {
  const int n = 4, ic = 35, oc = 70, h = 9, w = 11, rshift = 9;
  std::vector<int8> input(n * ic * h * w), weight(oc * ic * 9);
  std::vector<bias_type> bias;
  std::vector<float> want;
  for (int image = 0; image < n; ++image) {
    for (int i = 0; i < ic * h * w; ++i) input[place(image, i, ic * h * w)] = small(i + image);
  }
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = small(static_cast<int>(i) * 5);
  for (int o = 0; o < oc; ++o) bias.push_back(static_cast<bias_type>(o * 321 - 9000));
  for (int image = 0; image < n; ++image) {
    for (int at = 0; at < oc * h * w; ++at) {
      const int o = at / (h * w), row = at / w % h, col = at % w;
      int sum = static_cast<int>(bias[o]);
      for (int i = 0; i < ic; ++i) {
        for (int tap = 0; tap < 9; ++tap) {
          const int y = row + tap / 3 - 1, x = col + tap % 3 - 1;
          if (y >= 0 && y < h && x >= 0 && x < w)
            sum += weight[(o * ic + i) * 9 + tap] *
                   input[place(image, (i * h + y) * w + x, ic * h * w)];
        }
      }
      // Rounded half up, then what a byte can hold.
      const int rounded =
          static_cast<int>(std::floor((sum + (1 << (rshift - 1))) / std::ldexp(1, rshift)));
      want.push_back(static_cast<float>(rounded > 127 ? 127 : rounded < -128 ? -128 : rounded));
    }
  }

  Device device;
  const Buffer<int8> from(device, input);
  const Buffer<weight_type> filters(device, packed(weight, oc, ic));
  const Buffer<bias_type> biases(device, bias);
  const Buffer<int8> to(device, want.size());
  device.launch("quantised", args_t{n, ic, oc, h, w, rshift, to.address(), from.address(),
                                    filters.address(), biases.address()});
  const std::vector<int8> bytes = to.read();
  std::vector<float> got(want.size());
  for (int image = 0; image < n; ++image) {
    for (int at = 0; at < oc * h * w; ++at)
      got[image * oc * h * w + at] = bytes[place(image, at, oc * h * w)];
  }
  return compare("quantised", got, want);
}
