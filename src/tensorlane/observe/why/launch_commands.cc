#include "tensorlane/observe/why/launch_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/why/touched_memory.h"
#include "tensorlane/trail/core_memories.h"

namespace tensorlane::why {
namespace {

constexpr std::size_t kMostCommands = 1 << 14;

// Marks of the shadow: these, and from kFirst on the commands.
constexpr trail::Mark kHostMark = 1, kEarlierMark = 2, kProcessorMark = 3, kFirst = 4;
// In the shadow of reads.
constexpr trail::Mark kReadMark = 1;

Piece piece_of(trail::Mark mark, std::int64_t bytes) {
  if (mark >= kFirst) return {Piece::Who::kCommand, mark - kFirst, bytes};
  constexpr std::array<Piece::Who, kFirst> kWho = {Piece::Who::kNobody, Piece::Who::kHost,
                                                   Piece::Who::kEarlier, Piece::Who::kProcessor};
  return {kWho[mark], 0, bytes};
}

void add(std::vector<Piece>& pieces, const Piece& piece) {
  const auto same = std::ranges::find_if(pieces, [&](const Piece& other) {
    return other.who == piece.who && other.command == piece.command;
  });
  if (same != pieces.end()) {
    same->bytes += piece.bytes;
  } else {
    pieces.push_back(piece);
  }
}

// Follows the events of a device up to the end of a launch.
class Follower {
 public:
  Follower(trail::History& history, const trail::Allocations& allocations, const Chip& chip,
           std::uint64_t number)
      : history_(history),
        chip_(chip),
        number_(number),
        written_(trail::memory_shapes(chip)),
        read_(trail::memory_shapes(chip)),
        touched_(allocations) {}

  LaunchCommands follow(trail::Writer before) {
    found_.processor_reads = history_.processor_read(number_);
    const std::vector<trail::Writer> own = own_events(before);
    const std::set<trail::Writer> kept(own.begin(), own.end());
    for (trail::Writer event = 1; event < before; ++event) {
      const trail::Event* const each = history_.find(event);
      if (each == nullptr) continue;
      const bool is_own = each->launch != nullptr && each->launch->number == number_;
      if (is_own && each->kind == trail::Event::Kind::kCommand) {
        if (kept.contains(event)) command(event, *each);
        continue;
      }
      if (is_own) found_.unseen = true;
      if (each->kind == trail::Event::Kind::kCommand) reads_of_other(*each);
      const trail::Mark mark = each->kind == trail::Event::Kind::kHost ? kHostMark
                               : is_own                                ? kProcessorMark
                                                                       : kEarlierMark;
      for (const trail::Event::Write& write : each->writes) {
        if (write.bytes.empty()) continue;
        written_.write(trail::memory_number(write.space, each->core), write.bytes, mark);
        if (mark == kHostMark) touched_.written_by_host(write.bytes);
      }
    }
    finish_results();
    touched_.finish(written_, found_);
    return std::move(found_);
  }

 private:
  std::vector<trail::Writer> own_events(trail::Writer before) {
    std::vector<trail::Writer> own;
    for (trail::Writer event = history_.first_kept(); event < before; ++event) {
      const trail::Event* const each = history_.find(event);
      if (each != nullptr && each->kind == trail::Event::Kind::kCommand &&
          each->launch != nullptr && each->launch->number == number_)
        own.push_back(event);
    }
    found_.whole =
        own.size() <= kMostCommands && (own.empty() || history_.find(own.front())->sequence == 0);
    if (own.size() > kMostCommands) own.erase(own.begin(), own.end() - kMostCommands);
    return own;
  }

  trail::Footprint bytes_of(const Operand& operand) {
    return footprints_.get(operand.layout,
                           operand.space == Space::kLocal ? chip_.local.npu_bytes : 0);
  }

  void command(trail::Writer event, const trail::Event& from) {
    const std::size_t number = found_.commands.size();
    Issued& issued = found_.commands.emplace_back();
    issued.event = event;
    trail::command_of(from, chip_, issued.command);
    const std::pair at(from.op, line_of(issued.command));
    const auto [place, is_new] = places_by_line_.try_emplace(at, found_.places.size());
    if (is_new) found_.places.emplace_back();
    found_.places[place->second].push_back(number);
    const auto [line, added] =
        lines_.try_emplace(std::pair(place->second, from.core), found_.lines.size());
    if (added) found_.lines.push_back({.issued = {}, .place = place->second});
    issued.line = line->second;
    issued.turn = found_.lines[issued.line].issued.size();
    found_.lines[issued.line].issued.push_back(number);
    const int operands = issued.command.operand_count();
    issued.read.resize(static_cast<std::size_t>(operands));
    issued.replaced.resize(static_cast<std::size_t>(operands));
    for (int k = 0; k < operands; ++k) reads(number, k);
    for (int k = 0; k < operands; ++k) writes(number, k);
  }

