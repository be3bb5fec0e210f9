#include "lsp/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lsp/call_layouts.h"
#include "ops_call.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::lsp {
namespace {

// Longer pictures tell nothing in a box beside the pointer.
constexpr std::size_t kMostLines = 24, kMostSvg = 70000;
constexpr int kColumns = 80;

// Whether the operands' shapes and strides are all there: what a picture and a time are made of.
bool says_enough(const Op& op, const std::map<std::string, Json>& known) {
  return std::ranges::all_of(op.params(), [&](const Param& param) {
    const ArgKind kind = arg_type(param.type).kind;
    const bool part =
        kind == ArgKind::kStruct || kind == ArgKind::kInteger || kind == ArgKind::kDtype;
    return !part || known.contains(std::string(param.name));
  });
}

// The recorded text is C of our own: the same reader takes it.
std::optional<KnownCall> recorded_call(const RecordedCall& recorded, const KernelText& around) {
  const KernelText kernel(recorded.text, recorded.chip);
  const KernelText::Function function = kernel.find(recorded.function);
  if (!function || kernel.c().calls().empty()) return std::nullopt;
  const Chip* const chip = recorded.chip.empty() ? &around.chip_of(*function.front_end)
                                                 : &kernel.chip_of(*function.front_end);
  return KnownCall{function, chip, kernel.known_arguments(kernel.c().calls().front(), function),
                   true, recorded.text};
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string first_lines(const std::string& text) {
  std::size_t at = 0;
  for (std::size_t lines = 0; lines < kMostLines; ++lines) {
    at = text.find('\n', at);
    if (at == std::string::npos) return text;
    ++at;
  }
  return at >= text.size() ? text : text.substr(0, at) + "...\n";
}

}  // namespace

std::optional<KnownCall> known_call(const Workspace& workspace, const Document& document,
                                    const std::string& file, const KernelText& kernel,
                                    const WrittenCall& call) {
  const KernelText::Function function = kernel.find(kernel.c().word(call.name));
  if (!function || function.op->engine() == Engine::kNone) return std::nullopt;
  std::map<std::string, Json> known = kernel.known_arguments(call, function);
  if (says_enough(*function.op, known))
    return KnownCall{function, &kernel.chip_of(*function.front_end), std::move(known), false, {}};
  const std::int64_t line = document.position_of(call.name.begin).line;
  for (const auto& [place, calls] : workspace.run.calls) {
    if (place.first != file) continue;
    for (const RecordedCall& recorded : calls) {
      if (recorded.function == function.op->name() &&
          line_now(document, place.second, recorded.source) == line)
        return recorded_call(recorded, kernel);
    }
  }
  return std::nullopt;
}

std::vector<CallPicture> call_pictures(const KnownCall& call) {
  const cli::Call made(*call.chip, *call.function.op, call.arguments);
  std::vector<CallPicture> pictures;
  for (const DrawnOperand& operand :
       local_tensors(made.command(), call.function.front_end->layouts)) {
    pictures.push_back({operand.name, draw_text(operand.tensor, kColumns),
                        draw_svg(operand.tensor, call.chip->banks_per_npu)});
  }
  return pictures;
}

std::string call_markdown(const KnownCall& call, bool svg) {
  std::string text = fmt::format(
      "\n---\n{}\n\n", call.recorded ? tr("This call in the last run, on {}:", call.chip->full_name)
                                     : tr("This call, on {}:", call.chip->full_name));
  if (call.recorded) text += fmt::format("```c\n{}\n```\n", call.text);
  try {
    const cli::Call made(*call.chip, *call.function.op, call.arguments);
    text += fmt::format("```text\n{}```\n", made.text());
    const auto pictures = local_tensors(made.command(), call.function.front_end->layouts);
    if (pictures.empty()) return text;
    const DrawnOperand& first = pictures.front();
    const std::string picture = svg ? draw_svg(first.tensor, call.chip->banks_per_npu) : "";
    text += fmt::format("\n{}\n\n", tr("Where `{}` lies:", first.name));
    if (!picture.empty() && picture.size() <= kMostSvg) {
      text += fmt::format("![{}](data:image/svg+xml;base64,{})\n", first.name, base64(picture));
    } else {
      text += fmt::format("```text\n{}```\n", first_lines(draw_text(first.tensor, kColumns)));
    }
  } catch (const UserError& error) {
    text += fmt::format("```text\n{}\n```\n", error.what());
  }
  return text;
}

}  // namespace tensorlane::lsp
