#include "tensorlane/draw/picture.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "tensorlane/layout/image.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kMostDetailedElements = 6000;
constexpr std::int64_t kMostDetailedCells = 12000;

template <class Visit>
void for_each_index(const Layout& layout, const Visit& visit) {
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    visit(index);
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
}

// NPU and 4-bit unit inside it of an element.
LocalAddress nibble_place(const NamedLayout& tensor, const Layout::Index& index) {
  const int nibbles = tensor.layout.unit_bits() / 4;
  LocalAddress at{0, tensor.layout.address(index)};
  if (tensor.is_local()) at = tensor.layout.local_address(index);
  return {at.npu, at.offset * nibbles};
}

// NPUs of the channels; up to eight NPUs are all drawn, as the documents do.
std::vector<std::int64_t> drawn_npus(const NamedLayout& tensor,
                                     const std::set<std::int64_t>& used) {
  constexpr int kAll = 8;
  if (!tensor.is_local()) return {0};
  const int npus = tensor.memory().npus;
  std::vector<std::int64_t> drawn(used.begin(), used.end());
  if (npus <= kAll) {
    drawn.clear();
    for (int q = 0; q < npus; ++q) drawn.push_back(q);
  }
  return drawn;
}

using CellMap = std::map<std::pair<std::int64_t, std::int64_t>, Cell>;

// Lanes of an image that repeat elements.
void add_echoes(const NamedLayout& tensor, CellMap& cells) {
  for (const FilterEcho& echo : legacy_filter_echoes(tensor.spec.shape)) {
    if (echo.past_end) continue;
    const std::int64_t number = echo.lane.y * tensor.layout.image_width() + echo.lane.x;
    Cell& cell = cells[{0, number}];
    cell.number = number;
    cell.elements.push_back({echo.element, echo.lane.lane, true});
  }
}

// The stride arrows of the documents: one per axis whose stride is not 1 and has a meaning.
std::vector<StrideArrow> stride_arrows(const NamedLayout& tensor) {
  std::vector<StrideArrow> arrows;
  const Layout& layout = tensor.layout;
  if (tensor.is_image() || tensor.strides.size() != 4 || layout.rank() != 4) return arrows;
  const std::int64_t stride_nibbles = tensor.stride_bits() / 4;
  // Where channel row 1 is: the first channel with row >= 1 shows the C stride.
  const LocalMemory memory = tensor.is_local() ? tensor.memory() : LocalMemory{};
  const std::int64_t start = tensor.spec.start_npu;
  for (int d = 3; d >= 0; --d) {
    const std::int64_t stride = tensor.strides[static_cast<std::size_t>(d)];
    Layout::Index index{};
    const auto axis = static_cast<std::size_t>(d);
    if (tensor.is_local() && d == layout.npu_dim()) {
      index[axis] = memory.npus - start;
      if (index[axis] >= layout.extent(d)) continue;  // one channel row
      const LocalAddress to = nibble_place(tensor, index);
      arrows.push_back({tensor.axes[d], stride, to.npu, (to.offset - stride * stride_nibbles) / 8,
                        to.offset / 8});
      continue;
    }
    // From one group of elements to the next, where some stand side by side.
    const std::int64_t step = layout.digits(d).size() > 1 ? layout.digits(d)[0].extent : 1;
    if (stride == 1 || layout.extent(d) <= step) continue;
    const LocalAddress from = nibble_place(tensor, index);
    index[axis] = step;
    const LocalAddress to = nibble_place(tensor, index);
    arrows.push_back({tensor.axes[d], stride, from.npu, from.offset / 8, to.offset / 8});
  }
  return arrows;
}

}  // namespace

std::string index_text(const NamedLayout& tensor, const Layout::Index& index) {
  return fmt::format("{}", fmt::join(index.begin(), index.begin() + tensor.layout.rank(), ","));
}

ColorAxes color_axes(const NamedLayout& tensor) {
  const Axes& axes = tensor.axes;
  if (axes.has(Axis::kC) || axes.has(Axis::kO) || axes.has(Axis::kColumn)) {
    return {axes.find_first_of({Axis::kC, Axis::kO, Axis::kColumn}),
            axes.find_first_of({Axis::kN, Axis::kRow, Axis::kI})};
  }
  return {axes.find_first_of({Axis::kI, Axis::kH, Axis::kW}),
          axes.find_first_of({Axis::kN, Axis::kM})};
}

