// What recordings were taken on: a chip, the memory around a call, and the functions to call.
#ifndef TENSORLANE_CONFORMANCE_TARGET_H_
#define TENSORLANE_CONFORMANCE_TARGET_H_

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/session.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::conformance {

// System addresses of SYS0 and SYS1.
using SystemBuffers = std::array<std::uint64_t, 2>;

// The arguments of one call, with the memory that out parameters point to.
struct EncodedArgs {
  std::vector<Arg> args;
  std::deque<std::array<int, 4>> outs;
};

struct Target {
  const Chip& chip;
  std::uint64_t system_buffer_bytes;
  // The bytes memory holds before a case: `id` is the NPU, or the number of NPUs plus the number of
  // the system buffer; `offset` is that of the first byte.
  void (*prefill)(std::uint32_t id, std::uint64_t offset, std::span<std::byte> out);
  // The entry called `name`, null when the list has none.
  const Op* (*find)(std::string_view name);
  // Arguments in the order of the entry's parameters. Throws UserError where a recorded value does
  // not fit the parameter.
  EncodedArgs (*encode)(const Op& op, const Json& args, const SystemBuffers& buffers);
  // Calls the entry; throws UserError where the call is illegal or not implemented.
  std::int64_t (*call)(Session& session, const Op& op, std::span<const Arg> args);
};

// The target of a chip's recordings; UserError when the chip has none.
const Target& find_target(const Chip& chip);
// The chip whose functions the recording in `folder` calls.
const Chip& recorded_chip(const std::string& folder);
const Target& okk_target();
const Target& tpukernel_target();

// A recorded call as a person would write it:
//   okk_bdc_add_C(dst_addr=NPU 3+0x1000, src_addr=0x0, C=1.5 (0x3fc00000), shape={1, 3, 4, 5}, ...)
std::string call_text(const std::string& function, const Json& args, const Chip& chip);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_TARGET_H_
