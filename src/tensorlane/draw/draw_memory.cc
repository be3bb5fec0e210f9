// Local and linear memory in cells of four bytes: NPUs side by side, as many as a page is wide, the
// others below them. Strides are arrows that run in a gutter left of an NPU and along the edges of
// cells, so that neither they nor their labels cover what stands in a cell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/drawing.h"
#include "tensorlane/layout/grouping.h"

namespace tensorlane {
namespace {

constexpr double kCellHeight = 20, kWidestCell = 48;
// A cell of smaller elements: what they share, above what they do not.
constexpr double kSharedHeight = 13, kPartHeight = 16;
constexpr double kCellText = 9.5, kNumberText = 9.5, kArrowText = 10;
constexpr double kNameHeight = 22;  // of an NPU
constexpr double kNpuGap = 14, kLane = 6, kBracket = 7, kAbove = 17, kLabelHeight = 14,
                 kMostGutter = 80;

std::string_view arrow_color(Axis axis) {
  switch (axis) {
    case Axis::kW:
      return "#a85a00";
    case Axis::kH:
      return "#1d6f1d";
    case Axis::kC:
    case Axis::kO:
      return "#1f5fbf";
    default:
      return "#c62828";
  }
}

// The axes along which the elements of a cell differ.
std::vector<int> varying_axes(const NamedLayout& tensor, const Cell& cell) {
  std::vector<int> varying;
  for (int d = 0; d < tensor.layout.rank(); ++d) {
    for (const CellElement& element : cell.elements) {
      if (element.index[d] == cell.elements.front().index[d]) continue;
      varying.push_back(d);
      break;
    }
  }
  return varying;
}

// "n,4,0,1": the letter of an axis stands for what the elements do not share.
std::string shared_label(const NamedLayout& tensor, const Cell& cell,
                         const std::vector<int>& varying) {
  std::string label;
  for (int d = 0; d < tensor.layout.rank(); ++d) {
    if (d > 0) label += ',';
    label += std::find(varying.begin(), varying.end(), d) != varying.end()
                 ? axis_name(tensor.axes[d]).substr(0, 1)
                 : std::to_string(cell.elements.front().index[d]);
  }
  return label;
}

// The elements of a cell that lie at one place: one, or as many as a stride of 0 puts there.
using Sharers = std::span<const CellElement>;

std::vector<Sharers> places_of(const Cell& cell) {
  std::vector<Sharers> places;
  for (std::size_t begin = 0, end = 0; begin < cell.elements.size(); begin = end) {
    const int nibble = cell.elements[begin].first_nibble;
    while (end < cell.elements.size() && cell.elements[end].first_nibble == nibble) ++end;
    places.push_back(Sharers(cell.elements).subspan(begin, end - begin));
  }
  return places;
}

// What those of a place do not share with the rest of the cell; a letter for an axis that a stride
// of 0 repeats.
std::string own_label(const NamedLayout& tensor, Sharers place, const std::vector<int>& varying) {
  std::string label;
  for (const int d : varying) {
    const bool repeated = std::any_of(place.begin(), place.end(), [&](const CellElement& each) {
      return each.index[d] != place.front().index[d];
    });
    label += (label.empty() ? "" : ",") + (repeated ? axis_name(tensor.axes[d]).substr(0, 1)
                                                    : std::to_string(place.front().index[d]));
  }
  return label;
}

// Elements of less than a cell have their part of it; in most cells they differ along these axes.
std::vector<int> usual_axes(const Picture& picture) {
  std::vector<int> usual{picture.tensor->layout.rank() - 1};
  for (const Cell& cell : picture.cells) {
    if (cell.elements.size() > 1) return varying_axes(*picture.tensor, cell);
  }
  return usual;
}

class MemoryDrawing {
 public:
  MemoryDrawing(const Picture& picture, std::int64_t bank_bytes)
      : picture_(picture),
        tensor_(*picture.tensor),
        heading_(tensor_),
        grid_(tensor_),
        bits_(dtype_bits(tensor_.spec.dtype)),
        bank_bytes_(bank_bytes),
        usual_(usual_axes(picture)) {
    cell_height_ = bits_ < 32 ? kSharedHeight + kPartHeight : kCellHeight;
    measure_cells();
    choose_row();
    sort_arrows();
    place_npus();
    fill_legend();
  }

