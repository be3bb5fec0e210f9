#include "emulated_device.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/chip/timing_parameters.h"
#include "tensorlane/device/kernel_registry.h"
#include "tensorlane/device/launch_guard.h"
#include "tensorlane/device/region_queue.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/inspect/place.h"
#include "tensorlane/observe/check/finding_json.h"
#include "tensorlane/observe/check/report.h"
#include "tensorlane/observe/command_log.h"
#include "tensorlane/observe/environment.h"
#include "tensorlane/observe/run_options.h"
#include "tensorlane/observe/time/clock.h"

namespace tensorlane::python {
namespace {

// What the message of a launch has room for in the public runtime, for each core.
constexpr std::size_t kMostArgumentBytes = 4096;

std::string_view kind_name(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::kCall:
      break;
    case Failure::Kind::kCrash:
      return "crash";
    case Failure::Kind::kExit:
      return "exit";
    case Failure::Kind::kTimeout:
      return "timeout";
    case Failure::Kind::kInterrupt:
    case Failure::Kind::kStopped:
      return "stopped";
    case Failure::Kind::kDeadlock:
      return "deadlock";
  }
  return "call";
}

// A text that is to be found when this process is gone.
void leave(int file, std::uint64_t at, const std::string& text) {
  const std::uint64_t length = text.size();
  if (pwrite(file, text.data(), length, static_cast<off_t>(at + sizeof length)) ==
      static_cast<ssize_t>(length)) {
    [[maybe_unused]] const ssize_t written =
        pwrite(file, &length, sizeof length, static_cast<off_t>(at));
  }
}

}  // namespace

int next_device_number() {
  static std::atomic<int> devices = 0;
  return devices++;
}

Json findings_json(const std::vector<check::Finding>& findings) {
  Json list = Json::array();
  for (const check::Finding& finding : findings) list.push_back(check::json(finding));
  return list;
}

Json failure_json(const LaunchRecord& launch) {
  const Failure& failure = *launch.failure;
  Json frames = Json::array();
  std::vector<const void*> calls = failure.calls;
  if (calls.empty() && failure.call_site != nullptr) calls.push_back(failure.call_site);
  for (const void* call : calls) {
    for (const SourceLocation& at : find_source_frames(call)) {
      frames.push_back({{"file", at.path()},
                        {"line", at.line},
                        {"function", at.function},
                        {"place", at.text()}});
    }
  }
  return {{"kind", kind_name(failure.kind)},
          {"message", failure.message},
          {"kernel", launch.kernel},
          {"frames", frames}};
}

// Fills the record of the launch in progress.
class EmulatedDevice::LaunchObserver : public Observer {
 public:
  LaunchObserver(const Chip& chip, const DeviceOptions& options)
      : clock_(
            timing_parameters(chip, Calibration::kAll,
                              options.prebuilt ? LaunchMode::kPrebuilt : LaunchMode::kIssued),
            [](const observe::Timeline&) {},
            options.timeline ? observe::Clock::Keep::kLocalMap : observe::Clock::Keep::kTotals),
        obituary_(options.obituary) {}
  ~LaunchObserver() override {
    if (obituary_ >= 0 && failed_) leave(obituary_, kFailureAt, failure_json(*failed_).dump());
  }
  LaunchObserver(const LaunchObserver&) = delete;
  LaunchObserver& operator=(const LaunchObserver&) = delete;

  void launch_begin(const Launch& launch) override { clock_.launch_begin(launch); }
  // Whose evidence records get.
  void counted_by(const observe::Statistics& counts) { counts_ = &counts; }
  // The kernel of this record is about to run.
  void begin(std::shared_ptr<LaunchRecord> record) {
    record_ = std::move(record);
    failed_.reset();
  }
  void launch_failed(const Failure& failure) override {
    if (!record_) return;
    record_->failure = failure;
    failed_ = record_;
  }
  void launch_end(const Launch& launch, Outcome outcome) override {
    clock_.launch_end(launch, outcome);
    if (!record_) return;
    record_->timeline = clock_.take();
    record_->timeline.launch.args = record_->arg_span();
    if (counts_ != nullptr) record_->evidence = counts_->evidence().launch_json();
    record_.reset();
  }
  void command_begin(const Command& command) override { clock_.command_begin(command); }
  void sync(SyncEvent event, std::int64_t region, const void* call_site) override {
    clock_.sync(event, region, call_site);
  }
  void core_selected(int core) override { clock_.core_selected(core); }
  void message(const MessageEvent& event) override { clock_.message(event); }
  void pointer_taken(Space space, std::uint64_t offset, const void* call_site) override {
    clock_.pointer_taken(space, offset, call_site);
  }

 private:
  observe::Clock clock_;
  const int obituary_;
  const observe::Statistics* counts_ = nullptr;
  std::shared_ptr<LaunchRecord> record_, failed_;  // failed_: the latest launch, if it failed
};

