// The layout toolkit for a web page: one function, JSON in and out.
//
//   {"do": "list"}                    {"owners":[{"name":"bm1684","npus":64,"layouts":[{"name":..,
//                                     "axes":["n","c","h","w"],"summary":..,"summary_zh":..,
//                                     "dtypes":[..],"columns":false,"strides":false,"local":true},..]}]}
//   {"do": "draw", "chip": "bm1684", "layout": "aligned", "dtype": "fp32", "shape": [2,3,4,5],
//    "start_npu": 0, "columns": 8, "strides": [..], "npus": 4, "npu_bytes": 1024}
//                                     {"svg":"..","rule":"..","bytes_per_npu":..,"bytes":..,
//                                     "strides":[..],"strides_call":"..","kind":"local"}
//   {"do": "table", ...}              {"rows":[{"index":[..],"npu":..,"offset":..},..]}, as `layout
//   table --json`
//   {"do": "ways", .., "to": {"chip": "mace", "layout": "NHWC", "start_npu": 0, "columns": 8},
//    "way": [..], "animate": false}
//                                     {"svg":"..","shape":[..]}: both layouts, as `layout draw
//                                     --to`
//   {"do": "place", .., "index": [..]}            as `tensorlane layout locate --json`
//   {"do": "element", .., "npu":0, "byte":64}     {"index":[..]} or {"index":null};
//   "pixel":[x,y,lane]
//
// "lang": "zh" has texts in Chinese. What is wrong comes back as {"error":".."}: the text that the
// command line prints.
#include <emscripten/emscripten.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layout_place.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/element_place.h"
#include "tensorlane/layout/named.h"

