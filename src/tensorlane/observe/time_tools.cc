#include "tensorlane/observe/time_tools.h"

#include <sys/auxv.h>

#include <memory>

#include "tensorlane/base/error.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/io/file.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/clock.h"
#include "tensorlane/observe/device_file.h"
#include "tensorlane/observe/report_file.h"
#include "tensorlane/observe/report_page.h"
#include "tensorlane/observe/trace_file.h"

namespace tensorlane::observe {
namespace {

// Calls `write`; the program is ending, and nobody is left to throw to.
template <class Write>
void finish(const Say& say, const Write& write) {
  try {
    write();
  } catch (const std::exception& error) {
    report_problem(error.what(), say);
  }
}

// A clock that keeps every timeline and hands them over when the device ends.
class CollectingClock : public Clock {
 public:
  using Finish = void (*)(const std::string& path, const std::vector<Timeline>& launches);
  CollectingClock(const TimingParameters& parameters, std::string path, Finish finish, Say say)
      : Clock(parameters, [this](const Timeline& timeline) { launches_.push_back(timeline); }),
        path_(std::move(path)),
        finish_(finish),
        say_(std::move(say)) {}
  ~CollectingClock() override {
    finish(say_, [&] { finish_(path_, launches_); });
  }

 private:
  std::string path_;
  Finish finish_;
  Say say_;
  std::vector<Timeline> launches_;
};

void attach(Device& device, const std::string& path, CollectingClock::Finish finish,
            const Say& say) {
  device.add_observer(std::make_unique<CollectingClock>(timing_parameters(device.chip()),
                                                        file_of_device(path), finish, say));
}

// Keeps the profile of each launch, not its timeline: programs with many launches stay small.
class ProfileClock : public Clock {
 public:
  ProfileClock(const TimingParameters& parameters, std::string path, Say say)
      : Clock(
            parameters,
            [this](const Timeline& timeline) { launches_.push_back(profile_json(timeline)); },
            LocalMap::kSkip),
        path_(std::move(path)),
        say_(std::move(say)) {}
  ~ProfileClock() override {
    finish(say_, [&] { write_file(path_, Json{{"launches", launches_}}.dump(1) + "\n"); });
  }

 private:
  std::string path_;
  Say say_;
  Json launches_ = Json::array();
};

}  // namespace

void say_time(Device& device, const std::string& value, const Say& say) {
  static_cast<void>(value);
  // Reads the program's symbols now, not in the first launch.
  find_source_location(reinterpret_cast<const void*>(getauxval(AT_ENTRY) + 1));
  device.add_observer(std::make_unique<Clock>(
      timing_parameters(device.chip()),
      [say](const Timeline& timeline) { say(time_text(timeline)); }, Clock::LocalMap::kSkip));
}

void write_profile(Device& device, const std::string& path, const Say& say) {
  device.add_observer(
      std::make_unique<ProfileClock>(timing_parameters(device.chip()), file_of_device(path), say));
}

void write_trace(Device& device, const std::string& path, const Say& say) {
  attach(device, path, write_trace_file, say);
}

void write_page(Device& device, const std::string& path, const Say& say) {
  attach(device, path, write_report_page, say);
}

}  // namespace tensorlane::observe
