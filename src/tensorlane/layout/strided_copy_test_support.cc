#include "tensorlane/layout/strided_copy_test_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "tensorlane/base/every_target_test_support.h"

namespace tensorlane::strided_copy_test {
namespace {

using Copy = std::function<void(const Box&, std::byte*, const std::byte*, std::int64_t)>;

struct Path {
  const char* name;
  Copy copy;
};

const Path kPaths[] = {
    {"reference", copy_reference},
    {"serial",
     [](const Box& box, std::byte* dst, const std::byte* src, std::int64_t bytes) {
       strided_copy(box, dst, src, bytes, CopyThreads::kSerial);
     }},
    {"threads", [](const Box& box, std::byte* dst, const std::byte* src,
                   std::int64_t bytes) { strided_copy(box, dst, src, bytes, CopyThreads::kAuto); }},
};

}  // namespace

std::pair<std::int64_t, std::int64_t> reach(const Box& box, int k, std::int64_t bytes) {
  std::int64_t low = box.base[k], high = box.base[k] + bytes;
  for (const Loop& loop : box.nest()) {
    const std::int64_t span = (loop.extent - 1) * loop.stride[k];
    low += std::min<std::int64_t>(0, span);
    high += std::max<std::int64_t>(0, span);
  }
  return {low, high};
}

std::vector<std::byte> noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> data(size);
  for (std::byte& b : data) b = static_cast<std::byte>(random());
  return data;
}

void check(const Box& box, std::int64_t bytes) {
  const auto [dst_low, dst_high] = reach(box, 0, bytes);
  const auto [src_low, src_high] = reach(box, 1, bytes);
  const std::vector<std::byte> source = noise(static_cast<std::size_t>(src_high - src_low), 7);
  const std::vector<std::byte> before = noise(static_cast<std::size_t>(dst_high - dst_low), 8);
  const std::byte* src = source.data() - src_low;

  std::vector<std::byte> expected = before;
  std::vector<std::int64_t> at(static_cast<std::size_t>(box.rank) + 1);
  for (std::int64_t i = 0; i < box.size(); ++i) {
    std::int64_t rest = i, to = box.base[0] - dst_low, from = box.base[1] - src_low;
    for (int k = box.rank - 1; k >= 0; --k) {
      to += rest % box.loops[k].extent * box.loops[k].stride[0];
      from += rest % box.loops[k].extent * box.loops[k].stride[1];
      rest /= box.loops[k].extent;
    }
    std::copy_n(source.begin() + from, bytes, expected.begin() + to);
  }
  for (const Path& path : kPaths) {
    std::vector<std::byte> result = before;
    path.copy(box, result.data() - dst_low, src, bytes);
    ASSERT_TRUE(result == expected) << path.name << ", kernel " << copy_kernel_name(box, bytes);
  }
}

int BoxMaker::pick(int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random_);
}

void BoxMaker::set_strides(Box& box, int k, std::int64_t bytes, bool distinct, int gap_odds) {
  std::vector<int> order(static_cast<std::size_t>(box.rank));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_);
  std::int64_t step = bytes;
  for (const int i : order) {
    if (pick(0, gap_odds) == 0) step += pick(1, 9) * (pick(0, 1) ? bytes : 1);
    box.loops[i].stride[k] = step;
    step *= box.loops[i].extent;
    if (pick(0, 6) == 0) box.loops[i].stride[k] *= -1;
    if (!distinct && pick(0, 6) == 0) box.loops[i].stride[k] = 0;
  }
  box.base[k] = pick(-50, 50);
}

Box BoxMaker::make(std::int64_t bytes, int most) {
  Box box;
  const int rank = pick(0, 5);
  while (box.rank < rank) {
    const int wide = pick(0, 2);
    const int extent = wide == 0 ? pick(1, 4) : wide == 1 ? pick(1, most / 4) : pick(1, most);
    box.loops[box.rank++] = {box.size() * extent > 40000 ? 1 : extent, {}};
  }
  const int gap_odds = pick(0, 4);
  set_strides(box, 0, bytes, true, gap_odds);
  set_strides(box, 1, bytes, false, gap_odds);
  return box;
}

AlignedCopies::AlignedCopies(std::size_t size)
    : size_(size), expected_(allocate(size)), result_(allocate(size)), source_(noise(size, 3)) {}

void AlignedCopies::check(const Box& box, std::int64_t bytes) {
  std::memset(expected_.get(), 1, size_);
  copy_reference(box, expected_.get(), source_.data(), bytes);
  targets_test::on_every_target([&] {
    std::memset(result_.get(), 1, size_);
    strided_copy(box, result_.get(), source_.data(), bytes);
    EXPECT_EQ(std::memcmp(expected_.get(), result_.get(), size_), 0);
  });
}

}  // namespace tensorlane::strided_copy_test
