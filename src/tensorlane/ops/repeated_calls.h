// Decoding of calls that a kernel repeats.
//
// Kernels call device functions in loops: from the same place come the same arguments, or others in
// a few of them, as addresses go back and forth or move on. The last calls from each place are kept
// as commands. The same call again is that command; of another one, limits and operands are found
// out anew where they name an argument that changed (or the parallel region, where the next call is
// inside and the one before was not). What breaks a limit that is tolerated is known as well, with
// what was said of it; the call that takes its place is decoded in full. The place only says where
// to look: which entry is called, on which chip and under which policy is compared as well.
#ifndef TENSORLANE_OPS_REPEATED_CALLS_H_
#define TENSORLANE_OPS_REPEATED_CALLS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

class RepeatedCalls {
 public:
  // As decode(); `tolerated` gets the limits that are broken where the call has a meaning all the
  // same. Of the command it leaves sequence, region, call site and calls to the caller. What is
  // returned holds until the next call from any place.
  Command& decode(const Op& op, std::span<const Arg> args, const Chip& chip,
                  bool in_parallel_region, const LimitPolicy& policy, const void* call_site,
                  std::vector<Violation>& tolerated);

 private:
  static constexpr std::size_t kPlaces = 256, kCallsOfPlace = 4;
  struct Known {
    Command command;
    bool in_parallel_region = false;
    LimitPolicy policy;
    bool is_decoded = false;
    std::vector<Violation> tolerated;
    std::uint64_t used = 0;  // the time of the last call
  };
  using Place = std::array<std::unique_ptr<Known>, kCallsOfPlace>;
  Place& place(const void* call_site);

  std::vector<Place> places_;  // by a hash of the call site
  std::uint64_t time_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_REPEATED_CALLS_H_
