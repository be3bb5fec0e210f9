// Laws of the layout algebra, run over random layouts.
#include "tensorlane/layout/layout.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tensorlane/layout/local.h"

namespace tensorlane {
namespace {

// Calls `visit(index)` for every element in logical order.
template <class F>
void for_each_index(const Layout& layout, F visit) {
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    visit(index);
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
}

// A layout with random digits whose strides nest in a random order, so that it is injective.
Layout random_layout(std::mt19937& random) {
  const Dtype dtypes[] = {Dtype::kX8, Dtype::kX16, Dtype::kX32, Dtype::kInt4};
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Layout layout(dtypes[pick(0, 3)]);
  struct Plan {
    std::vector<Digit> digits;
    std::int64_t extent, offset;
  };
  std::vector<Plan> plans(pick(1, 4));
  std::vector<Digit*> order;
  for (Plan& plan : plans) {
    plan.digits.resize(pick(1, 3));
    plan.extent = pick(1, 9);
    plan.offset = pick(0, 5);
    std::int64_t weight = 1;
    for (Digit& digit : plan.digits) {
      digit.extent = pick(1, 4);
      weight *= digit.extent;
    }
    Digit& last = plan.digits.back();
    last.extent = (plan.offset + plan.extent) / std::max<std::int64_t>(1, weight / last.extent) + 1;
  }
  for (Plan& plan : plans) {
    for (Digit& digit : plan.digits) order.push_back(&digit);
  }
  std::shuffle(order.begin(), order.end(), random);
  std::int64_t reach = layout.element_units();
  for (Digit* digit : order) {
    digit->stride = reach + pick(0, 3);
    reach = digit->stride * digit->extent;
    if (pick(0, 5) == 0) digit->stride = -digit->stride;
  }
  for (const Plan& plan : plans) layout.add_dim(plan.extent, plan.digits, plan.offset);
  layout.set_base(pick(0, 100));
  return layout;
}

TEST(Layout, AddressAndElementAtAreInverse) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const Layout layout = random_layout(random);
    std::map<std::int64_t, Layout::Index> owner;
    for_each_index(layout, [&](const Layout::Index& index) {
      const std::int64_t address = layout.address(index);
      for (std::int64_t unit = 0; unit < layout.element_units(); ++unit) {
        ASSERT_TRUE(owner.emplace(address + unit, index).second) << "two elements share a unit";
      }
    });
    ASSERT_TRUE(layout.injective());
    const Layout::Bounds bounds = layout.bounds();
    ASSERT_EQ(bounds.begin, owner.begin()->first);
    ASSERT_EQ(bounds.end, owner.rbegin()->first + 1);
    const Layout::Bounds loose = layout.loose_bounds(false);
    ASSERT_LE(loose.begin, bounds.begin);
    ASSERT_GE(loose.end, bounds.end);
    if (bounds.end - bounds.begin > 100000) continue;
    for (std::int64_t address = bounds.begin - 2; address < bounds.end + 2; ++address) {
      const auto found = layout.element_at(address);
      const auto expected = owner.find(address);
      ASSERT_EQ(found.has_value(), expected != owner.end()) << "address " << address;
      if (found) {
        ASSERT_EQ(*found, expected->second) << "address " << address;
      }
    }
  }
}

TEST(Layout, ByteRunsCoverExactlyTheElements) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const Layout layout = random_layout(random);
    std::map<std::int64_t, int> bytes;
    for_each_index(layout, [&](const Layout::Index& index) {
      for (std::int64_t unit = 0; unit < layout.element_units(); ++unit) {
        const std::int64_t bit = (layout.address(index) + unit) * layout.unit_bits();
        ++bytes[bit >> 3];
      }
    });
    std::int64_t covered = 0, last_end = bytes.begin()->first - 1;
    for (const ByteRun& run : layout.byte_runs()) {
      ASSERT_GT(run.offset, last_end) << "runs must be sorted and maximal";
      for (std::int64_t b = 0; b < run.bytes; ++b) ASSERT_EQ(bytes.count(run.offset + b), 1u);
      covered += run.bytes;
      last_end = run.offset + run.bytes;
    }
    ASSERT_EQ(covered, static_cast<std::int64_t>(bytes.size()));
  }
}

TEST(Layout, BroadcastIsNotInjectiveAndFindsTheFirstElement) {
  Layout layout(Dtype::kX32);
  layout.add_dim(3, {{1, 0}}).add_dim(4, {{1, 4}});
  EXPECT_FALSE(layout.injective());
  EXPECT_FALSE(layout.nested());
  const auto element = layout.element_at(9);
  ASSERT_TRUE(element);
  EXPECT_EQ((*element)[0], 0);
  EXPECT_EQ((*element)[1], 2);
}

TEST(Layout, InterleavedStridesAreSearched) {
  Layout layout(Dtype::kX8);  // stride 3 inside stride 2: injective but not nested
  layout.add_dim(2, {{1, 2}}).add_dim(3, {{1, 3}});
  EXPECT_TRUE(layout.injective());
  for_each_index(layout, [&](const Layout::Index& index) {
    EXPECT_EQ(layout.element_at(layout.address(index)), index);
  });
  EXPECT_FALSE(layout.element_at(1));
}

TEST(Layout, EmptyTensorHasNoBytes) {
  const LocalMemory memory{4, 1024, 128};
  const Layout layout = local_layout(memory, 0, {0, 3, 4, 5}, {32, 32, 5, 1}, Dtype::kFp32);
  EXPECT_EQ(layout.size(), 0);
  EXPECT_TRUE(layout.byte_runs().empty());
  EXPECT_FALSE(layout.element_at(0));
}

}  // namespace
}  // namespace tensorlane
