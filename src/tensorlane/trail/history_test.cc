#include "tensorlane/trail/history.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "tensorlane/chip/toy_chip_test_support.h"

namespace tensorlane::trail {
namespace {

constexpr std::int64_t kBytes = 96;  // of global memory that the events write
constexpr std::size_t kPlenty = std::numeric_limits<std::size_t>::max();

using Bytes = std::vector<std::byte>;

// A past that is kept in full: the memory and the last writer of every byte before each event.
struct Plain {
  std::vector<Bytes> memory = {};
  std::vector<std::vector<Writer>> writers = {};
};

Bytes bytes_of(const DeviceMemory& memory) {
  const std::byte* const base = memory.base(Space::kGlobal);
  return {base, base + kBytes};
}

// Writes of the host and the processor, carried out; [n - 1] of what is returned is before event n.
Plain make_events(History& history, DeviceMemory& memory, int count) {
  Plain plain;
  std::vector<Writer> writers(kBytes, kNobody);
  for (int k = 0; k < count; ++k) {
    const std::int64_t begin = *rc::gen::inRange<std::int64_t>(0, kBytes);
    const Range range{begin, *rc::gen::inRange<std::int64_t>(begin + 1, kBytes + 1)};
    plain.memory.push_back(bytes_of(memory));
    plain.writers.push_back(writers);
    const Writer event = history.next();
    if (*rc::gen::arbitrary<bool>()) {
      history.host_writes(range, {});
    } else {
      history.processor_writes(Space::kGlobal, range, nullptr);
    }
    std::memset(memory.base(Space::kGlobal) + begin, *rc::gen::inRange(0, 3),
                static_cast<std::size_t>(range.bytes()));
    std::fill(writers.begin() + begin, writers.begin() + range.end, event);
  }
  plain.memory.push_back(bytes_of(memory));
  plain.writers.push_back(writers);
  return plain;
}

std::vector<Writer> all_writers(History& history, Writer before) {
  std::vector<std::int64_t> addresses;
  for (std::int64_t at = kBytes; at-- > 0;) addresses.push_back(at);  // in whatever order
  std::vector<Writer> writers = history.last_writers(Space::kGlobal, addresses, before);
  std::ranges::reverse(writers);
  return writers;
}

RC_GTEST_PROP(History, IsThePastOfEveryByte, ()) {
  DeviceMemory memory(toy::chip());
  const bool tight = *rc::gen::arbitrary<bool>();
  History history(toy::chip(), memory, tight ? 2000 : kPlenty);
  const int count = *rc::gen::inRange(1, 16);
  const Plain plain = make_events(history, memory, count);
  RC_ASSERT(history.next() == static_cast<Writer>(count) + 1);
  RC_ASSERT(tight || history.first_kept() == 1);
  RC_ASSERT(history.first_kept() <= static_cast<Writer>(count));  // the latest one always is
  for (Writer event = history.next(); event >= history.first_kept(); --event) {
    RC_ASSERT(all_writers(history, event) == plain.writers[event - 1]);
    history.rewind(event);
    RC_ASSERT(bytes_of(memory) == plain.memory[event - 1]);
  }
  history.restore();
  RC_ASSERT(bytes_of(memory) == plain.memory.back());
  // What was taken back once can be again.
  history.rewind(history.first_kept());
  RC_ASSERT(bytes_of(memory) == plain.memory[history.first_kept() - 1]);
}

RC_GTEST_PROP(History, FingerprintsTellRunsApart, ()) {
  const std::int64_t end = *rc::gen::inRange<std::int64_t>(2, kBytes);
  const auto run = [&](std::int64_t bytes) {
    DeviceMemory memory(toy::chip());
    History history(toy::chip(), memory, kPlenty);
    history.host_writes({0, bytes}, {});
    history.host_writes({0, 4}, {});
    return history.fingerprint();
  };
  RC_ASSERT(run(end) == run(end));
  RC_ASSERT(run(end) != run(end - 1));
}

TEST(History, KeepsWhatTheHostDidBeyondTheBudget) {
  DeviceMemory memory(toy::chip());
  History history(toy::chip(), memory, 1);
  history.host_writes({0, 8}, {"bm_memcpy_s2d", nullptr});
  history.processor_writes(Space::kGlobal, {8, 16}, nullptr);
  history.processor_writes(Space::kGlobal, {16, 24}, nullptr);
  EXPECT_EQ(history.first_kept(), 3U);
  ASSERT_NE(history.find(1), nullptr);
  EXPECT_EQ(history.find(1)->caller.function, "bm_memcpy_s2d");
  EXPECT_EQ(history.find(2), nullptr);
  EXPECT_EQ(history.call(1).function, "bm_memcpy_s2d");
  EXPECT_EQ(history.call(2).function, "");
  EXPECT_NE(history.find(3), nullptr);
  EXPECT_EQ(history.find(4), nullptr) << "it is to come";
  const std::int64_t addresses[] = {0, 8, 16, 24};
  EXPECT_EQ(history.last_writers(Space::kGlobal, addresses, 4),
            (std::vector<Writer>{1, 2, 3, kNobody}));
}

// Two cores write the same bytes of their local memories.
TEST(History, BehindAnEventTheMemoryIsThatOfItsCore) {
  Chip chip = toy::chip();
  chip.cores = 2;
  DeviceMemory memory(chip);
  History history(chip, memory, kPlenty);
  const auto write = [&](int core, int value) {
    history.select_core(core);
    memory.select_core(core);
    history.processor_writes(Space::kLocal, {0, 1}, nullptr);
    memory.base(Space::kLocal)[0] = static_cast<std::byte>(value);
  };
  const auto now = [&] { return static_cast<int>(memory.base(Space::kLocal)[0]); };
  for (const int round : {0, 1}) {
    write(0, 10 + round);
    write(1, 20 + round);
  }
  const std::array<int, 4> wrote = {10, 20, 11, 21};
  for (Writer event = 4; event >= 1; --event) {
    history.rewind_behind(event);
    EXPECT_EQ(now(), wrote[event - 1]);
    history.rewind(event);
    EXPECT_EQ(now(), event < 3 ? 0 : wrote[event - 3]) << "before it, on its core";
  }
  history.restore();
  EXPECT_EQ(now(), 11) << "core 0's again";
}

}  // namespace
}  // namespace tensorlane::trail
