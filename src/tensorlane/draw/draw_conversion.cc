// Two layouts of one tensor side by side: memory as cells of one element each, the ways of some
// elements from one to the other, and the copy as an animation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/draw/drawing.h"
#include "tensorlane/layout/element_place.h"

namespace tensorlane {
namespace {

constexpr double kBetween = 60, kPanel = (kPageWidth - 2 * kMargin - kBetween) / 2;
constexpr double kHighest = 620, kBlockNames = 15, kBlockGap = 8, kNameSize = 9.5, kWaySize = 10.5;
constexpr double kCellSizes[] = {44, 36, 30, 24, 18, 14, 11, 9, 7, 5.5, 4.5, 3.5};
constexpr std::string_view kWayColors[] = {"#c62828", "#1f5fbf", "#1d6f1d", "#a85a00",
                                           "#7a3ea8", "#00747a", "#5a5a5a", "#b0006f"};
constexpr std::size_t kMostStops = 400;

struct Spot {
  double x, y;
};

// One of the two memories. Blocks are NPUs, pixels, or the whole of a buffer; slots are elements.
class MemoryPanel {
 public:
  MemoryPanel(const NamedLayout& tensor, double left) : tensor_(tensor), left_(left) {
    const int bits = dtype_bits(tensor.spec.dtype);
    if (tensor.is_image()) {
      block_slots_ = 4;
      blocks_ = tensor.layout.image_width() * tensor.image_height;
    } else {
      const std::int64_t bytes = tensor.is_local() ? tensor.bytes_per_npu : tensor.bytes;
      block_slots_ = bytes * 8 / bits;
      if (tensor.is_local()) find_npus();
      blocks_ = tensor.is_local() ? std::ssize(npus_) : 1;
    }
    choose_size();
  }

  double height() const { return height_; }

  // Where an element stands, from the top of the panel on: the upper left corner of its cell.
  Spot spot(const Layout::Index& index) const {
    const std::array<std::int64_t, 4> place = place_of(tensor_, index);
    if (tensor_.is_image())
      return corner(place[1] * tensor_.layout.image_width() + place[0], place[2]);
    const int bits = dtype_bits(tensor_.spec.dtype);
    const bool local = tensor_.is_local();
    const std::int64_t offset = place[local ? 1 : 0] - tensor_.spec.offset;
    const std::int64_t nibble = bits == 4 ? place[local ? 2 : 1] : 0;
    const auto block = std::find(npus_.begin(), npus_.end(), local ? place[0] : 0) - npus_.begin();
    return corner(local ? block : 0, offset * 8 / bits + nibble);
  }
  double cell_width() const { return cell_; }
  double cell_height() const { return std::min(cell_, 16.0); }

  void draw(SvgWriter& svg, double top) const {
    const std::string title = fmt::format("{} {}: {}, {} = {}", tensor_.spec.owner_name(),
                                          tensor_.name(), dtype_name(tensor_.spec.dtype),
                                          axes_text(tensor_), fmt::join(tensor_.spec.shape, ","));
    svg.text(left_, top - 8, title, {.size = fitting_size(title, kPanel / 1.1, 12), .bold = true});
    for (std::int64_t block = 0; block < blocks_; ++block) {
      const Spot at = block_corner(block);
      const std::int64_t rows = block_slots_ / per_row_, rest = block_slots_ % per_row_;
      const double below = static_cast<double>(rows) * cell_height();
      if (rows > 0) svg.hatched(at.x, top + at.y, static_cast<double>(per_row_) * cell_, below);
      if (rest > 0)
        svg.hatched(at.x, top + at.y + below, static_cast<double>(rest) * cell_, cell_height());
      name_block(svg, block, at.x, top + at.y);
    }
  }

  std::string place_text(const Layout::Index& index) const {
    const std::array<std::int64_t, 4> place = place_of(tensor_, index);
    if (tensor_.is_image())
      return tr("pixel ({}, {}), lane {} ({})", place[0], place[1], place[2], "RGBA"[place[2]]);
    if (tensor_.is_local()) return tr("NPU {}, {}", place[0], tr("offset {}", place[1]));
    return tr("offset {}", place[0]);
  }

 private:
  // Those that hold elements; up to eight are all drawn, as in the other drawings.
  void find_npus() {
    const int all = tensor_.memory().npus;
    std::set<std::int64_t> used;
    for_each_element(tensor_,
                     [&](const Layout::Index&, const auto& place) { used.insert(place[0]); });
    for (std::int64_t npu = 0; npu < all; ++npu) {
      if (all <= 8 || used.count(npu) > 0) npus_.push_back(npu);
    }
  }

