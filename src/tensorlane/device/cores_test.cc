// Launches over several cores: turns, messages, barriers, deadlocks. The laws hold in every order
// that `--cores` chooses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tensorlane/chip/toy_chip_test_support.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/device_test_support.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;
using testing::Not;
using Result = std::optional<Failure>;

constexpr int kCores = 4;

const Chip& chip_of_cores() {
  static const Chip* const chip = [] {
    auto* copy = new Chip(toy::chip());
    copy->cores = kCores;
    return copy;
  }();
  return *chip;
}

// By number, and by the throw of some dice.
std::vector<CoreOrder> orders() {
  std::vector<CoreOrder> orders = {{}};
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    orders.push_back({CoreOrder::Kind::kRandom, seed});
  return orders;
}

// Writes down the turns and messages.
class Notes : public Observer {
 public:
  explicit Notes(std::vector<std::string>& lines) : lines_(lines) {}
  void core_selected(int core) override { core_ = core; }
  void command_end(const Command& command) override {
    lines_.push_back(fmt::format("{} {} of {}", core_, command.op->name(), command.core));
  }
  void message(const MessageEvent& event) override {
    constexpr std::string_view kKinds[] = {"sends", "waited", "joins"};
    lines_.push_back(
        fmt::format("{} {} {}", core_, kKinds[static_cast<std::size_t>(event.kind)], event.slot));
  }
  void launch_failed(const Failure& failure) override { lines_.push_back(failure.message); }

 private:
  std::vector<std::string>& lines_;
  int core_ = 0;
};

struct Outcome {
  bool done = false;
  std::vector<std::string> lines;
  std::vector<int> bytes;  // of global memory
  std::string message;
};

// Runs `body` on every core; it may throw as a kernel's calls do.
Outcome launch(CoreOrder order, const std::function<void(Session&)>& body, int cores = kCores) {
  Outcome outcome;
  Device device(chip_of_cores());
  device.set_core_order(order);
  device.add_observer(std::make_unique<Notes>(outcome.lines));
  device.on_failure([&](const Failure& failure) { outcome.message = failure.message; });
  Device::Origin origin;
  origin.cores = cores;
  const std::uint64_t ticket = device.submit(
      "kernel",
      [&](Session& session) -> Result {
        try {
          body(session);
        } catch (const UserError& error) {
          return Failure{{}, {}, error.what()};
        }
        return {};
      },
      origin);
  outcome.done = device.wait(ticket);
  for (int k = 0; k < 64; ++k)
    outcome.bytes.push_back(static_cast<int>(device.memory().base(Space::kGlobal)[k]));
  return outcome;
}

void put(Session& session, int at, int value) {
  session.memory.base(Space::kGlobal)[at] = static_cast<std::byte>(value);
}
int get(Session& session, int at) {
  return static_cast<int>(session.memory.base(Space::kGlobal)[at]);
}
void set(Session& session, std::int64_t at, std::int64_t value) {
  session.issue(toy::set(), toy::args({at, value}), nullptr);
}
void send(Session& session, int slot, int waits, Engine engine = Engine::kBdc) {
  session.send_message(engine, slot, waits, "send", nullptr);
}
void wait(Session& session, int slot, int sends, Engine engine = Engine::kBdc) {
  session.wait_message(engine, slot, sends, "wait", nullptr);
}

TEST(Cores, EachIsCalledOnceWithANumberOfItsOwn) {
  for (const CoreOrder order : orders()) {
    for (int cores = 1; cores <= kCores; ++cores) {
      const Outcome outcome = launch(
          order,
          [&](Session& session) {
            EXPECT_EQ(session.cores, cores);
            put(session, session.core, get(session, session.core) + session.core + 1);
          },
          cores);
      EXPECT_TRUE(outcome.done);
      for (int k = 0; k < kCores; ++k) EXPECT_EQ(outcome.bytes[k], k < cores ? k + 1 : 0);
    }
  }
}

