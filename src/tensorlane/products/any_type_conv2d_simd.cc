// Fast convolution of every type: operands become dense words, then dense_product.h.
#include <algorithm>
#include <array>
#include <vector>

#include "tensorlane/products/any_type_conv2d.h"
#include "tensorlane/products/byte_quads.h"
#include "tensorlane/products/dense_product.h"
#include "tensorlane/products/dense_words.h"
#include "tensorlane/products/element_io.h"
#include "tensorlane/products/inserted_rows.h"
#include "tensorlane/products/integer_words.h"
#include "tensorlane/tiles/scratch.h"
#include "tensorlane/tiles/tasks.h"

namespace tensorlane {
namespace {

bool is_integer(const AnyTypeConv2dArgs& args) {
  return args.rule() == ProductRule::kInteger;
}

// Whether a number of every channel is one of the type.
bool all_in(const ChannelValue& values, int channels, Dtype dtype) {
  const IntegerRange range = integer_range(dtype);
  for (int c = 0; c < (values.per_channel ? channels : 1); ++c) {
    if (values.of(c) < range.min || values.of(c) > range.max) return false;
  }
  return true;
}
bool all_zero(const ChannelValue& values, int channels) {
  for (int c = 0; c < (values.per_channel ? channels : 1); ++c) {
    if (values.of(c) != 0) return false;
  }
  return true;
}

IntegerWords integer_words(const AnyTypeConv2dArgs& args) {
  const bool plain = is_integer(args) && all_zero(args.zero_point, args.output_c) &&
                     all_in(args.padding, args.input_c, args.input_type) &&
                     all_in(args.insert_value, args.input_c, args.input_type);
  return {args.input_type, args.weight_type, plain};
}

// One problem with the form its operands take.
struct Problem {
  const AnyTypeConv2dArgs& args;
  IntegerWords integers = integer_words(args);

  int channels_per_word() const { return is_integer(args) ? integers.size() : 1; }
  int word_channels() const {
    return is_integer(args) ? integers.words(args.input_c) : args.input_c;
  }
  // Channels that share word `word`.
  int parts(int word) const {
    return std::min(channels_per_word(), args.input_c - word * channels_per_word());
  }
};

// Whether four channels can be zipped from where they lie.
bool reads_bytes(const Problem& problem) {
  const AnyTypeConv2dArgs& args = problem.args;
  return is_integer(args) && problem.integers.size() == 4 && args.insert_h == 0 &&
         args.insert_w == 0 && args.input.w == 1;
}

// The words of four channels of bytes.
void zip_channels(const Problem& problem, int n, int word, float* to) {
  const AnyTypeConv2dArgs& args = problem.args;
  const bool dense = args.input.h == args.input_w;
  const int rows = dense ? 1 : args.input_h;
  const std::int64_t count = dense ? std::int64_t{args.input_h} * args.input_w : args.input_w;
  for (int h = 0; h < rows; ++h, to += count) {
    std::array<const std::byte*, 4> parts{};
    for (int k = 0; k < problem.parts(word); ++k)
      parts[static_cast<std::size_t>(k)] = args.input.address(n, word * 4 + k, h, 0);
    zip_bytes(parts, count, problem.integers.flip(), to);
  }
}

// [n][word channels][h][w]
Words read_input(const Problem& problem) {
  const AnyTypeConv2dArgs& args = problem.args;
  const InsertedRows input{args.input,   args.input_type, args.input_h,
                           args.input_w, args.insert_h,   args.insert_w};
  const std::int64_t size = std::int64_t{args.inserted_h()} * args.inserted_w();
  const int channels = problem.word_channels();
  Words words(static_cast<std::size_t>(args.n * channels * size));
  for_each_task(std::int64_t{args.n} * channels, static_cast<std::int64_t>(words.size()),
                [&](std::int64_t i) {
                  const auto n = static_cast<int>(i / channels);
                  const auto word = static_cast<int>(i % channels);
                  float* to = words.data() + i * size;
                  if (reads_bytes(problem)) return zip_channels(problem, n, word, to);
                  if (!is_integer(args)) {
                    input.fill(n, word, 0.0F, to);
                    return;
                  }
                  const int first = word * problem.channels_per_word();
                  std::vector<const float*> parts{to};
                  float* more = thread_scratch<2>(static_cast<std::size_t>(3 * size));
                  for (int k = 0; k < problem.parts(word); ++k) {
                    float* part = k == 0 ? to : more + (k - 1) * size;
                    if (k > 0) parts.push_back(part);
                    const auto inserted =
                        static_cast<std::int32_t>(args.insert_value.of(first + k));
                    input.fill(n, first + k, integer_word(inserted), part);
                  }
                  problem.integers.join_inputs(parts, size, to);
                });
  return words;
}

std::vector<float> paddings(const Problem& problem) {
  const AnyTypeConv2dArgs& args = problem.args;
  std::vector<float> words(static_cast<std::size_t>(problem.word_channels()), 0.0F);
  if (!is_integer(args)) return words;
  for (int word = 0; word < problem.word_channels(); ++word) {
    float values[4];
    const float* parts[4];
    const int count = problem.parts(word);
    for (int k = 0; k < count; ++k) {
      const int channel = word * problem.channels_per_word() + k;
      values[k] = integer_word(static_cast<std::int32_t>(args.padding.of(channel)));
      parts[k] = &values[k];
    }
    problem.integers.join_inputs({parts, static_cast<std::size_t>(count)}, 1,
                                 &words[static_cast<std::size_t>(word)]);
  }
  return words;
}

// Elements from the first weight of an output channel to those of each step, part by part.
std::vector<std::int64_t> list_weights(const Problem& problem, std::span<const ProductStep> steps) {
  const AnyTypeConv2dArgs& args = problem.args;
  const Window2d& window = args.window;
  std::vector<std::int64_t> list;
  for (const ProductStep& step : steps) {
    const int kh = args.rotate ? window.kernel_h - 1 - step.kernel_h : step.kernel_h;
    const int kw = args.rotate ? window.kernel_w - 1 - step.kernel_w : step.kernel_w;
    for (int k = 0; k < problem.parts(step.channel); ++k)
      list.push_back(args.weight_index(step.channel * problem.channels_per_word() + k, kh, kw));
  }
  return list;
}

// [output_c][steps]
Words read_weights(const Problem& problem, std::span<const ProductStep> steps) {
  const AnyTypeConv2dArgs& args = problem.args;
  const std::vector<std::int64_t> list = list_weights(problem, steps);
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
      for (const std::int64_t index : list) *to++ = stored[static_cast<std::size_t>(index)];
      return;
    }
    const auto zero_point = static_cast<std::int32_t>(args.zero_point.of(static_cast<int>(oc)));
    const std::int64_t* index = list.data();
    for (const ProductStep& step : steps) {
      std::int32_t parts[4];
      const int n = problem.parts(step.channel);
      for (int k = 0; k < n; ++k)
        parts[k] = word_integer(stored[static_cast<std::size_t>(*index++)]) - zero_point;
      *to++ = problem.integers.join_weights({parts, static_cast<std::size_t>(n)});
    }
  });
  return words;
}

