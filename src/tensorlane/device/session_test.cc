// Laws of a launch in progress: when commands take effect, what observers hear, which calls are
// refused.
#include "tensorlane/device/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "tensorlane/device/device_test_support.h"

namespace tensorlane {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using toy::Machine;
using Lines = std::vector<std::string>;

// The text of the UserError that `call` throws.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Session, SerialCommandsTakeEffectAtOnceAndInOrder) {
  Machine machine;
  const int first = 0, second = 0;
  machine.issue(toy::set(), {5, 42}, &first);
  EXPECT_EQ(machine.byte(5), 42);
  machine.issue(toy::copy(), {6, 5}, &second);
  EXPECT_EQ(machine.byte(6), 42);
  EXPECT_EQ(machine.diary.lines, (Lines{"begin toy_set 0 region -1", "end toy_set",
                                        "begin toy_copy 1 region -1", "end toy_copy"}));
  EXPECT_THAT(machine.diary.call_sites, ElementsAre(&first, &second));
}

TEST(Session, RegionsAreNumberedFromZeroAndCommandsKnowTheirs) {
  Machine machine;
  for (int k = 0; k < 2; ++k) {
    machine.session.parallel_start(nullptr);
    machine.issue(toy::set(), {0, 1});
    machine.session.parallel_end(nullptr);
    machine.issue(toy::set(), {0, 1});
  }
  EXPECT_EQ(machine.diary.lines, (Lines{"start 0", "begin toy_set 0 region 0", "end toy_set",
                                        "stop 0", "begin toy_set 1 region -1", "end toy_set",
                                        "start 1", "begin toy_set 2 region 1", "end toy_set",
                                        "stop 1", "begin toy_set 3 region -1", "end toy_set"}));
}

// With copies as late as the rules allow, the end of the region is when they take effect.
TEST(Session, TheEndOfARegionRunsWhatWaits) {
  Machine machine;
  machine.order(RegionOrder::Kind::kLate);
  machine.session.parallel_start(nullptr);
  machine.issue(toy::copy(), {1, 0});
  machine.issue(toy::set(), {0, 9});
  EXPECT_EQ(machine.byte(0), 9);
  EXPECT_EQ(machine.byte(1), 0) << "the copy has not waited";
  machine.session.parallel_end(nullptr);
  EXPECT_EQ(machine.byte(1), 9);
  EXPECT_EQ(machine.diary.lines, (Lines{"start 0", "begin toy_set 1 region 0", "end toy_set",
                                        "begin toy_copy 0 region 0", "end toy_copy", "stop 0"}));
}

TEST(Session, SerialCommandsNeverWait) {
  Machine machine;
  machine.order(RegionOrder::Kind::kLate);
  machine.issue(toy::set(), {0, 9});
  machine.issue(toy::copy(), {1, 0});
  EXPECT_EQ(machine.byte(1), 9);
}

TEST(Session, ARegionThatTheKernelLeavesOpenEndsWithIt) {
  Machine machine;
  machine.order(RegionOrder::Kind::kLate);
  machine.issue(toy::set(), {0, 3});
  machine.session.parallel_start(nullptr);
  machine.issue(toy::copy(), {1, 0});
  EXPECT_EQ(machine.byte(1), 0);
  machine.session.finish();
  EXPECT_EQ(machine.byte(1), 3);
}

TEST(Session, InitializeEndsARegion) {
  Machine machine;
  machine.order(RegionOrder::Kind::kLate);
  machine.issue(toy::set(), {0, 3});
  machine.session.parallel_start(nullptr);
  machine.issue(toy::copy(), {1, 0});
  machine.session.initialize(nullptr);
  EXPECT_EQ(machine.byte(1), 3);
  EXPECT_FALSE(machine.session.in_parallel_region);
  EXPECT_NO_THROW(machine.session.poll(nullptr));
  EXPECT_EQ(Lines(machine.diary.lines.end() - 4, machine.diary.lines.end()),
            (Lines{"begin toy_copy 1 region 0", "end toy_copy", "initialize -1", "poll -1"}));
}

// With copies first, commands of the other engines wait; a poll of the HAU runs its own.
TEST(Session, HauPollRunsTheCommandsOfTheHauInsideARegion) {
  Machine machine;
  machine.order(RegionOrder::Kind::kEarly);
  machine.issue(toy::set(), {0, 3});
  machine.session.parallel_start(nullptr);
  machine.issue(toy::hau_copy(), {1, 0});
  machine.issue(toy::set(), {2, 5});
  EXPECT_EQ(machine.byte(1), 0);
  machine.session.hau_poll(nullptr);
  EXPECT_EQ(machine.byte(1), 3);
  EXPECT_EQ(machine.byte(2), 0);
  EXPECT_EQ(machine.diary.lines.back(), "hau_poll -1");
  machine.session.parallel_end(nullptr);
  EXPECT_EQ(machine.byte(2), 5);
}

