// Dependences of commands of real functions, against what a table of every byte says.
#include "tensorlane/trail/command_dependences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::trail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kDdr = 0x105100000;

// Who wrote and who read each byte since it was written, and what follows for every command.
class ByteTable : public Observer {
 public:
  void command_begin(const Command& command) override {
    all.push_back(dependences_.add(command));
    const auto now = static_cast<CommandNumber>(all.size()) - 1;
    Dependent want;
    each_byte(command, [&](const Operand& operand, const Key& byte) {
      const Byte& state = bytes_[byte];
      std::vector<CommandNumber>& after = operand.space == Space::kLocal ? want.room : want.data;
      if (operand.reads() && state.writer >= 0) want.data.push_back(state.writer);
      if (!operand.writes()) return;
      if (state.writer >= 0) after.push_back(state.writer);
      after.insert(after.end(), state.readers.begin(), state.readers.end());
    });
    each_byte(command, [&](const Operand& operand, const Key& byte) {
      Byte& state = bytes_[byte];
      if (operand.writes()) state = {now, {}};
    });
    each_byte(command, [&](const Operand& operand, const Key& byte) {
      if (operand.reads()) bytes_[byte].readers.insert(now);
    });
    wanted.push_back(want);
  }

  struct Told {
    std::vector<Dependent> all, wanted;
  };
  std::vector<Dependent> all, wanted;

 private:
  using Key = std::tuple<Space, std::int64_t, std::int64_t>;
  struct Byte {
    CommandNumber writer = -1;
    std::set<CommandNumber> readers = {};
  };
  template <class F>
  void each_byte(const Command& command, F f) {
    for (const Operand& operand : command.operands()) {
      for (const ByteRun& run : operand.layout.byte_runs()) {
        for (std::int64_t k = 0; k < run.bytes; ++k)
          f(operand, Key{operand.space, run.npu, run.offset + k});
      }
    }
  }

  Dependences dependences_;
  std::map<Key, Byte> bytes_;
};

ByteTable::Told run(KernelFunction kernel) {
  ByteTable table;
  Observer* const observers[] = {&table};
  DeviceMemory memory(bm1684());
  Session session{.chip = bm1684(),
                  .memory = memory,
                  .observers = observers,
                  .launch = {"kernel", 0, &bm1684(), {}},
                  .choice = ImplementationChoice::kNone};
  const auto failure = run_kernel(session, kernel, nullptr);
  EXPECT_FALSE(failure.has_value()) << failure->message;
  return {table.all, table.wanted};
}

constexpr dim4 kTile = {1, 64, 1, 32};

TEST(Dependences, AreThoseOfALoopOverParts) {
  const ByteTable::Told table = run([](const void*) {
    for (unsigned k = 0; k < 2; ++k) {
      okk_gdma_32bit_cpy_S2L(0, kDdr + 0x10000 * k, &kTile, nullptr, nullptr);
      okk_bdc_neg(0x1000, 0, &kTile, nullptr, nullptr);
      okk_gdma_32bit_cpy_L2S(kDdr + 0x80000 + 0x10000 * k, 0x1000, &kTile, nullptr, nullptr);
    }
  });
  EXPECT_THAT(table.all[0].data, IsEmpty());
  EXPECT_EQ(table.all[0].loaded, 128);
  EXPECT_THAT(table.all[1].data, ElementsAre(0));
  EXPECT_THAT(table.all[2].data, ElementsAre(1));
  EXPECT_EQ(table.all[2].read, 128);
  // Another buffer would set the second part free.
  EXPECT_THAT(table.all[3].data, IsEmpty());
  EXPECT_THAT(table.all[3].room, ElementsAre(0, 1));
  EXPECT_THAT(table.all[4].data, ElementsAre(3));
  EXPECT_THAT(table.all[4].room, ElementsAre(1, 2));
}

TEST(Dependences, RowsBetweenOthersAreFree) {
  const ByteTable::Told table = run([](const void*) {
    const dim4 rows = {1, 1, 8, 4}, apart = {64, 64, 8, 1};
    okk_gdma_32bit_cpy_L2S(kDdr, 0, &rows, &apart, nullptr);
    okk_gdma_32bit_cpy_S2L(0x1000, kDdr + 16, &rows, nullptr, &apart);
    okk_gdma_32bit_cpy_S2L(0x1000, kDdr + 12, &rows, nullptr, &apart);
  });
  EXPECT_THAT(table.all[1].data, IsEmpty());
  EXPECT_THAT(table.all[2].data, ElementsAre(0));
}

unsigned seed;
void any_commands(const void*) {
  std::mt19937 random(seed);
  const auto at = [&](unsigned below) { return static_cast<int>(random() % below); };
  for (int k = 0; k < 40; ++k) {
    const dim4 shape = {1, 1 + at(70), 1 + at(3), 1 + at(12)};
    const int w = 1, h = shape.w * w + at(4), c = shape.h * h + 32 * at(2);
    const dim4 apart = {shape.c * c, c, h, w};
    const auto local = [&] { return static_cast<local_addr_t>(128 * at(6)); };
    const system_addr_t ddr = kDdr + 64 * static_cast<unsigned>(at(40));
    switch (at(4)) {
      case 0:
        okk_gdma_32bit_cpy_S2L(local(), ddr, &shape, nullptr, at(2) != 0 ? &apart : nullptr);
        break;
      case 1:
        okk_gdma_32bit_cpy_L2S(ddr, local(), &shape, at(2) != 0 ? &apart : nullptr, nullptr);
        break;
      case 2:
        okk_bdc_neg(local(), local(), &shape, nullptr, nullptr);
        break;
      default:
        okk_bdc_mac(local(), local(), local(), &shape, nullptr, nullptr, nullptr);
    }
  }
}

// Whatever a byte says is there, directly or by way of others: of data by way of data alone.
TEST(Dependences, AreThoseOfEveryByte) {
  for (seed = 0; seed < 60; ++seed) {
    const ByteTable::Told table = run(any_commands);
    std::vector<std::set<CommandNumber>> by_data(table.all.size()), by_any(table.all.size());
    for (std::size_t k = 0; k < table.all.size(); ++k) {
      const auto reach = [&](std::vector<std::set<CommandNumber>>& before,
                             const std::vector<CommandNumber>& numbers) {
        for (const CommandNumber number : numbers) {
          const auto& others = before[static_cast<std::size_t>(number)];
          before[k].insert(others.begin(), others.end());
          before[k].insert(number);
        }
      };
      reach(by_data, table.all[k].data);
      reach(by_any, table.all[k].data);
      reach(by_any, table.all[k].room);
      for (const CommandNumber number : table.wanted[k].data)
        EXPECT_TRUE(by_data[k].contains(number)) << seed << ": " << k << " needs " << number;
      for (const CommandNumber number : table.wanted[k].room)
        EXPECT_TRUE(by_any[k].contains(number)) << seed << ": " << k << " comes after " << number;
    }
  }
}

}  // namespace
}  // namespace tensorlane::trail
