// The laws of the algebra, over 10,000 random layouts each.
#include "tensorlane/layout/algebra.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/layout_test_support.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

using Index = Layout::Index;
constexpr int kRounds = 10000;

Layout read_layout(const std::string& text) {
  return make_layout({.layout = text, .dtype = Dtype::kFp32}).layout;
}

std::vector<std::int64_t> addresses(const Layout& layout) {
  std::vector<std::int64_t> all;
  for_each_index(layout, [&](const Index& index) { all.push_back(layout.address(index)); });
  return all;
}

int digits_of(const Layout& layout) {
  int count = 0;
  for (int d = 0; d < layout.rank(); ++d) count += static_cast<int>(layout.digits(d).size());
  return count;
}

TEST(AlgebraLaws, CoalescingKeepsEveryPlaceAndIsDoneOnce) {
  LayoutMaker maker(1);
  for (int round = 0; round < kRounds; ++round) {
    const Layout layout = maker.random_layout({.broadcast = true, .swizzle = round % 4 == 0});
    SCOPED_TRACE(notation(layout));
    const Layout less = coalesced(layout);
    ASSERT_EQ(addresses(less), addresses(layout));
    ASSERT_TRUE(same_places(less, layout));
    ASSERT_LE(digits_of(less), digits_of(layout));
    ASSERT_EQ(coalesced(less), less);
  }
}

TEST(AlgebraLaws, FlatteningNumbersElementsInLogicalOrder) {
  LayoutMaker maker(2);
  int flat_ones = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Layout layout = maker.random_layout({.partial = round % 4 == 0});
    SCOPED_TRACE(notation(layout));
    try {
      const Layout flat = flattened(layout);
      ASSERT_EQ(flat.rank(), 1);
      ASSERT_EQ(addresses(flat), addresses(layout));
      ++flat_ones;
    } catch (const UserError&) {
      ASSERT_EQ(round % 4, 0);
    }
  }
  EXPECT_GT(flat_ones, kRounds * 3 / 4);
}

// Places of the whole memory, and around it: an element or none, as a list of all elements says.
TEST(AlgebraLaws, AnInverseTellsElementsFromPadding) {
  LayoutMaker maker(3);
  for (int round = 0; round < kRounds; ++round) {
    const Layout layout = maker.random_layout(
        {.most_axes = 3, .broadcast = round % 8 == 0, .swizzle = round % 3 == 0});
    SCOPED_TRACE(notation(layout));
    const Inverse inverse(layout);
    std::map<std::int64_t, Index> owners;
    for_each_index(layout,
                   [&](const Index& index) { owners.emplace(layout.address(index), index); });
    for (std::int64_t at = 0; at < owners.rbegin()->first + 12; at += 2) {
      const std::optional<Index> found = inverse.element_at(at);
      const auto owner = owners.find(at / 4 * 4);
      ASSERT_EQ(found.has_value(), owner != owners.end()) << at;
      if (!found) continue;
      ASSERT_EQ(*found, owner->second) << at;
      ASSERT_EQ(layout.element_at(at), found) << at;
    }
  }
}

TEST(AlgebraLaws, ACompositionIsOneAfterTheOther) {
  LayoutMaker maker(4);
  int composed = 0;
  for (int round = 0; composed < kRounds; ++round) {
    ASSERT_LT(round, 20 * kRounds);
    const Layout outer = maker.random_layout({.partial = false, .swizzle = round % 5 == 0});
    Layout inner = maker.random_layout({.most_axes = 3,
                                        .gaps = round % 2 == 0,
                                        .multiples = true,
                                        .partial = round % 3 == 0,
                                        .backwards = false,
                                        .broadcast = round % 7 == 0});
    inner.set_base(4 * maker.pick(0, 1));
    SCOPED_TRACE(notation(outer) + " after " + notation(inner));
    try {
      const Layout both = composition(outer, inner);
      ++composed;
      const std::vector<std::int64_t> of = addresses(outer);
      for_each_index(inner, [&](const Index& index) {
        ASSERT_EQ(both.address(index), of[static_cast<std::size_t>(inner.address(index) / 4)]);
      });
    } catch (const UserError&) {
      continue;
    }
  }
}

