// A launch that can run again, under the same clock, without some of its costs: what a remedy would
// win is the difference.
//
// Each command keeps what its time is made of, and what it has to come after (dependences.h). A
// remedy takes a part of these times away, or hands the commands over in another order; several
// may be taken together. What they win together is never more than the launch takes.
#ifndef TENSORLANE_OBSERVE_TIME_RERUN_H_
#define TENSORLANE_OBSERVE_TIME_RERUN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/device/observer.h"
#include "tensorlane/observe/time/time_totals.h"
#include "tensorlane/trail/command_dependences.h"

namespace tensorlane::observe {

// A set of costs that are left out: bit k is causes[k] of time_totals.h.
using Remedies = std::uint32_t;
constexpr Remedies remedy(std::size_t cause) {
  return Remedies{1} << cause;
}

// What could be as fast as one likes, to see what bounds a launch.
enum class Free : std::uint8_t { kNothing, kGdma, kBdc, kHau, kSdma, kIssue };

// A command as it can run again.
struct RerunCommand {
  const Op* op = nullptr;
  const void* call_site = nullptr;
  Engine engine = Engine::kNone;
  bool in_region = false;
  // One command with the one before it would do: the same line, side by side, neither needs the
  // other. Then it starts with the other.
  bool joins = false;
  double joined_start_us = 0;
  CommandTime time{};
  double wide_us = 0, aligned_us = 0, least_us = 0;  // of a move, without its start
  double cheaper_us = 0;                             // 0: there is no cheaper function
  double cheaper_issue_us = 0;                       // more of it, where that is more commands
  double npus_used = 1, units_used = 1, latency_share = 0;
  // The latest command of the BDC that it comes after, for data and for room; -1: none.
  trail::CommandNumber data_bdc = -1, room_bdc = -1;
  // Likewise the moves, in Rerun::moves_: for data from `moves` on, for room from `room_moves` on.
  std::uint32_t moves = 0, room_moves = 0, moves_end = 0;
  std::int64_t loaded = 0, read = 0;  // bytes of an NPU
};

class Rerun {
 public:
  // Of a longer launch the first commands are run again.
  static constexpr std::size_t kMost = std::size_t{1} << 17;

  // What happens in turn: a command, or where `command` is -1 a synchronisation.
  struct Event {
    trail::CommandNumber command = -1;
    SyncEvent sync = SyncEvent::kPoll;
    const void* call_site = nullptr;
  };

  void clear();
  // The next command of the launch, with what it comes after.
  void add(const TimedCommand& command, const trail::Dependent& after,
           const TimingParameters& parameters);
  void sync(SyncEvent event, const void* call_site);
  // The processor may read what the engines write: it waits for them with good reason.
  void processor_reads() { processor_reads_ = true; }
  // Bytes of an NPU, and how many of them the launch touches.
  void local_memory(std::int64_t npu_bytes, std::int64_t touched);
  bool full() const { return commands_.size() >= kMost; }
  bool empty() const { return commands_.empty(); }

  // How long the launch takes without these costs; `high`: with an issue that costs what it may,
  // and an SDMA as slow as it may be.
  double total_us(Remedies without, Free free = Free::kNothing, bool high = false) const;
  // Time that both engines have work for, together: no order wins more.
  double both_us() const;
  // All time of engines and processor that these costs are: no remedy wins more.
  double most_us(Remedies without) const;
  // The line that pays most of a cost; of waiting that of the poll, without a function.
  struct Payer {
    const void* call_site = nullptr;
    const Op* op = nullptr;
  };
  Payer most_at(std::size_t cause) const;

  std::span<const RerunCommand> commands() const { return commands_; }
  std::span<const Event> events() const { return events_; }
  std::span<const trail::CommandNumber> moves(const RerunCommand& command, bool room) const;
  std::int64_t free_local_bytes() const { return npu_bytes_ - touched_; }

 private:
  double duration_us(const RerunCommand& command, Remedies without) const;
  double issue_us(const RerunCommand& command, Remedies without) const;
  double saved_us(const RerunCommand& command, Remedies without) const;
  double run_us(const std::vector<Event>& events, Remedies without, Free free, bool high) const;
  const std::vector<Event>& in_parallel() const;
  bool can_join(const TimedCommand& command, const trail::Dependent& after) const;

  std::vector<RerunCommand> commands_;
  std::vector<Event> events_;
  std::vector<trail::CommandNumber> moves_;
  // Moves that some command of the BDC comes after already, for data and for room.
  std::vector<bool> claimed_, claimed_room_;
  std::size_t group_ = 0;         // where the commands that would do as one begin
  std::int64_t group_bytes_ = 0;  // that they move
  bool processor_reads_ = false, unordered_ = false;
  std::int64_t npu_bytes_ = 0, touched_ = 0;
  double region_us_ = 0;                 // processor time of a parallel region
  mutable std::vector<Event> parallel_;  // made when first asked for
};

// The commands in another order, in parallel regions: beside each computation what the next one
// needs is moved in and what the last one made is moved out, as far as data allows. Polls stay
// where `keep_polls`. Buffers of local memory are doubled where there is room; else they stay. A
// region has the computations of as many loads one after the other as `loads` says: those of a
// part, where a part is loaded piece by piece.
std::vector<Rerun::Event> pipeline(const Rerun& launch, bool keep_polls, int loads = 1);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_RERUN_H_
