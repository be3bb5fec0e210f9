// Matrices that lie in many NPUs, a few columns in each (matrix layout, MM1), as dense ones.
//
// Each row of such a matrix is in as many cache lines and pages as there are NPUs, and each part of
// it is a few bytes. A copy that goes NPU by NPU, all rows of one before the next, finds lines that
// follow each other, and whatever works on the copy has long rows.
#ifndef TENSORLANE_COMPUTE_MATRICES_DIVIDED_MATRIX_H_
#define TENSORLANE_COMPUTE_MATRICES_DIVIDED_MATRIX_H_

#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/products/dense_words.h"

namespace tensorlane {

enum class WhichMatrices : std::uint8_t { kShortParts, kAllDivided };

// Puts a dense copy in the place of a matrix that is divided over NPUs, or of one whose rows lie in
// short parts; leaves others alone.
class DenseCopy {
 public:
  // `matrix` has rows x cols elements; `reads`: what they are matters.
  DenseCopy(AnyTypeMatrix& matrix, int rows, int cols, bool reads,
            WhichMatrices which = WhichMatrices::kShortParts);
  // Back to where the elements came from.
  void write_back();

 private:
  enum class Direction : std::uint8_t { kToDense, kBack };

  void copy(Direction direction);
  void copy_channels(int begin, int end, Direction direction);

  const AnyTypeMatrix original_;
  const int rows_;  // as stored
  const int cols_;
  Words<std::byte> bytes_;  // none: not copied
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_DIVIDED_MATRIX_H_
