// Fast convolution of every type: operands become dense words, then dense_product.h.
#include <algorithm>
#include <vector>

#include "tensorlane/kernels/dense_product.h"
#include "tensorlane/kernels/dense_words.h"
#include "tensorlane/kernels/element_io.h"
#include "tensorlane/kernels/inserted_rows.h"
#include "tensorlane/kernels/tasks.h"
#include "tensorlane/kernels/typed_conv2d.h"

namespace tensorlane {
namespace {

bool is_integer(const TypedConv2dArgs& args) {
  return args.rule() == ProductRule::kInteger;
}

int word_channels(const TypedConv2dArgs& args) {
  return is_integer(args) ? (args.input_c + 1) / 2 : args.input_c;
}

// [n][word channels][h][w]
Words read_input(const TypedConv2dArgs& args) {
  const InsertedRows input{args.input,   args.input_type, args.input_h,
                           args.input_w, args.insert_h,   args.insert_w};
  const std::int64_t size = std::int64_t{args.inserted_h()} * args.inserted_w();
  const int channels = word_channels(args);
  Words words(static_cast<std::size_t>(args.n * channels * size));
  for_each_task(std::int64_t{args.n} * channels, static_cast<std::int64_t>(words.size()),
                [&](std::int64_t i) {
                  const auto n = static_cast<int>(i / channels);
                  const auto c = static_cast<int>(i % channels);
                  float* to = words.data() + i * size;
                  if (!is_integer(args)) {
                    input.fill(n, c, 0.0F, to);
                    return;
                  }
                  const auto inserted = [&](int channel) {
                    return integer_word(static_cast<std::int32_t>(args.insert_value.of(channel)));
                  };
                  input.fill(n, 2 * c, inserted(2 * c), to);
                  if (2 * c + 1 == args.input_c) {
                    pair_words(to, static_cast<int>(size), to);
                    return;
                  }
                  std::vector<float> high(static_cast<std::size_t>(size));
                  input.fill(n, 2 * c + 1, inserted(2 * c + 1), high.data());
                  pair_words(to, high.data(), static_cast<int>(size), to);
                });
  return words;
}

std::vector<float> paddings(const TypedConv2dArgs& args) {
  std::vector<float> words(static_cast<std::size_t>(word_channels(args)), 0.0F);
  if (!is_integer(args)) return words;
  for (std::size_t c = 0; c < words.size(); ++c) {
    const auto low = static_cast<int>(2 * c);
    const bool has_high = low + 1 < args.input_c;
    const float first = integer_word(static_cast<std::int32_t>(args.padding.of(low)));
    const float second =
        integer_word(static_cast<std::int32_t>(has_high ? args.padding.of(low + 1) : 0));
    pair_words(&first, &second, 1, &words[c]);
  }
  return words;
}

// Elements from the first weight of an output channel to that of each step, -1 where the second
// channel of a pair does not exist.
struct StepWeights {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;  // of pairs
};

StepWeights list_weights(const TypedConv2dArgs& args, std::span<const ProductStep> steps) {
  StepWeights list;
  const Window2d& window = args.window;
  for (const ProductStep& step : steps) {
    const int kh = args.rotate ? window.kernel_h - 1 - step.kernel_h : step.kernel_h;
    const int kw = args.rotate ? window.kernel_w - 1 - step.kernel_w : step.kernel_w;
    const auto index = [&](int c) { return c < args.input_c ? args.weight_index(c, kh, kw) : -1; };
    if (is_integer(args)) {
      list.first.push_back(index(2 * step.channel));
      list.second.push_back(index(2 * step.channel + 1));
    } else {
      list.first.push_back(index(step.channel));
    }
  }
  return list;
}

// [output_c][steps]
Words read_weights(const TypedConv2dArgs& args, std::span<const ProductStep> steps) {
  const StepWeights list = list_weights(args, steps);
  const auto count = static_cast<int>(args.weight_count());
  Words words(static_cast<std::size_t>(args.output_c) * steps.size());
  for_each_task(args.output_c, static_cast<std::int64_t>(words.size()), [&](std::int64_t oc) {
    std::vector<float> stored(static_cast<std::size_t>(count));
    if (args.weight_is_constant) {
      std::fill(stored.begin(), stored.end(), word_of(args.weight_bits, args.weight_type));
    } else {
      widen(args.channel_weights(static_cast<int>(oc)), 1, args.weight_type, count, stored.data());
    }
    float* to = words.data() + static_cast<std::size_t>(oc) * steps.size();
    if (!is_integer(args)) {
      for (const std::int64_t index : list.first) *to++ = stored[static_cast<std::size_t>(index)];
      return;
    }
    const auto zero_point = static_cast<std::int32_t>(args.zero_point.of(static_cast<int>(oc)));
    const auto word = [&](std::int64_t index) {
      return integer_word(
          index < 0 ? 0 : word_integer(stored[static_cast<std::size_t>(index)]) - zero_point);
    };
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const float low = word(list.first[k]);
      const float high = word(list.second[k]);
      pair_words(&low, &high, 1, to + k);
    }
  });
  return words;
}

class ConvSink : public ProductSink {
 public:
  explicit ConvSink(const TypedConv2dArgs& args) : args_(args) {}

