#include "tensorlane/device/touched_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <utility>
#include <vector>

namespace tensorlane {
namespace {

constexpr std::size_t kPageBytes = 4096,
                      kAllPages = std::size_t{3} << 16U;  // more than are asked at once

class TouchedPages : public testing::Test {
 protected:
  void SetUp() override {
    void* const mapping = mmap(nullptr, kAllPages * kPageBytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(mapping, MAP_FAILED);
    madvise(mapping, kAllPages * kPageBytes, MADV_NOHUGEPAGE);
    base_ = static_cast<std::byte*>(mapping);
  }
  void TearDown() override { munmap(base_, kAllPages * kPageBytes); }

  std::vector<std::pair<std::size_t, std::size_t>> stretches() {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    known_ =
        for_each_touched(base_, kAllPages * kPageBytes, [&](std::size_t begin, std::size_t end) {
          found.emplace_back(begin / kPageBytes, end / kPageBytes);
        });
    return found;
  }

  std::byte* base_ = nullptr;
  bool known_ = false;
};

TEST_F(TouchedPages, AreToldAsStretches) {
  EXPECT_TRUE(stretches().empty());
  if (!known_) GTEST_SKIP() << "this system does not tell";
  constexpr std::size_t kAsked = std::size_t{1} << 16U;  // a stretch goes over from one to the next
  for (const std::size_t page :
       {std::size_t{0}, std::size_t{3}, std::size_t{4}, kAsked - 1, kAsked, kAllPages - 1})
    base_[page * kPageBytes + page % kPageBytes] = std::byte{1};
  const std::vector<std::pair<std::size_t, std::size_t>> want = {
      {0, 1}, {3, 5}, {kAsked - 1, kAsked + 1}, {kAllPages - 1, kAllPages}};
  EXPECT_EQ(stretches(), want);
}

}  // namespace
}  // namespace tensorlane
