// Laws that hold for every front end and every chip that speaks one.
#include "tensorlane/front_ends/front_ends.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/device/call.h"

namespace tensorlane {
namespace {

TEST(FrontEnds, EveryChipSpeaksOne) {
  for (const Chip* chip : all_chips()) {
    EXPECT_EQ(&front_end_of(*chip).api, &chip->api) << chip->name;
    for (const std::string_view function : chip->missing_functions)
      EXPECT_NE(front_end_of(*chip).ops().find(function), nullptr) << function;
  }
}

TEST(FrontEnds, AreToldApartByTheirPrefix) {
  std::set<std::string_view> names;
  for (const FrontEnd* front_end : all_front_ends()) {
    EXPECT_TRUE(names.insert(front_end->api.name).second);
    EXPECT_EQ(&front_end_of(front_end->chip), front_end);
    int own = 0;
    for (const Op* op : front_end->ops().all())
      own += front_end_of_function(op->name()) == front_end ? 1 : 0;
    EXPECT_GT(own, 0);
  }
  EXPECT_EQ(front_end_of_function("main"), nullptr);
}

TEST(FrontEnds, ArgumentsOfPlainIntegersAreTheIntegers) {
  for (const FrontEnd* front_end : all_front_ends()) {
    for (const std::int64_t value : {0, 1, -1, 4096}) {
      EXPECT_EQ(front_end->argument("int", value, 0).value(), value);
    }
  }
}

// Every prefill differs from byte to byte, so that a move by any distance shows.
TEST(FrontEnds, RecordedMemoryNamesItsPlace) {
  for (const FrontEnd* front_end : all_front_ends()) {
    std::array<std::byte, 256> whole{}, part{};
    front_end->recorded_memory.prefill(3, 1000, whole);
    front_end->recorded_memory.prefill(3, 1100, {part.data(), 100});
    EXPECT_TRUE(std::equal(part.begin(), part.begin() + 100, whole.begin() + 100));
    front_end->recorded_memory.prefill(4, 1000, part);
    EXPECT_FALSE(std::equal(part.begin(), part.end(), whole.begin()));
  }
}

class ChosenChip : public testing::Test {
 protected:
  ~ChosenChip() override { unsetenv("TENSORLANE_CHIP"); }
};

TEST_F(ChosenChip, IsTheOneOfTheEnvironmentWhereItSpeaksTheInterface) {
  for (const FrontEnd* front_end : all_front_ends()) {
    unsetenv("TENSORLANE_CHIP");
    EXPECT_EQ(&chosen_chip(*front_end), &front_end->chip);
    setenv("TENSORLANE_CHIP", "", 1);
    EXPECT_EQ(&chosen_chip(*front_end), &front_end->chip);
    for (const Chip* chip : all_chips()) {
      setenv("TENSORLANE_CHIP", std::string(chip->name).c_str(), 1);
      if (&front_end_of(*chip) == front_end) {
        EXPECT_EQ(&chosen_chip(*front_end), chip);
      } else {
        EXPECT_THROW(chosen_chip(*front_end), UserError);
      }
    }
  }
  setenv("TENSORLANE_CHIP", "bm1685", 1);
  EXPECT_THROW(chosen_chip(*all_front_ends().front()), UserError);
}

TEST(MissingFunctions, EndTheLaunchOnTheirChipOnly) {
  for (const FrontEnd* front_end : all_front_ends()) {
    Chip without = front_end->chip;
    const Op& op = *front_end->ops().find(std::string(front_end->api.prefix) + "npu_num");
    EXPECT_EQ(call_in_session(nullptr, op, {}, nullptr, without), without.local.npus);
    without.missing_functions = {op.name()};
    try {
      call_in_session(nullptr, op, {}, nullptr, without);
      ADD_FAILURE() << "called";
    } catch (const UserError& error) {
      EXPECT_NE(std::string_view(error.what()).find("does not exist on the"),
                std::string_view::npos);
    }
  }
}

}  // namespace
}  // namespace tensorlane
