// What becomes of every tensor of a model: its rules, its tensors and the file that is to be.
#ifndef TENSORLANE_TOOLS_MODEL_PLAN_H_
#define TENSORLANE_TOOLS_MODEL_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model_manifest.h"
#include "model_rules.h"
#include "tensorlane/io/model_file.h"

namespace tensorlane::cli {

// A tensor of the source that stands in the output too.
struct ModelTensor {
  std::size_t source = 0;  // its place in ModelFile::tensors
  const ModelRule* rule = nullptr;
  ModelAction action = ModelAction::kConvert;  // kKeep too where there is no element to convert
  Dtype read_as = Dtype::kFp32;
  Dtype dtype = Dtype::kFp32;           // in the output
  std::optional<NamedLayout> from, to;  // where it is converted
  LayoutConversion conversion;
  Shape shape;  // of the array in the output

  // The tensor as the output holds it. `threads` for one tensor that is large.
  Tensor converted(Tensor source, CopyThreads threads) const;
};

class ModelPlan {
 public:
  // Throws UserError that names the tensor and the line of its rule; for tensors without a rule it
  // lists some. `manifest` is that of the source, for rules that unpack.
  ModelPlan(const std::string& source, const ModelFile& model, const std::string& rules_file,
            const std::optional<Manifest>& manifest);

  const std::string& rules_file() const { return rules_file_; }
  const std::vector<ModelTensor>& tensors() const { return tensors_; }
  std::size_t skipped() const { return skipped_; }
  // Lines of rules that no tensor came to.
  std::vector<std::int64_t> idle_rules() const;
  // What the output is made of, as far as it is no tensor: equal texts give equal files.
  std::string identity(const ModelFile& model) const;

 private:
  ModelTensor plan(const TensorInfo& info, const ModelRule& rule,
                   const std::optional<Manifest>& manifest) const;

  std::string source_, rules_file_;
  std::vector<ModelRule> rules_;
  std::vector<ModelTensor> tensors_;
  std::vector<bool> used_;
  std::size_t skipped_ = 0;
};

// The order in which frameworks keep what a layout of these axes holds: filters (o, i, h, w), those
// of depthwise convolutions (i, m, h, w).
std::string framework_layout(const Axes& axes);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_MODEL_PLAN_H_
