// GDMA: copies between memories, transposed, gathered or scattered, matrices and fills.
#include "tensorlane/compute/moves/moves.h"
#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/tpukernel/sdma.h"

TL_TPU_OPS_FILE(gdma);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;

constexpr std::string_view kCopyGroup = "gdma";
constexpr MemoryKind kL = MemoryKind::kLocal, kS = MemoryKind::kSystem;

const Texts kDstShape = {"dst_shape.n", "dst_shape.c", "dst_shape.h", "dst_shape.w"};

OperandSpec operand(Role role, MemoryKind memory, std::string_view param, Texts shape,
                    std::string_view stride = {}) {
  return placed(role, memory, param, "dtype", std::move(shape), stride);
}

// The extents of shape parameter `name` are in [1, 65535].
Texts extents(std::string_view name) {
  const std::string text(name);
  Texts limits{keep("not_null(" + text + ")")};
  for (const char* field : {"n", "c", "h", "w"})
    limits.push_back(keep("1 <= " + text + "." + field + " <= 65535"));
  return limits;
}

// Where an operand may start, and how far apart its elements may lie along W.
Texts side_limits(MemoryKind memory, std::string_view address, std::string_view stride) {
  const std::string name(address), step(stride);
  Texts limits{keep(name + " % dtype.bytes == 0")};
  if (stride.empty()) return limits;
  limits.push_back(keep(step + " != NULL => " + step + ".w * dtype.bytes <= 128"));
  if (memory == kL)
    limits.push_back(
        keep(step + " == NULL => " + name + " % tpu_eu_num(DT_INT8) == 0 [observed; on request]"));
  return limits;
}

OpSpec spec_of(Doc doc, std::vector<OperandSpec> operands, Texts limits, List implementations) {
  return {.engine = Engine::kGdma,
          .group = kCopyGroup,
          .doc = doc,
          .operands = std::move(operands),
          .limits = join({std::move(limits), any_type_or_fp8("dtype")}),
          .only_moves = true,
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations)};
}

OpSpec with_dependence(Dependence dependence, OpSpec spec) {
  spec.dependence = dependence;
  return spec;
}

OpSpec copy(MemoryKind dst, MemoryKind src, Doc doc) {
  return spec_of(doc,
                 {operand(Role::kOut, dst, "dst_addr", kShape, "dst_stride"),
                  operand(Role::kIn, src, "src_addr", kShape, "src_stride")},
                 join({extents("shape"), side_limits(dst, "dst_addr", "dst_stride"),
                       side_limits(src, "src_addr", "src_stride")}),
                 copy_bits("dst_addr", "src_addr"));
}

OpSpec general_copy(MemoryKind dst, MemoryKind src, Doc doc) {
  return with_dependence(
      Dependence::kMoved,
      spec_of(doc,
              {operand(Role::kOut, dst, "dst_addr", kDstShape, "dst_stride"),
               operand(Role::kIn, src, "src_addr",
                       {"src_shape.n", "src_shape.c", "src_shape.h", "src_shape.w"}, "src_stride")},
              join({extents("dst_shape"),
                    extents("src_shape"),
                    side_limits(dst, "dst_addr", "dst_stride"),
                    side_limits(src, "src_addr", "src_stride"),
                    {"dst_shape.n * dst_shape.c * dst_shape.h * dst_shape.w == "
                     "src_shape.n * src_shape.c * src_shape.h * src_shape.w"}}),
              move_flattened("dst_addr", "src_addr")));
}

// dst_shape is given; the source has its dimensions in `order`.
OpSpec transposed(MemoryKind dst, MemoryKind src, std::vector<int> order, Doc doc) {
  Texts src_shape;
  for (const int dim : order) src_shape.push_back(kDstShape[static_cast<std::size_t>(dim)]);
  return with_dependence(Dependence::kByIndex,
                         spec_of(doc,
                                 {operand(Role::kOut, dst, "dst_addr", kDstShape, "dst_stride"),
                                  operand(Role::kIn, src, "src_addr", src_shape, "src_stride")},
                                 join({extents("dst_shape"),
                                       side_limits(dst, "dst_addr", "dst_stride"),
                                       side_limits(src, "src_addr", "src_stride"),
                                       {"dst_stride != NULL => dst_stride.w == 1 [observed]",
                                        "src_stride != NULL => src_stride.w == 1 [observed]"}}),
                                 move_permuted("dst_addr", "src_addr", std::move(order))));
}
const std::vector<int> kSwapNC = {1, 0, 2, 3}, kSwapCW = {0, 3, 2, 1};

