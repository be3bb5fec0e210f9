// Named layouts: addresses, pictures, conversion, plans of local memory.
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "tensorlane/base/error.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/front_ends/layout_owner.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/element_place.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/notation.h"
#include "tensorlane/layout/plan.h"

namespace tensorlane::python {
namespace {

using Shape = std::vector<std::int64_t>;

// What a layout is asked for with; names as in LayoutSpec.
LayoutSpec spec_of(const std::string& owner_name, const std::string& layout,
                   const std::string& dtype, const Shape& shape, const py::kwargs& more) {
  const LayoutOwner owner = find_owner(owner_name);
  LayoutSpec spec{.system = owner.system,
                  .layout = layout,
                  .dtype = parse_dtype(dtype),
                  .shape = shape,
                  .owner = owner.name};
  if (owner.chip != nullptr) spec.memory = owner.chip->local;
  const auto is = [](const py::handle& key, const char* name) {
    return key.cast<std::string>() == name;
  };
  for (const auto& [key, value] : more) {
    if (value.is_none()) continue;
    if (is(key, "start_npu")) {
      spec.start_npu = value.cast<std::int64_t>();
    } else if (is(key, "offset")) {
      spec.offset = value.cast<std::int64_t>();
    } else if (is(key, "strides")) {
      spec.strides = value.cast<Shape>();
    } else if (is(key, "cols_per_channel")) {
      spec.cols_per_channel = value.cast<std::int64_t>();
    } else if (is(key, "winograd_block")) {
      spec.winograd_block = value.cast<int>();
    } else if (is(key, "system_memory")) {
      spec.system_memory = value.cast<bool>();
    } else {
      throw py::type_error("a layout takes no '" + key.cast<std::string>() + "'");
    }
  }
  return spec;
}

Layout::Index index_of(const NamedLayout& self, const Shape& index) {
  const int rank = self.layout.rank();
  if (static_cast<int>(index.size()) != rank) {
    user_error("index has {} numbers; {} has {} axes", index.size(), self.name(), rank);
  }
  Layout::Index at{};
  for (int dim = 0; dim < rank; ++dim) {
    const std::int64_t extent = self.layout.extent(dim),
                       given = index[static_cast<std::size_t>(dim)];
    if (given < 0 || given >= extent) {
      user_error("index {} of axis {} is outside 0 to {}", given, axis_name(self.axes[dim]),
                 extent - 1);
    }
    at[static_cast<std::size_t>(dim)] = given;
  }
  return at;
}

py::tuple address_of(const NamedLayout& self, const Shape& index) {
  const auto place = place_of(self, index_of(self, index));
  const std::size_t numbers = place_names(self).size();
  py::tuple result(numbers);
  for (std::size_t k = 0; k < numbers; ++k) result[k] = place[k];
  return result;
}

// Rows of int64: the index of each element, then its place.
void fill_table(const NamedLayout& self, const py::buffer& out) {
  const Bytes bytes(out, true);
  const std::size_t rank = static_cast<std::size_t>(self.layout.rank()),
                    numbers = place_names(self).size();
  const auto rows = self.holds_elements ? static_cast<std::size_t>(self.layout.size()) : 0;
  if (bytes.span().size() != rows * (rank + numbers) * sizeof(std::int64_t))
    throw py::value_error("the buffer has another size");
  auto* next = reinterpret_cast<std::int64_t*>(bytes.span().data());
  const py::gil_scoped_release unlocked;
  for_each_element(self, [&](const Layout::Index& index, const auto& place) {
    next = std::copy_n(index.begin(), rank, next);
    next = std::copy_n(place.begin(), numbers, next);
  });
}

void convert_into(const NamedLayout& to, const py::buffer& target, const NamedLayout& from,
                  const py::buffer& source) {
  const Bytes out(target, true), in(source);
  const py::gil_scoped_release unlocked;
  convert(to, out.span(), from, in.span());
}

// The row-major layout of the same axes in the same order; of letters that none has, elements keep
// their order (see convert.h).
NamedLayout row_major(const NamedLayout& self) {
  LayoutSpec spec{.system = System::kBm1684,
                  .layout = std::string(layout_names::kContinuous),
                  .dtype = self.spec.dtype};
  if (self.info->written) {
    spec.layout = notation(row_major_layout(self.spec.shape, spec.dtype), self.axes);
    return make_layout(spec);
  }
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      if (!info.row_major || info.axes != self.axes) continue;
      spec.system = system;
      spec.layout = info.name;
    }
  }
  spec.shape =
      converted_shape(find_layout(spec.system, spec.layout).axes, self.axes, self.spec.shape);
  return make_layout(spec);
}

// Elements that follow each other, of one type into another, with the chips' rounding.
void convert_elements(const std::string& from_dtype, const py::buffer& source,
                      const std::string& to_dtype, const py::buffer& target) {
  const auto line = [](const std::string& dtype, std::span<const std::byte> bytes) {
    Layout layout(parse_dtype(dtype));
    const auto units = static_cast<std::int64_t>(bytes.size()) * 8 / layout.unit_bits();
    const std::int64_t extent = units / layout.element_units();
    layout.add_dim(extent, {{extent, layout.element_units()}});
    return layout;
  };
  const Bytes in(source), out(target, true);
  const Layout from = line(from_dtype, in.span()), to = line(to_dtype, out.span());
  if (from.size() != to.size()) throw py::value_error("the buffers hold different numbers");
  const py::gil_scoped_release unlocked;
  convert(to, out.span().data(), from, in.span().data());
}

std::vector<std::string> axis_letters(const NamedLayout& self) {
  std::vector<std::string> letters;
  for (const Axis axis : self.axes) letters.push_back(axis_name(axis));
  return letters;
}

