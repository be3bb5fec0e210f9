// Inputs and outputs that are left out, and what stands in their place.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/why/suspects.h"

namespace tensorlane::why {
namespace {

// "0..63, 128..191" of an allocation, the first ones.
std::string parts_text(const std::vector<trail::Range>& parts, std::int64_t begin) {
  constexpr std::size_t kShown = 2;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, parts.size()); ++k)
    text += fmt::format("{}{}..{}", k == 0 ? "" : ", ", parts[k].begin - begin,
                        parts[k].end - begin - 1);
  return parts.size() > kShown ? text + ", ..." : text;
}

std::int64_t bytes_in(const std::vector<trail::Range>& parts) {
  std::int64_t bytes = 0;
  for (const trail::Range& part : parts) bytes += part.bytes();
  return bytes;
}

// Whether all turns of a line read the same bytes, and what is left out is as much for each of the
// others.
bool stays(const LaunchCommands& launch, const Line& line, std::int64_t left_out) {
  std::optional<trail::Range> same;
  for (const std::size_t number : line.issued) {
    for (const Operand& operand : launch.commands[number].command.operands()) {
      if (!operand.reads() || operand.space != Space::kGlobal) continue;
      const trail::Range bytes = trail::footprint(operand.layout, 0).bounds();
      if (same && (same->begin != bytes.begin || same->end != bytes.end)) return false;
      same = bytes;
    }
  }
  const auto turns = static_cast<std::int64_t>(line.issued.size());
  return same && turns > 1 && left_out == (turns - 1) * same->bytes();
}

// A piece that tiles one after the other do not reach is hardly meant; gaps between rows, and
// buffers that are larger than what one call moves, often are.
int left_out_weight(const LaunchCommands& launch, const std::vector<trail::Range>& parts,
                    trail::Range all, const Line& line, bool reads) {
  constexpr std::size_t kTiles = 3;
  if (reads && stays(launch, line, bytes_in(parts))) return 75;
  const bool piece = parts.size() == 1 && 4 * bytes_in(parts) <= all.bytes();
  if (!piece) return kOften;
  if (!reads) return 78;
  return line.issued.size() >= kTiles ? 72 : kOften;
}

// Parts of inputs and outputs that were left out.
void find_parts_left_out(const LaunchCommands& launch, Suspects& found) {
  if (launch.unseen || !launch.whole) return;
  for (const TouchedAllocation& each : launch.allocations) {
    const trail::Range all = each.allocation->bytes;
    const auto report = [&](const std::vector<trail::Range>& parts,
                            const std::vector<std::size_t>& lines, bool reads) {
      if (parts.empty() || 2 * bytes_in(parts) > all.bytes()) return;  // rather a larger buffer
      const std::string what =
          reads ? tr("never reads bytes {} of its input ({} of {}), which the host wrote",
                     parts_text(parts, all.begin), bytes_in(parts), all.bytes())
                : tr("never writes bytes {} of its output ({} of {}), nor does anybody",
                     parts_text(parts, all.begin), bytes_in(parts), all.bytes());
      for (const std::size_t line : lines) {
        found.push_back({reads ? "left out" : "unwritten",
                         left_out_weight(launch, parts, all, launch.lines[line], reads),
                         launch.lines[line].issued.back(), what});
      }
    };
    report(each.unread, each.readers, true);
    report(each.unwritten, each.writers, false);
  }
}

// Two operands of a command, or two loads of a launch, that are one.
bool same_elements(const Operand& a, const Operand& b) {
  return a.space == b.space && a.layout == b.layout;
}

// Whether there is an input that nobody uses, loaded or not: it may be what was meant.
bool something_unused(const LaunchCommands& launch) {
  return launch.unused_inputs > 0 || std::ranges::any_of(launch.commands, [](const Issued& issued) {
           return loads(issued.command) && issued.readers.empty() && !issued.read_back;
         });
}

void find_twice(const LaunchCommands& launch, Suspects& found) {
  std::set<std::size_t> reported;
  if (launch.commands.empty()) return;
  const bool unused = something_unused(launch);
  for (std::size_t k = 0; k < launch.commands.size(); ++k) {
    const Issued& issued = launch.commands[k];
    const std::span<const Operand> operands = issued.command.operands();
    for (std::size_t a = 0; a < operands.size(); ++a) {
      for (std::size_t b = a + 1; b < operands.size(); ++b) {
        if (operands[a].role != Role::kIn || operands[b].role != Role::kIn ||
            !same_elements(operands[a], operands[b]) || reported.contains(issued.line))
          continue;
        reported.insert(issued.line);
        // Squares and doubles are meant, and zeros of what nobody wrote; what is always 0 or the
        // operand itself is not.
        const bool trivial = operands[a].spec->decides == operands[b].spec->decides &&
                             (issued.command.op->spec().fixed_if != nullptr ||
                              issued.command.operands().front().spec->combination.has_value());
        const bool idiom = std::ranges::all_of(
            issued.read[a], [](const Piece& piece) { return piece.who == Piece::Who::kNobody; });
        if (idiom || (!trivial && !unused)) continue;
        found.push_back(
            {"twice", 88, k,
             tr("{} and {} are the same elements", operands[a].name(), operands[b].name())});
      }
    }
  }
}

// Where a part of the inputs is left out, or a whole one: loads of the same bytes by two lines.
void find_loaded_twice(const LaunchCommands& launch, Suspects& found) {
  if (!something_unused(launch)) return;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> loaded;  // bounds: a command
  std::set<std::size_t> reported;
  for (std::size_t k = 0; k < launch.commands.size(); ++k) {
    const Issued& issued = launch.commands[k];
    if (!loads(issued.command)) continue;
    for (const Operand& operand : issued.command.operands()) {
      if (!operand.reads() || operand.space != Space::kGlobal) continue;
      const trail::Range bytes = trail::footprint(operand.layout, 0).bounds();
      const auto [before, first] = loaded.try_emplace({bytes.begin, bytes.end}, k);
      const Issued& other = launch.commands[before->second];
      if (first || other.line == issued.line || !reported.insert(issued.line).second) continue;
      found.push_back(
          {"twice", 86, k,
           tr("{} is what {} loaded already", operand.name(), place_of(launch, before->second))});
    }
  }
}

}  // namespace

void find_left_out(const LaunchCommands& launch, Suspects& found) {
  find_parts_left_out(launch, found);
  find_twice(launch, found);
  find_loaded_twice(launch, found);
}

}  // namespace tensorlane::why