// Without strides: compact in local memory, continuous in system memory.
OpSpec compact(bool to_local, bool swap, Doc doc) {
  const Texts shape = swap ? kDstShape : kShape;
  const Texts swapped = swap ? Texts{shape[1], shape[0], shape[2], shape[3]} : shape;
  OperandSpec dst = operand(Role::kOut, to_local ? kL : kS, "dst_addr", shape);
  OperandSpec src = operand(Role::kIn, to_local ? kS : kL, "src_addr", swapped);
  (to_local ? dst : src).layout = DefaultLayout::kCompact;
  return with_dependence(
      swap ? Dependence::kByIndex : Dependence::kByShape,
      spec_of(doc, {dst, src},
              join({extents(swap ? "dst_shape" : "shape"), side_limits(kL, "dst_addr", {}),
                    side_limits(kL, "src_addr", {})}),
              swap ? move_permuted("dst_addr", "src_addr", kSwapNC)
                   : copy_bits("dst_addr", "src_addr")));
}

OpSpec fill(MemoryKind dst, Doc doc) {
  return with_constants(
      {{"C", ConstantUse::kBits}},
      spec_of(doc, {operand(Role::kOut, dst, "dst_addr", kShape, "dst_stride")},
              join({extents("shape"), side_limits(dst, "dst_addr", "dst_stride")}),
              copy_bits("dst_addr", "C")));
}

// A matrix or a vector moves between system memory and the matrix layout; each side has its extents
// and the parameter that says how far its rows or channels are apart.
struct Side {
  std::string_view rows, cols, apart;
};
OpSpec matrix_move(bool to_local, Doc doc, const Side& local, const Side& system,
                   const Texts& extents, List implementations) {
  const OperandSpec here =
      matrix(to_local ? Role::kOut : Role::kIn, to_local ? "dst_addr" : "src_addr", "dtype",
             local.rows, local.cols, local.apart);
  const OperandSpec there =
      system_matrix(to_local ? Role::kIn : Role::kOut, to_local ? "src_addr" : "dst_addr", "dtype",
                    system.rows, system.cols, system.apart);
  return spec_of(doc, to_local ? std::vector{here, there} : std::vector{there, here},
                 join({extents,
                       {keep(std::string(here.param) + " % tpu_eu_num(DT_INT8) == 0"),
                        keep(std::string(there.param) + " % dtype.bytes == 0")}}),
                 std::move(implementations));
}

OpSpec matrix_copy(bool to_local, Doc doc) {
  return matrix_move(to_local, doc, {"rows", "cols", "cols_per_channel"},
                     {"rows", "cols", "row_stride"},
                     {"1 <= rows <= 65535", "1 <= cols", "1 <= cols_per_channel <= 65535"},
                     copy_bits("dst_addr", "src_addr"));
}

OpSpec transposed_matrix(bool to_local, Doc doc) {
  const Texts extents = {"1 <= src_rows <= 65535", "1 <= src_cols <= 65535"};
  const List implementations = move_permuted("dst_addr", "src_addr", {1, 0});
  return with_dependence(
      Dependence::kByIndex,
      to_local
          ? matrix_move(true, doc, {"src_cols", "src_rows", "dst_cols_per_channel"},
                        {"src_rows", "src_cols", "src_row_stride"},
                        join({extents, {"1 <= dst_cols_per_channel <= 65535"}}), implementations)
          : matrix_move(false, doc, {"src_rows", "src_cols", "src_cols_per_channel"},
                        {"src_cols", "src_rows", "dst_row_stride"},
                        join({extents, {"1 <= src_cols_per_channel <= 65535"}}), implementations));
}

