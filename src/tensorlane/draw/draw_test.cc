// Drawings against the facts of the documents' figures: what is read back from the SVG itself.
#include "tensorlane/draw/draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language_scope.h"
#include "tensorlane/draw/drawing.h"
#include "tensorlane/draw/gallery.h"
#include "tensorlane/draw/picture.h"
#include "tensorlane/layout/element_place.h"

namespace tensorlane {
namespace {

constexpr LocalMemory kChipLocal{64, 524288, 128};

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json read_figures() {
  std::ifstream file(TENSORLANE_TESTDATA "/layout/figures.json");
  return json::parse(file);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  return parts;
}

// The values of all data-at attributes of a drawing.
std::vector<std::vector<std::string>> marks(const std::string& svg) {
  const std::string key = "data-at=\"";
  std::vector<std::vector<std::string>> result;
  for (std::size_t at = svg.find(key); at != std::string::npos; at = svg.find(key, at)) {
    at += key.size();
    result.push_back(split(svg.substr(at, svg.find('"', at) - at)));
  }
  return result;
}

const GalleryFigure& figure_called(const std::string& name) {
  static const std::vector<GalleryFigure> kFigures = make_gallery();
  for (const GalleryFigure& figure : kFigures) {
    if (figure.name == name) return figure;
  }
  throw std::runtime_error("the gallery lacks " + name);
}

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

TEST(Gallery, FiguresFillTheCellsOfTheDocumentsAndNameTheirStrides) {
  const json figures = read_figures();
  int checked = 0;
  for (const auto& [name, figure] : figures.items()) {
    if (figure["mapping"].empty()) continue;
    SCOPED_TRACE(name);
    ++checked;
    std::set<std::pair<int, int>> expected, drawn;
    for (const json& row : figure["mapping"]) expected.insert({row[4], row[5].get<int>() / 4});
    std::map<std::string, int> strides;
    for (const std::vector<std::string>& mark : marks(figure_called(name).svg)) {
      if (is_number(mark[0])) {
        drawn.insert({std::stoi(mark[0]), std::stoi(mark[1])});
      } else if (mark[0] != "row") {
        strides[std::string(1, static_cast<char>(std::tolower(mark[0][0])))] = std::stoi(mark[1]);
      }
    }
    EXPECT_EQ(drawn, expected);
    EXPECT_EQ(static_cast<int>(drawn.size()), figure["crosscheck"]["filled_blocks_expected"]);
    // Matrices are drawn with row marks in the place of strides.
    if (figure.contains("matrix")) {
      EXPECT_TRUE(figure["crosscheck"]["stride_labels_in_svg"].empty());
      EXPECT_THAT(figure_called(name).svg, HasSubstr("First Row"));
      EXPECT_THAT(figure_called(name).svg, HasSubstr("Second Row"));
    } else {
      EXPECT_EQ(json(strides), figure["crosscheck"]["stride_labels_in_svg"]);
    }
  }
  EXPECT_EQ(checked, 14);
}

TEST(Gallery, AddressesAreMarkedWhereTheDocumentsMarkThem) {
  std::set<std::pair<int, int>> expected, drawn;
  const json figure = read_figures()["address"];
  for (const auto& [label, point] : figure["points"].items()) {
    expected.insert({point["npu"].get<int>(), point["block"].get<int>()});
    EXPECT_THAT(figure_called("address").svg,
                HasSubstr(">" + label + " " + point["address"].dump() + "<"));
  }
  for (const auto& mark : marks(figure_called("address").svg)) {
    drawn.insert({std::stoi(mark[0]), std::stoi(mark[1])});
  }
  EXPECT_EQ(drawn, expected);
}

TEST(Gallery, BanksNameTheAddressesOfEveryNpuThatIsDrawn) {
  // [vendor's model of the BM1684X] 0x3fff lies in bank 0, 0x4000 in bank 1, 0xffc000 in bank 15 of
  // NPU 63
  const std::string& svg = figure_called("bm1684x_banks").svg;
  EXPECT_THAT(svg, HasSubstr(">0x0 to 0x3fff<"));
  EXPECT_THAT(svg, HasSubstr("data-at=\"63:15\"><title>NPU 63, bank 15: addresses 16760832 to"));
  EXPECT_EQ(marks(svg).size(), 3 * 16U);
  EXPECT_EQ(marks(figure_called("banks").svg).size(), 3 * 8U);
}

// "width" of the drawing.
double width_of(const std::string& svg) {
  const std::string_view key = "width=\"";
  return std::stod(svg.substr(svg.find(key) + key.size()));
}

TEST(Gallery, FiguresCanBeReadOnAPage) {
  for (const GalleryFigure& figure : make_gallery())
    EXPECT_LE(width_of(figure.svg), kPageWidth) << figure.name;
}

TEST(Gallery, ChannelsAreDealtAsInTheDocuments) {
  const json figures = read_figures();
  constexpr int kNpus = 8;
  const auto value = [](const json& text) {
    if (text.is_number()) return text.get<int>();
    const std::string expression = text;
    if (expression.front() != 'X' && expression.front() != 'N') return std::stoi(expression);
    return (expression.front() == 'X' ? kNpus : 2) +
           (expression.size() > 1 ? std::stoi(expression.substr(1)) : 0);
  };
  for (const char* name : {"scatter_0", "scatter_1", "scatter_2", "scatter_3"}) {
    SCOPED_TRACE(name);
    const json& figure = figures[name];
    std::map<std::pair<int, int>, std::pair<int, int>> drawn;  // (n, c) -> (npu, row)
    for (const auto& mark : marks(figure_called(name).svg)) {
      drawn[{std::stoi(mark[0]), std::stoi(mark[1])}] = {std::stoi(mark[2]), std::stoi(mark[3])};
    }
    const int channels = value(figure["shape"]["c"]);
    EXPECT_EQ(static_cast<int>(drawn.size()), 2 * channels);
    for (const json& feature : figure["features"]) {
      const int n = value(feature["n"]), c = value(feature["c"]);
      const int row =
          n * figure["channels_per_npu"].get<int>() + feature["row_in_batch"].get<int>();
      EXPECT_EQ((drawn[{n, c}]), std::pair(value(feature["npu"]), row)) << n << "," << c;
    }
  }
}

TEST(Gallery, PipelineRunsThreePartsAtOnce) {
  constexpr int kParts = 5;  // S of the figure
  std::map<std::pair<int, std::string>, int> drawn;
  for (const auto& mark : marks(figure_called("pipeline_parallel").svg)) {
    drawn[{std::stoi(mark[0]), mark[1]}] = std::stoi(mark[2]);
  }
  EXPECT_EQ(drawn.size(), 3U * kParts);
  const auto value = [](const json& text) {
    if (text.is_number()) return text.get<int>();
    const std::string expression = text;
    if (expression.front() != 'S') return std::stoi(expression);
    return kParts + (expression.size() > 1 ? std::stoi(expression.substr(1)) : 0);
  };
  const json figure = read_figures()["pipeline_parallel"];
  for (const json& cell : figure["cells"]) {
    EXPECT_EQ((drawn[{value(cell["step"]), cell["lane"]}]), value(cell["part"]));
  }
}

TEST(Gallery, ImagesShowEveryElementInItsLane) {
  for (const GalleryFigure& figure : make_gallery()) {
    if (!figure.spec || figure.spec->system != System::kMace) continue;
    const NamedLayout tensor = make_layout(*figure.spec);
    if (!worth_details(tensor)) continue;
    SCOPED_TRACE(figure.name);
    std::set<std::string> drawn;
    for (const auto& mark : marks(figure.svg)) {
      const ImageAddress at{std::stoi(mark[0]), std::stoi(mark[1]), std::stoi(mark[2])};
      EXPECT_TRUE(tensor.layout.element_at(tensor.layout.address_of(at)));
      drawn.insert(mark[0] + ":" + mark[1] + ":" + mark[2]);
    }
    EXPECT_EQ(static_cast<std::int64_t>(drawn.size()), tensor.layout.size());
  }
}

TEST(Gallery, ThePageShowsEveryFigureOnceInBothLanguages) {
  std::vector<std::string> pages;
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    const LanguageScope scope(language);
    const std::vector<GalleryFigure> figures = make_gallery();
    pages.push_back(gallery_markdown(figures, "gallery"));
    std::set<std::string> names;
    for (const GalleryFigure& figure : figures) {
      EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
      EXPECT_THAT(figure.svg, HasSubstr("</svg>")) << figure.name;
      const std::string picture = fmt::format("](gallery/{}.svg)\n", figure.name);
      const std::size_t at = pages.back().find(picture);
      ASSERT_NE(at, std::string::npos) << figure.name;
      EXPECT_EQ(pages.back().find(picture, at + 1), std::string::npos) << figure.name;
    }
    EXPECT_GE(names.size(), 49U);
  }
  EXPECT_NE(pages[0], pages[1]);
}

// The figure of the gallery that a lesson shows.
TEST(Gallery, LessonsShowItsFigures) {
  for (const auto& [language, docs] :
       {std::pair{Language::kEnglish, "docs"}, {Language::kChinese, "docs/zh"}}) {
    const LanguageScope scope(language);
    const std::string kept = fmt::format("{}/learn/pictures/pipeline_parallel.svg", docs);
    for (const GalleryFigure& figure : make_gallery()) {
      if (figure.name != "pipeline_parallel") continue;
      EXPECT_EQ(read_file(TENSORLANE_TESTDATA "/../" + kept), figure.svg)
          << kept << " is out of date: `tensorlane layout gallery DIR` draws it anew";
    }
  }
}

struct Box {
  double left, top, right, bottom;
  std::string what;
  bool overlaps(const Box& other) const {
    constexpr double kTouching = 0.2;  // coordinates have one decimal
    return left + kTouching < other.right && other.left + kTouching < right &&
           top + kTouching < other.bottom && other.top + kTouching < bottom;
  }
};

// The value of an attribute in the tag that a line begins with.
std::string attribute(const std::string& line, const std::string& name) {
  const std::string key = " " + name + "=\"";
  const std::size_t at = line.find(key);
  if (at == std::string::npos || at > line.find('>')) return {};
  const std::size_t begin = at + key.size();
  return line.substr(begin, line.find('"', begin) - begin);
}

// What a drawing shows, by kind: cells with elements, labels of arrows, texts.
struct Boxes {
  std::vector<Box> cells, labels, texts;
};
Boxes boxes_of(const std::string& svg) {
  Boxes boxes;
  std::stringstream lines(svg);
  for (std::string line; std::getline(lines, line);) {
    const auto number = [&](const char* name) { return std::stod(attribute(line, name)); };
    if (line.starts_with("<rect") && !attribute(line, "x").empty()) {
      const Box box{number("x"), number("y"), number("x") + number("width"),
                    number("y") + number("height"),
                    attribute(line, "data-at") + attribute(line, "data-label")};
      if (!attribute(line, "data-label").empty()) boxes.labels.push_back(box);
      if (!attribute(line, "data-at").empty()) boxes.cells.push_back(box);
    } else if (line.starts_with("<text")) {
      const std::size_t begin = line.find('>') + 1;
      const std::string text = line.substr(begin, line.find('<', begin) - begin);
      const double size = number("font-size"), x = number("x"), y = number("y");
      const double width = text_width(text, size, !attribute(line, "font-weight").empty());
      const std::string anchor = attribute(line, "text-anchor");
      const double left = anchor == "middle" ? x - width / 2 : anchor == "end" ? x - width : x;
      boxes.texts.push_back({left, y - 0.72 * size, left + width, y, text});
    }
  }
  return boxes;
}

// The first two that cover each other, as a message; empty for none.
std::string overlap(const std::vector<Box>& some, const std::vector<Box>& others) {
  for (const Box& one : some) {
    for (const Box& other : others) {
      if (&one != &other && one.overlaps(other)) return one.what + " and " + other.what;
    }
  }
  return {};
}

void expect_nothing_covered(const std::string& svg) {
  const Boxes boxes = boxes_of(svg);
  EXPECT_FALSE(boxes.texts.empty());
  EXPECT_EQ(overlap(boxes.labels, boxes.cells), "");
  EXPECT_EQ(overlap(boxes.labels, boxes.labels), "");
  EXPECT_EQ(overlap(boxes.texts, boxes.texts), "");
  for (const Box& text : boxes.texts) {
    EXPECT_GE(text.left, 0) << text.what;
    EXPECT_LE(text.right, width_of(svg)) << text.what;
  }
}

TEST(Draw, NoLabelCoversACellOrAnotherLabel) {
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    const LanguageScope scope(language);
    int arrows = 0;
    for (const GalleryFigure& figure : make_gallery()) {
      SCOPED_TRACE(figure.name);
      expect_nothing_covered(figure.svg);
      arrows += static_cast<int>(boxes_of(figure.svg).labels.size());
    }
    EXPECT_GT(arrows, 30);
  }
}

