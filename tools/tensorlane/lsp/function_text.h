// What is said of a device function in an editor: Markdown, from its entry.
#ifndef TENSORLANE_TOOLS_LSP_FUNCTION_TEXT_H_
#define TENSORLANE_TOOLS_LSP_FUNCTION_TEXT_H_

#include <string>

#include "lsp/kernel_text.h"

namespace tensorlane::lsp {

// Declaration, purpose, operands, limits, numerics, cost.
std::string function_markdown(const Op& op);
// One parameter: its operand, and the limits that speak of it. Empty where nothing does.
std::string parameter_markdown(const Op& op, std::size_t param);

// "void okk_bdc_neg(local_addr_t dst_addr, ...)" in one line, and where its parameters stand in it.
struct Label {
  std::string text;
  std::vector<Span> params;  // ASCII: bytes are UTF-16 units
};
Label function_label(const Op& op);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_FUNCTION_TEXT_H_
