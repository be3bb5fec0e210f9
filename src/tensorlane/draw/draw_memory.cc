// Local and linear memory in cells of four bytes: NPUs side by side, as many as a page is wide, the
// others below them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/arrow_routes.h"
#include "tensorlane/draw/cell_labels.h"
#include "tensorlane/draw/cell_rows.h"
#include "tensorlane/draw/drawing.h"
#include "tensorlane/layout/grouping.h"

namespace tensorlane {
namespace {

constexpr double kNameHeight = 22;  // of an NPU

class MemoryDrawing {
 public:
  MemoryDrawing(const Picture& picture, std::int64_t bank_bytes)
      : picture_(picture),
        tensor_(*picture.tensor),
        heading_(tensor_),
        grid_(tensor_),
        bits_(dtype_bits(tensor_.spec.dtype)),
        bank_bytes_(bank_bytes),
        labels_(picture),
        rows_(picture, labels_),
        arrows_(picture, rows_) {
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
    arrows_.draw(svg, places_);
    grid_.draw(svg, grid_top);
    legend_.draw(svg, legend_top);
    return svg.finish();
  }

 private:
  double cell_x(std::int64_t npu, std::int64_t cell) const {
    return places_.at(npu).x + rows_.column_x(cell);
  }
  double cell_y(std::int64_t npu, std::int64_t cell) const {
    return places_.at(npu).y + rows_.row_y(cell);
  }

  void place_npus() {
    const double height = kNameHeight + arrows_.above() + rows_.height();
    double x = rows_.left(), y = heading_.height() + kNameHeight + arrows_.above();
    int band = 0;
    for (const std::int64_t npu : picture_.npus) {
      const double wide = arrows_.gutter(npu) + rows_.width();
      if (!places_.empty() && x + wide > kPageWidth - kMargin / 2) {
        x = rows_.left();
        y += height + 12;
        ++band;
      }
      places_[npu] = {x + arrows_.gutter(npu), y, band};
      x += wide + kNpuGap;
    }
    bottom_ = y + rows_.height();
  }

  void draw_npus(SvgWriter& svg) const {
    int band = -1;
    for (const auto& [npu, place] : places_) {
      const std::string name =
          tensor_.is_local() ? tr("NPU {}", npu) : std::string(translated(msg("memory")));
      const bool start = tensor_.is_local() && npu == tensor_.spec.start_npu;
      svg.text(place.x + rows_.width() / 2, place.y - arrows_.above() - 8,
               start ? tr("{} (start)", name) : name,
               {.size = 12.5,
                .color = start ? "#b71c1c" : "#222222",
                .anchor = TextAnchor::kMiddle,
                .bold = start});
      // Reserved cells, row by row: hatched until an element is drawn over them.
      for (std::int64_t row = 0; row < rows_.count(); ++row) {
        const std::int64_t begin =
            std::max(picture_.first_cell, (rows_.first() + row) * rows_.per_row());
        const std::int64_t end = std::min(picture_.first_cell + picture_.cell_count,
                                          (rows_.first() + row + 1) * rows_.per_row());
        svg.hatched(cell_x(npu, begin), cell_y(npu, begin),
                    static_cast<double>(end - begin) * rows_.cell_width(), rows_.cell_height());
      }
      if (place.band == band) continue;
      band = place.band;
      for (std::int64_t row = 0; row < rows_.count(); ++row) {
        const std::int64_t cell = (rows_.first() + row) * rows_.per_row();
        svg.text(rows_.left() - 6, place.y + rows_.row_y(cell) + rows_.cell_height() / 2 + 3.5,
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
      svg.box(x, y, rows_.cell_width(), rows_.cell_height(),
              {.fill = hex(element_color(tensor_, cell.elements.front().index)),
               .stroke = "#ffffff",
               .title = cell_title(cell),
               .data = at});
      label(x + rows_.cell_width() / 2, 0, rows_.cell_height(),
            labels_.shared(cell, labels_.axes_of(cell)), rows_.cell_width());
      return;
    }
    const double width = rows_.cell_width() * bits_ / 32;
    const std::vector<int> varying = labels_.axes_of(cell);
    svg.begin_group(cell_title(cell));
    svg.box(x, y, rows_.cell_width(), kSharedHeight, {.fill = "#f1f1f1"});
    label(x + rows_.cell_width() / 2, 0, kSharedHeight, labels_.shared(cell, varying),
          rows_.cell_width());
    for (const Sharers place : places_of(cell)) {
      const CellElement& element = place.front();
      const double left = x + rows_.cell_width() / 8 * element.first_nibble;
      svg.box(left, y + kSharedHeight, width, kPartHeight,
              {.fill = hex(element_color(tensor_, element.index)),
               .stroke = "#ffffff",
               .data = fmt::format("{}:{}", at, element.first_nibble)});
      label(left + width / 2, kSharedHeight, kPartHeight, labels_.own(place, varying), width);
    }
    svg.end_group();
    svg.outline(x, y, rows_.cell_width(), rows_.cell_height(), kWordColor, 0.8);
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
      if (first % rows_.per_row() + cells <= rows_.per_row()) {
        svg.outline(x, y, static_cast<double>(cells) * rows_.cell_width(), rows_.cell_height(),
                    kGroupColor);
        continue;
      }
      const double end = cell_y(cell.npu, first + cells - 1) + rows_.cell_height();
      const double edge = places_.at(cell.npu).x;
      svg.line(edge - 4, y + 2, edge - 4, end - 2, kGroupColor, 2);
      svg.line(edge - 4, y + 2, edge, y + 2, kGroupColor, 2);
      svg.line(edge - 4, end - 2, edge, end - 2, kGroupColor, 2);
    }
  }

  bool draws_units() const {
    return tensor_.is_local() && tensor_.memory().align_bytes / kCellBytes % rows_.per_row() == 0;
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
          const double y = place.y + rows_.row_y(cell);
          svg.line(place.x - 2, y, place.x + rows_.width() + 4, y, color, width);
        }
      }
    };
    if (draws_units()) lines(tensor_.memory().align_bytes, kUnitColor, 1.6);
    if (draws_banks()) lines(bank_bytes_, kBankColor, 2.6);
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
  const CellLabels labels_;
  const CellRows rows_;
  const ArrowRoutes arrows_;
  Legend legend_;
  NpuPlaces places_;
  double bottom_ = 0;
};

}  // namespace

std::string draw_memory(const Picture& picture, std::int64_t bank_bytes) {
  return MemoryDrawing(picture, bank_bytes).draw();
}

}  // namespace tensorlane
