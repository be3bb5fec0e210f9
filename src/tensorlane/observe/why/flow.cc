// What flows between the commands of a launch, and what does not.
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

constexpr int kOften = 46;  // the weight of what right kernels do as well

bool works(const Operand& operand) {
  return operand.role == Role::kWork;
}

// Copies into local memory, from wherever it cannot be seen.
bool loads(const Command& command) {
  return command.engine() == Engine::kGdma &&
         std::ranges::any_of(command.operands(), [](const Operand& operand) {
           return operand.reads() && operand.space != Space::kLocal;
         });
}

// Results that nobody reads.
void find_unread(const LaunchCommands& launch, Suspects& found) {
  for (const Line& line : launch.lines) {
    std::size_t unread = 0, first = 0;
    for (const std::size_t k : line.issued) {
      const Issued& issued = launch.commands[k];
      const bool writes = std::ranges::any_of(issued.command.operands(), [](const Operand& each) {
        return each.writes() && !works(each);
      });
      if (!writes || issued.read_back || !issued.readers.empty()) continue;
      if (unread++ == 0) first = k;
    }
    if (unread == 0) continue;
    const std::size_t turns = line.issued.size();
    std::string text = tr("nobody reads its result");
    if (turns > 1 && unread == 1) {
      text = tr("nobody reads the result of call {} of {}", launch.commands[first].turn + 1, turns);
    } else if (turns > 1) {
      text = tr("nobody reads the results of {} of its {} calls, the first of which is call {}",
                unread, turns, launch.commands[first].turn + 1);
    }
    // The kernel's own code may have read it.
    const int weight = launch.unseen || launch.processor_reads ? kOften : unread == turns ? 80 : 84;
    found.push_back({"unread", weight, first, std::move(text)});
  }
}

// Of tiles that one line loads in turn, one that is read in two turns of another line while others
// are not read by it at all: a buffer of the turn before, or after.
void find_stale(const LaunchCommands& launch, Suspects& found) {
  for (const Line& line : launch.lines) {
    if (line.issued.size() < 2) continue;
    const Command& any = launch.commands[line.issued.front()].command;
    for (int k = 0; k < any.operand_count(); ++k) {
      const auto operand = static_cast<std::size_t>(k);
      std::map<std::size_t, std::size_t> last_use;  // of a tile: the turn
      for (const std::size_t reader : line.issued) {
        const Issued& issued = launch.commands[reader];
        if (operand >= issued.read.size()) continue;
        for (const Piece& piece : issued.read[operand]) {
          if (piece.who != Piece::Who::kCommand || piece.command == reader) continue;
          const Issued& writer = launch.commands[piece.command];
          const Line& tiles = launch.lines[writer.line];
          if (!loads(writer.command) || tiles.issued.size() < 2) continue;
          const auto [before, first] = last_use.try_emplace(piece.command, reader);
          if (first) continue;
          const bool others_unread = std::ranges::any_of(tiles.issued, [&](std::size_t other) {
            return launch.commands[other].readers.empty();
          });
          if (!others_unread) continue;
          found.push_back({"stale", 88, reader,
                           tr("{} of call {} of {} holds what call {} of {} loaded, as in call {}",
                              issued.command.operands()[operand].name(), issued.turn + 1,
                              line.issued.size(), writer.turn + 1, place_of(launch, piece.command),
                              launch.commands[before->second].turn + 1)});
          k = any.operand_count();  // once for a line
          break;
        }
        if (k >= any.operand_count()) break;
      }
    }
  }
}

// Whether a command adds to what its result held: the operand, or -1.
int accumulates(const Issued& issued) {
  const Command& command = issued.command;
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& result = command.operands()[static_cast<std::size_t>(k)];
    if (result.role == Role::kInOut) return k;
    if (!result.writes() || works(result)) continue;
    for (int source = 0; source < command.operand_count(); ++source) {
      const Operand& from = command.operands()[static_cast<std::size_t>(source)];
      if (source != k && from.role == Role::kIn && from.space == result.space &&
          from.layout == result.layout)
        return source;
    }
  }
  return -1;
}

