// Finding an element allocates nothing: kernels and observers do it millions of times.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "tensorlane/layout/layout_test_support.h"
#include "tensorlane/layout/view.h"

namespace {
thread_local long allocations = 0;
}  // namespace

// Not inlined: g++ would take the free of one operator for that of another.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// With its fellows: a sanitizer's would not go with our delete.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tensorlane {
namespace {

TEST(Allocation, AddressesOfEveryLayoutNeedNone) {
  LayoutMaker maker(31);
  std::int64_t sum = 0;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      const NamedLayout tensor = make_layout(maker.random_spec(system, info));
      const Layout& layout = tensor.layout;
      const long before = allocations;
      for_each_index(layout, [&](const Layout::Index& index) {
        sum += layout.address(index);
        EXPECT_TRUE(layout.element_at(layout.address(index)));
        if (tensor.is_local()) sum += layout.local_address(index).offset;
        if (tensor.is_image()) sum += layout.image_address(index).x;
      });
      const Layout::Bounds loose = layout.loose_bounds(tensor.is_local());
      sum += loose.end + layout.size();
      EXPECT_EQ(allocations, before) << info.name;
    }
  }
  EXPECT_NE(sum, 0);
}

TEST(Allocation, AccessThroughAViewNeedsNone) {
  const Layout layout = make_layout({.layout = "continuous", .shape = {2, 3, 4, 5}}).layout;
  std::vector<std::byte> memory(480);
  const TensorView<float> view(layout, memory);
  const long before = allocations;
  for (int i = 0; i < 5; ++i) view.set(static_cast<float>(i), 1, 2, 3, i);
  EXPECT_EQ(view(1, 2, 3, 4), 4.0F);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace tensorlane