  std::int64_t blocks_in_band() const {
    if (tensor_.is_image()) {
      const auto fitting = static_cast<std::int64_t>((kPanel + kBlockGap) / (4 * cell_ + gap()));
      return std::clamp<std::int64_t>(fitting, 1, tensor_.layout.image_width());
    }
    const double width = static_cast<double>(per_row_) * cell_ + kBlockGap;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>((kPanel + kBlockGap) / width));
  }
  double gap() const { return tensor_.is_image() ? 3 : kBlockGap; }

  // Of pixels with names of their lanes below their own.
  bool names_lanes() const { return tensor_.is_image() && cell_ >= 18; }
  double names_height() const { return names_lanes() ? kBlockNames + 11 : kBlockNames; }

  // The largest cells with which the memory is no higher than a screen.
  void choose_size() {
    std::vector<std::int64_t> widths = {4};
    if (!tensor_.is_image()) {
      widths = {64, 32, 16, 8, 4};
      std::int64_t inner = 1;  // rows of the tensor as rows of the picture
      const int rank = tensor_.is_local() ? 0 : tensor_.layout.rank();
      for (int d = rank - 1; d >= 0 && inner * tensor_.layout.extent(d) <= 64; --d)
        widths.push_back(inner *= tensor_.layout.extent(d));
      std::reverse(widths.begin(), widths.end());
    }
    for (const double cell : kCellSizes) {
      for (const std::int64_t width : widths) {
        cell_ = cell;
        per_row_ = std::max<std::int64_t>(1, std::min(width, block_slots_));
        if (static_cast<double>(per_row_) * cell > kPanel) continue;
        measure();
        if (height_ <= kHighest) return;
      }
    }
    user_error("{} [{}] has too many elements for a picture of each; draw a smaller tensor",
               tensor_.name(), fmt::join(tensor_.spec.shape, ","));
  }
  void measure() {
    const double rows = static_cast<double>(ceil_div(block_slots_, per_row_));
    band_height_ = rows * cell_height() + names_height() + 4;
    if (tensor_.is_image()) {
      const std::int64_t bands = ceil_div(tensor_.layout.image_width(), blocks_in_band());
      band_height_ =
          static_cast<double>(tensor_.image_height) * (cell_height() + 2) + names_height() + 4;
      height_ = static_cast<double>(bands) * band_height_;
    } else {
      height_ = static_cast<double>(ceil_div(blocks_, blocks_in_band())) * band_height_;
    }
  }

  Spot block_corner(std::int64_t block) const {
    const double width = static_cast<double>(per_row_) * cell_ + gap();
    const std::int64_t pixels = tensor_.is_image() ? tensor_.layout.image_width() : blocks_;
    const std::int64_t x = block % pixels, y = block / pixels;  // y: of images alone
    const std::int64_t band = x / blocks_in_band(), column = x % blocks_in_band();
    return {left_ + static_cast<double>(column) * width,
            static_cast<double>(band) * band_height_ + names_height() +
                static_cast<double>(y) * (cell_height() + 2)};
  }
  Spot corner(std::int64_t block, std::int64_t slot) const {
    const Spot at = block_corner(block);
    const std::int64_t column = slot % per_row_, row = slot / per_row_;
    return {at.x + static_cast<double>(column) * cell_,
            at.y + static_cast<double>(row) * cell_height()};
  }

  void name_block(SvgWriter& svg, std::int64_t block, double x, double y) const {
    const double width = static_cast<double>(per_row_) * cell_;
    if (tensor_.is_image()) {
      const std::int64_t column = block % tensor_.layout.image_width();
      if (block >= tensor_.layout.image_width()) return;
      const std::string name = fmt::format("x {}", column);
      const double name_y = names_lanes() ? y - 14 : y - 3;
      if (text_width(name, 8) <= width + 3 || column % 4 == 0)
        svg.text(x, name_y, name, {.size = 8, .color = kQuiet});
      for (int lane = 0; names_lanes() && lane < 4; ++lane) {
        svg.text(x + (lane + 0.5) * cell_, y - 3, std::string(1, "RGBA"[lane]),
                 {.size = 8, .color = kQuiet, .anchor = TextAnchor::kMiddle});
      }
    } else if (tensor_.is_local()) {
      const std::int64_t npu = npus_[static_cast<std::size_t>(block)];
      const std::string name = fmt::format("NPU {}", npu);
      const bool fits = text_width(name, kNameSize) <= width + kBlockGap;
      svg.text(x, y - 3, fits ? name : std::to_string(npu),
               {.size = fits ? kNameSize : 8, .color = kQuiet});
    }
  }