// Tensors that no document draws: all NPUs of a chip, begun in the middle of a row, long indices,
// nibbles, arrows side by side.
TEST(Draw, NoLabelCoversAnotherInPicturesOfAnyTensor) {
  LayoutSpec free{.layout = "free", .shape = {3, 9, 3, 2}, .memory = kFigureLocal};
  free.strides = {40, 12, 2, 1};
  LayoutSpec offset{.layout = "compact", .shape = {2, 5, 2, 3}, .memory = kFigureLocal};
  offset.offset = 12;
  for (const LayoutSpec& spec :
       {free, offset, LayoutSpec{.layout = "aligned", .shape = {1, 70, 2, 3}, .memory = kChipLocal},
        LayoutSpec{.layout = "aligned", .shape = {1, 2, 101, 3}, .memory = kFigureLocal},
        LayoutSpec{
            .layout = "4N", .dtype = Dtype::kInt8, .shape = {5, 3, 1, 9}, .memory = kChipLocal},
        LayoutSpec{.system = System::kBm1684x,
        .layout = "compact",
        .dtype = Dtype::kInt4,
        .shape = {1, 3, 3, 5},
        .memory = LocalMemory{4, 4096, 64}},
        LayoutSpec{.system = System::kBm1684x,
        .layout = "32IC",
        .dtype = Dtype::kBf16,
        .shape = {70, 33, 3, 3},
        .memory = LocalMemory{64, 262144, 64}},
        LayoutSpec{.layout = "continuous", .shape = {2, 3, 4, 5}},
        LayoutSpec{.system = System::kMace, .layout = "IN_OUT_WIDTH", .shape = {1, 9, 33, 12}}}) {
    SCOPED_TRACE(spec.layout);
    const std::string svg = draw_svg(make_layout(spec));
    EXPECT_LE(width_of(svg), kPageWidth);
    expect_nothing_covered(svg);
  }
}

