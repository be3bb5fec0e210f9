#include "tensorlane/device/device.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "tensorlane/base/language.h"
#include "tensorlane/device/core_threads.h"
#include "tensorlane/device/debug_table.h"
#include "tensorlane/device/running_kernel.h"
#include "tensorlane/device/source_location.h"

namespace tensorlane {

std::string allocation_text(const Allocator::Block& block) {
  return block.freed ? tr("the allocation of {} bytes at {:#x}, which was freed", block.bytes,
                          block.address)
                     : tr("the allocation of {} bytes at {:#x}", block.bytes, block.address);
}

std::string allocation_places(const Allocator::Block& block) {
  std::string text;
  if (block.freed_at != nullptr) text += tr(" at {}", find_source_location(block.freed_at).text());
  if (block.made_at != nullptr) {
    const std::string place = find_source_location(block.made_at).text();
    text += block.freed ? tr("; made at {}", place) : tr(", made at {}", place);
  }
  return text;
}

namespace {

// The device whose launch this thread runs a core of; null elsewhere.
thread_local const Device* device_of_thread = nullptr;
// Of a device's own thread: those of the cores beside it.
thread_local CoreThreads* core_threads = nullptr;

}  // namespace

// exit() first destroys what belongs to the thread that calls it. Where that is the device's own,
// inside a kernel, the observers end their reports here.
struct Device::KernelExit {
  Device* device = nullptr;

  ~KernelExit() {
    if (device == nullptr) return;
    if (const RunningKernel* const run = running_kernel())
      device->end_launch(run->exit_failure("exit"));
    device->release_observers();
  }
};

Device::Device(const Chip& chip, int number, RedZones zones)
    : roomy_chip_(chip, zones),
      model_(chip),
      chip_(roomy_chip_.chip()),
      number_(number),
      memory_(chip_, roomy_chip_.room()),
      allocator_(chip.global_alloc_begin,
                 chip.region(Space::kGlobal).begin + chip.region(Space::kGlobal).bytes,
                 memory_.reserved(Space::kGlobal) - memory_.bytes(Space::kGlobal)),
      process_(getpid()) {
  enter_debug_table(number, chip_, memory_);
}

Device::~Device() {
  finish();
  leave_debug_table(number_);
}

void Device::finish() {
  if (on_own_thread() || process_ != getpid()) return;
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    ending = std::move(thread_);
  }
  changed_.notify_all();
  if (ending.joinable()) ending.join();
  release_observers();
  const std::lock_guard lock(mutex_);
  stopping_ = false;
  changed_.notify_all();
}

void Device::tell_end(const Launch& launch, const std::optional<Failure>& failure) {
  if (failure) {
    for (Observer* observer : observer_list_) observer->launch_failed(*failure);
  }
  // The first to hear of the launch is the last to hear of its end, so that it can measure the
  // rest.
  for (auto observer = observer_list_.rbegin(); observer != observer_list_.rend(); ++observer)
    (*observer)->launch_end(launch, failure ? Outcome::kFailed : Outcome::kDone);
  if (failure && report_) report_(*failure);
}

void Device::end_launch(Failure failure) {
  const Session* const session = session_;
  if (session == nullptr || launch_ended_.exchange(true)) return;
  failure.kernel = session->launch.kernel;
  tell_end(session->launch, failure);
}

void Device::end_reports() {
  using namespace std::chrono_literals;
  std::unique_lock lock(observer_mutex_, std::defer_lock);
  for (int k = 0; !launch_ended_ && !lock.try_lock(); ++k) {
    if (k == 100) return;  // a launch that does not end has them
    std::this_thread::sleep_for(10ms);
  }
  forget_observers();
}

void Device::release_observers() {
  std::unique_lock lock(observer_mutex_, std::defer_lock);
  if (!on_own_thread()) lock.lock();  // a launch holds it
  forget_observers();
}

void Device::forget_observers() {
  if (watch_ != nullptr) watch_->stop();
  observed_ = false;
  observer_list_.clear();
  observers_.clear();
}

std::unique_lock<std::mutex> Device::hold_observers() {
  std::unique_lock lock(observer_mutex_, std::defer_lock);
  if (observed_ && !on_own_thread()) lock.lock();  // a launch holds it
  return lock;
}

template <class Tell>
void Device::tell_observers(Tell tell) {
  const std::unique_lock lock = hold_observers();
  tell_held_observers(tell);
}

template <class Tell>
void Device::tell_held_observers(Tell tell) {
  if (!observed_) return;  // never again, and so nothing is locked
  for (Observer* observer : observer_list_) tell(*observer);
}

void Device::add_observer(std::unique_ptr<Observer> observer) {
  observed_ = true;
  observer_list_.push_back(observer.get());
  observers_.push_back(std::move(observer));
}

