// Rows that indices and masks move, of every width, short and long, against their elements one by
// one. What is not written keeps a pattern.
#include "tensorlane/compute/moves/indexed_rows.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace tensorlane::indexed {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::int64_t kWidths[] = {1, 2, 4};
constexpr std::int64_t kBehind = 64;  // bytes behind a result, which nobody may touch

class IndexedRows : public testing::Test {
 protected:
  std::int64_t in(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(engine_);
  }
  // Few, or more than any buffer inside holds.
  std::int64_t some() { return in(0, 3) == 0 ? in(1025, 3000) : in(1, 40); }
  Bytes random_bytes(std::int64_t count) {
    Bytes bytes(static_cast<std::size_t>(count));
    for (std::byte& each : bytes) each = static_cast<std::byte>(in(0, 255));
    return bytes;
  }
  // `count` numbers below `end`; where there is an `other`, every third is it, or very few are.
  Bytes numbers(std::int64_t bytes, std::int64_t count, std::int64_t end, std::int64_t other = -1) {
    Bytes list(static_cast<std::size_t>(bytes * count));
    const std::int64_t rarely = in(0, 1) == 0 ? 2 : 99;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t value = other >= 0 && in(0, rarely) == 0 ? other : in(0, end - 1);
      std::memcpy(list.data() + i * bytes, &value, static_cast<std::size_t>(bytes));
    }
    return list;
  }
  static std::int64_t number(const Bytes& list, std::int64_t bytes, std::int64_t i) {
    std::int64_t value = 0;
    std::memcpy(&value, list.data() + i * bytes, static_cast<std::size_t>(bytes));
    return value;
  }
  static void copy(Bytes& to, std::int64_t at, const Bytes& from, std::int64_t begin,
                   std::int64_t bytes) {
    std::copy_n(from.begin() + begin, bytes, to.begin() + at);
  }

 private:
  std::mt19937 engine_{1};
};

TEST_F(IndexedRows, GathersAndScattersAreTheirElements) {
  for (int round = 0; round < 60; ++round) {
    for (const std::int64_t bytes : kWidths) {
      for (const std::int64_t index_bytes : kWidths) {
        const std::int64_t count = some(), places = std::min<std::int64_t>(some(), 255);
        const Bytes index = numbers(index_bytes, count, places);
        const Numbers list{index.data(), index_bytes, count};
        std::int64_t most = 0;
        for (std::int64_t i = 0; i < count; ++i)
          most = std::max(most, number(index, index_bytes, i));
        EXPECT_EQ(largest(list), most);

        const Bytes from = random_bytes(bytes * std::max(places, count));
        Bytes gathered = random_bytes(bytes * count + kBehind), want = gathered;
        for (std::int64_t i = 0; i < count; ++i)
          copy(want, i * bytes, from, number(index, index_bytes, i) * bytes, bytes);
        find_gather(bytes, index_bytes)(gathered.data(), from.data(), list);
        EXPECT_EQ(gathered, want);

        Bytes scattered = random_bytes(bytes * places + kBehind);
        want = scattered;
        for (std::int64_t i = 0; i < count; ++i)
          copy(want, number(index, index_bytes, i) * bytes, from, i * bytes, bytes);
        find_scatter(bytes, index_bytes)(scattered.data(), from.data(), list);
        EXPECT_EQ(scattered, want);
      }
    }
  }
}

TEST_F(IndexedRows, AnIndexOfAllOnesTakesOneOfTheOthers) {
  for (int round = 0; round < 60; ++round) {
    for (const std::int64_t bytes : kWidths) {
      for (const std::int64_t index_bytes : kWidths) {
        const std::int64_t count = some(), none = (std::int64_t{1} << (8 * index_bytes)) - 1;
        const Bytes index = numbers(index_bytes, count, 255, none);
        const Bytes from = random_bytes(bytes * 255), others = random_bytes(bytes * count);
        const std::int64_t step = in(0, 1) * bytes;
        Bytes result = random_bytes(bytes * count + kBehind), want = result;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t at = number(index, index_bytes, i);
          copy(want, i * bytes, at == none ? others : from, at == none ? i * step : at * bytes,
               bytes);
        }
        gather_or(bytes, result.data(), from.data(), {index.data(), index_bytes, count},
                  {others.data(), step});
        EXPECT_EQ(result, want);
      }
    }
  }
}

TEST_F(IndexedRows, LinesOfEveryLengthMove) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (std::int64_t bytes = 1; bytes <= 2200; bytes += 1 + bytes / 300) {
      const std::int64_t count = in(1, 9), step = bytes + in(0, 5), other_step = bytes + in(0, 5);
      const std::int64_t index_bytes = kWidths[in(0, 2)];
      const Bytes index = numbers(index_bytes, count, 9);
      const Numbers list{index.data(), index_bytes, count};
      const Bytes from = random_bytes(8 * other_step + bytes);
      Bytes gathered = random_bytes(8 * step + bytes), scattered = gathered;
      Bytes gather_wanted = gathered, scatter_wanted = gathered;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = number(index, index_bytes, i);
        copy(gather_wanted, i * step, from, at * other_step, bytes);
        copy(scatter_wanted, at * step, from, i * other_step, bytes);
      }
      gather_lines({gathered.data(), step, from.data(), other_step, bytes}, list);
      scatter_lines({scattered.data(), step, from.data(), other_step, bytes}, list);
      EXPECT_EQ(gathered, gather_wanted) << bytes;
      EXPECT_EQ(scattered, scatter_wanted) << bytes;
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST_F(IndexedRows, MasksKeepTheirElementsInOrder) {
  for (int round = 0; round < 60; ++round) {
    for (const std::int64_t bytes : kWidths) {
      for (const std::int64_t mask_bytes : kWidths) {
        const std::int64_t count = some();
        const Bytes mask = numbers(mask_bytes, count, 200, 0);
        const Numbers list{mask.data(), mask_bytes, count};
        const Bytes from = random_bytes(bytes * count);
        Bytes kept = random_bytes(bytes * count + kBehind), want = kept;
        Bytes positions = random_bytes(4 * count + kBehind), places_wanted = positions;
        std::int64_t taken = 0;
        for (std::int64_t i = 0; i < count; ++i) {
          if (number(mask, mask_bytes, i) == 0) continue;
          copy(want, taken * bytes, from, i * bytes, bytes);
          const auto place = static_cast<std::uint32_t>(7 + i);
          std::memcpy(places_wanted.data() + taken * 4, &place, sizeof place);
          ++taken;
        }
        EXPECT_EQ(select(kept.data(), from.data(), bytes, list), taken);
        EXPECT_EQ(kept, want);
        EXPECT_EQ(select_positions(positions.data(), 7, list), taken);
        EXPECT_EQ(positions, places_wanted);
      }
    }
  }
}

}  // namespace
}  // namespace tensorlane::indexed
