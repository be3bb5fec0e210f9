// Windows and products of small integers, whose sums are exact in any order, on random calls.
#include "tensorlane/tpukernel/documented_test_support.h"

namespace tensorlane::tpukernel::documented {
namespace {

struct Geometry {
  dim2 kernel, stride, dilation;
  padding_t padding;
  int output(int extent, bool along_h) const {
    const int reach = along_h ? (kernel.h - 1) * dilation.h : (kernel.w - 1) * dilation.w;
    const int pad = along_h ? padding.top + padding.bottom : padding.left + padding.right;
    return (extent + pad - reach - 1) / (along_h ? stride.h : stride.w) + 1;
  }
};

class DocumentedWindows : public Documented {
 protected:
  Geometry geometry() {
    for (;;) {
      const Geometry g{{random(1, 3), random(1, 3)},
                       {random(1, 2), random(1, 2)},
                       {random(1, 2), random(1, 2)},
                       {random(0, 1), random(0, 1), random(0, 1), random(0, 1)}};
      const int reach_h = (g.kernel.h - 1) * g.dilation.h,
                reach_w = (g.kernel.w - 1) * g.dilation.w;
      // Every window meets the input.
      if (shape_.h + g.padding.top + g.padding.bottom > reach_h &&
          shape_.w + g.padding.left + g.padding.right > reach_w && shape_.h >= 3 && shape_.w >= 3) {
        return g;
      }
      shape_.h = random(3, 6);
      shape_.w = random(3, 9);
    }
  }
  // Whole numbers of -8..8 without 0.
  void give_small(const PlacedTensor& t, const dim4& shape, data_type_t type) {
    each(shape, [&](Index at) {
      int value = random(type == DT_UINT8 ? 0 : -8, 8);
      if (value == 0) value = 1;  // products have no zeros, whose sign would be in question
      set(t, at,
          is_float(type) ? to_bits(value, type, RM_HALF_TO_EVEN)
                         : static_cast<std::uint32_t>(value));
    });
  }
  double number(const PlacedTensor& t, Index at, data_type_t type) const {
    return is_float(type) ? from_bits(bits(t, at), type)
                          : static_cast<double>(integer(t, at, type));
  }
  // `f(kernel row, kernel column, input index)` for each position of a window in the input; the
  // return value says how many there are outside.
  template <class F>
  int window(const Geometry& g, Index out, F f) const {
    int outside = 0;
    for (int y = 0; y < g.kernel.h; ++y) {
      for (int x = 0; x < g.kernel.w; ++x) {
        const int h = out.h * g.stride.h - g.padding.top + y * g.dilation.h;
        const int w = out.w * g.stride.w - g.padding.left + x * g.dilation.w;
        if (h < 0 || h >= shape_.h || w < 0 || w >= shape_.w) {
          ++outside;
        } else {
          f(y, x, Index{out.n, out.c, h, w});
        }
      }
    }
    return outside;
  }
};

TEST_F(DocumentedWindows, Pooling) {
  const data_type_t types[] = {DT_FP32, DT_FP16, DT_BFP16, DT_INT8, DT_UINT8};
  for (int round = 0; round < 2 * kRounds; ++round) {
    next_round();
    const data_type_t type = any(types);
    const Geometry g = geometry();
    const dim4 output_shape{shape_.n, shape_.c, g.output(shape_.h, true),
                            g.output(shape_.w, false)};
    const PlacedTensor output = tensor(0, type, output_shape, start_),
                       input = tensor(1, type, shape_, start_);
    const bool average = is_float(type) && random(0, 1) == 1;
    const int pad = random(0, 3);
    give_small(input, shape_, type);
    upload();
    each(output_shape, [&](Index at) {
      double most = -100, sum = 0;
      const int outside = window(g, at, [&](int, int, Index from) {
        most = std::max(most, number(input, from, type));
        sum += number(input, from, type);
      });
      if (outside > 0) most = std::max(most, static_cast<double>(pad));
      const double result = average ? sum * 2 : most;
      expect(output, at,
             is_float(type) ? to_bits(result, type, RM_HALF_TO_EVEN)
                            : static_cast<std::uint32_t>(static_cast<int>(result)));
    });
    const scalar_t value{.u32 = !is_float(type)
                                    ? static_cast<std::uint32_t>(pad)
                                    : to_bits(average ? 2 : pad, type, RM_HALF_TO_EVEN)};
    call(average          ? "tpu_bdc_fp_avg_pool2d"
         : is_float(type) ? "tpu_bdc_fp_max_pool2d"
                          : "tpu_bdc_int8_max_pool2d",
         {encode(output.at()), encode(input.at()), encode(shape()), encode(&g.kernel),
          encode(&g.padding), encode(&g.stride), encode(&g.dilation), encode(type), encode(value)});
  }
}

TEST_F(DocumentedWindows, Convolution) {
  const data_type_t types[] = {DT_FP32, DT_FP16, DT_BFP16, DT_INT8};
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    shape_.n = std::min(shape_.n, 2);
    const data_type_t type = any(types);
    const Geometry g = geometry();
    const int output_c = random(1, 70);
    const dim4 output_shape{shape_.n, output_c, g.output(shape_.h, true),
                            g.output(shape_.w, false)};
    if (type != DT_FP32) start_ = 0;  // as the functions ask for
    const data_type_t output_type = type == DT_INT8 ? DT_INT16 : DT_FP32;
    const PlacedTensor output = tensor(0, output_type, output_shape, 0),
                       input = tensor(1, type, shape_, start_);
    // [oc][group of input channels][kh][kw][64 or 32 of them, 1 of fp32], a row per output channel.
    const int group = type == DT_INT8 ? 64 : type == DT_FP32 ? 1 : 32;
    const int row = (shape_.c + group - 1) / group * g.kernel.h * g.kernel.w * group;
    const dim4 weight_shape{1, output_c, 1, row};
    const PlacedTensor weight{2 * kSlot, {row, row, row, 1}, bytes_of(type), true};
    const auto tap = [&](int o, int i, int y, int x) {
      return Index{0, o, 0, ((i / group * g.kernel.h + y) * g.kernel.w + x) * group + i % group};
    };
    give_small(input, shape_, type);
    give_small(weight, weight_shape, type);
    upload();
    each(output_shape, [&](Index at) {
      double sum = 0;
      for (int i = 0; i < shape_.c; ++i) {
        window(g, {at.n, i, at.h, at.w}, [&](int y, int x, Index from) {
          sum += number(input, from, type) * number(weight, tap(at.c, i, y, x), type);
        });
      }
      if (type == DT_INT8) {
        expect(output, at, saturated(shifted(static_cast<s128>(sum), -3, RM_HALF_UP), DT_INT16));
      } else {
        expect(output, at, to_bits(sum, output_type, RM_HALF_TO_EVEN));
      }
    });
    if (type == DT_INT8) {
      call("tpu_bdc_int8_sym_quant_conv2d",
           {encode(output.at()), encode(input.at()), encode(weight.at()), encode(0U),
            encode(shape()), encode(kAligned), encode(output_c), encode(&g.kernel),
            encode(&g.padding), encode(&g.stride), encode(&g.dilation), encode(output_type),
            encode(type), encode(type), encode(DT_INT16), encode(static_cast<unsigned char>(3)),
            encode(false), encode(false)});
    } else {
      call(round % 2 == 0 ? "tpu_bdc_fp_conv2d" : "tpu_bdc_fp_conv2d_long_instr",
           {encode(output.at()), encode(input.at()), encode(weight.at()), encode(0U),
            encode(shape()), encode(kAligned), encode(output_c), encode(&g.kernel),
            encode(&g.padding), encode(&g.stride), encode(&g.dilation), encode(output_type),
            encode(type), encode(false), encode(false)});
    }
  }
}

// Numbers whose sums and means are exact.
TEST_F(DocumentedWindows, MeanOfChannels) {
  const data_type_t types[] = {DT_FP32, DT_FP16, DT_BFP16};
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t type = any(types);
    shape_.h = 1 << random(0, 2);
    shape_.w = 1 << random(0, 4);
    const int count = shape_.h * shape_.w;
    const dim4 output_shape{shape_.n, shape_.c, 1, 1}, buffer_shape{shape_.n, shape_.c, 1, 32};
    const PlacedTensor output = tensor(0, type, output_shape, start_),
                       input = tensor(1, type, shape_, start_),
                       buffer = tensor(2, type, buffer_shape, start_);
    give_small(input, shape_, type);
    upload();
    each(output_shape, [&](Index at) {
      double sum = 0;
      for (int y = 0; y < shape_.h; ++y) {
        for (int x = 0; x < shape_.w; ++x) sum += number(input, {at.n, at.c, y, x}, type);
      }
      expect(output, at, to_bits(sum / count, type, RM_HALF_TO_EVEN));
    });
    call("tpu_bdc_fp_hw_reduce_mean", {encode(output.at()), encode(input.at()), encode(buffer.at()),
                                       encode(shape()), encode(type)});
  }
}