std::uint64_t Device::submit(std::string name, Kernel kernel, const Origin& origin) {
  if (origin.cores < 1 || origin.cores > chip_.cores) {
    user_error("a launch over {} cores; the {} has {}\n    rule: 1 <= cores <= {} [chip]",
               origin.cores, chip_.full_name, chip_.cores, chip_.cores);
  }
  if (origin.args.size() % static_cast<std::size_t>(origin.cores) != 0) {
    user_error("{} bytes of arguments for {} cores; each gets a struct of the same size",
               origin.args.size(), origin.cores);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !stopping_; });
  if (!thread_.joinable()) {
    process_ = getpid();
    thread_ = std::thread([this] { run(); });
  }
  std::vector<std::uint64_t> beside;
  for (const Unawaited& each : unawaited_) {
    if (each.asynchronous && each.queue != origin.queue) beside.push_back(each.ticket - 1);
  }
  queue_.push_back({++submitted_, std::move(name), std::move(kernel), origin, std::move(beside)});
  if (unawaited_.size() == kMostUnawaited) unawaited_.pop_front();
  unawaited_.push_back({submitted_, origin.queue, origin.asynchronous});
  changed_.notify_all();
  return submitted_;
}

bool Device::wait(std::uint64_t ticket, std::uint64_t after) {
  if (on_own_thread()) return false;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_ >= ticket; });
  note_wait(ticket);
  return std::none_of(failed_.begin(), failed_.end(),
                      [&](std::uint64_t failed) { return failed > after && failed <= ticket; });
}

bool Device::wait_for(std::uint64_t ticket, std::chrono::milliseconds most) {
  if (on_own_thread()) return false;
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, most, [&] { return finished_ >= ticket; })) return false;
  note_wait(ticket);
  return true;
}

// Whoever waits for a launch has waited for those before it in its queue.
void Device::note_wait(std::uint64_t ticket) {
  const auto found = std::ranges::find(unawaited_, ticket, &Unawaited::ticket);
  if (found == unawaited_.end()) return;
  std::erase_if(unawaited_, [ticket, queue = found->queue](const Unawaited& each) {
    return each.queue == queue && each.ticket <= ticket;
  });
}

bool Device::wait_for_all() {
  const std::uint64_t last = last_ticket();
  const bool succeeded = wait(last);
  const std::lock_guard lock(mutex_);
  std::erase_if(unawaited_, [last](const Unawaited& each) { return each.ticket <= last; });
  return succeeded;
}

void Device::drain() {
  if (on_own_thread()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&, last = submitted_] { return finished_ >= last; });
}

std::vector<std::uint64_t> Device::unawaited() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> numbers;
  for (const Unawaited& each : unawaited_) {
    if (each.asynchronous) numbers.push_back(each.ticket - 1);
  }
  return numbers;
}

std::uint64_t Device::last_ticket() const {
  const std::lock_guard lock(mutex_);
  return submitted_;
}

// A page that nobody has touched yet costs more than a small command: the first launch is to find
// its stack and heap there.
void touch_memory() {
  constexpr std::size_t kBytes = std::size_t{96} << 10, kPage = 4096;
  const auto touch = [](volatile char* bytes) {
    for (std::size_t at = 0; at < kBytes; at += kPage) bytes[at] = 0;
  };
  volatile char stack[kBytes];
  touch(stack);
  const std::unique_ptr<char[]> heap(new char[kBytes]);
  touch(heap.get());
}

void Device::run() {
  touch_memory();
  runner_ = std::this_thread::get_id();
  if (prepare_thread_ != nullptr) prepare_thread_();
  CoreThreads threads([this] {
    device_of_thread = this;
    if (prepare_thread_ != nullptr) prepare_thread_();
  });
  core_threads = &threads;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) break;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    // The process is about to end: nobody is to go on as if the launch had just failed.
    if (run_one(job)) {
      while (true) pause();
    }
    lock.lock();
    finished_ = job.ticket;
    changed_.notify_all();
  }
  runner_ = std::thread::id();
}

bool Device::on_own_thread() const {
  return runner_ == std::this_thread::get_id() || device_of_thread == this;
}

Session Device::session_of(Job& job, int core, CoreLaunch* group) {
  const auto area = static_cast<std::size_t>(core);
  const bool watched = area < arguments_.size() && arguments_ready_();
  return {.chip = chip_,
          .memory = memory_,
          .observers = observer_list_,
          .launch = {.kernel = job.name,
                     .number = job.ticket - 1,
                     .chip = &model_,
                     .args = job.origin.args,
                     .device = number_,
                     .call_site = job.origin.call_site,
                     .asynchronous = job.origin.asynchronous,
                     .beside = job.beside,
                     .function = job.origin.function,
                     .cores = job.origin.cores},
          .choice = choice_,
          .limit_policy = limit_policy_,
          .region = region_order_.kind == RegionOrder::Kind::kIssue
                        ? nullptr
                        : std::make_unique<RegionQueue>(region_order_),
          .call_paths = call_paths_.get(),
          .arguments = watched ? arguments_[area].get() : nullptr,
          .phases = phases_.get(),
          .pipeline = pipeline_,
          .known_calls = &known_calls_,
          .core = core,
          .cores = job.origin.cores,
          .group = group};
}

