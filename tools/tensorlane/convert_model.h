// layout convert MODEL --rules: a whole model into another file, each tensor by its rule.
#ifndef TENSORLANE_TOOLS_CONVERT_MODEL_H_
#define TENSORLANE_TOOLS_CONVERT_MODEL_H_

#include <cstdint>
#include <string>

namespace tensorlane::cli {

struct ConvertModel {
  std::string input, output, rules, manifest;
  std::int64_t align = 64;  // of the tensors in a raw file
  int jobs = 0;             // tensors at once; 0: as many as there are processors
  bool restart = false;     // does not take up what a run before left
  bool quiet = false;
};

// Tensors are read, converted, written at their places and noted one by one, so that a run that was
// killed goes on where it was; memory is that of the largest tensor. Throws UserError.
void convert_model(const ConvertModel& command);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_CONVERT_MODEL_H_
