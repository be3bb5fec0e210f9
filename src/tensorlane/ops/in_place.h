// What an entry says of a source that a result may lie on; InPlace in op.h.
#ifndef TENSORLANE_OPS_IN_PLACE_H_
#define TENSORLANE_OPS_IN_PLACE_H_

#include "tensorlane/ops/op.h"

namespace tensorlane {

inline OperandSpec exact_in_place(OperandSpec source) {
  source.in_place = InPlace::kExact;
  return source;
}
inline OperandSpec unrecorded_in_place(OperandSpec source) {
  source.in_place = InPlace::kNotRecorded;
  return source;
}
inline OperandSpec refused_in_place(OperandSpec source) {
  source.in_place = InPlace::kRefused;
  return source;
}
// `what` is the result then, as a line of documentation; `condition`: else it is exact.
inline OperandSpec other_in_place(OperandSpec source, Doc what, std::string_view condition = {}) {
  source.in_place = InPlace::kOther;
  source.other = what;
  source.other_if = condition;
  return source;
}

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_IN_PLACE_H_
