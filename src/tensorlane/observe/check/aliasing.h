// Which operands of one command must not share memory, and which elements of one operand.
//
// The rule follows from what the ops list says of the operands, so that no function can be
// forgotten: an element-wise result may lie exactly on a source of the same shape (in place), also
// with smaller elements that never get ahead of the source (a narrowing cast); a copy may leave its
// source where it is and spread it from there (a broadcast in place); the one result of a channel
// may lie on that channel's source (a reduction in place). Every other overlap with something
// written is wrong, because nothing says whether a part is read before or after it is overwritten.
// [doc for dst and work; observed for conv, pooling, matmul, exp, tanh; public kernels broadcast,
// narrow and reduce in place]
//
// One of them is told apart: an element-wise result that, batch after batch in ascending order,
// overwrites only batches of its source that were read before. Engines that work through a tensor
// in the order of its batches give the result that was meant. [a rule of ours]
#ifndef TENSORLANE_OBSERVE_CHECK_ALIASING_H_
#define TENSORLANE_OBSERVE_CHECK_ALIASING_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/layout/layout.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::check {

struct AliasOperand {
  int memory = 0;
  bool read = false, write = false, work = false;
  int shape_class = 0;    // operands of the same class have the same shape by the ops list,
  int channel_class = 0;  // of the same channel class the same batches and channels
  const Layout* layout = nullptr;
  trail::Footprint bytes;
};

// How many bytes the elements of a layout with these bytes share among them; nothing where each has
// its own.
[[gnu::hot]] std::optional<std::int64_t> bytes_of_overlapping(const Layout& layout,
                                                              const trail::Footprint& bytes);

// What a command makes of its sources.
enum class Making : std::uint8_t {
  kAnything,
  kElements,  // every element of the result from the same elements of its sources
  kCopies,    // the result has the bits of its source
};

// Two operands, by their indices, that overlap where they must not.
struct ForbiddenOverlap {
  int first, second;
  bool harmless_by_batches;  // see above
  friend bool operator==(const ForbiddenOverlap&, const ForbiddenOverlap&) = default;
};
std::vector<ForbiddenOverlap> forbidden_overlaps(std::span<const AliasOperand> operands,
                                                 Making making = Making::kAnything);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_ALIASING_H_
