// Every function of the ops lists that has an engine, in each type it takes, at three sizes, beside
// what the processor alone takes for it, one thread.
//
//   ops_bench [--filter REGEX] [--types REGEX] [--size REGEX] [--seconds S] [--checks] [--list]
//
// Ours is the whole command as a kernel issues it: limits, layouts, arithmetic. Both run in turn,
// in processor time, and so does the bare loop that bounds the function, where one is known
// (bounds.h); a line of JSON per case holds the medians. --seconds is for each case;
// --checks measures ours on a device with all checks as well.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "../bounds/bounds.h"
#include "../peer_timing.h"
#include "peers.h"
#include "products.h"
#include "sources.h"
#include "tensorlane/base/fp_environment.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/front_ends/legal_calls.h"
#include "tensorlane/observe/environment.h"

namespace {

using namespace tensorlane;

struct Options {
  std::string filter = ".", types = ".", size = ".";
  double seconds = 0.04;
  bool checks = false, list = false;
};

// Runs `work` as often as makes a time that the clock can tell; seconds of one.
class Timed {
 public:
  explicit Timed(std::function<void()> work) : work_(std::move(work)) {
    // A command is planned at its first calls: the fastest of some says how many make a time.
    constexpr int kFirst = 8;
    double once = 1;
    for (int k = 0; k < kFirst && (k < 2 || once < kLeast); ++k)
      once = std::min(once, bench::seconds_of(work_));
    repeats_ = std::clamp(static_cast<int>(kLeast / std::max(once, 1e-9)), 1, 1000);
    is_brief_ = once < kLong;
  }
  void run() {
    // The others left their data in the caches, where those of a loop stay from call to call.
    if (is_brief_) work_();
    seconds_.push_back(bench::seconds_of([&] {
                         for (int k = 0; k < repeats_; ++k) work_();
                       }) /
                       repeats_);
    total_ += seconds_.back() * repeats_;
  }
  double total() const { return total_; }
  std::size_t rounds() const { return seconds_.size(); }
  double median() const { return bench::median(seconds_); }

 private:
  static constexpr double kLeast = 50e-6, kLong = 1e-3;
  std::function<void()> work_;
  int repeats_;
  bool is_brief_;
  std::vector<double> seconds_;
  double total_ = 0;
};

// Memories of the chips, made once.
DeviceMemory& memory_of(const Chip& chip) {
  static std::map<const Chip*, std::unique_ptr<DeviceMemory>> all;
  std::unique_ptr<DeviceMemory>& memory = all[&chip];
  if (memory == nullptr) memory = std::make_unique<DeviceMemory>(chip);
  return *memory;
}

// Devices with all checks, made once. Their global memory is the host's and written, so that the
// checks find nothing to say.
class CheckedDevice {
 public:
  explicit CheckedDevice(const Chip& chip) : device_(chip) {
    setenv("TENSORLANE_CHECK", "all", 1);
    observe::attach_from_environment(device_, [](const std::string&) {});
    const std::uint64_t bytes = 2 * chip.local_bytes();
    const std::uint64_t address = device_.allocate(bytes).value();
    device_.host_access(HostAccess::kWrite, address, bytes);
  }
  static CheckedDevice& of(const Chip& chip) {
    static std::map<const Chip*, std::unique_ptr<CheckedDevice>> all;
    std::unique_ptr<CheckedDevice>& device = all[&chip];
    if (device == nullptr) device = std::make_unique<CheckedDevice>(chip);
    return *device;
  }

  // Median seconds of the call in a launch.
  double seconds_of(const OpCall& call, const Command& command, double seconds) {
    bench::fill_sources(command, device_.memory().bases());
    double median = 0;
    device_.submit("bench", [&](Session& session) -> std::optional<Failure> {
      const ProcessorAccess all_local{ProcessorAccess::Kind::kWrite, Space::kLocal, 0,
                                      session.chip.local_bytes()};
      for (Observer* observer : session.observers) observer->processor_access(all_local);
      Timed ours([&] { session.issue(*call.op, call.args, nullptr); });
      while (ours.rounds() < 3 || ours.total() < seconds) ours.run();
      median = ours.median();
      return {};
    });
    device_.drain();
    return median;
  }

