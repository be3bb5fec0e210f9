// The layouts of BM1684, as OKKernel's documents describe them.
#include <array>

#include "tensorlane/base/language.h"
#include "tensorlane/layout/named_internal.h"

namespace tensorlane::named_internal {
namespace {

// 4N and 2N: the strides are those of the packed shape in 32-bit words.
void build_packed(NamedLayout& out) {
  set_axes(out);
  const LocalMemory memory = out.memory();
  const Shape4 words = packed_shape(shape4(out), out.spec.dtype);
  const Stride4 stride = strides_or(out, aligned_stride(memory, out.spec.start_npu, words, 4));
  const int align = out.spec.strides.empty() ? memory.align_bytes : 4;
  out.layout = packed_layout(memory, local_start(out, align), shape4(out), stride, out.spec.dtype);
  set_strides(out, stride);
  out.bytes_per_npu = words.n * stride.n * 4;
}

// 2IC: the strides are those of (ceil(I / 2), O, H, W) in pairs.
void build_two_ic(NamedLayout& out) {
  set_axes(out);
  const LocalMemory memory = out.memory();
  const Shape4 shape = shape4(out);
  const Shape4 pairs{ceil_div(shape.n, 2), shape.c, shape.h, shape.w};
  const Stride4 stride = strides_or(out, compact_stride(memory, out.spec.start_npu, pairs));
  out.layout = two_ic_layout(memory, local_start(out, 4), shape, stride, out.spec.dtype);
  set_strides(out, stride);
  out.bytes_per_npu = pairs.n * stride.n * 8;
}

constexpr std::string_view kBm1684Document =
    msg("documentation of OKKernel, confirmed on its reference model");

constexpr std::array kBm1684Layouts = {
    called(row_major(with_strides({System::kBm1684, layout_names::kContinuous,
                                   "system global linear", kNchw, "row-major in system memory",
                                   msg("offset = ((n*C + c)*H + h)*W + w elements"),
                                   kBm1684Document, build_continuous})),
           "okk_continuous_stride(&stride, &shape)"),
    called(with_gaps({System::kBm1684, layout_names::kAligned, "aligned128 128-byte-aligned align",
                      kNchw, "local memory, every channel starts at a multiple of 128 bytes",
                      msg("W 1, H W, C align(H*W, 128 bytes), N P*C; P = ceil((start + C) / NPUs)"),
                      kBm1684Document, build_aligned}),
           "okk_128_byte_aligned_stride_for_{bits}bit(&stride, start_npu, &shape)"),
    called(LayoutInfo{System::kBm1684, layout_names::kCompact, "", kNchw,
                      "local memory, channels without gaps between them",
                      msg("W 1, H W, C H*W, N P*C; P = ceil((start + C) / NPUs)"), kBm1684Document,
                      build_compact},
           "okk_compact_stride(&stride, start_npu, &shape)"),
    LayoutInfo{System::kBm1684, layout_names::kMatrix, "", kMatrixAxes,
               "matrix, cols_per_channel columns in each channel, aligned layout",
               msg("element (r, k) = tensor element (r, k div w, 0, k mod w) of (rows, "
                   "ceil(cols/w), 1, w)"),
               kBm1684Document, build_matrix},
    free_form({System::kBm1684, layout_names::kFree, "explicit strided stride", kNchw,
               "any strides, in local or system memory",
               msg("offset = n*N + ((start + c) div NPUs)*C + h*H + w*W elements in NPU (start + "
                   "c) mod NPUs"),
               kBm1684Document, build_free}),
    called(with_strides({System::kBm1684, layout_names::packed(8), "aligned-4N 4N-aligned128",
                         kNchw, "8-bit data, four batches in one 32-bit word",
                         msg("offset = 4*((n div 4)*N + row*C + h*H + w*W) + n mod 4 bytes"),
                         kBm1684Document, build_packed,
                         ElementBits{8, 8, msg("four of them share a 32-bit word")}},
                        StrideUnit::kWord),
           "okk_128_byte_aligned_stride_for_32bit(&stride, start_npu, &new_shape)"),
    called(with_strides({System::kBm1684, layout_names::packed(16), "aligned-2N 2N-aligned128",
                         kNchw, "16-bit data, two batches in one 32-bit word",
                         msg("offset = 4*((n div 2)*N + row*C + h*H + w*W) + 2*(n mod 2) bytes"),
                         kBm1684Document, build_packed,
                         ElementBits{16, 16, msg("two of them share a 32-bit word")}},
                        StrideUnit::kWord),
           "okk_128_byte_aligned_stride_for_32bit(&stride, start_npu, &new_shape)"),
    called(
        with_strides(
            {System::kBm1684, layout_names::k2IC, "", kIohw,
             "convolution weights, two input channels in one pair, output channels over NPUs",
             msg("offset = 8*((i div 2)*J + row(o)*O + h*H + w*W) + 4*(i mod 2) bytes"),
             kBm1684Document, build_two_ic,
             ElementBits{32, 32, msg("the convolution of fp32 reads its weights in 64-bit pairs")}},
            StrideUnit::kPair),
        "okk_compact_stride(&stride, start_npu, &new_shape)"),
};

}  // namespace

std::span<const LayoutInfo> bm1684_layouts() {
  return kBm1684Layouts;
}

}  // namespace tensorlane::named_internal
