// The layouts of BM1684X, as TPUKernel's documents describe them.
#include <array>

#include "tensorlane/base/language.h"
#include "tensorlane/layout/named_internal.h"

namespace tensorlane::named_internal {
namespace {

void build_line_aligned(NamedLayout& out) {
  set_axes(out);
  const LocalMemory memory = out.memory();
  const int bits = dtype_bits(out.spec.dtype);
  const Stride4 stride = line_aligned_stride(memory, out.spec.start_npu, shape4(out), bits);
  out.layout = local_layout(memory, local_start(out, memory.align_bytes), shape4(out), stride,
                            out.spec.dtype);
  set_strides(out, stride);
  out.bytes_per_npu = ceil_div(out.spec.shape[0] * stride.n * bits, 8);
}

void build_grouped_ic(NamedLayout& out) {
  set_axes(out);
  const LocalMemory memory = out.memory();
  const Shape4 shape = shape4(out);  // (oc, ic, kh, kw)
  const int bytes = dtype_bytes(out.spec.dtype);
  const std::int64_t group = ic_group(dtype_bits(out.spec.dtype));
  const int align = group == 1 ? 4 : memory.align_bytes;  // a group of 1 is the compact layout
  out.layout = grouped_ic_layout(memory, local_start(out, align), shape, out.spec.dtype);
  const std::int64_t position = group, block = group * shape.h * shape.w;
  out.strides = {ceil_div(shape.c, group) * block, block, shape.w * position, position};
  out.bytes_per_npu = channels_per_npu(memory, out.spec.start_npu, shape.n) *
                      align_up(shape.c, group) * shape.h * shape.w * bytes;
}

constexpr std::string_view kBm1684xDocument =
    msg("documentation of TPUKernel, confirmed on its reference model");

constexpr std::array kBm1684xLayouts = {
    called(row_major(with_strides({System::kBm1684x, layout_names::kContinuous,
                                   "system global linear", kNchw, "row-major in system memory",
                                   msg("offset = ((n*C + c)*H + h)*W + w elements"),
                                   kBm1684xDocument, build_continuous})),
           "tpu_continuous_stride(&stride, &shape)"),
    called(with_gaps(
               {System::kBm1684x, layout_names::kAligned, "aligned64 64-byte-aligned align", kNchw,
                "local memory, every channel starts at a multiple of 64 bytes",
                msg("W 1, H W, C up(H*W, eu), N K*C; eu = 64 bytes, K = ceil((start + C) / NPUs)"),
                kBm1684xDocument, build_aligned}),
           "tpu_aligned_stride(&stride, start_npu, &shape, dtype)"),
    called(LayoutInfo{System::kBm1684x, layout_names::kCompact, "", kNchw,
                      "local memory, channels without gaps between them",
                      msg("W 1, H W, C H*W, N K*C; K = ceil((start + C) / NPUs)"), kBm1684xDocument,
                      build_compact},
           "tpu_compact_stride(&stride, start_npu, &shape)"),
    called(LayoutInfo{System::kBm1684x, layout_names::kLineAligned,
                      "line row-aligned line-64-byte-aligned", kNchw,
                      "local memory, every row starts at a multiple of 64 bytes",
                      msg("W 1, H up(W, eu), C H*H_stride, N K*C; eu = 64 bytes, K = ceil((start + "
                          "C) / NPUs)"),
                      kBm1684xDocument, build_line_aligned},
           "tpu_line_aligned_stride(&stride, start_npu, &shape, dtype)"),
    LayoutInfo{System::kBm1684x, layout_names::kMatrix, "matrix/aligned64", kMatrixAxes,
               "matrix, cols_per_channel columns in each channel, aligned layout",
               msg("element (r, k) = tensor element (r, k div w, 0, k mod w) of (rows, "
                   "ceil(cols/w), 1, w)"),
               kBm1684xDocument, build_matrix},
    LayoutInfo{
        System::kBm1684x, layout_names::kVector, "vector/aligned64", kVectorAxes,
        "a matrix of one row",
        msg("element k = tensor element (0, k div w, 0, k mod w) of (1, ceil(cols/w), 1, w)"),
        kBm1684xDocument, build_matrix},
    free_form({System::kBm1684x, layout_names::kFree, "explicit strided stride", kNchw,
               "any strides, in local or system memory; 0 broadcasts a source",
               msg("offset = n*N + ((start + c) div NPUs)*C + h*H + w*W elements in NPU (start + "
                   "c) mod NPUs"),
               kBm1684xDocument, build_free}),
    LayoutInfo{System::kBm1684x, layout_names::grouped_ic(16), "", kOihw,
               "kernels of fp16 and bf16 convolutions, 32 input channels side by side",
               msg("offset = slot(o)*32*kh*kw*g + (i div 32)*32*kh*kw + (y*kw + x)*32 + i mod 32 "
                   "elements"),
               kBm1684xDocument, build_grouped_ic,
               ElementBits{16, 16, msg("kernels of fp16 and bf16 convolutions")}},
    LayoutInfo{System::kBm1684x, layout_names::grouped_ic(8), "", kOihw,
               "kernels of int8 convolutions, 64 input channels side by side",
               msg("offset = slot(o)*64*kh*kw*g + (i div 64)*64*kh*kw + (y*kw + x)*64 + i mod 64 "
                   "elements"),
               kBm1684xDocument, build_grouped_ic,
               ElementBits{8, 8, msg("kernels of int8 convolutions")}},
    LayoutInfo{System::kBm1684x, layout_names::grouped_ic(32), "fp32-kernel wfp32 fp32-weight",
               kOihw, "kernels of fp32 convolutions: (1, oc, ic, kh*kw) compact",
               msg("offset = slot(o)*I*kh*kw + i*kh*kw + y*kw + x elements"),
               msg("observed on TPUKernel's reference model"), build_grouped_ic,
               ElementBits{32, 32, msg("kernels of fp32 convolutions")}},
};

}  // namespace

std::span<const LayoutInfo> bm1684x_layouts() {
  return kBm1684xLayouts;
}

}  // namespace tensorlane::named_internal