 private:
  Device device_;
};

std::string extents_text(const Command& command) {
  std::string text;
  for (const Operand& operand : command.operands()) {
    if (operand.role == Role::kWork) continue;
    if (!text.empty()) text += " ";
    for (int d = 0; d < operand.layout.rank(); ++d) {
      if (d > 0) text += "x";
      text += std::to_string(operand.layout.extent(d));
    }
  }
  return text;
}

// What clocks can tell of a figure.
double rounded(double figure) {
  return std::stod(fmt::format("{:.4g}", figure));
}

nlohmann::json measure(const OpCall& call, double seconds, bool checks) {
  DeviceMemory& memory = memory_of(*call.chip);
  Session session{*call.chip, memory, {}, {}};
  Command command;
  decode(*call.op, call.args, *call.chip, false, command);
  bench::fill_sources(command, memory.bases());
  nlohmann::json row{{"function", call.op->name()},
                     {"chip", call.chip->name},
                     {"engine", engine_name(call.op->engine())},
                     {"group", call.op->spec().group},
                     {"types", call.types},
                     {"size", size_name(call.size)},
                     {"extents", extents_text(command)}};
  const bool does_nothing = std::ranges::all_of(
      command.operands(), [](const Operand& operand) { return operand.role == Role::kWork; });
  if (does_nothing) return row;
  try {
    bench::Peer peer = bench::make_peer(command, bench::choose_peer(*call.op));
    const bench::Bound bound = bench::make_bound(command, call.types, memory.bases());
    Timed ours([&] { session.issue(*call.op, call.args, nullptr); });
    std::optional<Timed> theirs, least;
    const auto flushed = [](const std::function<void()>& run) {
      return [&run] {
        const ChipFloatScope flush;
        run();
      };
    };
    if (bound.run && peer.run) least.emplace(flushed(bound.run));
    if (peer.run) theirs.emplace(flushed(peer.run));
    // A case that takes long shows what it has to in one round.
    constexpr std::size_t kLeast = 3, kMost = 25;
    constexpr double kLong = 0.2;
    const auto total = [&] { return ours.total() + (theirs ? theirs->total() : 0); };
    while (ours.rounds() == 0 || (ours.rounds() < kLeast && total() < kLong) ||
           (ours.rounds() < kMost && total() < seconds)) {
      ours.run();
      if (least) least->run();
      if (theirs) theirs->run();
    }
    row["peer"] = peer.name;
    row["ours_us"] = rounded(1e6 * ours.median());
    if (!theirs) return row;
    row["peer_us"] = rounded(1e6 * theirs->median());
    row["ratio"] = rounded(theirs->median() / ours.median());
    if (least) {
      row["loop"] = bound.name;
      row["loop_us"] = rounded(1e6 * least->median());
    }
    if (checks) {
      row["ratio_with_checks"] = rounded(
          theirs->median() / CheckedDevice::of(*call.chip).seconds_of(call, command, seconds));
    }
  } catch (const std::exception& error) {
    row["error"] = error.what();
  }
  return row;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    const auto next = [&] { return std::string(k + 1 < argc ? argv[++k] : ""); };
    if (word == "--filter") options.filter = next();
    if (word == "--types") options.types = next();
    if (word == "--size") options.size = next();
    if (word == "--seconds") options.seconds = std::stod(next());
    if (word == "--checks") options.checks = true;
    if (word == "--list") options.list = true;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  bench::one_thread(argv);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const Options options = parse(argc, argv);
  const std::regex filter(options.filter), types(options.types), sizes(options.size);
  for (const FrontEnd* front_end : all_front_ends()) {
    for (const Op* op : functions_with_engine(*front_end)) {
      const std::string name(op->name());
      if (!std::regex_search(name, filter)) continue;
      const std::vector<OpCall> calls = calls_of(*front_end, *op);
      if (calls.empty()) fmt::print(stderr, "no legal call of {}\n", name);
      for (const OpCall& call : calls) {
        if (!std::regex_search(std::string(size_name(call.size)), sizes)) continue;
        if (!std::regex_search(call.types, types)) continue;
        if (options.list) {
          fmt::print("{} {} {}\n", name, call.types, size_name(call.size));
        } else {
          fmt::print("{}\n", measure(call, options.seconds, options.checks).dump());
          std::fflush(stdout);
        }
      }
    }
  }
}