TEST(AlgebraLaws, CompositionIsAssociativeAndTheRowMajorLayoutIsItsOne) {
  LayoutMaker maker(5);
  int composed = 0;
  for (int round = 0; composed < kRounds; ++round) {
    ASSERT_LT(round, 40 * kRounds);
    const Layout a = maker.random_layout({.partial = false});
    std::vector<std::int64_t> shape;
    for (int d = 0; d < a.rank(); ++d) shape.push_back(a.extent(d));
    ASSERT_TRUE(same_places(composition(a, row_major_layout(shape, Dtype::kFp32)), a));
    const Layout b = maker.random_layout(
        {.most_axes = 3, .multiples = true, .partial = false, .backwards = false, .base = false});
    const Layout c = maker.random_layout({.most_axes = 2,
                                          .gaps = false,
                                          .multiples = true,
                                          .partial = false,
                                          .backwards = false,
                                          .base = false});
    try {
      const Layout left = composition(composition(a, b), c),
                   right = composition(a, composition(b, c));
      ASSERT_TRUE(same_places(left, right)) << notation(a) << notation(b) << notation(c);
      ++composed;
    } catch (const UserError&) {
      continue;
    }
  }
}

TEST(AlgebraLaws, AComplementHasWhatIsLeftOut) {
  LayoutMaker maker(6);
  int complements = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Layout layout = maker.random_layout(
        {.most_axes = 3, .multiples = true, .partial = false, .backwards = false, .base = false});
    SCOPED_TRACE(notation(layout));
    const std::int64_t span = layout.bounds().end / 4, size = span + maker.pick(0, 9);
    const Layout rest = complement(layout, size);
    ++complements;
    std::set<std::int64_t> all;
    for (const std::int64_t own : addresses(layout)) {
      for (const std::int64_t other : addresses(rest)) ASSERT_TRUE(all.insert(own + other).second);
    }
    ASSERT_GE(static_cast<std::int64_t>(all.size()), size);
    ASSERT_EQ(*all.begin(), 0);
    ASSERT_EQ(*all.rbegin(), 4 * (static_cast<std::int64_t>(all.size()) - 1));
  }
  EXPECT_EQ(complements, kRounds);
}

TEST(AlgebraLaws, TilesAreCutAndPutTogether) {
  LayoutMaker maker(7);
  for (int cut = 0; cut < kRounds;) {
    const int rank = static_cast<int>(maker.pick(1, 3));
    const LayoutMaker::Form plain{
        .most_axes = 3, .multiples = true, .partial = false, .backwards = false, .base = false};
    Layout tile = maker.random_layout(plain), grid = maker.random_layout(plain);
    while (tile.rank() != rank) tile = maker.random_layout(plain);
    while (grid.rank() != rank) grid = maker.random_layout(plain);
    SCOPED_TRACE(notation(tile) + " in " + notation(grid));
    if (digits_of(tile) + digits_of(grid) > Layout::kMaxDigits) continue;
    if (tile.size() * grid.size() > 512) continue;
    const Layout whole = tiled(tile, grid);
    const std::int64_t span = tile.bounds().end;
    for_each_index(whole, [&](const Index& index) {
      Index inside{}, over{};
      for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        inside[d] = index[d] % tile.extent(static_cast<int>(d));
        over[d] = index[d] / tile.extent(static_cast<int>(d));
      }
      ASSERT_EQ(whole.address(index), tile.address(inside) + grid.address(over) / 4 * span);
    });
    std::vector<std::int64_t> extents;
    for (int d = 0; d < rank; ++d) extents.push_back(tile.extent(d));
    const Layout apart = divided(whole, extents);
    ++cut;
    for_each_index(apart, [&](const Index& index) {
      Index joined{};
      for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
        joined[d] = index[d] * extents[d] + index[d + static_cast<std::size_t>(rank)];
      ASSERT_EQ(apart.address(index), whole.address(joined));
    });
  }
}

