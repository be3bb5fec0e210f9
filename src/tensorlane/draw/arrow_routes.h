// Strides as arrows, from cell to cell: they run in a gutter left of an NPU and along the edges of
// cells, so that neither they nor their labels cover what stands in a cell.
#ifndef TENSORLANE_DRAW_ARROW_ROUTES_H_
#define TENSORLANE_DRAW_ARROW_ROUTES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/draw/cell_rows.h"
#include "tensorlane/draw/picture.h"
#include "tensorlane/draw/svg.h"

namespace tensorlane {

class ArrowRoutes {
 public:
  // `picture` and `rows` have to outlive it.
  ArrowRoutes(const Picture& picture, const CellRows& rows);

  // The room that the arrows take left of an NPU's cells, and above those of all NPUs.
  double gutter(std::int64_t npu) const;
  double above() const;

  void draw(SvgWriter& svg, const NpuPlaces& places) const;

 private:
  // An arrow beside the cells of an NPU, or above them.
  struct RoutedArrow {
    std::string label, data;
    std::string_view color;
    std::int64_t npu, from, to;
    bool above;
    int lane = 0;
    double label_y = 0;  // below the first row
  };

  void sort_arrows();
  void add_rows();
  void draw_arrow_label(SvgWriter& svg, const RoutedArrow& arrow, double x, double y) const;

  const Picture& picture_;
  const NamedLayout& tensor_;
  const CellRows& rows_;
  std::vector<RoutedArrow> arrows_;
  std::map<std::int64_t, int> above_, beside_;  // arrows of an NPU
  int most_above_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_ARROW_ROUTES_H_