TEST(Draw, BanksAreLinesWhereATensorReachesBeyondOne) {
  const NamedLayout tensor = make_layout(
      {.layout = "compact", .shape = {1, 2, 8, 16}, .memory = LocalMemory{2, 2048, 128}});
  EXPECT_THAT(draw_svg(tensor, 8), HasSubstr(">bank of 256 bytes<"));
  EXPECT_THAT(draw_svg(tensor, 2), Not(HasSubstr("bank of")));
  EXPECT_THAT(draw_svg(tensor), Not(HasSubstr("bank of")));
}

// Below the memory stands the tensor: each element once, with its NPU and byte.
TEST(Draw, EachElementOfTheLogicalTensorHasItsPlace) {
  for (const GalleryFigure& figure : make_gallery()) {
    if (!figure.spec || !figure.spec->memory) continue;
    const NamedLayout tensor = make_layout(*figure.spec);
    if (!worth_details(tensor)) continue;
    SCOPED_TRACE(figure.name);
    std::map<std::string, std::string> places;  // by index
    std::stringstream lines(figure.svg);
    for (std::string line, at; std::getline(lines, line);) {
      if (line.starts_with("<text") && !at.empty()) {
        const std::size_t begin = line.find('>') + 1;
        EXPECT_TRUE(places.emplace(at, line.substr(begin, line.find('<', begin) - begin)).second);
      }
      at = attribute(line, "data-element");
    }
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), tensor.layout.size());
    for_each_element(tensor, [&](const Layout::Index& index, const auto& place) {
      EXPECT_EQ(places[index_text(tensor, index)], tensor.is_local()
                                                       ? fmt::format("{}:{}", place[0], place[1])
                                                       : fmt::format("{}", place[0]));
    });
  }
}

