#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tensorlane/draw/draw.h"
#include "tensorlane/draw/picture.h"
#include "tensorlane/draw/svg.h"
#include "tensorlane/layout/grouping.h"

namespace tensorlane {
namespace {

constexpr double kMargin = 24, kHeader = 106, kGap = 26;
constexpr double kCellWidth = 46, kCellHeight = 22;
// A cell of several elements has a line for what they share and one for what they do not.
constexpr double kSharedHeight = 32;

std::string_view axis_color(Axis axis) {
  switch (axis) {
    case Axis::kW:
      return "#e07b00";
    case Axis::kH:
      return "#2e8b2e";
    case Axis::kC:
    case Axis::kO:
      return "#1f5fbf";
    default:
      return "#c62828";
  }
}

std::string heading(const NamedLayout& tensor) {
  return fmt::format("{} {}: {} [{}]", tensor.spec.owner_name(), tensor.info->name,
                     dtype_name(tensor.spec.dtype), fmt::join(tensor.spec.shape, ","));
}

std::string subheading(const NamedLayout& tensor) {
  std::string text(tensor.rule());
  if (tensor.is_local()) text += fmt::format("; start NPU {}", tensor.spec.start_npu);
  if (!tensor.strides.empty()) {
    text += fmt::format("; strides {}", fmt::join(tensor.strides, ", "));
  }
  return text;
}

void write_heading(SvgWriter& svg, const NamedLayout& tensor) {
  svg.text(kMargin, 30, heading(tensor), {.size = 17, .bold = true});
  svg.text(kMargin, 50, subheading(tensor), {.size = 11.5, .color = "#555555"});
}

double heading_width(const NamedLayout& tensor) {
  return 2 * kMargin + 6.4 * static_cast<double>(std::max(heading(tensor).size() * 3 / 2,
                                                          subheading(tensor).size()));
}

// The axis along which the elements of a cell differ, where it is one; else -1.
int varying_axis(const NamedLayout& tensor, const Cell& cell) {
  int varying = -1;
  for (const CellElement& element : cell.elements) {
    for (int d = 0; d < tensor.layout.rank(); ++d) {
      if (element.index[d] == cell.elements.front().index[d]) continue;
      if (varying >= 0 && varying != d) return -1;
      varying = d;
    }
  }
  return varying;
}

// "n,4,0,1": the letter of an axis stands for what the elements do not share.
std::string shared_label(const NamedLayout& tensor, const Cell& cell, int varying) {
  std::string label;
  for (int d = 0; d < tensor.layout.rank(); ++d) {
    if (d > 0) label += ',';
    label += d == varying ? axis_name(tensor.axes[d]).substr(0, 1)
                          : std::to_string(cell.elements.front().index[d]);
  }
  return label;
}

std::string cell_title(const NamedLayout& tensor, const Cell& cell) {
  std::string title;
  if (tensor.is_local()) title = fmt::format("NPU {}, ", cell.npu);
  title += fmt::format("byte {}", cell.number * kCellBytes);
  for (const CellElement& element : cell.elements) {
    title += fmt::format("\n({})", index_text(tensor, element.index));
    if (cell.elements.size() > 1) title += fmt::format(" at byte {}", element.first_nibble / 2);
  }
  return title;
}

// The cells of one row of an NPU: origin and size of the drawing of memory.
class MemoryDrawing {
 public:
  explicit MemoryDrawing(const Picture& picture) : picture_(picture), tensor_(*picture.tensor) {
    const double row_marks = picture.tensor->axes.has(Axis::kRow) ? 84 : 0;
    left_ = kMargin + 34 + row_marks;
    cell_height_ = dtype_bits(tensor_.spec.dtype) < 32 ? kSharedHeight : kCellHeight;
    // As many cells in a row as the page is wide.
    const auto columns = static_cast<double>(picture.npus.size());
    while (per_row_ > 1 && left_ + columns * (static_cast<double>(per_row_) * kCellWidth + kGap) >
                               kPageWidth + kGap)
      per_row_ /= 2;
    double x = left_;
    std::int64_t previous = -1;
    for (const std::int64_t npu : picture.npus) {
      if (previous >= 0 && npu != previous + 1) x += kGap;
      column_x_[npu] = x;
      x += static_cast<double>(per_row_) * kCellWidth + kGap;
      previous = npu;
    }
    first_row_ = picture.first_cell / per_row_;
    rows_ = ceil_div(picture.first_cell + picture.cell_count, per_row_) - first_row_;
    width_ = std::max(x - kGap + kMargin, heading_width(tensor_));
    height_ = kHeader + static_cast<double>(rows_) * cell_height_ + kMargin + kLegendHeight;
  }

