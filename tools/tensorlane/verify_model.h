// layout verify PACKED ORIGINAL --rules: a packed model against what it was packed from.
#ifndef TENSORLANE_TOOLS_VERIFY_MODEL_H_
#define TENSORLANE_TOOLS_VERIFY_MODEL_H_

#include <string>

#include "json_option.h"
#include "tensorlane/layout/verify_packed.h"

namespace tensorlane::cli {

struct VerifyModel {
  std::string packed, original, rules, manifest;
  PaddingCheck padding = PaddingCheck::kPrescribed;
  JsonOption json;
};

// Prints what is wrong, tensor by tensor: elements, and what explains them; tensors that are
// missing, too many, of another size or in each other's place. Throws ExitStatus 1 where something
// is, UserError for input that is none.
void verify_model(const VerifyModel& command);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_VERIFY_MODEL_H_
