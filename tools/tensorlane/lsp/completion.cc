#include <fmt/format.h>

#include "lsp/function_text.h"
#include "lsp/hover.h"
#include "op_facts.h"
#include "tensorlane/base/error.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::lsp {
namespace {

constexpr int kFunction = 3, kSnippet = 2, kPlainText = 1, kDeprecated = 1;  // of the protocol

// "okk_bdc_neg(${1:dst_addr}, ...)": the editor walks from one parameter to the next.
std::string snippet(const Op& op) {
  std::string text = fmt::format("{}(", op.name());
  for (std::size_t k = 0; k < op.params().size(); ++k)
    text += fmt::format("{}${{{}:{}}}", k > 0 ? ", " : "", k + 1, op.params()[k].name);
  return text + ")";
}

}  // namespace

// All functions whose names begin with what is typed; what they are comes with `resolve`.
Json completion(const Workspace& workspace, const Json& params) {
  const Position position = position_in(params);
  const Document* const document = workspace.document(uri_in(params));
  if (document == nullptr) return {};
  const std::size_t offset = document->offset_of(position);
  const KernelText kernel(document->text(), workspace.settings.chip);
  Json items = Json::array();
  const auto result = [&] { return Json{{"isIncomplete", false}, {"items", items}}; };
  if (kernel.c().is_prose(offset)) return result();
  Span typed = kernel.c().name_at(offset).value_or(Span{offset, offset});
  const std::string_view prefix = kernel.c().word({typed.begin, offset});
  const bool called = kernel.call_named_at(typed) != nullptr;
  for (const FrontEnd* front_end : kernel.interfaces()) {
    for (const Op* op : front_end->ops().all()) {
      if (!op->name().starts_with(prefix)) continue;
      const bool with_parameters = workspace.snippets && !called;
      Json item{{"label", op->name()},
                {"kind", kFunction},
                {"detail", cli::purpose(*op)},
                {"insertTextFormat", with_parameters ? kSnippet : kPlainText},
                {"textEdit",
                 {{"range", json(document->range_of(typed))},
                  {"newText", with_parameters ? snippet(*op) : std::string(op->name())}}},
                {"data", {{"function", op->name()}}}};
      if (op->spec().absence != Absence::kNone) item["tags"] = Json::array({kDeprecated});
      items.push_back(std::move(item));
    }
  }
  return result();
}

Json resolve_completion(const Workspace& workspace, const Json& item) {
  if (!item.is_object()) user_error("the parameters lack '{}'", "data");
  const Json* const data = item.find("data");
  const Json* const name = data != nullptr && data->is_object() ? data->find("function") : nullptr;
  Json resolved = item;
  if (name == nullptr || !name->is_string()) return resolved;
  const FrontEnd* const front_end = front_end_of_function(name->text());
  const Op* const op = front_end == nullptr ? nullptr : front_end->ops().find(name->text());
  if (op == nullptr) return resolved;
  resolved["documentation"] = Json{{"kind", workspace.markdown ? "markdown" : "plaintext"},
                                   {"value", function_markdown(*op)}};
  return resolved;
}

}  // namespace tensorlane::lsp