OpSpec vector_copy(bool to_local, Doc doc) {
  return matrix_move(to_local, doc, {"1", "len", "len_per_channel"}, {"1", "len", "len"},
                     {"1 <= len", "1 <= len_per_channel <= 65535"},
                     copy_bits("dst_addr", "src_addr"));
}

List to_every_channel() {
  return move_elements("dst_addr", "src_addr",
                       [](const Command&, const Layout& dst, const Layout& from) {
                         return repeated(from, 1, dst.extent(1));
                       });
}

OpSpec channel_broadcast(MemoryKind src, Doc doc) {
  return spec_of(
      doc,
      {operand(Role::kOut, kL, "dst_addr", kShape, "dst_stride"),
       operand(Role::kIn, src, "src_addr", {"shape.n", "1", "shape.h", "shape.w"}, "src_stride")},
      join({extents("shape"),
            side_limits(kL, "dst_addr", "dst_stride"),
            side_limits(src, "src_addr", "src_stride"),
            {"start_npu(dst_addr) + shape.c <= tpu_npu_num()"}}),
      to_every_channel());
}

OpSpec linear_copy() {
  const Texts shape = {"1", "1", "1", "count"};
  return spec_of(
      "Copies `count` elements.",
      {operand(Role::kOut, kS, "dst_addr", shape), operand(Role::kIn, kS, "src_addr", shape)},
      {"1 <= count", "dst_addr % dtype.bytes == 0", "src_addr % dtype.bytes == 0"},
      copy_bits("dst_addr", "src_addr"));
}
// The destination is a local address, though the header types it as a system address. [observed]
OpSpec linear_broadcast() {
  return spec_of(
      "Copies `count` elements to the same place of `dst_channel` NPUs; dst_addr is a local "
      "address.",
      {operand(Role::kOut, kL, "dst_addr", {"1", "dst_channel", "1", "count"}),
       operand(Role::kIn, kS, "src_addr", {"1", "1", "1", "count"})},
      {"1 <= count", "1 <= dst_channel", "start_npu(dst_addr) + dst_channel <= tpu_npu_num()",
       "dst_addr % dtype.bytes == 0", "src_addr % dtype.bytes == 0"},
      to_every_channel());
}
// The model of 2024 stops here, but published kernels for boards fill with it: no limit.
OpSpec linear_fill() {
  return with_constants(
      {{"C", ConstantUse::kBits}},
      spec_of("Sets `count` elements to C.",
              {operand(Role::kOut, kS, "dst_addr", {"1", "1", "1", "count"})},
              {"1 <= count", "dst_addr % dtype.bytes == 0"}, copy_bits("dst_addr", "C")));
}

constexpr Doc kCopyDoc = "dst = src";
constexpr Doc kFlatDoc =
    "Copies in row-major order; the shapes may differ, their element counts not.";
constexpr Doc kSwapNCDoc = "dst[n, c, h, w] = src[c, n, h, w]";
constexpr Doc kSwapCWDoc = "dst[n, c, h, w] = src[n, w, h, c]";
constexpr Doc kCompactDoc = "dst = src, compact in local memory";
constexpr Doc kCompactSwapDoc = "dst[n, c, h, w] = src[c, n, h, w], compact in local memory";

}  // namespace

TL_TPU_OP(tpu_gdma_general_cpy_S2L) = general_copy(kL, kS, kFlatDoc);
TL_TPU_OP(tpu_gdma_general_cpy_L2S) = general_copy(kS, kL, kFlatDoc);
TL_TPU_OP(tpu_gdma_general_cpy_L2L) = as_documented(general_copy(kL, kL, kFlatDoc));

TL_TPU_OP(tpu_gdma_cpy_S2L) = copy(kL, kS, kCopyDoc);
TL_TPU_OP(tpu_gdma_cpy_L2S) = copy(kS, kL, kCopyDoc);
TL_TPU_OP(tpu_gdma_cpy_L2L) = copy(kL, kL, kCopyDoc);
TL_TPU_OP(tpu_gdma_cpy_S2S) = copy(kS, kS, kCopyDoc);

