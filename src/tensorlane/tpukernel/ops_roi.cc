// BDC: pooling of regions, one window per region. [observed]
//
// Region i is four unsigned 16-bit numbers (w0, h0, w1, h1), both ends inclusive. Column i of the
// output is the window of kernel.h x kernel.w elements from (h0, w0) on; what lies past h1 or w1
// counts as except_val.
#include <algorithm>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/float_maximum.h"
#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/rows/typed_rounding.h"
#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/compute/windows/region_windows.h"
#include "tensorlane/tpukernel/nn_families.h"

TL_TPU_OPS_FILE(roi_pooling);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kRegionGroup = "bdc-nn";

// `pool(window values)` of every output element; `load` reads `count` elements, `store` writes
// them.
template <class Wide, class Load, class Store, class Pool>
bool each_window(const Invocation& invocation, const Load& load, const Store& store, Pool pool) {
  const CallArgs call(invocation);
  const IndexedTensor output(invocation, "output_addr"), input(invocation, "input_addr");
  const IndexedTensor regions(invocation, "roi_addr");
  const int kernel_h = call.integer("kernel", "h"), kernel_w = call.integer("kernel", "w");
  const std::uint32_t except_bits = call.bits("except_val");
  Wide except{};
  load(reinterpret_cast<const std::byte*>(&except_bits), 0, 1, &except);
  std::vector<Wide> values(static_cast<std::size_t>(kernel_h * kernel_w));
  for (std::int64_t n = 0; n < output.extent(0); ++n) {
    for (std::int64_t c = 0; c < output.extent(1); ++c) {
      for (std::int64_t i = 0; i < output.extent(3); ++i) {
        PooledRegion region{};
        std::memcpy(&region, regions.at(0, i, 0, 0), sizeof region);
        std::size_t k = 0;
        for (int dh = 0; dh < kernel_h; ++dh) {
          for (int dw = 0; dw < kernel_w; ++dw, ++k) {
            const int h = region.h0 + dh, w = region.w0 + dw;
            values[k] = except;
            if (h > region.h1 || w > region.w1) continue;
            check_index(invocation.command, "roi_addr", static_cast<std::uint64_t>(h),
                        input.extent(2));
            check_index(invocation.command, "roi_addr", static_cast<std::uint64_t>(w),
                        input.extent(3));
            load(input.at(n, c, h, w), input.bytes(), 1, &values[k]);
          }
        }
        const Wide result = pool(values);
        store(output.at(n, c, 0, i), output.bytes(), 1, &result);
      }
    }
  }
  return true;
}

// The same of values that are widened, and of results that are narrowed.
template <class Wide, class Pool>
bool each_wide_window(const Invocation& invocation, Pool pool) {
  const CallArgs call(invocation);
  return each_window<Wide>(invocation, load_row<Wide>(call.type_of("input_addr")),
                           store_row<Wide>(call.type_of("output_addr")), pool);
}

bool float_maximum(const Invocation& invocation) {
  const ChipFloatScope flush;
  const Dtype type = CallArgs(invocation).type_of("input_addr");
  return each_window<std::uint32_t>(
      invocation,
      [type](const std::byte* from, std::int64_t, std::int64_t, std::uint32_t* bits) {
        *bits = load_bits(from, type);
      },
      [type](std::byte* to, std::int64_t, std::int64_t, const std::uint32_t* bits) {
        store_bits(to, type, *bits);
      },
      [type](const std::vector<std::uint32_t>& values) {
        FloatMaximum maximum(type);
        for (const std::uint32_t bits : values) maximum.add(bits);
        return maximum.bits();
      });
}
bool integer_maximum(const Invocation& invocation) {
  return each_wide_window<std::int64_t>(invocation, [](const std::vector<std::int64_t>& values) {
    return *std::ranges::max_element(values);
  });
}

bool float_average(const Invocation& invocation) {
  const CallArgs call(invocation);
  const TypedRounding type(call.type_of("input_addr"));
  const std::uint32_t scale_bits = call.bits("scale");
  const float scale = type.read(reinterpret_cast<const std::byte*>(&scale_bits));
  const ChipFloatScope flush;
  return each_wide_window<float>(
      invocation, [&](const std::vector<float>& values) { return type.average(values, scale); });
}

// The low 16 bits of the sum times an unsigned scale, or what they saturate to.
bool integer_average(const Invocation& invocation) {
  const CallArgs call(invocation);
  const bool saturates = call.numerics().saturates_sums.value;
  const IntegerRange range = integer_range(call.type_of("output_addr"));
  const auto scale = static_cast<std::int64_t>(call.bits("scale") & 0xffU);
  return each_wide_window<std::int64_t>(invocation, [&](const std::vector<std::int64_t>& values) {
    std::int64_t sum = 0;
    for (const std::int64_t value : values) sum += value;
    return saturates ? std::clamp(sum * scale, range.min, range.max) : sum * scale;
  });
}