TEST(AlgebraLaws, AnyTileThatDividesCutsInTwo) {
  LayoutMaker maker(8);
  int cut = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Layout layout = maker.random_layout({.most_axes = 3, .swizzle = round % 4 == 0});
    std::vector<std::int64_t> tile;
    for (int d = 0; d < layout.rank(); ++d) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t k = 1; k <= layout.extent(d); ++k) {
        if (layout.extent(d) % k == 0) divisors.push_back(k);
      }
      tile.push_back(divisors[static_cast<std::size_t>(maker.pick(0, std::ssize(divisors) - 1))]);
    }
    try {
      const Layout apart = divided(layout, tile);
      ++cut;
      const auto rank = static_cast<std::size_t>(layout.rank());
      for_each_index(apart, [&](const Index& index) {
        Index joined{};
        for (std::size_t d = 0; d < rank; ++d) joined[d] = index[d] * tile[d] + index[d + rank];
        ASSERT_EQ(apart.address(index), layout.address(joined)) << notation(layout);
      });
    } catch (const UserError&) {
      continue;  // it ends inside a digit
    }
  }
  EXPECT_GT(cut, kRounds / 3);
}

TEST(AlgebraLaws, SlicesAndOrdersCommute) {
  LayoutMaker maker(9);
  for (int round = 0; round < kRounds; ++round) {
    const Layout layout = maker.random_layout({.broadcast = true, .swizzle = round % 4 == 0});
    const int axis = static_cast<int>(maker.pick(0, layout.rank() - 1));
    const std::int64_t first = maker.pick(0, layout.extent(axis) - 1);
    const std::int64_t count = maker.pick(1, layout.extent(axis) - first);
    SCOPED_TRACE(notation(layout));
    const Layout part = layout.slice(axis, first, count);
    const std::int64_t at = maker.pick(0, count - 1);
    const Layout line = fixed(part, axis, at);
    ASSERT_TRUE(same_places(line, fixed(layout, axis, first + at)));
    std::vector<int> order(static_cast<std::size_t>(layout.rank()));
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + maker.pick(0, layout.rank() - 1), order.end());
    const auto moved = static_cast<int>(std::ranges::find(order, axis) - order.begin());
    ASSERT_EQ(layout.permuted(order).slice(moved, first, count), part.permuted(order));
    for_each_index(part, [&](const Index& index) {
      Index from = index, turned{};
      from[static_cast<std::size_t>(axis)] += first;
      ASSERT_EQ(part.address(index), layout.address(from));
      for (std::size_t d = 0; d < order.size(); ++d)
        turned[d] = index[static_cast<std::size_t>(order[d])];
      ASSERT_EQ(part.permuted(order).address(turned), part.address(index));
    });
  }
}

TEST(AlgebraLaws, EqualIsWhatPutsEveryElementAtOnePlace) {
  LayoutMaker maker(10);
  int equal = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Layout a = maker.random_layout({.broadcast = true, .swizzle = round % 4 == 0});
    Layout b = coalesced(a);
    if (round % 2 == 0) {  // one stride or the base is another, which may mean nothing
      const int axis = static_cast<int>(maker.pick(0, a.rank() - 1));
      Layout other(Dtype::kFp32);
      for (int d = 0; d < a.rank(); ++d) {
        std::vector<Digit> digits(a.digits(d).begin(), a.digits(d).end());
        if (d == axis)
          digits[static_cast<std::size_t>(maker.pick(0, std::ssize(digits) - 1))].stride += 4;
        other.add_dim(a.extent(d), digits, a.offset(d));
      }
      b = other.set_base(a.base()).set_swizzle(a.swizzle());
    }
    const bool same = addresses(a) == addresses(b);
    ASSERT_EQ(same_places(a, b), same) << notation(a) << " and " << notation(b);
    equal += same;
  }
  EXPECT_GT(equal, kRounds / 2);
  EXPECT_LT(equal, kRounds * 9 / 10);
}

TEST(AlgebraLaws, TheInverseOfAFullMemoryIsALayout) {
  LayoutMaker maker(11);
  for (int round = 0; round < kRounds; ++round) {
    const Layout layout =
        maker.random_layout({.gaps = false, .partial = false, .backwards = false, .base = false});
    SCOPED_TRACE(notation(layout));
    const Layout inverse = inverse_layout(layout);
    const std::vector<std::int64_t> there = addresses(layout), back = addresses(inverse);
    for (std::size_t i = 0; i < there.size(); ++i)
      ASSERT_EQ(back[static_cast<std::size_t>(there[i] / 4)], 4 * static_cast<std::int64_t>(i));
    ASSERT_TRUE(same_places(inverse_layout(inverse), flattened(layout)));
    ASSERT_EQ(addresses(composition(inverse, layout)),
              addresses(row_major_layout({{layout.size()}}, Dtype::kFp32)));
  }
}

