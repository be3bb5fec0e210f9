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

bool works(const Operand& operand) {
  return operand.role == Role::kWork;
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
  Overwritten(trail::History& history, const DeviceMemory& memory)
      : history_(history), memory_(memory) {}

  bool differ(const Issued& before, const Issued& after) const {
    for (const Operand& a : before.command.operands()) {
      for (const Operand& b : after.command.operands()) {
        if (!a.writes() || !b.writes() || a.space != b.space || a.space == Space::kLocal) continue;
        const std::vector<trail::Range> both =
            trail::common(trail::footprint(a.layout, 0), trail::footprint(b.layout, 0));
        if (bytes(both, b.space, after.event) != bytes(both, b.space, after.event + 1)) return true;
      }
    }
    return false;
  }

 private:
  // As they were before an event.
  std::vector<std::byte> bytes(const std::vector<trail::Range>& ranges, Space space,
                               trail::Writer event) const {
    history_.rewind(event);
    std::vector<std::byte> all;
    for (const trail::Range& range : ranges)
      all.insert(all.end(), memory_.base(space) + range.begin, memory_.base(space) + range.end);
    history_.restore();
    return all;
  }

  trail::History& history_;
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

}  // namespace

void find_flow(const LaunchCommands& launch, trail::History& history, const DeviceMemory& memory,
               Suspects& found) {
  find_unread(launch, found);
  find_stale(launch, found);
  find_uncleared(launch, found);
  find_replaced(launch, Overwritten(history, memory), found);
}

}  // namespace tensorlane::why
