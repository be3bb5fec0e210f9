// What stands in a cell of memory: the index of its element; of several what they share, and below
// that, in the part of each, what they do not.
#ifndef TENSORLANE_DRAW_CELL_LABELS_H_
#define TENSORLANE_DRAW_CELL_LABELS_H_

#include <span>
#include <string>
#include <vector>

#include "tensorlane/draw/picture.h"

namespace tensorlane {

// The elements of a cell that lie at one place: one, or as many as a stride of 0 puts there.
using Sharers = std::span<const CellElement>;

std::vector<Sharers> places_of(const Cell& cell);

class CellLabels {
 public:
  // `picture` has to outlive it.
  explicit CellLabels(const Picture& picture);

  // The axes along which the elements of a cell differ. Where they are smaller than a cell and one
  // stands alone: those along which they differ in most cells.
  std::vector<int> axes_of(const Cell& cell) const;
  // "n,4,0,1": the letter of an axis stands for what the elements do not share.
  std::string shared(const Cell& cell, const std::vector<int>& varying) const;
  // What those of a place do not share with the rest of the cell; a letter for an axis that a
  // stride of 0 repeats.
  std::string own(Sharers place, const std::vector<int>& varying) const;

 private:
  const NamedLayout& tensor_;
  std::vector<int> usual_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_CELL_LABELS_H_
