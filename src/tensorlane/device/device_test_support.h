// An ops list and an observer of the tests' own, for the toy chip: what the device does must not
// depend on the real ones.
#ifndef TENSORLANE_DEVICE_DEVICE_TEST_SUPPORT_H_
#define TENSORLANE_DEVICE_DEVICE_TEST_SUPPORT_H_

#include <fmt/format.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "tensorlane/chip/toy_chip_test_support.h"
#include "tensorlane/device/front_end.h"
#include "tensorlane/device/session.h"

namespace tensorlane::toy {

// An interface whose own chip is the toy chip; the one for kernels of another interface.
const FrontEnd& front_end();
const FrontEnd& foreign_front_end();
// What they were told to report.
std::string& reported();

// Local byte `at` becomes `value` (0..100; BDC). The first implementation declines odd values. 98
// is against a limit that is computed all the same, 96 against one that can be.
const Op& set();
// Local byte `to` becomes local byte `from` (GDMA; the HAU has another).
const Op& copy();
const Op& hau_copy();
// The product of the floats at local bytes 0 and 4 goes to byte 8 (BDC).
const Op& multiply();
// All implementations decline.
const Op& unwilling();
// Without an engine: x + 1, inside a parallel region x + 2; x may not be 13.
const Op& answer();
// Needs another chip; has no definition; is left out by the chip's table.
const Op& later();
const Op& undefined();
const Op& dropped();

// The implementation that ran last: "even", "reference".
std::string_view last_implementation();

std::vector<Arg> args(std::initializer_list<std::int64_t> values);

// Writes down what it is told, one line per event.
class Diary : public Observer {
 public:
  std::vector<std::string> lines;
  std::vector<const void*> call_sites;  // of commands and synchronisation
  std::vector<const void*> callers;     // of copies and allocations, in the host
  std::vector<std::string> messages;    // of refusals

  // Takes the lines of observers of one device together.
  explicit Diary(std::string name = "", Diary* book = nullptr)
      : name_(std::move(name)), book_(book) {}

  void launch_begin(const Launch& launch) override {
    note("launch {} {}", launch.kernel, launch.number);
  }
  void launch_end(const Launch& launch, Outcome outcome) override {
    note("end {} {}", launch.kernel, outcome == Outcome::kDone ? "done" : "failed");
  }
  void command_begin(const Command& command) override {
    note("begin {} {} region {}", command.op->name(), command.sequence, command.region);
    call_sites.push_back(command.call_site);
  }
  void command_end(const Command& command) override { note("end {}", command.op->name()); }
  void sync(SyncEvent event, std::int64_t region, const void* call_site) override {
    constexpr std::string_view kNames[] = {"initialize", "poll", "hau_poll", "start", "stop"};
    note("{} {}", kNames[static_cast<std::size_t>(event)], region);
    call_sites.push_back(call_site);
  }
  void pointer_taken(Space space, std::uint64_t offset, const void* call_site) override {
    note("pointer {} {}", space_name(space), offset);
    call_sites.push_back(call_site);
  }
  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                   const HostCaller& caller) override {
    note("host {} {} {}", access == HostAccess::kRead ? "reads" : "writes", offset, bytes);
    callers.push_back(caller.call_site);
  }
  void allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller& caller) override {
    note("allocated {} {}", offset, bytes);
    callers.push_back(caller.call_site);
  }
  void freed(std::uint64_t offset, const HostCaller& caller) override {
    note("freed {}", offset);
    callers.push_back(caller.call_site);
  }
  void refused(const Refusal& refusal) override {
    constexpr std::string_view kNames[] = {"limit", "memory", "assertion"};
    note("refused {} {}", kNames[static_cast<std::size_t>(refusal.kind)], refusal.function);
    messages.emplace_back(refusal.message);
    call_sites.push_back(refusal.call_site);
  }
  void tolerated(const Tolerated& call) override {
    note("tolerated {} {}", call.function, call.violations.size());
    call_sites.push_back(call.call_site);
  }
  void host_refused(const HostRefusal& refusal) override {
    note("host refused {}", refusal.function);
    messages.emplace_back(refusal.message);
    call_sites.push_back(refusal.call_site);
  }

 private:
  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... values) {
    (book_ != nullptr ? book_ : this)
        ->lines.push_back(name_ + fmt::format(format, std::forward<Args>(values)...));
  }
  std::string name_;
  Diary* book_;
};

// A session on a memory of its own that a diary observes.
struct Machine {
  DeviceMemory memory{chip()};
  Diary diary;
  Observer* observers[1] = {&diary};
  Session session{.chip = chip(),
                  .memory = memory,
                  .observers = observers,
                  .launch = {"kernel", 7, &chip(), {}}};

  std::byte* local() const { return memory.base(Space::kLocal); }
  int byte(std::size_t at) const { return static_cast<int>(local()[at]); }
  void issue(const Op& op, std::initializer_list<std::int64_t> values,
             const void* call_site = nullptr) {
    session.issue(op, args(values), call_site);
  }
  void order(RegionOrder::Kind kind) {
    session.region = std::make_unique<RegionQueue>(RegionOrder{kind, 1});
  }
};

}  // namespace tensorlane::toy

#endif  // TENSORLANE_DEVICE_DEVICE_TEST_SUPPORT_H_
