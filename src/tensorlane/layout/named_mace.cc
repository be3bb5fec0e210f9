// The layouts of MACE: CPU buffers, GPU buffers, and the images of its OpenCL runtime.
#include <fmt/ranges.h>

#include <array>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/named_internal.h"

namespace tensorlane::named_internal {
namespace {

void no_start(const NamedLayout& out) {
  check_no_npu(out);
  if (out.spec.offset != 0) {
    user_error("offset is {}; layout {} of mace starts at 0", out.spec.offset, out.info->name);
  }
}

void build_row_major(NamedLayout& out) {
  no_start(out);
  set_axes(out);
  out.layout = row_major_layout(out.spec.shape, out.spec.dtype);
  out.strides.assign(out.spec.shape.size(), 1);
  for (std::size_t i = out.strides.size() - 1; i > 0; --i)
    out.strides[i - 1] = out.strides[i] * out.spec.shape[i];
}

void finish_image(NamedLayout& out, ImageType type, std::span<const std::int64_t> shape) {
  no_start(out);
  const ImageSize size = image_size(type, shape);
  out.layout = image_layout(type, shape, out.spec.dtype);
  out.image_height = size.height;
  out.bytes = size.width * size.height * 4 * out.layout.element_units();
  out.padding = PaddingFill::kZero;
}

template <ImageType kType>
void build_image(NamedLayout& out) {
  set_axes(out);
  finish_image(out, kType, out.spec.shape);
  const auto multiplier = static_cast<std::size_t>(out.axes.find(Axis::kM));
  out.holds_elements = !out.info->drops_multipliers || out.spec.shape[multiplier] == 1;
}

void build_winograd(NamedLayout& out) {
  const int block = out.spec.winograd_block;
  if (block != 2 && block != 4 && block != 6) {
    user_error("winograd block is {}; MACE has 2, 4 and 6", block);
  }
  set_axes(out);
  const std::vector<std::int64_t> given = out.spec.shape;
  const std::int64_t side = block + 2;
  const bool original = given[2] == 3 && given[3] == 3;
  if (!original && (given[2] != side || given[3] != side)) {
    user_error(
        "shape [{}] of {} must be that of a 3x3 filter (O,I,3,3) or of the transformed one "
        "(O,I,{},{} for block {})",
        fmt::join(given, ","), out.info->name, side, side, block);
  }
  out.spec.shape = {given[0], given[1], side, side};
  finish_image(out, ImageType::kWinogradFilter, out.spec.shape);
}

template <ImageType kType>
void build_gpu_buffer(NamedLayout& out) {
  no_start(out);
  set_axes(out);
  if (kType == ImageType::kDwConv2dFilter && out.spec.shape[0] != 1) {
    user_error("shape [{}]: MACE stores depthwise filters in a GPU buffer for M = 1 only",
               fmt::join(out.spec.shape, ","));
  }
  out.layout = gpu_buffer_layout(kType, out.spec.shape, out.spec.dtype);
  out.bytes = ceil_div(gpu_buffer_elements(kType, out.spec.shape) * dtype_bits(out.spec.dtype), 8);
  out.padding = PaddingFill::kZero;
}

// The 8-bit buffers that are handed to accelerators. MACE pads them with the zero point of the
// quantised tensor; conversions write 0.
void finish_hand_off(NamedLayout& out, std::int64_t bytes) {
  no_start(out);
  out.bytes = bytes;
  out.padding = PaddingFill::kZero;
}

// [N, H, ceil(C/32), W, 32]
void build_d32(NamedLayout& out) {
  set_axes(out);
  const std::vector<std::int64_t>& s = out.spec.shape;
  const std::int64_t block = s[2] * 32, row = ceil_div(s[3], 32) * block;
  finish_hand_off(out, s[0] * s[1] * row);
  out.layout = Layout(out.spec.dtype);
  out.layout.add_dim(s[0], {{1, s[1] * row}}).add_dim(s[1], {{1, row}}).add_dim(s[2], {{1, 32}});
  out.layout.add_dim(s[3], {{32, 1}, {1, block}});
}

// NCHW, rows rounded up to 32 elements.
void build_w32(NamedLayout& out) {
  set_axes(out);
  const std::vector<std::int64_t>& s = out.spec.shape;
  const std::int64_t row = align_up(s[3], 32), plane = s[2] * row;
  finish_hand_off(out, s[0] * s[1] * plane);
  out.layout = Layout(out.spec.dtype);
  out.layout.add_dim(s[0], {{1, s[1] * plane}}).add_dim(s[1], {{1, plane}});
  out.layout.add_dim(s[2], {{1, row}}).add_dim(s[3], {{1, 1}});
}

// Smaller ranks of the images of input and output.
constexpr Axes kNoPlane[] = {Axes("NC"), Axes("C")};
constexpr Axes kNoChannels[] = {Axes("NHW")};

constexpr std::string_view kSource = msg("source of MACE");
constexpr std::string_view kRun = msg("source of MACE, confirmed by running its kernels");
constexpr std::string_view kOld = msg("source of MACE v0.6.3, confirmed by running its kernels");

// A row-major buffer is called by its axes.
constexpr LayoutInfo buffer(std::string_view letters, std::string_view aliases,
                            std::string_view summary, std::string_view rule) {
  return row_major(
      {System::kMace, letters, aliases, Axes(letters), summary, rule, kSource, build_row_major});
}
constexpr LayoutInfo image(LayoutInfo info) {
  info.bits = {8, 32, msg("images hold fp16, fp32, int32 or uint8")};
  info.pixels = PixelForm::kImage;
  return info;
}
constexpr LayoutInfo pixel_buffer(LayoutInfo info) {
  info.bits = {8, 32, msg("pixels hold fp16, fp32, int32 or uint8")};
  info.pixels = PixelForm::kBuffer;
  return info;
}
constexpr LayoutInfo with_smaller(std::span<const Axes> smaller, LayoutInfo info) {
  info.smaller_axes = smaller;
  return info;
}
constexpr LayoutInfo winograd(LayoutInfo info) {
  info.winograd = true;
  return info;
}
constexpr LayoutInfo echoing(LayoutInfo info) {
  info.echoes = true;
  return info;
}
constexpr LayoutInfo without_multipliers(LayoutInfo info) {
  info.drops_multipliers = true;
  return info;
}
constexpr LayoutInfo hand_off(LayoutInfo info) {
  info.bits = {8, 8, msg("it hands quantised tensors to accelerators")};
  return info;
}

constexpr std::array kMaceLayouts = {
    buffer("NCHW", "CPU_NCHW", "input and output in CPU buffers, row-major",
           "((n*C + c)*H + h)*W + w"),
    buffer("NHWC", "GPU_NHWC", "input and output in GPU buffers, row-major",
           "((n*H + h)*W + w)*C + c"),
    buffer("OIHW", "CPU_OIHW", "convolution filter, row-major", "((o*I + i)*H + h)*W + w"),
    buffer("MIHW", "CPU_MIHW", "depthwise filter, row-major", "((m*I + i)*H + h)*W + w"),
    buffer("W", "CPU_W", "1-D argument", "w"),
    buffer("HWOI", "", "convolution filter in GPU buffers up to v0.6.x", "((h*W + w)*O + o)*I + i"),
    buffer("HWIM", "", "depthwise filter in GPU buffers up to v0.6.x", "((h*W + w)*I + i)*M + m"),
    with_smaller(kNoPlane, image({System::kMace, "IN_OUT_CHANNEL", "channel-major", kNhwc,
                                  "image of input and output, four channels in a pixel",
                                  msg("(c/4*W + w, n*H + h), lane c%4"), kRun,
                                  build_image<ImageType::kInOutChannel>})),
    with_smaller(kNoChannels, image({System::kMace, "IN_OUT_HEIGHT", "height-major", kNhwc,
                                     "image with four rows in a pixel: winograd and matmul results",
                                     msg("(c*W + w, n*D4(H) + h/4), lane h%4"), kRun,
                                     build_image<ImageType::kInOutHeight>})),
    with_smaller(kNoChannels, image({System::kMace, "IN_OUT_WIDTH", "width-major", kNhwc,
                                     "image with four columns in a pixel: left operand of matmul",
                                     msg("(c*D4(W) + w/4, n*H + h), lane w%4"), kRun,
                                     build_image<ImageType::kInOutWidth>})),
    image({System::kMace, "CONV2D_FILTER", "", kOihw,
           "image of a convolution filter, four output channels in a pixel",
           msg("(i, o/4*H*W + h*W + w), lane o%4"), kRun, build_image<ImageType::kConv2dFilter>}),
    echoing(image({System::kMace, "CONV2D_FILTER@v0.6.3", "CONV2D_FILTER_V06", kHwoi,
                   "the same up to v0.6.x: from [H,W,O,I], width ceil4(I)",
                   msg("(i, o/4*H*W + h*W + w), lane o%4; columns from I on repeat other elements"),
                   kOld, build_image<ImageType::kConv2dFilterV06>})),
    without_multipliers(
        image({System::kMace, "DW_CONV2D_FILTER", "", kMihw,
               "image of a depthwise filter, four channels in a pixel; M = 1",
               msg("(h*W + w, i/4), lane i%4"), kRun, build_image<ImageType::kDwConv2dFilter>})),
    image({System::kMace, "DW_CONV2D_FILTER@v0.6.3", "DW_CONV2D_FILTER_V06", kHwim,
           "the same up to v0.6.x: from [H,W,I,M]", msg("(h*W + w, i/4), lane i%4"), kOld,
           build_image<ImageType::kDwConv2dFilterV06>}),
    image({System::kMace, "ARGUMENT", "", kW, "image of a 1-D argument, one row of pixels",
           msg("(w/4, 0), lane w%4"), kRun, build_image<ImageType::kArgument>}),
    image({System::kMace, "WEIGHT_HEIGHT", "", kOihw,
           "weight matrix, four output channels in a pixel",
           msg("((h*W + w)*I + i, o/4), lane o%4"), kRun, build_image<ImageType::kWeightHeight>}),
    image({System::kMace, "WEIGHT_WIDTH", "", kOihw,
           "weight matrix of fully connected layers, four input channels in a pixel",
           msg("((h*W + w)*D4(I) + i/4, o), lane i%4"), kRun,
           build_image<ImageType::kWeightWidth>}),
    image({System::kMace, "WEIGHT_HEIGHT@v0.6.3", "WEIGHT_HEIGHT_V06", kHw,
           "the same up to v0.6.x, for rank 2", msg("(w, h/4), lane h%4"),
           msg("source of MACE v0.6.3"), build_image<ImageType::kWeightHeightV06>}),
    image({System::kMace, "WEIGHT_WIDTH@v0.6.3", "WEIGHT_WIDTH_V06", kHw,
           "the same up to v0.6.x, for rank 2", msg("(w/4, h), lane w%4"),
           msg("source of MACE v0.6.3"), build_image<ImageType::kWeightWidthV06>}),
    winograd(image({System::kMace, "WINOGRAD_FILTER", "", kOihw,
                    "image of transformed 3x3 filters G g G^T, four input channels in a pixel",
                    msg("(i/4, (r*e + s)*O + o), lane i%4; e = block + 2"), kRun, build_winograd})),
    pixel_buffer({System::kMace, "CONV2D_FILTER@GPU_BUFFER", "CONV2D_FILTER_BUFFER", kOihw,
                  "convolution filter in a GPU buffer [H,W,D4(O),R4(I),4]",
                  "(((h*W + w)*D4(O) + o/4)*R4(I) + i)*4 + o%4", kRun,
                  build_gpu_buffer<ImageType::kConv2dFilter>}),
    pixel_buffer({System::kMace, "DW_CONV2D_FILTER@GPU_BUFFER", "DW_CONV2D_FILTER_BUFFER", kMihw,
                  "depthwise filter in a GPU buffer [M,D4(I),H,W,4]; M = 1",
                  "((i/4*H + h)*W + w)*4 + i%4", kRun,
                  build_gpu_buffer<ImageType::kDwConv2dFilter>}),
    pixel_buffer({System::kMace, "ARGUMENT@GPU_BUFFER", "ARGUMENT_BUFFER", kW,
                  "1-D argument in a GPU buffer, rounded up to four", "w", kRun,
                  build_gpu_buffer<ImageType::kArgument>}),
    hand_off({System::kMace, "D32", "NHWC_D32", kNhwc,
              "8-bit buffer for accelerators [N,H,ceil(C/32),W,32]",
              "((n*H + h)*ceil(C/32) + c/32)*W*32 + w*32 + c%32", kSource, build_d32}),
    hand_off({System::kMace, "W32", "NCHW_W32", kNchw,
              "8-bit buffer for accelerators, rows rounded up to 32",
              "((n*C + c)*H + h)*R32(W) + w", kSource, build_w32}),
};

}  // namespace

std::span<const LayoutInfo> mace_layouts() {
  return kMaceLayouts;
}

}  // namespace tensorlane::named_internal
