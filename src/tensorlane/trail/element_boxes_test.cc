#include "tensorlane/trail/element_boxes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tensorlane/layout/local.h"

namespace tensorlane::trail {
namespace {

constexpr LocalMemory kSmall{.npus = 4, .npu_bytes = 4096, .align_bytes = 128};
constexpr MemoryShape kMemories[] = {{4, 4096}, {1, 0}};
constexpr int kLocal = 0, kGlobal = 1;

using Index = std::vector<std::int64_t>;

template <class F>
void each_index(const Layout& layout, F f) {
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    Index index(static_cast<std::size_t>(layout.rank()));
    std::int64_t rest = i;
    for (int d = layout.rank() - 1; d >= 0; --d) {
      index[static_cast<std::size_t>(d)] = rest % layout.extent(d);
      rest /= layout.extent(d);
    }
    f(index);
  }
}

// Every element of the boxes; none is in two of them.
std::map<Index, Mark> elements(const std::vector<ElementBox>& boxes, const Layout& layout) {
  std::map<Index, Mark> found;
  each_index(layout, [&](const Index& index) {
    for (const ElementBox& box : boxes) {
      bool inside = true;
      for (std::size_t d = 0; d < index.size(); ++d)
        inside = inside && index[d] >= box.at[d].begin && index[d] < box.at[d].end;
      if (inside) {
        RC_ASSERT(!found.contains(index));
        found[index] = box.mark;
      }
    }
  });
  return found;
}

Layout any_layout() {
  const Shape4 shape{*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 10), *rc::gen::inRange(1, 5),
                     *rc::gen::inRange(1, 9)};
  const std::int64_t npu = *rc::gen::inRange(0, 4), start = npu * 4096;
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      return local_layout(kSmall, start, shape, aligned_stride(kSmall, npu, shape, 2),
                          Dtype::kFp16);
    case 1:
      return local_layout(kSmall, start, shape, compact_stride(kSmall, npu, shape), Dtype::kFp32);
    case 2:  // every second element, and rows apart
      return local_layout(kSmall, start, shape, {160, 40, 2 * shape.w + 1, 2}, Dtype::kInt8);
    case 3:
      return matrix_layout(kSmall, start, shape.n, shape.c * shape.h, shape.w, Dtype::kFp32);
    case 4:
      return two_ic_layout(kSmall, start, {shape.c, shape.n, shape.h, shape.w},
                           compact_stride(kSmall, npu, {shape.c, shape.n, shape.h, shape.w}),
                           Dtype::kFp32);
    case 5:
      return grouped_ic_layout(kSmall, start, shape, Dtype::kFp16);
    default:
      return system_layout(16, shape, {500, 50, *rc::gen::element(0, 10), 1}, Dtype::kInt16);
  }
}

// Written and undefined bytes at random, in pieces alike in several NPUs.
InitShadow any_shadow(int memory) {
  InitShadow shadow(kMemories);
  const int pieces = *rc::gen::inRange(0, 9);
  for (int k = 0; k < pieces; ++k) {
    const Mark mark = *rc::gen::element<Mark>(0, 0, 1, 2, kUndefinedBit | 1);
    const std::int64_t begin = *rc::gen::inRange(0, 700), bytes = *rc::gen::inRange(1, 1500);
    const int first = *rc::gen::inRange(0, 4);
    shadow.write(memory,
                 memory == kLocal
                     ? lane_footprint(4096, first, *rc::gen::inRange(1, 5 - first), begin, bytes)
                     : linear_footprint(begin, bytes),
                 mark);
  }
  return shadow;
}

RC_GTEST_PROP(UndefinedElements, AreThoseWithUndefinedBytes, ()) {
  const Layout layout = any_layout();
  const int memory = layout.space() == AddressSpace::kLocal ? kLocal : kGlobal;
  const InitShadow shadow = any_shadow(memory);
  std::map<Index, Mark> expected;
  bool whole = true;
  each_index(layout, [&](const Index& index) {
    const std::int64_t at = layout.address(index);
    shadow.visit(memory, {at, at + layout.element_units()},
                 [&](std::int64_t begin, std::int64_t end, Mark mark) {
                   if (is_defined(mark)) return true;
                   expected.emplace(index, mark);
                   whole = whole && end - begin == layout.element_units();
                   return false;
                 });
  });
  const UndefinedElements found = undefined_elements(shadow, memory, layout);
  RC_ASSERT(elements(found.boxes, layout) == expected);
  RC_ASSERT(found.whole == whole);
}

TEST(UndefinedElements, TheGapsOfManyRowsAreOneBox) {
  InitShadow shadow(kMemories);
  const Shape4 loaded{1, 9, 3, 5}, read{1, 9, 3, 8};
  shadow.write(kLocal,
               footprint(local_layout(kSmall, 4096, loaded, aligned_stride(kSmall, 1, read, 4),
                                      Dtype::kFp32)),
               3);
  const Layout layout =
      local_layout(kSmall, 4096, read, aligned_stride(kSmall, 1, read, 4), Dtype::kFp32);
  const std::vector<ElementBox> boxes = undefined_elements(shadow, kLocal, layout).boxes;
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes[0], (ElementBox{kUnwritten, {{{0, 1}, {0, 9}, {0, 3}, {5, 8}}}}));
}

RC_GTEST_PROP(BoxesOf, AreTheElementsOfAnArray, ()) {
  const std::vector<std::int64_t> extents{*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4),
                                          *rc::gen::inRange(1, 6)};
  Layout layout(Dtype::kX8);
  layout.add_dim(extents[0], {{1, extents[1] * extents[2]}})
      .add_dim(extents[1], {{1, extents[2]}})
      .add_dim(extents[2], {{1, 1}});
  const auto marks = *rc::gen::container<std::vector<Mark>>(static_cast<std::size_t>(layout.size()),
                                                            rc::gen::element<Mark>(0, 0, 1, 2));
  std::map<Index, Mark> expected;
  each_index(layout, [&](const Index& index) {
    const Mark mark = marks[static_cast<std::size_t>(layout.address(index))];
    if (mark != 0) expected[index] = mark;
  });
  RC_ASSERT(elements(boxes_of(marks, extents, 0), layout) == expected);
}

RC_GTEST_PROP(PartsOf, TouchTheBytesOfTheElements, ()) {
  const Layout layout = any_layout();
  Elements chosen;
  for (int d = 0; d < layout.rank(); ++d) {
    Indices indices;
    for (std::int64_t i = 0; i < layout.extent(d); ++i) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      if (!indices.empty() && indices.back().end == i) {
        ++indices.back().end;
      } else {
        indices.push_back({i, i + 1});
      }
    }
    chosen.at.push_back(indices);
  }
  std::map<std::int64_t, int> expected, found;
  each_index(layout, [&](const Index& index) {
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (std::ranges::none_of(chosen.at[d], [&](const Range& range) {
            return range.begin <= index[d] && index[d] < range.end;
          }))
        return;
    }
    ++expected[layout.address(index)];
  });
  for (const Layout& part : parts_of(layout, chosen))
    each_index(part, [&](const Index& index) { ++found[part.address(index)]; });
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace tensorlane::trail
