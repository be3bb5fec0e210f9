// Every function by its fastest implementation and by its reference, on random legal calls: memory
// must be the same afterwards, byte for byte.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <string>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kCalls = 25;  // per function

// Two devices whose slots are equal before each call.
struct Twins {
  DeviceMemory fast{bm1684x()};
  DeviceMemory reference{bm1684x()};

  static Twins& instance() {
    static Twins twins;
    return twins;
  }
};

// Sums of floats: which NaN comes out depends on the order of the terms, which nothing promises.
bool sums_floats(std::string_view function) {
  return function.starts_with("tpu_bdc_fp") &&
         (function.find("conv") != std::string_view::npos ||
          function.find("depthwise") != std::string_view::npos ||
          function.find("pool") != std::string_view::npos ||
          function.find("reduce_mean") != std::string_view::npos ||
          function.find("_mm") != std::string_view::npos);
}

bool is_nan(std::uint32_t bits, Dtype dtype) {
  if (dtype == Dtype::kFp16) return (bits & 0x7fffU) > 0x7c00U;
  if (dtype == Dtype::kBf16) return (bits & 0x7fffU) > 0x7f80U;
  return dtype == Dtype::kFp32 && (bits & 0x7fffffffU) > 0x7f800000U;
}

// Where results differ, and makes them equal again; empty when they do not.
std::string difference(Twins& twins, const Command& command, bool any_nan) {
  std::string text;
  const auto compare = [&](const Operand& operand, std::int64_t begin) {
    std::byte* const a = twins.fast.base(operand.space) + begin;
    std::byte* const b = twins.reference.base(operand.space) + begin;
    const auto bytes = static_cast<std::size_t>(kSlotBytes);
    if (std::memcmp(a, b, bytes) == 0) return;
    const Dtype dtype = operand.layout.dtype();
    const auto width = static_cast<std::size_t>(dtype_bytes(dtype));
    for (std::size_t at = 0; at < bytes && text.empty(); at += width) {
      std::uint32_t got = 0, want = 0;
      std::memcpy(&got, a + at, width);
      std::memcpy(&want, b + at, width);
      if (got == want || (any_nan && is_nan(got, dtype) && is_nan(want, dtype))) continue;
      text =
          fmt::format("{} at {} {:#x}: {:#x}, by the reference {:#x}", operand.name(),
                      space_name(operand.space), begin + static_cast<std::int64_t>(at), got, want);
    }
    std::memcpy(a, b, bytes);
  };
  for (const Operand& operand : command.operands()) {
    if (!operand.writes()) continue;
    if (operand.layout.space() != AddressSpace::kLocal) {
      compare(operand, operand.layout.base() / kSlotBytes * kSlotBytes);
      continue;
    }
    const std::int64_t npu_bytes = bm1684x().local.npu_bytes;
    const std::int64_t slot = operand.layout.base() % npu_bytes / kSlotBytes * kSlotBytes;
    for (std::int64_t npu = 0; npu < bm1684x().local.npus; ++npu)
      compare(operand, npu * npu_bytes + slot);
  }
  return text;
}

