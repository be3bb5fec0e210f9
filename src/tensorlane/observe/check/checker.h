// The checker: the observer that runs the checks of check_list.h.
//
// It keeps what they share (Facts), brings every event to them in the order of the list, and
// delivers what they found.
#ifndef TENSORLANE_OBSERVE_CHECK_CHECKER_H_
#define TENSORLANE_OBSERVE_CHECK_CHECKER_H_

#include <functional>
#include <memory>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/check_list.h"
#include "tensorlane/observe/check/report.h"

namespace tensorlane::check {

class Checker : public Observer {
 public:
  // `deliver` gets the findings so far after each launch that added some, and (`last`) when the
  // device ends.
  using Deliver = std::function<void(const Report& report, bool last)>;
  // `memory` is needed for the check of values (nan).
  Checker(const Chip& chip, const Checks& checks, Deliver deliver,
          const DeviceMemory* memory = nullptr);
  ~Checker() override;

  // What was found so far; its lines may still have to be looked up (Report::complete).
  Report& report() { return report_; }

  [[gnu::hot]] void launch_begin(const Launch& launch) override;
  void launch_failed(const Failure& failure) override;
  [[gnu::hot]] void launch_end(const Launch& launch, Outcome outcome) override;
  [[gnu::hot]] void command_begin(const Command& command) override;
  [[gnu::hot]] void command_end(const Command& command) override;
  [[gnu::hot]] void sync(SyncEvent event, std::int64_t region, const void* call_site) override;
  void core_selected(int core) override;
  void message(const MessageEvent& event) override;
  void pointer_taken(Space space, std::uint64_t offset, const void* call_site) override;
  void processor_access(const ProcessorAccess& access) override;
  void arguments_exceeded(const ArgumentAccess& access) override;
  bool watches(Space space, std::uint64_t offset, std::uint64_t bytes) const override;
  void host_copied(const DeviceCopy& copy, const HostCaller&) override {
    if (facts_.history) facts_.history->host_copied(copy);
  }
  void host_waited(std::span<const std::uint64_t> except) override;
  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                   const HostCaller& caller) override;
  void allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller& caller) override;
  void freed(std::uint64_t offset, const HostCaller& caller) override;
  void stated(const Statement& statement) override;
  void discarded(std::uint64_t offset, std::uint64_t bytes) override;
  void unpipelined(const Unpipelined& loop) override { tell(&Check::unpipelined, loop); }
  void refused(const Refusal& refusal) override;
  void host_refused(const HostRefusal& refusal) override;
  void tolerated(const Tolerated& tolerated) override;

 private:
  // An event of a core, or of no core in particular.
  template <class... Parameters, class... Arguments>
  void tell(void (Check::*event)(Parameters...), const Arguments&... arguments) {
    for (Check* check : current_) (check->*event)(arguments...);
  }
  // An event of all cores.
  template <class... Parameters, class... Arguments>
  void tell_all(void (Check::*event)(Parameters...), const Arguments&... arguments) {
    for (const std::unique_ptr<Check>& check : checks_) (check.get()->*event)(arguments...);
    for (const std::unique_ptr<Check>& check : of_cores_) (check.get()->*event)(arguments...);
  }
  [[gnu::hot]] void begin_cores(int cores);
  [[gnu::hot]] void launch_done();
  void note_written();
  void deliver(bool last);

  Facts facts_;
  const Deliver deliver_;
  Report report_;
  std::uint64_t places_ = 0;       // place_generation() at the last launch
  std::size_t looked_at_ = 0;      // findings so far at the end of the last launch
  std::size_t delivered_ = 0;      // errors and warnings that were delivered
  trail::CheckedCommand command_;  // in hand
  std::vector<std::unique_ptr<Check>> checks_;
  std::vector<const CheckRow*> rows_;  // theirs
  std::vector<Check*> current_;        // those, with the ones of the core whose events are told
  // Checks that are there once per core: those of core 1, 2 ..., in the order of the list.
  std::vector<const CheckRow*> rows_of_cores_;
  std::vector<std::unique_ptr<Check>> of_cores_;
  struct OpenRegion {
    bool open = false;
    const void* start = nullptr;
  };
  std::vector<OpenRegion> regions_;  // of the cores that are not in hand
  std::span<const std::byte> arguments_;
  int cores_ = 1;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_CHECKER_H_