  std::string draw() const {
    const double grid_top = bottom_ + 14;
    const double legend_top = grid_top + (grid_.height() > 0 ? grid_.height() + 6 : 0);
    SvgWriter svg(kPageWidth, legend_top + legend_.height() + 4, heading_.title());
    heading_.draw(svg);
    draw_npus(svg);
    for (const Cell& cell : picture_.cells) draw_cell(svg, cell);
    draw_groups(svg);
    draw_units(svg);
    draw_arrows(svg);
    grid_.draw(svg, grid_top);
    legend_.draw(svg, legend_top);
    return svg.finish();
  }

 private:
  struct Place {
    double x, y;  // of the first cell
    int band;
  };
  // An arrow beside the cells of an NPU, or above them.
  struct RoutedArrow {
    std::string label, data;
    std::string_view color;
    std::int64_t npu, from, to;
    bool above;
    int lane = 0;
    double label_y = 0;  // below the first row
  };

  // As wide as the labels of elements need.
  void measure_cells() {
    double width = 32;
    for (const Cell& cell : picture_.cells) {
      if (bits_ == 32) {
        const std::string label = shared_label(tensor_, cell, varying_axes(tensor_, cell));
        width = std::max(width, text_width(label, kCellText) + 5);
        continue;
      }
      const std::vector<int> varying = axes_of(cell);
      width = std::max(width, text_width(shared_label(tensor_, cell, varying), kCellText) + 5);
      for (const Sharers place : places_of(cell)) {
        const std::string label = own_label(tensor_, place, varying);
        width = std::max(width, (text_width(label, kCellText) + 3) * 32 / bits_);
      }
    }
    cell_width_ = std::ceil(width);
  }

  std::vector<int> axes_of(const Cell& cell) const {
    return cell.elements.size() > 1 ? varying_axes(tensor_, cell) : usual_;
  }

  double row_width() const { return static_cast<double>(per_row_) * cell_width_; }
  double left() const {
    const std::int64_t last = (picture_.first_cell + picture_.cell_count) * kCellBytes;
    return kMargin + text_width(std::to_string(last), kNumberText) + 8;
  }

  // Cells in a row: as the documents have them where the page is wide enough for four NPUs.
  void choose_row() {
    const auto columns = static_cast<double>(std::min<std::size_t>(picture_.npus.size(), 4));
    const double room = kPageWidth - kMargin - left() - kMostGutter;
    while (per_row_ > 1 && columns * (row_width() + kNpuGap) - kNpuGap > room) per_row_ /= 2;
    const double widest = ((room + kNpuGap) / columns - kNpuGap) / static_cast<double>(per_row_);
    cell_width_ = std::max(cell_width_, std::min(kWidestCell, std::floor(widest)));
    first_row_ = picture_.first_cell / per_row_;
    rows_ = ceil_div(picture_.first_cell + picture_.cell_count, per_row_) - first_row_;
  }

  std::int64_t row_of(std::int64_t cell) const { return cell / per_row_ - first_row_; }
  double row_y(std::int64_t cell) const { return static_cast<double>(row_of(cell)) * cell_height_; }
  double column_x(std::int64_t cell) const {
    return static_cast<double>(cell % per_row_) * cell_width_;
  }
  double cell_x(std::int64_t npu, std::int64_t cell) const {
    return places_.at(npu).x + column_x(cell);
  }
  double cell_y(std::int64_t npu, std::int64_t cell) const {
    return places_.at(npu).y + row_y(cell);
  }

