#include "tensorlane/ops/op.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/ops/op_lists.h"

namespace tensorlane {

std::string_view engine_name(Engine engine) {
  switch (engine) {
    case Engine::kNone:
      return msg("none");
    case Engine::kGdma:
      return "GDMA";
    case Engine::kBdc:
      return "BDC";
    case Engine::kHau:
      return "HAU";
    case Engine::kSdma:
      return "SDMA";
  }
  return "?";
}

std::string_view absence_name(Absence absence) {
  switch (absence) {
    case Absence::kNone:
      return msg("implemented");
    case Absence::kLaterChip:
      return msg("needs a later chip");
    case Absence::kNoDefinition:
      return msg("not implemented");
  }
  return "?";
}

std::string_view in_place_name(InPlace in_place) {
  switch (in_place) {
    case InPlace::kUnsaid:
      return "";
    case InPlace::kExact:
      return msg("exact");
    case InPlace::kOther:
      return msg("another result");
    case InPlace::kNotRecorded:
      return msg("as elsewhere, not recorded");
    case InPlace::kRefused:
      return msg("refused");
  }
  return "?";
}

std::string_view numerics_name(Numerics numerics) {
  switch (numerics) {
    case Numerics::kExactToModel:
      return msg("exact to the model");
    case Numerics::kExactToDocument:
      return msg("exact to the document");
    case Numerics::kChoice:
      return msg("a choice");
    case Numerics::kNoData:
      return msg("no data");
  }
  return "?";
}

namespace {

// How formulas call parameters: those of addresses by the tensor's name.
std::string_view name_in_formulas(std::string_view param) {
  constexpr std::string_view kAddress = "_addr";
  if (param.ends_with(kAddress)) param.remove_suffix(kAddress.size());
  return param;
}

Inputs inputs_of(const Op::CompiledOperand& operand) {
  if (operand.spec->dtype_rule || operand.spec->layout_rule) return kAnyInput;
  Inputs inputs = operand.address.inputs() | operand.inout_if.inputs() |
                  operand.cols_per_channel.inputs() | operand.row_stride.inputs() |
                  operand.shared_row_if.inputs();
  for (const Expression& extent : operand.shape) inputs |= extent.inputs();
  for (const int param : {operand.stride_param, operand.dtype_param}) {
    if (param >= 0) inputs |= input_of(param);
  }
  return inputs;
}

}  // namespace

Op::Op(std::string_view name, std::string_view returns, std::span<const Param> params,
       const OpSpec& spec, std::span<const std::pair<std::string_view, std::int64_t>> constants)
    : name_(name), returns_(returns), params_(params), spec_(&spec) {
  const Scope scope{params, spec.definitions, constants};
  const auto optional = [&](std::string_view text) {
    return text.empty() ? Expression() : Expression(text, scope);
  };
  for (const Param& param : params) types_.push_back(&arg_type(param.type));
  for (std::string_view text : spec.limits) limits_.emplace_back(text, scope);
  for (std::string_view text : spec.preferred) preferred_.emplace_back(text, scope);
  for (const OperandSpec& operand : spec.operands) {
    CompiledOperand compiled{
        .spec = &operand,
        .param = param(operand.param),
        .stride_param = operand.stride.empty() ? -1 : param(operand.stride),
        .dtype_param = operand.dtype_param.empty() ? -1 : param(operand.dtype_param),
        .address = Expression(operand.address.empty() ? operand.param : operand.address, scope),
        .shape = {},
        .used_if = optional(operand.used_if),
        .inout_if = optional(operand.inout_if),
        .cols_per_channel = optional(operand.cols_per_channel),
        .row_stride = optional(operand.row_stride),
        .shared_row_if = optional(operand.shared_row_if),
        .other_if = optional(operand.other_if),
        .accumulates_by = optional(operand.accumulates_by)};
    for (std::string_view text : operand.shape) compiled.shape.emplace_back(text, scope);
    compiled.inputs = inputs_of(compiled);
    operands_.push_back(std::move(compiled));
  }
  for (const WindowSpec& window : spec.windows) {
    const auto parse = [&](std::string_view text) { return Expression(text, scope); };
    windows_.push_back({&window, parse(window.kernel), parse(window.step), parse(window.dilation),
                        parse(window.before), parse(window.inserted)});
  }
  for (const ConstantSpec& constant : spec.constants) {
    param(constant.param);
    if (!constant.dtype_param.empty()) param(constant.dtype_param);
  }
  if (spec.doc.formula.empty()) return;
  std::vector<std::string_view> names;
  for (const Param& each : params) names.push_back(name_in_formulas(each.name));
  formula_ = RealFormula::parse(spec.doc.formula, names);
  if (!formula_) {
    internal_error_at(__FILE__, __LINE__,
                      fmt::format("{}: '{}' is no formula", name, spec.doc.formula));
  }
  for (const std::string& each : formula_->names())
    formula_params_.push_back(static_cast<int>(std::ranges::find(names, each) - names.begin()));
}

std::string Op::doc(Language language) const {
  const Doc& doc = spec_->doc;
  return fmt::format("{}{}", doc.formula, translated(doc.words, language));
}

int Op::param(std::string_view name) const {
  for (std::size_t k = 0; k < params_.size(); ++k) {
    if (params_[k].name == name) return static_cast<int>(k);
  }
  internal_error_at(__FILE__, __LINE__, fmt::format("{} has no parameter '{}'", name_, name));
}

std::int64_t Op::value(std::span<const Arg> args, std::string_view param,
                       std::string_view field) const {
  const auto at = static_cast<std::size_t>(this->param(param));
  if (field.empty()) return args[at].value();
  const int index = field_index(*types_[at], field);
  if (index < 0) {
    internal_error_at(__FILE__, __LINE__,
                      fmt::format("{}: {} has no field '{}'", name_, param, field));
  }
  return args[at].field[static_cast<std::size_t>(index)];
}

namespace {

// The lists of the compiled entries.
struct Lists {
  std::mutex mutex;
  std::unordered_map<const Op*, const OpList*> of = {};
};
// Never destroyed: devices that end with the program still look for functions.
Lists& lists() {
  static Lists& all = *new Lists;
  return all;
}

}  // namespace

const OpList* list_of(const Op& op) {
  const std::lock_guard lock(lists().mutex);
  const auto found = lists().of.find(&op);
  return found == lists().of.end() ? nullptr : found->second;
}

const Op& OpList::compiled(const OpFile::Entry& entry) const {
  if (const Op* op = entry.compiled.load(std::memory_order_acquire)) return *op;
  const std::lock_guard lock(lists().mutex);
  if (const Op* op = entry.compiled.load(std::memory_order_relaxed)) return *op;
  const Op* const op = new Op(entry.name, entry.returns, entry.params, *entry.spec, constants_);
  lists().of.emplace(op, this);
  entry.compiled.store(op, std::memory_order_release);
  return *op;
}

std::span<const Op* const> OpList::all() const {
  std::call_once(listed_, [this] {
    for (const OpFile* file : files_) {
      for (const OpFile::Entry* entry : file->entries()) {
        all_.push_back(&compiled(*entry));
      }
    }
  });
  return all_;
}

const Op* OpList::find(std::string_view name) const {
  std::call_once(named_, [this] {
    for (const OpFile* file : files_) {
      for (const OpFile::Entry* entry : file->entries()) by_name_.emplace(entry->name, entry);
    }
  });
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &compiled(*found->second);
}

const OpFile::Entry* OpFile::add(std::string_view name, std::string_view returns,
                                 std::span<const Param> params, const OpSpec* spec) {
  entries_.push_back(new Entry(name, returns, params, spec));  // lives as long as the program
  return entries_.back();
}

}  // namespace tensorlane