TEST(Cores, LocalMemoryIsEachCoresOwn) {
  for (const CoreOrder order : orders()) {
    const Outcome outcome = launch(order, [](Session& session) {
      set(session, 0, session.core * 2);
      session.sync_cores("sync", nullptr);
      session.poll(nullptr);
      put(session, session.core, static_cast<int>(session.memory.base(Space::kLocal)[0]));
    });
    EXPECT_TRUE(outcome.done) << outcome.message;
    for (int k = 0; k < kCores; ++k) EXPECT_EQ(outcome.bytes[k], k * 2);
  }
}

TEST(Cores, ABarrierComesAfterWhatAllDidBeforeIt) {
  for (const CoreOrder order : orders()) {
    const Outcome outcome = launch(order, [](Session& session) {
      for (int round = 1; round <= 3; ++round) {
        put(session, session.core, round);
        session.sync_cores("sync", nullptr);
        session.poll(nullptr);
        for (int k = 0; k < kCores; ++k) EXPECT_EQ(get(session, k), round);
        session.sync_cores("sync", nullptr);
        session.poll(nullptr);
      }
    });
    EXPECT_TRUE(outcome.done) << outcome.message;
  }
}

// What a BM1688 model of two cores runs to the end.
TEST(Cores, SendsAndWaitsEndInEveryOrderThatAModelEnds) {
  const std::function<void(Session&)> kernels[] = {
      [](Session& s) { s.core == 0 ? send(s, 3, 1) : wait(s, 3, 1); },
      [](Session& s) { s.core == 0 ? wait(s, 3, 1) : send(s, 3, 1); },
      [](Session& s) {
        send(s, 5, 2);
        wait(s, 5, 2);
      },
      [](Session& s) {
        send(s, 5, 2, s.core == 0 ? Engine::kGdma : Engine::kBdc);
        wait(s, 5, 2, s.core == 0 ? Engine::kGdma : Engine::kBdc);
      },
      [](Session& s) {
        for (const Engine engine : {Engine::kGdma, Engine::kBdc}) {
          send(s, 5, 4, engine);
          wait(s, 5, 4, engine);
        }
      },
      [](Session& s) {
        if (s.core == 0) {
          send(s, 7, 1, Engine::kGdma);
          send(s, 7, 1, Engine::kBdc);
        } else {
          wait(s, 7, 2);
        }
      },
      [](Session& s) {
        if (s.core == 0) {
          send(s, 7, 2);
        } else {
          wait(s, 7, 1, Engine::kGdma);
          wait(s, 7, 1, Engine::kBdc);
        }
      },
  };
  for (const CoreOrder order : orders()) {
    for (const auto& kernel : kernels) {
      const Outcome outcome = launch(
          order,
          [&](Session& session) {
            kernel(session);
            session.poll(nullptr);
          },
          2);
      EXPECT_TRUE(outcome.done) << outcome.message;
    }
  }
}

TEST(Cores, CommandsBehindAWaitComeAfterTheSend) {
  for (const CoreOrder order : orders()) {
    const Outcome outcome = launch(
        order,
        [](Session& session) {
          if (session.core == 0) {
            wait(session, 9, 1);
            set(session, 0, 2);
            set(session, 1, 4);
          } else {
            set(session, 0, 6);
            send(session, 9, 1);
          }
          session.poll(nullptr);
        },
        2);
    EXPECT_TRUE(outcome.done);
    EXPECT_THAT(outcome.lines, testing::ElementsAre("1 toy_set of 1", "1 sends 9", "0 waited 9",
                                                    "0 toy_set of 0", "0 toy_set of 0"));
  }
}

// The other engine of a region does not wait with the one that does.
TEST(Cores, AnEngineOfARegionGoesOnWhileAnotherWaits) {
  const Outcome outcome = launch(
      {},
      [](Session& session) {
        session.parallel_start(nullptr);
        wait(session, 9, 1, Engine::kBdc);
        set(session, 0, 2);
        send(session, 9, 1, Engine::kGdma);
        session.parallel_end(nullptr);
        session.poll(nullptr);
      },
      1);
  EXPECT_TRUE(outcome.done) << outcome.message;
  EXPECT_THAT(outcome.lines, testing::ElementsAre("0 sends 9", "0 waited 9", "0 toy_set of 0"));
}

