// GDMA: gather and scatter of rows, selection by masks, positions of what is not zero, reversal.
#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/moves/indexed_rows.h"
#include "tensorlane/compute/moves/moves.h"
#include "tensorlane/device/host_functions.h"
#include "tensorlane/tpukernel/sdma.h"

TL_TPU_OPS_FILE(gdma_gather);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kIndexedCopyGroup = "gdma";
constexpr MemoryKind kL = MemoryKind::kLocal, kS = MemoryKind::kSystem;

// A row of `width` elements, from a row or one element again and again (from_stride 0).
void copy_row(std::int64_t bytes, std::int64_t width, std::byte* to, std::int64_t to_stride,
              const std::byte* from, std::int64_t from_stride) {
  if (to_stride == bytes && from_stride == bytes) {
    std::memmove(to, from, static_cast<std::size_t>(width * bytes));
    return;
  }
  with_width(bytes, [&](auto element) {
    for (std::int64_t w = 0; w < width; ++w)
      std::memcpy(to + w * to_stride, from + w * from_stride, sizeof element);
  });
}

// out[0, c, h, :] = param[0, c, index[c, h], :], or C where the index is too large.
bool gather_rows(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const IndexedTensor index(invocation, "index_addr");
  const auto constant = static_cast<std::uint32_t>(invocation.command.arg("C").value());
  for (std::int64_t c = 0; c < output.extent(1); ++c) {
    const Plane to = output.plane(0, c), from = param.plane(0, c), indices = index.plane(0, c);
    for (std::int64_t h = 0; h < output.extent(2); ++h) {
      const std::uint32_t row = index.bits(indices.at(h, 0));
      const bool inside = row < param.extent(2);
      copy_row(output.bytes(), output.extent(3), to.at(h, 0), to.w_stride,
               inside ? from.at(row, 0) : reinterpret_cast<const std::byte*>(&constant),
               inside ? from.w_stride : 0);
    }
  }
  return true;
}

// out[0, c, index[c, h], :] = param[0, c, h, :]; the last one stays.
bool scatter_rows(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const IndexedTensor index(invocation, "index_addr");
  for (std::int64_t c = 0; c < output.extent(1); ++c) {
    const Plane to = output.plane(0, c), from = param.plane(0, c), indices = index.plane(0, c);
    for (std::int64_t h = 0; h < param.extent(2); ++h) {
      const std::uint32_t row = index.bits(indices.at(h, 0));
      check_index(invocation.command, "index_addr", row, output.extent(2));
      copy_row(output.bytes(), output.extent(3), to.at(row, 0), to.w_stride, from.at(h, 0),
               from.w_stride);
    }
  }
  return true;
}

// Both in lines, where all indices exist and elements of a line and the indices of a channel lie
// one after the other. Operands are apart: what is moved before a channel declines, the reference
// moves again alike.
bool move_lines(const Invocation& invocation, bool by_scatter) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const IndexedTensor index(invocation, "index_addr");
  if (!output.has_dense_rows() || !param.has_dense_rows() || !index.has_dense_channels())
    return false;
  const std::int64_t extent = (by_scatter ? output : param).extent(2);
  const std::int64_t line = output.extent(3) * output.bytes();
  const std::int64_t to_step = output.plane(0, 0).h_stride;
  const std::int64_t from_step = param.plane(0, 0).h_stride;
  const Channels to(output), from(param), indices(index);
  for (std::int64_t c = 0; c < output.extent(1); ++c) {
    const indexed::Numbers numbers{indices.at(0, c), index.bytes(), index.extent(2)};
    if (static_cast<std::int64_t>(indexed::largest(numbers)) >= extent) return false;
    const indexed::Lines lines{to.at(0, c), to_step, from.at(0, c), from_step, line};
    (by_scatter ? indexed::scatter_lines : indexed::gather_lines)(lines, numbers);
  }
  return true;
}