  std::string draw() const {
    SvgWriter svg(width_, height_, heading(tensor_));
    write_heading(svg, tensor_);
    draw_columns(svg);
    for (const Cell& cell : picture_.cells) draw_cell(svg, cell);
    draw_groups(svg);
    draw_units(svg);
    for (const StrideArrow& arrow : picture_.arrows) draw_arrow(svg, arrow);
    if (tensor_.axes.has(Axis::kRow)) draw_row_marks(svg);
    draw_legend(svg);
    return svg.finish();
  }

 private:
  static constexpr double kLegendHeight = 64;

  double cell_x(std::int64_t npu, std::int64_t cell) const {
    return column_x_.at(npu) + static_cast<double>(cell % per_row_) * kCellWidth;
  }
  double cell_y(std::int64_t cell) const {
    const std::int64_t row = cell / per_row_ - first_row_;
    return kHeader + static_cast<double>(row) * cell_height_;
  }

  void draw_columns(SvgWriter& svg) const {
    for (const auto& [npu, x] : column_x_) {
      const std::string name =
          tensor_.is_local() ? fmt::format("NPU {}", npu) : std::string("memory");
      const bool start = tensor_.is_local() && npu == tensor_.spec.start_npu;
      svg.text(x + static_cast<double>(per_row_) * kCellWidth / 2, kHeader - 30,
               start ? name + " (start)" : name,
               {.size = 12.5,
                .color = start ? "#c62828" : "#222222",
                .anchor = TextAnchor::kMiddle,
                .bold = start});
      // Reserved cells, row by row: hatched until an element is drawn over them.
      for (std::int64_t row = 0; row < rows_; ++row) {
        const std::int64_t begin = std::max(picture_.first_cell, (first_row_ + row) * per_row_);
        const std::int64_t end =
            std::min(picture_.first_cell + picture_.cell_count, (first_row_ + row + 1) * per_row_);
        svg.hatched(cell_x(npu, begin), cell_y(begin),
                    static_cast<double>(end - begin) * kCellWidth, cell_height_);
      }
    }
    for (std::int64_t row = 0; row < rows_; ++row) {
      const std::int64_t cell = (first_row_ + row) * per_row_;
      svg.text(left_ - 6, cell_y(cell) + cell_height_ / 2 + 4, std::to_string(cell * kCellBytes),
               {.size = 9.5, .color = "#777777", .anchor = TextAnchor::kEnd});
    }
  }

  void draw_cell(SvgWriter& svg, const Cell& cell) const {
    const double x = cell_x(cell.npu, cell.number), y = cell_y(cell.number);
    const int bits = dtype_bits(tensor_.spec.dtype);
    const std::string at = fmt::format("{}:{}", cell.npu, cell.number);
    const std::string title = cell_title(tensor_, cell);
    const auto label = [&](double middle, double from_top, std::string_view text, double room) {
      const double size = std::min(9.5, 1.55 * room / static_cast<double>(text.size()));
      svg.text(middle, y + from_top + size * 0.36, text,
               {.size = size, .color = "#1a1a1a", .anchor = TextAnchor::kMiddle});
    };
    if (bits == 32) {
      svg.box(x, y, kCellWidth, cell_height_,
              {.fill = hex(element_color(tensor_, cell.elements.front().index)),
               .stroke = "#ffffff",
               .title = title,
               .data = at});
      label(x + kCellWidth / 2, cell_height_ / 2, index_text(tensor_, cell.elements.front().index),
            kCellWidth);
      return;
    }
    const double nibble = kCellWidth / 8, width = nibble * bits / 4;
    const int varying = varying_axis(tensor_, cell);
    const bool alone = cell.elements.size() == 1 && bits == 16;
    for (const CellElement& element : cell.elements) {
      const double left = x + nibble * element.first_nibble;
      svg.box(left, y, width, cell_height_,
              {.fill = hex(element_color(tensor_, element.index)),
               .stroke = "#ffffff",
               .title = title,
               .data = fmt::format("{}:{}", at, element.first_nibble)});
      if (varying >= 0) {
        label(left + width / 2, 0.72 * cell_height_,
              std::to_string(element.index[static_cast<std::size_t>(varying)]), width);
      } else if (cell.elements.size() > 1 || alone) {
        label(left + width / 2, 0.72 * cell_height_, index_text(tensor_, element.index), width);
      }
    }
    if (varying >= 0) {
      label(x + kCellWidth / 2, 0.28 * cell_height_, shared_label(tensor_, cell, varying),
            kCellWidth);
    } else if (cell.elements.size() == 1 && !alone) {
      label(x + kCellWidth / 2, 0.28 * cell_height_,
            index_text(tensor_, cell.elements.front().index), kCellWidth);
    }
  }

