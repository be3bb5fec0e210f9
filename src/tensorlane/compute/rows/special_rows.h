// Special functions over tensors: rows of elements, widened, through the functions of special/.
#ifndef TENSORLANE_COMPUTE_ROWS_SPECIAL_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_SPECIAL_ROWS_H_

#include <functional>
#include <optional>
#include <vector>

#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/compute/special/functions.h"

namespace tensorlane {

// A function of compute/special/functions.h, of any of its lists. One that computes in fp32
// rounds its result to the type of the call.
class SpecialFunction {
 public:
  using OfDtype = special::Function (*)(Dtype, special::Dialect);
  using OfFp32 = special::Function (*)(special::Dialect);
  using Root = special::Function (*)(Dtype, special::RootRule);

  SpecialFunction(OfDtype by_dtype) : by_dtype_(by_dtype) {}  // NOLINT(google-explicit-constructor)
  SpecialFunction(OfFp32 fp32) : fp32_(fp32) {}               // NOLINT(google-explicit-constructor)
  SpecialFunction(Root root) : root_(root) {}                 // NOLINT(google-explicit-constructor)
  // By the rules of a chip.
  special::Function of(Dtype dtype, const NumericsRules& rules) const;

 private:
  OfDtype by_dtype_ = nullptr;
  OfFp32 fp32_ = nullptr;
  Root root_ = nullptr;
};

using ConstantsOf = std::function<special::Constants(const Command&)>;

// The row function of one call.
RowFunction special_row(const Command& command, std::string_view dst,
                        const std::vector<SourceParam>& sources, special::Compute compute,
                        const ConstantsOf& constants = {});
struct SpecialRows {
  ConstantsOf constants = {};
  // Where the result lies on the first source and the chip computes something else then.
  std::optional<SpecialFunction> in_place = {};
  // Of one tensor, whose elements may have 16 bits: looked up among all results.
  bool tables = false;
};
// The implementations of a function of one or two sources: a table, vectors, and the reference.
std::vector<Implementation> special_rows(std::string_view dst,
                                         const std::vector<SourceParam>& sources,
                                         SpecialFunction function, const SpecialRows& rows = {});

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_SPECIAL_ROWS_H_
