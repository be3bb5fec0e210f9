// Where the time of a program's launches goes, per source line.
//
// {"schema_version": 3, "launches": [...], "kernels": [...]}: the first launches one by one
// (profile_json), and all of them added up by kernel; so it does not grow with the launches.
#ifndef TENSORLANE_OBSERVE_TIME_PROFILE_H_
#define TENSORLANE_OBSERVE_TIME_PROFILE_H_

#include <cstdint>
#include <map>
#include <string>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {

class Profile {
 public:
  // Launches that are listed one by one.
  static constexpr std::size_t kMostLaunches = 1000;
  // Grows when a field changes its meaning or goes; 1 had no launch mode and no ranges, in 2
  // "kernels" was what came after "launches", and what could be won was a guess.
  static constexpr int kSchemaVersion = 3;

  // The next launch of a device; of its timeline the totals count.
  void add(const Timeline& timeline);
  Json json() const;

 private:
  struct Kernel {
    Timeline sum;
    std::uint64_t launches = 0;
    double host_us = 0, host_high_us = 0;
  };
  Json launches_ = Json::array();
  std::size_t count_ = 0;
  std::map<std::string, Kernel> kernels_;  // of all launches
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_PROFILE_H_
