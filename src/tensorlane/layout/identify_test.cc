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
        const std::vector<DumpPlace> found =
            layouts_of_bytes(plain, original, dump, {.systems = {system}, .memory = asked.memory});
        ASSERT_FALSE(found.empty());
        for (const DumpPlace& each : found) {
          EXPECT_EQ(each.begin, 0);
          std::vector<std::byte> again(original.size());
          convert(plain, again, each.tensor, dump);
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
  const std::vector<DumpPlace> found = layouts_of_bytes(
      plain, original, convert(blocked, plain, original), {.systems = {System::kMace}});
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(std::ranges::any_of(
      found, [&](const DumpPlace& each) { return each.tensor.layout == blocked.layout; }));
}

// Bytes before and behind the tensor, in shares of local memory too, are no obstacle.
TEST(Identify, KnowsTensorsInsideDumps) {
  LayoutMaker maker(5);
  int known = 0;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      if (info.winograd || info.echoes || info.either_memory()) continue;
      for (int round = 0; round < 4; ++round) {
        LayoutSpec asked = maker.random_spec(system, info);
        asked.offset = 0;
        if (dtype_bits(asked.dtype) < 8) continue;
        SCOPED_TRACE(describe_spec(asked));
        const NamedLayout tensor = make_layout(asked);
        const NamedLayout plain = make_layout(
            {.system = System::kMace,
             .layout = notation(row_major_layout(asked.shape, asked.dtype), tensor.axes),
             .dtype = asked.dtype});
        // A few elements are anywhere among random bytes.
        if (plain.total_bytes() < 24) continue;
        std::vector<std::byte> original(static_cast<std::size_t>(plain.total_bytes()));
        for (std::byte& byte : original) byte = static_cast<std::byte>(maker.pick(0, 255));
        const std::vector<std::byte> whole = convert(tensor, plain, original);
        const std::int64_t before = maker.pick(1, 300), behind = maker.pick(0, 300);
        const bool shares = tensor.is_local() && tensor.memory().npus > 1 && round % 2 == 1;
        const std::int64_t pieces = shares ? tensor.memory().npus : 1;
        const std::int64_t piece = std::ssize(whole) / pieces, share = before + piece + behind;
        std::vector<std::byte> dump(static_cast<std::size_t>(pieces * share));
        for (std::byte& byte : dump) byte = static_cast<std::byte>(maker.pick(0, 255));
        for (std::int64_t i = 0; i < pieces; ++i)
          std::copy_n(whole.begin() + i * piece, piece, dump.begin() + i * share + before);
        const std::vector<DumpPlace> found =
            layouts_of_bytes(plain, original, dump, {.systems = {system}, .memory = asked.memory});
        EXPECT_TRUE(std::ranges::any_of(found, [&](const DumpPlace& each) {
          const bool alike =
              each.tensor.axes == tensor.axes && same_places(each.tensor.layout, tensor.layout);
          return alike && each.begin == before;
        }));
        for (const DumpPlace& each : found) {
          Layout layout = memory_layout(each.tensor);
          if (each.npu_bytes > 0) {
            EXPECT_EQ(each.npu_bytes, share);
            layout.set_npu_bytes(share);
          }
          std::vector<std::byte> again(original.size());
          convert(memory_layout(plain), again.data(),
                  layout.permuted(plain.axes.places_in(each.tensor.axes)),
                  dump.data() + each.begin);
          EXPECT_EQ(again, original);
        }
        ++known;
      }
    }
  }
  EXPECT_GT(known, 60);
}

}  // namespace
}  // namespace tensorlane
