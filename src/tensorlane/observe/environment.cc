#include "tensorlane/observe/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include <atomic>
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
#include "tensorlane/observe/check_tool.h"
#include "tensorlane/observe/command_log.h"
#include "tensorlane/observe/dump_operands.h"
#include "tensorlane/observe/precision/precision.h"
#include "tensorlane/observe/precision/precision_report.h"
#include "tensorlane/observe/print_commands.h"
#include "tensorlane/observe/recorder.h"
#include "tensorlane/observe/report_file.h"
#include "tensorlane/observe/self_profile.h"
#include "tensorlane/observe/statistics.h"
#include "tensorlane/observe/time_tools.h"
#include "tensorlane/observe/tolerated_calls.h"
#include "tensorlane/observe/watch_bytes.h"
#include "tensorlane/observe/why_tool.h"
#include "tensorlane/tensor/instruction_set.h"

namespace tensorlane::observe {
namespace {

void choose_implementation(Device& device, const std::string& value, const Say&) {
  constexpr std::string_view kNames[] = {"fastest", "reference"};
  if (value == "fastest") return device.set_implementation(ImplementationChoice::kFastest);
  if (value == "reference") return device.set_implementation(ImplementationChoice::kReference);
  user_error("TENSORLANE_IMPL is '{}'{}", value, did_you_mean(value, kNames));
}

void choose_region_order(Device& device, const std::string& value, const Say&) {
  device.set_region_order(parse_region_order(value));
}

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

void report_statistics(Device& device, const std::string&, const Say& say) {
  device.add_observer(std::make_unique<ReportedStatistics>(device.chip(), say));
}

void report_device(Device& device, const std::string&, const Say& say) {
  static std::atomic<int> devices = 0;
  device.add_observer(std::make_unique<DeviceLines>(devices++, say));
}

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

void watch(Device& device, const std::string&, const Say& say) {
  guard_launches(device);
  watch_arguments(device);
  if (!watch_processor(device)) device.add_observer(std::make_unique<UnseenNote>(say));
}

void watch_precision(Device& device, const std::string&, const Say& say) {
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
  device.add_observer(
      std::make_unique<precision::Precision>(device.chip(), device.memory(), devices++, deliver));
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

void say_advice(Device& device, const std::string&, const Say& say) {
  device.add_observer(std::make_unique<Advice>([say](const std::string& line) {
    say(fmt::format("tensorlane: {}\n", tr("advice: {}", line)));
  }));
}

void dry_run(Device& device, const std::string&, const Say& say) {
  device.set_implementation(ImplementationChoice::kNone);
  device.add_observer(std::make_unique<DryRunNote>(say));
}

// The tools of the list are of several kinds for TENSORLANE_SELF_PROFILE.
void profile_device(Device& device, const std::string&, const Say& say) {
  profile_itself(device, say);
}
template <Phase before, Phase next>
void mark(Device& device, const std::string&, const Say&) {
  mark_tools(device, before, next);
}

struct Tool {
  std::string_view variable;
  void (*attach)(Device& device, const std::string& value, const Say& say);
  bool is_switch = false;  // 0 is off
};
constexpr Tool kTools[] = {
    // fastest or reference: which implementation of each function runs
    {"TENSORLANE_IMPL", choose_implementation},
    // how many threads of the process may compute; results do not depend on it
    {"TENSORLANE_THREADS", limit_computing},
    // which vector instructions the process may use; see tensor/instruction_set.h
    {"TENSORLANE_ISA", limit_instructions},
    // 1 or 0: no arithmetic and no data movement; same times, and the checks that need no values
    {"TENSORLANE_DRY_RUN", dry_run, true},
    // 1 or 0: where the processor time of the launches goes. First, to see all of a launch
    {"TENSORLANE_SELF_PROFILE", profile_device, true},
    // issue, early, late or random[:SEED]: when copies of a region take effect
    {"TENSORLANE_DMA", choose_region_order},
    // file that gets one line of statistics per device
    {"TENSORLANE_REPORT", report_statistics},
    // 1 or 0: preferred conditions that are missed, once per source line, on stderr
    {"TENSORLANE_ADVICE", say_advice, true},
    {"TENSORLANE_SELF_PROFILE", mark<Phase::kTools, Phase::kClock>, true},
    // 1 or 0: the modelled time of every launch on stderr. This and the next three: of commands
    // issued one by one, or with TENSORLANE_LAUNCH_MODE=prebuilt of a list
    {"TENSORLANE_TIME", say_time, true},
    // file that gets the modelled time of every launch per source line
    {"TENSORLANE_PROFILE", write_profile},
    // file that gets the modelled timeline; .json for Chrome, else Perfetto
    {"TENSORLANE_TRACE", write_trace},
    // file that gets the modelled timeline as an HTML page
    {"TENSORLANE_PAGE", write_page},
    {"TENSORLANE_SELF_PROFILE", mark<Phase::kClock, Phase::kChecks>, true},
    // which checks watch the launches: all, or some of check/check_list.h; with TENSORLANE_EXPECT
    // what the host should read (check/expectations.h)
    {"TENSORLANE_CHECK", check_launches},
    {"TENSORLANE_SELF_PROFILE", mark<Phase::kChecks, Phase::kTools>, true},
    // 1 or 0: a shadow in double precision, and where errors enter
    {"TENSORLANE_PRECISION", watch_precision, true},
    // file that gets the calls of the first launch, -n before the extension for launch n
    {"TENSORLANE_RECORD", record_calls},
    // commands that are printed with their operands, one choice a line; see command_choice.h
    {"TENSORLANE_PRINT", print_commands},
    // operands that are written to .npy files, one a line; see dump_operands.h
    {"TENSORLANE_DUMP", dump_operands},
    // bytes whose writers are told, one place a line; see inspect/place.h
    {"TENSORLANE_WATCH", watch_bytes},
    // file that every command adds a line to; see command_log/record.h
    {"TENSORLANE_LOG", log_commands},
    // a question of `tensorlane why` (why/question.h), which each device answers in the report
    {"TENSORLANE_WHY", answer_why},
    // 1 or 0: calls that break limits are computed where they have a meaning
    {"TENSORLANE_KEEP_GOING", keep_going, true},
    // 1 or 0: limits count that the chip's model does not enforce, and what its newer model refuses
    {"TENSORLANE_STRICT", be_strict, true},
    // seconds that a launch may take
    {"TENSORLANE_TIMEOUT", limit_time},
    // Last, as observers end in this order: crashes and the like are found where checks are.
    {"TENSORLANE_REPORT", report_device},
    {"TENSORLANE_WHY", watch},
    {"TENSORLANE_CHECK", watch},
    {"TENSORLANE_SELF_PROFILE", mark<Phase::kTools, Phase::kSetUp>, true},
};

}  // namespace

RedZones red_zones_of_environment() {
  const auto value_of = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return std::string(value == nullptr ? "" : value);
  };
  constexpr std::string_view kNames[] = {"on", "off"};
  const std::string value = value_of("TENSORLANE_RED_ZONES"), checks = value_of("TENSORLANE_CHECK");
  if (value == "on" || value == "1") return RedZones::kOn;
  if (value == "off" || value == "0") return RedZones::kOff;
  if (!value.empty())
    user_error("TENSORLANE_RED_ZONES is '{}'{}", value, did_you_mean(value, kNames));
  const bool checked = !checks.empty() && checks != "none";
  return checked || !value_of("TENSORLANE_WHY").empty() ? RedZones::kOn : RedZones::kOff;
}

void attach_from_environment(Device& device, const Say& say) {
  for (const Tool& tool : kTools) {
    const char* const value = std::getenv(std::string(tool.variable).c_str());
    if (value == nullptr || *value == '\0') continue;
    if (tool.is_switch && std::string_view(value) == "0") continue;
    tool.attach(device, value, say);
  }
  const char* const checks = std::getenv("TENSORLANE_CHECK");
  if (checks == nullptr || *checks == '\0')
    device.add_observer(std::make_unique<ToleratedCalls>(say));
}

}  // namespace tensorlane::observe
