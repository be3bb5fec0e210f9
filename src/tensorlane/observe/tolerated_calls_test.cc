#include "tensorlane/observe/tolerated_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tensorlane::observe {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ToleratedCalls, ErrorsAreSaidOncePerLine) {
  std::vector<std::string> said;
  ToleratedCalls calls([&](const std::string& text) { said.push_back(text); });
  calls.launch_begin({.kernel = "pool"});
  const int place = 0, other = 0;
  const Violation error{"shape.c = 8192", "shape.c <= 4095", "doc", false, {}, Breach::kComputed};
  const Violation warning{"shape.w = 2", "shape.w == 1", "doc", false, {}, Breach::kUnenforced};
  const std::vector<Violation> both{error, warning}, harmless{warning};
  calls.tolerated({"f", harmless, &place});
  EXPECT_TRUE(said.empty());
  calls.tolerated({"f", both, &place});
  calls.tolerated({"f", both, &place});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("kernel 'pool' breaks a limit at "));
  EXPECT_THAT(said[0], HasSubstr("computed all the same\n  f\n  shape.c = 8192\n"));
  EXPECT_THAT(said[0], Not(HasSubstr("shape.w")));
  calls.tolerated({"f", both, &other});
  EXPECT_EQ(said.size(), 2u);
}

}  // namespace
}  // namespace tensorlane::observe
