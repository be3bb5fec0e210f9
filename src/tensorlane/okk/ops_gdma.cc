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

OperandSpec operand(Role role, MemoryKind memory, int bits, std::string_view param,
                    std::string_view stride) {
  return {.param = param,
          .role = role,
          .memory = memory,
          .dtype = raw(bits),
          .shape = kShape,
          .stride = stride,
          .layout =
              memory == MemoryKind::kLocal ? DefaultLayout::kAligned : DefaultLayout::kContinuous};
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

OpSpec copy(int bits, MemoryKind dst, MemoryKind src, Doc doc) {
  OpSpec spec{
      .engine = Engine::kGdma, .group = "gdma", .doc = doc, .numerics = Numerics::kExactToModel};
  spec.operands = {operand(Role::kOut, dst, bits, "dst_addr", "dst_stride"),
                   operand(Role::kIn, src, bits, "src_addr", "src_stride")};
  spec.limits = join({kShapeLimits,
                      {kDenseDst, alignment(true, bits), alignment(false, bits)},
                      not_enforced({"src_stride != NULL => shape.w > 1 => src_stride.w == 1"})});
  if (dst == MemoryKind::kLocal) spec.preferred.push_back("dst_addr % 128 == 0");
  if (src == MemoryKind::kLocal) spec.preferred.push_back("src_addr % 128 == 0");
  spec.only_moves = true;
  spec.implementations = move(bits, "src_addr");
  return spec;
}

OpSpec fill(int bits, MemoryKind dst, Doc doc) {
  OpSpec spec{
      .engine = Engine::kGdma, .group = "gdma", .doc = doc, .numerics = Numerics::kExactToModel};
  spec.operands = {operand(Role::kOut, dst, bits, "dst_addr", "dst_stride")};
  spec.limits = join({kShapeLimits, {kDenseDst, alignment(true, bits)}});
  if (dst == MemoryKind::kLocal) spec.preferred.push_back("dst_addr % 128 == 0");
  spec.only_moves = true;
  spec.implementations = move(bits, "C");
  return spec;
}

OpSpec matrix_copy(bool to_local, Doc doc) {
  const OperandSpec local{.param = to_local ? "dst_addr" : "src_addr",
                          .role = to_local ? Role::kOut : Role::kIn,
                          .dtype = Dtype::kX32,
                          .shape = {"rows", "cols"},
                          .layout = DefaultLayout::kMatrix,
                          .cols_per_channel = "cols_per_channel"};
  const OperandSpec system{.param = to_local ? "src_addr" : "dst_addr",
                           .role = to_local ? Role::kIn : Role::kOut,
                           .memory = MemoryKind::kSystem,
                           .dtype = Dtype::kX32,
                           .shape = {"rows", "cols"},
                           .layout = DefaultLayout::kRows,
                           .row_stride = "row_stride"};
  OpSpec spec{
      .engine = Engine::kGdma, .group = "gdma", .doc = doc, .numerics = Numerics::kExactToModel};
  spec.operands = to_local ? std::vector{local, system} : std::vector{system, local};
  spec.limits = {"1 <= rows", "1 <= cols", "1 <= cols_per_channel", "dst_addr % 4 == 0",
                 "src_addr % 4 == 0"};
  // The document forbids more columns per channel than there are columns, but kernels that won on
  // the board do it and the model takes it.
  spec.preferred = {"ceil_div(cols, cols_per_channel) <= okk_npu_num()", "cols_per_channel <= cols",
                    to_local ? "dst_addr % 128 == 0" : "src_addr % 128 == 0"};
  spec.only_moves = true;
  spec.implementations = move(32, "src_addr");
  return spec;
}

constexpr MemoryKind kL = MemoryKind::kLocal, kS = MemoryKind::kSystem;

}  // namespace
}  // namespace tensorlane::okk

using namespace tensorlane;
using namespace tensorlane::okk;

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
