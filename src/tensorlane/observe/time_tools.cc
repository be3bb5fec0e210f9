#include "tensorlane/observe/time_tools.h"

#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "tensorlane/device/source_location.h"
#include "tensorlane/io/file.h"
#include "tensorlane/observe/device_file.h"
#include "tensorlane/observe/report_file.h"
#include "tensorlane/observe/time/clock.h"
#include "tensorlane/observe/time/launch_sum.h"
#include "tensorlane/observe/time/profile.h"
#include "tensorlane/observe/time/report_page.h"
#include "tensorlane/observe/time/trace_file.h"

namespace tensorlane::observe {
namespace {

// Hands timelines to a T with add() until the device ends; what goes wrong meanwhile is said then,
// as nobody is there to throw to.
template <class T>
class Collector {
 public:
  // `make`: how the first launch makes it.
  Collector(std::function<std::unique_ptr<T>()> make, Say say)
      : make_(std::move(make)), say_(std::move(say)) {}

  void add(const Timeline& timeline) {
    guard([&] {
      make_once();
      it_->add(timeline);
    });
  }
  // Calls `write` with it.
  template <class Write>
  void finish(const Write& write) {
    guard([&] {
      make_once();
      write(*it_);
    });
    if (!problem_.empty()) report_problem(problem_, say_);
  }

 private:
  void make_once() {
    if (it_ == nullptr) it_ = make_();
  }
  template <class Body>
  void guard(const Body& body) {
    if (!problem_.empty()) return;
    try {
      body();
    } catch (const std::exception& error) {
      problem_ = error.what();
    }
  }

  std::function<std::unique_ptr<T>()> make_;
  Say say_;
  std::unique_ptr<T> it_;
  std::string problem_;
};

// Writes each launch to the trace when it ends.
class TraceClock : public Clock {
 public:
  TraceClock(const TimingParameters& parameters, const std::string& path, Say say)
      : Clock(
            parameters, [this](const Timeline& timeline) { file_.add(timeline); }, Keep::kPieces),
        file_(
            [path = std::filesystem::absolute(path)] { return std::make_unique<TraceFile>(path); },
            std::move(say)) {}
  ~TraceClock() override {
    file_.finish([](TraceFile& file) { file.finish(); });
  }

 private:
  Collector<TraceFile> file_;
};

class PageClock : public Clock {
 public:
  PageClock(const TimingParameters& parameters, std::string path, Say say)
      : Clock(
            parameters, [this](const Timeline& timeline) { page_.add(timeline); }, Keep::kCalls),
        path_(std::move(path)),
        page_([] { return std::make_unique<ReportPage>(); }, std::move(say)) {}
  ~PageClock() override {
    page_.finish([&](const ReportPage& page) { write_file(path_, page.text()); });
  }

 private:
  std::string path_;
  Collector<ReportPage> page_;
};

class ProfileClock : public Clock {
 public:
  ProfileClock(const TimingParameters& parameters, std::string path, Say say)
      : Clock(
            parameters, [this](const Timeline& timeline) { profile_.add(timeline); },
            Keep::kTotals),
        path_(std::move(path)),
        profile_([] { return std::make_unique<Profile>(); }, std::move(say)) {}
  ~ProfileClock() override {
    profile_.finish(
        [&](const Profile& profile) { write_file(path_, profile.json().dump(1) + "\n"); });
  }

 private:
  std::string path_;
  Collector<Profile> profile_;
};

// Says the first launch of every kernel in full, a line of each that follows, and the sum at the
// end.
class TextClock : public Clock {
 public:
  TextClock(const TimingParameters& parameters, Say say)
      : Clock(
            parameters, [this](const Timeline& timeline) { tell(timeline); }, Keep::kTotals),
        say_(std::move(say)) {}
  ~TextClock() override {
    const std::string sum = sum_.text();
    if (!sum.empty()) say_(sum);
  }

 private:
  void tell(const Timeline& timeline) {
    say_(sum_.add(timeline) ? time_text(timeline) : time_line(timeline));
  }

  Say say_;
  LaunchSum sum_;
};

// The parameters of the device's times, in the launch mode that the environment names.
const TimingParameters& parameters_of(const Device& device) {
  const char* const mode = std::getenv("TENSORLANE_LAUNCH_MODE");
  return timing_parameters(
      device.chip(), Calibration::kAll,
      mode == nullptr || *mode == '\0' ? LaunchMode::kIssued : parse_launch_mode(mode));
}

template <class C>
void attach(Device& device, const std::string& path, const Say& say) {
  device.add_observer(std::make_unique<C>(parameters_of(device), file_of_device(path), say));
}

}  // namespace

void say_time(Device& device, const std::string& value, const Say& say) {
  static_cast<void>(value);
  // Reads the program's symbols now, not in the first launch.
  find_source_location(reinterpret_cast<const void*>(getauxval(AT_ENTRY) + 1));
  device.add_observer(std::make_unique<TextClock>(parameters_of(device), say));
}

void write_profile(Device& device, const std::string& path, const Say& say) {
  attach<ProfileClock>(device, path, say);
}

void write_trace(Device& device, const std::string& path, const Say& say) {
  attach<TraceClock>(device, path, say);
}

void write_page(Device& device, const std::string& path, const Say& say) {
  attach<PageClock>(device, path, say);
}

}  // namespace tensorlane::observe