// What is another core's is in its place before it goes on.
std::unique_ptr<CoreLaunch> Device::group_of(const Job& job) {
  if (chip_.cores == 1) return nullptr;
  if (job.origin.cores == 1)
    return std::make_unique<CoreLaunch>(
        1, core_order_, [](int) {}, [](int) {});
  auto phases = std::make_shared<std::vector<Phase>>(job.origin.cores, Phase::kSetUp);
  return std::make_unique<CoreLaunch>(
      job.origin.cores, core_order_,
      [this, phases](int core) {
        if (phases_ != nullptr) phases_->resume((*phases)[static_cast<std::size_t>(core)]);
        memory_.select_core(core);
        for (Observer* observer : observer_list_) observer->core_selected(core);
      },
      [this, phases](int core) {
        if (phases_ != nullptr) (*phases)[static_cast<std::size_t>(core)] = phases_->pause();
      });
}

// The kernel on one core, from its first turn to its last.
std::optional<Failure> Device::run_core(const Job& job, Session& session) {
  CoreLaunch* const group = session.group;
  if (group != nullptr && !group->turns.begin(session.core)) {
    group->turns.end(session.core);
    return std::nullopt;
  }
  static thread_local KernelExit exit;
  exit.device = this;
  std::optional<Failure> failure = job.kernel(session);
  exit.device = nullptr;
  try {
    session.finish();
  } catch (const UserError& error) {  // a command of a region that the kernel left open
    if (!failure) failure = Failure{{}, {}, error.what(), session.failed_at};
  }
  if (group == nullptr) return failure;
  group->of_core[static_cast<std::size_t>(session.core)].done = true;
  if (failure && !group->failure) {
    failure->core = session.core;
    group->failure = std::move(failure);
  }
  if (group->failure) group->turns.stop();
  group->turns.end(session.core);
  return std::nullopt;
}

std::optional<Failure> Device::run_cores(const Job& job, CoreLaunch& group,
                                         std::span<const std::unique_ptr<Session>> sessions) {
  if (phases_ != nullptr) phases_->pause();
  core_threads->run(static_cast<int>(sessions.size()),
                    [&](int core) { run_core(job, *sessions[static_cast<std::size_t>(core)]); });
  if (phases_ != nullptr) phases_->resume(Phase::kSetUp);
  memory_.select_core(0);
  return std::move(group.failure);
}

bool Device::run_one(Job& job) {
  const std::lock_guard observers_lock(observer_mutex_);
  if (phases_ != nullptr) phases_->start();
  const std::unique_ptr<CoreLaunch> group = group_of(job);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int core = 0; core < job.origin.cores; ++core)
    sessions.emplace_back(new Session(session_of(job, core, group.get())));
  Session& session = *sessions.front();
  // A view of memory is one core's: with several cores nobody looks after every access.
  if (job.origin.cores == 1 && watch_ != nullptr && watch_->launch_begin()) {
    session.watch = watch_.get();
    session.launch.accesses_seen = true;
  }
  for (Observer* observer : observer_list_) observer->launch_begin(session.launch);
  session_ = &session;
  group_ = group.get();
  std::optional<Failure> failure;
  if (group == nullptr) {
    failure = run_core(job, session);
  } else {
    failure = run_cores(job, *group, sessions);
  }
  session_ = nullptr;
  group_ = nullptr;
  if (failure) {
    failure->kernel = job.name;
    const std::lock_guard lock(mutex_);
    failed_.push_back(job.ticket);
  }
  tell_end(session.launch, failure);
  return failure && failure->kind == Failure::Kind::kInterrupt;
}

// What changes here and what the observers hear of it is one step: else they could hear of the
// next owner of an address before they hear that the last one freed it.
std::optional<std::uint64_t> Device::allocate(std::uint64_t bytes, const HostCaller& caller) {
  const std::unique_lock observers_lock = hold_observers();
  std::optional<std::uint64_t> address;
  {
    const std::lock_guard lock(mutex_);
    address = allocator_.allocate(bytes, caller.call_site);
    if (address) {
      const std::uint64_t end =
          *address + std::max<std::uint64_t>(bytes, 1) - chip_.region(Space::kGlobal).begin;
      if (end > memory_.bytes(Space::kGlobal)) {
        memory_.hold_global(end);
        roomy_chip_.hold(end);
      }
    }
  }
  if (address) {
    const std::uint64_t offset = *address - chip_.region(Space::kGlobal).begin;
    tell_held_observers([&](Observer& observer) { observer.allocated(offset, bytes, caller); });
  }
  return address;
}

