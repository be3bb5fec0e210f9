#include "tensorlane/compute/windows/any_type_window.h"

#include <algorithm>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/float_maximum.h"

namespace tensorlane {
namespace {

struct WindowPosition {
  int n, c, oh, ow;
};

// The element under a position of the window; null on padding, and on inserted elements.
struct Element {
  bool is_padding = false;
  const std::byte* address = nullptr;
};

Element element_at(const AnyTypeWindowArgs& args, const WindowPosition& at, int kh, int kw) {
  const int row = args.window.input_row(at.oh, kh);
  const int column = args.window.input_column(at.ow, kw);
  if (row < 0 || row >= args.inserted_h() || column < 0 || column >= args.inserted_w()) {
    return {.is_padding = true};
  }
  const int step_h = args.insert_h + 1;
  const int step_w = args.insert_w + 1;
  if (row % step_h != 0 || column % step_w != 0) return {};
  return {.address = args.input.address(at.n, at.c, row / step_h, column / step_w)};
}

std::uint32_t bits_at(const AnyTypeWindowArgs& args, const WindowPosition& at, int kh, int kw) {
  const Element element = element_at(args, at, kh, kw);
  if (element.is_padding) return args.padding_bits;
  return element.address == nullptr ? 0 : load_bits(element.address, args.input_type);
}

float float_at(const AnyTypeWindowArgs& args, const WindowPosition& at, int kh, int kw) {
  return bits_to_float(bits_at(args, at, kh, kw), args.input_type);
}

std::int64_t integer_at(const AnyTypeWindowArgs& args, const WindowPosition& at, int kh, int kw) {
  const Element element = element_at(args, at, kh, kw);
  if (element.is_padding) return args.padding.of(at.c);
  if (element.address == nullptr) return args.insert_value.of(at.c);
  return load_integer(element.address, args.input_type);
}

// visit(kh, kw) for every position of the window in order
template <class Visit>
void for_each_position(const Window2d& window, Visit visit) {
  for (int kh = 0; kh < window.kernel_h; ++kh) {
    for (int kw = 0; kw < window.kernel_w; ++kw) visit(kh, kw);
  }
}

float sum_floats(const AnyTypeWindowArgs& args, const WindowPosition& at) {
  const Dtype type = args.input_type;
  const auto rounded = [type](float value) {
    return bits_to_float(float_to_bits(value, type), type);
  };
  const float start = args.starts_empty ? -0.0F : 0.0F;
  const float bias =
      args.has_bias ? load_float(args.bias.address(0, at.c, 0, 0), args.bias_type) : start;
  float chain[2] = {start, args.bias_is_last ? start : bias};
  int step = 0;
  for_each_position(args.window, [&](int kh, int kw) {
    const float weight = bits_to_float(args.weight_bits_at(at.c, kh, kw), args.weight_type);
    float& sum = chain[step++ % 2];
    sum = rounded(sum + rounded(float_at(args, at, kh, kw) * weight));
  });
  const float sum = rounded(chain[0] + chain[1]);
  return args.has_bias && args.bias_is_last ? rounded(sum + bias) : sum;
}

std::uint32_t maximum_of_floats(const AnyTypeWindowArgs& args, const WindowPosition& at) {
  FloatMaximum maximum(args.input_type, args.nan_loses);
  for_each_position(args.window, [&](int kh, int kw) { maximum.add(bits_at(args, at, kh, kw)); });
  return maximum.bits();
}

std::int64_t sum_integers(const AnyTypeWindowArgs& args, const WindowPosition& at) {
  std::int64_t sum = 0;
  for_each_position(args.window, [&](int kh, int kw) {
    sum += integer_at(args, at, kh, kw) *
           bits_to_integer(args.weight_bits_at(at.c, kh, kw), args.weight_type);
  });
  if (args.has_bias) sum += load_integer(args.bias.address(0, at.c, 0, 0), args.bias_type);
  return args.finish.apply(sum);
}

std::int64_t maximum_of_integers(const AnyTypeWindowArgs& args, const WindowPosition& at) {
  std::int64_t maximum = integer_at(args, at, 0, 0);
  for_each_position(args.window, [&](int kh, int kw) {
    maximum = std::max(maximum, integer_at(args, at, kh, kw));
  });
  return maximum;
}

}  // namespace

std::uint32_t AnyTypeWindowArgs::weight_bits_at(int channel, int kh, int kw) const {
  if (weight_is_constant) return weight_bits;
  if (rotate) {
    kh = window.kernel_h - 1 - kh;
    kw = window.kernel_w - 1 - kw;
  }
  return load_bits(weight.address(0, channel, kh, kw), weight_type);
}

std::uint32_t any_type_window_maximum(const AnyTypeWindowArgs& args, int n, int c, int oh, int ow) {
  return maximum_of_floats(args, {n, c, oh, ow});
}

void any_type_window_reference(const AnyTypeWindowArgs& args) {
  ChipFloatScope chip_float;
  const bool sum = args.rule == WindowRule::kSum;
  for (int n = 0; n < args.n; ++n) {
    for (int c = 0; c < args.c; ++c) {
      for (int oh = 0; oh < args.window.output_h; ++oh) {
        for (int ow = 0; ow < args.window.output_w; ++ow) {
          const WindowPosition at{n, c, oh, ow};
          std::byte* out = args.output.address(n, c, oh, ow);
          if (args.is_float() && sum) {
            store_float(out, args.output_type, sum_floats(args, at));
          } else if (args.is_float()) {
            store_bits(out, args.output_type, maximum_of_floats(args, at));
          } else {
            store_integer(out, args.output_type,
                          sum ? sum_integers(args, at) : maximum_of_integers(args, at));
          }
        }
      }
    }
  }
}

}  // namespace tensorlane