namespace {

void say_on_stderr(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

}  // namespace

EmulatedDevice::EmulatedDevice(const Chip& chip, const DeviceOptions& options)
    : chip_(chip),
      options_(options),
      number_(options.number >= 0 ? options.number : next_device_number()),
      process_(getpid()),
      device_(std::make_unique<Device>(chip, number_,
                                       options.red_zones ? RedZones::kOn : RedZones::kOff)) {
  if (options.shared) share_memory();
  for (const observe::RunOption& row : observe::run_options()) {
    const auto given = options.settings.find(std::string(row.variable));
    if (given != options.settings.end() && row.attach != nullptr && asks(row, given->second))
      row.attach(*device_, given->second, say_on_stderr);
  }
  if (options.dry_run) device_->set_implementation(ImplementationChoice::kNone);
  auto launches = std::make_unique<LaunchObserver>(chip, options);
  launches_ = launches.get();
  device_->add_observer(std::move(launches));
  auto counts = std::make_unique<observe::Statistics>(chip);
  counts_ = counts.get();
  launches_->counted_by(*counts_);
  device_->add_observer(std::move(counts));
  if (options.check != "none") {
    const auto deliver = [this](const check::Report& report, bool last) {
      if (!last) return;
      last_news_ = report.news(seen_);
      if (options_.obituary >= 0)
        leave(options_.obituary, kNewsAt, findings_json(last_news_).dump());
    };
    auto checker =
        std::make_unique<check::Checker>(device_->chip(), check::parse_checks(options.check),
                                         deliver, options.dry_run ? nullptr : &device_->memory());
    checker_ = checker.get();
    device_->trace_calls();
    device_->add_observer(std::move(checker));
  }
  if (options.history > 0) {
    auto past = std::make_unique<why::Past>(chip, device_->memory(), options.history);
    past_ = past.get();
    device_->trace_calls();
    device_->add_observer(std::move(past));
  }
  if (options.shadow && !options.dry_run) {
    auto shadow = std::make_unique<precision::Precision>(chip, device_->memory(), number_,
                                                         precision::Precision::Deliver());
    shadow_ = shadow.get();
    device_->add_observer(std::move(shadow));
  }
  if (!options.log.empty()) {
    device_->add_observer(std::make_unique<observe::CommandLog>(
        chip, device_->memory(), !options.dry_run, options.log,
        [problem = log_problem_](const std::string& text) { *problem = text; }));
    if (!log_problem_->empty()) throw UserError(*log_problem_);
  }
  // Under `tensorlane run` and `why` the device answers them as that of any program does.
  if (std::getenv("TENSORLANE_REPORT") != nullptr) {
    observe::attach_from_environment(*device_, say_on_stderr);
  }
  guard_launches(
      *device_,
      {.time = std::chrono::duration<double>(options.timeout), .option = "Device(timeout=...)"},
      GuardedSignals::kFaults);
  if (checker_ != nullptr || past_ != nullptr) {
    watch_arguments(*device_);
    watch_processor(*device_);
  }
}

EmulatedDevice::~EmulatedDevice() {
  if (process_ != getpid()) {
    static_cast<void>(device_.release());  // its thread is the parent's
    return;
  }
  try {
    close();
  } catch (const UserError&) {  // who wanted to know of the log has closed it
  }
}

Device& EmulatedDevice::owned() const {
  if (process_ != getpid())
    user_error("device {} was opened by the process that forked this one; open one here", number_);
  if (closed_) user_error("device {} is closed", number_);
  return *device_;
}

std::shared_ptr<LaunchRecord> EmulatedDevice::submit(const std::string& name, KernelFunction kernel,
                                                     std::span<const std::byte> args,
                                                     const void* place,
                                                     std::shared_ptr<const void> keep, int cores) {
  Device& device = owned();
  if (const std::size_t of_each = args.size() / static_cast<std::size_t>(std::max(cores, 1));
      of_each > kMostArgumentBytes)
    user_error(
        "args has {} bytes{}; the message of a launch has room for {} [public runtime of the "
        "BM1684 and BM1684X]",
        of_each, cores > 1 ? tr(" for each core") : "", kMostArgumentBytes);
  auto record = std::make_shared<LaunchRecord>();
  record->kernel = name;
  record->args.resize(args.size() / sizeof(std::max_align_t) + 1);
  record->arg_bytes = args.size();
  if (!args.empty()) std::memcpy(record->args.data(), args.data(), args.size());
  std::optional<int> bytes;
  if (parameters_of(kernel) == Parameters::kArgsAndBytes)
    bytes = static_cast<int>(args.size()) / std::max(cores, 1);
  record->ticket =
      device.submit(name,
                    [this, record, kernel, bytes, keep = std::move(keep)](Session& session) {
                      if (session.core == 0) launches_->begin(record);
                      return run_kernel(session, kernel, session.core_args().data(), bytes);
                    },
                    {.args = record->arg_span(),
                     .call_site = place,
                     .function = reinterpret_cast<const void*>(kernel),
                     .cores = cores});
  return record;
}

bool EmulatedDevice::wait_for(const LaunchRecord& launch, std::chrono::milliseconds most) {
  return closed_ || owned().wait_for(launch.ticket, most);
}

void EmulatedDevice::stop() {
  stop_launch(owned());
}

void EmulatedDevice::drain() {
  owned().drain();
}

std::uint64_t EmulatedDevice::allocate(std::uint64_t bytes, const void* place) {
  const auto address = owned().allocate(bytes, {"Device.empty", place});
  if (!address) {
    user_error("{} bytes are more than is free of the global memory of {}: {} bytes are in use",
               bytes, chip_.name, allocated_bytes());
  }
  return *address;
}

void EmulatedDevice::free(std::uint64_t address, const void* place) {
  if (process_ != getpid() || closed_) return;
  device_->free(address, {"Tensor", place});
}

std::byte* EmulatedDevice::access(HostAccess access, std::uint64_t address, std::uint64_t bytes,
                                  const void* place) {
  const bool reads = access == HostAccess::kRead;
  return owned().host_access(access, address, bytes, 0,
                             {reads ? "Tensor.numpy" : "Tensor.write", place});
}

// Before anything is in it: what comes in its place is zero as well.
void EmulatedDevice::share_memory() {
  DeviceMemory& memory = device_->memory();
  const std::uint64_t bytes = memory.reserved(Space::kGlobal);
  rlimit longest_file{};  // a longer one would end the process
  getrlimit(RLIMIT_FSIZE, &longest_file);
  const int file = longest_file.rlim_cur < bytes ? -1 : memfd_create("device memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0 ||
      mmap(memory.base(Space::kGlobal), bytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) == MAP_FAILED) {
    if (file >= 0) ::close(file);
    user_error("there is no memory of {} bytes that two processes share; raise 'ulimit -f'", bytes);
  }
  memory_file_ = file;
}

std::pair<int, std::uint64_t> EmulatedDevice::take_memory_file() {
  return {std::exchange(memory_file_, -1), chip_.region(Space::kGlobal).begin};
}

const std::byte* EmulatedDevice::data(std::uint64_t address) const {
  return owned().memory().find(address, 0);
}

std::uint64_t EmulatedDevice::allocated_bytes() const {
  return owned().allocated_bytes();
}

std::vector<check::Finding> EmulatedDevice::news() {
  const std::lock_guard lock(news_mutex_);
  if (closed_) return std::exchange(last_news_, {});
  if (process_ != getpid() || checker_ == nullptr) return {};
  checker_->report().complete();
  return checker_->report().news(seen_);
}

Json EmulatedDevice::statistics() {
  if (closed_) return final_statistics_;
  Json counts;
  owned().at_rest([&] { counts = counts_->json(); });
  return counts;
}

Json EmulatedDevice::why(std::uint64_t address, int bit, const why::ChainLimits& limits) {
  Device& device = owned();
  if (past_ == nullptr)
    user_error("device {} keeps no history; open it with history=True", number_);
  const auto found = device.chip().find(address);
  if (!found) user_error("{:#x} is in no memory of {}", address, chip_.name);
  const inspect::Place place{found->space, found->offset, bit};
  Json answer = {{"device", number_},
                 {"chip", chip_.name},
                 {"place", inspect::place_text(chip_, place)},
                 {"when", "now"}};
  device.at_rest([&] { answer["steps"] = past_->steps(place, past_->history().next(), limits); });
  return answer;
}

void EmulatedDevice::replace_by_real(std::uint64_t address, Dtype dtype, std::span<double> values) {
  Device& device = owned();
  if (shadow_ == nullptr)
    user_error("device {} computes nothing in double precision; open it with shadow=True", number_);
  const auto found = device.chip().find(address);
  if (!found) user_error("{:#x} is in no memory of {}", address, chip_.name);
  const auto bytes = static_cast<std::uint64_t>(dtype_bytes(dtype));
  device.at_rest([&] {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto real = shadow_->real_value(found->space, found->offset + i * bytes, dtype);
      if (real) values[i] = *real;
    }
  });
}

void EmulatedDevice::close() {
  const std::lock_guard lock(news_mutex_);
  if (process_ != getpid() || closed_) return;
  device_->drain();
  final_statistics_ = counts_->json();
  device_->finish();
  closed_ = true;
  if (!log_problem_->empty()) throw UserError(*log_problem_);
}

}  // namespace tensorlane::python