  // An outline around every group of elements: in its row, or beside its rows.
  void draw_groups(SvgWriter& svg) const {
    const std::optional<Grouping> grouping = grouping_of(tensor_);
    if (!grouping) return;
    const std::int64_t cells =
        ceil_div(grouping->elements * dtype_bits(tensor_.spec.dtype) / 8, kCellBytes);
    std::set<std::pair<std::int64_t, std::int64_t>> done;
    for (const Cell& cell : picture_.cells) {
      const std::int64_t first =
          picture_.first_cell + (cell.number - picture_.first_cell) / cells * cells;
      if (!done.insert({cell.npu, first}).second) continue;
      const double x = cell_x(cell.npu, first), y = cell_y(first);
      if (cells <= per_row_) {
        svg.outline(x, y, static_cast<double>(cells) * kCellWidth, cell_height_, "#333333");
      } else {
        const double end = cell_y(first + cells - 1) + cell_height_;
        svg.line(x - 5, y + 2, x - 5, end - 2, "#333333", 2);
        svg.line(x - 5, y + 2, x, y + 2, "#333333", 2);
        svg.line(x - 5, end - 2, x, end - 2, "#333333", 2);
      }
    }
  }

  // Where the units of the aligned layout begin.
  void draw_units(SvgWriter& svg) const {
    if (!tensor_.is_local()) return;
    const std::int64_t unit = tensor_.memory().align_bytes / kCellBytes;
    if (unit % per_row_ != 0) return;
    const std::int64_t end = picture_.first_cell + picture_.cell_count;
    for (std::int64_t cell = ceil_div(picture_.first_cell, unit) * unit; cell <= end;
         cell += unit) {
      for (const auto& [npu, x] : column_x_) {
        svg.line(x - 4, cell_y(cell), x + static_cast<double>(per_row_) * kCellWidth + 4,
                 cell_y(cell), "#7a3ea8", 1.6);
      }
    }
  }

  void draw_legend(SvgWriter& svg) const {
    double y = height_ - kLegendHeight + 4;
    const SvgTextStyle style{.size = 11, .color = "#444444"};
    std::vector<std::string> axes;
    for (const Axis axis : tensor_.axes) axes.push_back(axis_name(axis));
    std::string labels = fmt::format("A cell has 4 bytes. Labels are {}", fmt::join(axes, ","));
    if (dtype_bits(tensor_.spec.dtype) < 32)
      labels += "; below them what the elements of a cell do not share";
    svg.text(left_, y, labels, style);
    y += 20;
    double x = left_;
    const auto entry = [&](std::string_view text, const auto& draw) {
      draw();
      svg.text(x + 26, y, text, style);
      x += 26 + 6.6 * static_cast<double>(text.size()) + 18;
    };
    entry("reserved, no element", [&] { svg.hatched(x, y - 10, 20, 12); });
    if (const std::optional<Grouping> grouping = grouping_of(tensor_)) {
      entry(fmt::format("{} of {} side by side", grouping->elements, axis_name(grouping->axis)),
            [&] { svg.outline(x, y - 10, 20, 12, "#333333"); });
    }
    if (tensor_.is_local()) {
      entry(fmt::format("unit of {} bytes", tensor_.memory().align_bytes),
            [&] { svg.line(x, y - 4, x + 20, y - 4, "#7a3ea8", 1.6); });
    }
    if (!picture_.arrows.empty()) {
      entry(fmt::format("stride, in {}", stride_unit_name(tensor_.info->stride_unit)),
            [&] { svg.arrow(x, y - 4, x + 20, y - 4, "#1f5fbf", ""); });
    }
  }

