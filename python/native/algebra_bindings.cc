// Layouts as functions, conversions as loops, the plan of a layer.
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/layout/algebra.h"
#include "tensorlane/layout/conversion_plan.h"
#include "tensorlane/layout/identify.h"
#include "tensorlane/layout/layer_plan.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane::python {
namespace {

using Numbers = std::vector<std::int64_t>;

// A result as a tensor of its own, written out.
NamedLayout written(const NamedLayout& like, const Layout& layout, const Axes& axes) {
  return make_layout({.system = like.spec.system,
                      .layout = notation(layout, axes),
                      .dtype = like.spec.dtype,
                      .memory = like.spec.memory,
                      .owner = like.spec.owner});
}

// Axes without letters of their own.
NamedLayout unnamed(const NamedLayout& like, const Layout& layout) {
  return written(like, layout, {});
}

Axes without(const Axes& axes, int place) {
  std::string letters = axes.text();
  letters.erase(static_cast<std::size_t>(place), 1);
  return Axes(letters);
}

int place_of_axis(const NamedLayout& self, const std::string& name) {
  for (int d = 0; d < self.axes.size(); ++d) {
    if (axis_name(self.axes[d]) == name) return d;
  }
  user_error("{} has no axis '{}'", self.name(), name);
}

NamedLayout sliced(const NamedLayout& self, const std::string& axis, std::int64_t first,
                   std::int64_t count) {
  const int d = place_of_axis(self, axis);
  if (first < 0 || count < 1 || first + count > self.layout.extent(d)) {
    user_error("{} indices of {} from {} on: it has 0 to {}", count, axis, first,
               self.layout.extent(d) - 1);
  }
  return written(self, self.layout.slice(d, first, count), self.axes);
}

NamedLayout at_index(const NamedLayout& self, const std::string& axis, std::int64_t index) {
  const int d = place_of_axis(self, axis);
  return written(self, fixed(self.layout, d, index), without(self.axes, d));
}

NamedLayout permuted(const NamedLayout& self, const std::string& letters) {
  const Axes axes = letters.size() <= 8 ? Axes(letters) : Axes();
  if (!axes.permutes(self.axes))
    user_error("'{}' is no order of the axes {}", letters, self.axes.text());
  return written(self, self.layout.permuted(axes.places_in(self.axes)), axes);
}

std::optional<Numbers> element_at(const NamedLayout& self, std::int64_t address) {
  const std::optional<Layout::Index> index =
      self.holds_elements ? self.layout.element_at(address) : std::nullopt;
  if (!index) return std::nullopt;
  return Numbers(index->begin(), index->begin() + self.layout.rank());
}

py::dict conversion(const NamedLayout& from, const NamedLayout& to) {
  constexpr const char* kKinds[] = {"view", "copy", "transpose", "scatter", "convert"};
  const ConversionPlan plan = plan_conversion(to, from);
  py::dict result;
  result["kind"] = kKinds[static_cast<std::size_t>(plan.kind)];
  result["runs"] = plan.runs;
  result["run_bytes"] = plan.run_bytes;
  result["side_by_side"] = py::make_tuple(plan.block_from, plan.block_to);
  result["c"] = conversion_c(plan);
  result["python"] = conversion_python(plan);
  return result;
}

std::vector<System> systems_of(const NamedLayout& tensor) {
  std::vector<System> systems = {tensor.spec.system};
  if (tensor.spec.system != System::kMace) systems.push_back(System::kMace);
  return systems;
}

std::vector<std::tuple<NamedLayout, std::int64_t, std::int64_t>> from_bytes(
    const NamedLayout& plain, const py::buffer& original, const py::buffer& dump) {
  const Bytes known(original), bytes(dump);
  std::vector<std::tuple<NamedLayout, std::int64_t, std::int64_t>> places;
  for (const DumpPlace& place : layouts_of_bytes(
           plain, known.span(), bytes.span(),
           {.systems = systems_of(plain), .memory = plain.spec.memory, .owner = plain.spec.owner}))
    places.emplace_back(place.tensor, place.begin, place.npu_bytes);
  return places;
}

// ---- Plans of layers ----------------------------------------------------------------------------

using CommandTuple = std::tuple<std::string, std::vector<std::string>, std::vector<Numbers>>;

Plane plane(const Numbers& numbers) {
  return {numbers.at(0), numbers.at(1)};
}

LayerPlan plan_of_layer(const std::string& chip_name, const py::list& tensors,
                        const std::vector<CommandTuple>& commands, bool shared_banks) {
  const Chip& chip = find_chip(chip_name);
  std::vector<PlanTensor> asked;
  for (const py::handle& each : tensors) {
    const auto [name, layout, buffers, whole] =
        each.cast<std::tuple<std::string, NamedLayout, int, bool>>();
    asked.push_back({.name = name, .spec = layout.spec, .buffers = buffers, .whole = whole});
  }
  std::vector<PlanCommand> made;
  for (const auto& [output, inputs, windows] : commands) {
    made.push_back({.output = output,
                    .inputs = inputs,
                    .kernel = plane(windows.at(0)),
                    .stride = plane(windows.at(1)),
                    .pad = plane(windows.at(2)),
                    .dilation = plane(windows.at(3))});
  }
  return plan_layer(std::move(asked), std::move(made), chip.local.npu_bytes / chip.banks_per_npu,
                    shared_banks ? BankUse::kShared : BankUse::kOwn);
}

py::dict cuts_of(const LayerPlan& plan) {
  py::dict cuts;
  for (const LayerCut& cut : plan.cuts) {
    if (plan.fits) cuts[py::str(axis_name(cut.axis))] = cut.parts;
  }
  return cuts;
}

py::list places_of_layer(const LayerPlan& plan) {
  py::list rows;
  for (const LayerPlace& place : plan.places) {
    const PlanTensor& tensor = plan.tensors[static_cast<std::size_t>(place.tensor)];
    py::dict row;
    row["tensor"] = tensor.name;
    row["buffer"] = place.buffer;
    row["address"] = place.offset + tensor.spec.start_npu * plan.memory.npu_bytes;
    row["bytes"] = place.bytes;
    row["shape"] = plan.part_shape(place.tensor);
    rows.append(row);
  }
  return rows;
}

std::vector<std::array<std::int64_t, 2>> spans_of(const LayerPlan& plan, const std::string& tensor,
                                                  const std::string& axis) {
  for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
    if (plan.tensors[t].name != tensor) continue;
    const NamedLayout made = make_layout(plan.tensors[t].spec);
    const Axis own = made.axes[place_of_axis(made, axis)];
    const int at = static_cast<int>(t);
    const std::optional<int> cut = plan.fits ? plan.cut_of(at, own) : std::nullopt;
    const std::int64_t parts = cut ? plan.cuts[static_cast<std::size_t>(*cut)].parts : 1;
    std::vector<std::array<std::int64_t, 2>> spans;
    for (std::int64_t part = 0; part < parts; ++part) {
      const Span span = plan.span(at, own, part);
      spans.push_back({span.first, span.count});
    }
    return spans;
  }
  user_error("the plan has no tensor '{}'", tensor);
}

}  // namespace

