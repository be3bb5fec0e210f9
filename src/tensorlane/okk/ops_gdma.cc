// GDMA: copies between memories, matrix copies and fills.
//
// The documents allow only W stride 1; the model reads a source with any W stride, and published
// kernels use that to gather. A destination must be dense along W. [doc, observed]
#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/okk/families.h"

TL_OKK_OPS_FILE(gdma);

namespace tensorlane::okk {
namespace {

Dtype raw(int bits) {
  return bits == 32 ? Dtype::kX32 : bits == 16 ? Dtype::kX16 : Dtype::kX8;
}

const Texts kShapeLimits = {
    "not_null(shape)", "1 <= shape.n [observed]", "1 <= shape.c <= 65535 [observed; on request]",
    "1 <= shape.h <= 65535 [observed; on request]", "1 <= shape.w <= 65535 [observed; on request]"};

std::string_view alignment(bool dst, int bits) {
  if (bits == 8) return dst ? "0 <= dst_addr" : "0 <= src_addr";
  if (bits == 16) return dst ? "dst_addr % 2 == 0 [observed]" : "src_addr % 2 == 0 [observed]";
  return dst ? "dst_addr % 4 == 0 [observed]" : "src_addr % 4 == 0 [observed]";
}

constexpr std::string_view kDenseDst =
    "dst_stride != NULL => shape.w > 1 => dst_stride.w == 1 [doc; on request]";

std::vector<Implementation> move(int bits, std::string_view src) {
  if (bits == 32) return copy_elements<std::uint32_t>("dst_addr", src);
  if (bits == 16) return copy_elements<std::uint16_t>("dst_addr", src);
  return copy_elements<std::uint8_t>("dst_addr", src);
}

// Places in local memory are preferred at multiples of 128 bytes.
OpSpec moving(Doc doc, std::vector<OperandSpec> operands, Texts limits,
              std::vector<Implementation> implementations, Texts preferred = {}) {
  for (const OperandSpec& operand : operands) {
    if (operand.memory == MemoryKind::kLocal)
      preferred.push_back(keep(std::string(operand.param) + " % 128 == 0"));
  }
  return {.engine = Engine::kGdma,
          .group = "gdma",
          .doc = doc,
          .operands = std::move(operands),
          .limits = std::move(limits),
          .preferred = std::move(preferred),
          .only_moves = true,
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations)};
}

OpSpec copy(int bits, MemoryKind dst, MemoryKind src, Doc doc) {
  return moving(doc,
                {placed(Role::kOut, dst, "dst_addr", raw(bits), kShape, "dst_stride"),
                 placed(Role::kIn, src, "src_addr", raw(bits), kShape, "src_stride")},
                join({kShapeLimits,
                      {kDenseDst, alignment(true, bits), alignment(false, bits)},
                      not_enforced({"src_stride != NULL => shape.w > 1 => src_stride.w == 1"})}),
                move(bits, "src_addr"));
}

OpSpec fill(int bits, MemoryKind dst, Doc doc) {
  return moving(doc, {placed(Role::kOut, dst, "dst_addr", raw(bits), kShape, "dst_stride")},
                join({kShapeLimits, {kDenseDst, alignment(true, bits)}}), move(bits, "C"));
}

OpSpec matrix_copy(bool to_local, Doc doc) {
  const OperandSpec here =
      matrix(to_local ? Role::kOut : Role::kIn, to_local ? "dst_addr" : "src_addr", Dtype::kX32,
             "rows", "cols", "cols_per_channel");
  const OperandSpec there =
      system_matrix(to_local ? Role::kIn : Role::kOut, to_local ? "src_addr" : "dst_addr",
                    Dtype::kX32, "rows", "cols", "row_stride");
  return moving(
      doc, to_local ? std::vector{here, there} : std::vector{there, here},
      {"1 <= rows", "1 <= cols", "1 <= cols_per_channel", "dst_addr % 4 == 0", "src_addr % 4 == 0"},
      move(32, "src_addr"),
      // The document forbids more columns per channel than there are columns, but
      // kernels that won on the board do it and the model takes it.
      {"ceil_div(cols, cols_per_channel) <= okk_npu_num()", "cols_per_channel <= cols"});
}

constexpr MemoryKind kL = MemoryKind::kLocal, kS = MemoryKind::kSystem;

}  // namespace

TL_OKK_OP(okk_gdma_32bit_cpy_S2L) = copy(32, kL, kS,
                                         "Copies 32-bit elements from system to local memory.");
TL_OKK_OP(okk_gdma_32bit_cpy_L2S) = copy(32, kS, kL,
                                         "Copies 32-bit elements from local to system memory.");
TL_OKK_OP(okk_gdma_32bit_cpy_L2L) =
    copy(32, kL, kL, "Copies 32-bit elements inside local memory, also between NPUs.");
TL_OKK_OP(okk_gdma_32bit_cpy_S2S) = copy(32, kS, kS,
                                         "Copies 32-bit elements inside system memory.");
TL_OKK_OP(okk_gdma_16bit_cpy_S2L) = copy(16, kL, kS,
                                         "Copies 16-bit elements from system to local memory.");
TL_OKK_OP(okk_gdma_16bit_cpy_L2S) = copy(16, kS, kL,
                                         "Copies 16-bit elements from local to system memory.");
TL_OKK_OP(okk_gdma_16bit_cpy_L2L) =
    copy(16, kL, kL, "Copies 16-bit elements inside local memory, also between NPUs.");
TL_OKK_OP(okk_gdma_16bit_cpy_S2S) = copy(16, kS, kS,
                                         "Copies 16-bit elements inside system memory.");
TL_OKK_OP(okk_gdma_8bit_cpy_S2L) = copy(8, kL, kS,
                                        "Copies 8-bit elements from system to local memory.");
TL_OKK_OP(okk_gdma_8bit_cpy_L2S) = copy(8, kS, kL,
                                        "Copies 8-bit elements from local to system memory.");
TL_OKK_OP(okk_gdma_8bit_cpy_L2L) =
    copy(8, kL, kL, "Copies 8-bit elements inside local memory, also between NPUs.");
TL_OKK_OP(okk_gdma_8bit_cpy_S2S) = copy(8, kS, kS, "Copies 8-bit elements inside system memory.");

TL_OKK_OP(okk_gdma_32bit_matrix_S2L) =
    matrix_copy(true, "Copies a matrix from system memory to the matrix layout.");
TL_OKK_OP(okk_gdma_32bit_matrix_L2S) =
    matrix_copy(false, "Copies a matrix from the matrix layout to system memory.");

TL_OKK_OP(okk_gdma_32bit_set_C_system) = fill(32, kS,
                                              "Fills system memory with a 32-bit constant.");
TL_OKK_OP(okk_gdma_32bit_set_C_local) = fill(32, kL, "Fills local memory with a 32-bit constant.");
TL_OKK_OP(okk_gdma_16bit_set_C_system) = fill(16, kS,
                                              "Fills system memory with a 16-bit constant.");
TL_OKK_OP(okk_gdma_16bit_set_C_local) = fill(16, kL, "Fills local memory with a 16-bit constant.");
TL_OKK_OP(okk_gdma_8bit_set_C_system) = fill(8, kS, "Fills system memory with an 8-bit constant.");
TL_OKK_OP(okk_gdma_8bit_set_C_local) = fill(8, kL, "Fills local memory with an 8-bit constant.");

}  // namespace tensorlane::okk