  void draw_arrow(SvgWriter& svg, const StrideArrow& arrow) const {
    // Arrows of different axes often share both ends' columns: keep them beside each other.
    const bool dealt = arrow.axis == Axis::kC || arrow.axis == Axis::kO;
    const bool outer = arrow.axis == Axis::kN || arrow.axis == Axis::kI;
    const double lead = kCellWidth * (dealt ? 0.2 : outer ? 0.8 : 0.5);
    const char letter = axis_letter(arrow.axis);
    svg.arrow(cell_x(arrow.npu, arrow.from_cell) + lead, cell_y(arrow.from_cell) + 3,
              cell_x(arrow.npu, arrow.to_cell) + lead, cell_y(arrow.to_cell) + 2,
              axis_color(arrow.axis), fmt::format("{} {}", letter, arrow.stride),
              fmt::format("{}:{}", letter, arrow.stride));
  }

  void draw_row_marks(SvgWriter& svg) const {
    for (std::int64_t row = 0; row < std::min<std::int64_t>(2, tensor_.spec.shape[0]); ++row) {
      const std::int64_t index[] = {row, 0};
      const LocalAddress at = tensor_.layout.local_address(index);
      const std::int64_t cell = at.offset * tensor_.layout.unit_bits() / 8 / kCellBytes;
      const double x = cell_x(at.npu, cell), y = cell_y(cell) + cell_height_ / 2;
      svg.arrow(kMargin - 14, y - 6, x - 30, y, row == 0 ? "#1f5fbf" : "#c62828",
                row == 0 ? "First Row" : "Second Row", fmt::format("row:{}", row));
    }
  }