Color element_color(const NamedLayout& tensor, const Layout::Index& index) {
  const auto along = [&](int place) -> std::int64_t {
    return place < 0 ? 0 : index[static_cast<std::size_t>(place)];
  };
  const ColorAxes axes = color_axes(tensor);
  std::int64_t hue = along(axes.hue);
  if (tensor.axes.has(Axis::kColumn)) hue /= tensor.spec.cols_per_channel.value_or(1);
  constexpr double kGoldenAngle = 137.508;
  const double degrees = 205 + static_cast<double>(hue % 360) * kGoldenAngle;
  return hsl(degrees - 360 * static_cast<double>(static_cast<std::int64_t>(degrees / 360)), 62,
             86 - 7 * static_cast<double>(along(axes.shade) % 4));
}

void check_npus(const NamedLayout& tensor) {
  if (!tensor.is_local()) return;
  const LocalMemory memory = tensor.memory();
  const std::int64_t end = tensor.layout.loose_bounds(false).end * tensor.layout.unit_bits();
  if (ceil_div(end, 8) > memory.npus * memory.npu_bytes) check_fits(tensor);
}

bool worth_details(const NamedLayout& tensor) {
  if (tensor.layout.size() > kMostDetailedElements) return false;
  if (tensor.is_image()) return tensor.bytes / (4 * tensor.layout.element_units()) <= 2500;
  const std::int64_t columns =
      tensor.is_local() ? std::min<std::int64_t>(tensor.memory().npus, tensor.layout.size()) : 1;
  const std::int64_t bytes = tensor.is_local() ? tensor.bytes_per_npu : tensor.bytes;
  return columns <= 64 && columns * ceil_div(bytes, kCellBytes) <= kMostDetailedCells;
}

Picture make_picture(const NamedLayout& tensor) {
  Picture picture;
  picture.tensor = &tensor;
  const Layout& layout = tensor.layout;
  CellMap cells;
  std::set<std::int64_t> used;
  if (tensor.holds_elements) {
    for_each_index(layout, [&](const Layout::Index& index) {
      LocalAddress at;
      if (tensor.is_image()) {
        const ImageAddress pixel = layout.image_address(index);
        at = {0, (pixel.y * layout.image_width() + pixel.x) * 8 + pixel.lane};
      } else {
        at = nibble_place(tensor, index);
      }
      used.insert(at.npu);
      const std::int64_t number = at.offset / 8;
      Cell& cell = cells[{at.npu, number}];
      cell.npu = at.npu;
      cell.number = number;
      cell.elements.push_back({index, static_cast<int>(at.offset % 8)});
    });
  }
  if (tensor.info->echoes && tensor.is_image()) add_echoes(tensor, cells);
  for (auto& [place, cell] : cells) {
    std::stable_sort(
        cell.elements.begin(), cell.elements.end(),
        [](const CellElement& a, const CellElement& b) { return a.first_nibble < b.first_nibble; });
    picture.cells.push_back(std::move(cell));
  }
  picture.npus = drawn_npus(tensor, used);
  if (tensor.is_image()) {
    picture.cell_count = layout.image_width() * tensor.image_height;
  } else {
    const std::int64_t begin = tensor.spec.offset;
    const std::int64_t bytes = tensor.is_local() ? tensor.bytes_per_npu : tensor.bytes;
    picture.first_cell = begin / kCellBytes;
    picture.cell_count = ceil_div(begin + bytes, kCellBytes) - picture.first_cell;
  }
  picture.arrows = stride_arrows(tensor);
  return picture;
}

namespace {

// Calls f(run) for all runs of bytes, of large tensors part by part: a list of all runs may be
// larger than the tensor.
template <class F>
void each_run(const Layout& layout, const F& f) {
  constexpr std::int64_t kMostElements = 1 << 20;
  int dim = 0;
  while (dim < layout.rank() && layout.extent(dim) == 1) ++dim;
  if (layout.size() <= kMostElements || dim == layout.rank()) {
    for (const ByteRun& run : layout.byte_runs()) f(run);
    return;
  }
  const std::span<const Digit> digits = layout.digits(dim);
  if (std::all_of(digits.begin(), digits.end(), [](const Digit& d) { return d.stride == 0; }))
    return each_run(layout.slice(dim, 0, 1), f);
  const std::int64_t half = layout.extent(dim) / 2;
  each_run(layout.slice(dim, 0, half), f);
  each_run(layout.slice(dim, half, layout.extent(dim) - half), f);
}

// The bytes that are filled of each bin, and the first of them.
class Bins {
 public:
  Bins(const NamedLayout& tensor, const Occupancy& of)
      : tensor_(tensor),
        filled_(static_cast<std::size_t>(of.columns * of.rows)),
        first_(filled_.size(), -1) {}

