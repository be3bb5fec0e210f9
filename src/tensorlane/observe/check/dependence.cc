#include "tensorlane/observe/check/dependence.h"

#include <algorithm>

#include "tensorlane/layout/local.h"

namespace tensorlane::check {
namespace {

bool is_per_channel(const OperandSpec& spec) {
  return spec.shape.size() == 4 && spec.shape[0] == "1" && spec.shape[2] == "1" &&
         spec.shape[3] == "1";
}

}  // namespace

int shape_class(const Op& op, const OperandSpec& spec) {
  const std::vector<OperandSpec>& all = op.spec().operands;
  const auto same = std::find_if(all.begin(), all.end(), [&](const OperandSpec& other) {
    return other.shape == spec.shape && other.storage == spec.storage;
  });
  return static_cast<int>(same - all.begin());
}

int channel_class(const Op& op, const OperandSpec& spec) {
  const std::vector<OperandSpec>& all = op.spec().operands;
  const auto same = std::find_if(all.begin(), all.end(), [&](const OperandSpec& other) {
    return other.shape.size() == 4 && spec.shape.size() == 4 && other.shape[0] == spec.shape[0] &&
           other.shape[1] == spec.shape[1];
  });
  return static_cast<int>(same - all.begin());
}

bool copies(const Op& op) {
  const OpSpec& spec = op.spec();
  if (spec.implementations.empty() || spec.implementations.front().name != "strided") return false;
  const std::vector<std::string_view>& result = spec.operands.front().shape;
  return std::ranges::all_of(spec.operands, [&](const OperandSpec& operand) {
    return std::ranges::equal(operand.shape, result, [](std::string_view a, std::string_view b) {
      return a == b || a == "1";
    });
  });
}

bool is_table(const OperandSpec& spec) {
  return spec.shape.size() == 4 && spec.shape[0] == "1" && spec.shape[1].ends_with("npu_num()") &&
         spec.shape[2] == "1";
}

bool element_wise(const Op& op) {
  const std::vector<OperandSpec>& all = op.spec().operands;
  const auto result = std::find_if(all.begin(), all.end(), [](const OperandSpec& spec) {
    return spec.role == Role::kOut || spec.role == Role::kInOut;
  });
  return result != all.end() && std::all_of(all.begin(), all.end(), [&](const OperandSpec& spec) {
           return spec.role == Role::kWork || spec.shape == result->shape || is_per_channel(spec) ||
                  is_table(spec) || copies(op);
         });
}

Layout whole_words(const Operand& operand) {
  const Layout& layout = operand.layout;
  if (operand.spec->storage != Storage::kPacked) return layout;
  const std::int64_t lanes = 4 / layout.element_units();
  Layout words(layout.dtype());
  words.set_base(layout.base());
  for (int d = 0; d < layout.rank(); ++d) {
    const std::int64_t extent = layout.extent(d);
    words.add_dim(d == 0 ? align_up(extent, lanes) : extent, layout.digits(d), layout.offset(d));
  }
  return words;
}

Layout spread(const Layout& source, const Layout& result) {
  Layout all(source.dtype());
  all.set_base(source.base());
  for (int d = 0; d < source.rank(); ++d) {
    if (source.extent(d) == result.extent(d)) {
      all.add_dim(source.extent(d), source.digits(d), source.offset(d));
    } else {
      all.add_dim(result.extent(d), {{1, 0}});
    }
  }
  return all;
}

}  // namespace tensorlane::check
