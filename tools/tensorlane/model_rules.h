// The rules by which a whole model is packed: a TOML file.
//
//   chip = "bm1684x"                 # what stands before the rules holds for all of them
//
//   [[rule]]
//   match = "*.weight"               # * any characters, ? one; a list of patterns
//   rank = 4                         # only tensors of so many axes
//   to = "mace:CONV2D_FILTER"
//   to_dtype = "fp16"
//
//   [[rule]]
//   match = "*"
//   keep = true
//
// The first rule that fits a tensor says what becomes of it:
//
//   to = ...        converted as `layout convert` does, whose options the other keys are, with _
//   for
//                   -: from, to, chip, from_chip, to_chip, shape, to_shape, dtype, to_dtype,
//                   rounding, saturate, from_start_npu, to_start_npu, start_npu,
//                   from_cols_per_channel, ...
//   keep = true     as it is, in another type where to_dtype says so
//   unpack = true   back into what a manifest says it was
//   skip = true     left out
#ifndef TENSORLANE_TOOLS_MODEL_RULES_H_
#define TENSORLANE_TOOLS_MODEL_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout_endpoints.h"

namespace tensorlane::cli {

enum class ModelAction : std::uint8_t { kConvert, kKeep, kUnpack, kSkip };

struct ModelRule {
  std::int64_t line = 0;
  std::vector<std::string> match;
  std::optional<std::int64_t> rank;
  ModelAction action = ModelAction::kConvert;
  LayoutEndpoints ends;

  bool fits(std::string_view name, std::size_t of_rank) const;
};

// Throws UserError that names the file, the line and the key at fault.
std::vector<ModelRule> read_model_rules(const std::string& file);

// True where `pattern`, in which * stands for any characters and ? for one, is `text`.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_MODEL_RULES_H_
