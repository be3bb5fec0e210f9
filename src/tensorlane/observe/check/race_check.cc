// Commands of different engines in conflict in one parallel region; see race_detector.h.
#include <fmt/format.h>

#include <memory>

#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/race_detector.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kDiagnostics[] = {
    {"TL-RACE-001", kError, "a BDC command reads what a GDMA command writes at the same time",
     "end the parallel region between the two commands, or let the copy fill another buffer"},
    {"TL-RACE-002", kError, "a GDMA command reads what a BDC command writes at the same time",
     "end the parallel region between the two commands, or copy out the result of the step before"},
    {"TL-RACE-003", kError, "a GDMA and a BDC command write the same bytes at the same time",
     "give each its own buffer, or end the parallel region between the two commands"},
};

int number(Engine engine) {
  return static_cast<int>(engine) - 1;
}

class RaceCheck final : public Check {
 public:
  using Check::Check;

  void launch_begin() override { begin_region(); }
  void command(const CheckedCommand& command) override;
  void sync(SyncEvent event, const void*) override {
    if (event == SyncEvent::kParallelStart) begin_region();
    if (event == SyncEvent::kParallelEnd || event == SyncEvent::kInitialize) races_.end_region();
    if (event == SyncEvent::kHauPoll) races_.waited_for(number(Engine::kHau));
  }

 private:
  void begin_region() {
    races_.begin_region();
    size_ = 0;
  }
  const Command& call(const Access& access) const { return *commands_[access.tag / kMaxOperands]; }
  static int operand(const Access& access) { return static_cast<int>(access.tag % kMaxOperands); }
  void report(const Race& race) const;

  RaceDetector races_;
  // The commands of the open region, the first `size_` of them; storage is reused.
  std::vector<std::unique_ptr<Command>> commands_;
  std::size_t size_ = 0;
};

void RaceCheck::command(const CheckedCommand& command) {
  const Command& next = command.command();
  if (next.region < 0) return;
  if (size_ == commands_.size()) commands_.push_back(std::make_unique<Command>());
  *commands_[size_] = next;
  const std::uint64_t index = size_++;
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    const Access access{number(next.engine()),
                        static_cast<int>(operand.space),
                        operand.writes(),
                        index * kMaxOperands + static_cast<std::uint64_t>(k),
                        reinterpret_cast<std::uint64_t>(next.call_site),
                        command.bytes(k)};
    for (const Race& race : races_.add(access)) report(race);
  }
}

void RaceCheck::report(const Race& race) const {
  const bool gdma_first = race.earlier.engine == number(Engine::kGdma);
  const Access &gdma = gdma_first ? race.earlier : race.later,
               &bdc = gdma_first ? race.later : race.earlier;
  const std::string_view id = gdma.write && bdc.write ? "TL-RACE-003"
                              : gdma.write            ? "TL-RACE-001"
                                                      : "TL-RACE-002";
  const int operands = operand(gdma) * kMaxOperands + operand(bdc);
  sink().add({id, call(gdma).call_site, call(bdc).call_site, operands}, [&](Finding& finding) {
    const std::string moves = name_of(call(gdma)), computes = name_of(call(bdc));
    finding.message =
        id == "TL-RACE-001"
            ? fmt::format("{} reads what {} writes in the same parallel region", computes, moves)
        : id == "TL-RACE-002"
            ? fmt::format("{} reads what {} writes in the same parallel region", moves, computes)
            : fmt::format("{} and {} write the same bytes in the same parallel region", moves,
                          computes);
    const auto add = [&](const Access& access) {
      finding.locations.push_back(
          make_location(access.write ? "writer" : "reader", call(access), {operand(access)}));
    };
    add(id == "TL-RACE-002" ? gdma : bdc);
    add(id == "TL-RACE-002" ? bdc : gdma);
    const Space space = call(gdma).operands()[static_cast<std::size_t>(operand(gdma))].space;
    finding.regions = describe_bytes(chip(), space, common(gdma.bytes, bdc.bytes));
    finding.notes.push_back(fmt::format(
        "missing  nothing orders {0} and {1} commands between {2}parallel_start at {3} and its "
        "{2}parallel_end",
        engine_name(call(gdma).engine()), engine_name(call(bdc).engine()), chip().api.prefix,
        place_text(facts().region_start)));
  });
}

}  // namespace

CheckParts race_check() {
  return parts_of<RaceCheck>(kDiagnostics);
}

}  // namespace tensorlane::check
