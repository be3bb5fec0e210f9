// A limit of instruction sets is one for every vector function, until another one is set.
#include "tensorlane/tensor/instruction_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

// The limit that this process began with comes back.
class InstructionSet : public testing::Test {
 protected:
  ~InstructionSet() override { limit_instruction_set(began_with_); }

 private:
  std::string began_with_{instruction_set_limit()};
};

TEST_F(InstructionSet, SmallerOnesAreAtMostAsGood) {
  std::int64_t before = 0;
  for (const std::string_view name : instruction_sets()) {
    SCOPED_TRACE(name);
    limit_instruction_set(name);
    EXPECT_EQ(instruction_set_limit(), name);
    EXPECT_EQ(may_use_every_instruction(), name == "native");
    const std::int64_t targets = hwy::SupportedTargets();
    if (before != 0) {
      EXPECT_EQ(targets & ~before, 0);  // nothing that the larger one lacks
    }
    before = targets;
  }
  EXPECT_EQ(instruction_sets().front(), "native");
}

#if HWY_ARCH_X86
TEST_F(InstructionSet, ScalarHasNoVectors) {
  limit_instruction_set("scalar");
  EXPECT_EQ(hwy::SupportedTargets() & (HWY_AVX3_DL | HWY_AVX3 | HWY_AVX2 | HWY_SSE4), 0);
}

TEST_F(InstructionSet, TheEnvironmentSaysItBeforeMain) {
  const char* const asked = std::getenv("TENSORLANE_ISA");
  const bool asks = asked != nullptr && *asked != '\0';
  EXPECT_EQ(instruction_set_limit(), asks ? asked : "native");
}
#endif

TEST_F(InstructionSet, AnUnknownNameIsAnError) {
  try {
    limit_instruction_set("avx3");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("TENSORLANE_ISA is 'avx3'; it must be one of native"));
  }
}

}  // namespace
}  // namespace tensorlane