py::dict row_of(const LayoutInfo& info) {
  py::dict row;
  row["system"] = std::string(system_name(info.system));
  row["name"] = std::string(info.name);
  std::string axes;
  for (const Axis axis : info.axes) axes += axis_letter(axis);
  row["axes"] = axes;
  row["summary"] = std::string(info.summary);
  row["rule"] = std::string(info.rule);
  return row;
}

py::object extents_of(const LocalPlan& plan) {
  if (!plan.tile) return py::none();
  py::dict extents;
  extents["n"] = plan.tile->n;
  extents["c"] = plan.tile->c;
  extents["h"] = plan.tile->h;
  extents["w"] = plan.tile->w;
  extents["o"] = plan.tile->o;
  return extents;
}

py::list places_of(const LocalPlan& plan) {
  py::list rows;
  for (const PlanPlace& place : plan.places) {
    const PlanTensor& tensor = plan.tensors[static_cast<std::size_t>(place.tensor)];
    py::dict row;
    row["tensor"] = tensor.name;
    row["buffer"] = place.buffer;
    row["address"] = place.offset + tensor.spec.start_npu * plan.memory.npu_bytes;
    row["bytes"] = place.bytes;
    row["shape"] = plan.part(tensor, *plan.tile).spec.shape;
    rows.append(row);
  }
  return rows;
}

LocalPlan plan_of(const std::string& chip_name, const py::list& tensors, bool shared_banks) {
  const Chip& chip = find_chip(chip_name);
  std::vector<PlanTensor> asked;
  for (const py::handle& each : tensors) {
    const auto [name, layout, buffers, whole] =
        each.cast<std::tuple<std::string, NamedLayout, int, bool>>();
    asked.push_back({.name = name, .spec = layout.spec, .buffers = buffers, .whole = whole});
  }
  return plan_local_memory(std::move(asked), chip.local.npu_bytes / chip.banks_per_npu,
                           shared_banks ? BankUse::kShared : BankUse::kOwn);
}

}  // namespace

void add_layouts(py::module_& module) {
  py::class_<NamedLayout>(module, "NamedLayout")
      .def(py::init([](const std::string& owner, const std::string& layout,
                       const std::string& dtype, const Shape& shape, const py::kwargs& more) {
        return make_layout(spec_of(owner, layout, dtype, shape, more));
      }))
      .def_property_readonly(
          "owner", [](const NamedLayout& self) { return std::string(self.spec.owner_name()); })
      .def_property_readonly("name",
                             [](const NamedLayout& self) { return std::string(self.name()); })
      .def_property_readonly(
          "dtype", [](const NamedLayout& self) { return std::string(dtype_name(self.spec.dtype)); })
      .def_property_readonly("shape", [](const NamedLayout& self) { return self.spec.shape; })
      .def_property_readonly("strides", [](const NamedLayout& self) { return self.strides; })
      .def_property_readonly("axes", axis_letters)
      .def_property_readonly("is_local", &NamedLayout::is_local)
      .def_property_readonly("is_image", &NamedLayout::is_image)
      .def_property_readonly("is_row_major",
                             [](const NamedLayout& self) { return self.is_row_major(); })
      .def_property_readonly("holds_elements",
                             [](const NamedLayout& self) { return self.holds_elements; })
      .def_property_readonly("bytes_per_npu",
                             [](const NamedLayout& self) { return self.bytes_per_npu; })
      .def_property_readonly("nbytes", &NamedLayout::total_bytes)
      .def_property_readonly("notation", [](const NamedLayout& self) { return notation(self); })
      .def_property_readonly("rule",
                             [](const NamedLayout& self) { return std::string(self.rule()); })
      .def_property_readonly("source",
                             [](const NamedLayout& self) { return std::string(self.info->source); })
      .def_property_readonly("place_names",
                             [](const NamedLayout& self) {
                               std::vector<std::string> names;
                               for (const std::string_view name : place_names(self))
                                 names.emplace_back(name);
                               return names;
                             })
      .def("address", address_of)
      .def("fill_table", fill_table)
      .def("check_fits", &check_fits)
      .def("svg", [](const NamedLayout& self) { return draw_svg(self); })
      .def("text", [](const NamedLayout& self, int columns) { return draw_text(self, columns); });
  py::class_<LocalPlan>(module, "LocalPlan")
      .def_property_readonly("bytes_per_npu",
                             [](const LocalPlan& self) { return self.bytes_per_npu; })
      .def_property_readonly("fits", [](const LocalPlan& self) { return self.fits; })
      .def_property_readonly("own_banks",
                             [](const LocalPlan& self) { return self.banks == BankUse::kOwn; })
      .def_property_readonly("parts", [](const LocalPlan& self) { return self.parts; })
      .def_property_readonly("tile", extents_of)
      .def_property_readonly("places", places_of)
      .def("svg", [](const LocalPlan& self) { return draw_plan_svg(self); });
  module.def("plan", plan_of);
  module.def("convert", convert_into);
  module.def("convert_elements", convert_elements);
  module.def("row_major", row_major);
  module.def("layout_rows", [](const std::string& owner) {
    py::list rows;
    for (const LayoutInfo& info : layouts_of(find_owner(owner).system)) rows.append(row_of(info));
    return rows;
  });
  // Bits of an element; the name as the library spells it.
  module.def("dtype_of", [](const std::string& name) {
    const DtypeInfo& info = dtype_info(parse_dtype(name));
    return py::make_tuple(std::string(info.name), info.bits);
  });
}

}  // namespace tensorlane::python
