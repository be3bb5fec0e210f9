// Images: pixels of four lanes, as many side by side as a page is wide, the others below them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/drawing.h"

namespace tensorlane {
namespace {

constexpr double kRow = 26, kLaneHeight = 22, kPixelGap = 6, kLabel = 9.5, kNames = 34;

}  // namespace

std::string draw_image(const Picture& picture) {
  const NamedLayout& tensor = *picture.tensor;
  const std::int64_t width = tensor.layout.image_width(), height = tensor.image_height;
  double lane_width = 22;
  for (const Cell& cell : picture.cells) {
    for (const CellElement& element : cell.elements)
      lane_width =
          std::max(lane_width, std::ceil(text_width(index_text(tensor, element.index), kLabel) + 3 +
                                         (element.echoed ? text_width("()", kLabel) : 0)));
  }
  const double pixel = 4 * lane_width + kPixelGap;
  const Heading heading(tensor);
  const LogicalGrid grid(tensor);
  const double left = kMargin + text_width(fmt::format("y {}", height), kLabel) + 10;
  const auto per_band = std::clamp<std::int64_t>(
      static_cast<std::int64_t>((kPageWidth - kMargin - left + kPixelGap) / pixel), 1, width);
  const std::int64_t bands = ceil_div(width, per_band);
  const double band_height = kNames + static_cast<double>(height) * kRow + 10;
  const double bottom = heading.height() + static_cast<double>(bands) * band_height;
  Legend legend;
  legend.add(Legend::Sample::kNone,
             tr("A pixel has four lanes, R, G, B and A; labels are {}", axes_text(tensor)));
  if (tensor.info->echoes)
    legend.add(Legend::Sample::kNone,
               tr("(in brackets): an element repeated, no place of its own"));
  legend.add(Legend::Sample::kHatched, tr("no element"));
  const double legend_top = bottom + grid.height() + 8;
  SvgWriter svg(kPageWidth, legend_top + legend.height() + 4, heading.title());
  heading.draw(svg);

  const auto pixel_x = [&](std::int64_t x) {
    return left + static_cast<double>(x % per_band) * pixel;
  };
  const auto band_y = [&](std::int64_t x) {
    const std::int64_t band = x / per_band;
    return heading.height() + static_cast<double>(band) * band_height + kNames;
  };
  const auto row_y = [&](std::int64_t x, std::int64_t y) {
    return band_y(x) + static_cast<double>(y) * kRow;
  };
  for (std::int64_t x = 0; x < width; ++x) {
    svg.text(pixel_x(x) + 2 * lane_width, band_y(x) - 18, fmt::format("x = {}", x),
             {.size = 11, .anchor = TextAnchor::kMiddle});
    for (int lane = 0; lane < 4; ++lane) {
      svg.text(pixel_x(x) + (lane + 0.5) * lane_width, band_y(x) - 5, std::string(1, "RGBA"[lane]),
               {.size = kLabel, .color = kQuiet, .anchor = TextAnchor::kMiddle});
    }
    for (std::int64_t y = 0; y < height; ++y) {
      if (x % per_band == 0)
        svg.text(left - 6, row_y(x, y) + 15, fmt::format("y {}", y),
                 {.size = kLabel, .color = kQuiet, .anchor = TextAnchor::kEnd});
      svg.hatched(pixel_x(x), row_y(x, y), 4 * lane_width, kLaneHeight,
                  tensor.padding == PaddingFill::kZero ? tr("no element: 0") : tr("no element"));
    }
  }
  for (const Cell& cell : picture.cells) {
    const std::int64_t x = cell.number % width, y = cell.number / width;
    for (const CellElement& element : cell.elements) {
      const double at = pixel_x(x) + element.first_nibble * lane_width;
      const std::string index = index_text(tensor, element.index);
      const std::string label = element.echoed ? "(" + index + ")" : index;
      svg.box(at, row_y(x, y), lane_width, kLaneHeight,
              {.fill = hex(element_color(tensor, element.index)),
               .stroke = "#ffffff",
               .title = tr("pixel ({}, {}), lane {} ({})", x, y, element.first_nibble,
                           "RGBA"[element.first_nibble]) +
                        fmt::format("\n{} = {}", axes_text(tensor), label),
               .data = fmt::format("{}:{}:{}", x, y, element.first_nibble),
               .attribute = element.echoed ? "data-echo" : "data-at"});
      const double size = fitting_size(label, lane_width - 2, kLabel);
      svg.text(at + lane_width / 2, row_y(x, y) + kLaneHeight / 2 + size * 0.36, label,
               {.size = size, .anchor = TextAnchor::kMiddle});
    }
  }
  grid.draw(svg, bottom);
  legend.draw(svg, legend_top);
  return svg.finish();
}

}  // namespace tensorlane
