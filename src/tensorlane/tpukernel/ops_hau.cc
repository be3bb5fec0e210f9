// HAU: sorting and gathering of lines in system memory.
#include <algorithm>
#include <numeric>

#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(hau);

namespace tensorlane::tpukernel {
namespace {

using u32 = std::uint32_t;

constexpr std::string_view kSorterGroup = "hau";

OperandSpec linear(Role role, std::string_view param, TypeOf type, std::string_view count) {
  return placed(role, MemoryKind::kSystem, param, type, {"1", "1", "1", count});
}

std::vector<u32> words(const Invocation& invocation, std::string_view param) {
  const IndexedTensor tensor(invocation, param);
  std::vector<u32> list(static_cast<std::size_t>(tensor.extent(3)));
  std::memcpy(list.data(), tensor.at(0, 0, 0, 0), list.size() * sizeof(u32));
  return list;
}
void store(const Invocation& invocation, std::string_view param, const std::vector<u32>& list,
           const std::vector<u32>& order) {
  const IndexedTensor tensor(invocation, param);
  std::byte* to = tensor.at(0, 0, 0, 0);
  for (std::int64_t k = 0; k < tensor.extent(3); ++k, to += sizeof(u32))
    std::memcpy(to, &list[order[static_cast<std::size_t>(k)]], sizeof(u32));
}

// Whether value a comes before value b in ascending order.
bool before(u32 a, u32 b, Dtype dtype) {
  if (dtype == Dtype::kFp32) return fp32::greater(fp32::from_bits(b), fp32::from_bits(a));
  if (dtype == Dtype::kInt32) return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  return a < b;
}

// The positions of the values in sorted order. Equal values: the smaller tie first.
std::vector<u32> sorted(const std::vector<u32>& values, const std::vector<u32>& ties, Dtype dtype,
                        bool descended) {
  std::vector<u32> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](u32 i, u32 j) {
    const u32 a = values[descended ? j : i], b = values[descended ? i : j];
    if (before(a, b, dtype)) return true;
    return !before(b, a, dtype) && !ties.empty() && ties[i] < ties[j];
  });
  return order;
}

std::vector<u32> sorted(const Invocation& invocation, const std::vector<u32>& values,
                        const std::vector<u32>& ties) {
  const Command& command = invocation.command;
  return sorted(values, ties, command.arg("dtype").dtype(), command.arg("descended").value() != 0);
}

std::vector<u32> positions(std::size_t count) {
  std::vector<u32> list(count);
  std::iota(list.begin(), list.end(), 0U);
  return list;
}

bool sort_values(const Invocation& invocation) {
  const std::vector<u32> values = words(invocation, "input_addr");
  store(invocation, "output_addr", values, sorted(invocation, values, {}));
  return true;
}
bool sort_natural(const Invocation& invocation) {
  const std::vector<u32> values = words(invocation, "input_addr");
  const std::vector<u32> order = sorted(invocation, values, {});
  store(invocation, "output_data_addr", values, order);
  store(invocation, "output_idx_addr", positions(values.size()), order);
  return true;
}
bool sort_specific(const Invocation& invocation) {
  const std::vector<u32> values = words(invocation, "input_data_addr");
  const std::vector<u32> index = words(invocation, "input_idx_addr");
  const std::vector<u32> order = sorted(invocation, values, index);
  store(invocation, "output_data_addr", values, order);
  store(invocation, "output_idx_addr", index, order);
  return true;
}

// All three in one; the type is a number of its own.
Dtype flagged_dtype(const Command& command) {
  constexpr Dtype kDtypes[] = {Dtype::kFp32, Dtype::kInt32, Dtype::kUint32};
  return kDtypes[command.arg("dtype_flags").value()];
}
bool sort_general(const Invocation& invocation) {
  const Command& command = invocation.command;
  const bool with_index = command.arg("idx_enable").value() != 0;
  const bool own_index = with_index && command.arg("idx_auto").value() == 0;
  const std::vector<u32> values = words(invocation, "src_data_addr");
  const std::vector<u32> ties = own_index ? words(invocation, "src_idx_addr") : std::vector<u32>();
  const std::vector<u32> order =
      sorted(values, ties, flagged_dtype(command), command.arg("is_descend").value() != 0);
  store(invocation, "dst_data_addr", values, order);
  if (with_index)
    store(invocation, "dst_idx_addr", own_index ? ties : positions(values.size()), order);
  return true;
}

// Steps of a sorter that takes a fixed time per element and doubling.
CycleCount sort_cycles() {
  return {"1 cycle per element and doubling of the length [a guess]",
          [](const Command& command, const TimingParameters&) {
            const std::int64_t length = command.arg("len").value();
            std::int64_t doublings = 0;
            while ((std::int64_t{1} << doublings) < length) ++doublings;
            return static_cast<double>(length * doublings);
          }};
}

OpSpec sort_spec(Doc doc, std::vector<OperandSpec> operands, Texts aligned,
                 bool (*run)(const Invocation&)) {
  for (OperandSpec& operand : operands) {
    if (operand.role == Role::kOut) operand.combination = Combination::kSorted;
  }
  return {.engine = Engine::kHau,
          .group = kSorterGroup,
          .doc = doc,
          .operands = std::move(operands),
          .limits = join({{"1 <= len", "1 <= K <= len", "dtype in {DT_FP32, DT_INT32, DT_UINT32}"},
                          std::move(aligned)}),
          .numerics = Numerics::kExactToModel,
          .implementations = {{"reference", run}},
          .cycles = sort_cycles()};
}

