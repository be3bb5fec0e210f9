// Commands and operands in words.
#ifndef TENSORLANE_OBSERVE_CHECK_DESCRIBE_H_
#define TENSORLANE_OBSERVE_CHECK_DESCRIBE_H_

#include <string>
#include <vector>

#include "tensorlane/observe/check/finding.h"
#include "tensorlane/observe/check/footprint.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::check {

// "src_addr: input, shape 2x64x4x10 fp32, aligned, local memory NPU 0 offset 0x400"
std::string describe_operand(const Operand& operand, const Command& command);
// "plus_one.c:42 in plus_one"
std::string place_text(const void* call_site);
// The place of a call; complete() finds its file, line and text.
FindingLocation make_location(std::string role, std::string call, const void* call_site,
                              std::vector<std::string> tensors = {});
void complete(FindingLocation& location);
// Bytes (linear addresses of a memory) as ranges of NPUs and offsets; the chip gives the bytes per
// NPU and where global memory starts.
std::vector<FindingRegion> describe_bytes(const Chip& chip, Space space,
                                          std::span<const Range> bytes);
// Where offset 0 of a memory lies in the address map.
std::uint64_t space_begin(const Chip& chip, Space space);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_DESCRIBE_H_