TEST(Cores, ADeadlockSaysWhoWaitsForWhatAndWhoDidNotSend) {
  for (const CoreOrder order : orders()) {
    const Outcome outcome = launch(order, [](Session& session) {
      if (session.core == 2) return;
      if (session.core == 0) send(session, 11, 3, Engine::kGdma);
      if (session.core == 3) {
        wait(session, 12, 1);
        send(session, 11, 3);
      }
      wait(session, 11, 3);
      session.poll(nullptr);
    });
    EXPECT_FALSE(outcome.done);
    EXPECT_THAT(outcome.message, HasSubstr("no core can go on"));
    for (const char* text : {"core 0: BDC waits in wait at", "core 1: BDC waits in wait at",
                             "for message 11: 1 of 3 sends came; core 3 sends at",
                             "without a send returned: core 2; without a send so far: core 1",
                             "for message 12: 0 of 1 sends came"})
      EXPECT_THAT(outcome.message, HasSubstr(text));
    EXPECT_THAT(outcome.message, Not(HasSubstr("core 2: ")));
  }
}

TEST(Cores, AFailureOfOneEndsAll) {
  for (const CoreOrder order : orders()) {
    const Outcome outcome = launch(order, [](Session& session) {
      if (session.core == 1) user_error("core one fails");
      session.sync_cores("sync", nullptr);
      session.poll(nullptr);
    });
    EXPECT_FALSE(outcome.done);
    EXPECT_EQ(outcome.message, "core one fails");
  }
}

TEST(Cores, SlotsAndCountsHaveRanges) {
  const auto says = [](const std::function<void(Session&)>& body) {
    return launch({}, body, 1).message;
  };
  EXPECT_THAT(says([](Session& s) { send(s, 512, 1); }), HasSubstr("msg_id = 512"));
  EXPECT_THAT(says([](Session& s) { send(s, -1, 1); }), HasSubstr("0 <= msg_id <= 511"));
  EXPECT_THAT(says([](Session& s) { send(s, 1, 128); }), HasSubstr("wait_cnt = 128"));
  EXPECT_THAT(says([](Session& s) { wait(s, 1, 0); }), HasSubstr("1 <= send_cnt <= 127"));
  EXPECT_EQ(says([](Session& s) { send(s, 511, 127); }), "");
}

TEST(Cores, LaunchesOverMoreThanThereAreAreRefused) {
  Device device(chip_of_cores());
  const auto nothing = [](Session&) { return Result(); };
  Device::Origin origin;
  for (const int cores : {0, kCores + 1}) {
    origin.cores = cores;
    EXPECT_THROW(device.submit("kernel", nothing, origin), UserError);
  }
  const std::byte args[6] = {};
  origin.args = args;
  origin.cores = 4;
  EXPECT_THROW(device.submit("kernel", nothing, origin), UserError);
}

TEST(Cores, EachHasItsPartOfTheArguments) {
  Device device(chip_of_cores());
  const char args[] = {'a', 'b', 'c', 'd', 'e', 'f'};
  std::string seen;
  Device::Origin origin;
  origin.args = std::as_bytes(std::span(args));
  origin.cores = 3;
  device.wait(device.submit(
      "kernel",
      [&](Session& session) {
        for (const std::byte each : session.core_args()) seen += static_cast<char>(each);
        return Result();
      },
      origin));
  EXPECT_EQ(seen, "abcdef");
}

TEST(Cores, OrdersByName) {
  EXPECT_EQ(parse_core_order("order").kind, CoreOrder::Kind::kOrder);
  EXPECT_EQ(parse_core_order("random").seed, 1U);
  EXPECT_EQ(parse_core_order("random:17").seed, 17U);
  for (const char* wrong : {"", "late", "order:2", "random:", "random:x"})
    EXPECT_THROW(parse_core_order(wrong), UserError);
}

}  // namespace
}  // namespace tensorlane
