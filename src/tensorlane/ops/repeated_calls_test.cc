// Laws of calls that come again: what is the same call, what is forgotten. That each becomes what
// it is alone is tested for every function; see limits_test_support.h.
#include "tensorlane/ops/repeated_calls.h"

#include <gtest/gtest.h>

#include <array>

#include "tensorlane/chip/toy_chip_test_support.h"
#include "tensorlane/ops/per_call.h"

namespace tensorlane {
namespace {

constexpr Param kParams[] = {{"local_addr_t", "dst"}, {"const dim4*", "shape"}, {"int", "flag"}};
enum At : std::uint8_t { kDst, kShape, kFlag };

struct Caller {
  OpSpec spec{.engine = Engine::kBdc,
              .operands = {{.param = "dst",
                            .role = Role::kOut,
                            .shape = {"shape.n", "shape.c", "shape.h", "shape.w"}}},
              .limits = {"flag >= 0", "flag != 3 [doc; computed]"},
              .numerics = Numerics::kNoData};
  Op op{"toy", "void", kParams, spec, OpList::Constants{}};
  std::array<Arg, std::size(kParams)> args{};
  RepeatedCalls calls;
  LimitPolicy policy;
  bool in_region = false;
  int place = 0;
  std::vector<Violation> tolerated;