  const NamedLayout& tensor_;
  double left_;
  std::vector<std::int64_t> npus_;  // of the blocks
  std::int64_t blocks_ = 1, block_slots_ = 1, per_row_ = 1;
  double cell_ = 0, band_height_ = 0, height_ = 0;
};

// The same element's index in the other layout: by the letters of the axes, else by the row-major
// sequence.
Layout::Index other_index(const NamedLayout& from, const NamedLayout& to,
                          const Layout::Index& index) {
  Layout::Index other{};
  if (to.axes.permutes(from.axes)) {
    const std::vector<int> places = to.axes.places_in(from.axes);
    for (int d = 0; d < to.layout.rank(); ++d)
      other[d] = index[places[static_cast<std::size_t>(d)]];
    return other;
  }
  std::int64_t at = 0;
  for (int d = 0; d < from.layout.rank(); ++d) at = at * from.layout.extent(d) + index[d];
  for (int d = to.layout.rank() - 1; d >= 0; --d) {
    other[d] = at % to.layout.extent(d);
    at /= to.layout.extent(d);
  }
  return other;
}

void check_pair(const NamedLayout& from, const NamedLayout& to) {
  bool same = from.layout.size() == to.layout.size();
  if (same && to.axes.permutes(from.axes)) {
    const std::vector<int> places = to.axes.places_in(from.axes);
    for (int d = 0; d < to.layout.rank(); ++d)
      same = same && to.layout.extent(d) == from.layout.extent(places[static_cast<std::size_t>(d)]);
  }
  if (!same) {
    user_error("{} [{}] cannot become {} [{}]: {}", from.name(), fmt::join(from.spec.shape, ","),
               to.name(), fmt::join(to.spec.shape, ","), tr("the numbers of elements differ"));
  }
}

struct DrawnElement {
  Layout::Index from, to;
  Spot left, right;
};

// The first element and its neighbour along each axis.
std::vector<Layout::Index> usual_ways(const Layout& layout) {
  std::vector<Layout::Index> ways(1);
  for (int d = layout.rank() - 1; d >= 0; --d) {
    if (layout.extent(d) < 2) continue;
    Layout::Index index{};
    index[d] = 1;
    ways.push_back(index);
  }
  return ways;
}

class ConversionDrawing {
 public:
  ConversionDrawing(const NamedLayout& from, const NamedLayout& to, const ConversionPicture& what)
      : from_(from),
        to_(to),
        what_(what),
        left_(from, kMargin),
        right_(to, kMargin + kPanel + kBetween) {
    Layout::Index index{};
    for (std::int64_t i = 0; i < from.layout.size(); ++i) {
      add(index);
      for (int d = from.layout.rank() - 1; d >= 0 && ++index[d] == from.layout.extent(d); --d)
        index[d] = 0;
    }
    // The copy writes from one end of the target to the other.
    std::sort(elements_.begin(), elements_.end(), [&](const auto& a, const auto& b) {
      return place_of(to_, a.to) < place_of(to_, b.to);
    });
  }

  std::string draw() const {
    const std::vector<Layout::Index> ways =
        what_.ways.empty() ? usual_ways(from_.layout) : what_.ways;
    const double top = 74;
    const double panels = std::max(left_.height(), right_.height());
    const std::string title = fmt::format("{} -> {}", from_.name(), to_.name());
    SvgWriter svg(kPageWidth, top + panels + 26 + 18 * static_cast<double>(ways.size()), title);
    svg.text(kMargin, 28, title,
             {.size = fitting_size(title, (kPageWidth - 2 * kMargin) / 1.1, 17), .bold = true});
    left_.draw(svg, top);
    right_.draw(svg, top);
    for (std::size_t k = 0; k < elements_.size(); ++k) draw_element(svg, k, top);
    if (what_.animated && !elements_.empty()) draw_runner(svg, top);
    for (std::size_t k = 0; k < ways.size(); ++k) draw_way(svg, k, ways[k], top, top + panels + 20);
    return svg.finish();
  }

 private:
  void add(const Layout::Index& index) {
    const Layout::Index other = other_index(from_, to_, index);
    elements_.push_back({index, other, left_.spot(index), right_.spot(other)});
  }

  double seconds() const {
    return std::clamp(static_cast<double>(elements_.size()) * 0.1, 4.0, 24.0);
  }

