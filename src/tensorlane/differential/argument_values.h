// Values that arguments of device functions may have, by their C types, their names and the numbers
// in the limits that speak of them. What of it is legal in a call the limits decide.
//
// Addresses and strides are not among them: they follow from the operands (call_generator.h).
#ifndef TENSORLANE_DIFFERENTIAL_ARGUMENT_VALUES_H_
#define TENSORLANE_DIFFERENTIAL_ARGUMENT_VALUES_H_

#include <string_view>
#include <vector>

#include "tensorlane/device/front_end.h"
#include "tensorlane/differential/random.h"
#include "tensorlane/ops/args.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::differential {

class ArgumentValues {
 public:
  ArgumentValues(const FrontEnd& front_end, const Op& op);

  std::string_view type(std::size_t k) const { return op_.params()[k].type; }
  std::string_view name(std::size_t k) const { return op_.params()[k].name; }
  bool is_shape(std::size_t k) const;
  bool is_stride(std::size_t k) const;

  // Another value of argument `k`. `budget`: elements that a tensor should have at most; `tame`:
  // nothing out of the common.
  Arg draw(std::size_t k, std::int64_t budget, bool tame, Random& random) const;

 private:
  Arg integer(std::size_t k, bool tame, Random& random) const;
  Arg shape(std::int64_t budget, bool tame, Random& random) const;
  Arg window(std::size_t k, bool tame, Random& random) const;
  Arg value_or_address(std::size_t k, Random& random) const;

  const FrontEnd& front_end_;
  const Op& op_;
  std::vector<Arg> dtypes_;
  std::vector<std::vector<std::int64_t>> named_;  // numbers in the limits of each argument
};

// Bits of a constant or of an element of 32 bits: small numbers, ends of ranges, and of fp32 and
// the shorter types infinities, both kinds of NaN, denormals and zeros of both signs.
std::uint32_t unusual_word(Random& random);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_ARGUMENT_VALUES_H_
