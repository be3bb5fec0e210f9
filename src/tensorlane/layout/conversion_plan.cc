#include "tensorlane/layout/conversion_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/convert.h"

namespace tensorlane {
namespace {

// Elements that follow each other on side `k` of a box.
std::int64_t side_by_side(const Box& box, int k, std::int64_t unit) {
  for (const Loop& loop : box.nest()) {
    if (loop.stride[static_cast<std::size_t>(k)] == unit) return loop.extent;
  }
  return 1;
}

// Elements that follow each other on both sides: those of the innermost loop.
std::int64_t common_run(const Box& box, std::int64_t unit) {
  for (const Loop& loop : box.nest()) {
    if (loop.stride[0] == unit && loop.stride[1] == unit) return loop.extent;
  }
  return 1;
}

// Every element of a box moves by the same distance.
bool is_shift(const Box& box) {
  return std::ranges::all_of(box.nest(),
                             [](const Loop& loop) { return loop.stride[0] == loop.stride[1]; });
}

void classify(ConversionPlan& plan, std::int64_t unit) {
  bool view = true, whole_runs = true;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest = 1;
  for (const Box& box : plan.boxes) {
    const std::int64_t run = common_run(box, unit);
    const std::int64_t to = side_by_side(box, 0, unit), from = side_by_side(box, 1, unit);
    const std::int64_t first = plan.boxes[0].base[0] - plan.boxes[0].base[1];
    view = view && is_shift(box) && box.base[0] - box.base[1] == first;
    shortest = std::min(shortest, run);
    longest = std::max(longest, run);
    plan.runs += box.size() / run;
    // Side by side on one side and apart on the other.
    whole_runs = whole_runs && to <= run && from <= run;
    plan.block_to = std::max(plan.block_to, to);
    plan.block_from = std::max(plan.block_from, from);
  }
  if (view) {
    plan.kind = ConversionKind::kView;
    plan.shift = plan.boxes.empty() ? 0 : plan.boxes[0].base[0] - plan.boxes[0].base[1];
  } else if (!whole_runs) {
    plan.kind = ConversionKind::kTranspose;
  } else {
    plan.kind =
        longest > 1 || plan.elements == 1 ? ConversionKind::kCopy : ConversionKind::kScatter;
  }
  plan.run_bytes = plan.boxes.empty() ? 0 : shortest * unit;
}

// ---- As text ------------------------------------------------------------------------------------

constexpr std::string_view kNames = "ijklmnopqrstuvwx";

std::string address(std::string_view memory, const Box& box, int side, int loops) {
  std::string text(memory);
  const auto k = static_cast<std::size_t>(side);
  if (box.base[k] != 0) text += fmt::format("{}{}", text.empty() ? "" : " + ", box.base[k]);
  for (int i = 0; i < loops; ++i) {
    const std::int64_t stride = box.loops[static_cast<std::size_t>(i)].stride[k];
    if (stride == 0) continue;
    const char name = kNames[static_cast<std::size_t>(i)];
    const std::string term = std::abs(stride) == 1 ? std::string(1, name)
                                                   : fmt::format("{} * {}", std::abs(stride), name);
    if (text.empty()) {
      text = stride < 0 ? "-" + term : term;
    } else {
      text += (stride < 0 ? " - " : " + ") + term;
    }
  }
  return text.empty() ? "0" : text;
}

std::string nests(const ConversionPlan& plan, bool python) {
  const int bits = dtype_bits(plan.to_dtype);
  const bool nibbles = bits < 8, computed = plan.kind == ConversionKind::kConvert;
  const std::int64_t unit = nibbles ? 1 : bits / 8;
  std::string text;
  for (const Box& box : plan.boxes) {
    int loops = box.rank;
    std::int64_t length = unit;
    // The innermost loop is one copy where both sides follow it.
    if (!computed && !nibbles && loops > 0) {
      const Loop& inner = box.loops[static_cast<std::size_t>(loops - 1)];
      if (inner.stride[0] == unit && inner.stride[1] == unit)
        length *= box.loops[static_cast<std::size_t>(--loops)].extent;
    }
    std::string indent;
    for (int i = 0; i < loops; ++i) {
      const std::int64_t extent = box.loops[static_cast<std::size_t>(i)].extent;
      const char name = kNames[static_cast<std::size_t>(i)];
      text += python
                  ? fmt::format("{}for {} in range({}):\n", indent, name, extent)
                  : fmt::format("{0}for (long {1} = 0; {1} < {2}; ++{1})\n", indent, name, extent);
      indent += python ? "    " : "  ";
    }
    if (computed || nibbles) {
      const char* const body = computed ? "convert" : "copy_nibble";
      text +=
          fmt::format("{}{}({}, {}){}\n", indent, body, address(python ? "" : "to", box, 0, loops),
                      address(python ? "" : "from", box, 1, loops), python ? "" : ";");
    } else if (python) {
      const std::string to = address("", box, 0, loops), from = address("", box, 1, loops);
      text +=
          fmt::format("{0}to[{1}:{1} + {3}] = source[{2}:{2} + {3}]\n", indent, to, from, length);
    } else {
      text += fmt::format("{}memcpy({}, {}, {});\n", indent, address("to", box, 0, loops),
                          address("from", box, 1, loops), length);
    }
  }
  return text;
}

}  // namespace

std::string_view conversion_name(ConversionKind kind) {
  switch (kind) {
    case ConversionKind::kView:
      return msg("a view: no byte moves");
    case ConversionKind::kCopy:
      return msg("a copy of runs");
    case ConversionKind::kTranspose:
      return msg("a transpose of blocks");
    case ConversionKind::kScatter:
      return msg("element by element, apart on both sides");
    case ConversionKind::kConvert:
      return msg("element by element, into another type");
  }
  return {};
}

ConversionPlan plan_conversion(const Layout& to, const Layout& from) {
  ConversionPlan plan;
  plan.to_dtype = to.dtype();
  plan.from_dtype = from.dtype();
  plan.elements = to.size();
  plan.boxes = fold({&to, &from});
  if (converts_values(to.dtype(), from.dtype())) {
    plan.kind = ConversionKind::kConvert;
    plan.runs = plan.elements;
    return plan;
  }
  classify(plan, to.element_units());
  if (to.unit_bits() == 4) plan.run_bytes = 0;
  return plan;
}

ConversionPlan plan_conversion(const NamedLayout& to, const NamedLayout& from) {
  if (!to.holds_elements || !from.holds_elements)
    user_error("{} stores no element", to.holds_elements ? from.name() : to.name());
  if (!to.axes.permutes(from.axes)) {
    user_error(
        "{} has the axes {}, {} has {}: the elements are reshaped, through a row-major tensor",
        to.name(), to.axes.text(), from.name(), from.axes.text());
  }
  const Layout target = memory_layout(to);
  const Layout source = memory_layout(from).permuted(to.axes.places_in(from.axes));
  for (int d = 0; d < target.rank(); ++d) {
    if (target.extent(d) != source.extent(d)) {
      user_error("{} [{}] cannot become {} [{}]: {}", from.name(), fmt::join(from.spec.shape, ","),
                 to.name(), fmt::join(to.spec.shape, ","), tr("the extents of an axis differ"));
    }
  }
  return plan_conversion(target, source);
}

std::string conversion_c(const ConversionPlan& plan) {
  return nests(plan, false);
}

std::string conversion_python(const ConversionPlan& plan) {
  return nests(plan, true);
}

}  // namespace tensorlane