bool Device::free(std::uint64_t address, const HostCaller& caller) {
  drain();  // a queued launch may still use it
  const std::unique_lock observers_lock = hold_observers();
  {
    const std::lock_guard lock(mutex_);
    if (!allocator_.free(address, caller.call_site)) return false;
  }
  const std::uint64_t offset = address - chip_.region(Space::kGlobal).begin;
  tell_held_observers([&, open = unawaited()](Observer& observer) {
    observer.host_waited(open);
    observer.freed(offset, caller);
  });
  return true;
}

std::uint64_t Device::allocated_bytes() const {
  const std::lock_guard lock(mutex_);
  return allocator_.used();
}

std::optional<Allocator::Block> Device::find_allocation(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto block = allocator_.find(address);
  return block ? block : allocator_.find_freed(address);
}

std::optional<Chip::Place> Device::find_place(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);  // the memory may become longer
  return chip_.find(address);
}

void Device::check_host_access(std::uint64_t address, std::uint64_t bytes,
                               std::uint64_t offset) const {
  const auto place = find_place(address);
  if (!place) {
    throw IllegalHostAccess(tr("{:#x} is not inside a memory of the device", address), {});
  }
  // What follows the address without leaving its memory or, in global memory, its allocation.
  std::uint64_t room = place->bytes_left;
  std::string holder(translated(space_name(place->space)));
  std::optional<Allocator::Block> block;
  if (place->space == Space::kGlobal && bytes > 0) {
    block = find_allocation(address);
    if (!block) throw IllegalHostAccess(tr("{:#x} is inside no allocation", address), {});
    holder = allocation_text(*block);
    if (block->freed) {
      throw IllegalHostAccess(tr("{:#x} is inside {}", address, holder), block);
    }
    room = block->end() - address;
  }
  if (offset <= room && bytes <= room - offset) return;
  const std::uint64_t excess = bytes - (room - offset);
  throw IllegalHostAccess(
      offset > room ? tr("{} bytes at {:#x} + {} begin outside {}", bytes, address, offset, holder)
                    : tr("{} bytes at {:#x} + {} end {} bytes past {}", bytes, address, offset,
                         excess, holder),
      block);
}

std::byte* Device::host_access(HostAccess access, std::uint64_t address, std::uint64_t bytes,
                               std::uint64_t offset, const HostCaller& caller) {
  drain();
  check_host_access(address, bytes, offset);
  const Chip::Place place = *find_place(address);
  if (place.space == Space::kGlobal) {
    tell_observers([&, open = unawaited()](Observer& observer) {
      observer.host_waited(open);
      observer.host_access(access, place.offset + offset, bytes, caller);
    });
  }
  return memory_.base(place.space) + place.offset + offset;
}

void Device::host_copy(const DeviceCopy& copy, const HostCaller& caller) {
  const std::uint64_t read = copy.bytes_at(copy.from_step), written = copy.bytes_at(copy.to_step);
  if (read == 0) return;
  wait_for_all();  // the chip's runtime queues such copies behind the launches and waits for them
  check_host_access(copy.from, read);
  check_host_access(copy.to, written);
  const Chip::Place from = *find_place(copy.from), to = *find_place(copy.to);
  DeviceCopy offsets = copy;
  offsets.from = from.offset;
  offsets.to = to.offset;
  tell_observers([&](Observer& observer) {
    if (from.space == Space::kGlobal && to.space == Space::kGlobal) {
      observer.host_copied(offsets, caller);
    } else if (from.space == Space::kGlobal) {
      observer.host_access(HostAccess::kRead, from.offset, read, caller);
    } else if (to.space == Space::kGlobal) {
      observer.host_access(HostAccess::kWrite, to.offset, written, caller);
    }
  });
  const std::byte* source = memory_.base(from.space) + from.offset;
  std::byte* target = memory_.base(to.space) + to.offset;
  for (std::uint64_t k = 0; k < copy.count; ++k) {
    std::memmove(target, source, copy.item_bytes);
    source += copy.from_step;
    target += copy.to_step;
  }
}

void Device::state(const Statement& statement) {
  if (!statement.in_kernel) drain();
  tell_observers([&](Observer& observer) { observer.stated(statement); });
}

void Device::at_rest(const std::function<void()>& body) {
  drain();
  std::unique_lock lock(observer_mutex_, std::defer_lock);
  if (!on_own_thread()) lock.lock();  // a launch holds it
  body();
}

void Device::refuse(const HostRefusal& refusal) {
  tell_observers([&](Observer& observer) { observer.host_refused(refusal); });
}

}  // namespace tensorlane
