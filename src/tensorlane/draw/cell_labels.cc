#include "tensorlane/draw/cell_labels.h"

#include <algorithm>

namespace tensorlane {
namespace {

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

// Elements of less than a cell have their part of it; in most cells they differ along these axes.
std::vector<int> usual_axes(const Picture& picture) {
  std::vector<int> usual{picture.tensor->layout.rank() - 1};
  for (const Cell& cell : picture.cells) {
    if (cell.elements.size() > 1) return varying_axes(*picture.tensor, cell);
  }
  return usual;
}

}  // namespace

std::vector<Sharers> places_of(const Cell& cell) {
  std::vector<Sharers> places;
  for (std::size_t begin = 0, end = 0; begin < cell.elements.size(); begin = end) {
    const int nibble = cell.elements[begin].first_nibble;
    while (end < cell.elements.size() && cell.elements[end].first_nibble == nibble) ++end;
    places.push_back(Sharers(cell.elements).subspan(begin, end - begin));
  }
  return places;
}

CellLabels::CellLabels(const Picture& picture)
    : tensor_(*picture.tensor), usual_(usual_axes(picture)) {}

std::vector<int> CellLabels::axes_of(const Cell& cell) const {
  const bool has_parts = dtype_bits(tensor_.spec.dtype) < 32;
  return has_parts && cell.elements.size() == 1 ? usual_ : varying_axes(tensor_, cell);
}

std::string CellLabels::shared(const Cell& cell, const std::vector<int>& varying) const {
  std::string label;
  for (int d = 0; d < tensor_.layout.rank(); ++d) {
    if (d > 0) label += ',';
    label += std::find(varying.begin(), varying.end(), d) != varying.end()
                 ? axis_name(tensor_.axes[d]).substr(0, 1)
                 : std::to_string(cell.elements.front().index[d]);
  }
  return label;
}

std::string CellLabels::own(Sharers place, const std::vector<int>& varying) const {
  std::string label;
  for (const int d : varying) {
    const bool repeated = std::any_of(place.begin(), place.end(), [&](const CellElement& each) {
      return each.index[d] != place.front().index[d];
    });
    label += (label.empty() ? "" : ",") + (repeated ? axis_name(tensor_.axes[d]).substr(0, 1)
                                                    : std::to_string(place.front().index[d]));
  }
  return label;
}

}  // namespace tensorlane
