// Calls of device functions as kernels make them: outside and inside a launch, legal and not.
#include "tensorlane/device/call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/device/device_test_support.h"
#include "tensorlane/device/host_call.h"
#include "tensorlane/device/kernel_runner.h"

namespace tensorlane {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using toy::Machine;

std::int64_t call(Session* session, const Op& op, std::initializer_list<std::int64_t> values,
                  const void* call_site = nullptr) {
  return call_in_session(session, op, toy::args(values), call_site, toy::chip());
}

// The text of the UserError that the call throws.
std::string refusal(Session* session, const Op& op, std::initializer_list<std::int64_t> values) {
  try {
    call(session, op, values);
  } catch (const UserError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Call, FunctionsWithoutAnEngineAnswerInsideAndOutsideALaunch) {
  Machine machine;
  EXPECT_EQ(call(nullptr, toy::answer(), {41}), 42);
  EXPECT_EQ(call(&machine.session, toy::answer(), {41}), 42);
  machine.session.parallel_start(nullptr);
  EXPECT_EQ(call(&machine.session, toy::answer(), {40}), 42);
}

TEST(Call, LimitsOfFunctionsWithoutAnEngineHold) {
  Machine machine;
  EXPECT_THAT(refusal(nullptr, toy::answer(), {13}), HasSubstr("x != 13"));
  EXPECT_THAT(refusal(&machine.session, toy::answer(), {14}), HasSubstr("parallel_state"));
  EXPECT_THAT(machine.diary.lines, ElementsAre("refused limit toy_answer"));
  machine.session.parallel_start(nullptr);
  EXPECT_EQ(call(&machine.session, toy::answer(), {14}), 16);
}

TEST(Call, EngineFunctionsBecomeCommands) {
  Machine machine;
  const int place = 0;
  EXPECT_EQ(call(&machine.session, toy::set(), {3, 8}, &place), 0);
  EXPECT_EQ(machine.byte(3), 8);
  EXPECT_THAT(machine.diary.call_sites, ElementsAre(&place));
  EXPECT_EQ(refusal(nullptr, toy::set(), {3, 8}),
            "toy_set is called outside a launch\n    rule: kernels run on the device; launch them "
            "with okkernel_launch_sync or _async [doc]");
}

// Also where all arguments are illegal: what is missing is said first.
TEST(Call, FunctionsTheChipLacksAreRefusedByName) {
  Machine machine;
  EXPECT_EQ(refusal(&machine.session, toy::later(), {}),
            "toy_later does not exist on the Toy chip\n    rule: it needs a second TPU [doc]");
  EXPECT_THAT(refusal(nullptr, toy::undefined(), {}),
              HasSubstr("toy_undefined is not implemented\n    rule: nothing public"));
  EXPECT_THAT(refusal(&machine.session, toy::dropped(), {}),
              HasSubstr("toy_dropped does not exist on the Toy chip"));
  EXPECT_THAT(machine.diary.lines,
              ElementsAre("refused limit toy_later", "refused limit toy_dropped"));
  EXPECT_THAT(machine.diary.messages[0], HasSubstr("it needs a second TPU"));
}

TEST(Call, LaunchedGivesTheSessionOrSaysHowToLaunch) {
  Machine machine;
  const Op& op = toy::answer();
  EXPECT_EQ(&launched({op, toy::chip(), &machine.session, {}, nullptr}, "f"), &machine.session);
  EXPECT_THROW(launched({op, toy::chip(), nullptr, {}, nullptr}, "f"), UserError);
}

const int place = 0;
bool went_on;

// A launch that ends inside of a call destroys nothing of the kernel's.
void illegal_kernel(const void*) {
  static const std::vector<Arg> good = toy::args({0, 5}), bad = toy::args({0, 500});
  went_on = false;
  call_from_kernel(toy::set(), good, &place, toy::front_end());
  call_from_kernel(toy::set(), bad, &place, toy::front_end());
  went_on = true;
}
void defective_kernel(const void*) {
  call_from_kernel(toy::unwilling(), {}, &place, toy::front_end());
}
void asserting_kernel(const void*) {
  went_on = false;
  assertion_failed("ASSERT", assertion_text("ASSERT", "1 == 2", "k.c", 3, "kernel"), &place,
                   toy::front_end());
  went_on = true;  // NOLINT: must not be reached
}

TEST(CallFromKernel, AnIllegalCallEndsTheLaunchAndNamesItsPlace) {
  Machine machine;
  const auto failure = run_kernel(machine.session, illegal_kernel, nullptr);
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->message, HasSubstr("value = 500"));
  EXPECT_EQ(failure->call_site, &place);
  EXPECT_FALSE(went_on);
  EXPECT_EQ(machine.byte(0), 5) << "what went before took effect";
}

void foreign_kernel(const void*) {
  static const std::vector<Arg> args = toy::args({0, 5});
  call_from_kernel(toy::set(), args, &place, toy::foreign_front_end());
}

TEST(CallFromKernel, KernelsOfAnotherInterfaceEndWithTheWayOut) {
  Machine machine;
  const auto failure = run_kernel(machine.session, foreign_kernel, nullptr);
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->message, HasSubstr("toy_set is called on the Toy chip"));
  EXPECT_THAT(failure->message, HasSubstr("--chip"));
  EXPECT_EQ(machine.byte(0), 0);
}

TEST(CallFromKernel, ADefectEndsTheLaunchToo) {
  Machine machine;
  const auto failure = run_kernel(machine.session, defective_kernel, nullptr);
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->message, HasSubstr("toy_unwilling"));
}

TEST(CallFromKernel, OutsideALaunchTheCallIsReportedAndReturnsZero) {
  toy::reported().clear();
  EXPECT_EQ(call_from_kernel(toy::set(), toy::args({0, 5}), &place, toy::front_end()), 0);
  EXPECT_THAT(toy::reported(), HasSubstr("outside a launch"));
  EXPECT_EQ(call_from_kernel(toy::answer(), toy::args({5}), &place, toy::front_end()), 6);
}

TEST(AssertionFailed, EndsTheLaunchWithTheConditionAndItsPlace) {
  Machine machine;
  const auto failure = run_kernel(machine.session, asserting_kernel, nullptr);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "ASSERT(1 == 2) failed at k.c:3 in kernel");
  EXPECT_EQ(failure->call_site, &place);
  EXPECT_FALSE(went_on);
  EXPECT_THAT(machine.diary.lines, ElementsAre("refused assertion ASSERT"));
  EXPECT_EQ(machine.diary.messages[0], failure->message);
}

TEST(AssertionFailed, OutsideALaunchItIsReportedAndTheFrontEndGoesOn) {
  toy::reported().clear();
  assertion_failed("ASSERT", "1 == 2", nullptr, toy::front_end());
  EXPECT_EQ(toy::reported(), "tensorlane: outside a launch: 1 == 2\n");
}

}  // namespace
}  // namespace tensorlane
