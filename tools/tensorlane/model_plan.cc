#include "model_plan.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "layout_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/notation.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane::cli {
namespace {

constexpr std::size_t kNamesShown = 5;

std::int64_t count_of(const TensorInfo& info) {
  return element_count(info.shape, tr("tensor '{}'", info.name));
}

// What its elements are read as: what the rule says, else what the file says.
Dtype type_of(const TensorInfo& info, const LayoutEndpoints& ends) {
  if (!ends.dtype.empty()) return parse_dtype(ends.dtype);
  if (info.dtype) return *info.dtype;
  if (info.narrowed && !ends.to_dtype.empty() && parse_dtype(ends.to_dtype) == *info.narrowed)
    return *info.narrowed;
  if (info.narrowed) {
    user_error("it holds {}, which no chip has; dtype = \"{}\" reads them as that",
               info.stored_type, dtype_name(*info.narrowed));
  }
  user_error(
      "it holds {}, which no chip has; dtype says what to read them as, skip = true leaves "
      "it out",
      info.stored_type);
}

void plan_conversion(ModelTensor& tensor, const TensorInfo& info, LayoutEndpoints ends,
                     const std::string& source) {
  ends.input = source;
  if (ends.from.empty()) {
    LayoutOptions target;
    target.layout = ends.to;
    target.chip = ends.to_chip.empty() ? ends.chip : ends.to_chip;
    split_chip(target.layout, target.chip);
    const Axes axes = layout_axes(find_owner(target.chip).system, target.layout);
    if (axes.size() != std::ssize(info.shape) && ends.shape.empty()) {
      user_error("it has {} axes; {} takes {}: {}", info.shape.size(), target.layout, axes.size(),
                 fmt::join(axes.text(), ","));
    }
    ends.from = framework_layout(axes);
    // Written out: any chip has it, and MACE.
    ends.from_chip = target.chip;
  }
  if (ends.dtype.empty()) ends.dtype = dtype_name(type_of(info, ends));
  tensor.from = source_layout(ends, info);
  tensor.to = target_layout(ends, *tensor.from);
  tensor.conversion = conversion_of(ends);
}

}  // namespace

std::string framework_layout(const Axes& axes) {
  if (axes.permutes(Axes("OIHW"))) return "OIHW";
  if (axes.permutes(Axes("MIHW"))) return "IMHW";
  return axes.text();
}

Tensor ModelTensor::converted(Tensor source, CopyThreads threads) const {
  Tensor result{dtype, shape, {}};
  if (action == ModelAction::kKeep) {
    if (source.dtype == dtype) {
      result.data = std::move(source.data);
      return result;
    }
    const auto count = static_cast<std::size_t>(element_count(shape, "tensor"));
    result.data.resize(static_cast<std::size_t>(tensor_bytes(dtype, shape, "tensor")));
    convert_elements(result.data.data(), dtype, source.data.data(), source.dtype, count,
                     conversion.element);
    return result;
  }
  if (source.data.size() != static_cast<std::size_t>(from->total_bytes())) {
    user_error("it has {} bytes; layout {} of [{}] takes {}", source.data.size(), from->name(),
               comma(from->spec.shape), from->total_bytes());
  }
  LayoutConversion how = conversion;
  how.threads = threads;
  result.data = convert(*to, *from, source.data, how);
  return result;
}

ModelTensor ModelPlan::plan(const TensorInfo& info, const ModelRule& rule,
                            const std::optional<Manifest>& manifest) const {
  ModelTensor tensor;
  tensor.rule = &rule;
  tensor.action = rule.action;
  const LayoutEndpoints& ends = rule.ends;
  const Json* const entry = manifest ? manifest->find(info.name) : nullptr;
  if (rule.action == ModelAction::kUnpack && entry == nullptr)
    user_error("no manifest says how it was packed; --manifest names one");
  const bool kept_before = rule.action == ModelAction::kUnpack && !entry->contains("layout");
  if (rule.action == ModelAction::kKeep || kept_before || count_of(info) == 0) {
    tensor.action = ModelAction::kKeep;
    tensor.read_as = kept_before ? parse_dtype(entry->at("dtype").text()) : type_of(info, ends);
    tensor.dtype = ends.to_dtype.empty() ? tensor.read_as : parse_dtype(ends.to_dtype);
    tensor.shape = info.shape;
    tensor.conversion = conversion_of(ends);
    return tensor;
  }
  if (rule.action == ModelAction::kUnpack) {
    const PackedAs as = packed_as(*entry);
    tensor.from = as.packed;
    tensor.to = as.original;
    tensor.conversion = conversion_of(ends);
  } else {
    plan_conversion(tensor, info, ends, source_);
  }
  tensor.read_as = tensor.from->spec.dtype;
  tensor.dtype = tensor.to->spec.dtype;
  tensor.shape = array_shape(*tensor.to);
  return tensor;
}

ModelPlan::ModelPlan(const std::string& source, const ModelFile& model,
                     const std::string& rules_file, const std::optional<Manifest>& manifest)
    : source_(source), rules_file_(rules_file), rules_(read_model_rules(rules_file)) {
  used_.resize(rules_.size());
  std::vector<std::string> without;
  for (std::size_t k = 0; k < model.tensors().size(); ++k) {
    const TensorInfo& info = model.tensors()[k];
    const auto rule = std::ranges::find_if(
        rules_, [&](const ModelRule& each) { return each.fits(info.name, info.shape.size()); });
    if (rule == rules_.end()) {
      without.push_back(info.name);
      continue;
    }
    used_[static_cast<std::size_t>(rule - rules_.begin())] = true;
    if (rule->action == ModelAction::kSkip) {
      ++skipped_;
      continue;
    }
    try {
      tensors_.push_back(plan(info, *rule, manifest));
    } catch (const UserError& error) {
      user_error("tensor '{}' [{}], by the rule in line {} of '{}': {}", info.name,
                 comma(info.shape), rule->line, rules_file, error.what());
    }
    tensors_.back().source = k;
  }
  if (without.empty()) return;
  const std::size_t others = without.size() - std::min(without.size(), kNamesShown);
  if (others > 0) without.resize(kNamesShown);
  const std::string names = fmt::format("'{}'", fmt::join(without, "', '"));
  const std::string all = others > 0 ? tr("{} and {} others", names, others) : names;
  user_error(
      "'{}' has no rule for {}; a last rule with match = \"*\" and keep = true or skip = true "
      "takes what is left",
      rules_file, all);
}

std::vector<std::int64_t> ModelPlan::idle_rules() const {
  std::vector<std::int64_t> lines;
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    if (!used_[k]) lines.push_back(rules_[k].line);
  }
  return lines;
}

std::string ModelPlan::identity(const ModelFile& model) const {
  std::string text;
  for (const ModelTensor& tensor : tensors_) {
    const TensorInfo& info = model.tensors()[tensor.source];
    Json line = {{"name", info.name},
                 {"read", dtype_name(tensor.read_as)},
                 {"dtype", dtype_name(tensor.dtype)},
                 {"shape", tensor.shape},
                 {"rounding", rounding_mode_name(tensor.conversion.element.rounding)},
                 {"overflow", static_cast<int>(tensor.conversion.element.overflow)}};
    if (tensor.to) describe_conversion(line, *tensor.from, *tensor.to);
    if (tensor.from) line["from"] = notation(*tensor.from);
    text += line.dump() + "\n";
  }
  return text;
}

}  // namespace tensorlane::cli
