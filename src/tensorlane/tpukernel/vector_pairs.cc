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

// `piece`: columns at a time; 1 for the reference.
bool run(const Invocation& invocation, const RowFunction& row, std::int64_t piece) {
  const Command& command = invocation.command;
  const Operand& dst = *command.find("dst_addr");
  const Operand& src0 = *command.find("src0_addr");
  const Operand& src1 = *command.find("src1_addr");
  const std::vector<std::byte> left = dense(invocation, src0), right = dense(invocation, src1);
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
  // All rows of a piece of the columns at once, or the first of it alone.
  const bool at_once = piece > 1 && dst.layout.digits(0).size() == 1;
  Row frame{};
  frame.dst_step = dst.layout.element_units();
  frame.src_step[1] = frame.src_step[3] = right_bytes;
  frame.rows = at_once ? rows : 1;
  if (at_once) {
    frame.dst_next = dst.layout.digits(0).front().stride;
    frame.src_next[0] = left_bytes;
    frame.src_next[2] = compares ? 0 : left_bytes;
  }
  for (std::int64_t i = 0; i < rows; i += frame.rows) {
    for (std::int64_t j = 0; j < cols; j += piece) {
      const Layout::Index index{i, j};
      frame.dst = invocation.base(dst) + dst.layout.address(index);
      frame.src[0] = left.data() + i * left_bytes;
      frame.src[1] = frame.src[3] = right.data() + j * right_bytes;
      frame.src[2] = compares ? reinterpret_cast<const std::byte*>(&true_value) : frame.src[0];
      frame.count = std::min(piece, cols - j);
      row(frame);
    }
  }
  return true;
}

}  // namespace

PairRow typed_pair_row(TypedRow vectors, std::string_view dtype_param) {
  return [=](const Command& command) -> RowFunction {
    const Dtype dtype = type_in(command, dtype_param);
    if (dtype_bits(command.find("dst_addr")->layout.dtype()) != dtype_bits(dtype)) return {};
    const SimdRow found = typed_row(vectors, dtype);
    if (found == nullptr) return {};
    return [found](const Row& given) {
      static constexpr std::uint32_t kZero = 0;  // what a comparison that does not hold gives
      Row frame = given;
      frame.src[3] = reinterpret_cast<const std::byte*>(&kZero);
      frame.src_step[3] = 0;
      found(frame);
    };
  };
}

OpSpec pairs(std::string_view group, Doc doc, TypeOf dst, TypeOf src0, TypeOf src1,
             const PairRow& row, const PairRow& vectors) {
  const auto rows = [row, vectors](const Invocation& invocation) {
    const Command& command = invocation.command;
    RowFunction fastest = vectors ? vectors(command) : RowFunction();
    if (!fastest) fastest = row(command);
    return run(invocation, fastest, command.arg("src1_len_per_channel").value());
  };
  const auto reference = [row](const Invocation& invocation) {
    return run(invocation, row(invocation.command), 1);
  };
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