  bool has_starts() const override {
    return !is_integer(args_) && (args_.has_bias || args_.result_add);
  }

  void start(const OutputRun& run, float* first, float* second) const override {
    const float bias =
        args_.has_bias ? load_float(args_.bias.address(0, run.row, 0, 0), args_.bias_type) : 0.0F;
    const bool both = args_.has_bias && args_.result_add;
    const std::byte* out = address(run);
    const int bytes = dtype_bytes(args_.output_type);
    for (int i = 0; i < run.count; ++i, out += bytes) {
      const float old = args_.result_add ? load_float(out, args_.output_type) : 0.0F;
      if (args_.rule() == ProductRule::kFp32Chains) {
        first[i] = both ? bias : 0.0F;
        second[i] = args_.result_add ? old : bias;
      } else {
        first[i] = both ? bias + old : (args_.has_bias ? bias : old);
      }
    }
  }

  void finish(const OutputRun& run, const float* sums) const override {
    if (!is_integer(args_)) {
      store_floats(sums, run.count, args_.output_type, address(run));
      return;
    }
    IntegerRun integers{args_.finish, args_.result_add};
    if (args_.has_bias) {
      integers.bias = load_integer(args_.bias.address(0, run.row, 0, 0), args_.bias_type);
    }
    store_integers(sums, run.count, integers, address(run));
  }

 private:
  std::byte* address(const OutputRun& run) const {
    const std::int64_t width = args_.window.output_w;
    return args_.output.address(run.image, run.row, run.position / width, run.position % width);
  }

  const TypedConv2dArgs& args_;
};

bool handles(const TypedConv2dArgs& args) {
  if (args.output.w != 1) return false;
  if (!is_integer(args)) return true;
  const std::int64_t steps =
      std::int64_t{args.input_c} * args.window.kernel_h * args.window.kernel_w;
  return fits_int16(args.input_type) && fits_int16(args.weight_type) &&
         exact_in_words(args.finish, steps, args.input_type, args.weight_type);
}

LocalView dense_view(Words& words, const TypedConv2dArgs& args) {
  const std::int64_t size = std::int64_t{args.inserted_h()} * args.inserted_w();
  return {reinterpret_cast<std::byte*>(words.data()),
          1,
          static_cast<std::int64_t>(words.size()) * 4,
          0,
          0,
          size * word_channels(args),
          size,
          args.inserted_w(),
          1};
}

}  // namespace

bool typed_conv2d_simd(const TypedConv2dArgs& args) {
  if (!handles(args)) return false;
  DenseProduct product;
  product.rule = args.rule();
  product.n = args.n;
  product.channels = word_channels(args);
  product.h = args.inserted_h();
  product.w = args.inserted_w();
  product.rows = args.output_c;
  product.window = args.window;
  product.steps =
      product_steps(product.rule, product.channels, args.window.kernel_h, args.window.kernel_w);
  const Words weights = read_weights(args, product.steps);
  product.weights = weights.data();
  const std::vector<float> padding = paddings(args);
  product.padding = padding.data();

  // fp32 without inserted elements is read where it is.
  const bool in_place = args.input_type == Dtype::kFp32 && args.insert_h == 0 && args.insert_w == 0;
  Words input = in_place ? Words(1) : read_input(args);
  product.input = in_place ? args.input : dense_view(input, args);
  product.specials = product.rule == ProductRule::kHalfBlocks &&
                     (any_special(input.all()) || any_special(weights.all()));
  return run_dense_product(product, ConvSink(args));
}

}  // namespace tensorlane