OpSpec indexed_rows(MemoryKind out_memory, MemoryKind in_memory, bool scatter) {
  const Texts output_shape = {"1", "shape.c", "shape.h", "shape.w"};
  const Texts param_shape = {"1", "shape.c", "param_h", "shape.w"};
  const Texts index_shape = {"1", "shape.c", scatter ? "param_h" : "shape.h", "1"};
  const auto index = [&](MemoryKind memory, std::string_view condition) {
    return only_if(deciding(placed(Role::kIn, memory, "index_addr", Dtype::kUint32, index_shape,
                                   "index_stride")),
                   condition);
  };
  const Doc doc =
      scatter ? "out[0, c, index[c, h], :] = param[0, c, h, :]"
              : "out[0, c, h, :] = param[0, c, index[c, h], :], C where there is no such row";
  return {
      .engine = Engine::kGdma,
      .group = kIndexedCopyGroup,
      .doc = doc,
      .operands = {placed(scatter ? Role::kInOut : Role::kOut, out_memory, "output_addr", "dtype",
                          output_shape, "output_stride"),
                   placed(Role::kIn, in_memory, "param_addr", "dtype", param_shape, "param_stride"),
                   index(kL, "index_is_local"), index(kS, "1 - index_is_local")},
      .limits = join({any_type_or_fp8("dtype"),
                      {"not_null(shape)", "shape.n == 1 [observed]", "1 <= shape.c <= 65535",
                       "1 <= shape.h <= 65535", "1 <= shape.w <= 65535", "1 <= param_h <= 65535",
                       "output_addr % dtype.bytes == 0", "param_addr % dtype.bytes == 0",
                       "index_addr % 4 == 0"}}),
      .dependence = Dependence::kMoved,
      .numerics = Numerics::kExactToModel,
      .implementations = {
          {"rows",
           [scatter](const Invocation& invocation) { return move_lines(invocation, scatter); }},
          {"reference", scatter ? scatter_rows : gather_rows}}};
}

// What the last mask_select or nonzero of the running kernel found.
thread_local std::uint32_t filter_count = 0;

// keep(n, c, h, w, position, k) for the elements that are not 0, k counting them.
template <class Keep>
void filter(const IndexedTensor& tested, Keep keep) {
  std::uint32_t count = 0;
  std::int64_t position = 0;
  with_width(tested.bytes(), [&](auto type) {
    for (std::int64_t n = 0; n < tested.extent(0); ++n) {
      for (std::int64_t c = 0; c < tested.extent(1); ++c) {
        const Plane plane = tested.plane(n, c);
        for (std::int64_t h = 0; h < tested.extent(2); ++h) {
          for (std::int64_t w = 0; w < tested.extent(3); ++w, ++position) {
            decltype(type) value;
            std::memcpy(&value, plane.at(h, w), sizeof value);
            if (value != 0) keep(n, c, h, w, position, count++);
          }
        }
      }
    }
  });
  filter_count = count;
}

bool nonzero(const Invocation& invocation) {
  const Plane to = IndexedTensor(invocation, "dst_addr").plane(0, 0);
  const auto base = static_cast<std::uint32_t>(invocation.command.arg("base_idx").value());
  filter(IndexedTensor(invocation, "src_addr"),
         [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t position,
             std::int64_t k) {
           const auto value = base + static_cast<std::uint32_t>(position);
           std::memcpy(to.at(0, k), &value, sizeof value);
         });
  return true;
}

bool mask_select(const Invocation& invocation) {
  const IndexedTensor output(invocation, "dst_addr"), source(invocation, "src_addr");
  const Plane to = output.plane(0, 0);
  with_width(output.bytes(), [&](auto element) {
    std::int64_t batch = -1, channel = -1;
    Plane from{};
    filter(IndexedTensor(invocation, "mask_addr"),
           [&](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w, std::int64_t,
               std::int64_t k) {
             if (n != batch || c != channel) from = source.plane(batch = n, channel = c);
             std::memcpy(to.at(0, k), from.at(h, w), sizeof element);
           });
  });
  return true;
}

// Calls f(n, c, the masks of a channel) for all, where each channel's lie one after the other.
template <class F>
void each_mask(const IndexedTensor& tested, const F& f) {
  const Channels channels(tested);
  const std::int64_t count = tested.extent(2) * tested.extent(3);
  for (std::int64_t n = 0; n < tested.extent(0); ++n) {
    for (std::int64_t c = 0; c < tested.extent(1); ++c)
      f(n, c, indexed::Numbers{channels.at(n, c), tested.bytes(), count});
  }
}

