// Tensors whose single cells would be too small: how full each part of each memory is.
#include <fmt/format.h>

#include <algorithm>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/drawing.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kBins = 64;

// The colour of the first element in a part, paler where elements do not fill it.
std::string part_color(const NamedLayout& tensor, const Occupancy& full, std::size_t part) {
  if (!full.first[part]) return hex(hsl(210, 62, 92));
  const Color own = element_color(tensor, *full.first[part]);
  const auto mixed = [&](int channel) {
    return static_cast<int>(255 - (255 - channel) * (0.35 + 0.65 * full.share[part]));
  };
  return hex({mixed(own.red), mixed(own.green), mixed(own.blue)});
}

std::string legend_of_colors(const NamedLayout& tensor) {
  const ColorAxes axes = color_axes(tensor);
  const std::string hue = axes.hue < 0 ? std::string() : axis_name(tensor.axes[axes.hue]);
  const std::string shade = axes.shade < 0 ? std::string() : axis_name(tensor.axes[axes.shade]);
  if (hue.empty() && shade.empty()) return tr("pale: partly filled");
  if (hue.empty() || shade.empty())
    return tr("colour: {} of the first element in a part; pale: partly filled", hue + shade);
  return tr("colour: {} of the first element in a part, shade: {}; pale: partly filled", hue,
            shade);
}

}  // namespace

std::string draw_occupancy(const NamedLayout& tensor, std::int64_t bank_bytes) {
  const Occupancy full = measure_occupancy(tensor, kBins);
  const Heading heading(tensor);
  const double left = kMargin + 70, top = heading.height() + 44;
  const double cell_height = 9;
  const double cell_width =
      std::min(260.0, (kPageWidth - kMargin - left) / static_cast<double>(full.columns));
  const double bottom = top + static_cast<double>(full.rows) * cell_height;
  const bool image = tensor.is_image();
  const bool banks =
      bank_bytes > 0 && tensor.spec.offset / bank_bytes !=
                            (tensor.spec.offset + tensor.bytes_per_npu - 1) / bank_bytes;
  Legend legend;
  legend.add(Legend::Sample::kNone, legend_of_colors(tensor));
  legend.add(Legend::Sample::kHatched, tr("reserved, no element"));
  if (banks) legend.add(Legend::Sample::kBank, tr("bank of {} bytes", bank_bytes));
  SvgWriter svg(kPageWidth, bottom + 12 + legend.height(), heading.title());
  heading.draw(svg);
  svg.text(left, top - 26,
           image ? tr("{} x {} pixels, {} x {} in a part", tensor.layout.image_width(),
                      tensor.image_height, full.bytes_per_bin, full.pixels_per_bin_down)
           : tensor.is_local()
               ? tr("{} bytes in each NPU, {} in a part", tensor.bytes_per_npu, full.bytes_per_bin)
               : tr("{} bytes, {} in a part", tensor.bytes, full.bytes_per_bin),
           {.size = 11, .color = kQuiet});
  if (tensor.is_local())
    svg.text(left - 6, top - 8, "NPU",
             {.size = 10, .color = kQuiet, .anchor = TextAnchor::kEnd, .bold = true});
  for (std::int64_t row = 0; row < full.rows; row += 8) {
    svg.text(left - 6, top + static_cast<double>(row) * cell_height + 8,
             std::to_string(image ? row * full.pixels_per_bin_down
                                  : tensor.spec.offset + row * full.bytes_per_bin),
             {.size = 9.5, .color = kQuiet, .anchor = TextAnchor::kEnd});
  }
  for (std::int64_t column = 0; column < full.columns; ++column) {
    const double x = left + static_cast<double>(column) * cell_width;
    svg.hatched(x, top, cell_width, static_cast<double>(full.rows) * cell_height);
    if (tensor.is_local() && (column % 8 == 0 || column == tensor.spec.start_npu)) {
      const bool start = column == tensor.spec.start_npu;
      svg.text(x + cell_width / 2, top - 8, std::to_string(column),
               {.size = 10,
                .color = start ? "#b71c1c" : kQuiet,
                .anchor = TextAnchor::kMiddle,
                .bold = start});
    }
    const auto part_at = [&](std::int64_t row) {
      return static_cast<std::size_t>(row * full.columns + column);
    };
    const auto color_of = [&](std::int64_t row) { return part_color(tensor, full, part_at(row)); };
    // Parts of equal share and colour below each other are one box.
    for (std::int64_t row = 0, end = 0; row < full.rows; row = end) {
      const double share = full.share[part_at(row)];
      const std::string color = color_of(row);
      for (end = row + 1;
           end < full.rows && full.share[part_at(end)] == share && color_of(end) == color;)
        ++end;
      if (share == 0) continue;
      const std::int64_t unit = image ? full.pixels_per_bin_down : full.bytes_per_bin;
      const std::int64_t first = tensor.spec.offset + row * unit;
      const std::int64_t last = tensor.spec.offset + end * unit - 1;
      const std::string place =
          image ? tr("x from {}, y {} to {}", column * full.bytes_per_bin, first, last)
          : tensor.is_local() ? tr("NPU {}, byte {} to {}", column, first, last)
                              : tr("byte {} to {}", first, last);
      svg.box(x, top + static_cast<double>(row) * cell_height, cell_width,
              static_cast<double>(end - row) * cell_height,
              {.fill = color,
               .stroke = "#ffffff",
               .title = tr("{}: {:.0f} % elements", place, share * 100),
               .data = fmt::format("{}:{}:{}:{:.2f}", column, row, end - row, share)});
    }
  }
  if (banks) {
    const auto bytes_y = [&](std::int64_t offset) {
      return top + static_cast<double>(offset - tensor.spec.offset) /
                       static_cast<double>(full.bytes_per_bin) * cell_height;
    };
    const std::int64_t first = ceil_div(tensor.spec.offset, bank_bytes);
    for (std::int64_t bank = first; bytes_y(bank * bank_bytes) <= bottom; ++bank) {
      const double y = bytes_y(bank * bank_bytes);
      svg.line(left - 4, y, left + static_cast<double>(full.columns) * cell_width, y, kBankColor,
               2);
    }
  }
  legend.draw(svg, bottom + 8);
  return svg.finish();
}

}  // namespace tensorlane