  Caller() { args[kShape].field = {1, 2, 3, 5}; }
  Command& call() {
    tolerated.clear();
    return calls.decode(op, args, toy::chip(), in_region, policy, &place, tolerated);
  }
  std::uint64_t number() { return call().known.number(); }
};

TEST(RepeatedCalls, TheSameCallHasTheSameNumber) {
  Caller caller;
  const std::uint64_t first = caller.number();
  EXPECT_NE(first, 0u);
  EXPECT_EQ(caller.number(), first);
  EXPECT_TRUE(caller.call().known.keeps_coming());
}

// Whoever listens to several need not tell them apart.
TEST(RepeatedCalls, NumbersDifferFromThoseOfOthers) {
  Caller one, other;
  EXPECT_NE(one.number(), other.number());
}

TEST(RepeatedCalls, WhateverChangesMakesAnotherCall) {
  Caller caller;
  std::uint64_t last = caller.number();
  const auto expect_another = [&](const char* what) {
    Command& command = caller.call();
    EXPECT_NE(command.known.number(), last) << what;
    EXPECT_FALSE(command.known.keeps_coming()) << what;
    last = command.known.number();
  };
  caller.args[kDst].field[0] = 64;
  expect_another("an address");
  EXPECT_EQ(caller.call().operands()[0].address, 64u);
  caller.args[kShape].field[1] = 4;
  expect_another("an extent");
  EXPECT_EQ(caller.call().operands()[0].layout.extent(1), 4);
  caller.args[kFlag].field[0] = 1;
  expect_another("an argument of no operand");
  caller.in_region = true;
  expect_another("a region");
  caller.policy.strict = true;
  expect_another("a policy");
}

TEST(RepeatedCalls, TheWindowOfLocalMemoryIsNoChange) {
  Caller caller;
  const std::uint64_t first = caller.number();
  caller.args[kDst].field[0] += static_cast<std::int64_t>(toy::chip().region(Space::kLocal).begin);
  EXPECT_EQ(caller.number(), first);
}

TEST(RepeatedCalls, WhatBreaksALimitIsSaidEveryTime) {
  Caller caller;
  caller.call();
  caller.args[kFlag].field[0] = 3;
  std::uint64_t last = 0;
  for (int k = 0; k < 3; ++k) {
    const std::uint64_t number = caller.number();
    EXPECT_EQ(caller.tolerated.size(), 1u);
    EXPECT_TRUE(k == 0 || number == last);
    last = number;
  }
  // Another one that breaks it has its own, and may be what takes the place of one that did.
  for (int k = 1; k < 10; ++k) {
    caller.args[kDst].field[0] = 16 * k;
    EXPECT_NE(caller.number(), last);
    EXPECT_EQ(caller.tolerated.size(), 1u);
  }
  caller.args[kFlag].field[0] = -1;
  for (int k = 0; k < 2; ++k) EXPECT_THROW(caller.call(), IllegalCall);
  caller.args[kFlag].field[0] = 0;
  EXPECT_EQ(caller.call().value("flag"), 0);
  EXPECT_TRUE(caller.tolerated.empty());
}

TEST(RepeatedCalls, BuffersInTurnAreKnownEach) {
  Caller caller;
  std::uint64_t numbers[2] = {};
  for (int k = 0; k < 6; ++k) {
    caller.args[kDst].field[0] = 64 * (k % 2);
    if (k < 2) numbers[k] = caller.number();
    EXPECT_EQ(caller.number(), numbers[k % 2]);
  }
  EXPECT_NE(numbers[0], numbers[1]);
}

TEST(RepeatedCalls, AreForgottenWhenManyOthersComeFromTheirPlace) {
  Caller caller;
  const std::uint64_t first = caller.number();
  for (int k = 1; k < 10; ++k) {
    caller.args[kDst].field[0] = 16 * k;
    EXPECT_EQ(caller.call().operands()[0].address, static_cast<std::uint64_t>(16 * k));
  }
  caller.args[kDst].field[0] = 0;
  EXPECT_NE(caller.number(), first);
  EXPECT_EQ(caller.call().operands()[0].address, 0u);
}

TEST(RepeatedCalls, OtherPlacesAndEntriesDoNotDisturb) {
  Caller caller;
  const std::uint64_t first = caller.number();
  const int other_place = 0;
  const Op other{"other", "void", kParams, caller.spec, OpList::Constants{}};
  std::vector<Violation> tolerated;
  const Command& command =
      caller.calls.decode(other, caller.args, toy::chip(), false, {}, &other_place, tolerated);
  EXPECT_EQ(command.op, &other);
  EXPECT_NE(command.known.number(), first);
  EXPECT_EQ(caller.number(), first);
  // Of one place, the entry that is called there decides.
  EXPECT_EQ(
      caller.calls.decode(other, caller.args, toy::chip(), false, {}, &caller.place, tolerated).op,
      &other);
}

struct Counted : Lowering {};

TEST(RepeatedCalls, WhatWasWorkedOutGoesWithTheCall) {
  Caller caller;
  caller.call().known.keep(std::make_unique<Counted>());
  const Command copy = caller.call();
  EXPECT_NE(caller.call().known.lowering(), nullptr);
  EXPECT_EQ(copy.known.lowering(), nullptr) << "a copy may be changed";
  EXPECT_EQ(copy.known.number(), 0u);
  caller.args[kDst].field[0] = 64;
  EXPECT_EQ(caller.call().known.lowering(), nullptr);
}

TEST(PerCall, IsFoundOutOncePerCall) {
  Caller caller;
  PerCall<int> extents;
  int asked = 0;
  const auto extent = [&](const Command& command) {
    return extents.get(command, [&](int& value) {
      ++asked;
      value = static_cast<int>(command.operands()[0].layout.extent(1));
    });
  };
  EXPECT_EQ(extent(caller.call()), 2);
  EXPECT_EQ(extent(caller.call()), 2);
  EXPECT_EQ(asked, 1);
  caller.args[kShape].field[1] = 4;
  EXPECT_EQ(extent(caller.call()), 4);
  const Command copy = caller.call();
  EXPECT_EQ(extent(copy), 4);
  EXPECT_EQ(asked, 3) << "of a copy nothing is known";
}

// As many as there is room for and more, and then few again; several lines call each in turn.
TEST(PerCall, IsRightForEveryCallOfMany) {
  Caller caller;
  std::array<int, 7> lines{};
  PerCall<std::int64_t> extents;
  int asked = 0, calls = 0;
  for (const int most : {1, 2, 15, 16, 17, 33, 100, 255, 256, 257, 600, 3}) {
    for (int k = 0; k < 2 * most; ++k, ++calls) {
      const int height = k % most / 8 % 25 + 1, width = k % most % 8 + 1;
      caller.args[kShape].field = {1, 1, height, width};
      const Command& command =
          caller.calls.decode(caller.op, caller.args, toy::chip(), false, caller.policy,
                              &lines[static_cast<std::size_t>(k) % lines.size()], caller.tolerated);
      for (int again = 0; again < 2; ++again) {
        const std::int64_t extent = extents.get(command, [&](std::int64_t& value) {
          ++asked;
          const Layout& layout = command.operands()[0].layout;
          value = layout.extent(2) * 8 + layout.extent(3);
        });
        EXPECT_EQ(extent, height * 8 + width) << most;
      }
    }
  }
  EXPECT_LE(asked, calls) << "known at once";
}

}  // namespace
}  // namespace tensorlane
