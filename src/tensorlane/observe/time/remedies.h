// What remedies would win of a launch, found out by running it again without what they cure.
#ifndef TENSORLANE_OBSERVE_TIME_REMEDIES_H_
#define TENSORLANE_OBSERVE_TIME_REMEDIES_H_

#include <array>
#include <cstddef>
#include <vector>

#include "tensorlane/observe/time/rerun.h"

namespace tensorlane::observe {

// What may bound a launch: each engine, and the issue.
inline constexpr std::size_t kBounds = 5;

// What the launch would win without one cause of time_totals.h.
struct Won {
  std::size_t cause = 0;
  double alone_us = 0;        // without this cause alone
  double us = 0;              // without those before it as well: what comes on top
  Rerun::Payer most_at = {};  // the line that pays most of it
};

struct Verdict {
  // The remedy that wins most first, then the one that wins most on top of it, and so on, while
  // that is 2 % of the launch; then those that win as much alone and nothing on top. `us` never add
  // up to more than the launch takes.
  std::vector<Won> remedies;
  // What would be won if an engine or the issue cost nothing: GDMA, BDC, HAU, SDMA, issue; and the
  // same where issuing costs as much as it may, and the SDMA is as slow.
  std::array<double, kBounds> free_us{}, free_high_us{};
  // What every NPU, every unit, and commands without a start would win, each alone.
  double idle_npus_us = 0, idle_units_us = 0, starts_us = 0;

  void merge(const Verdict& other);
};

// `kernel_us`: what the launch takes, of which a part may have been kept.
Verdict judge(const Rerun& launch, double kernel_us, const TimingParameters& parameters);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_REMEDIES_H_