  // Short arrows next to the cells; labels below each other.
  void sort_arrows() {
    for (const StrideArrow& arrow : picture_.arrows) {
      if (arrow.from_cell == arrow.to_cell) continue;
      const char letter = axis_letter(arrow.axis);
      arrows_.push_back({fmt::format("{} {}", letter, arrow.stride),
                         fmt::format("{}:{}", letter, arrow.stride), arrow_color(arrow.axis),
                         arrow.npu, arrow.from_cell, arrow.to_cell,
                         row_of(arrow.from_cell) == 0 && row_of(arrow.to_cell) == 0});
    }
    if (tensor_.is_local() && tensor_.axes == Axes("RK")) add_rows();
    // Not with std::ranges, whose algorithms emscripten's library lacks.
    const auto length = [](const RoutedArrow& arrow) { return std::abs(arrow.to - arrow.from); };
    std::stable_sort(arrows_.begin(), arrows_.end(),
                     [&](const auto& a, const auto& b) { return length(a) < length(b); });
    std::map<std::int64_t, double> next_label;
    for (RoutedArrow& arrow : arrows_) {
      int& lanes = arrow.above ? above_[arrow.npu] : beside_[arrow.npu];
      arrow.lane = lanes++;
      most_above_ = std::max(most_above_, arrow.above ? lanes : 0);
    }
    std::vector<RoutedArrow*> by_middle;
    for (RoutedArrow& arrow : arrows_) {
      if (arrow.above) continue;
      arrow.label_y = (row_y(arrow.from) + row_y(arrow.to) + cell_height_) / 2;
      by_middle.push_back(&arrow);
    }
    std::stable_sort(by_middle.begin(), by_middle.end(),
                     [](const auto* a, const auto* b) { return a->label_y < b->label_y; });
    for (RoutedArrow* arrow : by_middle) {
      const auto [next, first] = next_label.try_emplace(arrow->npu, 0);
      if (!first) arrow->label_y = std::max(arrow->label_y, next->second);
      next->second = arrow->label_y + kLabelHeight + 2;
    }
  }

  // Where the first two rows of a matrix begin.
  void add_rows() {
    for (std::int64_t row = 0; row < std::min<std::int64_t>(2, tensor_.spec.shape[0]); ++row) {
      const std::int64_t index[] = {row, 0};
      const LocalAddress at = tensor_.layout.local_address(index);
      const std::int64_t cell = at.offset * tensor_.layout.unit_bits() / 8 / kCellBytes;
      arrows_.push_back({row == 0 ? tr("First Row") : tr("Second Row"), fmt::format("row:{}", row),
                         row == 0 ? "#1f5fbf" : "#c62828", at.npu, cell, cell, false});
    }
  }

  double gutter(std::int64_t npu) const {
    const auto lanes = beside_.find(npu);
    if (lanes == beside_.end()) return 0;
    double width = 0;
    for (const RoutedArrow& arrow : arrows_) {
      if (arrow.npu == npu && !arrow.above)
        width = std::max(width, text_width(arrow.label, kArrowText, true) + 8);
    }
    return kBracket + kLane * lanes->second + width;
  }

  void place_npus() {
    const double height =
        kNameHeight + kAbove * most_above_ + static_cast<double>(rows_) * cell_height_;
    double x = left(), y = heading_.height() + kNameHeight + kAbove * most_above_;
    int band = 0;
    for (const std::int64_t npu : picture_.npus) {
      const double wide = gutter(npu) + row_width();
      if (!places_.empty() && x + wide > kPageWidth - kMargin / 2) {
        x = left();
        y += height + 12;
        ++band;
      }
      places_[npu] = {x + gutter(npu), y, band};
      x += wide + kNpuGap;
    }
    bottom_ = y + static_cast<double>(rows_) * cell_height_;
  }

