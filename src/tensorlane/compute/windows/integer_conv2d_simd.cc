// Fast convolution of integers: neighbouring channels share words, then dense_product.h.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/products/byte_quads.h"
#include "tensorlane/compute/products/dense_product.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/inserted_rows.h"
#include "tensorlane/compute/products/integer_store.h"
#include "tensorlane/compute/products/integer_words.h"
#include "tensorlane/compute/windows/any_type_conv2d.h"

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
  const bool plain = all_in(args.padding, args.input_c, args.input_type) &&
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

// Whether the channels of a word can be zipped from where they lie.
bool reads_stored(const Problem& problem) {
  const AnyTypeConv2dArgs& args = problem.args;
  return args.insert_h == 0 && args.insert_w == 0 && has_dense_rows(args.input);
}

// The words of four channels of bytes, or of two of any type.
void zip_channels(const Problem& problem, const InputPart& part, std::int32_t* to) {
  const AnyTypeConv2dArgs& args = problem.args;
  // A part of a row may be asked for.
  const bool dense = part.count == args.input_w && has_dense_channels(args.input, args.input_w);
  const int rows = dense ? 1 : part.end - part.begin;
  const std::int64_t count = std::int64_t{dense ? part.end - part.begin : 1} * part.count;
  for (int row = part.begin; row < part.begin + rows; ++row, to += count) {
    std::array<const std::byte*, 4> from{};
    for (int k = 0; k < problem.parts(part.channel); ++k)
      from[static_cast<std::size_t>(k)] =
          args.input.address(part.image, problem.first(part.channel) + k, row, part.first);
    if (problem.integers.size() == 4) {
      zip_bytes(from, count, problem.integers.flip(), to);
    } else {
      zip_short_integers(from[0], from[1], args.input_type, count, to);
    }
  }
}

// The words of channels that are widened first.
void join_channels(const Problem& problem, const InputPart& part, std::int32_t* to) {
  const AnyTypeConv2dArgs& args = problem.args;
  const InsertedRows input{args.input,   args.input_type, args.input_h,
                           args.input_w, args.insert_h,   args.insert_w};
  const std::int64_t size = std::int64_t{part.end - part.begin} * part.count;
  std::vector<const std::int32_t*> parts{to};
  auto* more = thread_scratch<3, std::int32_t>(static_cast<std::size_t>(3 * size));
  for (int k = 0; k < problem.parts(part.channel); ++k) {
    std::int32_t* words = k == 0 ? to : more + (k - 1) * size;
    if (k > 0) parts.push_back(words);
    const int channel = problem.first(part.channel) + k;
    input.fill(part, channel, static_cast<std::int32_t>(args.insert_value.of(channel)), words);
  }
  problem.integers.join_inputs(parts, size, to);
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

// Neighbouring words of bytes that are stored as they are needed.
struct StoredBytes {
  std::int64_t at = 0;  // from the first of the output channel
  std::size_t words = 0;
};
std::vector<StoredBytes> stored_bytes(const Problem& problem, std::span<const ProductStep> steps) {
  std::vector<StoredBytes> list;
  for (const ProductStep& step : steps) {
    const std::int64_t at =
        problem.args.weight_index(problem.first(step.channel), step.kernel_h, step.kernel_w);
    if (!list.empty() && list.back().at + static_cast<std::int64_t>(list.back().words) * 4 == at) {
      ++list.back().words;
    } else {
      list.push_back({at, 1});
    }
  }
  return list;
}

// [output_c][steps] from weights that are stored in groups of at least four channels. What the last
// group holds behind the last channel counts as zero.
Words<std::int32_t> copy_weights(const Problem& problem, std::span<const ProductStep> steps) {
  const AnyTypeConv2dArgs& args = problem.args;
  const std::vector<StoredBytes> list = stored_bytes(problem, steps);
  const int last = problem.word_channels() - 1;
  const std::uint32_t inside = 0xFFFFFFFFU >> (8 * (4 - problem.parts(last)));
  std::vector<std::size_t> partly_filled;
  for (std::size_t k = 0; problem.parts(last) < 4 && k < steps.size(); ++k) {
    if (steps[k].channel == last) partly_filled.push_back(k);
  }
  Words<std::int32_t> words(static_cast<std::size_t>(args.output_c) * steps.size());
  for_each_task(args.output_c, layout_work(static_cast<std::int64_t>(words.size())),
                [&](std::int64_t oc) {
                  const std::byte* from = args.channel_weights(static_cast<int>(oc));
                  std::int32_t* to = words.data() + static_cast<std::size_t>(oc) * steps.size();
                  std::int32_t* next = to;
                  for (const StoredBytes& bytes : list) {
                    std::memcpy(next, from + bytes.at, bytes.words * sizeof *next);
                    next += bytes.words;
                  }
                  for (const std::size_t k : partly_filled)
                    to[k] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[k]) & inside);
                });
  return words;
}