// The command that an accumulating line began with: what its first one added to.
std::optional<std::size_t> beginning(const LaunchCommands& launch, std::size_t line) {
  for (const std::size_t k : launch.lines[line].issued) {
    const Issued& issued = launch.commands[k];
    const int operand = accumulates(issued);
    if (operand < 0) continue;
    for (const Piece& piece : issued.read[static_cast<std::size_t>(operand)]) {
      if (piece.who == Piece::Who::kCommand && launch.commands[piece.command].line != line)
        return piece.command;
    }
  }
  return std::nullopt;
}

// Sums that go on from a sum that was copied out.
void find_uncleared(const LaunchCommands& launch, Suspects& found) {
  std::set<std::size_t> reported;
  for (std::size_t k = 0; k < launch.commands.size(); ++k) {
    const Issued& issued = launch.commands[k];
    if (reported.contains(issued.line)) continue;
    const int operand = accumulates(issued);
    if (operand < 0) continue;
    for (const Piece& piece : issued.read[static_cast<std::size_t>(operand)]) {
      if (piece.who == Piece::Who::kEarlier &&
          issued.command.operands()[static_cast<std::size_t>(operand)].space == Space::kLocal) {
        found.push_back({"uncleared", 90, k,
                         tr("{} still holds what an earlier launch left there, and it is added to",
                            issued.command.operands()[static_cast<std::size_t>(operand)].name())});
        reported.insert(issued.line);
        break;
      }
      if (piece.who != Piece::Who::kCommand) continue;
      const Issued& writer = launch.commands[piece.command];
      if (writer.line != issued.line) continue;
      const auto copied = std::ranges::find_if(writer.readers, [&](std::size_t reader) {
        return reader < k && launch.commands[reader].read_back &&
               launch.commands[reader].command.engine() == Engine::kGdma;
      });
      if (copied == writer.readers.end()) continue;
      found.push_back(
          {"uncleared", 92, k,
           tr("call {} of {} goes on adding to what was copied out before, by {}", issued.turn + 1,
              launch.lines[issued.line].issued.size(), place_of(launch, *copied))});
      if (const auto began = beginning(launch, issued.line)) {
        const Line& clears = launch.lines[launch.commands[*began].line];
        const Line& copies = launch.lines[launch.commands[*copied].line];
        found.push_back({"uncleared", 91, *began,
                         tr("begins the sum of {}, {} times for {} results", place_of(launch, k),
                            clears.issued.size(), copies.issued.size())});
      }
      reported.insert(issued.line);
      break;
    }
  }
}

// Whether a command wrote something else over what an earlier one had written.
class Overwritten {
 public:
  Overwritten(History& history, const DeviceMemory& memory) : history_(history), memory_(memory) {}

  bool differ(const Issued& before, const Issued& after) const {
    for (const Operand& a : before.command.operands()) {
      for (const Operand& b : after.command.operands()) {
        if (!a.writes() || !b.writes() || a.space != b.space || a.space == Space::kLocal) continue;
        const std::vector<check::Range> both =
            check::common(check::footprint(a.layout, 0), check::footprint(b.layout, 0));
        if (bytes(both, b.space, after.event) != bytes(both, b.space, after.event + 1)) return true;
      }
    }
    return false;
  }

 private:
  // As they were before an event.
  std::vector<std::byte> bytes(const std::vector<check::Range>& ranges, Space space,
                               Writer event) const {
    history_.restore();
    history_.rewind(event);
    std::vector<std::byte> all;
    for (const check::Range& range : ranges)
      all.insert(all.end(), memory_.base(space) + range.begin, memory_.base(space) + range.end);
    history_.restore();
    return all;
  }

  History& history_;
  const DeviceMemory& memory_;
};

