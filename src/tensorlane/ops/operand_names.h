// What the roles, memories and layouts of operands are called: by `tensorlane ops`, in the
// reference pages and in findings alike.
#ifndef TENSORLANE_OPS_OPERAND_NAMES_H_
#define TENSORLANE_OPS_OPERAND_NAMES_H_

#include <string>
#include <string_view>

#include "tensorlane/ops/op.h"

namespace tensorlane {

// "in", "out", "inout", "work".
std::string_view role_name(Role role);
// As a sentence has it: "input", "output", "input and output", "work memory".
std::string_view role_text(Role role);
// "local", "system", "static".
std::string_view memory_name(MemoryKind memory);
// As `tensorlane layout list` spells it, where it is a layout of that list.
std::string_view layout_name(DefaultLayout layout);
// "4N", "2IC", "32IC", ...; empty for plain storage.
std::string_view storage_name(Storage storage, int element_bits);
// The same of an operand: "4N or 2N" where the call decides the element type.
std::string storage_name(const OperandSpec& operand);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_OPERAND_NAMES_H_