// [output_c][steps] where all weights are one number.
Words<std::int32_t> repeat_weight(const Problem& problem, std::span<const ProductStep> steps) {
  const AnyTypeConv2dArgs& args = problem.args;
  const auto weight = word_of<std::int32_t>(args.weight_bits, args.weight_type);
  const std::int32_t parts[] = {weight, weight, weight, weight};
  Words<std::int32_t> words(static_cast<std::size_t>(args.output_c) * steps.size());
  std::transform(steps.begin(), steps.end(), words.data(), [&](const ProductStep& step) {
    return problem.integers.join_weights(
        {parts, static_cast<std::size_t>(problem.parts(step.channel))});
  });
  for (int oc = 1; oc < args.output_c; ++oc)
    std::copy_n(words.data(), steps.size(),
                words.data() + static_cast<std::size_t>(oc) * steps.size());
  return words;
}

// [output_c][steps]
Words<std::int32_t> read_weights(const Problem& problem, std::span<const ProductStep> steps) {
  const AnyTypeConv2dArgs& args = problem.args;
  if (args.weight_is_constant) return repeat_weight(problem, steps);
  if (problem.integers.size() == 4) return copy_weights(problem, steps);
  const std::vector<StoredWeights> list = stored_weights(problem, steps);
  const auto count = static_cast<int>(args.weight_count());
  Words<std::int32_t> words(static_cast<std::size_t>(args.output_c) * steps.size());
  for_each_task(args.output_c, layout_work(static_cast<std::int64_t>(words.size())),
                [&](std::int64_t oc) {
                  std::vector<std::int32_t> stored(static_cast<std::size_t>(count));
                  widen(args.channel_weights(static_cast<int>(oc)), 1, args.weight_type, count,
                        stored.data());
                  std::int32_t* to = words.data() + static_cast<std::size_t>(oc) * steps.size();
                  for (const StoredWeights& weights : list) {
                    std::int32_t parts[4];
                    const auto n = static_cast<std::size_t>(weights.parts);
                    for (std::size_t k = 0; k < n; ++k)
                      parts[k] = stored[static_cast<std::size_t>(weights.at[k])];
                    *to++ = problem.integers.join_weights({parts, n});
                  }
                });
  return words;
}

// What sums lack (IntegerCorrection), zero points of the weights by sums of inputs among it, and
// weights of 1 for these.
struct RowTerms {
  std::vector<std::int32_t> rows, row_factors;
  std::vector<std::int32_t> ones;
};

