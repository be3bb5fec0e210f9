#include "tensorlane/device/argument_struct.h"

#include <gtest/gtest.h>

namespace tensorlane {
namespace {

TEST(ArgumentStruct, AnotherSizeIsSaid) {
  const std::vector<ArgumentStruct> structs{{"header_t", 8, "k.c:3"}, {"args_t", 24, "k.c:9"}};
  EXPECT_EQ(argument_mismatch(structs, 24), "");
  EXPECT_EQ(argument_mismatch(structs, 8), "") << "a header is read first";
  EXPECT_EQ(argument_mismatch(structs, 16),
            "the launch passes 16 bytes, the kernel reads header_t of 8 (k.c:3)");
  EXPECT_EQ(argument_mismatch({}, 16), "") << "nothing is known of the kernel";
}

TEST(ArgumentStruct, AFunctionThatDoesNotExistHasNone) {
  EXPECT_TRUE(
      argument_structs(reinterpret_cast<const void*>(&argument_mismatch), "no_such").empty());
  EXPECT_TRUE(argument_structs(nullptr, "kernel").empty());
}

}  // namespace
}  // namespace tensorlane
