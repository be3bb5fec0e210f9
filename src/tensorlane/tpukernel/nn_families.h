// What the convolution, pooling and matrix functions of TPUKernel have in common.
#ifndef TENSORLANE_TPUKERNEL_NN_FAMILIES_H_
#define TENSORLANE_TPUKERNEL_NN_FAMILIES_H_

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/compute/bands/window2d.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/products/channel_value.h"
#include "tensorlane/compute/rows/command_views.h"
#include "tensorlane/ops/param_roles.h"
#include "tensorlane/tpukernel/families.h"

namespace tensorlane::tpukernel {

// The arguments of a call by name.
class CallArgs {
 public:
  explicit CallArgs(const Invocation& invocation) : invocation_(invocation) {}

  int integer(std::string_view name, std::string_view field = {}) const {
    return static_cast<int>(invocation_.command.value(name, field));
  }
  bool flag(std::string_view name) const { return arg(name).value() != 0; }
  std::uint32_t bits(std::string_view name) const {
    return static_cast<std::uint32_t>(arg(name).value());
  }
  RoundingMode rounding(std::string_view name = "rounding_mode") const {
    return static_cast<RoundingMode>(arg(name).value());
  }
  Dtype dtype(std::string_view name) const { return arg(name).dtype(); }
  const NumericsRules& numerics() const { return numerics_of(*invocation_.command.chip).rules; }
  // A scalar_t of an integer type.
  ChannelValue number(std::string_view name, Dtype type) const {
    return {.value = bits_to_integer(bits(name), type)};
  }
  LocalView view(std::string_view operand) const { return local_view(invocation_, operand); }
  Dtype type_of(std::string_view operand) const {
    const Operand* found = invocation_.command.find(operand);
    return found == nullptr ? Dtype::kFp32 : found->layout.dtype();
  }
  int extent(std::string_view operand, int dim) const {
    return static_cast<int>(invocation_.command.find(operand)->layout.extent(dim));
  }

