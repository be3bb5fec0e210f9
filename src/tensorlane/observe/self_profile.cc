#include "tensorlane/observe/self_profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/report_file.h"

namespace tensorlane::observe {
namespace {

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Enters a phase whenever observers hear of something. Ends of launches reach them backwards.
class Mark : public Observer {
 public:
  Mark(PhaseClock& clock, Phase before, Phase next) : clock_(clock), before_(before), next_(next) {}

  void launch_begin(const Launch&) override { clock_.enter(next_); }
  void launch_end(const Launch&, Outcome) override { clock_.enter(before_); }
  void launch_failed(const Failure&) override { clock_.enter(next_); }
  void command_begin(const Command&) override { clock_.enter(next_); }
  void command_end(const Command&) override { clock_.enter(next_); }
  void sync(SyncEvent, std::int64_t, const void*) override { clock_.enter(next_); }
  void pointer_taken(Space, std::uint64_t, const void*) override { clock_.enter(next_); }
  void refused(const Refusal&) override { clock_.enter(next_); }
  void tolerated(const Tolerated&) override { clock_.enter(next_); }

 protected:
  PhaseClock& clock_;

 private:
  const Phase before_, next_;
};

// The first mark: it hears of a launch first and of its end last.
class SelfProfile : public Mark {
 public:
  SelfProfile(const Chip& chip, int number, PhaseClock& clock, Say say)
      : Mark(clock, Phase::kSetUp, Phase::kTools),
        chip_(chip),
        number_(number),
        say_(std::move(say)) {}
  ~SelfProfile() override {
    try {
      if (report_path().empty()) {
        say_(self_profile_text(json()));
      } else {
        append_report(json());
      }
    } catch (const std::exception& error) {
      report_problem(error.what(), say_);
    }
  }
  SelfProfile(const SelfProfile&) = delete;
  SelfProfile& operator=(const SelfProfile&) = delete;

  void launch_begin(const Launch& launch) override {
    process_start_ = process_seconds();
    Mark::launch_begin(launch);
  }
  void launch_end(const Launch& launch, Outcome outcome) override {
    Mark::launch_end(launch, outcome);
    const PhaseClock::Seconds shares = clock_.shares();
    Kernel& kernel = kernels_[launch.kernel];
    ++kernel.launches;
    double own = 0;
    for (std::size_t k = 0; k < kPhases; ++k) {
      kernel.phases[k] += shares[k];
      own += shares[k];
    }
    kernel.seconds += own;
    kernel.other_threads += std::max(0.0, process_seconds() - process_start_ - own);
  }

 private:
  struct Kernel {
    std::uint64_t launches = 0;
    double seconds = 0, other_threads = 0;
    PhaseClock::Seconds phases{};
  };

  Json json() const {
    Json kernels = Json::array();
    for (const auto& [name, kernel] : kernels_) {
      Json phases = Json::object();
      for (std::size_t k = 0; k < kPhases; ++k)
        phases[std::string(phase_name(static_cast<Phase>(k)))] = kernel.phases[k];
      kernels.push_back({{"name", name},
                         {"launches", kernel.launches},
                         {"seconds", kernel.seconds},
                         {"other_threads_seconds", kernel.other_threads},
                         {"phases", std::move(phases)}});
    }
    return {{"tool", "self_profile"},
            {"process", getpid()},
            {"device", number_},
            {"chip", chip_.name},
            {"kernels", std::move(kernels)}};
  }

  const Chip& chip_;
  const int number_;
  const Say say_;
  double process_start_ = 0;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace

void profile_itself(Device& device, const Say& say) {
  device.add_observer(
      std::make_unique<SelfProfile>(device.chip(), device.number(), device.time_phases(), say));
}

void mark_tools(Device& device, Phase before, Phase next) {
  device.add_observer(std::make_unique<Mark>(device.time_phases(), before, next));
}

std::string self_profile_text(const Json& line) {
  std::string text = tr("tensorlane: processor time on device {} ({}), us per launch\n",
                        line.at("device").get<int>(), line.at("chip").get<std::string>());
  text += fmt::format("  {:<20} {:>8} {:>9}", tr("kernel"), tr("launches"), tr("all"));
  for (std::size_t k = 0; k < kPhases; ++k)
    text += fmt::format(" {:>10}", translated(phase_name(static_cast<Phase>(k))));
  text += fmt::format("  {:>13}\n", tr("other threads"));
  for (const Json& kernel : line.at("kernels")) {
    const auto launches = kernel.at("launches").get<double>();
    const auto us = [&](const Json& seconds) { return 1e6 * seconds.get<double>() / launches; };
    text += fmt::format("  {:<20} {:>8.0f} {:>9.1f}", kernel.at("name").get<std::string>(),
                        launches, us(kernel.at("seconds")));
    for (std::size_t k = 0; k < kPhases; ++k) {
      const std::string name(phase_name(static_cast<Phase>(k)));
      text += fmt::format(" {:>10.1f}", us(kernel.at("phases").at(name)));
    }
    text += fmt::format("  {:>13.1f}\n", us(kernel.at("other_threads_seconds")));
  }
  if (line.at("kernels").empty()) text += fmt::format("  {}\n", tr("nothing was launched"));
  return text;
}

}  // namespace tensorlane::observe
