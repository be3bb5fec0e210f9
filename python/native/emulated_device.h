// A device as Python uses it: launches with what each of them came to, memory, findings.
//
// Everything here runs without Python's lock and may be called from several threads. A device
// belongs to the process that opened it: in the child of a fork every call throws UserError, and
// nothing is destroyed.
#ifndef TENSORLANE_PYTHON_EMULATED_DEVICE_H_
#define TENSORLANE_PYTHON_EMULATED_DEVICE_H_

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/checker.h"
#include "tensorlane/observe/precision/precision.h"
#include "tensorlane/observe/statistics.h"
#include "tensorlane/observe/time/timeline.h"
#include "tensorlane/observe/why/past.h"

namespace tensorlane::python {

struct DeviceOptions {
  std::string check = "all";  // see observe/check/check_list.h; "none": no checker
  // Other options of a run by their variables, as the environment would have them; see
  // observe/run_options.h.
  std::map<std::string, std::string> settings = {};
  bool dry_run = false;
  bool red_zones = false;
  bool timeline = true;     // launches keep their commands
  bool prebuilt = false;    // the engines get their commands as a list
  double timeout = 0;       // seconds; 0: none
  std::size_t history = 0;  // bytes that may be kept for why(); 0: it cannot be asked
  bool shadow = false;      // everything is computed in double precision as well
  std::string log;          // file that every command adds a line to; empty: none
  int number = -1;          // as scripts count devices; -1: the next one
  bool shared = false;      // global memory is a file, for another process to look at
  int obituary = -1;        // file for what is to be known when this process ends; see below
};

// The numbers of devices of this process.
int next_device_number();

// Where in the file `obituary` a process that works for another leaves what was found: the failure
// of its last launch, and what the checker had not told yet; each as its length in 8 bytes and a
// text of JSON. Written when the observers end, also where a signal ends the process.
constexpr std::uint64_t kFailureAt = 0, kNewsAt = 1 << 20;

// What became of a launch. Complete when the launch is done.
struct LaunchRecord {
  std::string kernel;
  std::uint64_t ticket = 0;
  std::vector<std::max_align_t> args;
  std::size_t arg_bytes = 0;
  std::optional<Failure> failure;
  observe::Timeline timeline;
  Json evidence;  // what its results rest on: observe/evidence_use.h

  std::span<const std::byte> arg_span() const {
    return {reinterpret_cast<const std::byte*>(args.data()), arg_bytes};
  }
};

// Why the launch ended early: kind, message, kernel and the calls that led there.
Json failure_json(const LaunchRecord& launch);
Json findings_json(const std::vector<check::Finding>& findings);

class EmulatedDevice {
 public:
  EmulatedDevice(const Chip& chip, const DeviceOptions& options);
  ~EmulatedDevice();
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;

  const Chip& chip() const { return chip_; }
  int number() const { return number_; }
  const DeviceOptions& options() const { return options_; }

  // Queues a launch over cores, each with a struct of its own of `args`. `place`: of the script,
  // see address_of_place(). `keep` lives until the launch is done.
  std::shared_ptr<LaunchRecord> submit(const std::string& name, KernelFunction kernel,
                                       std::span<const std::byte> args, const void* place,
                                       std::shared_ptr<const void> keep, int cores);
  // Whether it is done, after waiting for at most `most`.
  bool wait_for(const LaunchRecord& launch, std::chrono::milliseconds most);
  // Ends the launch in progress, as soon as that is possible.
  void stop();
  // Waits for everything submitted.
  void drain();

  // Memory. Addresses are absolute; see device.h.
  std::uint64_t allocate(std::uint64_t bytes, const void* place);
  void free(std::uint64_t address, const void* place);
  std::byte* access(HostAccess access, std::uint64_t address, std::uint64_t bytes,
                    const void* place);
  // What they hold, for who has told of it.
  const std::byte* data(std::uint64_t address) const;
  std::uint64_t allocated_bytes() const;
  // The file of global memory where that is shared, and where it begins. The file is the caller's.
  std::pair<int, std::uint64_t> take_memory_file();

  // What was found, or found again, since the last call.
  std::vector<check::Finding> news();
  // Ends the checks, which may find something more, and all else that watches.
  void close();
  bool is_closed() const { return closed_; }

  // What all launches and copies so far add up to.
  Json statistics();
  // Where the value at an address (and bit of that byte) came from, as observe/why_tool.h describes
  // an answer. Throws UserError without a history.
  Json why(std::uint64_t address, int bit, const why::ChainLimits& limits);
  // What elements side by side would be in real numbers; `values` are what they hold. Throws
  // UserError without a shadow.
  void replace_by_real(std::uint64_t address, Dtype dtype, std::span<double> values);

 private:
  class LaunchObserver;
  Device& owned() const;
  void share_memory();

  const Chip& chip_;
  const DeviceOptions options_;
  const int number_;
  const pid_t process_;
  std::unique_ptr<Device> device_;
  LaunchObserver* launches_ = nullptr;  // these five until close()
  observe::Statistics* counts_ = nullptr;
  check::Checker* checker_ = nullptr;
  why::Past* past_ = nullptr;
  precision::Precision* shadow_ = nullptr;
  std::mutex news_mutex_;
  check::Report::Seen seen_;
  std::vector<check::Finding> last_news_;  // of close()
  const std::shared_ptr<std::string> log_problem_ = std::make_shared<std::string>();
  Json final_statistics_;
  std::atomic<bool> closed_ = false;
  int memory_file_ = -1;
};

}  // namespace tensorlane::python

#endif  // TENSORLANE_PYTHON_EMULATED_DEVICE_H_
