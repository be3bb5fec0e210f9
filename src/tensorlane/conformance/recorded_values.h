// Recorded arguments: what the recordings of every chip write the same way.
#ifndef TENSORLANE_CONFORMANCE_RECORDED_VALUES_H_
#define TENSORLANE_CONFORMANCE_RECORDED_VALUES_H_

#include <cstdint>

#include "tensorlane/conformance/target.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/encode.h"

namespace tensorlane::conformance {

// "0x3f800000" as a number.
std::uint32_t recorded_bits(const Json& value);
// A number, or true and false as 1 and 0.
int recorded_integer(const Json& value);
// A number, or {"base":"SYS0","offset":n}. Throws UserError for another base.
std::uint64_t recorded_address(const Json& value, const SystemBuffers& buffers);

// A parameter of C type const T*: null, or an object of the members of T. `members` in their order.
template <class T, class... Members>
Arg recorded_struct(const Json& value, Members... members) {
  if (value.is_null()) return arguments::encode(static_cast<const T*>(nullptr));
  const T out{recorded_integer(value.at(members))...};
  return arguments::encode(&out);
}

// One value for a parameter of C type `type`; what it points to goes into `out`.
using EncodeOne = Arg (*)(std::string_view type, const Json& value, const SystemBuffers& buffers,
                          EncodedArgs& out);
// All arguments of a call, each a value or {"name","value"}. Throws UserError where their number or
// a name is not that of the entry.
EncodedArgs encode_all(const Op& op, const Json& args, const SystemBuffers& buffers,
                       EncodeOne encode_one);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_RECORDED_VALUES_H_