class ConvSink : public ProductSink {
 public:
  explicit ConvSink(const AnyTypeConv2dArgs& args) : args_(args) {}

  bool has_starts() const override {
    return !is_integer(args_) && (args_.has_bias || args_.result_add);
  }

  void start(const OutputRun& run, float* first, float* second) const override {
    SumStart from{.has_bias = args_.has_bias, .has_old = args_.result_add};
    if (from.has_bias) {
      from.bias = load_float(args_.bias.address(0, run.row, 0, 0), args_.bias_type);
    }
    const std::byte* out = address(run);
    const int bytes = dtype_bytes(args_.output_type);
    for (int i = 0; i < run.count; ++i, out += bytes) {
      if (from.has_old) from.old = load_float(out, args_.output_type);
      write_start(args_.rule(), from, first[i], second[i]);
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

  const AnyTypeConv2dArgs& args_;
};

bool handles(const AnyTypeConv2dArgs& args) {
  if (args.output.w != 1) return false;
  if (!is_integer(args)) return true;
  const std::int64_t steps =
      std::int64_t{args.input_c} * args.window.kernel_h * args.window.kernel_w;
  return fits_int16(args.input_type) && fits_int16(args.weight_type) &&
         exact_in_words(args.finish, steps, args.input_type, args.weight_type);
}

LocalView dense_view(Words& words, const Problem& problem) {
  const AnyTypeConv2dArgs& args = problem.args;
  const std::int64_t size = std::int64_t{args.inserted_h()} * args.inserted_w();
  return {reinterpret_cast<std::byte*>(words.data()),
          1,
          static_cast<std::int64_t>(words.size()) * 4,
          0,
          0,
          size * problem.word_channels(),
          size,
          args.inserted_w(),
          1};
}

}  // namespace

bool any_type_conv2d_simd(const AnyTypeConv2dArgs& args) {
  if (!handles(args)) return false;
  const Problem problem{args};
  DenseProduct product;
  product.rule = args.rule();
  product.n = args.n;
  product.channels = problem.word_channels();
  product.h = args.inserted_h();
  product.w = args.inserted_w();
  product.rows = args.output_c;
  product.window = args.window;
  product.steps =
      product_steps(product.rule, product.channels, args.window.kernel_h, args.window.kernel_w);
  const Words weights = read_weights(problem, product.steps);
  product.weights = weights.data();
  const std::vector<float> padding = paddings(problem);
  product.padding = padding.data();
  product.factors = problem.integers.factors();
  const std::vector<std::int32_t> starts =
      problem.integers.row_starts(weights, product.steps.size());
  if (!starts.empty()) product.row_starts = starts.data();

  // fp32 without inserted elements is read where it is.
  const bool in_place = args.input_type == Dtype::kFp32 && args.insert_h == 0 && args.insert_w == 0;
  Words input = in_place ? Words(1) : read_input(problem);
  product.input = in_place ? args.input : dense_view(input, problem);
  product.specials = product.rule == ProductRule::kBlockSums &&
                     (any_special(input.all()) || any_special(weights.all()));
  return run_dense_product(product, ConvSink(args));
}

}  // namespace tensorlane
