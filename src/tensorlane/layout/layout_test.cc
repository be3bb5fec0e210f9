// Laws of the layout algebra, run over random layouts.
#include "tensorlane/layout/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

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

// A tensor in local memory, its NPUs often filled to the last byte.
Layout random_local_layout(std::mt19937& random) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const Dtype dtype = pick(0, 3) == 0 ? Dtype::kInt4 : Dtype::kX16;
  const Shape4 shape{pick(1, 3), pick(1, 9), pick(1, 4), 2 * pick(1, 4)};
  LocalMemory memory{pick(1, 5), 0, 16};
  const std::int64_t start = pick(0, memory.npus - 1);
  const Stride4 stride = pick(0, 1) == 0
                             ? compact_stride(memory, start, shape)
                             : aligned_stride_bits(memory, start, shape, dtype_bits(dtype));
  const std::int64_t offset = 4 * pick(0, 2);
  memory.npu_bytes =
      offset + ceil_div(shape.n * stride.n * dtype_bits(dtype), 8) + 4 * pick(0, 1) * pick(0, 2);
  return local_layout(memory, start * memory.npu_bytes + offset, shape, stride, dtype);
}

TEST(Layout, ByteRunsStayInsideTheirNpu) {
  std::mt19937 random(3);
  int full = 0;
  for (int round = 0; round < 500; ++round) {
    const Layout layout = random_local_layout(random);
    std::set<LocalAddress> expected, covered;
    for_each_index(layout, [&](const Layout::Index& index) {
      const LocalAddress at = layout.local_address(index);
      for (std::int64_t unit = 0; unit < layout.element_units(); ++unit) {
        expected.insert({at.npu, (at.offset + unit) * layout.unit_bits() / 8});
      }
    });
    LocalAddress last{-1, 0};  // where the run before ends
    const std::vector<ByteRun> runs = layout.byte_runs();
    for (const ByteRun& run : runs) {
      ASSERT_LT(last, (LocalAddress{run.npu, run.offset})) << "runs must be sorted and maximal";
      last = {run.npu, run.offset + run.bytes};
      ASSERT_LE(last.offset, layout.npu_bytes());
      full += run.bytes == layout.npu_bytes() ? 1 : 0;
      for (std::int64_t b = 0; b < run.bytes; ++b) covered.insert({run.npu, run.offset + b});
    }
    ASSERT_EQ(covered, expected);
    for (std::size_t limit = 1; limit <= runs.size(); ++limit) {
      ASSERT_EQ(layout.byte_runs(limit),
                std::vector(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(limit)));
    }
  }
  EXPECT_GT(full, 50);
}

TEST(Layout, LocalBoundsAreThoseOfTheOffsets) {
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    const Layout layout = random_local_layout(random);
    std::int64_t begin = layout.npu_units(), end = 0;
    for_each_index(layout, [&](const Layout::Index& index) {
      const std::int64_t offset = layout.local_address(index).offset;
      begin = std::min(begin, offset);
      end = std::max(end, offset + layout.element_units());
    });
    ASSERT_EQ(layout.npu_dim(), 1);
    const Layout::Bounds bounds = layout.npu_offset_bounds(), loose = layout.loose_bounds(true);
    ASSERT_EQ(bounds.begin, begin);
    ASSERT_EQ(bounds.end, end);
    ASSERT_LE(loose.begin, begin);
    ASSERT_GE(loose.end, end);
    ASSERT_LE(loose.end, layout.npu_units()) << "the NPU's own digit must not count";
  }
}

TEST(Layout, NpusOfAnotherSizeHoldTheSameOffsets) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const Layout layout = random_local_layout(random);
    Layout wider = layout;
    wider.set_npu_bytes(layout.npu_bytes() + 64);
    EXPECT_EQ(wider.npu_bytes(), layout.npu_bytes() + 64);
    for_each_index(layout, [&](const Layout::Index& index) {
      ASSERT_EQ(wider.local_address(index), layout.local_address(index));
    });
  }
}

