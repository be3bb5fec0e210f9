// Sums of products and maxima over windows, in double precision: convolutions, matrix products and
// poolings of any operands, by the names of their extents.
//
// The ops list names the extent of every dimension. One that a source shares with the result is the
// same index, one with windows (OpSpec::windows) is what they cover, and whatever is left is summed
// over: channels of a convolution, columns of a matrix.
#ifndef TENSORLANE_OBSERVE_PRECISION_REDUCTION_H_
#define TENSORLANE_OBSERVE_PRECISION_REDUCTION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane::precision {

class Reduction {
 public:
  // Of one or two sources. `rotated`: kernels count from their end.
  Reduction(const Command& command, std::vector<const Operand*> sources, const Operand& result,
            bool rotated);

  // result[i] += the sum of first * second; `second` is null where there is one source. Product
  // after product: both ways give the same bits, and the first that takes a sum makes it.
  void sum(const double* first, const double* second, double* result) const;
  // By dense matrices; false, and nothing is done, where results have few columns, or where an
  // infinite factor meets what lies outside of its source.
  bool sum_densely(const double* first, const double* second, double* result) const;
  void sum_by_rows(const double* first, const double* second, double* result) const;
  // The largest element of the source that each result is the maximum of; -1 where there is none.
  // `outside`: whether the window reaches out of the source.
  std::vector<std::int64_t> largest(const double* source, std::vector<bool>& outside) const;
  // How many elements a result is made of, those outside of the source too.
  std::int64_t length() const;

 private:
  // What is summed over.
  struct Variable {
    std::string_view name;
    std::int64_t extent = 1;
  };
  // Where an index of a dimension of a source comes from: offsets by the index of the result and of
  // the variable, -1 outside of the source.
  struct Dimension {
    int result = -1, variable = -1;
    std::vector<std::int64_t> offset;  // [index of the result][index of the variable]
    std::int64_t at(std::int64_t r, std::int64_t v, std::int64_t variables) const {
      return offset[static_cast<std::size_t>(r * variables + v)];
    }
  };
  struct Source {
    std::vector<Dimension> dimensions;
  };
  class Factors;

  int variable(std::string_view name, std::int64_t extent);
  // Calls row(result, combination): for each row of results (the last dimension) each combination
  // of the variables.
  template <class Row>
  void each_row(Row row) const;
  // The offset of a source but for the last dimension of the result; -1 outside.
  std::int64_t row_offset(const Source& source, const Layout::Index& result,
                          const Layout::Index& variables) const;
  static bool depends_on(const Source& source, int dimension);
  // What an index of the dimension's in the result and those of the variables add to an offset.
  std::int64_t part_of(const Dimension& dimension, std::int64_t r, const Layout::Index& at) const {
    if (dimension.variable < 0) return dimension.at(r, 0, 1);
    const auto v = static_cast<std::size_t>(dimension.variable);
    return dimension.at(r, at[v], variables_[v].extent);
  }
  std::int64_t fixed_offset(const Source& source, const Layout::Index& result,
                            const std::vector<int>& of, const Layout::Index& at) const;
  void offsets_of(const Source& source, const std::vector<int>& of, const Layout::Index& at,
                  std::vector<std::int64_t>& offsets) const;
  std::vector<std::int64_t> numbers_of(const std::vector<int>& of) const;
  std::vector<Layout::Index> combinations() const;
  // What the last dimension adds, per index; empty where the source does not depend on it.
  const Dimension* last_of(const Source& source) const;

  std::vector<std::int64_t> extents_;  // of the result
  std::vector<Variable> variables_;
  std::vector<Source> sources_;
};

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_REDUCTION_H_
