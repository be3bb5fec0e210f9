#include "tensorlane/ops/sources_aside.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "tensorlane/layout/strided_copy.h"
#include "tensorlane/ops/dispatch.h"

namespace tensorlane {
namespace {

// Vectors read a little beyond an operand, which never matters.
constexpr std::int64_t kAround = 4096;
// Operands that reach farther, in system memory, are not worth it.
constexpr std::int64_t kFarthest = std::int64_t{1} << 28U;

// Copies are as far apart as the elements in memory, 16 MB for one that reaches from the first NPU
// to the last: the buffers of a thread are kept, and only what is touched of them is there.
class Buffers {
 public:
  std::byte* take(std::int64_t bytes) {
    if (taken_ == buffers_.size()) buffers_.emplace_back();
    Buffer& buffer = buffers_[taken_++];
    const auto wanted = static_cast<std::size_t>(bytes);
    if (wanted > buffer.size) {
      buffer.bytes.reset(new std::byte[wanted]);  // as it comes: make_unique would touch it all
      buffer.size = wanted;
    }
    return buffer.bytes.get();
  }
  void give_back(int count) { taken_ -= static_cast<std::size_t>(count); }

 private:
  struct Buffer {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Buffer> buffers_;
  std::size_t taken_ = 0;  // an implementation may run another: the last taken is given back first
};
thread_local Buffers buffers;

// Whether some result may share bytes with this source: to copy one too many costs less than to
// look.
bool may_be_written_over(const Command& command, const Operand& source) {
  return std::ranges::any_of(command.operands(), [&](const Operand& written) {
    return written.writes() && bounds_overlap(written, source);
  });
}

// The bytes from the first element to the last.
Layout::Bounds bytes_of(const Layout& layout) {
  const Layout::Bounds units = layout.bounds();
  return {units.begin * layout.unit_bits() / 8, (units.end * layout.unit_bits() + 7) / 8};
}

void copy(const Layout& layout, std::byte* to, const std::byte* from) {
  if (layout.nested() && layout.unit_bits() == 8) {
    for (const Box& box : fold({&layout, &layout}))
      strided_copy(box, to, from, layout.element_units());
    return;
  }
  for (const ByteRun& run : layout.byte_runs()) {
    const std::int64_t at = run.npu * layout.npu_bytes() + run.offset;
    std::memcpy(to + at, from + at, static_cast<std::size_t>(run.bytes));
  }
}

}  // namespace

bool SourcesAside::help(const Command& command) {
  for (const Operand& written : command.operands()) {
    const Layout::Bounds bounds = bytes_of(written.layout);
    if (bounds.end - bounds.begin > kFarthest) return false;
    if (!written.writes()) continue;
    if (!written.layout.injective()) return false;
    for (const Operand& other : command.operands()) {
      if (&other != &written && other.writes() && overlap_of(written, other) != Overlap::kNone)
        return false;
    }
  }
  return true;
}

SourcesAside::SourcesAside(const Invocation& invocation)
    : command_(invocation.command), memory_(invocation.memory) {
  for (std::size_t k = 0; k < command_.operand_storage.size(); ++k) {
    const Operand& operand = command_.operand_storage[k];
    if (operand.writes() || !may_be_written_over(command_, operand)) continue;
    const Layout::Bounds bounds = bytes_of(operand.layout);
    // Elements stay at their places within lines and pages.
    const std::int64_t first = (bounds.begin - kAround) / kAround * kAround;
    std::byte* const at = buffers.take(bounds.end + kAround - first) - first;
    copy(operand.layout, at, invocation.base(invocation.command.operand_storage[k]));
    moved_[k] = at;
    ++copies_;
  }
}

SourcesAside::~SourcesAside() {
  buffers.give_back(copies_);
}

}  // namespace tensorlane
