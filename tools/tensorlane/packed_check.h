// What `layout verify` says of a packed tensor.
#ifndef TENSORLANE_TOOLS_PACKED_CHECK_H_
#define TENSORLANE_TOOLS_PACKED_CHECK_H_

#include <string>

#include "tensorlane/json/json.h"
#include "tensorlane/layout/verify_packed.h"

namespace tensorlane::cli {

Json check_json(const NamedLayout& to, const PackedCheck& check);
// On standard output; `where` is the file, or the tensor in it.
void print_check(const std::string& where, const NamedLayout& to, const PackedCheck& check);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_PACKED_CHECK_H_
