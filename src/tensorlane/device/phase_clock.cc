#include "tensorlane/device/phase_clock.h"

#include <algorithm>
#include <ctime>
#include <numeric>

#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, kPhases> kNames = {
      msg("set-up"), msg("kernel"), msg("decode"), msg("arithmetic"),
      msg("copies"), msg("checks"), msg("clock"),  msg("tools")};
  return kNames[static_cast<std::size_t>(phase)];
}

void PhaseClock::start() {
  seconds_ = {};
  phase_ = Phase::kSetUp;
  thread_start_ = thread_read_ = thread_seconds();
  short_ = on_others_ = 0;
  since_ = std::chrono::steady_clock::now();
}

Phase PhaseClock::pause() {
  const Phase phase = enter(phase_);
  on_others_ += thread_seconds() - thread_start_;
  return phase;
}

void PhaseClock::resume(Phase phase) {
  phase_ = phase;
  thread_start_ = thread_read_ = thread_seconds();
  short_ = 0;
  since_ = std::chrono::steady_clock::now();
}

double PhaseClock::own_part(double passed) {
  const double now = thread_seconds(), own = now - thread_read_ - short_;
  thread_read_ = now;
  short_ = 0;
  return std::clamp(own, 0.0, passed);
}

PhaseClock::Seconds PhaseClock::shares() {
  enter(phase_);
  const double spent = on_others_ + thread_seconds() - thread_start_;
  const double passed = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
  Seconds shares = seconds_;
  for (double& share : shares) share *= passed > 0 ? spent / passed : 0;
  return shares;
}

}  // namespace tensorlane