  void draw_element(SvgWriter& svg, std::size_t k, double top) const {
    const DrawnElement& element = elements_[k];
    const bool by_source = color_axes(from_).hue >= 0;
    const std::string color =
        hex(by_source ? element_color(from_, element.from) : element_color(to_, element.to));
    const std::string label = index_text(from_, element.from);
    const std::string about =
        fmt::format("{} = {}\n{}\n{}", axes_text(from_), label, left_.place_text(element.from),
                    right_.place_text(element.to));
    // It appears when its turn comes, and stays to the end of the round.
    std::string appears;
    if (what_.animated) {
      const double turn =
          (static_cast<double>(k) + 1) / (static_cast<double>(elements_.size()) + 8);
      appears = fmt::format(
          "<animate attributeName=\"opacity\" dur=\"{:.1f}s\" repeatCount=\"indefinite\" "
          "calcMode=\"discrete\" values=\"0;1\" keyTimes=\"0;{:.5f}\"/>",
          seconds(), turn);
    }
    const auto draw_cell = [&](const MemoryPanel& panel, const Spot& at, std::string_view attribute,
                               const std::string& children) {
      svg.box(at.x, top + at.y, panel.cell_width(), panel.cell_height(),
              {.fill = color,
               .stroke = "#ffffff",
               .title = about,
               .data = label,
               .attribute = attribute,
               .children = children});
      const double size = fitting_size(label, panel.cell_width() - 2, 9.5);
      // What appears later has its label in the words of the cell.
      if (size >= 6 && children.empty()) {
        svg.text(at.x + panel.cell_width() / 2, top + at.y + panel.cell_height() / 2 + size * 0.36,
                 label, {.size = size, .anchor = TextAnchor::kMiddle});
      }
    };
    draw_cell(left_, element.left, "data-from", {});
    draw_cell(right_, element.right, "data-to", appears);
  }

  // A ring that goes with the elements.
  void draw_runner(SvgWriter& svg, double top) const {
    std::string xs, ys, times;
    const std::size_t step = (elements_.size() + kMostStops - 1) / kMostStops;
    const double all = static_cast<double>(elements_.size()) + 8;
    const auto stop = [&](const MemoryPanel& panel, const Spot& at, double time) {
      const char* const comma = xs.empty() ? "" : ";";
      xs += fmt::format("{}{:.1f}", comma, at.x + panel.cell_width() / 2);
      ys += fmt::format("{}{:.1f}", comma, top + at.y + panel.cell_height() / 2);
      times += fmt::format("{}{:.5f}", comma, time / all);
    };
    for (std::size_t k = 0; k < elements_.size(); k += step) {
      const auto begin = static_cast<double>(k);
      stop(left_, elements_[k].left, begin);
      stop(right_, elements_[k].right, begin + 0.8 * static_cast<double>(step));
    }
    stop(right_, elements_.back().right, all);
    const auto animate = [&](std::string_view name, const std::string& values) {
      return fmt::format(
          "<animate attributeName=\"{}\" dur=\"{:.1f}s\" repeatCount=\"indefinite\" "
          "values=\"{}\" keyTimes=\"{}\"/>",
          name, seconds(), values, times);
    };
    svg.dot(elements_.front().left.x, top + elements_.front().left.y, 5,
            {.fill = "none",
             .stroke = "#c62828",
             .stroke_width = 2,
             .children = animate("cx", xs) + animate("cy", ys)});
  }

  void draw_way(SvgWriter& svg, std::size_t k, const Layout::Index& index, double top,
                double words_top) const {
    const std::string_view color = kWayColors[k % std::size(kWayColors)];
    const Layout::Index other = other_index(from_, to_, index);
    const Spot begin = left_.spot(index), end = right_.spot(other);
    svg.outline(begin.x, top + begin.y, left_.cell_width(), left_.cell_height(), color, 1.8);
    svg.outline(end.x, top + end.y, right_.cell_width(), right_.cell_height(), color, 1.8);
    const std::string label = index_text(from_, index);
    svg.route({{begin.x + left_.cell_width(), top + begin.y + left_.cell_height() / 2},
               {end.x, top + end.y + right_.cell_height() / 2}},
              color, "way:" + label);
    const double y = words_top + 18 * static_cast<double>(k);
    svg.line(kMargin, y - 4, kMargin + 20, y - 4, color, 2);
    svg.text(kMargin + 26, y,
             fmt::format("{} = {}: {} -> {}", axes_text(from_), label, left_.place_text(index),
                         right_.place_text(other)),
             {.size = kWaySize, .color = "#444444"});
  }

  const NamedLayout &from_, &to_;
  const ConversionPicture& what_;
  MemoryPanel left_, right_;
  std::vector<DrawnElement> elements_;  // in the order of the target's memory
};

}  // namespace

std::string draw_conversion_svg(const NamedLayout& from, const NamedLayout& to,
                                const ConversionPicture& what) {
  check_pair(from, to);
  check_npus(from);
  check_npus(to);
  if (!from.holds_elements || !to.holds_elements) {
    user_error("layout {} of [{}] stores no element", (from.holds_elements ? to : from).name(),
               fmt::join((from.holds_elements ? to : from).spec.shape, ","));
  }
  for (const Layout::Index& way : what.ways) {
    for (int d = 0; d < from.layout.rank(); ++d) {
      if (way[d] < 0 || way[d] >= from.layout.extent(d)) {
        user_error("{} is {}; allowed are 0 to {}", axis_name(from.axes[d]), way[d],
                   from.layout.extent(d) - 1);
      }
    }
  }
  return ConversionDrawing(from, to, what).draw();
}

}  // namespace tensorlane