TEST(Draw, FilesStandAloneAndAreWellFormed) {
  for (const GalleryFigure& figure : make_gallery()) {
    SCOPED_TRACE(figure.name);
    EXPECT_EQ(figure.svg.find("href"), std::string::npos);
    EXPECT_EQ(figure.svg.find("<script"), std::string::npos);
    EXPECT_EQ(figure.svg.find("nan"), std::string::npos);
    // Tags open and close in pairs.
    std::vector<std::string> open;
    for (std::size_t at = figure.svg.find('<'); at != std::string::npos;
         at = figure.svg.find('<', at + 1)) {
      const std::size_t end = figure.svg.find('>', at);
      ASSERT_NE(end, std::string::npos);
      if (figure.svg[at + 1] == '/') {
        ASSERT_FALSE(open.empty());
        ASSERT_EQ(figure.svg.substr(at + 2, end - at - 2), open.back());
        open.pop_back();
      } else if (figure.svg[end - 1] != '/') {
        const std::string tag = figure.svg.substr(at + 1, end - at - 1);
        open.push_back(tag.substr(0, tag.find(' ')));
      }
    }
    EXPECT_TRUE(open.empty());
  }
}

// A stride of 0 puts many elements into one place: its label names the axis, its title all of them.
TEST(Draw, ABroadcastShowsAllThatShareAPlace) {
  const auto svg_of = [](Dtype dtype) {
    return draw_svg(make_layout({.layout = "free",
                                 .dtype = dtype,
                                 .shape = {2, 1, 3, 4},
                                 .strides = {4, 4, 0, 1},
                                 .memory = kFigureLocal}));
  };
  const std::string words = svg_of(Dtype::kFp32), halves = svg_of(Dtype::kFp16);
  EXPECT_THAT(words, HasSubstr(">1,0,h,3</text>"));
  EXPECT_THAT(words, HasSubstr("n,c,h,w = 1,0,2,3"));
  EXPECT_THAT(words, HasSubstr("a stride of 0 repeats"));
  EXPECT_THAT(halves, HasSubstr(">h,3</text>"));
  EXPECT_THAT(svg_of(Dtype::kInt8), Not(HasSubstr("NaN")));
}