void add_algebra(py::module_& module) {
  module.def("cute", [](const NamedLayout& self) { return cute_notation(self.layout); });
  module.def("coalesced", [](const NamedLayout& self) {
    return written(self, coalesced(self.layout), self.axes);
  });
  module.def("composition", [](const NamedLayout& outer, const NamedLayout& inner) {
    return written(outer, composition(outer.layout, inner.layout), inner.axes);
  });
  module.def("complement", [](const NamedLayout& self, std::int64_t size) {
    return unnamed(self, complement(self.layout, size));
  });
  module.def("inverse",
             [](const NamedLayout& self) { return unnamed(self, inverse_layout(self.layout)); });
  module.def("inverse_text",
             [](const NamedLayout& self) { return Inverse(self.layout).text(self.axes); });
  module.def("divided", [](const NamedLayout& self, const Numbers& tile) {
    return unnamed(self, divided(self.layout, tile));
  });
  module.def("tiled", [](const NamedLayout& self, const NamedLayout& grid) {
    return written(self, tiled(self.layout, grid.layout), self.axes);
  });
  module.def("sliced", sliced);
  module.def("at_index", at_index);
  module.def("permuted", permuted);
  module.def("same_places", [](const NamedLayout& a, const NamedLayout& b) {
    return a.axes.permutes(b.axes) &&
           same_places(a.layout.permuted(b.axes.places_in(a.axes)), b.layout);
  });
  module.def("element_at", element_at);
  module.def("conversion", conversion);
  module.def("names_of", [](const NamedLayout& self) { return names_of(self, systems_of(self)); });
  module.def("layouts_of_bytes", from_bytes);
  py::class_<LayerPlan>(module, "LayerPlan")
      .def_property_readonly("fits", [](const LayerPlan& self) { return self.fits; })
      .def_property_readonly("parts", &LayerPlan::parts)
      .def_property_readonly("cuts", cuts_of)
      .def_property_readonly("own_banks",
                             [](const LayerPlan& self) { return self.banks == BankUse::kOwn; })
      .def_property_readonly("channels_outside",
                             [](const LayerPlan& self) { return self.channels_first; })
      .def_property_readonly("loaded_bytes",
                             [](const LayerPlan& self) { return self.loaded_bytes; })
      .def_property_readonly("least_bytes", [](const LayerPlan& self) { return self.least_bytes; })
      .def_property_readonly("places", places_of_layer)
      .def("spans", spans_of)
      .def("c", &layer_plan_c)
      .def("python", &layer_plan_python);
  module.def("plan_layer", plan_of_layer);
}

}  // namespace tensorlane::python
