// Commands for the big functions of fp32/ and products/: operands as they see them, and the
// entries' implementations.
#ifndef TENSORLANE_COMPUTE_ROWS_COMMAND_VIEWS_H_
#define TENSORLANE_COMPUTE_ROWS_COMMAND_VIEWS_H_

#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

// The operand behind `param` as a strided view of local memory: a plain or 2IC tensor of four
// dimensions, or a matrix (whose rows are n and columns w, channel by channel). An empty view when
// the operand is absent in this call.
LocalView local_view(const Invocation& invocation, std::string_view param);

// `simd` may decline, `reference` never does; `decode` makes the arguments of both.
template <class Args>
std::vector<Implementation> simd_or_reference(
    std::function<std::type_identity_t<Args>(const Invocation&)> decode, bool (*simd)(const Args&),
    void (*reference)(const Args&)) {
  return {{"simd", [=](const Invocation& invocation) { return simd(decode(invocation)); }},
          {"reference", [=](const Invocation& invocation) {
             reference(decode(invocation));
             return true;
           }}};
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_COMMAND_VIEWS_H_
