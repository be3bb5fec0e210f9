#include "tensorlane/observe/advice.h"

#include <gtest/gtest.h>

#include <vector>

#include "tensorlane/device/session.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::observe {
namespace {

TEST(Advice, IsGivenOncePerPlaceAndNamesTheCondition) {
  std::vector<std::string> lines;
  Advice advice([&](const std::string& line) { lines.push_back(line); });
  Observer* const observers[] = {&advice};
  DeviceMemory memory(bm1684());
  Session session{.chip = bm1684(), .memory = memory, .observers = observers, .launch = {}};
  const dim4 shape = {1, 2, 3, 4};
  const dim4* const no_stride = nullptr;
  const auto add = [&](unsigned int address, const void* place) {
    const Arg args[] = {okk::encode(address), okk::encode(0u),        okk::encode(1.0f),
                        okk::encode(&shape),  okk::encode(no_stride), okk::encode(no_stride)};
    session.issue(*okk::find_op("okk_bdc_add_C"), args, place);
  };
  const int place = 0, other = 0;
  add(4096, &place);
  EXPECT_TRUE(lines.empty()) << "an aligned call misses nothing";
  add(4100, &place);
  add(4100, &place);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("okk_bdc_add_C"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("dst_addr = 0x1004"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("dst_addr % 128 == 0"), std::string::npos) << lines[0];
  add(4100, &other);
  EXPECT_EQ(lines.size(), 2u);
}

}  // namespace
}  // namespace tensorlane::observe
