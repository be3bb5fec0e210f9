// Commands of different cores in conflict: both touch a byte of memory that the cores share, one of
// them writes it, and neither comes after the other by a message or a barrier; see core_clocks.h.
// Two that accumulate in L2 by the same operation and type are none: nothing is lost in either
// order, though sums of floats may differ in their last bits. A scatter or a selection writes what
// its indices and masks say, where that is a few pieces.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/core_clocks.h"
#include "tensorlane/trail/element_boxes.h"
#include "tensorlane/trail/moved_elements.h"
#include "tensorlane/trail/range_index.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kCoreRaceDiagnostics[] = {
    {"TL-RACE-004", kError, msg("a core reads what another core writes at the same time"),
     msg("put a barrier over the cores or a message between the two commands")},
    {"TL-RACE-005", kError, msg("two cores write the same bytes at the same time"),
     msg("give each core bytes of its own, or put a barrier over the cores or a message between "
         "the two commands")},
};

class CoreRaceCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override {
    for (Memory& memory : memories_) {
      if (!memory.accesses.empty() || !memory.known.empty()) memory = {};
    }
  }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override;
  void message(const MessageEvent& event) override {
    if (event.kind != MessageEvent::Kind::kSend) forget();
  }

 private:
  // How an access changes L2 where others may do so at the same time; of others nothing.
  struct Accumulation {
    std::int64_t by = 0;
    Dtype dtype{};
    auto operator<=>(const Accumulation&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  struct Access {
    CoreClocks::Moment moment;
    bool writes = false;
    Accumulation accumulation;
    trail::Footprint bytes;
    trail::Call call;
  };
  using Same = std::tuple<int, bool, Accumulation, const void*, const trail::Shape*, std::int64_t>;
  // The accesses of one memory that a later one may meet.
  struct Memory {
    std::vector<Access> accesses;
    trail::RangeIndex places;
    std::map<Same, std::size_t> known;  // the same line and bytes once more: the later one counts

    void add(Access access);
  };
  static Accumulation accumulation(const Command& command, const Operand& operand) {
    if (operand.space != Space::kL2) return {};
    const std::int64_t by = command.accumulates_by(operand);
    return by == 0 ? Accumulation{} : Accumulation{by, operand.layout.dtype()};
  }
  static bool is_shared(Space space) { return space == Space::kGlobal || space == Space::kL2; }
  Memory& memory(Space space) { return memories_[space == Space::kL2 ? 1 : 0]; }
  void forget();
  void meet(const trail::CheckedCommand& command, int k, const trail::Footprint& bytes);
  std::vector<trail::Footprint> pieces(const trail::CheckedCommand& command, int k) const;
  void report(const Access& earlier, const trail::CheckedCommand& latest, int operand,
              const trail::Footprint& bytes, const CoreClocks::Moment& moment) const;

  std::array<Memory, 2> memories_;
};

// Whether values say which elements of this result are written.
bool depends_on_values(const trail::CheckedCommand& command, int k) {
  const OpSpec& spec = command.command().op->spec();
  if (spec.dependence != Dependence::kMoved || !command.operand(k).writes()) return false;
  return std::any_of(spec.operands.begin(), spec.operands.end(),
                     [](const OperandSpec& each) { return each.decides; });
}

void CoreRaceCheck::Memory::add(Access access) {
  const Same same{access.moment.component,  access.writes,
                  access.accumulation,      trail::CallKey(access.call).path,
                  access.bytes.shape.get(), access.bytes.origin};
  const auto [entry, added] = known.try_emplace(same, accesses.size());
  if (!added) {
    accesses[entry->second].moment = access.moment;
    return;
  }
  places.add(access.bytes.bounds(), static_cast<std::uint32_t>(accesses.size()));
  accesses.push_back(std::move(access));
}

void CoreRaceCheck::command(const trail::CheckedCommand& command) {
  if (facts().clocks == nullptr) return;
  for (int k = 0; k < command.size(); ++k) {
    if (!is_shared(command.operand(k).space) || command.bytes(k).empty()) continue;
    if (!depends_on_values(command, k)) {
      meet(command, k, command.bytes(k));
      continue;
    }
    for (const trail::Footprint& piece : pieces(command, k)) meet(command, k, piece);
  }
}

void CoreRaceCheck::meet(const trail::CheckedCommand& command, int k,
                         const trail::Footprint& bytes) {
  const Operand& operand = command.operand(k);
  const CoreClocks& clocks = *facts().clocks;
  const CoreClocks::Moment moment = facts().moment;
  Memory& memory = this->memory(operand.space);
  const Accumulation own = accumulation(command.command(), operand);
  memory.places.visit(bytes.bounds(), [&](std::uint32_t number) {
    const Access& other = memory.accesses[number];
    if (other.moment.core() == moment.core() || !(other.writes || operand.writes()) ||
        (own.by != 0 && own == other.accumulation) || clocks.is_after(other.moment) ||
        !overlap(other.bytes, bytes)) {
      return;
    }
    report(other, command, k, bytes, moment);
  });
  memory.add({moment, operand.writes(), own, bytes, trail::call_of(command.command(), k)});
}

// What a command writes by its values; all of the result where that is many pieces, or not known.
std::vector<trail::Footprint> CoreRaceCheck::pieces(const trail::CheckedCommand& command,
                                                    int k) const {
  constexpr std::size_t kMost = 256;
  const Operand& operand = command.operand(k);
  const std::vector<std::vector<trail::ElementBox>> undefined(
      static_cast<std::size_t>(command.size()));
  const auto moved = trail::move_states(command.command(), undefined, facts().memory);
  if (!moved) return {command.bytes(k)};
  std::vector<trail::Footprint> found;
  for (const trail::MovedElements::Result& result : moved->results) {
    if (result.operand != k) continue;
    for (const trail::ElementBox& box : result.written) {
      for (const Layout& part :
           parts_of(operand.layout, trail::elements_of(box, operand.layout.rank()))) {
        if (found.size() == kMost) return {command.bytes(k)};
        found.push_back(trail::footprint(part, command.npu_bytes(operand.space)));
      }
    }
  }
  return found;
}

// What comes before all that is still to come meets nothing any more.
void CoreRaceCheck::forget() {
  for (Memory& memory : memories_) {
    if (memory.accesses.empty()) continue;
    std::vector<Access> left;
    for (Access& access : memory.accesses) {
      if (!facts().clocks->is_behind_all(access.moment)) left.push_back(std::move(access));
    }
    if (left.size() == memory.accesses.size()) {
      memory.accesses = std::move(left);
      continue;
    }
    memory = {};
    for (Access& access : left) memory.add(std::move(access));
  }
}

void CoreRaceCheck::report(const Access& earlier, const trail::CheckedCommand& latest, int operand,
                           const trail::Footprint& bytes, const CoreClocks::Moment& moment) const {
  const bool both = earlier.writes && latest.operand(operand).writes();
  const trail::CallKey one = earlier.call, other = latest.command();
  // Which of the two came first is chance: the writer stands first in the key, of two the lesser.
  const bool first = both ? one < other : earlier.writes;
  struct Side {
    trail::Call call;
    int core;
  };
  Side a{earlier.call, earlier.moment.core()};
  Side b{trail::call_of(latest.command(), operand), moment.core()};
  if (one == other ? a.core > b.core : !first) std::swap(a, b);  // a writes
  sink().add({both ? "TL-RACE-005" : "TL-RACE-004", first ? one : other, first ? other : one},
             [&](Finding& finding) {
               finding.message =
                   both ? tr("{} of core {} and {} of core {} write the same bytes, and nothing "
                             "orders them",
                             a.call.op->name(), a.core, b.call.op->name(), b.core)
                        : tr("{} of core {} reads what {} of core {} writes, and nothing orders "
                             "them",
                             b.call.op->name(), b.core, a.call.op->name(), a.core);
               finding.locations.push_back(make_location("writer", a.call));
               finding.locations.push_back(make_location(both ? "writer" : "reader", b.call));
               if (!both) std::swap(finding.locations[0], finding.locations[1]);
               finding.regions = describe_bytes(chip(), latest.operand(operand).space,
                                                common(earlier.bytes, bytes));
               finding.notes.push_back(labelled(
                   "missing", tr("no message or barrier leads from core {} to core {} or back "
                                 "between the two",
                                 a.core, b.core)));
             },
             {a.core, b.core});
}

}  // namespace

CheckParts core_race_check() {
  return parts_of<CoreRaceCheck>(kCoreRaceDiagnostics);
}

}  // namespace tensorlane::check
