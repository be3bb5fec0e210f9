// Laws of a device: the order of launches, what its observers hear, what a host may touch, and how
// a process ends.
#include "tensorlane/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <thread>

#include "tensorlane/device/device_test_support.h"
#include "tensorlane/device/kernel_runner.h"

namespace tensorlane {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lines = std::vector<std::string>;
using Result = std::optional<Failure>;

constexpr std::uint64_t kFirst = toy::kAllocBegin;  // address of the first allocation
constexpr std::uint64_t kOffset = toy::kAllocBegin - toy::kGlobal;  // the same in the memory

// A kernel that waits for the host's word, so that what is queued behind it stays there.
class Gate {
 public:
  Device::Kernel kernel() {
    return [this](Session&) -> Result {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return open_; });
      return {};
    };
  }
  // Opens when another thread has had ample time to go on where it should wait.
  std::thread open_soon() {
    return std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::lock_guard lock(mutex_);
      open_ = true;
      changed_.notify_all();
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

Device::Kernel failing(std::string message) {
  return [message = std::move(message)](Session&) -> Result { return Failure{.message = message}; };
}
Result nothing(Session&) {
  return {};
}

TEST(Device, LaunchesRunInTheOrderOfSubmissionOnOneThread) {
  Device device(toy::chip());
  std::vector<std::uint64_t> order;
  std::vector<std::thread::id> threads;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const std::uint64_t ticket = device.submit("k", [&](Session& session) -> Result {
      order.push_back(session.launch.number);
      threads.push_back(std::this_thread::get_id());
      return {};
    });
    EXPECT_EQ(ticket, k + 1);
  }
  EXPECT_TRUE(device.wait(20));
  EXPECT_EQ(device.last_ticket(), 20u);
  for (std::uint64_t k = 0; k < 20; ++k) EXPECT_EQ(order.at(k), k);
  for (const std::thread::id thread : threads) {
    EXPECT_EQ(thread, threads[0]);
    EXPECT_NE(thread, std::this_thread::get_id());
  }
}

TEST(Device, TheSessionOfALaunchIsThatOfItsDevice) {
  Device device(toy::chip());
  device.set_implementation(ImplementationChoice::kReference);
  device.set_region_order({RegionOrder::Kind::kLate});
  device.keep_going();
  const std::byte args[] = {std::byte{1}, std::byte{2}};
  device.submit(
      "kernel",
      [&](Session& session) -> Result {
        EXPECT_EQ(&session.chip, &toy::chip());
        EXPECT_EQ(&session.memory, &device.memory());
        EXPECT_EQ(session.launch.kernel, "kernel");
        EXPECT_EQ(session.launch.chip, &toy::chip());
        EXPECT_EQ(session.launch.args.data(), args);
        EXPECT_EQ(session.launch.args.size(), 2u);
        EXPECT_EQ(session.choice, ImplementationChoice::kReference);
        EXPECT_TRUE(session.limit_policy.keep_going);
        EXPECT_FALSE(session.limit_policy.strict);
        EXPECT_NE(session.region, nullptr);
        return {};
      },
      args);
  device.drain();
}

TEST(Device, ThePolicyOfLimitsIsThatOfTheDevice) {
  for (const auto& [keep_going, strict] : {std::pair(false, false), std::pair(true, false),
                                           std::pair(false, true), std::pair(true, true)}) {
    Device device(toy::chip());
    if (keep_going) device.keep_going();
    if (strict) device.be_strict();
    LimitPolicy seen{!keep_going, !strict};
    device.submit("kernel", [&](Session& session) -> Result {
      seen = session.limit_policy;
      return {};
    });
    device.drain();
    EXPECT_EQ(seen, (LimitPolicy{keep_going, strict}));
  }
}

// Launches say whether the accesses of their kernels are heard of: where the device was asked to
// watch, and the handlers are there.
TEST(Device, ALaunchSaysWhetherAccessesAreSeen) {
  for (const bool watched : {false, true}) {
    for (const bool ready : {false, true}) {
      Device device(toy::chip());
      if (watched && ready) device.watch_processor([] { return true; });
      if (watched && !ready) device.watch_processor([] { return false; });
      std::optional<bool> seen;
      device.submit("kernel", [&](Session& session) -> Result {
        seen = session.launch.accesses_seen;
        return {};
      });
      device.drain();
      EXPECT_EQ(seen, watched && ready);
    }
  }
}

