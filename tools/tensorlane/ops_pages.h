// The ops list as pages of Markdown, in the language of the process: the reference,
// docs/zh/reference.
#ifndef TENSORLANE_TOOLS_OPS_PAGES_H_
#define TENSORLANE_TOOLS_OPS_PAGES_H_

#include <span>
#include <string>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::cli {

// All about functions as one page of Markdown.
std::string ops_markdown(const Chip& chip, std::span<const Op* const> ops);
// The reference pages of the documentation site: a list of the families of functions, then one page
// for each family.
struct ReferencePage {
  std::string name, text;  // "gdma.md"
};
std::vector<ReferencePage> ops_pages(const Chip& chip, std::span<const Op* const> ops);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OPS_PAGES_H_
