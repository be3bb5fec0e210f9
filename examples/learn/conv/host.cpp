#include "../common/host.h"
#include "args.h"

#ifdef BACKEND_1684X
typedef unsigned short element;  // fp16
static const int kGroup = 32;

// A whole number up to 2048 as fp16.
static element of(float x) {
  if (x == 0) return 0;
  int exponent;
  const float fraction = std::frexp(std::fabs(x), &exponent);  // from 0.5 up to 1
  const int bits = (exponent + 14) << 10 | (static_cast<int>(fraction * 2048) & 1023);
  return static_cast<element>(x < 0 ? bits | 0x8000 : bits);
}
#else
typedef float element;
static const int kGroup = 2;
static element of(float x) {
  return x;
}
#endif

static std::vector<element> converted(const std::vector<float>& data) {
  std::vector<element> out;
  for (float x : data) out.push_back(of(x));
  return out;
}

// Weights (o, i, 3, 3) as the chip reads them, the last group filled with zeros. The groups of the
// BM1684 stand outside the output channels, those of the BM1684X inside.
static std::vector<element> packed(const std::vector<float>& weight, int oc, int ic) {
  const int groups = (ic + kGroup - 1) / kGroup;
  std::vector<element> out(static_cast<std::size_t>(oc) * groups * 9 * kGroup, of(0));
  for (int o = 0; o < oc; ++o) {
    for (int i = 0; i < ic; ++i) {
      const int outer = kGroup == 2 ? i / kGroup * oc + o : o * groups + i / kGroup;
      for (int tap = 0; tap < 9; ++tap)
        out[(outer * 9 + tap) * kGroup + i % kGroup] = of(weight[(o * ic + i) * 9 + tap]);
    }
  }
  return out;
}

int main() {
  const int ic = 35, oc = 70, h = 14, w = 14;
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
  const Buffer<element> from(device, converted(input)), filters(device, packed(weight, oc, ic));
  const Buffer<float> to(device, want.size());
  device.launch("conv", args_t{ic, oc, h, w, to.address(), from.address(), filters.address()});
  return compare("conv", to.read(), want);
}