TEST(Device, WaitSaysWhetherOneOfTheLaunchesAfterFailed) {
  Device device(toy::chip());
  device.submit("a", nothing);
  device.submit("b", failing("broken"));
  device.submit("c", nothing);
  EXPECT_FALSE(device.wait(3));
  EXPECT_TRUE(device.wait(1));
  EXPECT_FALSE(device.wait(2, 1));
  EXPECT_TRUE(device.wait(3, 2));
}

// Hears of every allocation when its memory is free, and of every free when it is not.
class Ledger : public Observer {
 public:
  std::atomic<int> mistakes = 0;

  void allocated(std::uint64_t offset, std::uint64_t, const HostCaller&) override {
    mistakes += live_.insert(offset).second ? 0 : 1;
  }
  void freed(std::uint64_t offset, const HostCaller&) override {
    mistakes += live_.erase(offset) == 1 ? 0 : 1;
  }
  void launch_begin(const Launch& launch) override {
    std::uint64_t offset = 0;
    std::memcpy(&offset, launch.args.data(), sizeof offset);
    mistakes += live_.contains(offset) ? 0 : 1;
  }

 private:
  std::set<std::uint64_t> live_;
};

// Red zones take no memory: as many allocations fit, and the last of them can be used like any,
// though its address may lie behind the end of the chip's memory.
TEST(Device, WithRedZonesAllOfTheMemoryCanBeHadAndUsed) {
  const auto fill = [](Device& device) {
    std::vector<std::uint64_t> all;
    while (const auto address = device.allocate(4096)) all.push_back(*address);
    return all;
  };
  Device plain(toy::chip()), spaced(toy::chip(), 0, RedZones::kOn);
  const std::vector<std::uint64_t> all = fill(plain), apart = fill(spaced);
  ASSERT_EQ(apart.size(), all.size());
  EXPECT_EQ(apart.front(), all.front());
  EXPECT_GT(apart[1], all[1]);
  EXPECT_EQ(spaced.allocated_bytes(), plain.allocated_bytes());
  EXPECT_EQ(spaced.global_bytes(), plain.global_bytes());
  std::byte* const bytes = spaced.host_access(HostAccess::kWrite, apart.back(), 4096);
  bytes[4095] = std::byte{7};
  EXPECT_EQ(spaced.memory().find(apart.back() + 4095, 1), bytes + 4095);
  EXPECT_TRUE(spaced.chip().find(apart.back() + 4095));
  EXPECT_THROW(spaced.check_host_access(apart.front(), 4097), IllegalHostAccess);
}

// A launch knows of the asynchronous ones of other handles that nobody had waited for.
TEST(Device, LaunchesOfOtherQueuesRunBesideEachOtherUntilSomebodyWaits) {
  Device device(toy::chip());
  std::vector<std::vector<std::uint64_t>> beside;
  const Device::Kernel kernel = [&](Session& session) -> Result {
    beside.push_back(session.launch.beside);
    return {};
  };
  device.submit("a", kernel, {.asynchronous = true, .queue = 1});  // 0
  device.submit("b", kernel, {.asynchronous = true, .queue = 1});
  device.submit("c", kernel, {.asynchronous = true, .queue = 2});
  device.submit("d", kernel, {.queue = 3});  // nobody runs beside a launch that is waited for
  device.submit("e", kernel, {.queue = 1});
  device.wait(2);  // for a too, which is of its queue
  device.submit("f", kernel, {.queue = 2});
  device.submit("g", kernel, {.queue = 1});
  device.wait_for_all();
  device.submit("h", kernel, {.queue = 3});
  device.drain();
  const std::vector<std::vector<std::uint64_t>> expected{{},  {}, {0, 1}, {0, 1, 2},
                                                         {2}, {}, {2},    {}};
  EXPECT_EQ(beside, expected);
}

