// The tensors of a call in local memory as named layouts, which can be drawn.
#ifndef TENSORLANE_TOOLS_LSP_CALL_LAYOUTS_H_
#define TENSORLANE_TOOLS_LSP_CALL_LAYOUTS_H_

#include <string>
#include <vector>

#include "tensorlane/layout/named.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::lsp {

struct DrawnOperand {
  std::string name;
  NamedLayout tensor;
};

// In the order of the entry. Left out is what no named layout describes: every layout here has its
// elements where the command has them.
std::vector<DrawnOperand> local_tensors(const Command& command, System system);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_CALL_LAYOUTS_H_