// Runs a call; false when the data ask for what is not there (an index past the end).
bool run(const Command& command, DeviceMemory& memory, ImplementationChoice choice) {
  try {
    execute({command, memory.bases()}, choice);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

// What a random call puts into its operands.
using Fill = std::function<void(const Command&, std::span<std::byte* const>, Random&)>;

void fill_all(const Command& command, std::span<std::byte* const> memory, Random& random) {
  for (const Operand& operand : command.operands()) {
    if (operand.space == Space::kStatic) continue;
    fill_randomly(operand, memory[static_cast<std::size_t>(operand.space)], random);
  }
}

void compare_random_calls(const Op& op, int calls, const Fill& fill = fill_all) {
  Twins& twins = Twins::instance();
  Random random(12345);
  for (int k = 0; k < calls; ++k) {
    const std::optional<std::vector<Arg>> args = random_call(op, random);
    ASSERT_TRUE(args) << "no legal call came out";
    Command command;
    decode(op, *args, bm1684x(), false, command);
    Random twin = random;  // the same elements in both
    fill(command, twins.fast.bases(), random);
    fill(command, twins.reference.bases(), twin);
    ASSERT_EQ(run(command, twins.fast, ImplementationChoice::kFastest),
              run(command, twins.reference, ImplementationChoice::kReference))
        << call_text(op, *args);
    const std::string found = difference(twins, command, sums_floats(op.name()));
    ASSERT_TRUE(found.empty()) << call_text(op, *args) << "\n" << found;
  }
}

class Differential : public testing::TestWithParam<const Op*> {};

TEST_P(Differential, FastestIsReference) {
  compare_random_calls(*GetParam(), kCalls);
}

// Indices as random bits give them seldom exist: here all do, or one is the first that does not, or
// some are all ones.
const Operand* chosen_from(const Command& command) {
  const bool scatter = command.op->name().find("scatter") != std::string_view::npos;
  const Operand* const table = command.find("table_addr");
  return table != nullptr ? table : command.find(scatter ? "output_addr" : "param_addr");
}
void fill_with_indices(const Command& command, std::span<std::byte* const> memory, Random& random) {
  fill_all(command, memory, random);
  const std::string_view name = command.op->name();
  const Operand* const index =
      command.find(command.find("table_addr") != nullptr ? "src_addr" : "index_addr");
  const Layout& from = chosen_from(command)->layout;
  const bool of_h_and_w = name.find("_hw_") != std::string_view::npos;
  const bool of_h = of_h_and_w || name.find("_h_") != std::string_view::npos;
  const std::uint64_t kind = random() % 4, bad = random() % index->layout.size();
  Layout::Index at{};
  for (std::int64_t i = 0; i < index->layout.size(); ++i) {
    const auto pick = [&](int dim) {
      const auto extent = static_cast<std::uint32_t>(from.extent(dim));
      const bool past = kind == 1 && static_cast<std::uint64_t>(i) == bad;
      return past ? extent : static_cast<std::uint32_t>(random() % extent);
    };
    std::uint32_t value = of_h_and_w ? pick(2) << 16U | pick(3) : pick(of_h ? 2 : 3);
    if (kind == 2 && random() % 3 == 0) value = ~std::uint32_t{0};
    std::memcpy(memory[static_cast<std::size_t>(index->space)] + index->layout.address(at), &value,
                static_cast<std::size_t>(index->layout.element_units()));
    for (int d = index->layout.rank() - 1; d >= 0 && ++at[d] == index->layout.extent(d); --d)
      at[d] = 0;
  }
}

TEST(Indexed, FastestIsReference) {
  int functions = 0;
  for (const Op* op : ops().all()) {
    if (op->spec().absence != Absence::kNone || op->spec().implementations.size() < 2) continue;
    const auto has = [&](std::string_view param) {
      return std::ranges::any_of(op->params(), [&](const Param& p) { return p.name == param; });
    };
    if (!has("index_addr") && op->name() != "tpu_bdc_table_lookup") continue;
    SCOPED_TRACE(op->name());
    ++functions;
    compare_random_calls(*op, 4 * kCalls, fill_with_indices);
  }
  EXPECT_GT(functions, 20);
}

std::vector<const Op*> functions_with_a_choice() {
  std::vector<const Op*> list;
  for (const Op* op : ops().all()) {
    if (op->spec().absence == Absence::kNone && op->spec().implementations.size() > 1)
      list.push_back(op);
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(, Differential, testing::ValuesIn(functions_with_a_choice()),
                         [](const auto& info) { return std::string(info.param->name()); });

// Every vector instruction set this processor has, not only the best one.
TEST(VectorTargets, EveryOneGivesTheReferencesBits) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const Op* op : functions_with_a_choice()) {
      if (op->spec().implementations.front().name == "simd") {
        SCOPED_TRACE(op->name());
        compare_random_calls(*op, kCalls / 10);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace tensorlane::tpukernel
