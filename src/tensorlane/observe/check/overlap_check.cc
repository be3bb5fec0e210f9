// Serial commands of different engines that could run at the same time.
#include <fmt/format.h>

#include <array>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kOverlapDiagnostics[] = {
    {"TL-LINT-003", Severity::kAdvice, msg("two commands could run at the same time"),
     msg("put them between $parallel_start and $parallel_end")},
};

std::int64_t bytes_of(const Command& command) {
  const Layout& layout = command.operands()[0].layout;
  return layout.size() * layout.element_units();
}

class OverlapCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override { has_previous_ = false; }
  [[gnu::hot]] void sync(SyncEvent event, const void*) override {
    if (event == SyncEvent::kParallelStart) has_previous_ = false;
  }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    constexpr std::int64_t kWorthIt = 64 * 1024;  // bytes
    const Command& next = command.command();
    const bool counts = next.region < 0 && next.operand_count() > 0 && bytes_of(next) >= kWorthIt;
    if (counts && has_previous_ && previous_.engine() != next.engine() && !conflict(command))
      report(next);
    has_previous_ = counts;
    if (!counts) return;
    previous_ = next;
    for (int k = 0; k < command.size(); ++k)
      previous_bytes_[static_cast<std::size_t>(k)] = command.bytes(k);
  }

 private:
  bool conflict(const trail::CheckedCommand& command) const {
    for (std::size_t i = 0; i < previous_.operands().size(); ++i) {
      const Operand& a = previous_.operands()[i];
      for (int j = 0; j < command.size(); ++j) {
        const Operand& b = command.operand(j);
        if (a.space == b.space && (a.writes() || b.writes()) &&
            overlap(previous_bytes_[i], command.bytes(j))) {
          return true;
        }
      }
    }
    return false;
  }
  void report(const Command& next) const {
    sink().add({"TL-LINT-003", previous_.call_site, next.call_site, 0}, [&](Finding& finding) {
      finding.message = tr("{} and {} touch different bytes and could run at the same time",
                           trail::name_of(previous_), trail::name_of(next));
      finding.locations.push_back(make_location("first", previous_));
      finding.locations.push_back(make_location("second", next));
    });
  }

  bool has_previous_ = false;
  Command previous_;  // the command before, when it was serial and large
  std::array<trail::Footprint, kMaxOperands> previous_bytes_;
};

}  // namespace

CheckParts overlap_check() {
  return parts_of<OverlapCheck>(kOverlapDiagnostics);
}

}  // namespace tensorlane::check