// Observers hear of a call that breaks the rules before it fails, so that they can name its place.
TEST(Session, SynchronisationInTheWrongStateIsRefused) {
  Machine machine;
  Session& session = machine.session;
  const int place = 0;
  EXPECT_THAT(refusal([&] { session.parallel_end(&place); }),
              HasSubstr("okk_parallel_end without okk_parallel_start"));
  EXPECT_EQ(machine.diary.lines, Lines{"stop -1"});
  session.parallel_start(nullptr);
  EXPECT_THAT(refusal([&] { session.poll(&place); }),
              HasSubstr("okk_poll inside a parallel region"));
  EXPECT_EQ(machine.diary.lines.back(), "poll -1");
  EXPECT_EQ(machine.diary.call_sites.back(), &place);
  EXPECT_THAT(refusal([&] { session.parallel_start(&place); }),
              HasSubstr("okk_parallel_start inside a parallel region"));
  EXPECT_EQ(machine.diary.lines.back(), "start 1");
  EXPECT_NO_THROW(session.hau_poll(nullptr));
  EXPECT_NO_THROW(session.parallel_end(nullptr));
  EXPECT_NO_THROW(session.poll(nullptr));
  EXPECT_THAT(refusal([&] { session.parallel_end(nullptr); }), HasSubstr("parallel_state == 1"));
}

TEST(Session, AnIllegalCallIsToldAndDoesNothing) {
  Machine machine;
  const int place = 0;
  EXPECT_THROW(machine.issue(toy::set(), {0, 101}, &place), IllegalCall);
  EXPECT_EQ(machine.diary.lines, Lines{"refused limit toy_set"});
  EXPECT_THAT(machine.diary.messages[0], HasSubstr("value = 101"));
  EXPECT_THAT(machine.diary.messages[0], HasSubstr("0 <= value <= 100 [doc]"));
  EXPECT_EQ(machine.diary.call_sites.back(), &place);
  EXPECT_THROW(machine.issue(toy::set(), {4096, 1}), IllegalCall);
  EXPECT_EQ(machine.diary.lines.back(), "refused memory toy_set");
  EXPECT_EQ(machine.byte(0), 0);
  machine.issue(toy::set(), {0, 1});
  EXPECT_EQ(machine.diary.lines[2], "begin toy_set 0 region -1") << "refused calls are counted";
}

TEST(Session, ACallThatIsComputedAgainstALimitIsToldBeforeItsCommand) {
  Machine machine;
  const int place = 0;
  machine.issue(toy::set(), {0, 98}, &place);
  EXPECT_EQ(machine.diary.lines,
            (Lines{"tolerated toy_set 1", "begin toy_set 0 region -1", "end toy_set"}));
  EXPECT_EQ(machine.diary.call_sites.front(), &place);
  EXPECT_EQ(machine.byte(0), 98);
  EXPECT_THROW(machine.issue(toy::set(), {0, 96}), IllegalCall);
  machine.session.limit_policy.keep_going = true;
  machine.issue(toy::set(), {0, 96});
  EXPECT_EQ(machine.byte(0), 96);
}

TEST(Session, TheFirstImplementationThatAcceptsRuns) {
  Machine machine;
  machine.issue(toy::set(), {0, 2});
  EXPECT_EQ(toy::last_implementation(), "even");
  machine.issue(toy::set(), {0, 3});
  EXPECT_EQ(toy::last_implementation(), "reference");
  EXPECT_EQ(machine.byte(0), 3);
  machine.session.choice = ImplementationChoice::kReference;
  machine.issue(toy::set(), {0, 4});
  EXPECT_EQ(toy::last_implementation(), "reference");
  EXPECT_EQ(machine.byte(0), 4);
}

TEST(Session, ADryRunTellsOfCommandsAndComputesNothing) {
  Machine machine;
  machine.session.choice = ImplementationChoice::kNone;
  machine.issue(toy::set(), {0, 2});
  EXPECT_EQ(machine.byte(0), 0);
  EXPECT_EQ(machine.diary.lines, (Lines{"begin toy_set 0 region -1", "end toy_set"}));
  EXPECT_THROW(machine.issue(toy::set(), {0, 101}), IllegalCall);
}

TEST(Session, AReferenceThatDeclinesIsADefect) {
  Machine machine;
  EXPECT_THROW(machine.issue(toy::unwilling(), {}), InternalError);
  machine.session.choice = ImplementationChoice::kReference;
  EXPECT_THROW(machine.issue(toy::unwilling(), {}), InternalError);
}

TEST(Session, CommandsComputeInTheChipsFloatEnvironment) {
  Machine machine;
  const float factors[] = {0x1p-100F, -0x1p-40F};
  std::memcpy(machine.local(), factors, sizeof factors);
  machine.issue(toy::multiply(), {});
  std::uint32_t product;
  std::memcpy(&product, machine.local() + 8, sizeof product);
  EXPECT_EQ(product, 0x80000000u) << "a denormal result was not flushed";
}

TEST(Session, PointersLeadIntoTheirMemory) {
  Machine machine;
  const int place = 0;
  EXPECT_EQ(machine.session.pointer(Space::kL2, 4095, "f", &place),
            machine.memory.base(Space::kL2) + 4095);
  EXPECT_EQ(machine.diary.lines, Lines{"pointer L2 4095"});
  EXPECT_EQ(machine.diary.call_sites.back(), &place);
  EXPECT_THAT(refusal([&] { machine.session.pointer(Space::kL2, 4096, "f", nullptr); }),
              "f: address is outside L2 (4096 bytes)");
  EXPECT_THROW(machine.session.pointer(Space::kDtcm, 0, "f", nullptr), UserError);
  EXPECT_EQ(machine.diary.lines.size(), 1u);
}

}  // namespace
}  // namespace tensorlane