namespace tensorlane::cli {
namespace {

constexpr std::int64_t kMostRows = 4096;

// The chip that a system of layouts is named after; none for MACE, which has no NPUs.
const Chip* chip_of(System system) {
  for (const Chip* const chip : all_chips()) {
    if (chip->name == system_name(system)) return chip;
  }
  return nullptr;
}

System find_system(const std::string& name) {
  for (const System system : kAllSystems) {
    if (system_name(system) == name) return system;
  }
  user_error("unknown chip '{}'", name);
}

Json list() {
  Json owners = Json::array();
  for (const System system : kAllSystems) {
    Json layouts = Json::array();
    for (const LayoutInfo& info : layouts_of(system)) {
      Json axes = Json::array(), dtypes = Json::array();
      for (const Axis axis : info.axes) axes.push_back(axis_name(axis));
      for (const DtypeInfo& dtype : all_dtypes()) {
        if (info.takes(dtype.dtype)) dtypes.push_back(dtype.name);
      }
      layouts.push_back({{"name", info.name},
                         {"axes", axes},
                         {"summary", info.summary},
                         {"summary_zh", translated(info.summary, Language::kChinese)},
                         {"dtypes", dtypes},
                         {"strides", info.takes_strides},
                         {"winograd", info.winograd}});
    }
    const Chip* const chip = chip_of(system);
    owners.push_back({{"name", system_name(system)},
                      {"npus", chip == nullptr ? 0 : chip->local.npus},
                      {"npu_bytes", chip == nullptr ? 0 : chip->local.npu_bytes},
                      {"layouts", layouts}});
  }
  return {{"owners", owners}};
}

NamedLayout tensor_of(const Json& request) {
  LayoutSpec spec;
  spec.system = find_system(request.at("chip").text());
  spec.layout = request.at("layout").text();
  spec.dtype = parse_dtype(request.value("dtype", "fp32"));
  spec.shape = request.at("shape").get<std::vector<std::int64_t>>();
  spec.start_npu = request.value("start_npu", std::int64_t{0});
  spec.offset = request.value("offset", std::int64_t{0});
  if (const Json* const strides = request.find("strides"))
    spec.strides = strides->get<std::vector<std::int64_t>>();
  if (const Json* const columns = request.find("columns"))
    spec.cols_per_channel = columns->get<std::int64_t>();
  if (const Chip* const chip = chip_of(spec.system)) {
    LocalMemory memory = chip->local;
    memory.npus = request.value("npus", memory.npus);
    memory.npu_bytes = request.value("npu_bytes", memory.npu_bytes);
    if (memory.npus < 1 || memory.npus > 65536 || memory.npu_bytes < 1)
      user_error("--npus {}, --npu-bytes {}: both start at 1", memory.npus, memory.npu_bytes);
    spec.memory = memory;
  }
  NamedLayout tensor = make_layout(spec);
  check_fits(tensor);
  return tensor;
}

int banks_of_chip(const NamedLayout& tensor) {
  const Chip* const chip = chip_of(tensor.spec.system);
  return chip == nullptr ? 1 : chip->banks_per_npu;
}

Json draw(const NamedLayout& tensor) {
  return {{"svg", draw_svg(tensor, banks_of_chip(tensor))},
          {"rule", tensor.rule()},
          {"summary", tensor.info->summary},
          {"summary_zh", translated(tensor.info->summary, Language::kChinese)},
          {"source", tensor.info->source},
          {"bytes_per_npu", tensor.bytes_per_npu},
          {"bytes", tensor.total_bytes()},
          {"strides", tensor.strides},
          {"strides_call", tensor.strides_call()},
          {"kind", tensor.is_image()   ? "image"
                   : tensor.is_local() ? "local"
                                       : "linear"}};
}

// The same tensor in another layout, beside it.
Json ways(const NamedLayout& tensor, const Json& request) {
  Json other = request.at("to");
  const Axes axes = layout_axes(find_system(other.at("chip").text()), other.at("layout").text());
  std::vector<std::int64_t> shape = tensor.spec.shape;
  if (axes.permutes(tensor.axes)) {
    shape.clear();
    for (const int d : axes.places_in(tensor.axes))
      shape.push_back(tensor.spec.shape[static_cast<std::size_t>(d)]);
  } else if (axes.size() == 2 && shape.size() > 1) {  // a matrix of as many rows
    std::int64_t columns = 1;
    for (std::size_t k = 1; k < shape.size(); ++k) columns *= shape[k];
    shape = {shape[0], columns};
  }
  other["shape"] = shape;
  other["dtype"] = dtype_name(tensor.spec.dtype);
  if (const Json* const npus = request.find("npus"); npus && !other.contains("npus"))
    other["npus"] = *npus;
  ConversionPicture what;
  what.animated = request.value("animate", false);
  if (const Json* const way = request.find("way"); way && !way->empty()) {
    Layout::Index index{};
    if (static_cast<int>(way->size()) != tensor.layout.rank())
      user_error("{} '{}' has {} numbers; it takes {}: {}", "--way", way->dump(), way->size(),
                 tensor.layout.rank(), tensor.axes.text());
    for (std::size_t d = 0; d < way->size(); ++d) index[d] = (*way)[d].get<std::int64_t>();
    what.ways.push_back(index);
  }
  return {{"svg", draw_conversion_svg(tensor, tensor_of(other), what)}, {"shape", shape}};
}

Json table(const NamedLayout& tensor) {
  if (tensor.layout.size() > kMostRows)
    user_error("{} elements; a table has at most {}", tensor.layout.size(), kMostRows);
  const std::vector<std::string_view> names = place_names(tensor);
  Json rows = Json::array();
  for_each_element(tensor, [&](const Layout::Index& index, const auto& place) {
    Json row = {
        {"index", std::vector<std::int64_t>(index.begin(), index.begin() + tensor.layout.rank())}};
    for (std::size_t k = 0; k < names.size(); ++k) row[names[k]] = place[k];
    rows.push_back(std::move(row));
  });
  return {{"rows", rows}};
}

Json element(const NamedLayout& tensor, const Json& request) {
  std::optional<std::vector<std::int64_t>> index;
  if (tensor.is_image()) {
    const Json& pixel = request.at("pixel");
    index = element_at_pixel(tensor, pixel[0].get<std::int64_t>(), pixel[1].get<std::int64_t>(),
                             pixel[2].get<std::int64_t>());
  } else {
    index = element_at_byte(tensor, request.value("npu", std::int64_t{0}),
                            request.at("byte").get<std::int64_t>());
  }
  return {{"index", index ? Json(*index) : Json(nullptr)}};
}

Json answer(const Json& request) {
  set_language(request.value("lang", "en") == "zh" ? Language::kChinese : Language::kEnglish);
  const std::string& what = request.at("do").text();
  if (what == "list") return list();
  const NamedLayout tensor = tensor_of(request);
  if (what == "draw") return draw(tensor);
  if (what == "ways") return ways(tensor, request);
  if (what == "table") return table(tensor);
  if (what == "place") {
    return element_place(tensor, request.at("index").get<std::vector<std::int64_t>>(),
                         banks_of_chip(tensor));
  }
  if (what == "element") return element(tensor, request);
  user_error("unknown request '{}'", what);
}

}  // namespace
}  // namespace tensorlane::cli

// The text is valid until the next call.
extern "C" EMSCRIPTEN_KEEPALIVE const char* tensorlane_layouts(const char* request) {
  static std::string text;
  try {
    text = tensorlane::cli::answer(tensorlane::Json::parse(request)).dump();
  } catch (const std::exception& error) {
    text = tensorlane::Json{{"error", error.what()}}.dump();
  }
  return text.c_str();
}