  // Where the call stands and where it was called from: a loop that the compiler unrolled or that
  // it parted has several addresses for one line. Without debug information the address.
  const std::string& line_of(const Command& command) {
    const void* const where =
        command.calls.empty() ? command.call_site : static_cast<const void*>(command.calls.data());
    const auto [known, added] = places_.try_emplace(where);
    if (!added) return known->second;
    check::FindingLocation location = check::make_location("", command);
    check::complete(location);
    std::string& text = known->second;
    text = location.file.empty() ? fmt::format("{}", where)
                                 : fmt::format("{}:{}", location.file, location.line);
    for (const check::SourcePlace& caller : location.callers)
      text += fmt::format(" {}:{}", caller.file, caller.line);
    return text;
  }

  void reads(std::size_t number, int k) {
    Issued& issued = found_.commands[number];
    const Operand& operand = issued.command.operands()[static_cast<std::size_t>(k)];
    if (!operand.reads() || operand.space == Space::kStatic) return;
    std::vector<Piece>& pieces = issued.read[static_cast<std::size_t>(k)];
    const trail::Footprint bytes = bytes_of(operand);
    const int memory = trail::memory_number(operand.space, issued.command.core);
    for (const trail::Range& run : trail::runs(bytes)) {
      written_.visit(memory, run, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
        add(pieces, piece_of(mark, end - begin));
        return true;
      });
    }
    if (!bytes.empty()) read_.write(memory, bytes, kReadMark);
    for (const Piece& piece : pieces) {
      if (piece.who != Piece::Who::kCommand) continue;
      std::vector<std::size_t>& readers = found_.commands[piece.command].readers;
      if (readers.empty() || readers.back() != number) readers.push_back(number);
    }
    if (operand.space == Space::kGlobal) touched_.read(bytes, issued.event, issued.line);
  }

  void writes(std::size_t number, int k) {
    Issued& issued = found_.commands[number];
    const Operand& operand = issued.command.operands()[static_cast<std::size_t>(k)];
    if (!operand.writes()) return;
    const trail::Footprint bytes = bytes_of(operand);
    if (bytes.empty()) return;
    const int memory = trail::memory_number(operand.space, issued.command.core);
    if (operand.space != Space::kLocal) issued.read_back = true;
    std::vector<Piece>& pieces = issued.replaced[static_cast<std::size_t>(k)];
    for (const trail::Range& run : trail::runs(bytes)) {
      written_.visit(memory, run, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
        // Of what was written in this launch: the bytes that nobody read since.
        if (mark < kFirst) return true;
        const std::int64_t unread = unread_in(memory, {begin, end});
        if (unread == 0) return true;
        add(pieces, piece_of(mark, unread));
        found_.commands[mark - kFirst].unread += unread;
        return true;
      });
    }
    written_.write(memory, bytes, static_cast<trail::Mark>(number + kFirst));
    read_.write(memory, bytes, trail::kUnwritten);
    if (operand.space == Space::kGlobal) touched_.write(bytes, issued.event, issued.line);
  }

  // What other launches read is no part left out.
  void reads_of_other(const trail::Event& from) {
    trail::command_of(from, chip_, other_);
    for (const Operand& operand : other_.operands()) {
      if (operand.reads() && operand.space == Space::kGlobal) touched_.read(bytes_of(operand));
    }
  }

  std::int64_t unread_in(int memory, trail::Range bytes) const {
    std::int64_t unread = 0;
    read_.visit(memory, bytes, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
      if (mark != kReadMark) unread += end - begin;
      return true;
    });
    return unread;
  }

  // What still lies in local memory at the end.
  void finish_results() {
    for (std::size_t k = 0; k < found_.commands.size(); ++k) {
      const int local = trail::memory_number(Space::kLocal, found_.commands[k].command.core);
      for (const Operand& operand : found_.commands[k].command.operands()) {
        if (!operand.writes() || operand.space != Space::kLocal) continue;
        for (const trail::Range& run : trail::runs(bytes_of(operand))) {
          written_.visit(local, run, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
            if (mark == static_cast<trail::Mark>(k + kFirst))
              found_.commands[k].unread += unread_in(local, {begin, end});
            return true;
          });
        }
      }
    }
  }

  trail::History& history_;
  const Chip& chip_;
  const std::uint64_t number_;
  trail::InitShadow written_, read_;
  trail::FootprintCache footprints_;
  TouchedMemory touched_;
  std::map<std::pair<const Op*, std::string>, std::size_t> places_by_line_;
  std::map<std::pair<std::size_t, int>, std::size_t> lines_;  // by place and core
  std::map<const void*, std::string> places_;
  LaunchCommands found_;
  Command other_;
};

}  // namespace

LaunchCommands commands_of(trail::History& history, const trail::Allocations& allocations,
                           const Chip& chip, std::uint64_t number, trail::Writer before) {
  return Follower(history, allocations, chip, number).follow(before);
}

bool loads(const Command& command) {
  return command.engine() == Engine::kGdma &&
         std::ranges::any_of(command.operands(), [](const Operand& operand) {
           return operand.reads() && operand.space != Space::kLocal;
         });
}

std::string place_of(const LaunchCommands& launch, std::size_t command) {
  const Command& at = launch.commands[command].command;
  return tr("{} at {}", at.op->name(), check::place_text(at.call_site));
}

}  // namespace tensorlane::why