  void draw_npus(SvgWriter& svg) const {
    int band = -1;
    for (const auto& [npu, place] : places_) {
      const std::string name =
          tensor_.is_local() ? tr("NPU {}", npu) : std::string(translated(msg("memory")));
      const bool start = tensor_.is_local() && npu == tensor_.spec.start_npu;
      svg.text(place.x + row_width() / 2, place.y - kAbove * most_above_ - 8,
               start ? tr("{} (start)", name) : name,
               {.size = 12.5,
                .color = start ? "#b71c1c" : "#222222",
                .anchor = TextAnchor::kMiddle,
                .bold = start});
      // Reserved cells, row by row: hatched until an element is drawn over them.
      for (std::int64_t row = 0; row < rows_; ++row) {
        const std::int64_t begin = std::max(picture_.first_cell, (first_row_ + row) * per_row_);
        const std::int64_t end =
            std::min(picture_.first_cell + picture_.cell_count, (first_row_ + row + 1) * per_row_);
        svg.hatched(cell_x(npu, begin), cell_y(npu, begin),
                    static_cast<double>(end - begin) * cell_width_, cell_height_);
      }
      if (place.band == band) continue;
      band = place.band;
      for (std::int64_t row = 0; row < rows_; ++row) {
        const std::int64_t cell = (first_row_ + row) * per_row_;
        svg.text(left() - 6, place.y + row_y(cell) + cell_height_ / 2 + 3.5,
                 std::to_string(cell * kCellBytes),
                 {.size = kNumberText, .color = kQuiet, .anchor = TextAnchor::kEnd});
      }
    }
  }

  std::string cell_title(const Cell& cell) const {
    std::string title = tensor_.is_local()
                            ? tr("NPU {}, byte {}", cell.npu, cell.number * kCellBytes)
                            : tr("byte {}", cell.number * kCellBytes);
    constexpr std::size_t kMostNamed = 16;
    const std::size_t named = std::min(cell.elements.size(), kMostNamed);
    for (const CellElement& element : Sharers(cell.elements).first(named)) {
      title += fmt::format("\n{} = {}", axes_text(tensor_), index_text(tensor_, element.index));
      if (cell.elements.size() > 1) title += tr(" at byte {}", element.first_nibble / 2);
    }
    if (named < cell.elements.size())
      title += "\n" + tr("and {} more", cell.elements.size() - named);
    return title;
  }

  void draw_cell(SvgWriter& svg, const Cell& cell) const {
    const double x = cell_x(cell.npu, cell.number), y = cell_y(cell.npu, cell.number);
    const std::string at = fmt::format("{}:{}", cell.npu, cell.number);
    const auto label = [&](double middle, double top, double height, const std::string& text,
                           double room) {
      const double size = fitting_size(text, room - 2, kCellText);
      svg.text(middle, y + top + height / 2 + size * 0.36, text,
               {.size = size, .color = "#111111", .anchor = TextAnchor::kMiddle});
    };
    if (bits_ == 32) {
      svg.box(x, y, cell_width_, cell_height_,
              {.fill = hex(element_color(tensor_, cell.elements.front().index)),
               .stroke = "#ffffff",
               .title = cell_title(cell),
               .data = at});
      label(x + cell_width_ / 2, 0, cell_height_,
            shared_label(tensor_, cell, varying_axes(tensor_, cell)), cell_width_);
      return;
    }
    const double width = cell_width_ * bits_ / 32;
    const std::vector<int> varying = axes_of(cell);
    svg.begin_group(cell_title(cell));
    svg.box(x, y, cell_width_, kSharedHeight, {.fill = "#f1f1f1"});
    label(x + cell_width_ / 2, 0, kSharedHeight, shared_label(tensor_, cell, varying), cell_width_);
    for (const Sharers place : places_of(cell)) {
      const CellElement& element = place.front();
      const double left = x + cell_width_ / 8 * element.first_nibble;
      svg.box(left, y + kSharedHeight, width, kPartHeight,
              {.fill = hex(element_color(tensor_, element.index)),
               .stroke = "#ffffff",
               .data = fmt::format("{}:{}", at, element.first_nibble)});
      label(left + width / 2, kSharedHeight, kPartHeight, own_label(tensor_, place, varying),
            width);
    }
    svg.end_group();
    svg.outline(x, y, cell_width_, cell_height_, kWordColor, 0.8);
  }

