// Elements of random frames, gathered and scattered by vectors of every instruction set, against
// their places one by one.
#include "tensorlane/compute/rows/row_parts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "tensorlane/compute/rows/unsteady_order.h"

namespace tensorlane {
namespace {

class Numbers {
 public:
  std::int64_t in(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(engine_);
  }

 private:
  std::mt19937 engine_{1};
};

// A frame without pointers whose elements lie anywhere, the rows of packed words among them.
Row random_frame(Numbers& random, std::int64_t bytes) {
  Row frame{};
  frame.count = random.in(0, 1) == 0 ? random.in(1, 4) : random.in(1, 150);
  frame.rows = random.in(1, 70);
  frame.blocks = random.in(1, 4);
  frame.dst_step = bytes * (random.in(0, 1) == 0 ? 1 : random.in(1, 5));
  frame.dst_next =
      frame.count * frame.dst_step + bytes * (random.in(0, 1) == 0 ? 0 : random.in(0, 9));
  frame.dst_block = frame.rows * frame.dst_next + bytes * random.in(0, 3);
  if (random.in(0, 3) == 0) {  // words, and within them elements of several rows
    frame.dst_step = 4;
    frame.dst_next = 4 * frame.count;
    frame.dst_block = 4 * frame.count * frame.rows;
  }
  return frame;
}

template <class F>
void each_place(const Row& frame, const F& f) {
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      for (std::int64_t i = 0; i < frame.count; ++i)
        f(b * frame.dst_block + r * frame.dst_next + i * frame.dst_step);
    }
  }
}

void compare(const Row& frame, std::int64_t bytes) {
  const Places places = Places::of_result(frame);
  const std::int64_t last = (frame.blocks - 1) * frame.dst_block +
                            (frame.rows - 1) * frame.dst_next + (frame.count - 1) * frame.dst_step;
  // No byte behind the last element, so that sanitizers see who goes there.
  std::vector<std::byte> memory(static_cast<std::size_t>(last + bytes));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 37 % 251);
  const std::int64_t dense_bytes = elements_of(frame) * bytes;
  std::vector<std::byte> dense(static_cast<std::size_t>(dense_bytes + kGatherSlack));
  gather_elements(frame, memory.data(), places, bytes, dense.data());
  std::int64_t at = 0;
  const auto width = static_cast<std::size_t>(bytes);
  each_place(frame, [&](std::int64_t place) {
    ASSERT_EQ(std::memcmp(dense.data() + at, memory.data() + place, width), 0) << at;
    at += bytes;
  });

  std::vector<std::byte> scattered(memory.size(), std::byte{0xaa}), expected = scattered;
  scatter_elements(frame, dense.data(), scattered.data(), places, bytes);
  at = 0;
  each_place(frame, [&](std::int64_t place) {
    std::memcpy(expected.data() + place, dense.data() + at, width);
    at += bytes;
  });
  ASSERT_EQ(scattered, expected);  // and what lies between stays
}

TEST(RowParts, GatherAndScatterWhatTheFrameNames) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    Numbers random;
    for (int k = 0; k < 1000; ++k) {
      const std::int64_t bytes = std::int64_t{1} << random.in(0, 2);
      const Row frame = random_frame(random, bytes);
      SCOPED_TRACE(fmt::format("{} x {} x {} of {} bytes, {} {} {} apart", frame.blocks, frame.rows,
                               frame.count, bytes, frame.dst_block, frame.dst_next,
                               frame.dst_step));
      ASSERT_NO_FATAL_FAILURE(compare(frame, bytes));
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Runs shorter than a vector, and some longer, with every gap behind them that loops tell apart.
TEST(RowParts, GatherAndScatterRunsOfEveryLength) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const std::int64_t bytes : {1, 2, 4}) {
      for (std::int64_t count = 1; count * bytes <= 140; ++count) {
        for (const std::int64_t gap : {0, 1, 2, 3, 4}) {
          SCOPED_TRACE(fmt::format("{} of {} bytes, {} elements between", count, bytes, gap));
          Row frame{};
          frame.count = count;
          frame.rows = 5;
          frame.blocks = 2;
          frame.dst_step = bytes;
          frame.dst_next = (count + gap) * bytes;
          frame.dst_block = frame.rows * frame.dst_next + bytes;
          ASSERT_NO_FATAL_FAILURE(compare(frame, bytes));
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(RowParts, TakeEveryElementOnceInOrder) {
  Numbers random;
  for (int k = 0; k < 1000; ++k) {
    Row frame = random_frame(random, 2);
    const std::int64_t most = random.in(1, 300);
    std::vector<std::int64_t> places, expected;
    each_place(frame, [&](std::int64_t place) { expected.push_back(place); });
    std::byte* const origin = frame.dst;
    each_part(frame, most, [&](const Row& part) {
      ASSERT_LE(elements_of(part), most);
      each_place(part, [&](std::int64_t place) { places.push_back(part.dst - origin + place); });
    });
    ASSERT_EQ(places, expected);
  }
}

// What several threads may write word by word has one element to a word.
TEST(RowParts, ElementsThatOwnTheirWordsNeverMeetInOne) {
  Numbers random;
  int owned = 0, met = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::int64_t steps[] = {random.in(-24, 24), random.in(-24, 24)};
    const std::int64_t first = 512 + random.in(0, 3), count = random.in(1, 6);
    std::set<std::int64_t> elements, words;
    for (std::int64_t i = 0; i < 9 * count; ++i) {
      const std::int64_t at = first + i % 3 * steps[0] + i / 3 % 3 * steps[1] + i / 9 * 4;
      elements.insert(at);
      words.insert(at / 4);
    }
    const bool same_element = std::ssize(elements) < 9 * count;
    const bool same_word = words.size() < elements.size();
    if (same_element) continue;  // no destination is so
    const bool own = own_their_words(steps);
    EXPECT_FALSE(own && same_word) << steps[0] << " " << steps[1] << " " << count;
    owned += own ? 1 : 0;
    met += same_word ? 1 : 0;
  }
  EXPECT_GT(owned, 20);
  EXPECT_GT(met, 500);
}

constexpr unsigned kMostPieces = 64;
using ManyPieces = UnsteadyPieces<kMostPieces>;

// Any number of rows, in pieces of any size: each piece once, the last one with the rows' end.
TEST(UnsteadyPieces, CoverAllRows) {
  for (const std::int64_t size : {1, 2, 4, 7, 16}) {
    for (std::int64_t rows = size; rows <= kMostPieces * size; ++rows) {
      const ManyPieces pieces(rows, size);
      const std::set<std::int64_t> first(pieces.begin(), pieces.end());
      std::set<std::int64_t> want;
      for (std::int64_t row = 0; row < rows; row += size) want.insert(std::min(row, rows - size));
      EXPECT_EQ(first, want);
      EXPECT_EQ(pieces.end() - pieces.begin(), std::ssize(want));
    }
  }
}

// Of five and more, no three are equally far apart.
TEST(UnsteadyPieces, HaveNoSteadyStep) {
  for (const std::int64_t count : {5, 8, 16, 32, 64}) {
    const ManyPieces pieces(count, 1);
    const std::vector<std::int64_t> order(pieces.begin(), pieces.end());
    for (std::size_t k = 2; k < order.size(); ++k)
      EXPECT_NE(order[k] - order[k - 1], order[k - 1] - order[k - 2]) << count << ", " << k;
  }
}

}  // namespace
}  // namespace tensorlane
