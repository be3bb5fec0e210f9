#include "tensorlane/layout/axes.h"

#include <gtest/gtest.h>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

TEST(Axes, FindWhatTheyHold) {
  constexpr Axes kAxes("NHWC");
  static_assert(kAxes.size() == 4 && kAxes[3] == Axis::kC && kAxes.find(Axis::kC) == 3);
  EXPECT_EQ(kAxes.find(Axis::kO), -1);
  EXPECT_TRUE(kAxes.has(Axis::kN));
  EXPECT_FALSE(kAxes.has(Axis::kColumn));
  EXPECT_EQ(kAxes.find_first_of({Axis::kC, Axis::kW}), 2) << "the outermost of them";
  EXPECT_EQ(kAxes.find_first_of({Axis::kO, Axis::kI}), -1);
  EXPECT_EQ(kAxes.text(), "NHWC");
  EXPECT_TRUE(Axes().empty());
}

TEST(Axes, AnOrderAndItsInverse) {
  const Axes hwoi("HWOI"), oihw("OIHW");
  EXPECT_TRUE(hwoi.permutes(oihw));
  EXPECT_NE(hwoi, oihw);
  EXPECT_EQ(hwoi.places_in(oihw), (std::vector<int>{2, 3, 0, 1}));
  EXPECT_EQ(Axes("IOHW").places_in(hwoi), (std::vector<int>{3, 2, 0, 1}));
  EXPECT_FALSE(hwoi.permutes(Axes("HWIM")));
  EXPECT_FALSE(Axes("NC").permutes(Axes("NHWC")));
  EXPECT_FALSE(Axes("NHW").permutes(Axes("NHWC")));
}

TEST(Axes, AreReadInEitherCaseAndRefusedByName) {
  EXPECT_EQ(parse_axes("nchw"), Axes("NCHW"));
  EXPECT_EQ(parse_axes("RK"), Axes("RK"));
  for (const char* wrong : {"", "NCXW", "NCHN", "NCHWO", "N,C"}) {
    EXPECT_THROW(parse_axes(wrong), UserError) << wrong;
  }
  EXPECT_EQ(axis_name(Axis::kC), "c");
  EXPECT_EQ(axis_name(Axis::kRow), "row");
  EXPECT_EQ(axis_name(Axis::kColumn), "col");
}

}  // namespace
}  // namespace tensorlane
