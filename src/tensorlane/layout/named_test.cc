// The named layouts against every mapping of the reference data, and laws over random shapes.
#include "tensorlane/layout/named.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/layout_test_support.h"

namespace tensorlane {
namespace {

using nlohmann::json;

json read_json(const std::string& name) {
  std::ifstream file(TENSORLANE_TESTDATA "/layout/" + name);
  return json::parse(file);
}

std::vector<std::int64_t> integers(const json& list) {
  return list.get<std::vector<std::int64_t>>();
}

std::vector<std::int64_t> nchw(const json& object) {
  return {object["n"], object["c"], object["h"], object["w"]};
}

// ---- figures of OKKernel's documents -----------------------------------------------------------

LayoutSpec spec_of_figure(const json& figure) {
  LayoutSpec spec;
  spec.memory = LocalMemory{figure["npu_num"], figure["local_mem_size"], 128};
  spec.start_npu = figure["start_npu"];
  spec.shape = nchw(figure["shape"]);
  const std::string layout = figure["layout"];
  if (figure.contains("element_dtype")) {
    spec.dtype = parse_dtype(figure["element_dtype"].get<std::string>());
    spec.layout = layout_names::packed(dtype_bits(spec.dtype));
  } else if (figure.contains("matrix")) {
    const json& matrix = figure["matrix"];
    spec.layout = "matrix";
    spec.shape = {matrix["rows"], matrix["cols"]};
    spec.cols_per_channel = matrix["cols_per_channel"];
  } else {
    spec.layout = layout;
    if (find_layout(spec.system, layout).either_memory()) spec.strides = nchw(figure["strides"]);
  }
  return spec;
}

TEST(Figures, EveryMappingIsReproduced) {
  int figures = 0;
  const json figures_file = read_json("figures.json");
  for (const auto& [name, figure] : figures_file.items()) {
    if (figure["mapping"].empty()) continue;
    SCOPED_TRACE(name);
    ++figures;
    const NamedLayout tensor = make_layout(spec_of_figure(figure));
    ASSERT_EQ(tensor.layout.size(), static_cast<std::int64_t>(figure["mapping"].size()));
    EXPECT_EQ(tensor.strides, nchw(figure["strides"]));
    for (const json& row : figure["mapping"]) {
      std::vector<std::int64_t> index = {row[0], row[1], row[2], row[3]};
      if (tensor.axes.has(Axis::kRow)) {
        index = {row[0], row[1].get<std::int64_t>() * *tensor.spec.cols_per_channel +
                             row[3].get<std::int64_t>()};
      }
      EXPECT_EQ(tensor.layout.local_address(index), (LocalAddress{row[4], row[5]}));
    }
  }
  EXPECT_EQ(figures, 14);
}

TEST(Figures, AddressesFallIntoTheirNpus) {
  const json figure = read_json("figures.json")["address"];
  for (const auto& [name, point] : figure["points"].items()) {
    EXPECT_EQ(split_local_address(kFigureLocal, point["address"]),
              (LocalAddress{point["npu"], point["byte_offset"]}))
        << name;
  }
}

// The scatter figures name channels and NPUs in terms of X, the number of NPUs.
TEST(Figures, ChannelsScatterForAnyNumberOfNpus) {
  const auto value = [](const json& text, std::int64_t npus) -> std::int64_t {
    if (text.is_number()) return text;
    const std::string expression = text;
    if (expression.front() != 'X' && expression.front() != 'N') return std::stoll(expression);
    const std::int64_t base = expression.front() == 'X' ? npus : 2;  // N = 2 batches
    return base + (expression.size() > 1 ? std::stoll(expression.substr(1)) : 0);
  };
  int labels = 0;
  for (const std::int64_t npus : {4, 8, 64}) {
    for (const char* name : {"scatter_0", "scatter_1", "scatter_2", "scatter_3"}) {
      SCOPED_TRACE(name);
      const json figure = read_json("figures.json")[name];
      LayoutSpec spec{.layout = "compact",
                      .shape = {2, value(figure["shape"]["c"], npus), 1, 1},
                      .start_npu = value(figure["start_npu"], npus),
                      .memory = LocalMemory{static_cast<int>(npus), 1024, 128}};
      const NamedLayout tensor = make_layout(spec);
      EXPECT_EQ(channels_per_npu(tensor.memory(), spec.start_npu, spec.shape[1]),
                figure["channels_per_npu"]);
      for (const json& feature : figure["features"]) {
        const std::int64_t index[] = {value(feature["n"], npus), value(feature["c"], npus), 0, 0};
        if (index[0] >= 2 || index[1] >= spec.shape[1]) continue;
        const LocalAddress at = tensor.layout.local_address(index);
        EXPECT_EQ(at.npu, value(feature["npu"], npus));
        EXPECT_EQ(at.offset / 4, index[0] * figure["channels_per_npu"].get<std::int64_t>() +
                                     feature["row_in_batch"].get<std::int64_t>());
        ++labels;
      }
    }
  }
  EXPECT_EQ(labels, 3 * (12 + 12 + 21 + 21));
}

// ---- BM1684X -----------------------------------------------------------------------------------

Dtype dtype_of(const std::string& name) {
  static const std::map<std::string, Dtype> kNames = {{"8bit", Dtype::kInt8},
                                                      {"INT8", Dtype::kInt8},
                                                      {"FP16", Dtype::kFp16},
                                                      {"FP32", Dtype::kFp32}};
  return kNames.at(name);
}

TEST(Bm1684x, EveryExampleIsReproduced) {
  int examples = 0;
  const json file = read_json("layouts_bm1684x.json");
  for (const json& example : file["examples"]) {
    SCOPED_TRACE(example["id"].get<std::string>());
    ++examples;
    LayoutSpec spec{.system = System::kBm1684x,
                    .layout = example["layout"],
                    .dtype = dtype_of(example["dtype"]),
                    .shape = integers(example["shape"])};
    const LayoutInfo& info = find_layout(spec.system, spec.layout);
    if (info.either_memory()) {
      spec.strides = nchw(example["strides_elements"]);
    }
    if (example["memory"] == "linear") {
      spec.system_memory = true;
    } else {
      spec.start_npu = example["start_npu"];
      spec.memory = LocalMemory{example["npu_count"], 262144, 64};
    }
    // Matrix and vector examples are listed as the tensor (rows, channels, 1, w); the vector of 10
    // with w = 4 is listed with its reserved tail.
    if (info.axes.has(Axis::kColumn)) {
      spec.cols_per_channel = spec.shape[3];
      const std::int64_t cols = spec.shape[1] * spec.shape[3];
      spec.shape = info.axes.has(Axis::kRow) ? std::vector{spec.shape[0], cols} : std::vector{cols};
    }
    const NamedLayout tensor = make_layout(spec);
    EXPECT_EQ(tensor.strides, nchw(example["strides_elements"]));
    ASSERT_EQ(tensor.layout.size(),
              static_cast<std::int64_t>(tensor.spec.shape.empty() ? 0 : example["map"].size()));
    for (const json& row : example["map"]) {
      std::vector<std::int64_t> index = {row[0], row[1], row[2], row[3]};
      if (spec.cols_per_channel) {
        const std::int64_t col =
            row[1].get<std::int64_t>() * *spec.cols_per_channel + row[3].get<std::int64_t>();
        index = info.axes.has(Axis::kRow) ? std::vector{index[0], col} : std::vector{col};
      }
      if (tensor.is_local()) {
        EXPECT_EQ(tensor.layout.local_address(index), (LocalAddress{row[4], row[5]}));
      } else {
        EXPECT_EQ(tensor.layout.address(index), row[5]);
      }
    }
  }
  EXPECT_EQ(examples, 21);
}

TEST(Bm1684x, EveryKernelIsReproduced) {
  const json file = read_json("layouts_bm1684x.json");
  for (const json& weight : file["weights"]) {
    SCOPED_TRACE(weight["id"].get<std::string>());
    const bool fp32 = weight["dtype"] == "FP32";
    const bool int8 = weight["dtype"] == "INT8";
    LayoutSpec spec{.system = System::kBm1684x,
                    .layout = fp32   ? "1IC"
                              : int8 ? "64IC"
                                     : "32IC",
                    .dtype = dtype_of(weight["dtype"]),
                    .shape = {66, fp32 ? 66 : 70, fp32 ? 1 : 2, fp32 ? 2 : 3},
                    .memory = kBm1684xLocal};
    const NamedLayout tensor = make_layout(spec);
    for (const json& row : weight["map"]) {
      const std::int64_t index[] = {row[0], row[1], row[2], row[3]};
      EXPECT_EQ(tensor.layout.local_address(index), (LocalAddress{row[4], row[5]}));
    }
    if (!fp32) {
      const json& stride = weight["strides_elements"];
      EXPECT_EQ(tensor.strides, (std::vector<std::int64_t>{stride["n"], stride["group"],
                                                           stride["h"], stride["w"]}));
    }
  }
}

// ---- MACE --------------------------------------------------------------------------------------

// The names of the reference data that differ from ours, or take part of the shape elsewhere.
NamedLayout make_mace(const std::string& name, const json& example) {
  LayoutSpec spec{.system = System::kMace, .layout = name, .shape = integers(example["shape"])};
  if (example.contains("wino_block")) spec.winograd_block = example["wino_block"];
  return make_layout(spec);
}

TEST(Mace, EveryImageIsReproducedLaneByLane) {
  int examples = 0;
  const json file = read_json("mappings.json");
  for (const json& layout : file["layouts"]) {
    const std::string name = layout["layout"];
    for (const json& example : layout["examples"]) {
      if (!example.contains("image")) continue;
      SCOPED_TRACE(name + " " + example["shape"].dump());
      ++examples;
      const NamedLayout tensor = make_mace(name, example);
      EXPECT_EQ(tensor.layout.image_width(), example["image"]["width"]);
      EXPECT_EQ(tensor.image_height, example["image"]["height"]);
      EXPECT_EQ(tensor.bytes, example["lanes"].get<std::int64_t>() * 4);
      if (!tensor.holds_elements) {
        EXPECT_EQ(example["elements"], 0);
        continue;
      }
      ASSERT_EQ(tensor.layout.size(), example["elements"]);
      for (const json& row : example["map"]) {
        const std::vector<std::int64_t> index = integers(row[0]);
        const ImageAddress at{row[1], row[2], row[3]};
        EXPECT_EQ(tensor.layout.image_address(index), at);
        const auto back = tensor.layout.element_at(tensor.layout.address_of(at));
        ASSERT_TRUE(back);
        EXPECT_TRUE(std::equal(index.begin(), index.end(), back->begin()));
      }
      // Every lane is an element or padding; of v0.6.x also an echo of another element.
      std::set<ImageAddress> padding;
      for (const json& lane : example["padding"]) padding.insert({lane[0], lane[1], lane[2]});
      for (const auto& key : {"alias_columns", "past_end_reads"}) {
        if (!example.contains(key)) continue;
        for (const json& lane : example[key]) {
          const std::size_t x = lane.size() - 3;
          padding.insert({lane[x], lane[x + 1], lane[x + 2]});
        }
      }
      std::set<ImageAddress> empty;
      for (std::int64_t y = 0; y < tensor.image_height; ++y) {
        for (std::int64_t x = 0; x < tensor.layout.image_width(); ++x) {
          for (int k = 0; k < 4; ++k) {
            if (!tensor.layout.element_at(tensor.layout.address_of({x, y, k}))) {
              empty.insert({x, y, k});
            }
          }
        }
      }
      EXPECT_EQ(empty, padding);
    }
  }
  EXPECT_EQ(examples, 45);
}

TEST(Mace, LegacyFilterRepeatsTheDocumentedElements) {
  int examples = 0;
  const json file = read_json("mappings.json");
  for (const json& layout : file["layouts"]) {
    if (!find_layout(System::kMace, layout["layout"].get<std::string>()).echoes) continue;
    for (const json& example : layout["examples"]) {
      ++examples;
      std::map<ImageAddress, std::vector<std::int64_t>> echoes;
      std::set<ImageAddress> past_end;
      for (const FilterEcho& echo : legacy_filter_echoes(integers(example["shape"]))) {
        if (echo.past_end) {
          past_end.insert(echo.lane);
        } else {
          echoes[echo.lane] = {echo.element.begin(), echo.element.begin() + 4};
        }
      }
      std::map<ImageAddress, std::vector<std::int64_t>> expected;
      for (const json& row : example["alias_columns"]) {
        expected[{row[1], row[2], row[3]}] = integers(row[0]);
      }
      EXPECT_EQ(echoes, expected);
      std::set<ImageAddress> expected_past_end;
      for (const json& row : example["past_end_reads"]) {
        expected_past_end.insert({row[0], row[1], row[2]});
      }
      EXPECT_EQ(past_end, expected_past_end);
    }
  }
  EXPECT_GT(examples, 0);
}

TEST(Mace, EveryBufferIsReproduced) {
  int examples = 0;
  const json file = read_json("mappings.json");
  for (const json& layout : file["layouts"]) {
    const std::string name = layout["layout"];
    for (const json& example : layout["examples"]) {
      if (!example.contains("buffer_elements")) continue;
      SCOPED_TRACE(name + " " + example["shape"].dump());
      ++examples;
      const NamedLayout tensor = make_mace(name, example);
      EXPECT_EQ(tensor.bytes, example["buffer_elements"].get<std::int64_t>() * 4);
      ASSERT_EQ(tensor.layout.size(), static_cast<std::int64_t>(example["map"].size()));
      for (const json& row : example["map"]) {
        EXPECT_EQ(tensor.layout.address(integers(row[0])), row[1].get<std::int64_t>() * 4);
      }
      for (const json& slot : example["padding"]) {
        EXPECT_FALSE(tensor.layout.element_at(slot.get<std::int64_t>() * 4));
      }
    }
  }
  EXPECT_EQ(examples, 21);
}

// Section 8 of the notes on MACE: layouts that must coincide.
TEST(Mace, LayoutsThatCoincide) {
  const auto pixels = [](const char* name, std::vector<std::int64_t> shape) {
    const NamedLayout tensor = make_layout(
        {.system = System::kMace, .layout = name, .dtype = Dtype::kFp16, .shape = shape});
    std::vector<ImageAddress> result;
    for_each_index(tensor.layout, [&](const Layout::Index& index) {
      result.push_back(tensor.layout.image_address(index));
    });
    return result;
  };
  EXPECT_EQ(pixels("IN_OUT_CHANNEL", {1, 1, 1, 11}), pixels("ARGUMENT", {11}));
  EXPECT_EQ(pixels("CONV2D_FILTER", {9, 5, 1, 1}), pixels("WEIGHT_HEIGHT", {9, 5, 1, 1}));
  EXPECT_EQ(pixels("WEIGHT_WIDTH", {9, 5, 1, 1}), pixels("IN_OUT_CHANNEL", {9, 1, 1, 5}));
  EXPECT_NE(pixels("CONV2D_FILTER", {9, 5, 2, 1}), pixels("WEIGHT_HEIGHT", {9, 5, 2, 1}));
  EXPECT_EQ(pixels("IN_OUT_CHANNEL", {3, 6}), pixels("IN_OUT_CHANNEL", {3, 1, 1, 6}));
}

// The example of the notes on MACE: [N, H, ceil(C/32), W, 32] and rows rounded up to 32.
TEST(Mace, HandOffBuffersKeepBlocksOf32) {
  const NamedLayout d32 = make_layout(
      {.system = System::kMace, .layout = "D32", .dtype = Dtype::kUint8, .shape = {2, 3, 4, 40}});
  EXPECT_EQ(d32.bytes, 2 * 3 * 2 * 4 * 32);
  EXPECT_EQ(d32.layout.address(std::vector<std::int64_t>{1, 2, 3, 37}),
            (((1 * 3 + 2) * 2 + 1) * 4 + 3) * 32 + 5);
  const NamedLayout w32 = make_layout(
      {.system = System::kMace, .layout = "W32", .dtype = Dtype::kUint8, .shape = {2, 3, 4, 40}});
  EXPECT_EQ(w32.bytes, 2 * 3 * 4 * 64);
  EXPECT_EQ(w32.layout.address(std::vector<std::int64_t>{1, 2, 3, 37}),
            ((1 * 3 + 2) * 4 + 3) * 64 + 37);
}

// ---- laws --------------------------------------------------------------------------------------

TEST(NamedLayout, ElementsAreDistinctInvertibleAndInsideTheAllocation) {
  LayoutMaker maker(11);
  for (int round = 0; round < 40; ++round) {
    for (const System system : kAllSystems) {
      for (const LayoutInfo& info : layouts_of(system)) {
        const NamedLayout tensor = make_layout(maker.random_spec(system, info));
        SCOPED_TRACE(describe_spec(tensor.spec));
        ASSERT_TRUE(tensor.layout.injective());
        const std::int64_t unit_bits = tensor.layout.unit_bits();
        const std::int64_t base = tensor.layout.base();
        for_each_index(tensor.layout, [&](const Layout::Index& index) {
          const std::int64_t address = tensor.layout.address(index);
          ASSERT_EQ(tensor.layout.element_at(address), index);
          const std::int64_t at =
              (tensor.is_local() ? tensor.layout.local_address(index).offset : address) - base;
          const std::int64_t end = (at + tensor.layout.element_units()) * unit_bits;
          ASSERT_GE(at, 0);
          ASSERT_LE(end, 8 * (tensor.is_local() ? tensor.bytes_per_npu : tensor.bytes));
        });
      }
    }
  }
}

// What the table says of element types and pixels is what the layouts do.
TEST(NamedLayout, TablesSayWhatIsTaken) {
  LayoutMaker maker(12);
  int refused = 0;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      for (const DtypeInfo& type : all_dtypes()) {
        LayoutSpec spec = maker.random_spec(system, info);
        spec.dtype = type.dtype;
        SCOPED_TRACE(describe_spec(spec));
        if (info.takes(type.dtype)) {
          const NamedLayout tensor = make_layout(spec);
          EXPECT_EQ(tensor.is_image(), info.pixels == PixelForm::kImage);
          EXPECT_EQ(tensor.layout.dtype(), type.dtype);
        } else {
          ++refused;
          EXPECT_THROW(make_layout(spec), UserError);
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(NamedLayout, WrongInputIsNamed) {
  using testing::HasSubstr;
  const auto message = [](const LayoutSpec& spec) -> std::string {
    try {
      check_fits(make_layout(spec));
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  };
  LayoutSpec good{.layout = "aligned", .shape = {2, 3, 4, 5}, .memory = kBm1684Local};
  EXPECT_EQ(message(good), "accepted");
  LayoutSpec spec = good;
  spec.memory.reset();
  EXPECT_THAT(message(spec), HasSubstr("local memory of a chip"));
  spec = good;
  spec.owner = "this chip";
  spec.start_npu = 64;
  EXPECT_THAT(message(spec), HasSubstr("this chip has NPUs"));
  spec = good;
  spec.layout = "alinged";
  EXPECT_THAT(message(spec), HasSubstr("did you mean 'aligned'?"));
  spec.layout = "64IC";
  EXPECT_THAT(message(spec), HasSubstr("bm1684x has"));
  spec = good;
  spec.shape = {2, 3, 4};
  EXPECT_THAT(message(spec), HasSubstr("takes 4: N,C,H,W"));
  spec.shape = {2, -3, 4, 5};
  EXPECT_THAT(message(spec), HasSubstr("extent 1 is -3"));
  spec.shape = {1 << 30, 1 << 30, 1 << 30, 1};
  EXPECT_THAT(message(spec), HasSubstr("more than"));
  spec.shape = {2, 3, 1000, 1000};
  EXPECT_THAT(message(spec), HasSubstr("524288 bytes per NPU"));
  spec = good;
  spec.start_npu = 64;
  EXPECT_THAT(message(spec), HasSubstr("NPUs 0 to 63"));
  spec = good;
  spec.offset = 4;
  EXPECT_THAT(message(spec), HasSubstr("multiple of 128"));
  spec = {
      .layout = "free", .shape = {2, 3, 4, 5}, .strides = {20, 20, 4, 1}, .memory = kBm1684Local};
  EXPECT_THAT(message(spec), HasSubstr("overlap"));
  spec.strides = {20, 20, 5, 0};
  EXPECT_EQ(message(spec), "accepted");
  spec.strides = {20, 20, 5, -1};
  EXPECT_THAT(message(spec), HasSubstr("-1 is outside"));
  spec.strides = {std::int64_t{1} << 31, 20, 5, 1};
  spec.shape[0] = std::int64_t{1} << 31;
  EXPECT_THAT(message(spec), HasSubstr("more than"));
  spec.shape[0] = 2;
  spec.strides = {20, 20, 5};
  EXPECT_THAT(message(spec), HasSubstr("takes four"));
  spec.layout = "aligned";
  EXPECT_THAT(message(spec), HasSubstr("layout free takes any"));
  spec = {.layout = "4N", .dtype = Dtype::kFp32, .shape = {2, 3, 4, 5}, .memory = kBm1684Local};
  EXPECT_THAT(message(spec),
              HasSubstr("takes 8-bit elements (four of them share a 32-bit word), not fp32"));
  spec = {.system = System::kMace, .layout = "W", .dtype = Dtype::kInt4, .shape = {4}};
  EXPECT_EQ(message(spec), "accepted");
  spec.layout = "ARGUMENT";
  EXPECT_THAT(message(spec), HasSubstr("elements of 8 to 32 bits"));
  spec = {.layout = "matrix", .shape = {2, 40}, .memory = kBm1684Local};
  EXPECT_THAT(message(spec), HasSubstr("columns per channel"));
  spec.cols_per_channel = 41;
  EXPECT_THAT(message(spec), HasSubstr("1 to 40"));
  spec = {.system = System::kMace, .layout = "ARGUMENT", .shape = {4}, .start_npu = 1};
  EXPECT_THAT(message(spec), HasSubstr("has no NPUs"));
}

// ---- what code asks about a layout -------------------------------------------------------------

TEST(LayoutInfo, StridesCountWhatTheUnitSays) {
  struct {
    std::string_view layout;
    Dtype dtype;
    int bits;
    std::string_view unit;
  } cases[] = {{"continuous", Dtype::kFp16, 16, "elements"},
               {"compact", Dtype::kInt4, 4, "elements"},
               {layout_names::packed(8), Dtype::kInt8, 32, "32-bit words"},
               {layout_names::packed(16), Dtype::kInt16, 32, "32-bit words"},
               {layout_names::k2IC, Dtype::kFp32, 64, "pairs"}};
  for (const auto& [layout, dtype, bits, unit] : cases) {
    const NamedLayout tensor = make_layout({.layout = std::string(layout),
                                            .dtype = dtype,
                                            .shape = {9, 3, 4, 5},
                                            .memory = kBm1684Local});
    SCOPED_TRACE(layout);
    EXPECT_EQ(tensor.stride_bits(), bits);
    EXPECT_EQ(stride_unit_name(tensor.info->stride_unit), unit);
    // The outermost digit of every dimension but the dealt one moves by its stride.
    for (int d = 0; d < 4; ++d) {
      const auto stride = tensor.strides[static_cast<std::size_t>(d)];
      EXPECT_EQ(tensor.layout.digits(d).back().stride * tensor.layout.unit_bits(), stride * bits);
    }
  }
}

TEST(LayoutInfo, WeightsAreNamedByTheirWidth) {
  for (const Dtype dtype : {Dtype::kInt8, Dtype::kBf16, Dtype::kFp32}) {
    const int bits = dtype_bits(dtype);
    const std::string name(layout_names::grouped_ic(bits));
    EXPECT_EQ(name, std::to_string(ic_group(bits)) + "IC");
    const NamedLayout tensor = make_layout({.system = System::kBm1684x,
                                            .layout = name,
                                            .dtype = dtype,
                                            .shape = {3, 70, 1, 2},
                                            .memory = kBm1684xLocal});
    EXPECT_EQ(tensor.layout.digits(1).front().extent, ic_group(bits));
    for (const LayoutInfo& info : layouts_of(System::kBm1684x)) {
      if (info.build == tensor.info->build) {
        EXPECT_EQ(info.takes(dtype), info.name == name) << info.name;
      }
    }
  }
}

TEST(LayoutInfo, RowMajorMemoryListsTheElementsInOrder) {
  LayoutMaker maker(31);
  int layouts = 0;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      if (!info.row_major) continue;
      ++layouts;
      const NamedLayout tensor = make_layout(maker.random_spec(system, info));
      std::int64_t next = tensor.layout.base();
      for_each_index(tensor.layout, [&](const Layout::Index& index) {
        ASSERT_EQ(tensor.layout.address(index), next) << info.name;
        next += tensor.layout.element_units();
      });
    }
  }
  EXPECT_EQ(layouts, 9);
}

TEST(LayoutInfo, SmallerRanksHaveTheirOwnAxes) {
  LayoutSpec spec{.system = System::kMace, .layout = "IN_OUT_CHANNEL", .shape = {2, 5}};
  EXPECT_EQ(make_layout(spec).axes, Axes("NC"));
  spec.shape = {5};
  EXPECT_EQ(make_layout(spec).axes, Axes("C"));
  spec.shape = {2, 3, 5};
  EXPECT_THROW(make_layout(spec), UserError);
  spec.layout = "IN_OUT_WIDTH";
  EXPECT_EQ(make_layout(spec).axes, Axes("NHW"));
}

TEST(LayoutInfo, FiltersOfThreeByThreeAreTransformedByWinogradOnly) {
  const NamedLayout tiles =
      make_layout({.system = System::kMace, .layout = "WINOGRAD_FILTER", .shape = {2, 5, 3, 3}});
  const NamedLayout filter =
      make_layout({.system = System::kMace, .layout = "OIHW", .shape = {2, 5, 3, 3}});
  const NamedLayout other =
      make_layout({.system = System::kMace, .layout = "OIHW", .shape = {2, 5, 3, 4}});
  EXPECT_TRUE(tiles.transforms(filter.layout));
  EXPECT_FALSE(tiles.transforms(other.layout));
  EXPECT_FALSE(tiles.transforms(tiles.layout));
  EXPECT_FALSE(filter.transforms(filter.layout));
}

TEST(NamedLayout, FitsUpToTheLastByteOfAnNpu) {
  LayoutSpec spec{.layout = "compact",
                  .dtype = Dtype::kInt8,
                  .shape = {1, 2, 1, 1024},
                  .memory = LocalMemory{2, 1024, 128}};
  EXPECT_NO_THROW(check_fits(make_layout(spec)));
  spec.shape.back() = 1025;
  EXPECT_THROW(check_fits(make_layout(spec)), UserError);
}

TEST(LayoutInfo, TheRuleIsThatOfTheMemory) {
  LayoutSpec spec{
      .layout = "free", .shape = {2, 3, 4, 5}, .strides = {60, 20, 5, 1}, .memory = kBm1684Local};
  EXPECT_THAT(make_layout(spec).rule(), testing::HasSubstr("NPU"));
  spec.system_memory = true;
  EXPECT_THAT(make_layout(spec).rule(), testing::Not(testing::HasSubstr("NPU")));
  spec.start_npu = 1;
  EXPECT_THROW(make_layout(spec), UserError);
}

}  // namespace
}  // namespace tensorlane
