// Elements that are read by another layout, or as another type, than they were written.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/why/suspects.h"
#include "tensorlane/ops/engines.h"

namespace tensorlane::why {
namespace {

bool is_raw(Dtype dtype) {
  return dtype == Dtype::kX8 || dtype == Dtype::kX16 || dtype == Dtype::kX32;
}

// Types of which one is hardly meant where the other was written. Copies move bits, of whatever
// type, and say little by theirs.
bool disagree(Dtype written, Dtype read, bool copies) {
  if (written == read || is_raw(written) || is_raw(read)) return false;
  if (dtype_bits(written) != dtype_bits(read)) return true;
  const DtypeInfo &a = dtype_info(written), &b = dtype_info(read);
  if (a.is_float != b.is_float) return !copies;
  return a.is_float || (a.is_signed != b.is_signed && a.bits == 8);
}

struct Written {
  const Operand* operand;
  std::size_t command;
};

// The operand that wrote all that is read, where one did.
std::optional<Written> writer_of(const LaunchCommands& launch, const Issued& issued, int operand) {
  const std::vector<Piece>& pieces = issued.read[static_cast<std::size_t>(operand)];
  if (pieces.size() != 1 || pieces.front().who != Piece::Who::kCommand) return std::nullopt;
  const Operand& read = issued.command.operands()[static_cast<std::size_t>(operand)];
  const Command& command = launch.commands[pieces.front().command].command;
  const Operand* found = nullptr;
  for (const Operand& each : command.operands()) {
    if (!each.writes() || each.role == Role::kWork || each.space != read.space) continue;
    if (found != nullptr) return std::nullopt;
    found = &each;
  }
  if (found == nullptr) return std::nullopt;
  return Written{found, pieces.front().command};
}

// Along one dimension of what is read: the next element is none of what was written, or lies askew
// in it.
std::optional<int> skewed_dimension(const Operand& read, const Operand& written) {
  const inspect::OperandElements from(written, nullptr), elements(read, nullptr);
  const auto origin = from.element_at(elements.place({}));
  if (!origin) return std::nullopt;
  for (int dim = 0; dim < read.layout.rank(); ++dim) {
    if (read.layout.extent(dim) < 2) continue;
    Layout::Index next{};
    next[static_cast<std::size_t>(dim)] = 1;
    if (elements.place(next) == elements.place({})) continue;  // the same one again and again
    const auto there = from.element_at(elements.place(next));
    if (!there) return dim;
    int moved = 0;
    bool back = false;
    for (int d = 0; d < written.layout.rank(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      moved += static_cast<int>((*there)[at] != (*origin)[at]);
      back = back || (*there)[at] < (*origin)[at];
    }
    if (moved > 1 && !back) return dim;
  }
  return std::nullopt;
}

bool same_extents(const Layout& a, const Layout& b) {
  if (a.rank() != b.rank()) return false;
  for (int dim = 0; dim < a.rank(); ++dim) {
    if (a.extent(dim) != b.extent(dim)) return false;
  }
  return true;
}

// With the same extents every element should be the one of its index.
bool misplaced(const Operand& read, const Operand& written) {
  if (!same_extents(read.layout, written.layout)) return false;
  const inspect::OperandElements from(written, nullptr), elements(read, nullptr);
  Layout::Index last{};
  for (int dim = 0; dim < read.layout.rank(); ++dim) {
    Layout::Index next{};
    next[static_cast<std::size_t>(dim)] = read.layout.extent(dim) - 1;
    last[static_cast<std::size_t>(dim)] = read.layout.extent(dim) - 1;
    if (elements.place(next) == elements.place({}) && read.layout.extent(dim) > 1)
      return false;  // a broadcast
    if (elements.place(next) != from.place(next)) return true;
  }
  return elements.place(last) != from.place(last);
}

void find_mismatch(const LaunchCommands& launch, const Issued& issued, std::size_t number,
                   int operand, Suspects& found) {
  const auto writer = writer_of(launch, issued, operand);
  if (!writer) return;
  const Operand& read = issued.command.operands()[static_cast<std::size_t>(operand)];
  const Operand& written = *writer->operand;
  const Command& wrote = launch.commands[writer->command].command;
  const std::string place = tr("{} at {}", wrote.op->name(), check::place_text(wrote.call_site));
  const bool copies = is_dma(wrote.engine()) || is_dma(issued.command.engine());
  if (disagree(written.layout.dtype(), read.layout.dtype(), copies)) {
    found.push_back(
        {"type", dtype_bits(written.layout.dtype()) == dtype_bits(read.layout.dtype()) ? 74 : 84,
         number,
         tr("reads {} as {}, which {} wrote as {}", read.name(), dtype_name(read.layout.dtype()),
            place, dtype_name(written.layout.dtype()))});
    return;
  }
  if (dtype_bits(written.layout.dtype()) != dtype_bits(read.layout.dtype())) return;
  if (misplaced(read, written)) {
    found.push_back(
        {"layout", 86, number,
         tr("reads {} as {}, which {} wrote as {}", read.name(),
            trail::layout_text(read, issued.command), place, trail::layout_text(written, wrote))});
    return;
  }
  if (const auto dim = skewed_dimension(read, written)) {
    constexpr std::array<std::string_view, 4> kNames = {"n", "c", "h", "w"};
    found.push_back({"layout", 84, number,
                     tr("steps of {} along {} lead beside the elements that {} wrote", read.name(),
                        read.layout.rank() == 4 ? kNames[static_cast<std::size_t>(*dim)]
                                                : fmt::format("{}", *dim),
                        place)});
  }
}

}  // namespace

void find_mismatches(const LaunchCommands& launch, Suspects& found) {
  std::set<std::size_t> reported;
  for (std::size_t k = 0; k < launch.commands.size(); ++k) {
    const Issued& issued = launch.commands[k];
    if (reported.contains(issued.line)) continue;
    const std::size_t before = found.size();
    for (int operand = 0; operand < issued.command.operand_count(); ++operand) {
      if (issued.command.operands()[static_cast<std::size_t>(operand)].reads())
        find_mismatch(launch, issued, k, operand, found);
    }
    if (found.size() > before) reported.insert(issued.line);
  }
}

}  // namespace tensorlane::why