TL_TPU_OP(tpu_gdma_cpy_nc_trans_S2L) = transposed(kL, kS, kSwapNC, kSwapNCDoc);
TL_TPU_OP(tpu_gdma_cpy_nc_trans_L2S) = transposed(kS, kL, kSwapNC, kSwapNCDoc);
TL_TPU_OP(tpu_gdma_cpy_nc_trans_L2L) = transposed(kL, kL, kSwapNC, kSwapNCDoc);
TL_TPU_OP(tpu_gdma_cpy_nc_trans_S2S) = transposed(kS, kS, kSwapNC, kSwapNCDoc);
TL_TPU_OP(tpu_gdma_cpy_cw_trans_S2L) = transposed(kL, kS, kSwapCW, kSwapCWDoc);
TL_TPU_OP(tpu_gdma_cpy_cw_trans_L2S) = transposed(kS, kL, kSwapCW, kSwapCWDoc);
TL_TPU_OP(tpu_gdma_cpy_cw_trans_L2L) = transposed(kL, kL, kSwapCW, kSwapCWDoc);
TL_TPU_OP(tpu_gdma_cpy_cw_trans_S2S) = transposed(kS, kS, kSwapCW, kSwapCWDoc);

TL_TPU_OP(tpu_gdma_compact_S2L) = compact(true, false, kCompactDoc);
TL_TPU_OP(tpu_gdma_compact_L2S) = compact(false, false, kCompactDoc);
TL_TPU_OP(tpu_gdma_compact_nc_trans_S2L) = compact(true, true, kCompactSwapDoc);
TL_TPU_OP(tpu_gdma_compact_nc_trans_L2S) = compact(false, true, kCompactSwapDoc);

TL_TPU_OP(tpu_gdma_set_C_system) = fill(kS, "Fills system memory with C.");
TL_TPU_OP(tpu_gdma_set_C_local) = fill(kL, "Fills local memory with C.");

TL_TPU_OP(tpu_gdma_matrix_S2L) =
    matrix_copy(true, "Copies a matrix from system memory to the matrix layout.");
TL_TPU_OP(tpu_gdma_matrix_L2S) =
    matrix_copy(false, "Copies a matrix from the matrix layout to system memory.");
TL_TPU_OP(tpu_gdma_matrix_trans_S2L) =
    transposed_matrix(true, "Transposes a matrix from system memory to the matrix layout.");
TL_TPU_OP(tpu_gdma_matrix_trans_L2S) =
    transposed_matrix(false, "Transposes a matrix from the matrix layout to system memory.");
TL_TPU_OP(tpu_gdma_vector_S2L) =
    vector_copy(true, "Copies a vector from system memory to the vector layout.");
TL_TPU_OP(tpu_gdma_vector_L2S) =
    vector_copy(false, "Copies a vector from the vector layout to system memory.");
TL_TPU_OP(tpu_gdma_channel_bcast_S2L) =
    channel_broadcast(kS, "Copies one channel from system memory to every channel.");
TL_TPU_OP(tpu_gdma_channel_bcast_L2L) =
    channel_broadcast(kL, "Copies one local channel to every channel.");
TL_TPU_OP(tpu_gdma_system_cpy) = linear_copy();
TL_TPU_OP(tpu_gdma_system_bcast) = linear_broadcast();
TL_TPU_OP(tpu_gdma_system_set) = as_documented(linear_fill());

// SDMA, of chips with several cores: the same between system memories.
TL_TPU_OP(tpu_sdma_cpy_S2S) = on_sdma(copy(kS, kS, kCopyDoc));
TL_TPU_OP(tpu_sdma_cpy_S2S_with_thread) = on_sdma(copy(kS, kS, kCopyDoc));
TL_TPU_OP(tpu_sdma_cpy_nc_trans_S2S) = on_sdma(transposed(kS, kS, kSwapNC, kSwapNCDoc));
TL_TPU_OP(tpu_sdma_cpy_cw_trans_S2S) = on_sdma(transposed(kS, kS, kSwapCW, kSwapCWDoc));
TL_TPU_OP(tpu_sdma_set_C_system) = on_sdma(fill(kS, "Fills system memory with C."));
TL_TPU_OP(tpu_sdma_system_cpy) = on_sdma(linear_copy());
TL_TPU_OP(tpu_sdma_system_set) = on_sdma(linear_fill());

}  // namespace tensorlane::tpukernel
