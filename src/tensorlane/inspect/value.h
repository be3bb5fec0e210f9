// Elements as numbers and as text, whatever their type.
//
// The raw types (x8, x16, x32) of copies have no values of their own. They are read as what they
// mostly are, int8, int16 and fp32, and shown with their bits, so that an index that was read as a
// float is seen to be one.
#ifndef TENSORLANE_INSPECT_VALUE_H_
#define TENSORLANE_INSPECT_VALUE_H_

#include <cstdint>
#include <string>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane::inspect {

// The type that elements of `dtype` are read as; itself where it is not raw.
Dtype readable(Dtype dtype);

// The value of an element, exactly. `bits` in the low end of the word; what is above is ignored.
double value_of(std::uint32_t bits, Dtype dtype);

// As many digits as tell it from its neighbours: "0.1", "-3", "nan", "-inf"; of raw types
// "1.5 (0x3fc00000)".
std::string value_text(std::uint32_t bits, Dtype dtype);

}  // namespace tensorlane::inspect

#endif  // TENSORLANE_INSPECT_VALUE_H_