// The columns past the last input channel that MACE v0.6.3 fills with other elements.
TEST(Draw, RepeatedElementsStandInBrackets) {
  const NamedLayout tensor = make_layout({.system = System::kMace,
                                          .layout = "CONV2D_FILTER@v0.6.3",
                                          .dtype = Dtype::kFp16,
                                          .shape = {2, 2, 5, 3}});
  const std::string svg = draw_svg(tensor);
  EXPECT_THAT(svg, HasSubstr(">(0,0,1,0)</text>"));
  EXPECT_THAT(svg, HasSubstr("data-echo=\"3:0:0\""));
  EXPECT_EQ(marks(svg).size(), 60U);  // the elements themselves
}

// A list of all runs of these would take gigabytes.
TEST(Draw, LargeFiltersAreMeasuredPartByPart) {
  const NamedLayout tensor = make_layout({.system = System::kMace,
                                          .layout = "CONV2D_FILTER",
                                          .dtype = Dtype::kFp32,
                                          .shape = {1021, 510, 3, 3}});
  const Occupancy full = measure_occupancy(tensor, 64);
  double share = 0;
  for (const double each : full.share) share += each;
  EXPECT_NEAR(share, 4096 * 1021 / 1024.0, 0.01);  // 1021 of 1024 lanes
  ASSERT_TRUE(full.first.front());
  EXPECT_EQ(*full.first.front(), Layout::Index{});
}

