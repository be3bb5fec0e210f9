// Elements outside the range that a function documents for them.
//
// Such a call is computed: what comes out is what the chip's model gives, and seldom what was
// meant. Elements that nobody wrote, dummies of a superset for one, are of no account.
#include <fmt/format.h>

#include <algorithm>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/trail/value_extent.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kValuesDiagnostics[] = {
    {"TL-ARGS-009", Severity::kError, msg("values outside the range that a function documents"),
     msg("bring the values into the range first, with a minimum and a maximum for instance")},
};

class ValuesCheck final : public Check {
 public:
  explicit ValuesCheck(const CheckSetup& setup)
      : Check(setup), history_(setup.facts.provenance()) {}

  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    if (facts().memory == nullptr) return;
    const Command& call = command.command();
    for (const Limit& limit : call.op->limits()) {
      if (!limit.about_data()) continue;
      const auto range = limit.value_range({call.args(), call.chip, call.region >= 0});
      for (int k = 0; k < command.size(); ++k) {
        if (range && command.operand(k).name() == limit.values_of())
          look(command, k, limit, *range);
      }
    }
  }

 private:
  void look(const trail::CheckedCommand& command, int k, const Limit& limit,
            ValueRange range) const;

  const trail::Provenance& history_;
};

void ValuesCheck::look(const trail::CheckedCommand& command, int k, const Limit& limit,
                       ValueRange range) const {
  const Operand& operand = command.operand(k);
  const std::byte* const memory = facts().memory->base(operand.space);
  const auto low = static_cast<double>(range.low), high = static_cast<double>(range.high);
  const trail::Footprint& bytes = command.bytes(k);
  const trail::ValueExtent all = trail::value_extent(memory, bytes, operand.layout.dtype());
  if (all.least > all.most || (all.least >= low && all.most <= high)) return;

  constexpr std::size_t kShown = 64;
  std::int64_t elements = 0;
  trail::ValueExtent written{};
  std::vector<trail::Range> places;
  trail::for_each_outside(memory, bytes, operand.layout.dtype(), low, high,
                          [&](trail::Range place, double value) {
                            if (history_.undefined(operand.space, place)) return;
                            if (elements++ == 0) written = {value, value};
                            written.least = std::min(written.least, value);
                            written.most = std::max(written.most, value);
                            if (!places.empty() && places.back().end == place.begin) {
                              places.back().end = place.end;
                            } else if (places.size() < kShown) {
                              places.push_back(place);
                            }
                          });
  if (elements == 0) return;
  const Command& call = command.command();
  sink().add({"TL-ARGS-009", call, nullptr, k}, [&](Finding& finding) {
    const std::string values = written.least == written.most
                                   ? fmt::format("{}", written.least)
                                   : tr("{} to {}", written.least, written.most);
    finding.message = fmt::format("{}: {}; {} [{}]", trail::name_of(call),
                                  tr_n("{} element of {} is {}", "{} elements of {} are {}",
                                       elements, operand.name(), values),
                                  tr("rule: {}", limit.rule()), limit.source());
    finding.locations.push_back(make_location("call", call, {k}));
    finding.regions = describe_bytes(chip(), operand.space, places);
  });
}

}  // namespace

CheckParts values_check() {
  return parts_of<ValuesCheck>(kValuesDiagnostics);
}

}  // namespace tensorlane::check
