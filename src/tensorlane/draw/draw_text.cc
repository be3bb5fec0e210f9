#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/draw/picture.h"

namespace tensorlane {
namespace {

// A table of labelled cells, as many columns as fit side by side.
std::string text_of_memory(const Picture& picture) {
  const NamedLayout& tensor = *picture.tensor;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> labels;
  std::size_t width = 2;
  for (const Cell& cell : picture.cells) {
    std::string label = index_text(tensor, cell.elements.front().index);
    if (cell.elements.size() > 1) label += '+';
    width = std::max(width, label.size());
    labels[{cell.npu, cell.number}] = std::move(label);
  }
  std::string out;
  const std::int64_t begin = picture.first_cell / kCellsPerRow * kCellsPerRow;
  const std::int64_t end = picture.first_cell + picture.cell_count;
  for (const std::int64_t npu : picture.npus) {
    if (tensor.is_local()) {
      out += fmt::format("NPU {}{}\n", npu, npu == tensor.spec.start_npu ? tr(" (start)") : "");
    }
    for (std::int64_t row = begin; row < end; row += kCellsPerRow) {
      out += fmt::format("{:>8} |", row * kCellBytes);
      for (std::int64_t cell = row; cell < row + kCellsPerRow; ++cell) {
        const auto found = labels.find({npu, cell});
        const bool reserved = cell >= picture.first_cell && cell < end;
        out += fmt::format(" {:<{}}", found != labels.end() ? found->second : (reserved ? "." : ""),
                           width);
      }
      while (out.back() == ' ') out.pop_back();
      out += '\n';
    }
  }
  out += dtype_bits(tensor.spec.dtype) < 32
             ? tr("cells of 4 bytes, first element of each ('+': and more); '.': reserved, no "
                  "element\n")
             : tr("cells of 4 bytes, first element of each; '.': reserved, no element\n");
  return out;
}

std::string text_of_image(const Picture& picture) {
  const NamedLayout& tensor = *picture.tensor;
  const std::int64_t width = tensor.layout.image_width();
  std::map<std::int64_t, std::string> lanes;
  std::size_t label_width = 1;
  for (const Cell& cell : picture.cells) {
    for (const CellElement& element : cell.elements) {
      std::string label = index_text(tensor, element.index);
      label_width = std::max(label_width, label.size());
      lanes[cell.number * 4 + element.first_nibble] = std::move(label);
    }
  }
  std::string out;
  for (std::int64_t y = 0; y < tensor.image_height; ++y) {
    out += fmt::format("y {:<4}|", y);
    for (std::int64_t x = 0; x < width; ++x) {
      for (int lane = 0; lane < 4; ++lane) {
        const auto found = lanes.find((y * width + x) * 4 + lane);
        out += fmt::format(" {:<{}}", found != lanes.end() ? found->second : ".", label_width);
      }
      out += " |";
    }
    out += '\n';
  }
  out += tr("pixels of four lanes (R G B A); '.': no element\n");
  return out;
}

std::string text_of_occupancy(const NamedLayout& tensor, int columns) {
  const Occupancy full = measure_occupancy(tensor, std::max(8, columns - 20));
  constexpr std::string_view kShades = " .:-=+*#%@";
  const auto shade = [&](double share) {
    return kShades[static_cast<std::size_t>(share <= 0 ? 0 : 1 + share * 8.001)];
  };
  std::string out;
  if (tensor.is_image()) {
    for (std::int64_t row = 0; row < full.rows; ++row) {
      out += fmt::format("y {:>7} |", row * full.pixels_per_bin_down);
      for (std::int64_t column = 0; column < full.columns; ++column) {
        out += shade(full.share[static_cast<std::size_t>(row * full.columns + column)]);
      }
      out += "|\n";
    }
  } else {
    for (std::int64_t npu = 0; npu < full.columns; ++npu) {
      out +=
          tensor.is_local() ? fmt::format("NPU {:>3} |", npu) : fmt::format("{:<7}|", tr("memory"));
      for (std::int64_t row = 0; row < full.rows; ++row) {
        out += shade(full.share[static_cast<std::size_t>(row * full.columns + npu)]);
      }
      out += "|\n";
    }
    out += tr("a character is {} bytes, from byte {} on; ' ': no element, '.' few ... '@' full\n",
              full.bytes_per_bin, tensor.spec.offset);
  }
  return out;
}

}  // namespace

std::string draw_text(const NamedLayout& tensor, int columns) {
  check_npus(tensor);
  std::string out = fmt::format("{} {}: {} [{}]", tensor.spec.owner_name(), tensor.name(),
                                dtype_name(tensor.spec.dtype), fmt::join(tensor.spec.shape, ","));
  if (!tensor.strides.empty()) out += tr(", strides {}", fmt::join(tensor.strides, ", "));
  out += '\n';
  constexpr std::int64_t kMostTextCells = 1024;
  if (tensor.layout.size() > kMostTextCells || !worth_details(tensor)) {
    return out + text_of_occupancy(tensor, columns);
  }
  const Picture picture = make_picture(tensor);
  return out + (tensor.is_image() ? text_of_image(picture) : text_of_memory(picture));
}

}  // namespace tensorlane