OpSpec general_sort_spec() {
  const auto flagged = [](OperandSpec operand) {
    operand.dtype_rule = flagged_dtype;
    return operand;
  };
  OpSpec spec = sort_spec(
      "The sorts above in one: idx_enable also gives indices, idx_auto those of the positions. "
      "dtype_flags: 0 fp32, 1 int32, 2 uint32; topk: how many values.",
      {flagged(linear(Role::kOut, "dst_data_addr", Dtype::kFp32, "topk")),
       only_if(linear(Role::kOut, "dst_idx_addr", Dtype::kInt32, "topk"), "idx_enable"),
       flagged(linear(Role::kIn, "src_data_addr", Dtype::kFp32, "len")),
       only_if(linear(Role::kIn, "src_idx_addr", Dtype::kInt32, "len"),
               "idx_enable * (1 - idx_auto)")},
      {}, sort_general);
  spec.limits = {"1 <= len",
                 "1 <= topk <= len",
                 "0 <= dtype_flags <= 2",
                 "0 <= idx_enable <= 1",
                 "0 <= idx_auto <= 1",
                 "src_data_addr % 4 == 0",
                 "dst_data_addr % 4 == 0",
                 "idx_enable == 1 => dst_idx_addr % 4 == 0",
                 "idx_enable * (1 - idx_auto) == 1 => src_idx_addr % 4 == 0"};
  return spec;
}

// out[i] = param[index[i] - start] for start <= index[i] <= end, else C or as it was
bool gather_lines(const Invocation& invocation) {
  const Command& command = invocation.command;
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const std::vector<u32> index = words(invocation, "index_addr");
  const std::int64_t start = command.arg("start").value(), end = command.arg("end").value();
  const std::int64_t line = command.arg("line_len").value();
  const auto constant = static_cast<u32>(command.arg("C").value());
  const bool fill = command.arg("fill_const").value() != 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto wanted = static_cast<std::int64_t>(static_cast<std::int32_t>(index[i]));
    std::byte* const to = output.at(0, 0, static_cast<std::int64_t>(i), 0);
    if (wanted >= start && wanted <= end) {
      check_index(command, "index_addr", static_cast<std::uint64_t>(wanted - start),
                  param.extent(2));
      std::memcpy(to, param.at(0, 0, wanted - start, 0),
                  static_cast<std::size_t>(line * output.bytes()));
    } else if (fill) {
      for (std::int64_t w = 0; w < line; ++w)
        std::memcpy(to + w * output.bytes(), &constant, static_cast<std::size_t>(output.bytes()));
    }
  }
  return true;
}

OpSpec line_spec() {
  OperandSpec output = linear(Role::kInOut, "output_addr", "dtype", "line_len");
  output.shape = {"1", "1", "index_len", "line_len"};
  OperandSpec param = linear(Role::kIn, "param_addr", "dtype", "line_len");
  param.shape = {"1", "1", "line_num", "line_len"};
  return {.engine = Engine::kHau,
          .group = kSorterGroup,
          .doc = "out[i, :] = param[index[i] - start, :] for start <= index[i] <= end, else C",
          .operands = {output, param,
                       deciding(linear(Role::kIn, "index_addr", Dtype::kInt32, "index_len"))},
          .limits = join({any_type("dtype"),
                          {"1 <= line_num", "1 <= line_len", "1 <= index_len",
                           "output_addr % tpu_eu_num(DT_INT8) == 0 [observed]",
                           "param_addr % tpu_eu_num(DT_INT8) == 0 [observed]",
                           "index_addr % tpu_eu_num(DT_INT8) == 0 [observed]"}}),
          .dependence = Dependence::kMoved,
          .numerics = Numerics::kExactToModel,
          .implementations = {{"reference", gather_lines}},
          .cycles = per_step(64)};
}

}  // namespace

TL_TPU_OP(tpu_hau_sort) = sort_spec("The first K of `len` sorted values.",
                                    {linear(Role::kOut, "output_addr", "dtype", "K"),
                                     linear(Role::kIn, "input_addr", "dtype", "len")},
                                    {"output_addr % 4 == 0", "input_addr % 4 == 0"}, sort_values);
TL_TPU_OP(tpu_hau_sort_natural_index) = sort_spec(
    "The same with the positions they came from; equal values keep their order.",
    {linear(Role::kOut, "output_data_addr", "dtype", "K"),
     linear(Role::kOut, "output_idx_addr", Dtype::kInt32, "K"),
     linear(Role::kIn, "input_addr", "dtype", "len")},
    {"output_data_addr % 4 == 0", "output_idx_addr % 4 == 0", "input_addr % 4 == 0"}, sort_natural);
TL_TPU_OP(tpu_hau_sort_specific_index) =
    sort_spec("The same with indices of the caller's; equal values by ascending unsigned index.",
              {linear(Role::kOut, "output_data_addr", "dtype", "K"),
               linear(Role::kOut, "output_idx_addr", Dtype::kInt32, "K"),
               linear(Role::kIn, "input_data_addr", "dtype", "len"),
               linear(Role::kIn, "input_idx_addr", Dtype::kInt32, "len")},
              {"output_data_addr % 4 == 0", "output_idx_addr % 4 == 0", "input_data_addr % 4 == 0",
               "input_idx_addr % 4 == 0"},
              sort_specific);
TL_TPU_OP(tpu_hau_sort_general) = general_sort_spec();
TL_TPU_OP(tpu_hau_line_gather) = line_spec();

}  // namespace tensorlane::tpukernel
