#include "tensorlane/differential/shrink.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tensorlane::differential {
namespace {

constexpr int kMostTrials = 3000;

class Shrinker {
 public:
  Shrinker(Trial& trial, Case& failing, Way& way) : trial_(trial), case_(failing), way_(way) {}

  std::string run() {
    difference_ = still_differs(case_, way_).second;
    for (bool smaller = true; smaller && trials_ < kMostTrials;) {
      smaller = shrink_way();
      smaller = shrink_data() || smaller;
      smaller = shrink_arguments() || smaller;
    }
    return difference_;
  }

 private:
  std::pair<bool, std::string> still_differs(const Case& one, const Way& way) {
    ++trials_;
    if (!trial_.begin(one)) return {false, {}};
    const Verdict verdict = trial_.run(way);
    return {verdict.outcome == Outcome::kDifferent, verdict.difference};
  }

  // Whether the change leaves a difference; then it stays.
  bool keep_if_different(const Case& changed, const Way& way) {
    if (trials_ >= kMostTrials) return false;
    auto [differs, difference] = still_differs(changed, way);
    if (!differs) return false;
    case_ = changed;
    way_ = way;
    difference_ = std::move(difference);
    return true;
  }

  bool shrink_way() {
    bool smaller = false;
    const auto try_way = [&](const std::function<void(Way&)>& change) {
      Way way = way_;
      change(way);
      if (way.text() != way_.text()) smaller = keep_if_different(case_, way) || smaller;
    };
    try_way([](Way& way) { way.comes_again = false; });
    try_way([](Way& way) {
      way.threads = 1;
      way.order = 0;
    });
    try_way([](Way& way) { way.target = 0; });
    if (case_.between) {
      Case without = case_;
      without.between.reset();
      smaller = keep_if_different(without, way_) || smaller;
    }
    return smaller;
  }

  bool shrink_data() {
    bool smaller = false;
    for (std::size_t k = 0; k < case_.data.kinds.size(); ++k) {
      const DataKind now = case_.data.kinds[k];
      if (now == DataKind::kIndices) continue;
      for (const DataKind kind :
           {DataKind::kZero, DataKind::kOnes, DataKind::kSmall, DataKind::kModerate}) {
        if (kind >= now) break;
        Case simpler = case_;
        simpler.data.kinds[k] = kind;
        if (keep_if_different(simpler, way_)) {
          smaller = true;
          break;
        }
      }
    }
    return smaller;
  }

  bool shrink_arguments() {
    bool smaller = false;
    const Op& op = *case_.call.op;
    for (std::size_t k = 0; k < case_.call.args.size(); ++k) {
      const ArgType& type = *op.types()[k];
      if (type.kind == ArgKind::kDtype || type.kind == ArgKind::kFloat) continue;
      if (type.kind == ArgKind::kStruct && !case_.call.args[k].is_null) {
        Case without = case_;
        Arg& arg = without.call.args[k];
        arg.is_null = true;
        arg.has_value = type.null_default.has_value();
        arg.field.fill(type.null_default.value_or(0));
        smaller = keep_if_different(without, way_) || smaller;
      }
      if (case_.call.args[k].is_null) continue;
      const int fields = type.kind == ArgKind::kValueOrAddress ? 2 : std::max(field_count(type), 1);
      const bool numbers = type.kind == ArgKind::kStruct;
      for (int field = 0; field < (numbers ? fields : 1); ++field)
        smaller =
            shrink_field(k, static_cast<std::size_t>(
                                type.kind == ArgKind::kValueOrAddress ? kAddressField : field)) ||
            smaller;
    }
    return smaller;
  }

  bool shrink_field(std::size_t k, std::size_t field) {
    const ArgType& type = *case_.call.op->types()[k];
    const bool local = type.kind == ArgKind::kLocalAddress || type.kind == ArgKind::kValueOrAddress;
    const bool system = type.kind == ArgKind::kSystemAddress;
    const std::int64_t now = case_.call.args[k].field[field];
    const std::int64_t npu_bytes = case_.call.front_end->chip.local.npu_bytes;
    std::vector<std::int64_t> wanted;
    if (local) wanted = {now % npu_bytes, now / 128 * 128, now % npu_bytes / 128 * 128};
    if (system) wanted = {now / 128 * 128};
    if (!local && !system) wanted = {0, 1, now / 2, now - now / 4, now - 1};
    for (const std::int64_t value : wanted) {
      if (value == now || std::abs(value) > std::abs(now)) continue;
      Case smaller = case_;
      const bool plain = type.kind == ArgKind::kInteger;
      Arg& arg = smaller.call.args[k];
      if (plain) {
        arg = case_.call.front_end->argument(type.spelling, value, 0);
      } else {
        arg.field[field] = value;
      }
      if (keep_if_different(smaller, way_)) return true;
    }
    return false;
  }

  Trial& trial_;
  Case& case_;
  Way& way_;
  std::string difference_;
  int trials_ = 0;
};

}  // namespace

std::string shrink(Trial& trial, Case& failing, Way& way) {
  return Shrinker(trial, failing, way).run();
}

}  // namespace tensorlane::differential