RowTerms row_terms(const Problem& problem, std::span<const ProductStep> steps,
                   const Words<std::int32_t>& weights) {
  const AnyTypeConv2dArgs& args = problem.args;
  const IntegerWords& integers = problem.integers;
  RowTerms terms;  // empty where all are zero
  const bool has_zero_points = !all_zero(args.zero_point, args.output_c);
  if (integers.flip() == 0 && !has_zero_points) return terms;
  terms.rows = integers.row_sums(weights.all(), steps.size());
  if (has_zero_points) {
    for (const ProductStep& step : steps) {
      const std::int32_t parts[] = {1, 1, 1, 1};
      terms.ones.push_back(
          integers.join_weights({parts, static_cast<std::size_t>(problem.parts(step.channel))}));
    }
    // sum of input * (weight - zero point)
    const std::int32_t ones = integers.row_sums(terms.ones, steps.size()).front();
    for (int oc = 0; oc < args.output_c; ++oc) {
      const auto factor = wrapping_sub(0, static_cast<std::int32_t>(args.zero_point.of(oc)));
      std::int32_t& row = terms.rows[static_cast<std::size_t>(oc)];
      row = wrapping_add(row, wrapping_mul(factor, ones));
      terms.row_factors.push_back(factor);
    }
  }
  for (std::int32_t& row : terms.rows) row = integers.start_for(row);
  return terms;
}

class IntegerConvSink : public IntegerSink {
 public:
  IntegerConvSink(const AnyTypeConv2dArgs& args, const RowTerms& terms)
      : args_(args),
        biases_(read_biases(args)),
        outputs_(first_outputs(args)),
        store_(args_.finish, args_.result_add, biases_, {}, {}, kMostExactSum,
               {terms.rows, terms.row_factors}) {}

  void finish(const OutputRun& run, int rows, const std::int32_t* sums, int stride,
              const std::int32_t* input_sums) const override {
    std::array<std::byte*, kMaxTileRows> to;
    const std::int64_t behind =
        (run.image * args_.output.n + run.position) * std::int64_t{args_.output.element_bytes};
    for (int r = 0; r < rows; ++r)
      to[static_cast<std::size_t>(r)] =
          outputs_[static_cast<std::size_t>(run.row) + static_cast<std::size_t>(r)] + behind;
    store_.store({.sums = sums,
                  .stride = stride,
                  .first_row = run.row,
                  .rows = rows,
                  .columns = run.count,
                  .to = to.data(),
                  .column_factors = input_sums});
  }

 private:
  static std::vector<std::int64_t> read_biases(const AnyTypeConv2dArgs& args) {
    std::vector<std::int64_t> biases;
    for (int oc = 0; args.has_bias && oc < args.output_c; ++oc)
      biases.push_back(load_integer(args.bias.address(0, oc, 0, 0), args.bias_type));
    return biases;
  }
  // Of the first image.
  static std::vector<std::byte*> first_outputs(const AnyTypeConv2dArgs& args) {
    std::vector<std::byte*> outputs;
    for (int oc = 0; oc < args.output_c; ++oc) outputs.push_back(args.output.address(0, oc, 0, 0));
    return outputs;
  }

  const AnyTypeConv2dArgs& args_;
  const std::vector<std::int64_t> biases_;
  const std::vector<std::byte*> outputs_;
  const IntegerStore store_;
};

bool handles(const AnyTypeConv2dArgs& args) {
  const std::int64_t steps =
      std::int64_t{args.input_c} * args.window.kernel_h * args.window.kernel_w;
  return has_dense_rows(args.output) && fits_int16(args.input_type) &&
         fits_int16(args.weight_type) &&
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
  const RowTerms terms = row_terms(problem, steps, weights);
  const std::vector<std::int32_t> padding = paddings(problem);
  const auto read = [&](const InputPart& part, std::int32_t* to) {
    reads_stored(problem) ? zip_channels(problem, part, to) : join_channels(problem, part, to);
  };
  const IntegerProduct product{.operands = {.frame = args.frame({}, channels),
                                            .read = read,
                                            .steps = std::move(steps),
                                            .padding = padding.data(),
                                            .weights = weights.data()},
                               .factors = problem.integers.factors(),
                               .ones = terms.ones};
  return run_product(product, IntegerConvSink(args, terms));
}

}  // namespace tensorlane
