// From an entry back to the list that it stands in: the other functions of its interface.
#ifndef TENSORLANE_OPS_OP_LISTS_H_
#define TENSORLANE_OPS_OP_LISTS_H_

#include "tensorlane/ops/op.h"

namespace tensorlane {

// Every compiled entry of a list has one; null for an Op that was made without a list.
const OpList* list_of(const Op& op);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_OP_LISTS_H_