  // `address`: as the layout has it, in bytes from its base on.
  void add(std::int64_t bin, std::int64_t bytes, std::int64_t address) {
    filled_[static_cast<std::size_t>(bin)] += bytes;
    std::int64_t& first = first_[static_cast<std::size_t>(bin)];
    if (first < 0 || address < first) first = address;
  }
  void finish(std::int64_t bin, std::int64_t bytes, Occupancy& result) const {
    const auto at = static_cast<std::size_t>(bin);
    const double share = static_cast<double>(filled_[at]) / static_cast<double>(bytes);
    result.share.push_back(std::min(1.0, share));
    result.first.push_back(
        first_[at] < 0 ? std::nullopt
                       : tensor_.layout.element_at(first_[at] * 8 / tensor_.layout.unit_bits()));
  }

 private:
  const NamedLayout& tensor_;
  std::vector<std::int64_t> filled_, first_;
};

Occupancy image_occupancy(const NamedLayout& tensor, std::int64_t bins) {
  const Layout& layout = tensor.layout;
  const std::int64_t width = layout.image_width(), height = tensor.image_height;
  Occupancy result;
  result.bytes_per_bin = ceil_div(width, bins);
  result.pixels_per_bin_down = ceil_div(height, bins);
  result.columns = ceil_div(width, result.bytes_per_bin);
  result.rows = ceil_div(height, result.pixels_per_bin_down);
  const std::int64_t pixel = 4 * layout.element_units();
  Bins filled(tensor, result);
  if (tensor.holds_elements) {
    each_run(layout, [&](const ByteRun& run) {
      for (std::int64_t at = run.offset; at < run.offset + run.bytes;) {
        // Up to the end of the bin in this row of pixels.
        const std::int64_t x = at / pixel % width, y = at / pixel / width;
        const std::int64_t end_x =
            std::min(width, (x / result.bytes_per_bin + 1) * result.bytes_per_bin);
        const std::int64_t end = std::min(run.offset + run.bytes, (y * width + end_x) * pixel);
        filled.add(y / result.pixels_per_bin_down * result.columns + x / result.bytes_per_bin,
                   end - at, at);
        at = end;
      }
    });
  }
  for (std::int64_t row = 0; row < result.rows; ++row) {
    for (std::int64_t column = 0; column < result.columns; ++column) {
      const std::int64_t w = std::min(result.bytes_per_bin, width - column * result.bytes_per_bin);
      const std::int64_t h =
          std::min(result.pixels_per_bin_down, height - row * result.pixels_per_bin_down);
      filled.finish(row * result.columns + column, w * h * pixel, result);
    }
  }
  return result;
}

}  // namespace

Occupancy measure_occupancy(const NamedLayout& tensor, std::int64_t bins) {
  if (tensor.is_image()) return image_occupancy(tensor, bins);
  Occupancy result;
  const std::int64_t begin = tensor.spec.offset;
  const std::int64_t bytes = tensor.is_local() ? tensor.bytes_per_npu : tensor.bytes;
  const std::int64_t npu_bytes = tensor.is_local() ? tensor.memory().npu_bytes : 0;
  result.columns = tensor.is_local() ? tensor.memory().npus : 1;
  result.bytes_per_bin = std::max<std::int64_t>(1, ceil_div(bytes, bins));
  result.rows = ceil_div(bytes, result.bytes_per_bin);
  Bins filled(tensor, result);
  each_run(tensor.layout, [&](const ByteRun& run) {
    for (std::int64_t at = run.offset - begin, end = at + run.bytes; at < end;) {
      const std::int64_t bin = at / result.bytes_per_bin;
      const std::int64_t stop = std::min(end, (bin + 1) * result.bytes_per_bin);
      filled.add(bin * result.columns + run.npu, stop - at, run.npu * npu_bytes + begin + at);
      at = stop;
    }
  });
  for (std::int64_t bin = 0; bin < result.rows * result.columns; ++bin) {
    const std::int64_t row = bin / result.columns;
    filled.finish(bin, std::min(result.bytes_per_bin, bytes - row * result.bytes_per_bin), result);
  }
  return result;
}

}  // namespace tensorlane
