// The calls of recorded cases: as arguments, and as a person would write them.
#ifndef TENSORLANE_CONFORMANCE_CASE_ARGS_H_
#define TENSORLANE_CONFORMANCE_CASE_ARGS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tensorlane/device/front_end.h"
#include "tensorlane/json/json.h"

namespace tensorlane::conformance {

// System addresses of SYS0 and SYS1.
using SystemBuffers = std::array<std::uint64_t, 2>;

// The arguments of one call, with the memory that out parameters point to.
struct CaseArgs {
  std::vector<Arg> args;
  std::deque<std::vector<int>> outs;
};

// In the order of the entry's parameters; `recorded` holds values or {"name","value"}. Throws
// UserError where their number, a name or a value does not fit the entry.
CaseArgs decode_args(const FrontEnd& front_end, const Op& op, const Json& recorded,
                     const SystemBuffers& buffers);

// A recorded call as a person would write it:
//   okk_bdc_add_C(dst_addr=NPU 3+0x1000, src_addr=0x0, C=1.5 (0x3fc00000), shape={1, 3, 4, 5}, ...)
std::string call_text(const std::string& function, const Json& args, const Chip& chip);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_CASE_ARGS_H_
