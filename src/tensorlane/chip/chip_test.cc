// Laws that hold for every chip's table.
#include "tensorlane/chip/chip.h"

#include <gtest/gtest.h>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

TEST(Chip, AddressesOfOneMemoryLeadBackToIt) {
  for (const Chip* chip : all_chips()) {
    for (const Region& region : chip->regions) {
      const auto first = chip->find(region.begin);
      const auto last = chip->find(region.begin + region.bytes - 1);
      ASSERT_TRUE(first && last) << chip->name << " " << region.source;
      EXPECT_EQ(first->space, region.space);
      EXPECT_EQ(first->offset, 0U);
      EXPECT_EQ(first->bytes_left, region.bytes);
      EXPECT_EQ(last->offset, region.bytes - 1);
      EXPECT_EQ(last->bytes_left, 1U);
      const auto next = chip->find(region.begin + region.bytes);
      EXPECT_TRUE(!next || next->offset == 0) << "memories overlap";
    }
  }
}

TEST(Chip, PartsForProgramsLieInTheirMemory) {
  for (const Chip* chip : all_chips()) {
    const auto place = chip->find(chip->l2_user_begin);
    ASSERT_TRUE(place) << chip->name;
    EXPECT_EQ(place->space, Space::kL2);
    EXPECT_GE(place->bytes_left, chip->l2_user_bytes);
    EXPECT_EQ(chip->find(chip->global_alloc_begin)->space, Space::kGlobal);
    EXPECT_EQ(chip->local.npu_bytes % chip->banks_per_npu, 0);
  }
}

TEST(Chip, OutputsPerStepFollowTheElementOnTheBm1684xOnly) {
  for (const Dtype dtype : {Dtype::kInt8, Dtype::kInt16, Dtype::kFp32})
    EXPECT_EQ(bm1684().outputs_per_step(dtype), 16);
  EXPECT_EQ(bm1684x().outputs_per_step(Dtype::kFp32), 16);
  EXPECT_EQ(bm1684x().outputs_per_step(Dtype::kFp16), 32);
  EXPECT_EQ(bm1684x().outputs_per_step(Dtype::kInt8), 64);
  EXPECT_EQ(bm1684x().outputs_per_step(Dtype::kInt4), 128);
}

TEST(Chip, EveryNameIsItsOwn) {
  for (const Chip* chip : all_chips()) EXPECT_EQ(&find_chip(chip->name), chip);
}

TEST(Chip, NoChipHasTheTimesOfAnother) {
  for (const Chip* chip : all_chips()) {
    const TimingParameters& even = timing_parameters(*chip, Calibration::kEven);
    EXPECT_EQ(&timing_parameters(*chip), &chip->timing);
    EXPECT_EQ(even.confirmed, chip->timing.confirmed) << chip->name;
    // Of half of the cases only where launches were compared; others leave groups out of their fit.
    EXPECT_TRUE(!chip->timing_of_even_cases || chip->timing.confirmed == Confirmed::kLaunches)
        << chip->name;
  }
  Chip unknown = bm1684();
  unknown.timing = {};
  unknown.timing_of_even_cases.reset();
  EXPECT_EQ(timing_parameters(unknown, Calibration::kEven).confirmed, Confirmed::kNothing);
  EXPECT_EQ(timing_parameters(unknown, Calibration::kEven).issue_us, 0);
}

// A chip whose launches no board confirmed says how much they may cost, and every figure of its
// times that is not left out has a source.
TEST(Chip, EveryTimingParameterHasASource) {
  for (const Chip* chip : all_chips()) {
    if (chip->timing.confirmed == Confirmed::kNothing) continue;
    const bool launches = chip->timing.confirmed == Confirmed::kLaunches;
    EXPECT_EQ(chip->timing.issue_known(), launches) << chip->name;
    EXPECT_EQ(chip->timing.launch_known(), launches) << chip->name;
    EXPECT_FALSE(chip->timing.confirmed_by.empty());
    for (const TimingParameterRow& row : timing_parameter_rows()) {
      const double value = chip->timing.*row.value;
      if (value == 0 || (row.unit == "factor" && value == 1)) continue;  // left out
      EXPECT_NE(chip->source(row.value), nullptr) << chip->name << ' ' << row.name;
    }
  }
}

TEST(Chip, APrebuiltListCostsNoIssue) {
  for (const Chip* chip : all_chips()) {
    const TimingParameters& list =
        timing_parameters(*chip, Calibration::kAll, LaunchMode::kPrebuilt);
    EXPECT_EQ(&list, &timing_parameters(*chip, Calibration::kAll, LaunchMode::kPrebuilt));
    EXPECT_EQ(list.issue_us + list.issue_matmul_us, 0);
    EXPECT_TRUE(list.issue_known());
    EXPECT_EQ(list.read_gbps, chip->timing.read_gbps);
    EXPECT_EQ(list.mode, LaunchMode::kPrebuilt);
  }
  EXPECT_EQ(parse_launch_mode("prebuilt"), LaunchMode::kPrebuilt);
  EXPECT_THROW(parse_launch_mode("prebuild"), UserError);
}

TEST(Chip, AnUnknownNameGetsTheNearest) {
  EXPECT_EQ(&find_chip("bm1684x"), &bm1684x());
  try {
    find_chip("bm1684y");
    FAIL() << "found";
  } catch (const UserError& error) {
    EXPECT_NE(std::string_view(error.what()).find("bm1684"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace tensorlane
