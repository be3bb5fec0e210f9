// The front ends that a libbmlib.so holds.
//
// That of an SDK holds one. The one that `tensorlane run` puts in their place holds all, so that
// nobody has to know before a program starts which it will need: an interpreter or a host with
// plug-ins loads its kernels late.
#ifndef TENSORLANE_BMLIB_LINKED_FRONT_ENDS_H_
#define TENSORLANE_BMLIB_LINKED_FRONT_ENDS_H_

#include "tensorlane/device/front_end.h"

namespace tensorlane::bmlib {

// A static object of this type enters a front end; the folders below this one have one each.
struct LinkedFrontEnd {
  explicit LinkedFrontEnd(const FrontEnd& front_end);
};

// The front end that this program uses now: the only one of this library, else that of the chip
// which the environment asks for, else the one whose functions the program or a library it has
// loaded calls, else the first.
const FrontEnd& front_end();

// Whether a loaded object, this library excepted, imports a symbol that begins with `prefix`.
bool is_imported(std::string_view prefix);

}  // namespace tensorlane::bmlib

#endif  // TENSORLANE_BMLIB_LINKED_FRONT_ENDS_H_