TEST(Device, ObserversHearOfAllocationsAndLaunchesInTheOrderInWhichTheyHappen) {
  Device device(toy::chip());
  auto* const ledger = new Ledger;
  device.add_observer(std::unique_ptr<Observer>(ledger));
  const auto work = [&] {
    for (int k = 0; k < 2000; ++k) {
      const std::uint64_t address = *device.allocate(1), offset = address - toy::kGlobal;
      device.wait(device.submit("k", nothing, std::as_bytes(std::span(&offset, 1))));
      device.free(address);
    }
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger->mistakes, 0);
}

TEST(Device, AFailureIsReportedWithItsKernelAndTheDeviceLivesOn) {
  Device device(toy::chip());
  Lines reports;
  device.on_failure(
      [&](const Failure& failure) { reports.push_back(failure.kernel + ": " + failure.message); });
  device.submit("bad", failing("broken"));
  device.submit("good", nothing);
  device.drain();
  EXPECT_EQ(reports, Lines{"bad: broken"});
  EXPECT_EQ(device.last_ticket(), 2u);
}

// The first observer hears first of the beginning and last of the end: it can measure the others.
TEST(Device, ObserversHearOfLaunchesAndOfWhatTheHostDoes) {
  toy::Diary book;
  Device device(toy::chip());
  device.add_observer(std::make_unique<toy::Diary>("1 ", &book));
  device.add_observer(std::make_unique<toy::Diary>("2 ", &book));
  device.submit("k", failing("broken"));
  device.drain();
  EXPECT_EQ(book.lines,
            (Lines{"1 launch k 0", "2 launch k 0", "2 end k failed", "1 end k failed"}));
  book.lines.clear();
  const std::uint64_t address = device.allocate(100).value();
  device.host_access(HostAccess::kWrite, address, 50, 10);
  device.host_access(HostAccess::kRead, address, 100);
  device.host_access(HostAccess::kRead, toy::kL2, 1);  // only global memory is watched
  EXPECT_TRUE(device.free(address));
  EXPECT_EQ(book.lines,
            (Lines{"1 allocated 65536 100", "2 allocated 65536 100", "1 host writes 65546 50",
                   "2 host writes 65546 50", "1 host reads 65536 100", "2 host reads 65536 100",
                   "1 freed 65536", "2 freed 65536"}));
}

TEST(Device, ObserversHearWhereTheHostDoesIt) {
  const int places[5] = {};
  Device device(toy::chip(), 1);
  auto diary = std::make_unique<toy::Diary>();
  const toy::Diary& book = *diary;
  device.add_observer(std::move(diary));
  const std::uint64_t address = device.allocate(100, {"", &places[0]}).value();
  device.host_access(HostAccess::kWrite, address, 50, 10, {"", &places[1]});
  device.free(address, {"", &places[2]});
  EXPECT_EQ(book.callers, (std::vector<const void*>{&places[0], &places[1], &places[2]}));
  const Launch* launch = nullptr;
  device.submit(
      "k",
      [&](Session& session) -> Result {
        launch = &session.launch;
        EXPECT_EQ(launch->device, 1);
        EXPECT_EQ(launch->call_site, &places[3]);
        return {};
      },
      {}, &places[3]);
  device.drain();
  EXPECT_NE(launch, nullptr);
}

TEST(Device, CommandsOfARegionLeftOpenTakeEffectBeforeTheLaunchEnds) {
  toy::Diary book;
  Device device(toy::chip());
  device.set_region_order({RegionOrder::Kind::kLate});
  device.add_observer(std::make_unique<toy::Diary>("", &book));
  device.submit("k", [](Session& session) -> Result {
    session.parallel_start(nullptr);
    session.issue(toy::copy(), toy::args({1, 0}), nullptr);
    return {};
  });
  device.drain();
  EXPECT_EQ(book.lines, (Lines{"launch k 0", "start 0", "begin toy_copy 0 region 0", "end toy_copy",
                               "end k done"}));
}

