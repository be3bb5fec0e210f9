// What the results of a run rest on: which functions were exact to a model or a board, which follow
// a document, which are a choice, and whether results of a choice reached an output.
//
// Bytes that a choice made are marked, and so is what commands make of them, operand by operand: a
// result with one marked source byte counts as marked. While no choice was computed, nothing is
// tracked.
//
// Where several cores reduce floats into the same bytes, the order in which they come decides the
// last bits of sums. The emulator's is one of those that a chip may have, so that is told too.
#ifndef TENSORLANE_OBSERVE_EVIDENCE_USE_H_
#define TENSORLANE_OBSERVE_EVIDENCE_USE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "tensorlane/device/observer.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/evidence.h"
#include "tensorlane/trail/checked_command.h"
#include "tensorlane/trail/mark_map.h"

namespace tensorlane::observe {

class EvidenceUse : public Observer {
 public:
  explicit EvidenceUse(const Chip& chip);

  // {"model": [functions], "board hash": [...], "document": [...], "choice": [...],
  //  "choices_in_outputs": [functions whose results the host read or global memory holds],
  //  "order_of_cores": [functions by which several cores reduced floats into the same bytes]}
  Json json() const;
  // The same of the launch that runs, and of what global memory holds now.
  Json launch_json() const;
  // Functions by kind, in the order of the alphabet.
  const std::map<Evidence, std::set<std::string_view>>& functions() const { return functions_; }
  std::set<std::string_view> choices_in_outputs() const { return reached_; }

  void launch_begin(const Launch& launch) override;
  void command_end(const Command& command) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                   const HostCaller& caller) override;
  void host_copied(const DeviceCopy& copy, const HostCaller& caller) override;

 private:
  using Functions = std::set<std::string_view>;

  // The number of a set of functions, 1 or more; 0 for none.
  trail::Mark mark_of(const Functions& functions);
  trail::LaneMaps& memory(Space space, int core);
  Functions found(const trail::LaneMaps& memory, const trail::Footprint& bytes) const;
  Functions in_global_memory() const;
  void look_for_orders(const Command& command);

  const Chip& chip_;
  std::map<Evidence, Functions> functions_, launch_functions_;
  bool tracks_ = false;  // a choice was computed
  std::vector<Functions> sets_;
  std::map<Functions, trail::Mark> marks_;
  std::array<std::optional<trail::LaneMaps>, kSpaces> bytes_;  // local memory is that of core 0
  std::vector<trail::LaneMaps> other_cores_;                   // theirs, from core 1 on
  trail::FootprintCache footprints_;
  trail::CheckedCommand checked_;
  Functions reached_;
  int cores_ = 1;  // of the launch
  // By memory: 1 and the core that reduced into the bytes last.
  std::map<Space, trail::LaneMaps> reduced_;
  Functions orders_, launch_orders_;
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_EVIDENCE_USE_H_
