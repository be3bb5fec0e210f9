#include "tensorlane/trail/dependence.h"

#include <algorithm>

#include "tensorlane/layout/local.h"

namespace tensorlane::trail {
namespace {

bool is_per_channel(const OperandSpec& spec) {
  return spec.shape.size() == 4 && spec.shape[0] == "1" && spec.shape[2] == "1" &&
         spec.shape[3] == "1";
}

// The dimension of a result with the index of a dimension of a source whose extent is `extent`; -1
// when there is none, or no telling which.
int same_index(const OperandSpec& result, std::string_view extent) {
  if (extent.front() >= '0' && extent.front() <= '9') return -1;
  if (std::ranges::count(result.shape, extent) != 1) return -1;
  return static_cast<int>(std::ranges::find(result.shape, extent) - result.shape.begin());
}

Windows windows_of(const Op::CompiledWindow& window, const Command& command) {
  const Environment environment{command.args(), command.chip, command.region >= 0};
  const auto value = [&](const Expression& expression) {
    return expression.evaluate(environment).value_or(0);
  };
  return {.kernel = value(window.kernel),
          .step = value(window.step),
          .dilation = value(window.dilation),
          .before = value(window.before),
          .inserted = value(window.inserted)};
}

Indices common(const Indices& a, Range b) {
  Indices both;
  for (const Range& range : a) {
    const Range shared{std::max(range.begin, b.begin), std::min(range.end, b.end)};
    if (shared.begin < shared.end) both.push_back(shared);
  }
  return both;
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
  if (!spec.only_moves) return false;
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

Relation relation(const Command& command, const Operand& source, int dim, const Operand& result) {
  const std::string_view extent = source.spec->shape[static_cast<std::size_t>(dim)];
  if (const int same = same_index(*result.spec, extent); same >= 0)
    return {.kind = Relation::Kind::kSame, .dim = same};
  for (const Op::CompiledWindow& window : command.op->windows()) {
    const int slid = same_index(*result.spec, window.spec->result);
    if (window.spec->source != extent || slid < 0) continue;
    return {.kind = Relation::Kind::kWindows,
            .dim = slid,
            .windows = windows_of(window, command),
            .counted = window.spec->kernel};
  }
  return {.counted = extent};
}

Elements made_of(const Command& command, const Operand& result, const Layout::Index& at,
                 const Operand& source) {
  Elements elements;
  for (int dim = 0; dim < source.layout.rank(); ++dim) {
    const std::int64_t extent = source.layout.extent(dim);
    const Relation related = relation(command, source, dim, result);
    switch (related.kind) {
      case Relation::Kind::kSame: {
        const std::int64_t index = at[static_cast<std::size_t>(related.dim)];
        elements.at.push_back({{index, index + 1}});
        break;
      }
      case Relation::Kind::kWindows:
        elements.at.push_back(
            related.windows.window(at[static_cast<std::size_t>(related.dim)], extent));
        break;
      case Relation::Kind::kAll:
        elements.at.push_back({{0, extent}});
        break;
    }
  }
  return elements;
}

Reach reach(const Command& command, const Operand& source, const ElementBox& box,
            const Operand& result) {
  Reach reach;
  for (int dim = 0; dim < result.layout.rank(); ++dim)
    reach.results.at.push_back({{0, result.layout.extent(dim)}});
  reach.used = elements_of(box, source.layout.rank());
  for (std::size_t dim = 0; dim < reach.used.at.size(); ++dim) {
    const Range here = box.at[dim];
    const Relation related = relation(command, source, static_cast<int>(dim), result);
    if (related.kind == Relation::Kind::kAll) continue;
    const auto there = static_cast<std::size_t>(related.dim);
    if (related.kind == Relation::Kind::kSame) {
      reach.results.at[there] = common(reach.results.at[there], here);
      continue;
    }
    const std::int64_t results = result.layout.extent(related.dim);
    reach.results.at[there] = related.windows.covering(here, results);
    reach.used.at[dim] = related.windows.covered(here, results);
  }
  return reach;
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

}  // namespace tensorlane::trail