TEST(Device, HostAccessesAndFreesWaitForTheLaunchesBefore) {
  Device device(toy::chip());
  const std::uint64_t address = device.allocate(4).value();
  const auto while_queued = [&](const auto& act) {
    Gate gate;
    bool ran = false;
    device.submit("gate", gate.kernel());
    device.submit("k", [&](Session&) -> Result {
      ran = true;
      return {};
    });
    std::thread opener = gate.open_soon();
    act();
    EXPECT_TRUE(ran);
    opener.join();
  };
  while_queued([&] { device.host_access(HostAccess::kRead, address, 4); });
  while_queued([&] { device.free(address); });
  while_queued([&] { device.drain(); });
  while_queued([&] { device.finish(); });
}

TEST(Device, AllocationsAreCountedAndKnowWhereTheyWereMade) {
  Device device(toy::chip());
  const int made = 0, freed = 0;
  EXPECT_EQ(device.allocate(5000, {"allocates", &made}), kFirst);
  EXPECT_EQ(device.allocated_bytes(), 8192u);
  EXPECT_EQ(device.find_allocation(kFirst + 4999)->made_at, &made);
  EXPECT_FALSE(device.find_allocation(kFirst + 5000));
  EXPECT_TRUE(device.free(kFirst, {"frees", &freed}));
  EXPECT_FALSE(device.free(kFirst));
  EXPECT_EQ(device.allocated_bytes(), 0u);
  EXPECT_TRUE(device.find_allocation(kFirst)->freed);
  EXPECT_EQ(device.find_allocation(kFirst)->freed_at, &freed);
  EXPECT_FALSE(device.allocate(toy::kGlobalBytes));
}

// The text of the error, with the address of the allocation it names.
std::string refusal(Device& device, std::uint64_t address, std::uint64_t bytes,
                    std::uint64_t offset = 0) {
  try {
    device.host_access(HostAccess::kWrite, address, bytes, offset);
  } catch (const IllegalHostAccess& error) {
    return fmt::format("{} [{:#x}]", error.what(),
                       error.allocation() ? error.allocation()->address : 0);
  }
  return "not refused";
}

TEST(Device, TheHostReachesInsideAnAllocation) {
  Device device(toy::chip());
  device.allocate(4096);
  device.allocate(4096);
  std::byte* const global = device.memory().base(Space::kGlobal);
  EXPECT_EQ(device.host_access(HostAccess::kWrite, kFirst, 4096), global + kOffset);
  EXPECT_EQ(device.host_access(HostAccess::kWrite, kFirst + 8, 88, 4000), global + kOffset + 4008);
  EXPECT_EQ(device.host_access(HostAccess::kWrite, kFirst, 0, 4096), global + kOffset + 4096);
  EXPECT_EQ(device.host_access(HostAccess::kRead, toy::kL2 + 1, 4095),
            device.memory().base(Space::kL2) + 1);
}

TEST(Device, TheHostIsRefusedWhatItWasNotGiven) {
  Device device(toy::chip());
  toy::Diary book;
  device.add_observer(std::make_unique<toy::Diary>("", &book));
  for (int k = 0; k < 3; ++k) device.allocate(4096);
  book.lines.clear();
  constexpr std::uint64_t kSecond = kFirst + 4096;
  // Into the neighbour, by length, by offset, by an offset that wraps around.
  EXPECT_EQ(refusal(device, kSecond, 4097),
            "4097 bytes at 0x111000 + 0 end 1 bytes past the allocation of 4096 bytes at 0x111000 "
            "[0x111000]");
  EXPECT_EQ(refusal(device, kSecond, 16, 4088),
            "16 bytes at 0x111000 + 4088 end 8 bytes past the allocation of 4096 bytes at 0x111000 "
            "[0x111000]");
  EXPECT_EQ(refusal(device, kSecond, 1, 4097),
            "1 bytes at 0x111000 + 4097 begin outside the allocation of 4096 bytes at 0x111000 "
            "[0x111000]");
  EXPECT_THAT(refusal(device, kSecond, 16, ~std::uint64_t{0} - 4095), HasSubstr("begin outside"));
  EXPECT_THAT(refusal(device, kSecond + 1, ~std::uint64_t{0}, 1), HasSubstr("end"));
  EXPECT_TRUE(device.free(kSecond));
  EXPECT_EQ(refusal(device, kSecond + 4, 4),
            "0x111004 is inside the allocation of 4096 bytes at 0x111000, which was freed "
            "[0x111000]");
  EXPECT_EQ(refusal(device, toy::kGlobal, 1), "0x100000 is inside no allocation [0x0]");
  EXPECT_THAT(refusal(device, toy::kL2 + 1, 4096), HasSubstr("past L2"));
  EXPECT_THAT(refusal(device, 0, 1), HasSubstr("not inside a memory of the device"));
  EXPECT_EQ(book.lines, Lines{"freed 69632"}) << "a refused access is told as one that happened";
}

