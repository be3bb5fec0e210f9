// Fast convolution of integers: neighbouring channels share words, then dense_product.h.
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
  const bool plain = all_zero(args.zero_point, args.output_c) &&
                     all_in(args.padding, args.input_c, args.input_type) &&
                     all_in(args.insert_value, args.input_c, args.input_type);
  return {args.input_type, args.weight_type, plain};
}

// One problem with the form its operands take.
struct Problem {
  const AnyTypeConv2dArgs& args;
  IntegerWords integers = integer_words(args);

  int word_channels() const { return integers.words(args.input_c); }
  // The first channel of word `word`, and how many share it.
  int first(int word) const { return word * integers.size(); }
  int parts(int word) const { return std::min(integers.size(), args.input_c - first(word)); }
};

// Whether four channels can be zipped from where they lie.
bool reads_bytes(const Problem& problem) {
  const AnyTypeConv2dArgs& args = problem.args;
  return problem.integers.size() == 4 && args.insert_h == 0 && args.insert_w == 0 &&
         args.input.w == 1;
}

// The words of four channels of bytes.
void zip_channels(const Problem& problem, int n, int word, std::int32_t* to) {
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

// The words of channels that are widened first, `size` elements each.
void join_channels(const Problem& problem, const InsertedRows& input, int n, int word,
                   std::int64_t size, std::int32_t* to) {
  std::vector<const std::int32_t*> parts{to};
  auto* more = thread_scratch<2, std::int32_t>(static_cast<std::size_t>(3 * size));
  for (int k = 0; k < problem.parts(word); ++k) {
    std::int32_t* part = k == 0 ? to : more + (k - 1) * size;
    if (k > 0) parts.push_back(part);
    const int channel = problem.first(word) + k;
    input.fill(n, channel, static_cast<std::int32_t>(problem.args.insert_value.of(channel)), part);
  }
  problem.integers.join_inputs(parts, size, to);
}

// [n][word channels][h][w]
Words<std::int32_t> read_input(const Problem& problem) {
  const AnyTypeConv2dArgs& args = problem.args;
  const InsertedRows input{args.input,   args.input_type, args.input_h,
                           args.input_w, args.insert_h,   args.insert_w};
  const std::int64_t size = std::int64_t{args.inserted_h()} * args.inserted_w();
  const int channels = problem.word_channels();
  Words<std::int32_t> words(static_cast<std::size_t>(args.n * channels * size));
  for_each_task(std::int64_t{args.n} * channels, static_cast<std::int64_t>(words.size()),
                [&](std::int64_t i) {
                  const auto n = static_cast<int>(i / channels);
                  const auto word = static_cast<int>(i % channels);
                  std::int32_t* to = words.data() + i * size;
                  if (reads_bytes(problem)) return zip_channels(problem, n, word, to);
                  join_channels(problem, input, n, word, size, to);
                });
  return words;
}

std::vector<std::int32_t> paddings(const Problem& problem) {
  std::vector<std::int32_t> words(static_cast<std::size_t>(problem.word_channels()));
  for (int word = 0; word < problem.word_channels(); ++word) {
    std::int32_t values[4];
    const std::int32_t* parts[4];
    const int count = problem.parts(word);
    for (int k = 0; k < count; ++k) {
      values[k] = static_cast<std::int32_t>(problem.args.padding.of(problem.first(word) + k));
      parts[k] = &values[k];
    }
    problem.integers.join_inputs({parts, static_cast<std::size_t>(count)}, 1,
                                 &words[static_cast<std::size_t>(word)]);
  }
  return words;
}

// Where the weights of a step are stored, from the first of the output channel.
struct StoredWeights {
  int parts = 0;
  std::array<std::int64_t, 4> at{};
};
std::vector<StoredWeights> stored_weights(const Problem& problem,
                                          std::span<const ProductStep> steps) {
  std::vector<StoredWeights> list;
  for (const ProductStep& step : steps) {
    StoredWeights& weights = list.emplace_back();
    for (; weights.parts < problem.parts(step.channel); ++weights.parts) {
      weights.at[static_cast<std::size_t>(weights.parts)] = problem.args.weight_index(
          problem.first(step.channel) + weights.parts, step.kernel_h, step.kernel_w);
    }
  }
  return list;
}

// [output_c][steps]
Words<std::int32_t> read_weights(const Problem& problem, std::span<const ProductStep> steps) {
  const AnyTypeConv2dArgs& args = problem.args;
  const std::vector<StoredWeights> list = stored_weights(problem, steps);
  const auto count = static_cast<int>(args.weight_count());
  Words<std::int32_t> words(static_cast<std::size_t>(args.output_c) * steps.size());
  for_each_task(args.output_c, static_cast<std::int64_t>(words.size()), [&](std::int64_t oc) {
    std::vector<std::int32_t> stored(static_cast<std::size_t>(count));
    if (args.weight_is_constant) {
      std::fill(stored.begin(), stored.end(),
                word_of<std::int32_t>(args.weight_bits, args.weight_type));
    } else {
      widen(args.channel_weights(static_cast<int>(oc)), 1, args.weight_type, count, stored.data());
    }
    const auto zero_point = static_cast<std::int32_t>(args.zero_point.of(static_cast<int>(oc)));
    std::int32_t* to = words.data() + static_cast<std::size_t>(oc) * steps.size();
    for (const StoredWeights& weights : list) {
      std::int32_t parts[4];
      const auto n = static_cast<std::size_t>(weights.parts);
      for (std::size_t k = 0; k < n; ++k)
        parts[k] = stored[static_cast<std::size_t>(weights.at[k])] - zero_point;
      *to++ = problem.integers.join_weights({parts, n});
    }
  });
  return words;
}

class Sink : public IntegerSink {
 public:
  explicit Sink(const AnyTypeConv2dArgs& args) : args_(args) {}

  void finish(const OutputRun& run, const std::int32_t* sums) const override {
    IntegerRun integers{args_.finish, args_.result_add};
    if (args_.has_bias) {
      integers.bias = load_integer(args_.bias.address(0, run.row, 0, 0), args_.bias_type);
    }
    store_integers(sums, run.count, integers,
                   args_.output_address(run.image, run.row, run.position));
  }

 private:
  const AnyTypeConv2dArgs& args_;
};

bool handles(const AnyTypeConv2dArgs& args) {
  const std::int64_t steps =
      std::int64_t{args.input_c} * args.window.kernel_h * args.window.kernel_w;
  return args.output.w == 1 && fits_int16(args.input_type) && fits_int16(args.weight_type) &&
         exact_in_words(args.finish, steps, args.input_type, args.weight_type);
}

}  // namespace

bool integer_conv2d_simd(const AnyTypeConv2dArgs& args) {
  if (!handles(args)) return false;
  const Problem problem{args};
  const int channels = problem.word_channels();
  std::vector<ProductStep> steps =
      product_steps(ProductRule::kInteger, channels, args.window.kernel_h, args.window.kernel_w);
  const Words<std::int32_t> weights = read_weights(problem, steps);
  const std::vector<std::int32_t> starts = problem.integers.row_starts(weights.all(), steps.size());
  const std::vector<std::int32_t> padding = paddings(problem);
  Words<std::int32_t> input = read_input(problem);
  const LocalView view = dense_view(input.data(), channels, args.inserted_h(), args.inserted_w());
  const IntegerProduct product{.operands = {.frame = args.frame(view, channels),
                                            .steps = std::move(steps),
                                            .padding = padding.data(),
                                            .weights = weights.data()},
                               .factors = problem.integers.factors(),
                               .row_starts = starts.empty() ? nullptr : starts.data()};
  return run_product(product, Sink(args));
}

}  // namespace tensorlane