// Swizzled layouts are folded, bounded, counted as others are.
TEST(AlgebraLaws, ASwizzleOnlyMovesPlaces) {
  LayoutMaker maker(12);
  for (int round = 0; round < kRounds; ++round) {
    const Layout layout = maker.random_layout({.most_axes = 3, .swizzle = true});
    SCOPED_TRACE(notation(layout));
    Layout plain = layout;
    plain.set_swizzle({});
    const std::vector<std::int64_t> own = addresses(layout), before = addresses(plain);
    std::multiset<std::int64_t> folded;
    for (const Box& box : fold(layout)) {
      for (std::int64_t i = 0; i < box.size(); ++i) {
        std::int64_t rest = i, at = box.base[0];
        for (int k = box.rank - 1; k >= 0; --k) {
          const Loop& loop = box.loops[static_cast<std::size_t>(k)];
          at += rest % loop.extent * loop.stride[0];
          rest /= loop.extent;
        }
        folded.insert(at);
      }
    }
    ASSERT_EQ(folded, std::multiset<std::int64_t>(own.begin(), own.end()));
    for (std::size_t i = 0; i < own.size(); ++i) ASSERT_EQ(plain.swizzled(0), 0);
    for (std::size_t i = 0; i < own.size(); ++i) ASSERT_EQ(layout.swizzled(own[i]), before[i]);
    const auto [low, high] = std::ranges::minmax_element(own);
    const Layout::Bounds bounds = layout.bounds(), loose = layout.loose_bounds(false);
    ASSERT_EQ(bounds.begin, *low);
    ASSERT_EQ(bounds.end, *high + 4);
    ASSERT_LE(loose.begin, bounds.begin);
    ASSERT_GE(loose.end, bounds.end);
    ASSERT_TRUE(layout.injective());
  }
}

// The example of swizzles: no two elements of a column, or of a row, in one of eight banks.
TEST(Algebra, ASwizzleSpreadsColumnsOverBanks) {
  const Layout layout = read_layout("RK (8,8):(8,1) swizzle 3,0,3");
  for (std::int64_t k = 0; k < 8; ++k) {
    std::set<std::int64_t> banks;
    for (std::int64_t r = 0; r < 8; ++r) {
      const std::int64_t at = layout.address(Index{r, k}) / 4;
      EXPECT_EQ(at, 8 * r + (k ^ r));
      banks.insert(at % 8);
    }
    EXPECT_EQ(banks.size(), 8U);
  }
}

TEST(Algebra, FormulasOfInverses) {
  const auto formula = [](const std::string& text) {
    const NamedLayout tensor = make_layout({.layout = text, .dtype = Dtype::kFp32});
    return Inverse(tensor.layout).text(tensor.axes);
  };
  EXPECT_EQ(formula("NCHW (2,3,4,5):(60,20,5,1)"),
            "n = p / 60, c = p / 20 % 3, h = p / 5 % 4, w = p % 5");
  EXPECT_EQ(formula("RK (4,8):(1,5)"), "row = p % 5, col = p / 5; no element where p % 5 > 3");
  EXPECT_EQ(formula("RK (2,20 of (16,2)):(32,(1,16))"),
            "row = p / 32, col = 16 * (p / 16 % 2) + p % 16; no element where col > 19");
}

TEST(Algebra, WhatIsNoLayoutSaysWhy) {
  const auto error = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const UserError& thrown) {
      return thrown.what();
    }
    return "accepted";
  };
  EXPECT_NE(error([] {
              composition(read_layout("(2,3):(3,1)"), read_layout("6:2"));
            }).find("has 6 elements"),
            std::string::npos);
  EXPECT_NE(error([] {
              composition(read_layout("(4,6):(1,8)"), read_layout("(2,2):(12,4)"));
            }).find("do not divide"),
            std::string::npos);
  EXPECT_NE(error([] { complement(read_layout("(2,2):(3,4)"), 20); }).find("no multiple"),
            std::string::npos);
  EXPECT_NE(error([] { inverse_layout(read_layout("(4,8):(1,5)")); }).find("without an element"),
            std::string::npos);
  EXPECT_NE(error([] {
              divided(read_layout("(4,9 of (4,3)):(12,(1,4))"), std::vector<std::int64_t>{2, 2});
            }).find("does not divide axis 1"),
            std::string::npos);
}

}  // namespace
}  // namespace tensorlane
