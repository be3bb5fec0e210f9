#include "tensorlane/ops/dispatch.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tensorlane/layout/fold.h"
#include "tensorlane/ops/sources_aside.h"

namespace tensorlane {
namespace {

// Tensors in more pieces than this count as overlapping where their bounds do.
constexpr std::int64_t kMostPieces = 1 << 16;

// Bytes from a begin to an end.
struct Piece {
  std::int64_t begin, end;
};

// The bytes of a layout in order; nothing where they are too many pieces.
std::optional<std::vector<Piece>> pieces_of(const Layout& layout) {
  const std::vector<Box> boxes = fold(layout);
  std::vector<Piece> pieces;
  std::int64_t total = 0;
  for (Box box : boxes) {
    std::int64_t length = layout.element_units();
    if (box.rank > 0 && box.loops[box.rank - 1].stride[0] == length)
      length *= box.loops[--box.rank].extent;
    total += box.size();
    if (total > kMostPieces) return {};
    pieces.reserve(static_cast<std::size_t>(total));
    std::array<std::int64_t, kMaxLoops> at{};
    for (std::int64_t i = 0; i < box.size(); ++i) {
      std::int64_t begin = box.base[0];
      for (int k = 0; k < box.rank; ++k) begin += at[k] * box.loops[k].stride[0];
      const std::int64_t bits = layout.unit_bits();
      pieces.push_back({begin * bits / 8, ((begin + length) * bits + 7) / 8});
      for (int k = box.rank - 1; k >= 0 && ++at[k] == box.loops[k].extent; --k) at[k] = 0;
    }
  }
  std::ranges::sort(pieces, {}, &Piece::begin);
  return pieces;
}

bool share_bytes(const Layout& a, const Layout& b) {
  const std::optional<std::vector<Piece>> mine = pieces_of(a), others = pieces_of(b);
  if (!mine || !others) return true;
  auto one = mine->begin();
  auto other = others->begin();
  while (one != mine->end() && other != others->end()) {
    if (one->begin < other->end && other->begin < one->end) return true;
    ++(one->end < other->end ? one : other);
  }
  return false;
}

}  // namespace

std::string_view along_name(Along along) {
  switch (along) {
    case Along::kSideBySide:
      return "side by side";
    case Along::kOneForAll:
      return "one for all";
    case Along::kApart:
      break;
  }
  return "apart";
}

std::string_view overlap_name(Overlap overlap) {
  switch (overlap) {
    case Overlap::kNone:
      return "none";
    case Overlap::kInPlace:
      return "in place";
    case Overlap::kPartly:
      break;
  }
  return "partly";
}

bool bounds_overlap(const Operand& a, const Operand& b) {
  if (a.space != b.space) return false;
  const bool local =
      a.layout.space() == AddressSpace::kLocal && b.layout.space() == AddressSpace::kLocal;
  const Layout::Bounds x = a.layout.loose_bounds(local), y = b.layout.loose_bounds(local);
  const std::int64_t x_bits = a.layout.unit_bits(), y_bits = b.layout.unit_bits();
  return x.begin * x_bits < y.end * y_bits && y.begin * y_bits < x.end * x_bits;
}

Overlap overlap_of(const Operand& written, const Operand& other) {
  if (!bounds_overlap(written, other)) return Overlap::kNone;
  if (written.layout.same_addresses(other.layout)) {
    // Of two results the one written last would count.
    return other.writes() ? Overlap::kPartly : Overlap::kInPlace;
  }
  return share_bytes(written.layout, other.layout) ? Overlap::kPartly : Overlap::kNone;
}

Overlap overlap_of(const Command& command) {
  Overlap worst = Overlap::kNone;
  for (const Operand& written : command.operands()) {
    if (!written.writes()) continue;
    if (!written.layout.injective()) return Overlap::kPartly;
    for (const Operand& other : command.operands()) {
      if (&other == &written) continue;
      worst = std::max(worst, overlap_of(written, other));
      if (worst == Overlap::kPartly) return worst;
    }
  }
  return worst;
}

namespace {

bool takes_overlap(const Implementation& one, const Invocation& invocation) {
  return one.forms.overlap == Overlap::kPartly || invocation.overlap() <= one.forms.overlap;
}

bool may_set_aside(const std::vector<Implementation>& list, const Invocation& invocation) {
  return !takes_overlap(list.back(), invocation) && SourcesAside::help(invocation.command);
}

}  // namespace

bool run_first(const std::vector<Implementation>& list, const Invocation& invocation) {
  bool skipped = false;
  for (const Implementation& one : list) {
    if (&one == &list.back()) break;
    if (!takes_overlap(one, invocation)) {
      skipped = true;
    } else if (one.run(invocation)) {
      return true;
    }
  }
  if (list.empty()) return false;
  if (!skipped || !may_set_aside(list, invocation)) return run_reference(list, invocation);
  const SourcesAside aside(invocation);
  return run_first(list, aside.invocation());
}

bool may_run(const std::vector<Implementation>& list, std::size_t index,
             const Invocation& invocation) {
  return index + 1 == list.size() || takes_overlap(list[index], invocation) ||
         may_set_aside(list, invocation);
}

bool run_one(const std::vector<Implementation>& list, std::size_t index,
             const Invocation& invocation) {
  const Implementation& one = list[index];
  if (takes_overlap(one, invocation) || !may_set_aside(list, invocation))
    return one.run(invocation);
  const SourcesAside aside(invocation);
  return one.run(aside.invocation());
}

bool run_reference(const std::vector<Implementation>& list, const Invocation& invocation) {
  return run_one(list, list.size() - 1, invocation);
}

Overlap Command::overlap() const {
  if (known.overlap()) return *known.overlap();
  const Overlap found = overlap_of(*this);
  known.keep(found);
  return found;
}

}  // namespace tensorlane