  // An outline around every group of elements: in its row, or beside its rows.
  void draw_groups(SvgWriter& svg) const {
    const std::optional<Grouping> grouping = grouping_of(tensor_);
    if (!grouping) return;
    const std::int64_t cells = ceil_div(grouping->elements * bits_ / 8, kCellBytes);
    std::set<std::pair<std::int64_t, std::int64_t>> done;
    for (const Cell& cell : picture_.cells) {
      const std::int64_t first =
          picture_.first_cell + (cell.number - picture_.first_cell) / cells * cells;
      if (!done.insert({cell.npu, first}).second) continue;
      const double x = cell_x(cell.npu, first), y = cell_y(cell.npu, first);
      if (first % per_row_ + cells <= per_row_) {
        svg.outline(x, y, static_cast<double>(cells) * cell_width_, cell_height_, kGroupColor);
        continue;
      }
      const double end = cell_y(cell.npu, first + cells - 1) + cell_height_;
      const double edge = places_.at(cell.npu).x;
      svg.line(edge - 4, y + 2, edge - 4, end - 2, kGroupColor, 2);
      svg.line(edge - 4, y + 2, edge, y + 2, kGroupColor, 2);
      svg.line(edge - 4, end - 2, edge, end - 2, kGroupColor, 2);
    }
  }

  bool draws_units() const {
    return tensor_.is_local() && tensor_.memory().align_bytes / kCellBytes % per_row_ == 0;
  }
  bool draws_banks() const {
    const std::int64_t end = (picture_.first_cell + picture_.cell_count) * kCellBytes;
    return tensor_.is_local() && bank_bytes_ > tensor_.memory().align_bytes &&
           picture_.first_cell * kCellBytes / bank_bytes_ != (end - 1) / bank_bytes_;
  }

  // Where the units of the aligned layout begin, and where banks do.
  void draw_units(SvgWriter& svg) const {
    const auto lines = [&](std::int64_t bytes, std::string_view color, double width) {
      const std::int64_t step = bytes / kCellBytes;
      const std::int64_t end = picture_.first_cell + picture_.cell_count;
      for (std::int64_t cell = ceil_div(picture_.first_cell, step) * step; cell <= end;
           cell += step) {
        for (const auto& [npu, place] : places_) {
          const double y = place.y + row_y(cell);
          svg.line(place.x - 2, y, place.x + row_width() + 4, y, color, width);
        }
      }
    };
    if (draws_units()) lines(tensor_.memory().align_bytes, kUnitColor, 1.6);
    if (draws_banks()) lines(bank_bytes_, kBankColor, 2.6);
  }

  void draw_arrow_label(SvgWriter& svg, const RoutedArrow& arrow, double x, double y) const {
    const double width = text_width(arrow.label, kArrowText, true);
    svg.box(x - 2, y - kLabelHeight / 2, width + 4, kLabelHeight,
            {.fill = "#ffffff", .data = arrow.label, .attribute = "data-label"});
    svg.text(x, y + 3.6, arrow.label, {.size = kArrowText, .color = arrow.color, .bold = true});
  }