// Row r of a matrix is channel r.
TEST_F(DocumentedWindows, MatrixProducts) {
  const data_type_t types[] = {DT_FP16, DT_BFP16, DT_INT8, DT_UINT8};
  for (int round = 0; round < kRounds; ++round) {
    next_round();
    const data_type_t type = any(types);
    const data_type_t output_type = is_float(type)    ? DT_FP32
                                    : type == DT_INT8 ? DT_INT32
                                                      : DT_UINT32;
    const int rows = random(1, 130), inner = random(1, 70), cols = random(1, 70);
    const dim4 left_shape{1, rows, 1, inner}, right_shape{1, inner, 1, cols},
        output_shape{1, rows, 1, cols};
    const PlacedTensor output = tensor(0, output_type, output_shape),
                       left = tensor(1, type, left_shape), right = tensor(2, type, right_shape);
    const scalar_t zero{.u32 = is_float(type) ? 0U : static_cast<unsigned>(random(0, 5))};
    give_small(left, left_shape, type);
    give_small(right, right_shape, type);
    upload();
    each(output_shape, [&](Index at) {
      double sum = 0;
      for (int k = 0; k < inner; ++k) {
        sum +=
            number(left, {0, at.c, 0, k}, type) * (number(right, {0, k, 0, at.w}, type) - zero.u32);
      }
      expect(output, at,
             is_float(type) ? to_bits(sum, output_type, RM_HALF_TO_EVEN)
                            : static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)));
    });
    if (is_float(type)) {
      call("tpu_bdc_fp_mm",
           {encode(output.at()), encode(left.at()), encode(right.at()), encode(rows), encode(inner),
            encode(cols), encode(output_type), encode(type), encode(false)});
    } else {
      call("tpu_bdc_int8_zp_mm",
           {encode(output.at()), encode(left.at()), encode(right.at()), encode(zero), encode(rows),
            encode(inner), encode(cols), encode(type), encode(type), encode(false)});
    }
  }
}

}  // namespace
}  // namespace tensorlane::tpukernel::documented
