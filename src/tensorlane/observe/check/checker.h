// The checker: an observer that feeds the detectors from the command stream.
//
// Each command becomes the footprints of its operands, once; every detector that is switched on
// gets those. Whatever a detector finds is composed into a Finding (with source lines, operands,
// bytes) only when it is new for its place in the kernel.
#ifndef TENSORLANE_OBSERVE_CHECK_CHECKER_H_
#define TENSORLANE_OBSERVE_CHECK_CHECKER_H_

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/observe/check/aliasing.h"
#include "tensorlane/observe/check/footprint.h"
#include "tensorlane/observe/check/init_shadow.h"
#include "tensorlane/observe/check/live_tensors.h"
#include "tensorlane/observe/check/memory_bounds.h"
#include "tensorlane/observe/check/race_detector.h"
#include "tensorlane/observe/check/report.h"
#include "tensorlane/observe/check/sync_state.h"
#include "tensorlane/observe/check/writes_in_flight.h"

namespace tensorlane::check {

struct Coverage;
struct NonFinite;

// Which checks run.
struct Checks {
  bool args = false, memory = false, init = false, race = false, sync = false, coverage = false;
  bool lint = false;
  bool nan = false;     // looks at values; not part of "all"
  bool advice = false;  // lint was asked for by name: print it
};
// "race,init"; "all" is everything but nan. UserError for an unknown name.
Checks parse_checks(std::string_view text);

class Checker : public Observer {
 public:
  // `deliver` gets the findings so far after each launch that added some, and (`last`) when the
  // device ends.
  using Deliver = std::function<void(const Report& report, bool last)>;
  // `memory` is needed for the check of values (nan).
  Checker(const Chip& chip, Checks checks, Deliver deliver, const DeviceMemory* memory = nullptr);
  ~Checker() override;

  void launch_begin(const Launch& launch) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void command_begin(const Command& command) override;
  void command_end(const Command& command) override;
  void sync(SyncEvent event, std::int64_t region, const void* call_site) override;
  void pointer_taken(Space space, std::uint64_t offset, const void* call_site) override;
  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes) override;
  void allocated(std::uint64_t offset, std::uint64_t bytes) override;
  void freed(std::uint64_t offset) override;
  void refused(const Refusal& refusal) override;

 private:
  // A call that something may be said about later; its operand is described at once.
  struct Call {
    const Op* op = nullptr;
    const void* site = nullptr;
    std::string tensor;
  };
  // Why bytes hold no defined value.
  struct Hole {
    Call reader;        // who used them first, or whose work memory it was
    bool work = false;  // left behind in work memory; nobody wrote the bytes otherwise
    Space space = Space::kLocal;
    std::vector<Range> bytes;       // linear
    std::optional<Call> neighbour;  // the latest write next to them
  };
  // What a command in hand makes undefined.
  struct Pending {
    int memory;
    Range bytes;
    Mark mark;
  };
  // Marks in the shadow. Writers in global memory are not told apart, so that its intervals merge.
  static constexpr Mark kHost = 1, kKernel = 2, kFirstWriter = 3;
  static constexpr std::uint64_t kOperandsPerCommand = 8;

  void deliver(bool last);
  void check_memory(const Command& command);
  void check_aliasing(const Command& command);
  void check_races(const Command& command);
  void check_init(const Command& command);
  void check_overlap_advice(const Command& command);
  void check_layout_advice(const Command& command);
  void note_input_reads(const Command& command);
  void check_unread_input(const MemoryBounds::Block& block);
  void look_for_non_finite_sources(const Command& command);
  void look_for_non_finite_results(const Command& command);

  // The bytes of an operand with its dummy lanes.
  Footprint word_bytes(const Operand& operand);
  void read_operand(const Command& command, int at);
  void pass_on(const Command& command, int source);
  void write_operands(const Command& command);
  LiveTensors::Kind write_kind(const Command& command, int at) const;
  // The mark of undefined bytes of an operand; bytes nobody wrote get a hole record first.
  Mark hole_of(const Command& command, int at, Mark mark);
  Mark work_hole(const Command& command, int at);
  std::optional<Call> neighbour(const Footprint& bytes, Space space) const;
  bool element_wise(const Op& op);
  static int number(Space space) { return static_cast<int>(space); }
  static int number(Engine engine) { return static_cast<int>(engine) - 1; }
  static int shape_class(const Op& op, const OperandSpec& spec);
  static bool copies(const Op& op);
  static int channel_class(const Op& op, const OperandSpec& spec);
  static Call call_of(const Command& command, int at);

  // What is said; checker_findings.cc. A null command stands for the host.
  Finding finding(std::string_view id, std::string message) const;
  void report_memory(const Command& command, int at, const MemoryBounds::Finding& found);
  void report_reserved(const Command& command, int at);
  void report_leak(const MemoryBounds::Block& block);
  void report_aliasing(const Command& command, int first, int second);
  void report_race(const Race& race);
  void report_hole(Mark mark, const Command* sink, int at);
  void report_coverage(const MemoryBounds::Block& block, const Coverage& found);
  void report_sync(const SyncState::Finding& found);
  void report_pointer(const WritesInFlight::Write& write, Space space, const void* call_site);
  void report_clobber(const Command& command, int at, const LiveTensors::Problem& problem);
  void report_unread(Mark writer);
  void report_overlap_advice(const Command& first, const Command& second);
  void report_preference(const Command& command, const Violation& missed);
  void report_unread_input(const MemoryBounds::Block& block, std::span<const Range> bytes);
  void report_non_finite(const Command& command, int at, const NonFinite& found);
  void report_waste(const Command& command, int at, std::int64_t used, std::int64_t reserved);

  const Chip& chip_;
  const Checks checks_;
  const Deliver deliver_;
  const DeviceMemory* const memory_;
  Report report_;
  std::size_t looked_at_ = 0;  // findings so far at the end of the last launch
  std::size_t delivered_ = 0;  // errors and warnings that were delivered

  FootprintCache footprints_;
  std::array<Footprint, kMaxOperands> bytes_;  // of the operands of the command in hand
  MemoryBounds bounds_;
  RaceDetector races_;
  InitShadow shadow_;
  LiveTensors live_;
  SyncState sync_state_;
  WritesInFlight in_flight_;

  std::string kernel_;
  const void* region_start_ = nullptr;
  // The commands of the open region, the first `region_size_` of them; storage is reused.
  std::vector<std::unique_ptr<Command>> region_commands_;
  std::size_t region_size_ = 0;
  std::vector<Call> writer_calls_;  // by number of the writer in live_, from 1
  std::map<std::tuple<const void*, int, bool>, Mark> hole_numbers_;
  std::vector<Hole> holes_;
  std::vector<Pending> pending_;
  std::vector<Mark> found_marks_;
  std::unordered_map<const Op*, bool> element_wise_;
  std::uint64_t time_ = 0;
  bool finite_sources_ = false;  // of the command in hand

  // For advice: which global memory kernels read, and the latest reader of each allocation.
  InitShadow input_reads_{std::array{MemoryShape{}}};
  std::unordered_map<std::uint64_t, Call> input_readers_;
  // The command before, when it was serial.
  std::unique_ptr<Command> previous_;
  std::array<Footprint, kMaxOperands> previous_bytes_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_CHECKER_H_