  void draw_arrows(SvgWriter& svg) const {
    for (const RoutedArrow& arrow : arrows_) {
      const Place& place = places_.at(arrow.npu);
      const double to_x = place.x + column_x(arrow.to), to_y = place.y + row_y(arrow.to);
      const double from_x = place.x + column_x(arrow.from), from_y = place.y + row_y(arrow.from);
      if (arrow.above) {
        const double y = place.y - kAbove * (arrow.lane + 0.55);
        const double begin = from_x + 5 + 6 * arrow.lane, end = to_x + cell_width_ / 2;
        svg.route({{begin, from_y}, {begin, y}, {end, y}, {end, to_y}}, arrow.color, arrow.data);
        const double width = text_width(arrow.label, kArrowText, true);
        draw_arrow_label(svg, arrow, std::max(begin + 4, std::min((begin + end - width) / 2, end)),
                         y);
        continue;
      }
      // A label stands left of all lanes, in the colour of its arrow.
      const int lanes = beside_.at(arrow.npu);
      const double lane = place.x - kBracket - kLane * arrow.lane;
      const double label_end = place.x - kBracket - kLane * lanes - 2;
      const double label_y = place.y + arrow.label_y;
      const double width = text_width(arrow.label, kArrowText, true);
      if (arrow.from == arrow.to) {  // the beginning of a row
        svg.route({{label_end, label_y}, {place.x, label_y}}, arrow.color, arrow.data);
        draw_arrow_label(svg, arrow, label_end - width - 2, label_y);
        continue;
      }
      const double leave = from_y + (arrow.from % per_row_ == 0 ? 4 + 4.0 * arrow.lane : 0);
      const double middle = to_y + cell_height_ / 2;
      if (arrow.to % per_row_ == 0) {
        svg.route({{from_x, leave}, {lane, leave}, {lane, middle}, {to_x, middle}}, arrow.color,
                  arrow.data);
      } else {  // along the upper edge of the row, down to the cell
        const double corner = to_x + 4;
        svg.route(
            {{from_x, leave}, {lane, leave}, {lane, to_y}, {corner, to_y}, {corner, to_y + 5}},
            arrow.color, arrow.data);
      }
      const double reached = std::clamp(label_y, std::min(leave, to_y), std::max(leave, middle));
      svg.line(label_end, label_y, lane, reached, arrow.color, 0.8);
      draw_arrow_label(svg, arrow, label_end - width - 2, label_y);
    }
  }

  bool repeats() const {
    return std::any_of(picture_.cells.begin(), picture_.cells.end(), [](const Cell& cell) {
      return places_of(cell).size() < cell.elements.size();
    });
  }

  void fill_legend() {
    using Sample = Legend::Sample;
    legend_.add(Sample::kNone,
                bits_ < 32 ? tr("A cell is a word of 4 bytes; above what its elements share "
                                "of {}, below what they do not",
                                axes_text(tensor_))
                           : tr("A cell is 4 bytes, labels are {}; left the byte at which a "
                                "row begins",
                                axes_text(tensor_)));
    if (bits_ == 32 && repeats())
      legend_.add(Sample::kNone, tr("a letter: a stride of 0 repeats the element along that axis"));
    legend_.add(Sample::kHatched, tr("reserved, no element"));
    if (bits_ < 32) legend_.add(Sample::kWord, tr("word"));
    if (const std::optional<Grouping> grouping = grouping_of(tensor_))
      legend_.add(Sample::kGroup,
                  tr("{} of {} side by side", grouping->elements, axis_name(grouping->axis)));
    if (draws_units())
      legend_.add(Sample::kUnit, tr("unit of {} bytes", tensor_.memory().align_bytes));
    if (draws_banks()) legend_.add(Sample::kBank, tr("bank of {} bytes", bank_bytes_));
    if (!picture_.arrows.empty())
      legend_.add(Sample::kArrow,
                  tr("stride, in {}", translated(stride_unit_name(tensor_.info->stride_unit))));
  }

  const Picture& picture_;
  const NamedLayout& tensor_;
  const Heading heading_;
  const LogicalGrid grid_;
  const int bits_;
  const std::int64_t bank_bytes_;
  const std::vector<int> usual_;
  Legend legend_;
  std::vector<RoutedArrow> arrows_;
  std::map<std::int64_t, int> above_, beside_;  // arrows of an NPU
  std::map<std::int64_t, Place> places_;
  std::int64_t per_row_ = kCellsPerRow, first_row_ = 0, rows_ = 0;
  int most_above_ = 0;
  double cell_width_ = 0, cell_height_ = 0, bottom_ = 0;
};

}  // namespace

std::string draw_memory(const Picture& picture, std::int64_t bank_bytes) {
  return MemoryDrawing(picture, bank_bytes).draw();
}

}  // namespace tensorlane
