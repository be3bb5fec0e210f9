// Calls whose results lie on their sources, in place or partly: every implementation that takes one
// gives the reference's bits, whatever threads do when.
#ifndef TENSORLANE_DEVICE_OVERLAPPING_CALLS_TEST_SUPPORT_H_
#define TENSORLANE_DEVICE_OVERLAPPING_CALLS_TEST_SUPPORT_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

class OverlappingCalls {
 public:
  using Random = std::mt19937;
  // Arguments of a legal call; nothing where none came out.
  using Draw = std::function<std::optional<std::vector<Arg>>(const Op&, Random&)>;
  // Gives an operand elements; `memory` is where its memory begins.
  using Fill = std::function<void(const Operand&, std::byte* memory, Random&)>;

  OverlappingCalls(const Chip& chip, Draw draw, Fill fill)
      : chip_(chip), memory_(chip), draw_(std::move(draw)), fill_(std::move(fill)) {}

  // Draws calls of `op` and moves a result of each onto one of its sources, until a legal one
  // overlaps; compares what the implementations make of it on 1 to 8 threads, and on one that works
  // in other orders. False where none of so many draws did.
  bool compare(const Op& op, int draws);

 private:
  using Picture = std::vector<std::byte>;  // the bytes of all operands, one after the other

  bool overlap_operands(const Op& op, std::vector<Arg>& args, Command& command);
  Picture picture_of(const Command& command) const;
  Picture result_of(const Command& command, const Picture& before, bool fastest);

  const Chip& chip_;
  DeviceMemory memory_;
  Draw draw_;
  Fill fill_;
  Random random_{4711};
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_OVERLAPPING_CALLS_TEST_SUPPORT_H_