 private:
  const Arg& arg(std::string_view name) const { return invocation_.command.arg(name); }
  const Invocation& invocation_;
};

inline std::vector<Implementation> matrix_products(
    std::function<AnyTypeMatmulArgs(const Invocation&)> decode) {
  return simd_or_reference(std::move(decode), any_type_matmul_simd, any_type_matmul_reference);
}

// What a window function has besides kernel, padding and dilation.
enum class WindowKind {
  kStride,    // stride
  kInsert,    // zeros between the input's elements, stride 1: the *_for_deconv2d functions
  kStrideIns  // both; the parameter is called ins
};

inline Definitions window_definitions(WindowKind kind) {
  Definitions definitions;
  switch (kind) {
    case WindowKind::kStride:
      definitions = {{"extent_h", "input_shape.h"},
                     {"extent_w", "input_shape.w"},
                     {"step_h", "stride.h"},
                     {"step_w", "stride.w"}};
      break;
    case WindowKind::kInsert:
      definitions = {{"extent_h", "(input_shape.h - 1) * (insert.h + 1) + 1"},
                     {"extent_w", "(input_shape.w - 1) * (insert.w + 1) + 1"},
                     {"step_h", "1"},
                     {"step_w", "1"}};
      break;
    case WindowKind::kStrideIns:
      definitions = {{"extent_h", "(input_shape.h - 1) * (ins.h + 1) + 1"},
                     {"extent_w", "(input_shape.w - 1) * (ins.w + 1) + 1"},
                     {"step_h", "stride.h"},
                     {"step_w", "stride.w"}};
      break;
  }
  definitions.emplace_back(
      "output_h",
      "(extent_h + padding.top + padding.bottom - ((kernel.h - 1) * dilation.h + 1)) "
      "/ step_h + 1");
  definitions.emplace_back(
      "output_w",
      "(extent_w + padding.left + padding.right - ((kernel.w - 1) * dilation.w + 1)) "
      "/ step_w + 1");
  return definitions;
}

// What parameters do to the sums of an entry.
inline void add_roles(OpSpec& spec,
                      std::initializer_list<std::pair<ParamRole, std::string_view>> parameters) {
  spec.definitions = with_roles(std::move(spec.definitions), parameters);
}

// How the windows lie on the input.
inline std::vector<WindowSpec> windows_of(WindowKind kind) {
  const std::string_view inserted_h = kind == WindowKind::kStride   ? "0"
                                      : kind == WindowKind::kInsert ? "insert.h"
                                                                    : "ins.h";
  const std::string_view inserted_w = kind == WindowKind::kStride   ? "0"
                                      : kind == WindowKind::kInsert ? "insert.w"
                                                                    : "ins.w";
  return {{.source = "input_shape.h",
           .result = "output_h",
           .kernel = "kernel.h",
           .step = "step_h",
           .dilation = "dilation.h",
           .before = "padding.top",
           .inserted = inserted_h},
          {.source = "input_shape.w",
           .result = "output_w",
           .kernel = "kernel.w",
           .step = "step_w",
           .dilation = "dilation.w",
           .before = "padding.left",
           .inserted = inserted_w}};
}

// `most_inserted`: 14 for convolutions, 7 for depthwise convolution and pooling. [parameter checks
// published for later chips]
inline Texts window_limits(WindowKind kind, bool depthwise) {
  Texts limits = join(
      {{"not_null(input_shape)", "not_null(kernel)"},
       on_request({"1 <= input_shape.n <= 65535", "1 <= input_shape.c <= 65535",
                   "1 <= input_shape.h <= 65535", "1 <= input_shape.w <= 65535",
                   "1 <= kernel.h <= 65535", "1 <= kernel.w <= 65535", "0 <= padding.top <= 15",
                   "0 <= padding.bottom <= 15", "0 <= padding.left <= 15",
                   "0 <= padding.right <= 15", "1 <= dilation.h <= 15", "1 <= dilation.w <= 15",
                   "1 <= output_h <= 65535", "1 <= output_w <= 65535"})});
  if (kind != WindowKind::kInsert) {
    limits = join({limits, on_request({"1 <= stride.h <= 15", "1 <= stride.w <= 15"})});
  }
  if (kind == WindowKind::kInsert) {
    limits.emplace_back("not_null(insert)");
    limits =
        join({limits, on_request(depthwise ? Texts{"0 <= insert.h <= 7", "0 <= insert.w <= 7"}
                                           : Texts{"0 <= insert.h <= 14", "0 <= insert.w <= 14"})});
  }
  if (kind == WindowKind::kStrideIns) {
    limits = join({limits, {"not_null(ins)", "0 <= ins.h <= 7", "0 <= ins.w <= 7"}});
  }
  return limits;
}

// Kernels of transposed convolutions count from their end.
inline Combination sum_of(WindowKind kind) {
  return kind == WindowKind::kInsert ? Combination::kRotatedSum : Combination::kSum;
}

// The window of a call; the output extents are those of its first operand.
inline Window2d window_of(const CallArgs& args, WindowKind kind) {
  const bool has_stride = kind != WindowKind::kInsert;
  return {.kernel_h = args.integer("kernel", "h"),
          .kernel_w = args.integer("kernel", "w"),
          .stride_h = has_stride ? args.integer("stride", "h") : 1,
          .stride_w = has_stride ? args.integer("stride", "w") : 1,
          .dilation_h = args.integer("dilation", "h"),
          .dilation_w = args.integer("dilation", "w"),
          .pad_top = args.integer("padding", "top"),
          .pad_left = args.integer("padding", "left"),
          .output_h = args.extent("output_addr", 2),
          .output_w = args.extent("output_addr", 3)};
}

// {rows, columns} inserted between the input's elements.
inline std::pair<int, int> inserted(const CallArgs& args, WindowKind kind) {
  if (kind == WindowKind::kStride) return {0, 0};
  const std::string_view name = kind == WindowKind::kInsert ? "insert" : "ins";
  return {args.integer(name, "h"), args.integer(name, "w")};
}

// Multiply-adds that one NPU starts per cycle, from the chip's peak figures at 1 GHz: 32 TOPS in 8
// bits, 16 TFLOPS in 16, 2 TFLOPS in fp32. They come as 4 outputs times 64 or 32 factors, or 16
// outputs. Counters show 16 cycles where the peak allows 15. [docs/timing.md]
inline int factors_per_cycle(int bytes) {
  return bytes == 1 ? 64 : bytes == 2 ? 32 : 1;
}
inline int outputs_per_cycle(int bytes) {
  return bytes >= 4 ? 16 : 4;
}

// What makes a command one of products: its outputs are sums of `length` products for each of
// `positions` kernel positions, of factors of `bytes`.
struct ProductSize {
  int bytes;
  std::int64_t length, positions;
};
void add_product_cost(OpSpec& spec, Work work, std::function<ProductSize(const Command&)> size_of);

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_NN_FAMILIES_H_
