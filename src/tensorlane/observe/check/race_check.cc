// Commands of different engines in conflict in one parallel region; see race_detector.h.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/race_detector.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kRaceDiagnostics[] = {
    {"TL-RACE-001", kError, msg("a BDC command reads what a GDMA command writes at the same time"),
     msg("end the parallel region between the two commands, or let the copy fill another buffer"),
     Mend::kEndRegionBetween},
    {"TL-RACE-002", kError, msg("a GDMA command reads what a BDC command writes at the same time"),
     msg("end the parallel region between the two commands, or copy out the result of the step "
         "before"),
     Mend::kEndRegionBetween},
    {"TL-RACE-003", kError, msg("a GDMA and a BDC command write the same bytes at the same time"),
     msg("give each its own buffer, or end the parallel region between the two commands"),
     Mend::kEndRegionBetween},
};

int number(Engine engine) {
  return static_cast<int>(engine) - 1;
}

class RaceCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override { begin_region(); }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override;
  [[gnu::hot]] void sync(SyncEvent event, const void*) override {
    if (event == SyncEvent::kParallelStart) begin_region();
    if (event == SyncEvent::kParallelEnd || event == SyncEvent::kInitialize) races_.end_region();
    if (event == SyncEvent::kHauPoll) races_.waited_for(number(Engine::kHau));
  }

 private:
  void begin_region() {
    races_.begin_region();
    calls_.clear();
  }
  static int operand(const Access& access) { return static_cast<int>(access.tag % kMaxOperands); }
  // A function at a line, with the calls that led there.
  static std::uint64_t source_of(const Command& command) {
    const trail::CallKey key = command;
    return reinterpret_cast<std::uint64_t>(key.path) * 31 ^
           reinterpret_cast<std::uint64_t>(key.function);
  }
  void report(const Race& race, const trail::CheckedCommand& latest) const;

  RaceDetector races_;
  std::vector<trail::Call> calls_;  // of the accesses that later ones are compared with
};

void RaceCheck::command(const trail::CheckedCommand& command) {
  const Command& next = command.command();
  if (next.region < 0) return;
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    const Access access{
        number(next.engine()), static_cast<int>(operand.space),
        operand.writes(),      calls_.size() * kMaxOperands + static_cast<std::uint64_t>(k),
        source_of(next),       command.bytes(k)};
    bool kept = false;
    for (const Race& race : races_.add(access, &kept)) report(race, command);
    if (kept) calls_.push_back(trail::call_of(next, k));
  }
}

void RaceCheck::report(const Race& race, const trail::CheckedCommand& latest) const {
  const bool gdma_first = race.earlier.engine == number(Engine::kGdma);
  const Access &gdma = gdma_first ? race.earlier : race.later,
               &bdc = gdma_first ? race.later : race.earlier;
  const std::string_view id = gdma.write && bdc.write ? "TL-RACE-003"
                              : gdma.write            ? "TL-RACE-001"
                                                      : "TL-RACE-002";
  const int operands = operand(gdma) * kMaxOperands + operand(bdc);
  const trail::Call& earlier = calls_[race.earlier.tag / kMaxOperands];
  const trail::CallKey one = earlier, other = latest.command();
  sink().add(
      {id, gdma_first ? one : other, gdma_first ? other : one, operands}, [&](Finding& finding) {
        const trail::Call later = trail::call_of(latest.command(), operand(race.later));
        const trail::Call &copy = gdma_first ? earlier : later,
                          &computation = gdma_first ? later : earlier;
        const std::string_view moves = copy.op->name(), computes = computation.op->name();
        finding.message =
            id == "TL-RACE-001"
                ? tr("{} reads what {} writes in the same parallel region", computes, moves)
            : id == "TL-RACE-002"
                ? tr("{} reads what {} writes in the same parallel region", moves, computes)
                : tr("{} and {} write the same bytes in the same parallel region", moves, computes);
        finding.locations.push_back(
            make_location(gdma.write ? msg("writer") : msg("reader"), copy));
        finding.locations.push_back(
            make_location(bdc.write ? msg("writer") : msg("reader"), computation));
        if (id != "TL-RACE-002") std::swap(finding.locations[0], finding.locations[1]);
        finding.regions =
            describe_bytes(chip(), static_cast<Space>(gdma.memory), common(gdma.bytes, bdc.bytes));
        finding.region = place_text(facts().region_start);
        finding.notes.push_back(labelled(
            "missing",
            tr("nothing orders {0} and {1} commands between {2}parallel_start at {3} and its "
               "{2}parallel_end",
               engine_name(copy.op->engine()), engine_name(computation.op->engine()),
               chip().api.prefix, finding.region)));
      });
}

}  // namespace

CheckParts race_check() {
  return parts_of<RaceCheck>(kRaceDiagnostics);
}

}  // namespace tensorlane::check
