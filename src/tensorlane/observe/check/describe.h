// Places of calls and bytes of memory in words, as findings have them.
#ifndef TENSORLANE_OBSERVE_CHECK_DESCRIBE_H_
#define TENSORLANE_OBSERVE_CHECK_DESCRIBE_H_

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/device/host_caller.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/observe/check/finding.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/call.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::check {

// "1 byte", "2 bytes"
std::string bytes_text(std::int64_t bytes);
std::string bytes_text(std::span<const trail::Range> ranges);
// A refusal's text of several lines as one: "function: what; rule: ...".
std::string one_line(std::string_view text);

// "plus_one.c:42 in plus_one"
std::string place_text(const void* call_site);
// The line itself, blanks trimmed; empty when it cannot be read.
std::string source_line(const SourceLocation& source);
// The place of a call, with its callers while it is in hand; complete() finds files and lines.
// The role is the English text, which reports translate.
FindingLocation make_location(std::string_view role, std::string call, const void* call_site,
                              std::vector<std::string> tensors = {});
// The same of a command with the operands of these numbers, and of a call with its operand.
FindingLocation make_location(std::string_view role, const Command& command,
                              std::initializer_list<int> operands = {});
FindingLocation make_location(std::string_view role, const trail::Call& call);
// A call of the host.
FindingLocation make_location(std::string_view role, const HostCaller& caller);
void complete(FindingLocation& location);
void complete(FindingLaunches& launches);
// Bytes (linear addresses of a memory) as ranges of NPUs and offsets; the chip gives the bytes per
// NPU and where global memory starts.
std::vector<FindingRegion> describe_bytes(const Chip& chip, Space space,
                                          std::span<const trail::Range> bytes);
// Where offset 0 of a memory lies in the address map.
std::uint64_t space_begin(const Chip& chip, Space space);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_DESCRIBE_H_
