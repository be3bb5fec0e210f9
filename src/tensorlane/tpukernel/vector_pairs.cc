#include "tensorlane/tpukernel/vector_pairs.h"

#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane::tpukernel {
namespace {

OperandSpec vector_operand(Role role, std::string_view param, TypeOf type, Texts shape,
                           std::string_view per_channel) {
  OperandSpec operand = shaped(local(role, param, type), std::move(shape), DefaultLayout::kMatrix);
  operand.cols_per_channel = per_channel;
  return operand;
}

// The elements of a vector, one after the other.
std::vector<std::byte> dense(const Invocation& invocation, const Operand& operand) {
  const Layout& from = operand.layout;
  Layout to(from.dtype());
  to.add_dim(1, {{1, 0}}).add_dim(from.extent(1), {{1, from.element_units()}});
  std::vector<std::byte> buffer(static_cast<std::size_t>(from.size() * from.element_units()));
  for (const Box& box : fold({&to, &from}))
    strided_copy(box, buffer.data(), invocation.base(operand), from.element_units());
  return buffer;
}

bool run(const Invocation& invocation, const PairRow& make_row, std::int64_t piece) {
  const Command& command = invocation.command;
  const Operand& dst = *command.find("dst_addr");
  const Operand& src0 = *command.find("src0_addr");
  const Operand& src1 = *command.find("src1_addr");
  const std::vector<std::byte> left = dense(invocation, src0), right = dense(invocation, src1);
  const RowFunction row = make_row(command);
  const std::int64_t rows = dst.layout.extent(0), cols = dst.layout.extent(1);
  const std::int64_t left_bytes = src0.layout.element_units();
  const std::int64_t right_bytes = src1.layout.element_units();
  std::uint32_t true_value = 0;
  bool compares = false;
  for (std::size_t k = 0; k < command.op->params().size(); ++k) {
    if (command.op->params()[k].name != "true_val") continue;
    compares = true;
    true_value = static_cast<std::uint32_t>(command.args()[k].value());
  }
  Row one{};
  one.dst_step = dst.layout.element_units();
  one.src_step[1] = one.src_step[3] = right_bytes;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; j += piece) {
      const Layout::Index index{i, j};
      one.dst = invocation.base(dst) + dst.layout.address(index);
      one.src[0] = left.data() + i * left_bytes;
      one.src[1] = one.src[3] = right.data() + j * right_bytes;
      one.src[2] = compares ? reinterpret_cast<const std::byte*>(&true_value) : one.src[0];
      one.count = std::min(piece, cols - j);
      row(one);
    }
  }
  return true;
}

}  // namespace

OpSpec pairs(std::string_view group, Doc doc, TypeOf dst, TypeOf src0, TypeOf src1,
             const PairRow& row) {
  const auto rows = [row](const Invocation& invocation) {
    return run(invocation, row, invocation.command.arg("src1_len_per_channel").value());
  };
  const auto reference = [row](const Invocation& invocation) { return run(invocation, row, 1); };
  OpSpec spec{.engine = Engine::kBdc,
              .group = group,
              .doc = doc,
              .operands = {vector_operand(Role::kOut, "dst_addr", dst, {"src0_len", "src1_len"},
                                          "src1_len_per_channel"),
                           vector_operand(Role::kIn, "src0_addr", src0, {"1", "src0_len"},
                                          "src0_len_per_channel"),
                           vector_operand(Role::kIn, "src1_addr", src1, {"1", "src1_len"},
                                          "src1_len_per_channel")},
              .limits = {"1 <= src0_len <= 65535", "1 <= src1_len <= 65535",
                         "1 <= src0_len_per_channel <= 65535", "1 <= src1_len_per_channel <= 65535",
                         "dst_addr % 64 == 0", "src0_addr % 64 == 0", "src1_addr % 64 == 0",
                         "same_start_npu(dst_addr, src1_addr)"},
              .dependence = Dependence::kByIndex,
              .numerics = Numerics::kExactToModel,
              .implementations = {{"rows", rows}, {"reference", reference}},
              .cycles = per_step(1)};
  for (const TypeOf& type : {dst, src0, src1}) {
    if (!type.param.empty()) spec.limits = join({spec.limits, any_type(type.param)});
  }
  return spec;
}

}  // namespace tensorlane::tpukernel