TEST(Device, ObserversHearOfRefusedCallsOfTheHost) {
  toy::Diary book;
  Device device(toy::chip());
  device.refuse({"f", "unheard"});
  auto observer = std::make_unique<toy::Diary>();
  const toy::Diary& diary = *observer;
  device.add_observer(std::move(observer));
  const int place = 0;
  device.refuse({"f", "wrong", &place});
  EXPECT_THAT(diary.lines, ElementsAre("host refused f"));
  EXPECT_THAT(diary.messages, ElementsAre("wrong"));
  EXPECT_THAT(diary.call_sites, ElementsAre(&place));
}

TEST(Device, KernelsDoNotInheritTheRoundingOfTheHost) {
  std::fesetround(FE_UPWARD);
  Device device(toy::chip());
  static int rounding;
  device.submit("k", [](Session& session) {
    return run_kernel(
        session, [](const void*) { rounding = std::fegetround(); }, nullptr);
  });
  device.drain();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(rounding, FE_TONEAREST);
}

// Says on stderr that it was let go.
class LastWords : public Observer {
 public:
  ~LastWords() override { std::fputs("observer ended\n", stderr); }
};

TEST(Device, FinishLetsTheObserversGoAndTheDeviceStaysUsable) {
  Device device(toy::chip());
  device.add_observer(std::make_unique<LastWords>());
  int launches = 0;
  const Device::Kernel count = [&](Session& session) -> Result {
    launches += session.observers.empty() ? 10 : 1;
    return {};
  };
  device.submit("k", count);
  testing::internal::CaptureStderr();
  device.finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "observer ended\n");
  EXPECT_EQ(launches, 1);
  device.submit("k", count);
  device.drain();
  EXPECT_EQ(launches, 11);
  EXPECT_TRUE(device.allocate(1));
}

// exit(7) in a kernel: the observers report, nobody who waits goes on, and 7 is the status.
TEST(DeviceDeathTest, AKernelThatExitsEndsTheProcessWithItsStatus) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto launch = [] {
    auto* const device = new Device(toy::chip());
    device->add_observer(std::make_unique<LastWords>());
    static const struct AtExit {
      Device* device;
      ~AtExit() {
        device->free(kFirst);  // what a program's own destructors may do
        device->drain();
        device->finish();
      }
    } at_exit{device};
    device->allocate(1);
    device->submit("leaves", [](Session&) -> Result { std::exit(7); });
    device->drain();
    std::_Exit(5);
  };
  for (int k = 0; k < 5; ++k) EXPECT_EXIT(launch(), testing::ExitedWithCode(7), "observer ended");
}

// The child of a fork has no device thread: it neither waits for it nor reports a second time.
TEST(DeviceDeathTest, TheChildOfAForkEndsAtOnceAndInSilence) {
  const auto fork_after_launch = [] {
    auto* const device = new Device(toy::chip());
    device->add_observer(std::make_unique<LastWords>());
    device->submit("k", nothing);
    device->drain();
    if (fork() == 0) {
      alarm(20);
      device->finish();
      std::_Exit(0);
    }
    int status = -1;
    ::wait(&status);
    std::fprintf(stderr, "child: %d;", status);
    device->finish();
    std::_Exit(0);
  };
  EXPECT_EXIT(fork_after_launch(), testing::ExitedWithCode(0), "^child: 0;observer ended\n$");
}

}  // namespace
}  // namespace tensorlane
