// The past of a device: which event wrote a byte last, and what memory held before.
//
// Events are numbered from 1 in the order in which they take effect, which is the same in every run
// of a program. The latest of them are kept with what their bytes held before, as far as a budget
// of memory allows, and can be taken back one after the other: then every byte is as it was just
// before that event, whatever was computed in place or loaded over it since. Of older events there
// is one map of last writers; a program that runs again can stop at them.
//
//   History history(chip, memory, 512 << 20);
//   history.command(command);                           // and so on, before each takes effect
//   history.last_writers(Space::kGlobal, addresses, history.next());
//   history.rewind(42);                                 // memory as it was before event 42
//   history.restore();
#ifndef TENSORLANE_TRAIL_HISTORY_H_
#define TENSORLANE_TRAIL_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/trail/event.h"
#include "tensorlane/trail/footprint.h"
#include "tensorlane/trail/writer_map.h"

namespace tensorlane::trail {

class History {
 public:
  // At most about `budget` bytes are kept to take events back; the latest event always can be.
  History(const Chip& chip, DeviceMemory& memory, std::size_t budget);

  // From here on events belong to this launch; null for none.
  void launch(std::shared_ptr<const LaunchFacts> launch) { launch_ = std::move(launch); }

  // From here on events are those of this core.
  void select_core(int core) { core_ = core; }

  // What is about to be written. Offsets are those of the memory.
  void command(const Command& command);
  void host_writes(Range global, const HostCaller& caller);
  void host_copies(const DeviceCopy& copy, const HostCaller& caller);
  void processor_writes(Space space, Range bytes, const void* call_site);
  // The processor may write these bytes from here on; what they hold now is not kept.
  void unseen_writes(Space space, Range bytes, const void* call_site);

  // The kernel's own code reads memory in this launch.
  void processor_reads() {
    if (launch_ != nullptr) read_by_processor_.insert(launch_->number);
  }
  bool processor_read(std::uint64_t launch) const { return read_by_processor_.contains(launch); }

  // The number of the event to come, and that of the oldest one that can be taken back.
  Writer next() const { return first_ + static_cast<Writer>(events_.size()); }
  Writer first_kept() const { return first_; }
  // An event that is kept, or one of the host's; null for others.
  const Event* find(Writer event) const;
  // The call that an event was, kept or not.
  struct Call {
    std::string_view function;  // empty for stores of the processor
    const void* call_site;
  };
  const Call& call(Writer event) const { return calls_[call_of_event_[event - 1]]; }

  // For each of the addresses of a memory (local memory: of the core of event `before`) the last
  // event before that one that wrote the byte;
  // kNobody where there is none. `before` is at least first_kept().
  std::vector<Writer> last_writers(Space space, std::span<const std::int64_t> addresses,
                                   Writer before);

  // The memory becomes what it was before `event`, which is kept: later events are taken back,
  // earlier ones that were taken back are done again. Until restore(), which does all of them
  // again, nothing else may change the memory. The local memory that is selected is that of the
  // event's core.
  void rewind(Writer event);
  // As it was just behind that event: the local memory is still that of its core.
  void rewind_behind(Writer event);
  void restore();
  // The bits of all that happened, but not where in the host's memory: equal in runs that do the
  // same.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  static constexpr std::size_t kHostEvents = 1 << 16;  // of those that cannot be taken back

  void add(Event event, bool keep);
  void save(Event::Write& write);
  void exchange(Event::Write& write, int core);
  int core_of(Writer event) const {
    return event >= first_ && event < next() ? events_[event - first_].core : 0;
  }
  void forget_first();
  const std::vector<Range>& runs_of(const Footprint& bytes);
  void note(std::uint64_t word);
  Footprint footprint_of(Space space, Range bytes) const;

  const Chip& chip_;
  DeviceMemory& memory_;
  const std::size_t budget_;
  int core_ = 0;
  std::size_t kept_ = 0;  // bytes
  FootprintCache footprints_;
  std::shared_ptr<const LaunchFacts> launch_;
  std::set<std::uint64_t> read_by_processor_;  // launches
  std::deque<Event> events_;
  Writer first_ = 1;                     // the number of events_.front()
  Writer rewound_to_ = 0;                // 0: memory is as it is
  WriterMap older_;                      // the last writers before event first_
  std::map<Writer, Event> host_events_;  // older ones, without what they overwrote
  // Of the footprints that were looked at, less their origins.
  std::unordered_map<std::shared_ptr<const Shape>, std::vector<Range>> runs_;
  std::vector<std::byte> scratch_;
  std::vector<Call> calls_;  // the different ones: as many as the program has lines
  std::map<std::pair<std::string_view, const void*>, std::uint32_t> call_numbers_;
  std::vector<std::uint32_t> call_of_event_;  // from event 1 on
  std::uint64_t fingerprint_ = 0;
};

// The command that an event was.
void command_of(const Event& event, const Chip& chip, Command& command);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_HISTORY_H_