TEST(Draw, OccupancyCountsEveryByteOnce) {
  for (const LayoutSpec& spec :
       {LayoutSpec{
            .layout = "aligned", .shape = {2, 100, 30, 33}, .start_npu = 60, .memory = kChipLocal},
        LayoutSpec{
            .layout = "4N", .dtype = Dtype::kInt8, .shape = {7, 70, 30, 33}, .memory = kChipLocal},
        LayoutSpec{.system = System::kMace, .layout = "IN_OUT_CHANNEL", .shape = {1, 50, 70, 9}},
        LayoutSpec{.layout = "compact",  // its four NPUs are full
                   .shape = {1, 4, 128, 64},
        .memory = LocalMemory{4, 32768, 128}},
        LayoutSpec{.layout = "continuous", .shape = {2, 100, 30, 33}}}) {
    const NamedLayout tensor = make_layout(spec);
    EXPECT_FALSE(worth_details(tensor));
    const Occupancy full = measure_occupancy(tensor, 64);
    double bytes = 0;
    const std::int64_t per_npu = tensor.is_local() ? tensor.bytes_per_npu : tensor.bytes;
    for (std::int64_t row = 0; row < full.rows; ++row) {
      for (std::int64_t column = 0; column < full.columns; ++column) {
        const double share = full.share[static_cast<std::size_t>(row * full.columns + column)];
        EXPECT_LE(share, 1.0 + 1e-9);
        if (tensor.is_image()) {
          const std::int64_t w = std::min(
              full.bytes_per_bin, tensor.layout.image_width() - column * full.bytes_per_bin);
          const std::int64_t h = std::min(full.pixels_per_bin_down,
                                          tensor.image_height - row * full.pixels_per_bin_down);
          bytes += share * static_cast<double>(w * h * 16);
        } else {
          bytes += share * static_cast<double>(
                               std::min(full.bytes_per_bin, per_npu - row * full.bytes_per_bin));
        }
      }
    }
    EXPECT_EQ(std::llround(bytes), tensor.layout.size() * tensor.layout.element_units());
  }
}

TEST(Draw, TensorsBeyondTheLastNpuAreRefused) {
  const LayoutSpec spec{.layout = "free",
                        .shape = {5, 6, 2, 2},
                        .strides = {400, 100, 16, 1},
                        .memory = LocalMemory{4, 4096, 128}};
  LayoutSpec larger = spec;
  larger.memory = LocalMemory{4, 8192, 128};
  const NamedLayout beyond = make_layout(spec), within = make_layout(larger);
  EXPECT_NO_THROW(draw_svg(within));
  EXPECT_NO_THROW(draw_text(within));
  EXPECT_NO_THROW(draw_conversion_svg(within, within));
  const auto refused = [](const auto& draw) {
    try {
      draw();
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("drawn");
  };
  const auto names_the_byte = HasSubstr("reaches byte 6872 of every NPU");
  EXPECT_THAT(refused([&] { draw_svg(beyond); }), names_the_byte);
  EXPECT_THAT(refused([&] { draw_text(beyond); }), names_the_byte);
  const NamedLayout shares = make_layout({.layout = "free",
                                          .shape = {5, 1, 60, 60},
                                          .start_npu = 3,
                                          .strides = {3600, 3600, 60, 1},
                                          .memory = LocalMemory{4, 65536, 128}});
  EXPECT_FALSE(worth_details(shares));
  EXPECT_THAT(refused([&] { draw_svg(shares); }), HasSubstr("reaches byte 72000 of every NPU"));
  EXPECT_THAT(refused([&] { draw_conversion_svg(beyond, within); }), names_the_byte);
  EXPECT_THAT(refused([&] { draw_conversion_svg(within, beyond); }), names_the_byte);
}

TEST(Draw, TextShowsCellsPixelsAndShares) {
  EXPECT_EQ(draw_text(make_layout({.layout = "compact",
                                   .shape = {1, 2, 1, 3},
                                   .start_npu = 1,
                                   .memory = LocalMemory{2, 1024, 128}})),
            "bm1684 compact: fp32 [1,2,1,3], strides 6, 3, 3, 1\n"
            "NPU 0\n"
            "       0 | .       .       .       0,1,0,0 0,1,0,1 0,1,0,2\n"
            "NPU 1 (start)\n"
            "       0 | 0,0,0,0 0,0,0,1 0,0,0,2 .       .       .\n"
            "cells of 4 bytes, first element of each; '.': reserved, no element\n");
  EXPECT_EQ(
      draw_text(make_layout(
          {.system = System::kMace, .layout = "ARGUMENT", .dtype = Dtype::kFp16, .shape = {6}})),
      "mace ARGUMENT: fp16 [6]\n"
      "y 0   | 0 1 2 3 | 4 5 . . |\n"
      "pixels of four lanes (R G B A); '.': no element\n");
  EXPECT_THAT(draw_text(make_layout(
                  {.layout = "aligned", .shape = {2, 3, 300, 300}, .memory = kChipLocal})),
              HasSubstr("NPU   0 |@@@"));
}

}  // namespace
}  // namespace tensorlane
