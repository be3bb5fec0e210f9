#include "tensorlane/observe/run_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/device/launch_guard.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/advice.h"
#include "tensorlane/observe/precision/precision.h"
#include "tensorlane/observe/precision/precision_report.h"
#include "tensorlane/observe/precision_choice.h"
#include "tensorlane/observe/report_file.h"
#include "tensorlane/observe/self_profile.h"
#include "tensorlane/observe/statistics.h"
#include "tensorlane/tensor/instruction_set.h"

namespace tensorlane::observe {
namespace {

// Statistics that write themselves into the report when the device ends.
class ReportedStatistics : public Statistics {
 public:
  ReportedStatistics(const Chip& chip, Say say) : Statistics(chip), say_(std::move(say)) {}
  ~ReportedStatistics() override {
    try {
      append_report(json());
    } catch (const std::exception& error) {
      report_problem(error.what(), say_);
    }
  }

 private:
  const Say say_;
};

// The first and the last line of a device in the report.
class DeviceLines : public Observer {
 public:
  DeviceLines(int number, Say say) : number_(number), say_(std::move(say)) { append("open"); }
  ~DeviceLines() override {
    try {
      append("closed");
    } catch (const std::exception& error) {
      report_problem(error.what(), say_);
    }
  }
  DeviceLines(const DeviceLines&) = delete;
  DeviceLines& operator=(const DeviceLines&) = delete;

 private:
  void append(std::string_view state) const {
    append_report(
        {{"tool", "device"}, {"state", state}, {"process", getpid()}, {"device", number_}});
  }
  const int number_;
  const Say say_;
};

// Says once that a kernel takes a pointer behind which nothing is seen.
class UnseenNote : public Observer {
 public:
  explicit UnseenNote(Say say) : say_(std::move(say)) {}

  void launch_begin(const Launch& launch) override { seen_ = seen_ || launch.accesses_seen; }
  void pointer_taken(Space, std::uint64_t, const void* call_site) override {
    if (seen_) return;
    seen_ = true;
    say_(fmt::format(
        "tensorlane: {}\n",
        tr("the kernel takes a pointer into device memory at {}; what the processor reads "
           "and writes there is not checked (under a debugger, Valgrind or a sanitizer, where the "
           "program handles SIGSEGV itself, or on another processor than x86-64)",
           find_source_location(call_site).text())));
  }

 private:
  Say say_;
  bool seen_ = false;
};

// Says once that a kernel looks at data that a dry run does not compute.
class DryRunNote : public Observer {
 public:
  explicit DryRunNote(Say say) : say_(std::move(say)) {}

  void pointer_taken(Space, std::uint64_t, const void* call_site) override {
    if (said_) return;
    said_ = true;
    say_(fmt::format("tensorlane: {}\n",
                     tr("dry run: the kernel reads device memory through a pointer at {}; "
                        "nothing is computed, so it may see zeros and take another way",
                        find_source_location(call_site).text())));
  }

 private:
  Say say_;
  bool said_ = false;
};

}  // namespace

void choose_implementation(Device& device, const std::string& value, const Say&) {
  constexpr std::string_view kNames[] = {"fastest", "reference"};
  if (value == "fastest") return device.set_implementation(ImplementationChoice::kFastest);
  if (value == "reference") return device.set_implementation(ImplementationChoice::kReference);
  user_error("TENSORLANE_IMPL is '{}'{}", value, did_you_mean(value, kNames));
}

void choose_core_order(Device& device, const std::string& value, const Say&) {
  device.set_core_order(parse_core_order(value));
}

void choose_region_order(Device& device, const std::string& value, const Say&) {
  device.set_region_order(parse_region_order(value));
}

void report_statistics(Device& device, const std::string&, const Say& say) {
  device.add_observer(std::make_unique<ReportedStatistics>(device.chip(), say));
}

void report_device(Device& device, const std::string&, const Say& say) {
  static std::atomic<int> devices = 0;
  device.add_observer(std::make_unique<DeviceLines>(devices++, say));
}

void watch_kernels(Device& device, const std::string&, const Say& say) {
  guard_launches(device);
  watch_arguments(device);
  if (!watch_processor(device)) device.add_observer(std::make_unique<UnseenNote>(say));
}

namespace {

void watch_with(Device& device, const Say& say, precision::Limits limits) {
  static std::atomic<int> devices = 0;
  if (device.implementation() == ImplementationChoice::kNone) return;  // nothing is computed
  const auto deliver = [say](const Json& found) {
    try {
      if (report_path().empty()) return say(precision::precision_text(found));
      append_report(found);
    } catch (const std::exception& error) {
      report_problem(error.what(), say);
    }
  };
  device.trace_calls();
  device.add_observer(std::make_unique<precision::Precision>(
      device.chip(), device.memory(), devices++, deliver, std::move(limits)));
}

}  // namespace

void watch_precision(Device& device, const std::string&, const Say& say) {
  const char* const some = std::getenv("TENSORLANE_PRECISION_OF");  // that alone, then
  if (some == nullptr || *some == '\0') watch_with(device, say, {});
}

void watch_some_precision(Device& device, const std::string& values, const Say& say) {
  watch_with(device, say, precision_limits(values, say));
}

void keep_going(Device& device, const std::string&, const Say&) {
  device.keep_going();
}

void be_strict(Device& device, const std::string&, const Say&) {
  device.be_strict();
}

void limit_time(Device& device, const std::string& value, const Say&) {
  char* end = nullptr;
  const double seconds = std::strtod(value.c_str(), &end);
  if (*end != '\0' || !(seconds > 0) || seconds > 1e9)
    user_error("TENSORLANE_TIMEOUT is '{}'; it must be the seconds that a launch may take", value);
  guard_launches(device, {.time = std::chrono::duration<double>(seconds)});
}

void limit_computing(Device&, const std::string& value, const Say&) {
  constexpr int kMost = 1024;
  int threads = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, threads);
  if (error != std::errc() || rest != end || threads < 1 || threads > kMost)
    user_error("TENSORLANE_THREADS is '{}'; it must be 1 to {}, how many threads may compute",
               value, kMost);
  limit_threads(threads);
}

void limit_instructions(Device&, const std::string& value, const Say&) {
  if (value != instruction_set_limit()) limit_instruction_set(value);
}

void say_advice(Device& device, const std::string&, const Say& say) {
  device.add_observer(std::make_unique<Advice>([say](const std::string& line) {
    say(fmt::format("tensorlane: {}\n", tr("advice: {}", line)));
  }));
}

void choose_pipeline(Device& device, const std::string& value, const Say&) {
  if (value != "on" && value != "off")
    user_error("TENSORLANE_PIPELINE is '{}'; it must be on or off", value);
  device.set_pipeline(value);
}

void dry_run(Device& device, const std::string&, const Say& say) {
  device.set_implementation(ImplementationChoice::kNone);
  device.add_observer(std::make_unique<DryRunNote>(say));
}

void profile_itself_first(Device& device, const std::string&, const Say& say) {
  profile_itself(device, say);
}

}  // namespace tensorlane::observe