bool nonzero_rows(const Invocation& invocation) {
  const IndexedTensor output(invocation, "dst_addr"), source(invocation, "src_addr");
  if (!output.has_dense_rows() || !source.has_dense_channels()) return false;
  auto first = static_cast<std::uint32_t>(invocation.command.arg("base_idx").value());
  std::byte* const to = output.at(0, 0, 0, 0);
  std::int64_t found = 0;
  each_mask(source, [&](std::int64_t, std::int64_t, const indexed::Numbers& mask) {
    found += indexed::select_positions(to + found * output.bytes(), first, mask);
    first += static_cast<std::uint32_t>(mask.count);
  });
  filter_count = static_cast<std::uint32_t>(found);
  return true;
}

bool mask_select_rows(const Invocation& invocation) {
  const IndexedTensor output(invocation, "dst_addr"), source(invocation, "src_addr");
  const IndexedTensor masks(invocation, "mask_addr");
  if (!output.has_dense_rows() || !source.has_dense_channels() || !masks.has_dense_channels())
    return false;
  std::byte* const to = output.at(0, 0, 0, 0);
  const Channels from(source);
  std::int64_t found = 0;
  each_mask(masks, [&](std::int64_t n, std::int64_t c, const indexed::Numbers& mask) {
    found += indexed::select(to + found * output.bytes(), from.at(n, c), output.bytes(), mask);
  });
  filter_count = static_cast<std::uint32_t>(found);
  return true;
}

// As many elements as the shape has, one after the other: the most that can be written.
const Texts kFlat = {"1", "1", "1", "shape.n * shape.c * shape.h * shape.w"};

OpSpec filter_spec(Doc doc, std::vector<OperandSpec> operands, Texts limits,
                   bool (*rows)(const Invocation&), bool (*reference)(const Invocation&)) {
  return {.engine = Engine::kGdma,
          .group = kIndexedCopyGroup,
          .doc = doc,
          .operands = std::move(operands),
          .limits = join({kShapeLimits, any_type("data_dtype"), std::move(limits)}),
          .dependence = Dependence::kMoved,
          .numerics = Numerics::kExactToModel,
          .implementations = {{"rows", rows}, {"reference", reference}}};
}

// The model of 2024 tests integers alone for 0.
Texts newer_model_integers_only(std::string_view param) {
  return refused_by_model_of_2024(integer_type(param));
}

OpSpec nonzero_spec(MemoryKind source) {
  return filter_spec("Writes base_idx plus the position of every element that is not 0.",
                     {placed(Role::kInOut, kS, "dst_addr", Dtype::kUint32, kFlat),
                      deciding(placed(Role::kIn, source, "src_addr", "data_dtype", kShape))},
                     {"dst_addr % 4 == 0", "src_addr % data_dtype.bytes == 0"}, nonzero_rows,
                     nonzero);
}

OpSpec mask_select_spec(MemoryKind source, std::vector<OperandSpec> masks, const Texts& limits) {
  masks.insert(masks.begin(), {placed(Role::kInOut, kS, "dst_addr", "data_dtype", kFlat),
                               placed(Role::kIn, source, "src_addr", "data_dtype", kShape)});
  return filter_spec("Copies the elements whose mask is not 0, one after the other.",
                     std::move(masks),
                     join({any_type("mask_dtype"),
                           limits,
                           {"dst_addr % data_dtype.bytes == 0", "src_addr % data_dtype.bytes == 0",
                            "mask_addr % mask_dtype.bytes == 0"}}),
                     mask_select_rows, mask_select);
}
OperandSpec mask(MemoryKind memory) {
  return deciding(placed(Role::kIn, memory, "mask_addr", "mask_dtype", kShape));
}
OpSpec gdma_nonzero(MemoryKind source) {
  return with_limits(nonzero_spec(source), newer_model_integers_only("data_dtype"));
}
OpSpec gdma_mask_select(MemoryKind source) {
  return with_limits(
      mask_select_spec(source,
                       {only_if(mask(kL), "mask_in_lmem"), only_if(mask(kS), "1 - mask_in_lmem")},
                       {"0 <= mask_in_lmem <= 1"}),
      newer_model_integers_only("mask_dtype"));
}

// It waits for the command that counts, and so for all before it.
std::int64_t found_elements(const HostCall& call) {
  const bool in_region = launched(call, call.op.name()).in_parallel_region;
  if (!in_region) call.session->poll(call.call_site);
  return filter_count;
}
OpSpec counted(OpSpec spec) {
  spec.doc = "mask_select_S2S that waits and returns the number of elements.";
  spec.call = found_elements;
  return spec;
}