TEST(Layout, SameAddressesMeansThatOfEveryElement) {
  std::mt19937 random(6);
  const auto same = [](const Layout& a, const Layout& b) {
    if (a.rank() != b.rank() || a.element_units() != b.element_units() ||
        a.unit_bits() != b.unit_bits()) {
      return false;
    }
    bool equal = true;
    for (int d = 0; d < a.rank(); ++d) equal = equal && a.extent(d) == b.extent(d);
    if (!equal) return false;
    for_each_index(a, [&](const Layout::Index& index) {
      equal = equal && a.address(index) == b.address(index);
    });
    return equal;
  };
  int equal = 0, different = 0;
  for (int round = 0; round < 2000; ++round) {
    const Layout a = random_layout(random);
    Layout b = a;
    const int kind = round % 5, dim = round % a.rank();
    if (kind == 1) b.set_base(a.base() + 1 + round % 7);
    if (kind == 2) b = a.slice(dim, 0, 1);
    if (kind >= 3) {  // another stride, or the same indices from another offset on
      b = Layout(a.dtype());
      for (int d = 0; d < a.rank(); ++d) {
        std::vector<Digit> digits(a.digits(d).begin(), a.digits(d).end());
        if (kind == 3 && d == dim) digits.front().stride += 1;
        b.add_dim(a.extent(d), digits, a.offset(d) + (kind == 4 && d == dim ? 1 : 0));
      }
      b.set_base(a.base());
    }
    // It may miss equal ones that are written differently, but never claims that different ones
    // are.
    if (a.same_addresses(b)) {
      ASSERT_TRUE(same(a, b));
      ASSERT_TRUE(b.same_addresses(a));
      ++equal;
    }
    if (kind == 0) {
      ASSERT_TRUE(a.same_addresses(b));
    }
    different += same(a, b) ? 0 : 1;
  }
  EXPECT_GT(equal, 400);
  EXPECT_GT(different, 800);
  // The stride of a dimension of one index says nothing; the width of an element does.
  Layout one(Dtype::kX32), other(Dtype::kX32), narrow(Dtype::kX16);
  one.add_dim(1, {{1, 64}}).add_dim(4, {{1, 4}});
  other.add_dim(1, {{1, 999}}).add_dim(4, {{1, 4}});
  narrow.add_dim(1, {{1, 64}}).add_dim(4, {{1, 4}});
  EXPECT_TRUE(one.same_addresses(other));
  EXPECT_FALSE(one.same_addresses(narrow));
}

TEST(Layout, SlicesAndPermutationsNameTheSameElements) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const Layout layout = random_layout(random);
    std::vector<int> order(static_cast<std::size_t>(layout.rank()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const Layout permuted = layout.permuted(order);
    const int dim = round % layout.rank();
    const std::int64_t first = round % layout.extent(dim);
    const Layout slice = layout.slice(dim, first, layout.extent(dim) - first);
    for_each_index(layout, [&](const Layout::Index& index) {
      Layout::Index reordered{}, shifted = index;
      for (std::size_t d = 0; d < order.size(); ++d) {
        reordered[d] = index[static_cast<std::size_t>(order[d])];
      }
      ASSERT_EQ(permuted.address(reordered), layout.address(index));
      shifted[static_cast<std::size_t>(dim)] -= first;
      if (shifted[static_cast<std::size_t>(dim)] < 0) return;
      ASSERT_EQ(slice.address(shifted), layout.address(index));
    });
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

// Where a dimension starts counts: the same strides from another NPU are other addresses.
TEST(Layout, SameAddressesNeedTheSameStart) {
  const auto from = [](std::int64_t first) {
    return Layout(Dtype::kFp32).add_dim(4, {{2, 4}, {1, 64}}, first);
  };
  for (const std::int64_t a : {0, 1, 2}) {
    for (const std::int64_t b : {0, 1, 2}) EXPECT_EQ(from(a).same_addresses(from(b)), a == b);
  }
}

}  // namespace
}  // namespace tensorlane
