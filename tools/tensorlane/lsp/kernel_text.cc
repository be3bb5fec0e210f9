#include "lsp/kernel_text.h"

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/recording/recorded_args.h"

namespace tensorlane::lsp {
namespace {

// "okk.h" of #include "okk.h" and of #include <sdk/okk.h>.
bool includes(const CText& c, std::string_view header) {
  const std::vector<Token>& tokens = c.tokens();
  for (std::size_t k = 0; k + 2 < tokens.size(); ++k) {
    if (tokens[k].directive < 0 || c.word(tokens[k]) != "#" || c.word(tokens[k + 1]) != "include")
      continue;
    std::size_t last = k + 2;
    while (last + 1 < tokens.size() && tokens[last + 1].directive == tokens[k].directive) ++last;
    std::string_view name = c.word(Span{tokens[k + 2].span.begin, tokens[last].span.end});
    if (name.size() < 2) continue;
    name = name.substr(1, name.size() - 2);
    if (name.substr(name.rfind('/') + 1) == header) return true;
  }
  return false;
}

// The number of an element type in an interface, by its name in C.
std::optional<std::int64_t> dtype_number(const FrontEnd& front_end, const ArgType& type,
                                         std::string_view name) {
  constexpr int kMostTypes = 64;
  if (type.kind != ArgKind::kDtype) return std::nullopt;
  for (int number = 0; number < kMostTypes; ++number) {
    const Arg arg = front_end.argument(type.spelling, number, 0);
    if (arg.field[kDtypeField] > static_cast<std::int64_t>(Dtype::kX32) &&
        dtype_enumerator(arg.dtype()) == name)
      return number;
  }
  return std::nullopt;
}

}  // namespace

KernelText::KernelText(std::string_view text, std::string_view chip)
    : c_(text),
      chip_(chip),
      values_(
          c_,
          [this](std::string_view name, std::size_t parameter) {
            const Function callee = find(name);
            return callee && parameter < callee.op->params().size() &&
                   callee.op->params()[parameter].type.starts_with("const ");
          },
          [this](const ArgType& type, std::string_view name) -> std::optional<std::int64_t> {
            for (const FrontEnd* front_end : interfaces_) {
              if (const auto number = dtype_number(*front_end, type, name)) return number;
            }
            return std::nullopt;
          }) {
  for (const FrontEnd* front_end : all_front_ends()) {
    if (includes(c_, front_end->api.header())) interfaces_.push_back(front_end);
  }
  if (interfaces_.empty()) {
    const auto all = all_front_ends();
    interfaces_.assign(all.begin(), all.end());
  }
}

const Chip& KernelText::chip_of(const FrontEnd& front_end) const {
  if (!chip_.empty()) {
    const Chip& chosen = find_chip(chip_);
    if (&front_end_of(chosen) == &front_end) return chosen;
  }
  return front_end.chip;
}

KernelText::Function KernelText::find(std::string_view name) const {
  for (const FrontEnd* front_end : interfaces_) {
    if (const Op* const op = front_end->ops().find(name)) return {op, front_end};
  }
  return {};
}

std::optional<KernelText::Inside> KernelText::call_around(std::size_t offset) const {
  std::optional<Inside> innermost;
  for (const WrittenCall& call : c_.calls()) {
    if (offset <= call.open || (call.closed ? offset >= call.end : offset > call.end)) continue;
    const Function function = find(c_.word(call.name));
    if (!function) continue;
    std::size_t argument = 0;
    while (argument + 1 < call.arguments.size() && offset > call.arguments[argument].end)
      ++argument;
    innermost = {&call, function, argument};  // calls are in the order of their names
  }
  return innermost;
}

const WrittenCall* KernelText::call_named_at(const Span& name) const {
  const auto found = std::ranges::find(c_.calls(), name.begin,
                                       [](const WrittenCall& call) { return call.name.begin; });
  return found == c_.calls().end() ? nullptr : &*found;
}

std::map<std::string, Json> KernelText::known_arguments(const WrittenCall& call,
                                                        const Function& function) const {
  const auto params = function.op->params();
  std::map<std::string, Json> known;
  if (!call.closed || call.arguments.size() != params.size()) return known;
  for (std::size_t k = 0; k < params.size(); ++k) {
    if (auto value = values_.argument(arg_type(params[k].type), call.arguments[k]))
      known.emplace(params[k].name, std::move(*value));
  }
  return known;
}

std::optional<std::vector<Arg>> decoded(const KernelText::Function& function,
                                        const std::map<std::string, Json>& known) {
  const ArgDecoder decoder{*function.front_end};
  std::vector<Arg> args;
  for (const Param& param : function.op->params()) {
    const auto value = known.find(std::string(param.name));
    if (value == known.end()) return std::nullopt;
    args.push_back(decoder.decode(arg_type(param.type), value->second));
  }
  return args;
}

}  // namespace tensorlane::lsp