// Results in global memory that replace others that nobody read.
void find_replaced(const LaunchCommands& launch, const Overwritten& same, Suspects& found) {
  // Where parts were left out, what is written twice may stand in their place.
  const bool left_out = std::ranges::any_of(launch.allocations, [](const TouchedAllocation& each) {
    return !each.unread.empty() || !each.unwritten.empty();
  });
  std::set<std::size_t> reported;
  for (std::size_t k = 0; k < launch.commands.size(); ++k) {
    const Issued& issued = launch.commands[k];
    if (!issued.read_back || reported.contains(issued.line)) continue;
    for (const auto& pieces : issued.replaced) {
      for (const Piece& piece : pieces) {
        if (piece.who != Piece::Who::kCommand || !launch.commands[piece.command].read_back ||
            piece.command == k || reported.contains(issued.line))
          continue;
        const Issued& before = launch.commands[piece.command];
        // What was filled is meant to be written over.
        if (std::ranges::none_of(before.command.operands(), &Operand::reads)) continue;
        // A tile moved back to end with the tensor writes the same again.
        const std::size_t turns = launch.lines[issued.line].issued.size();
        if (!left_out && !same.differ(before, issued)) continue;
        reported.insert(issued.line);
        found.push_back({"replaced", 82, k,
                         tr("call {} of {} writes over {} that {} wrote and nobody read",
                            issued.turn + 1, turns, check::bytes_text(piece.bytes),
                            before.line == issued.line ? tr("call {}", before.turn + 1)
                                                       : place_of(launch, piece.command))});
      }
    }
  }
}

// "0..63, 128..191" of an allocation, the first ones.
std::string parts_text(const std::vector<check::Range>& parts, std::int64_t begin) {
  constexpr std::size_t kShown = 2;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, parts.size()); ++k)
    text += fmt::format("{}{}..{}", k == 0 ? "" : ", ", parts[k].begin - begin,
                        parts[k].end - begin - 1);
  return parts.size() > kShown ? text + ", ..." : text;
}

std::int64_t bytes_in(const std::vector<check::Range>& parts) {
  std::int64_t bytes = 0;
  for (const check::Range& part : parts) bytes += part.bytes();
  return bytes;
}

// Whether all turns of a line read the same bytes, and what is left out is as much for each of the
// others.
bool stays(const LaunchCommands& launch, const Line& line, std::int64_t left_out) {
  std::optional<check::Range> same;
  for (const std::size_t number : line.issued) {
    for (const Operand& operand : launch.commands[number].command.operands()) {
      if (!operand.reads() || operand.space != Space::kGlobal) continue;
      const check::Range bytes = check::footprint(operand.layout, 0).bounds();
      if (same && (same->begin != bytes.begin || same->end != bytes.end)) return false;
      same = bytes;
    }
  }
  const auto turns = static_cast<std::int64_t>(line.issued.size());
  return same && turns > 1 && left_out == (turns - 1) * same->bytes();
}

// A piece that tiles one after the other do not reach is hardly meant; gaps between rows, and
// buffers that are larger than what one call moves, often are.
int left_out_weight(const LaunchCommands& launch, const std::vector<check::Range>& parts,
                    check::Range all, const Line& line, bool reads) {
  constexpr std::size_t kTiles = 3;
  if (reads && stays(launch, line, bytes_in(parts))) return 75;
  const bool piece = parts.size() == 1 && 4 * bytes_in(parts) <= all.bytes();
  if (!piece) return kOften;
  if (!reads) return 78;
  return line.issued.size() >= kTiles ? 72 : kOften;
}

// Parts of inputs and outputs that were left out.
void find_left_out(const LaunchCommands& launch, Suspects& found) {
  if (launch.unseen || !launch.whole) return;
  for (const TouchedAllocation& each : launch.allocations) {
    const check::Range all = each.allocation->bytes;
    const auto report = [&](const std::vector<check::Range>& parts,
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
      const check::Range bytes = check::footprint(operand.layout, 0).bounds();
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

void find_flow(const LaunchCommands& launch, History& history, const DeviceMemory& memory,
               Suspects& found) {
  find_unread(launch, found);
  find_stale(launch, found);
  find_uncleared(launch, found);
  find_replaced(launch, Overwritten(history, memory), found);
  find_left_out(launch, found);
  find_twice(launch, found);
  find_loaded_twice(launch, found);
}

}  // namespace tensorlane::why
