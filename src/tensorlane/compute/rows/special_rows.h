// Special functions over tensors: rows of elements, widened, through the functions of special/.
#ifndef TENSORLANE_COMPUTE_ROWS_SPECIAL_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_SPECIAL_ROWS_H_

#include <functional>
#include <optional>
#include <vector>

#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/compute/special/functions.h"

namespace tensorlane {

// A function of compute/special/functions.h, of either of its lists. One that computes in fp32
// rounds its result to the type of the call.
class SpecialFunction {
 public:
  SpecialFunction(special::Function (*by_dtype)(Dtype))  // NOLINT(google-explicit-constructor)
      : by_dtype_(by_dtype) {}
  SpecialFunction(special::Function (*fp32)())  // NOLINT(google-explicit-constructor)
      : fp32_(fp32) {}
  special::Function of(Dtype dtype) const {
    return by_dtype_ != nullptr ? by_dtype_(dtype) : fp32_();
  }

 private:
  special::Function (*by_dtype_)(Dtype) = nullptr;
  special::Function (*fp32_)() = nullptr;
};

using ConstantsOf = std::function<special::Constants(const Command&)>;

// The row function of one call.
RowFunction special_row(const Command& command, std::string_view dst,
                        const std::vector<SourceParam>& sources, special::Compute compute,
                        const ConstantsOf& constants = {});
// The implementations of a function of one or two sources: vectors, and the reference; `in_place`
// where the result lies on the first source and the chip computes something else then.
std::vector<Implementation> special_rows(std::string_view dst,
                                         const std::vector<SourceParam>& sources,
                                         SpecialFunction function, ConstantsOf constants = {},
                                         std::optional<SpecialFunction> in_place = {});

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_SPECIAL_ROWS_H_
