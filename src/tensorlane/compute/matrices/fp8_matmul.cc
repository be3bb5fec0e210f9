#include "tensorlane/compute/matrices/fp8_matmul.h"

#include <cstdint>
#include <utility>

#include "tensorlane/compute/bands/kept_words.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {
namespace {

// A factor as a matrix of fp16, stored as the original is: rows behind one another, on one NPU.
class Widened {
 public:
  Widened(AnyTypeMatrix& matrix, int rows, int cols) {
    if (matrix.transposed) std::swap(rows, cols);
    halves_ = Words<std::uint16_t>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    const Dtype from = matrix.type;
    const ConvertOptions options =
        tpu_cast_options(Dtype::kFp16, from, RoundingMode::kHalfToEven);  // exact
    std::uint16_t* to = halves_.data();
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col) {
        const auto bits = static_cast<std::uint32_t>(*matrix.stored_address(row, col));
        *to++ = static_cast<std::uint16_t>(convert_element(bits, Dtype::kFp16, from, options));
      }
    }
    matrix.type = Dtype::kFp16;
    matrix.view = {.memory = reinterpret_cast<std::byte*>(halves_.data()),
                   .npus = 1,
                   .c = cols,
                   .h = cols,
                   .w = 1,
                   .element_bytes = sizeof(std::uint16_t)};
  }

 private:
  Words<std::uint16_t> halves_;
};

}  // namespace

void fp8_matmul_reference(const AnyTypeMatmulArgs& original) {
  AnyTypeMatmulArgs args = original;
  const Widened left(args.left, args.rows, args.inner);
  const Widened right(args.right, args.inner, args.cols);
  any_type_matmul_reference(args);
}

bool fp8_matmul_simd(const AnyTypeMatmulArgs& args) {
  // Where they lie side by side, numbers are widened as they are read.
  return has_dense_rows(args.left.view) && has_dense_rows(args.right.view) &&
         any_type_matmul_simd(args);
}

}  // namespace tensorlane
