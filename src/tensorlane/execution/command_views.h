// Operands as the big functions of fp32/ and products/ see them.
#ifndef TENSORLANE_EXECUTION_COMMAND_VIEWS_H_
#define TENSORLANE_EXECUTION_COMMAND_VIEWS_H_

#include <string_view>

#include "tensorlane/ops/command.h"
#include "tensorlane/tiles/local_view.h"

namespace tensorlane {

// The operand behind `param` as a strided view of local memory: a plain or 2IC tensor of four
// dimensions, or a matrix (whose rows are n and columns w, channel by channel). An empty view when
// the operand is absent in this call.
LocalView local_view(const Invocation& invocation, std::string_view param);

}  // namespace tensorlane

#endif  // TENSORLANE_EXECUTION_COMMAND_VIEWS_H_
