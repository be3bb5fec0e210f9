// Arguments of recorded calls, as JSON: one decoder for call sequences (recording.h) and for the
// recorded calls of the vendor's models (conformance/cases.h). What the fields of a C type are
// called stands in ops/args.cc.
//
//   int, addresses      a number, true, false, or {"base":"SYS1","offset":64}
//   float               a number, or its bits
//   x32, scalar_t       bits: a number, "0x3f800000" or {"bits":"0x3f800000"}
//   const dim4* ...     null, a list of the fields, or an object of them
//   x32_or_addr_t* ...  null, {"is_addr":true,"addr":4096} or {"is_addr":false,"val":bits};
//                       "val_bits" is "val"
//   variable_t*         {"type":0,"addr":4096} or {"type":1,"val":bits}; "value" is "val"
//   dim4*, range_t*     an object of the fields, a list of such objects, or null for a result
#ifndef TENSORLANE_RECORDING_RECORDED_ARGS_H_
#define TENSORLANE_RECORDING_RECORDED_ARGS_H_

#include <deque>
#include <span>
#include <vector>

#include "tensorlane/device/front_end.h"
#include "tensorlane/json/json.h"

namespace tensorlane {

struct ArgDecoder {
  const FrontEnd& front_end;
  // The addresses that SYS0, SYS1, ... stand for.
  std::span<const std::uint64_t> system_buffers = {};
  // Receives what pointer arguments point to; null where a recording does not hold that.
  std::deque<std::vector<int>>* pointed_to = nullptr;

  // An argument of C type `type`. Throws UserError for a value that does not fit the type.
  Arg decode(const ArgType& type, const Json& value) const;
};

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_RECORDED_ARGS_H_
