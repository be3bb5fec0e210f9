// Two layouts side by side: where each element stands in the picture, read back from the SVG
// itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/draw/draw.h"

namespace tensorlane {
namespace {

// Of every element its cell in one of the two memories: "n,c,h,w" and where it stands.
std::map<std::string, std::pair<double, double>> cells_with(const std::string& svg,
                                                            const std::string& attribute) {
  std::map<std::string, std::pair<double, double>> cells;
  const std::regex cell("<rect x=\"([0-9.]+)\" y=\"([0-9.]+)\"[^>]* " + attribute +
                        "=\"([0-9,]+)\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), cell), end; at != end; ++at)
    cells[(*at)[3]] = {std::stod((*at)[2]), std::stod((*at)[1])};
  return cells;
}

TEST(DrawConversion, EveryElementStandsWhereItLiesOnBothSides) {
  const LocalMemory memory{4, 4096, 128};
  const LayoutSpec nchw{.system = System::kMace, .layout = "NCHW", .shape = {2, 6, 3, 4}};
  const LayoutSpec kTargets[] = {
      {.system = System::kMace, .layout = "IN_OUT_CHANNEL", .shape = {2, 3, 4, 6}},
      {.system = System::kMace, .layout = "nChw4c", .shape = {2, 6, 3, 4}},
      {.layout = "aligned", .shape = {2, 6, 3, 4}, .start_npu = 3, .memory = memory},
      {.layout = "compact", .dtype = Dtype::kInt8, .shape = {2, 6, 3, 4}, .memory = memory},
      {.layout = "4N", .dtype = Dtype::kInt8, .shape = {2, 6, 3, 4}, .memory = memory},
      {.layout = "matrix", .shape = {2, 72}, .cols_per_channel = 20, .memory = memory},
      {.system = System::kBm1684x,
       .layout = "compact",
       .dtype = Dtype::kInt4,
       .shape = {2, 6, 3, 4},
       .memory = memory},
  };
  for (LayoutSpec spec : kTargets) {
    SCOPED_TRACE(spec.layout);
    LayoutSpec source = nchw;
    source.dtype = spec.dtype;
    const NamedLayout from = make_layout(source), to = make_layout(spec);
    const std::string svg = draw_conversion_svg(from, to);
    const auto left = cells_with(svg, "data-from"), right = cells_with(svg, "data-to");
    ASSERT_EQ(left.size(), 144U);
    ASSERT_EQ(right.size(), 144U);
    std::set<std::pair<double, double>> spots;
    for (const auto& [index, spot] : right) spots.insert(spot);
    EXPECT_EQ(spots.size(), 144U) << "one over the other";
    // In each NPU, or row of pixels of one band, the order of memory is that of reading.
    std::map<std::int64_t, std::map<std::int64_t, std::pair<double, double>>> blocks;
    Layout::Index index{};
    for (int i = 0; i < 144; ++i) {
      Layout::Index other = index;
      if (to.axes == Axes("NHWC")) other = {index[0], index[2], index[3], index[1]};
      if (to.axes == Axes("RK")) other = {i / 72, i % 72};
      const std::int64_t at =
          to.is_local() ? to.layout.local_address(other).offset : to.layout.address(other);
      const std::int64_t block = to.is_local()   ? to.layout.local_address(other).npu
                                 : to.is_image() ? at / to.layout.element_units() / 4
                                                 : 0;
      blocks[block][at] =
          right.at(fmt::format("{},{},{},{}", index[0], index[1], index[2], index[3]));
      for (int d = 3; d >= 0 && ++index[static_cast<std::size_t>(d)] == from.layout.extent(d); --d)
        index[static_cast<std::size_t>(d)] = 0;
    }
    for (const auto& [block, placed] : blocks) {
      std::pair<double, double> before{-1, -1};
      for (const auto& [at, spot] : placed) {
        EXPECT_LT(before, spot) << "block " << block << ", place " << at;
        before = spot;
      }
    }
    EXPECT_NE(svg.find("data-at=\"way:0,1,0,0\""), std::string::npos);
    EXPECT_EQ(svg.find("<animate"), std::string::npos);
  }
}

TEST(DrawConversion, AnimatesAndRefuses) {
  const NamedLayout from = make_layout(
                        {.system = System::kMace, .layout = "NCHW", .shape = {1, 6, 3, 4}}),
                    to = make_layout(
                        {.system = System::kMace, .layout = "NHWC", .shape = {1, 3, 4, 6}});
  const std::string svg =
      draw_conversion_svg(from, to, {.ways = {Layout::Index{0, 5, 2, 3}}, .animated = true});
  std::size_t appearing = 0;
  for (std::size_t at = 0; (at = svg.find("attributeName=\"opacity\"", at)) != std::string::npos;
       ++at)
    ++appearing;
  EXPECT_EQ(appearing, 72U);
  EXPECT_NE(svg.find("data-at=\"way:0,5,2,3\""), std::string::npos);
  EXPECT_EQ(svg.find("way:0,0,0,0"), std::string::npos);
  EXPECT_THROW(draw_conversion_svg(from, to, {.ways = {Layout::Index{0, 6, 0, 0}}}), UserError);
  const NamedLayout other =
      make_layout({.system = System::kMace, .layout = "NHWC", .shape = {1, 3, 4, 5}});
  EXPECT_THROW(draw_conversion_svg(from, other), UserError);
  const NamedLayout large =
      make_layout({.system = System::kMace, .layout = "NCHW", .shape = {1, 64, 112, 112}});
  EXPECT_THROW(draw_conversion_svg(large, large), UserError);
}

}  // namespace
}  // namespace tensorlane
