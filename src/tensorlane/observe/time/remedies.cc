#include "tensorlane/observe/time/remedies.h"

#include <algorithm>
#include <functional>

namespace tensorlane::observe {
namespace {

constexpr double kLeastShare = 0.02;  // of the launch: what wins less is no reason

class Judge {
 public:
  Judge(const Rerun& launch, double kernel_us) : launch_(launch), now_us_(launch.total_us(0)) {
    scale_ = now_us_ > 0 ? kernel_us / now_us_ : 0;
  }

  double won_alone(Remedies remedies) const {
    // No more than they cost at all; that is quick.
    if ((remedies & remedy(kSerial)) == 0 && launch_.most_us(remedies) <= 0) return 0;
    return std::max(0.0, now_us_ - launch_.total_us(remedies)) * scale_;
  }
  std::array<double, kBounds> won_free(bool high) const {
    std::array<double, kBounds> won{};
    constexpr Free kAll[] = {Free::kGdma, Free::kBdc, Free::kHau, Free::kSdma, Free::kIssue};
    const double now = high ? launch_.total_us(0, Free::kNothing, true) : now_us_;
    for (std::size_t k = 0; k < won.size(); ++k)
      won[k] = (now - launch_.total_us(0, kAll[k], high)) * scale_;
    return won;
  }

  // In the order in which they win most on top of each other; then those that win by themselves,
  // but nothing more.
  std::vector<Won> rank() const {
    std::vector<Won> left = candidates(), ranked;
    Remedies taken = 0;
    double us = now_us_;
    while (!left.empty()) {
      auto best = left.end();
      double least = us;
      for (auto at = left.begin(); at != left.end(); ++at) {
        const double without = launch_.total_us(taken | remedy(at->cause));
        if (without < least) {
          least = without;
          best = at;
        }
      }
      if (best == left.end() || us - least < kLeastShare * now_us_) break;
      best->us = (us - least) * scale_;
      taken |= remedy(best->cause);
      us = least;
      ranked.push_back(*best);
      left.erase(best);
    }
    for (const Won& each : left) {
      if (each.alone_us >= kLeastShare * now_us_ * scale_) ranked.push_back(each);
    }
    for (Won& each : ranked) each.most_at = launch_.most_at(each.cause);
    return ranked;
  }

 private:
  // The causes that cost enough to be reasons, the one that wins most by itself first.
  std::vector<Won> candidates() const {
    std::vector<Won> found;
    for (std::size_t cause = 0; now_us_ > 0 && cause < kCauses; ++cause) {
      const double most = cause == kSerial  ? launch_.both_us()
                          : cause == kWaits ? now_us_
                                            : launch_.most_us(remedy(cause));
      if (most < kLeastShare * now_us_) continue;
      const double us = std::max(0.0, now_us_ - launch_.total_us(remedy(cause)));
      found.push_back({.cause = cause, .alone_us = us * scale_});
    }
    std::ranges::stable_sort(found, std::greater(), &Won::alone_us);
    return found;
  }

  const Rerun& launch_;
  double now_us_;
  double scale_ = 0;  // of the whole launch to what was kept of it
};

}  // namespace

Verdict judge(const Rerun& launch, double kernel_us, const TimingParameters& parameters) {
  Judge judge(launch, kernel_us);
  Verdict verdict{.remedies = judge.rank(), .free_us = judge.won_free(false)};
  verdict.free_high_us = kernel_known(parameters) ? verdict.free_us : judge.won_free(true);
  verdict.idle_npus_us = judge.won_alone(remedy(kIdleNpus));
  verdict.idle_units_us = judge.won_alone(remedy(kIdleUnits));
  verdict.starts_us = judge.won_alone(remedy(kSmallTransfers) | remedy(kSmallCommands));
  return verdict;
}

void Verdict::merge(const Verdict& other) {
  for (const Won& more : other.remedies) {
    const auto same = std::ranges::find(remedies, more.cause, &Won::cause);
    if (same == remedies.end()) {
      remedies.push_back(more);
    } else {
      same->alone_us += more.alone_us;
      same->us += more.us;
    }
  }
  std::ranges::stable_sort(remedies, std::greater(), &Won::us);
  for (std::size_t k = 0; k < free_us.size(); ++k) {
    free_us[k] += other.free_us[k];
    free_high_us[k] += other.free_high_us[k];
  }
  idle_npus_us += other.idle_npus_us;
  idle_units_us += other.idle_units_us;
  starts_us += other.starts_us;
}

}  // namespace tensorlane::observe
