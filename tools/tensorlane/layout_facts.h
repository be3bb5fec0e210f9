// What the documents say of a tensor in a layout, beyond its formula.
#ifndef TENSORLANE_TOOLS_LAYOUT_FACTS_H_
#define TENSORLANE_TOOLS_LAYOUT_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/layout/grouping.h"

namespace tensorlane::cli {

// Bytes of the elements alone.
std::int64_t data_bytes(const NamedLayout& tensor);

// ---- Local layouts ------------------------------------------------------------------------------

// Channels, output channels or column blocks: what is dealt to the NPUs, round robin.
std::int64_t channels_of(const NamedLayout& tensor);
// NPUs that hold at least one element.
std::int64_t npus_used(const NamedLayout& tensor);
// Channel rows that every NPU reserves per batch.
std::int64_t channel_rows(const NamedLayout& tensor);
bool fits(const NamedLayout& tensor);

// Rows of the execution units, as wide as the alignment of local memory, that hold elements in the
// NPU with the most of them, and the fewest that would: commands move and compute whole rows.
// `twice` counts how often one of them is come to again because the parts of two channels, or of
// two batches of one, meet in it; of layouts that give each element of N, C, H, W a stride, else 0.
// Nothing for tensors of more elements than are worth counting, and for those that do not fit an
// NPU.
struct EuRows {
  std::int64_t rows, least, twice = 0;
};
std::optional<EuRows> eu_rows(const NamedLayout& tensor);

// Names of the strides that no element is away from another: of an axis of extent 1, of the
// channels where every NPU has one.
std::vector<std::string> idle_strides(const NamedLayout& tensor);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_LAYOUT_FACTS_H_
