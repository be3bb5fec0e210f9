// What is said of one call of a device function: what it takes, which limits it breaks, where its
// tensors lie. From the arguments that the text names, or those of the last run.
#ifndef TENSORLANE_TOOLS_LSP_CALL_TEXT_H_
#define TENSORLANE_TOOLS_LSP_CALL_TEXT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lsp/workspace.h"

namespace tensorlane::lsp {

// A call in the form that recorded calls have, and who says so.
struct KnownCall {
  KernelText::Function function;
  const Chip* chip;
  std::map<std::string, Json> arguments;
  bool recorded = false;
  std::string text;  // of a recorded one, as C
};

// Of the text, where it says all that a command's operands need; else of the line in the last run.
// Nothing where neither does.
std::optional<KnownCall> known_call(const Workspace& workspace, const Document& document,
                                    const std::string& file, const KernelText& kernel,
                                    const WrittenCall& call);

// Operands, time and pictures as Markdown; what is wrong where the call is refused.
std::string call_markdown(const KnownCall& call, bool svg);

struct CallPicture {
  std::string operand, text, svg;
};
// Of every operand in local memory. Throws UserError for a call that is refused.
std::vector<CallPicture> call_pictures(const KnownCall& call);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_CALL_TEXT_H_
