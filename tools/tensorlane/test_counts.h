// How many tests a device function has. The table is counted from the repository at build time.
#ifndef TENSORLANE_TOOLS_TEST_COUNTS_H_
#define TENSORLANE_TOOLS_TEST_COUNTS_H_

#include <span>
#include <string_view>

namespace tensorlane::cli {

struct TestCount {
  std::string_view function;
  int recorded;  // recorded calls of the vendor's model that conformance replays
  int named;     // test cases, test kernels and example kernels that name the function
};
std::span<const TestCount> test_counts();

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_TEST_COUNTS_H_
