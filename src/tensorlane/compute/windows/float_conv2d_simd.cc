// Fast convolution of floats: operands become dense fp32 numbers, then dense_product.h.
#include <algorithm>
#include <vector>

#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/products/dense_product.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/inserted_rows.h"
#include "tensorlane/compute/windows/any_type_conv2d.h"

namespace tensorlane {
namespace {

// [output_c][steps]
Words<float> read_weights(const AnyTypeConv2dArgs& args, const std::vector<ProductStep>& steps) {
  std::vector<std::int64_t> stored_at;
  for (const ProductStep& step : steps) {
    stored_at.push_back(args.weight_index(step.channel, step.kernel_h, step.kernel_w));
  }
  const auto count = static_cast<int>(args.weight_count());
  Words<float> words(static_cast<std::size_t>(args.output_c) * steps.size());
  for_each_task(args.output_c, static_cast<std::int64_t>(words.size()), [&](std::int64_t oc) {
    float* to = words.data() + static_cast<std::size_t>(oc) * steps.size();
    if (args.weight_is_constant) {
      std::fill_n(to, steps.size(), word_of<float>(args.weight_bits, args.weight_type));
      return;
    }
    std::vector<float> stored(static_cast<std::size_t>(count));
    widen(args.channel_weights(static_cast<int>(oc)), 1, args.weight_type, count, stored.data());
    for (const std::int64_t index : stored_at) *to++ = stored[static_cast<std::size_t>(index)];
  });
  return words;
}

class FloatConvSink : public FloatSink {
 public:
  explicit FloatConvSink(const AnyTypeConv2dArgs& args) : args_(args) {}

  bool has_starts() const override { return args_.has_bias || args_.result_add; }

  void start(const OutputRun& run, float* first, float* second) const override {
    const float bias =
        args_.has_bias ? load_float(args_.bias.address(0, run.row, 0, 0), args_.bias_type) : 0.0F;
    const auto read_old = [&](float* to) {
      widen(args_.output_address(run.image, run.row, run.position), 1, args_.output_type, run.count,
            to);
    };
    write_starts(args_.rule(), run.count, args_.has_bias ? &bias : nullptr, 0,
                 args_.result_add ? &read_old : nullptr, first, second);
  }

  void finish(const OutputRun& run, const float* sums) const override {
    store_floats(sums, run.count, args_.output_type,
                 args_.output_address(run.image, run.row, run.position));
  }

 private:
  const AnyTypeConv2dArgs& args_;
};

}  // namespace

bool float_conv2d_simd(const AnyTypeConv2dArgs& args) {
  if (!has_dense_rows(args.output)) return false;
  const ProductRule rule = args.rule();
  std::vector<ProductStep> steps = product_steps(rule, args.input_c, args.window.kernel_h,
                                                 args.window.kernel_w, args.block_channels);
  const Words<float> weights = read_weights(args, steps);
  // fp32 without inserted elements is read where it is.
  const bool in_place = args.input_type == Dtype::kFp32 && args.insert_h == 0 && args.insert_w == 0;
  const InsertedRows input{args.input,   args.input_type, args.input_h,
                           args.input_w, args.insert_h,   args.insert_w};
  SpecialNumbers specials(rule);
  specials.look_at(weights.all());
  const auto read = [&](const InputPart& part, float* to) {
    input.fill(part, part.channel, 0.0F, to);
    specials.look_at({to, static_cast<std::size_t>(part.end - part.begin) * part.count});
  };
  const FloatProduct product{.operands = {.frame = args.frame(args.input, args.input_c),
                                          .read = in_place ? ReadInput<float>() : read,
                                          .steps = std::move(steps),
                                          .weights = weights.data()},
                             .rule = rule,
                             .specials = [&] { return specials.seen(); }};
  return run_product(product, FloatConvSink(args));
}

}  // namespace tensorlane