// The SDMA's rows have their indices in system memory, and so its masks.
OpSpec sdma_rows(bool scatter) {
  OpSpec spec = on_sdma(indexed_rows(kS, kS, scatter));
  spec.operands.erase(spec.operands.end() - 2);
  spec.operands.back() = only_if(spec.operands.back(), {});
  return spec;
}

OpSpec reverse_spec(MemoryKind dst, MemoryKind src) {
  return {.engine = Engine::kGdma,
          .group = kIndexedCopyGroup,
          .doc = "dst = src, backwards along dimension reverse_axis",
          .operands = {placed(Role::kOut, dst, "dst_addr", "dtype", kShape, "dst_stride"),
                       placed(Role::kIn, src, "src_addr", "dtype", kShape, "src_stride")},
          .limits = join({kShapeLimits,
                          any_type_or_fp8("dtype"),
                          {"0 <= reverse_axis <= 3", "dst_addr % dtype.bytes == 0",
                           "src_addr % dtype.bytes == 0"},
                          refused_by_model_of_2024({"never"})}),
          .dependence = Dependence::kMoved,
          .numerics = Numerics::kExactToDocument,
          .implementations = move_reversed("dst_addr", "src_addr", "reverse_axis")};
}

OpSpec sdma_reverse() {
  OpSpec spec = on_sdma(reverse_spec(kS, kS));
  spec.limits.pop_back();  // of the model of 2024, which has no SDMA
  return spec;
}

}  // namespace

TL_TPU_OP(tpu_gdma_h_gather_S2L) = indexed_rows(kL, kS, false);
TL_TPU_OP(tpu_gdma_h_gather_L2S) = indexed_rows(kS, kL, false);
TL_TPU_OP(tpu_gdma_h_gather_L2L) = indexed_rows(kL, kL, false);
TL_TPU_OP(tpu_gdma_h_gather_S2S) = indexed_rows(kS, kS, false);
TL_TPU_OP(tpu_gdma_h_scatter_S2L) = indexed_rows(kL, kS, true);
TL_TPU_OP(tpu_gdma_h_scatter_L2S) = indexed_rows(kS, kL, true);
TL_TPU_OP(tpu_gdma_h_scatter_L2L) = indexed_rows(kL, kL, true);
TL_TPU_OP(tpu_gdma_h_scatter_S2S) = indexed_rows(kS, kS, true);

TL_TPU_OP(tpu_gdma_nonzero_L2S) = gdma_nonzero(kL);
TL_TPU_OP(tpu_gdma_nonzero_S2S) = gdma_nonzero(kS);
TL_TPU_OP(tpu_gdma_mask_select_L2S) = gdma_mask_select(kL);
TL_TPU_OP(tpu_gdma_mask_select_S2S) = gdma_mask_select(kS);
TL_TPU_OP(tpu_gdma_mask_select_S2S_with_ret) = counted(gdma_mask_select(kS));
TL_TPU_OP(tpu_gdma_get_filter_num) =
    host("How many elements the last mask_select or nonzero found.", found_elements, {},
         kIndexedCopyGroup);

TL_TPU_OP(tpu_gdma_reverse_S2S) = reverse_spec(kS, kS);
TL_TPU_OP(tpu_gdma_reverse_S2L) = reverse_spec(kL, kS);
TL_TPU_OP(tpu_gdma_reverse_L2S) = reverse_spec(kS, kL);
TL_TPU_OP(tpu_gdma_reverse_L2L) = reverse_spec(kL, kL);

TL_TPU_OP(tpu_sdma_h_gather_S2S) = sdma_rows(false);
TL_TPU_OP(tpu_sdma_h_scatter_S2S) = sdma_rows(true);
TL_TPU_OP(tpu_sdma_nonzero_S2S) = on_sdma(nonzero_spec(kS));
TL_TPU_OP(tpu_sdma_mask_select_S2S) = on_sdma(mask_select_spec(kS, {mask(kS)}, {}));
TL_TPU_OP(tpu_sdma_get_filter_num) =
    host("How many elements the last mask_select or nonzero found.", found_elements, {}, "sdma");
TL_TPU_OP(tpu_sdma_reverse_S2S) = sdma_reverse();

}  // namespace tensorlane::tpukernel