  const Picture& picture_;
  const NamedLayout& tensor_;
  std::map<std::int64_t, double> column_x_;
  std::int64_t per_row_ = kCellsPerRow;
  std::int64_t first_row_, rows_;
  double cell_height_, left_, width_, height_;
};

std::string draw_image(const Picture& picture) {
  const NamedLayout& tensor = *picture.tensor;
  const std::int64_t width = tensor.layout.image_width(), height = tensor.image_height;
  constexpr double kLane = 34, kPixelGap = 6;
  constexpr double kPixel = 4 * kLane + kPixelGap;
  const double left = kMargin + 30, top = kHeader + 10;
  const double bottom = top + static_cast<double>(height) * (kCellHeight + 4);
  SvgWriter svg(
      std::max(left + static_cast<double>(width) * kPixel + kMargin, heading_width(tensor)),
      bottom + kMargin + 24, heading(tensor));
  write_heading(svg, tensor);
  std::vector<std::string> axes;
  for (const Axis axis : tensor.axes) axes.push_back(axis_name(axis));
  svg.hatched(left, bottom + 14, 20, 12);
  svg.text(left + 26, bottom + 24,
           fmt::format("no element. A pixel has four lanes; labels are {}", fmt::join(axes, ",")),
           {.size = 11, .color = "#444444"});
  for (std::int64_t x = 0; x < width; ++x) {
    const double at = left + static_cast<double>(x) * kPixel;
    svg.text(at + 2 * kLane, kHeader - 10, fmt::format("x = {}", x),
             {.size = 11, .anchor = TextAnchor::kMiddle});
    for (int lane = 0; lane < 4; ++lane) {
      svg.text(at + (lane + 0.5) * kLane, kHeader + 4, std::string(1, "RGBA"[lane]),
               {.size = 9, .color = "#888888", .anchor = TextAnchor::kMiddle});
    }
  }
  const auto row_y = [&](std::int64_t y) {
    return top + static_cast<double>(y) * (kCellHeight + 4);
  };
  for (std::int64_t y = 0; y < height; ++y) {
    svg.text(left - 8, row_y(y) + 15, fmt::format("y {}", y),
             {.size = 10, .color = "#777777", .anchor = TextAnchor::kEnd});
    for (std::int64_t x = 0; x < width; ++x) {
      svg.hatched(left + static_cast<double>(x) * kPixel, row_y(y), 4 * kLane, kCellHeight,
                  tensor.padding == PaddingFill::kZero ? "no element: 0" : "no element");
    }
  }
  for (const Cell& cell : picture.cells) {
    const std::int64_t x = cell.number % width, y = cell.number / width;
    for (const CellElement& element : cell.elements) {
      const double at = left + static_cast<double>(x) * kPixel + element.first_nibble * kLane;
      const std::string label = index_text(tensor, element.index);
      svg.box(at, row_y(y), kLane, kCellHeight,
              {.fill = hex(element_color(tensor, element.index)),
               .stroke = "#ffffff",
               .title = fmt::format("pixel ({}, {}), lane {} ({})\n({})", x, y,
                                    element.first_nibble, "RGBA"[element.first_nibble], label),
               .data = fmt::format("{}:{}:{}", x, y, element.first_nibble)});
      const double size = std::min(9.0, 1.55 * kLane / static_cast<double>(label.size()));
      svg.text(at + kLane / 2, row_y(y) + kCellHeight / 2 + size * 0.36, label,
               {.size = size, .anchor = TextAnchor::kMiddle});
    }
  }
  return svg.finish();
}

// How full each part of each memory is: white to blue.
std::string draw_occupancy(const NamedLayout& tensor) {
  constexpr std::int64_t kBins = 64;
  const Occupancy full = measure_occupancy(tensor, kBins);
  const double cell_width = full.columns > 1 ? 13 : 260, cell_height = 9;
  const double left = kMargin + 70, top = kHeader + 6;
  SvgWriter svg(std::max(left + static_cast<double>(full.columns) * cell_width + kMargin,
                         heading_width(tensor)),
                top + static_cast<double>(full.rows) * cell_height + kMargin + 20, heading(tensor));
  write_heading(svg, tensor);
  const bool image = tensor.is_image();
  svg.text(left, kHeader - 26,
           image ? fmt::format("{} x {} pixels, {} x {} in a part", tensor.layout.image_width(),
                               tensor.image_height, full.bytes_per_bin, full.pixels_per_bin_down)
                 : fmt::format("{} bytes{}, {} in a part",
                               tensor.is_local() ? tensor.bytes_per_npu : tensor.bytes,
                               tensor.is_local() ? " in each NPU" : "", full.bytes_per_bin),
           {.size = 11, .color = "#555555"});
  for (std::int64_t row = 0; row < full.rows; row += 8) {
    svg.text(left - 6, top + static_cast<double>(row) * cell_height + 8,
             std::to_string(image ? row * full.pixels_per_bin_down
                                  : tensor.spec.offset + row * full.bytes_per_bin),
             {.size = 9.5, .color = "#777777", .anchor = TextAnchor::kEnd});
  }
  for (std::int64_t column = 0; column < full.columns; ++column) {
    const double x = left + static_cast<double>(column) * cell_width;
    svg.hatched(x, top, cell_width, static_cast<double>(full.rows) * cell_height);
    if (tensor.is_local() && (column % 8 == 0 || column == tensor.spec.start_npu)) {
      const bool start = column == tensor.spec.start_npu;
      svg.text(x + cell_width / 2, kHeader - 6, std::to_string(column),
               {.size = 10,
                .color = start ? "#c62828" : "#777777",
                .anchor = TextAnchor::kMiddle,
                .bold = start});
    }
    const auto share_of = [&](std::int64_t row) {
      return full.share[static_cast<std::size_t>(row * full.columns + column)];
    };
    // Parts of equal share below each other are one box.
    for (std::int64_t row = 0, end = 0; row < full.rows; row = end) {
      const double share = share_of(row);
      for (end = row + 1; end < full.rows && share_of(end) == share;) ++end;
      if (share == 0) continue;
      const std::int64_t unit = image ? full.pixels_per_bin_down : full.bytes_per_bin;
      const std::int64_t first = tensor.spec.offset + row * unit;
      const std::int64_t last = tensor.spec.offset + end * unit - 1;
      std::string place = fmt::format("byte {} to {}", first, last);
      if (tensor.is_local()) place = fmt::format("NPU {}, {}", column, place);
      if (image)
        place = fmt::format("x from {}, y {} to {}", column * full.bytes_per_bin, first, last);
      svg.box(x, top + static_cast<double>(row) * cell_height, cell_width,
              static_cast<double>(end - row) * cell_height,
              {.fill = hex(hsl(210, 62, 92 - 45 * share)),
               .stroke = "#ffffff",
               .title = fmt::format("{}: {:.0f} % elements", place, share * 100),
               .data = fmt::format("{}:{}:{}:{:.2f}", column, row, end - row, share)});
    }
  }
  const double y = top + static_cast<double>(full.rows) * cell_height + 18;
  svg.text(left, y, "dark: full of elements; light: partly; hatched: reserved without an element",
           {.size = 10.5, .color = "#555555"});
  return svg.finish();
}

}  // namespace

std::string draw_svg(const NamedLayout& tensor) {
  if (!worth_details(tensor)) return draw_occupancy(tensor);
  const Picture picture = make_picture(tensor);
  return tensor.is_image() ? draw_image(picture) : MemoryDrawing(picture).draw();
}

}  // namespace tensorlane
