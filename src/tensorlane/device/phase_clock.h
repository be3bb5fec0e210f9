// What the processor time of a launch is spent on: the emulator's own profile, not the chip's.
//
// A launch is always in one phase; whoever begins another says so. Phases are told apart by the
// steady clock, which costs some 25 ns per change. A time so long that the processor may have been
// elsewhere meanwhile is set right by the clock of the thread: what other programs took is
// nobody's. A device without a PhaseClock pays for a null pointer.
#ifndef TENSORLANE_DEVICE_PHASE_CLOCK_H_
#define TENSORLANE_DEVICE_PHASE_CLOCK_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace tensorlane {

enum class Phase : std::uint8_t {
  kSetUp,       // the launch before and after its kernel, and whatever has no phase of its own
  kKernel,      // the kernel's own code
  kDecode,      // limits and layouts of commands
  kArithmetic,  // commands of BDC and HAU
  kCopies,      // commands of GDMA
  kChecks,      // the checker, and the calls that led to commands
  kClock,       // modelled times, profiles and traces of them
  kTools,       // all other observers: statistics, logs, a shadow in double precision
};
inline constexpr std::size_t kPhases = 8;
// "set-up", "kernel", ...: the keys of JSON, translated where people read them.
std::string_view phase_name(Phase phase);

class PhaseClock {
 public:
  using Seconds = std::array<double, kPhases>;

  // Around each launch, on the device's thread.
  void start();
  // The shares of the launch so far.
  Seconds shares();
  // The launch goes on on another thread, which calls resume() with the phase that it was in when
  // it called pause() itself.
  Phase pause();
  void resume(Phase phase);

  // Returns the phase it was in.
  Phase enter(Phase next) {
    const auto now = std::chrono::steady_clock::now();
    double passed = std::chrono::duration<double>(now - since_).count();
    if (passed < kLong) {
      short_ += passed;
    } else {
      passed = own_part(passed);
    }
    seconds_[static_cast<std::size_t>(phase_)] += passed;
    since_ = now;
    const Phase before = phase_;
    phase_ = next;
    return before;
  }

 private:
  static constexpr double kLong = 50e-6;  // seconds; reading the clock of the thread is 0.3 us
  // What of the time that passed the processor spent on this thread.
  double own_part(double passed);

  Seconds seconds_{};
  Phase phase_ = Phase::kSetUp;
  std::chrono::steady_clock::time_point since_;
  double thread_start_ = 0;
  double on_others_ = 0;    // processor time of the launch before, on other threads
  double thread_read_ = 0;  // the thread's clock when it was last read
  double short_ = 0;        // times that were not long, since then
};

// In a phase while it lives; nothing where there is no clock.
class InPhase {
 public:
  InPhase(PhaseClock* clock, Phase phase)
      : clock_(clock), before_(clock == nullptr ? Phase::kSetUp : clock->enter(phase)) {}
  ~InPhase() {
    if (clock_ != nullptr) clock_->enter(before_);
  }
  InPhase(const InPhase&) = delete;
  InPhase& operator=(const InPhase&) = delete;

 private:
  PhaseClock* const clock_;
  const Phase before_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_PHASE_CLOCK_H_
