// The front end of a library that holds one, and what tells a program's interface where it holds
// several.
#include "tensorlane/bmlib/linked_front_ends.h"

#include <gtest/gtest.h>
#include <link.h>

#include "tensorlane/okk/front_end.h"

namespace tensorlane::bmlib {
namespace {

TEST(LinkedFrontEnds, TheOnlyOneIsUsed) {
  EXPECT_EQ(&front_end(), &okk::front_end());
}

TEST(LinkedFrontEnds, ImportsAreNamesThatLoadedObjectsTakeFromOthers) {
  dl_iterate_phdr([](dl_phdr_info*, std::size_t, void*) { return 1; }, nullptr);  // imported here
  EXPECT_TRUE(is_imported("dl_iterate_phdr"));
  EXPECT_TRUE(is_imported("dl_iterate_"));
  EXPECT_FALSE(is_imported("dl_iterate_nothing"));
  EXPECT_FALSE(is_imported(okk::front_end().symbols)) << "defined in this program";
}

}  // namespace
}  // namespace tensorlane::bmlib
