#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "tensorlane/draw/draw.h"
#include "tensorlane/draw/picture.h"
#include "tensorlane/draw/svg.h"

namespace tensorlane {
namespace {

constexpr double kMargin = 24, kHeader = 106, kGap = 26;
constexpr double kCellWidth = 46, kCellHeight = 22;

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

// The short label of a cell: its element, or the range of the axis that several of them share.
std::string cell_label(const NamedLayout& tensor, const Cell& cell) {
  const CellElement& first = cell.elements.front();
  if (cell.elements.size() == 1) return index_text(tensor, first.index);
  const CellElement& last = cell.elements.back();
  std::string label;
  for (int d = 0; d < tensor.layout.rank(); ++d) {
    if (d > 0) label += ',';
    label += std::to_string(first.index[d]);
    if (first.index[d] != last.index[d]) label += fmt::format("-{}", last.index[d]);
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
    double x = left_;
    std::int64_t previous = -1;
    for (const std::int64_t npu : picture.npus) {
      if (previous >= 0 && npu != previous + 1) x += kGap;
      column_x_[npu] = x;
      x += kCellsPerRow * kCellWidth + kGap;
      previous = npu;
    }
    first_row_ = picture.first_cell / kCellsPerRow;
    rows_ = ceil_div(picture.first_cell + picture.cell_count, kCellsPerRow) - first_row_;
    width_ = std::max(x - kGap + kMargin, heading_width(tensor_));
    height_ = kHeader + static_cast<double>(rows_) * kCellHeight + kMargin;
  }

  std::string draw() const {
    SvgWriter svg(width_, height_, heading(tensor_));
    write_heading(svg, tensor_);
    draw_columns(svg);
    for (const Cell& cell : picture_.cells) draw_cell(svg, cell);
    for (const StrideArrow& arrow : picture_.arrows) draw_arrow(svg, arrow);
    if (tensor_.axes.has(Axis::kRow)) draw_row_marks(svg);
    return svg.finish();
  }

 private:
  double cell_x(std::int64_t npu, std::int64_t cell) const {
    return column_x_.at(npu) + static_cast<double>(cell % kCellsPerRow) * kCellWidth;
  }
  double cell_y(std::int64_t cell) const {
    const std::int64_t row = cell / kCellsPerRow - first_row_;
    return kHeader + static_cast<double>(row) * kCellHeight;
  }

  void draw_columns(SvgWriter& svg) const {
    for (const auto& [npu, x] : column_x_) {
      const std::string name =
          tensor_.is_local() ? fmt::format("NPU {}", npu) : std::string("memory");
      const bool start = tensor_.is_local() && npu == tensor_.spec.start_npu;
      svg.text(x + kCellsPerRow * kCellWidth / 2, kHeader - 30, start ? name + " (start)" : name,
               {.size = 12.5,
                .color = start ? "#c62828" : "#222222",
                .anchor = TextAnchor::kMiddle,
                .bold = start});
      // Reserved cells, row by row: hatched until an element is drawn over them.
      for (std::int64_t row = 0; row < rows_; ++row) {
        const std::int64_t begin = std::max(picture_.first_cell, (first_row_ + row) * kCellsPerRow);
        const std::int64_t end = std::min(picture_.first_cell + picture_.cell_count,
                                          (first_row_ + row + 1) * kCellsPerRow);
        svg.hatched(cell_x(npu, begin), cell_y(begin),
                    static_cast<double>(end - begin) * kCellWidth, kCellHeight);
      }
    }
    for (std::int64_t row = 0; row < rows_; ++row) {
      const std::int64_t cell = (first_row_ + row) * kCellsPerRow;
      svg.text(left_ - 6, cell_y(cell) + 15, std::to_string(cell * kCellBytes),
               {.size = 9.5, .color = "#777777", .anchor = TextAnchor::kEnd});
    }
  }

  void draw_cell(SvgWriter& svg, const Cell& cell) const {
    const double x = cell_x(cell.npu, cell.number), y = cell_y(cell.number);
    const int bits = dtype_bits(tensor_.spec.dtype);
    const std::string at = fmt::format("{}:{}", cell.npu, cell.number);
    const std::string title = cell_title(tensor_, cell);
    if (bits == 32) {
      svg.box(x, y, kCellWidth, kCellHeight,
              {.fill = hex(element_color(tensor_, cell.elements.front().index)),
               .stroke = "#ffffff",
               .title = title,
               .data = at});
    } else {
      const double nibble = kCellWidth / 8;
      for (const CellElement& element : cell.elements) {
        svg.box(x + nibble * element.first_nibble, y, nibble * bits / 4, kCellHeight,
                {.fill = hex(element_color(tensor_, element.index)),
                 .stroke = "#ffffff",
                 .title = title,
                 .data = fmt::format("{}:{}", at, element.first_nibble)});
      }
    }
    const std::string label = cell_label(tensor_, cell);
    const double size = std::min(9.5, 1.55 * kCellWidth / static_cast<double>(label.size()));
    svg.text(x + kCellWidth / 2, y + kCellHeight / 2 + size * 0.36, label,
             {.size = size, .color = "#1a1a1a", .anchor = TextAnchor::kMiddle});
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
      const double x = cell_x(at.npu, cell), y = cell_y(cell) + kCellHeight / 2;
      svg.arrow(kMargin - 14, y - 6, x - 30, y, row == 0 ? "#1f5fbf" : "#c62828",
                row == 0 ? "First Row" : "Second Row", fmt::format("row:{}", row));
    }
  }

  const Picture& picture_;
  const NamedLayout& tensor_;
  std::map<std::int64_t, double> column_x_;
  std::int64_t first_row_, rows_;
  double left_, width_, height_;
};

std::string draw_image(const Picture& picture) {
  const NamedLayout& tensor = *picture.tensor;
  const std::int64_t width = tensor.layout.image_width(), height = tensor.image_height;
  constexpr double kLane = 34, kPixelGap = 6;
  constexpr double kPixel = 4 * kLane + kPixelGap;
  const double left = kMargin + 30, top = kHeader + 10;
  SvgWriter svg(
      std::max(left + static_cast<double>(width) * kPixel + kMargin, heading_width(tensor)),
      top + static_cast<double>(height) * (kCellHeight + 4) + kMargin, heading(tensor));
  write_heading(svg, tensor);
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
