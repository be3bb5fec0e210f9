// Counts what a device does: launches, commands, bytes.
//
//   auto statistics = std::make_unique<Statistics>(chip);
//   const Statistics& counts = *statistics;
//   device.add_observer(std::move(statistics));
//   ... launches ...
//   counts.commands(Engine::kGdma)
//
// Read the counts while no launch runs.
#ifndef TENSORLANE_OBSERVE_STATISTICS_H_
#define TENSORLANE_OBSERVE_STATISTICS_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensorlane/device/observer.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/evidence_use.h"

namespace tensorlane::observe {

class Statistics : public Observer {
 public:
  // GDMA commands with the same source and destination memory. A fill has no source.
  struct Transfer {
    std::optional<Space> from;
    Space to;
    std::uint64_t commands;
    std::uint64_t bytes;  // written
  };
  // Launches of one kernel.
  struct Kernel {
    std::uint64_t launches = 0;
    std::uint64_t failed = 0;
    double seconds = 0;         // host time
    double thread_seconds = 0;  // processor time of the device's own thread
  };
  struct Host {
    std::uint64_t copies = 0;
    std::uint64_t bytes = 0;
  };

  explicit Statistics(const Chip& chip) : chip_(chip), evidence_(chip) {}

  std::uint64_t commands(Engine engine) const {
    return commands_[static_cast<std::size_t>(engine)];
  }
  std::uint64_t parallel_regions() const { return parallel_regions_; }
  const std::map<std::string, Kernel>& kernels() const { return kernels_; }
  // Commands by function, most frequent first.
  std::vector<std::pair<std::string_view, std::uint64_t>> functions() const;
  std::vector<Transfer> transfers() const;
  const Host& host(HostAccess access) const { return host_[static_cast<std::size_t>(access)]; }
  // Most bytes of global memory allocated at one time.
  std::uint64_t peak_allocated() const { return peak_allocated_; }
  // What the results rest on.
  const EvidenceUse& evidence() const { return evidence_; }

  Json json() const;

  void launch_begin(const Launch& launch) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void command_end(const Command& command) override;
  void sync(SyncEvent event, std::int64_t region, const void* call_site) override;
  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                   const HostCaller& caller) override;
  void host_copied(const DeviceCopy& copy, const HostCaller& caller) override;
  void allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller& caller) override;
  void freed(std::uint64_t offset, const HostCaller& caller) override;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kFill = kSpaces;  // as the source of a transfer

  const Chip& chip_;
  EvidenceUse evidence_;
  std::array<std::uint64_t, 5> commands_{};  // by Engine
  std::uint64_t parallel_regions_ = 0;
  std::map<std::string, Kernel> kernels_;
  std::unordered_map<const Op*, std::uint64_t> functions_;
  std::array<std::array<Host, kSpaces>, kSpaces + 1> moved_{};  // [from][to]
  std::array<Host, 2> host_{};                                  // by HostAccess
  std::unordered_map<std::uint64_t, std::uint64_t> blocks_;     // offset -> bytes
  std::uint64_t allocated_ = 0, peak_allocated_ = 0;
  Clock::time_point launch_start_;
  double launch_thread_start_ = 0;
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_STATISTICS_H_
