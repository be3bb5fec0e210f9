// Which operands overlap, against their bytes one by one; and which implementation a call gets.
#include "tensorlane/ops/dispatch.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <set>

#include "tensorlane/layout/local.h"

namespace tensorlane {
namespace {

constexpr LocalMemory kSmall{.npus = 4, .npu_bytes = 512, .align_bytes = 16};

std::set<std::int64_t> bytes_of(const Layout& layout) {
  std::set<std::int64_t> bytes;
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    for (std::int64_t b = 0; b < layout.element_units(); ++b)
      bytes.insert(layout.address(index) + b);
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
  return bytes;
}

Overlap by_bytes(const Operand& written, const Operand& other) {
  const std::set<std::int64_t> mine = bytes_of(written.layout);
  for (const std::int64_t byte : bytes_of(other.layout)) {
    if (!mine.contains(byte)) continue;
    const bool in_place = written.layout.same_addresses(other.layout) && !other.writes();
    return in_place ? Overlap::kInPlace : Overlap::kPartly;
  }
  return Overlap::kNone;
}

Operand random_operand(std::mt19937& random, Role role, Dtype dtype) {
  const auto pick = [&](int least, int most) {
    return std::int64_t{std::uniform_int_distribution<int>(least, most)(random)};
  };
  const Shape4 shape{pick(1, 2), pick(1, 6), pick(1, 3), pick(1, 4)};
  const Stride4 stride{pick(0, 40), pick(0, 20), pick(0, 8), pick(0, 3)};
  Operand operand;
  operand.role = role;
  operand.layout =
      local_layout(kSmall, pick(0, 3) * kSmall.npu_bytes + 4 * pick(0, 20), shape, stride, dtype);
  return operand;
}

TEST(Overlap, IsThatOfTheBytes) {
  std::mt19937 random{1};
  std::array<int, kOverlaps> met{};
  for (int k = 0; k < 20000; ++k) {
    Operand written = random_operand(random, Role::kOut, k % 3 == 0 ? Dtype::kInt8 : Dtype::kFp32);
    Operand other = random_operand(random, k % 5 == 0 ? Role::kWork : Role::kIn,
                                   k % 2 == 0 ? Dtype::kFp32 : Dtype::kInt16);
    if (k % 7 == 0) other.layout = written.layout;
    const Overlap found = overlap_of(written, other);
    ASSERT_EQ(found, by_bytes(written, other)) << k;
    ++met[static_cast<std::size_t>(found)];
  }
  for (const int times : met) EXPECT_GT(times, 100);
}

TEST(Overlap, OperandsOfTwoMemoriesHaveNone) {
  std::mt19937 random{1};
  Operand written = random_operand(random, Role::kOut, Dtype::kFp32);
  Operand other = written;
  other.role = Role::kIn;
  other.space = Space::kGlobal;
  EXPECT_EQ(overlap_of(written, other), Overlap::kNone);
}

// Local tensors between the lines of another one, as slices of a concatenation are.
TEST(Overlap, LinesBetweenLinesShareNothing) {
  Operand one, other;
  one.role = Role::kOut;
  one.layout = local_layout(kSmall, 0, {1, 4, 3, 4}, {64, 64, 8, 1}, Dtype::kFp32);
  other.layout = local_layout(kSmall, 16, {1, 4, 3, 4}, {64, 64, 8, 1}, Dtype::kFp32);
  EXPECT_TRUE(bounds_overlap(one, other));
  EXPECT_EQ(overlap_of(one, other), Overlap::kNone);
}

// A command whose operands overlap as they do.
Command command_with(Overlap overlap) {
  Command command;
  Operand written, read;
  written.role = Role::kOut;
  written.layout = local_layout(kSmall, 0, {1, 4, 1, 4}, {4, 4, 4, 1}, Dtype::kFp32);
  const std::int64_t at = overlap == Overlap::kNone ? 64 : overlap == Overlap::kInPlace ? 0 : 4;
  read.layout = local_layout(kSmall, at, {1, 4, 1, 4}, {4, 4, 4, 1}, Dtype::kFp32);
  static const OperandSpec kWritten, kRead;
  written.spec = &kWritten;
  read.spec = &kRead;
  command.operand_storage = {written, read};
  return command;
}

TEST(Overlap, IsFoundOncePerKnownCall) {
  Command command = command_with(Overlap::kNone);
  const std::vector<Operand> others = command_with(Overlap::kPartly).operand_storage;
  EXPECT_EQ(command.overlap(), Overlap::kNone);
  command.operand_storage = others;  // of a command that is not known nothing is kept
  EXPECT_EQ(command.overlap(), Overlap::kPartly);
  command.known.is_new(1);
  EXPECT_EQ(command.overlap(), Overlap::kPartly);
  EXPECT_EQ(command.known.overlap(), Overlap::kPartly);
  command.known.is_new(2);
  EXPECT_FALSE(command.known.overlap());
  EXPECT_FALSE(Command(command).known.overlap());
}

// Each adds its name, and "aside " before it where the source has been copied.
std::string ran_for(Overlap overlap, const OperandForms& of_reference) {
  std::string ran;
  std::array<float, 512> memory{};
  const auto note = [&](std::string_view name) {
    return [&ran, &memory, name](const Invocation& invocation) {
      const std::byte* const source = invocation.base(invocation.command.operand_storage[1]);
      if (source != reinterpret_cast<const std::byte*>(memory.data())) ran += "aside ";
      ran += name;
      return name != "declines ";
    };
  };
  const std::vector<Implementation> list = {
      {"declines", note("declines "), kAnyOperands},
      {"apart", note("apart")},
      {"in place", note("in place"), {.overlap = Overlap::kInPlace}},
      {"reference", note("reference"), of_reference}};
  const Command command = command_with(overlap);
  EXPECT_EQ(command.overlap(), overlap);
  Invocation invocation{command, {}};
  invocation.memory.fill(reinterpret_cast<std::byte*>(memory.data()));
  EXPECT_TRUE(run_first(list, invocation));
  return ran;
}

TEST(RunFirst, GivesACallToTheFirstThatTakesItsOverlap) {
  EXPECT_EQ(ran_for(Overlap::kNone, {}), "declines apart");
  EXPECT_EQ(ran_for(Overlap::kInPlace, {}), "declines in place");
}

TEST(RunFirst, SetsSourcesAsideWhereNobodyTakesTheOverlap) {
  EXPECT_EQ(ran_for(Overlap::kPartly, {}), "declines aside declines aside apart");
}

TEST(RunFirst, LeavesTheOrderToAReferenceThatHasOne) {
  EXPECT_EQ(ran_for(Overlap::kPartly, kAnyOperands), "declines reference");
}

TEST(SourcesAside, AreReadAsTheyWere) {
  const Command command = command_with(Overlap::kPartly);
  std::array<float, 512> memory{};
  for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<float>(k);
  Invocation invocation{command, {}};
  invocation.memory.fill(reinterpret_cast<std::byte*>(memory.data()));
  const Operand &written = command.operand_storage[0], &read = command.operand_storage[1];
  const std::vector<Implementation> list = {
      {"reference", [&](const Invocation& moved) {
         Layout::Index index{};
         for (index[1] = 0; index[1] < 4; ++index[1]) {
           for (index[3] = 0; index[3] < 4; ++index[3])
             std::memcpy(moved.base(written) + written.layout.address(index),
                         moved.base(read) + read.layout.address(index), 4);
         }
         return true;
       }}};
  EXPECT_TRUE(run_reference(list, invocation));
  for (std::size_t npu = 0; npu < 4; ++npu) {
    for (std::size_t k = 0; k < 4; ++k)  // one element further, of what was there before
      EXPECT_EQ(memory[npu * 128 + k], static_cast<float>(npu * 128 + k + 1));
  }
}

TEST(RunFirst, AResultThatOverlapsItselfGoesToTheReference) {
  Command command = command_with(Overlap::kNone);
  command.operand_storage[0].layout =
      local_layout(kSmall, 0, {1, 4, 1, 4}, {4, 4, 4, 0}, Dtype::kFp32);
  EXPECT_EQ(command.overlap(), Overlap::kPartly);
}

TEST(RunFirst, IsFalseWhereAllDecline) {
  const Command command = command_with(Overlap::kNone);
  EXPECT_FALSE(run_first({}, {command, {}}));
  EXPECT_FALSE(run_first({{"declines", [](const Invocation&) { return false; }}}, {command, {}}));
}

}  // namespace
}  // namespace tensorlane
