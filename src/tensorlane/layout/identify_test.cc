#include "tensorlane/layout/identify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/layout_test_support.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

bool has_name(const std::vector<NamedLayout>& layouts, std::string_view name) {
  return std::ranges::any_of(layouts, [&](const NamedLayout& each) { return each.name() == name; });
}

// Every named layout, written out as `describe` prints it, is known by its name again.
TEST(Identify, KnowsWhatIsPrintedOfEveryLayout) {
  LayoutMaker maker(31);
  int known = 0;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      for (int round = 0; round < 40; ++round) {
        const LayoutSpec asked = maker.random_spec(system, info);
        SCOPED_TRACE(describe_spec(asked));
        const NamedLayout tensor = make_layout(asked);
        const NamedLayout written = make_layout({.system = system,
                                                 .layout = notation(tensor),
                                                 .dtype = asked.dtype,
                                                 .memory = asked.memory});
        const std::vector<NamedLayout> names = names_of(written, {{system}});
        // Any strides have a name of their own where they are another layout's.
        const bool named = has_name(names, info.name) || (info.either_memory() && !names.empty());
        EXPECT_TRUE(named) << notation(tensor);
        known += named;
      }
    }
  }
  EXPECT_GT(known, 1000);
}

// A dump of distinct contents is known by what it holds.
TEST(Identify, KnowsADumpByItsContents) {
  LayoutMaker maker(32);
  int known = 0;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      if (info.winograd || info.echoes || info.either_memory()) continue;
      for (int round = 0; round < 6; ++round) {
        LayoutSpec asked = maker.random_spec(system, info);
        asked.offset = 0;
        if (dtype_bits(asked.dtype) < 8) continue;
        SCOPED_TRACE(describe_spec(asked));
        const NamedLayout tensor = make_layout(asked);
        const NamedLayout plain = make_layout(
            {.system = System::kMace,
             .layout = notation(row_major_layout(asked.shape, asked.dtype), tensor.axes),
             .dtype = asked.dtype});
        std::vector<std::byte> original(static_cast<std::size_t>(plain.total_bytes()));
        for (std::byte& byte : original) byte = static_cast<std::byte>(maker.pick(0, 255));
        const std::vector<std::byte> dump = convert(tensor, plain, original);
        const std::vector<NamedLayout> found =
            layouts_of_bytes(plain, original, dump, {.systems = {system}, .memory = asked.memory});
        ASSERT_FALSE(found.empty());
        for (const NamedLayout& each : found) {
          std::vector<std::byte> again(original.size());
          convert(plain, again, each, dump);
          EXPECT_EQ(again, original);
        }
        ++known;
      }
    }
  }
  EXPECT_GT(known, 100);
}

TEST(Identify, KnowsBlockedDumps) {
  const NamedLayout plain =
      make_layout({.system = System::kMace, .layout = "NCHW", .shape = {1, 20, 3, 5}});
  const NamedLayout blocked =
      make_layout({.system = System::kMace, .layout = "nChw16c", .shape = {1, 20, 3, 5}});
  std::vector<std::byte> original(1200);
  for (std::size_t i = 0; i < original.size(); ++i)
    original[i] = static_cast<std::byte>(i * 7 + i / 256);
  const std::vector<NamedLayout> found = layouts_of_bytes(
      plain, original, convert(blocked, plain, original), {.systems = {System::kMace}});
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(std::ranges::any_of(
      found, [&](const NamedLayout& each) { return each.layout == blocked.layout; }));
}

}  // namespace
}  // namespace tensorlane
