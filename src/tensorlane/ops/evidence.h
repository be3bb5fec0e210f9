// What the bits of a function rest on, on the chip that computes them.
//
// The claims of the entries (Numerics) are those of the chips whose models were recorded for their
// list. Of another chip its table says which functions a model of its own or a published hash
// decides; of the others the documented meaning does where it leaves nothing open (moves,
// selections, integers), and the rest is a choice: what another chip computes.
#ifndef TENSORLANE_OPS_EVIDENCE_H_
#define TENSORLANE_OPS_EVIDENCE_H_

#include <optional>
#include <string>
#include <vector>

#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

// Of one call; nothing where it touches no tensor.
std::optional<Evidence> evidence_of(const Command& command);

// Of a function, whichever the types of its operands: one, or several with the types that they are
// for; the last is for all others. Empty where it touches no tensor or cannot be called.
struct TypedEvidence {
  std::vector<Dtype> dtypes;  // of the first source; empty: all others
  Evidence evidence;
};
std::vector<TypedEvidence> evidence_of(const Op& op, const Chip& chip);
// "model", "board hash (fp16), choice": in the language of the process, and in English.
std::string evidence_text(const Op& op, const Chip& chip);
std::string evidence_in_english(const Op& op, const Chip& chip);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_EVIDENCE_H_