RegionWindowArgs window_args(const Invocation& invocation, WindowRule rule) {
  const CallArgs call(invocation);
  const IndexedTensor regions(invocation, "roi_addr");
  RegionWindowArgs args{.rule = rule,
                        .input = call.view("input_addr"),
                        .output = call.view("output_addr"),
                        .input_type = call.type_of("input_addr"),
                        .output_type = call.type_of("output_addr"),
                        .n = call.extent("input_addr", 0),
                        .c = call.extent("input_addr", 1),
                        .input_h = call.extent("input_addr", 2),
                        .input_w = call.extent("input_addr", 3),
                        .kernel_h = call.integer("kernel", "h"),
                        .kernel_w = call.integer("kernel", "w"),
                        .regions = {},
                        .except_bits = call.bits("except_val")};
  args.regions.resize(static_cast<std::size_t>(call.extent("output_addr", 3)));
  for (std::size_t i = 0; i < args.regions.size(); ++i)
    std::memcpy(&args.regions[i], regions.at(0, static_cast<std::int64_t>(i), 0, 0),
                sizeof(PooledRegion));
  return args;
}

bool maximum_in_vectors(const Invocation& invocation) {
  const ChipFloatScope flush;
  return region_windows_simd(window_args(invocation, WindowRule::kMaximum));
}

bool average_in_vectors(const Invocation& invocation) {
  RegionWindowArgs args = window_args(invocation, WindowRule::kSum);
  const std::uint32_t scale = CallArgs(invocation).bits("scale");
  if (dtype_info(args.input_type).is_float) {
    args.scale = bits_to_float(scale, args.input_type);
  } else {
    if (CallArgs(invocation).numerics().saturates_sums.value) return false;
    args.factor = static_cast<std::int32_t>(scale & 0xffU);
  }
  const ChipFloatScope flush;
  return region_windows_simd(args);
}

OpSpec region_pooling(Doc doc, Combination combination, TypeOf output_type, TypeOf input_type,
                      Texts types, bool (*vectors)(const Invocation&),
                      bool (*run)(const Invocation&)) {
  // An output reads kernel.h * kernel.w elements, and no document says how many these may be: as
  // many as the memory that they come from could hold.
  const std::string_view held =
      keep("kernel.h * kernel.w * " + std::string(input_type.param) +
           ".bytes <= tpu_local_mem_size_per_npu() [a choice: what one NPU can hold]");
  const OperandSpec regions = deciding(
      shaped(in("roi_addr", Dtype::kUint16), {"1", "output_w", "1", "4"}, DefaultLayout::kCompact));
  return {
      .engine = Engine::kBdc,
      .group = kRegionGroup,
      .doc = doc,
      .operands = {combined(combination,
                            shaped(out("output_addr", output_type),
                                   {"input_shape.n", "input_shape.c", "1", "output_w"})),
                   shaped(in("input_addr", input_type), kInputShape), regions},
      .limits = join(
          {{"not_null(input_shape)", "1 <= input_shape.n <= 65535", "1 <= input_shape.c <= 65535",
            "1 <= input_shape.h <= 65535", "1 <= input_shape.w <= 65535", "not_null(kernel)",
            "1 <= kernel.h <= 65535", "1 <= kernel.w <= 65535", held, "1 <= output_w <= 65535",
            "output_addr % tpu_eu_num(DT_INT8) == 0", "input_addr % tpu_eu_num(DT_INT8) == 0",
            "roi_addr % 8 == 0", "start_npu(roi_addr) == 0 [observed]",
            "same_start_npu(output_addr, input_addr)"},
           std::move(types)}),
      .dependence = Dependence::kByIndex,
      .numerics = Numerics::kExactToModel,
      .implementations = {{"simd", vectors}, {"reference", run}},
      .cycles = per_step_and_position()};
}

const Texts kFloat = float_type("dtype"), kByte = {"dtype in {DT_INT8, DT_UINT8}"},
            kByteToHalf = {"input_dtype in {DT_INT8, DT_UINT8}",
                           "output_dtype in {DT_INT16, DT_UINT16} [observed]",
                           "output_dtype.is_signed == input_dtype.is_signed [observed]"};
constexpr Doc kMaximum = "Maximum over each region of interest";
constexpr Doc kAverage = "Sum of scale * element over each region of interest";

}  // namespace

TL_TPU_OP(tpu_bdc_fp_roi_max_pool2d) = region_pooling(kMaximum, Combination::kMaximum, "dtype",
                                                      "dtype", kFloat, maximum_in_vectors,
                                                      float_maximum);
TL_TPU_OP(tpu_bdc_fp_roi_avg_pool2d) = region_pooling(kAverage, Combination::kMean, "dtype",
                                                      "dtype", kFloat, average_in_vectors,
                                                      float_average);
TL_TPU_OP(tpu_bdc_int8_roi_max_pool2d) = region_pooling(kMaximum, Combination::kMaximum, "dtype",
                                                        "dtype", kByte, maximum_in_vectors,
                                                        integer_maximum);
TL_TPU_OP(tpu_bdc_int8_roi_avg_pool2d) = region_pooling(kAverage, Combination::kMean,
                                                        "output_dtype", "input_dtype", kByteToHalf,
                                                        average_in_vectors, integer_average);

}  // namespace tensorlane::tpukernel
