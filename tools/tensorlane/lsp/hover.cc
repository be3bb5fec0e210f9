#include "lsp/hover.h"

#include <fmt/format.h>

#include "lsp/call_text.h"
#include "lsp/function_text.h"
#include "lsp/uri.h"

namespace tensorlane::lsp {
namespace {

Json markup(const Workspace& workspace, const std::string& text) {
  return {{"kind", workspace.markdown ? "markdown" : "plaintext"}, {"value", text}};
}

}  // namespace

Json hover(const Workspace& workspace, const Json& params) {
  const Position position = position_in(params);
  const std::string uri = uri_in(params);
  const Document* const document = workspace.document(uri);
  if (document == nullptr) return {};
  const std::size_t offset = document->offset_of(position);
  const KernelText kernel(document->text(), workspace.settings.chip);
  if (kernel.c().is_prose(offset)) return {};
  if (const std::optional<Span> name = kernel.c().name_at(offset)) {
    if (const KernelText::Function function = kernel.find(kernel.c().word(*name))) {
      std::string text = function_markdown(*function.op);
      if (const WrittenCall* const call = kernel.call_named_at(*name)) {
        const std::string file = workspace.file_of(path_of_uri(uri));
        if (const auto known = known_call(workspace, *document, file, kernel, *call))
          text += call_markdown(*known, workspace.settings.svg && workspace.markdown);
      }
      return {{"contents", markup(workspace, text)}, {"range", json(document->range_of(*name))}};
    }
  }
  const auto inside = kernel.call_around(offset);
  if (!inside || inside->argument >= inside->function.op->params().size()) return {};
  const Param& param = inside->function.op->params()[inside->argument];
  const std::string text = fmt::format("```c\n{} {}\n```\n{}", param.type, param.name,
                                       parameter_markdown(*inside->function.op, inside->argument));
  Json result{{"contents", markup(workspace, text)}};
  if (inside->argument < inside->call->arguments.size())
    result["range"] = json(document->range_of(inside->call->arguments[inside->argument]));
  return result;
}

Json signature_help(const Workspace& workspace, const Json& params) {
  const Position position = position_in(params);
  const Document* const document = workspace.document(uri_in(params));
  if (document == nullptr) return {};
  const KernelText kernel(document->text(), workspace.settings.chip);
  const std::size_t offset = document->offset_of(position);
  if (kernel.c().is_prose(offset)) return {};
  const auto inside = kernel.call_around(offset);
  if (!inside) return {};
  const Op& op = *inside->function.op;
  const Label label = function_label(op);
  Json parameters = Json::array();
  for (std::size_t k = 0; k < label.params.size(); ++k) {
    Json parameter{{"label", {label.params[k].begin, label.params[k].end}}};
    if (const std::string text = parameter_markdown(op, k); !text.empty())
      parameter["documentation"] = markup(workspace, text);
    parameters.push_back(std::move(parameter));
  }
  Json signature{{"label", label.text},
                 {"documentation", markup(workspace, function_markdown(op))},
                 {"parameters", std::move(parameters)}};
  return {{"signatures", Json::array({std::move(signature)})},
          {"activeSignature", 0},
          {"activeParameter", inside->argument}};
}

}  // namespace tensorlane::lsp
