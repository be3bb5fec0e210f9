// All front ends, for what serves every interface: the command line, recordings, conformance. A new
// one is a folder like okk/ and its line in front_ends.cc.
#ifndef TENSORLANE_FRONT_ENDS_FRONT_ENDS_H_
#define TENSORLANE_FRONT_ENDS_FRONT_ENDS_H_

#include "tensorlane/device/front_end.h"

namespace tensorlane {

// The first is the one that counts where nothing says which.
std::span<const FrontEnd* const> all_front_ends();
// The one whose interface the kernels of `chip` are written in.
const FrontEnd& front_end_of(const Chip& chip);
// The one that `function` belongs to by its prefix; null for none.
const FrontEnd* front_end_of_function(std::string_view function);

}  // namespace tensorlane

#endif  // TENSORLANE_FRONT_ENDS_FRONT_ENDS_H_
