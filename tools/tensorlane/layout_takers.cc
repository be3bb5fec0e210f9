// tensorlane layout takers: which functions take a tensor as it lies, by the operands of the list
// of functions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "layout_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/identify.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::cli {
namespace {

struct Taker {
  const Op* op;
  const OperandSpec* operand;
  bool by_strides;  // they are given; else the function finds it so without
};

// A width alone, or a type that an argument names.
bool takes_dtype(const OperandSpec& operand, Dtype dtype) {
  if (operand.dtype_rule || !operand.dtype_param.empty()) return true;
  const bool raw = operand.dtype <= Dtype::kX32;
  return operand.dtype == dtype || (raw && dtype_bits(operand.dtype) == dtype_bits(dtype));
}

class TakerSearch {
 public:
  explicit TakerSearch(const NamedLayout& tensor) : tensor_(tensor) {
    for (const NamedLayout& each : names_of(tensor, {{tensor.spec.system}})) {
      names_.push_back(each.info->name);
      if (each.spec.strides.empty()) defaults_.push_back(each.info->name);
    }
    one_stride_each_ = std::ssize(tensor.strides) == tensor.axes.size() &&
                       tensor.info->stride_unit == StrideUnit::kElement;
  }

  std::optional<Taker> taker(const Op& op, const OperandSpec& operand) const {
    const MemoryKind memory = tensor_.is_local() ? MemoryKind::kLocal : MemoryKind::kSystem;
    if (operand.memory != memory || tensor_.is_image() ||
        std::ssize(operand.shape) != tensor_.axes.size() ||
        !takes_dtype(operand, tensor_.spec.dtype))
      return std::nullopt;
    const int bits = dtype_bits(tensor_.spec.dtype);
    const bool plain = operand.storage == Storage::kPlain;
    const std::string_view stored =
        plain ? layout_name(operand.layout) : storage_name(operand.storage, bits);
    if (!operand.stride.empty()) {
      const bool fits =
          plain ? one_stride_each_ && tensor_.axes == Axes("NCHW") : has(names_, stored);
      return fits ? std::optional<Taker>({&op, &operand, true}) : std::nullopt;
    }
    // Rows of a matrix in system memory, any distance apart.
    if (plain && !operand.row_stride.empty()) {
      const bool rows = one_stride_each_ && tensor_.strides.back() == 1;
      return rows ? std::optional<Taker>({&op, &operand, true}) : std::nullopt;
    }
    return has(defaults_, stored) ? std::optional<Taker>({&op, &operand, false}) : std::nullopt;
  }

 private:
  static bool has(const std::vector<std::string_view>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  const NamedLayout& tensor_;
  std::vector<std::string_view> names_, defaults_;
  bool one_stride_each_ = false;
};

std::vector<Taker> takers_of(const Chip& chip, const NamedLayout& tensor) {
  const TakerSearch search(tensor);
  std::vector<Taker> takers;
  for (const Op* op : front_end_of(chip).ops().all()) {
    if (op->spec().absence != Absence::kNone) continue;
    for (const OperandSpec& operand : op->spec().operands) {
      if (const std::optional<Taker> taker = search.taker(*op, operand)) takers.push_back(*taker);
    }
  }
  return takers;
}

void run(const LayoutOptions& options, const LayoutOutput& output) {
  const NamedLayout tensor = make_layout(options.spec());
  const LayoutOwner owner = find_owner(options.chip);
  if (owner.chip == nullptr) user_error("{} has no device functions", owner.name);
  const std::vector<Taker> takers = takers_of(*owner.chip, tensor);
  if (output.wants_json()) {
    Json rows = Json::array();
    for (const Taker& taker : takers) {
      rows.push_back({{"function", taker.op->name()},
                      {"operand", taker.operand->param},
                      {"role", role_name(taker.operand->role)},
                      {"by_strides", taker.by_strides}});
    }
    output.write_json(rows);
  }
  if (!output.wants_text()) return;
  std::map<std::string_view, std::pair<std::vector<std::string>, std::vector<std::string>>> rows;
  for (const Taker& taker : takers) {
    auto& [given, found] = rows[taker.op->name()];
    (taker.by_strides ? given : found)
        .push_back(fmt::format("{} ({})", taker.operand->param,
                               translated(role_text(taker.operand->role))));
  }
  for (const auto& [name, operands] : rows) {
    std::string line;
    if (!operands.second.empty()) line = tr("as it lies: {}", fmt::join(operands.second, ", "));
    if (!operands.first.empty()) {
      line +=
          (line.empty() ? "" : "; ") + tr("with its strides: {}", fmt::join(operands.first, ", "));
    }
    fmt::print("{:<36} {}\n", name, line);
  }
  if (rows.empty()) fmt::print("{}\n", tr("none: no function takes it as it lies"));
}

}  // namespace

void add_takers_command(App& layout) {
  App* takers = layout.add_subcommand(
      "takers", "Which device functions take a tensor as it lies, or with its strides");
  takers->footer(
      "By the memory, element type, storage and strides of operands in the list of functions; what "
      "a\n"
      "call limits beyond that, 'tensorlane ops FUNCTION' says.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout takers --layout 4N --dtype int8 --shape 6,5,4,5\n"
      "  tensorlane layout takers --chip bm1684x --layout 32IC --dtype fp16 --shape 64,64,3,3\n");
  auto options = std::make_shared<LayoutOptions>();
  auto output = std::make_shared<LayoutOutput>();
  options->add_to(*takers);
  output->add_to(*takers, false);
  takers->callback([options, output] { run(*options, *output); });
}

}  // namespace tensorlane::cli
