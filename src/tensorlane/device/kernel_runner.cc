#include "tensorlane/device/kernel_runner.h"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <mutex>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/argument_area.h"
#include "tensorlane/device/call_paths.h"
#include "tensorlane/device/own_code.h"
#include "tensorlane/device/running_kernel.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/device/throw_place.h"

namespace tensorlane {
namespace {

// Signal handlers read it: it must not be allocated on first use.
[[gnu::tls_model("initial-exec")]] constinit thread_local RunningKernel* current = nullptr;

struct List {
  std::mutex mutex;
  std::vector<RunningKernel*> kernels;
};
// Never destroyed: devices may end after it.
List& list() {
  static List* const instance = new List;
  return *instance;
}

class Listed {
 public:
  explicit Listed(RunningKernel& run) : run_(run) {
    const std::lock_guard lock(list().mutex);
    list().kernels.push_back(&run_);
  }
  ~Listed() {
    {
      const std::lock_guard lock(list().mutex);
      if (run_.stop != RunningKernel::Stop::kPark) std::erase(list().kernels, &run_);
    }
    run_.park_if_asked();
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  RunningKernel& run_;
};

// What a kernel written in C++ throws and nobody catches.
void note_exception(RunningKernel& run, KernelFunction kernel, const CallStack& thrown,
                    const char* what) {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  std::string message = tr("an exception leaves the kernel: {}",
                           type == nullptr ? tr("of an unknown type") : demangled(type->name()));
  if (what != nullptr) message += fmt::format(": {}", what);
  Failure failure{Failure::Kind::kCrash, {}, std::move(message)};
  failure.calls = thrown.inside(run.module);
  // Where nobody knows, the first byte of the kernel stands for its first line.
  failure.call_site = failure.calls.empty() ? reinterpret_cast<const std::byte*>(kernel) + 1
                                            : failure.calls.front();
  run.failure = std::move(failure);
}

void call(RunningKernel& run, KernelFunction kernel, const void* args, std::optional<int> bytes) {
  CallStack thrown;
  try {
    run.in_library = false;
    call_noting_throws(kernel, args, bytes.value_or(0), thrown);
    run.in_library = true;
  } catch (const abi::__forced_unwind&) {
    run.failure = Failure{Failure::Kind::kExit,
                          {},
                          tr("pthread_exit() was called; a kernel returns"),
                          reinterpret_cast<const std::byte*>(kernel) + 1};
    run.leave(RunningKernel::kEnded);  // it may be neither swallowed nor passed on
  } catch (const std::exception& error) {
    note_exception(run, kernel, thrown, error.what());
  } catch (...) {
    note_exception(run, kernel, thrown, nullptr);
  }
}

// A kernel's own arithmetic rounds to nearest and never traps, whatever the host does and whatever
// the last kernel left behind.
class KernelFloatScope {
 public:
  KernelFloatScope() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~KernelFloatScope() { std::fesetenv(&saved_); }
  KernelFloatScope(const KernelFloatScope&) = delete;
  KernelFloatScope& operator=(const KernelFloatScope&) = delete;

 private:
  std::fenv_t saved_;
};

// In a function of its own: nothing here lives in a register across setjmp.
int call_until_end(RunningKernel& run, KernelFunction kernel, const void* args,
                   std::optional<int> bytes) {
  const int way = setjmp(run.escape);  // NOLINT(cert-err52-cpp): kernels are C
  if (way == 0) call(run, kernel, args, bytes);
  return way;
}

}  // namespace

RunningKernel* running_kernel() {
  return current;
}

void visit_running_kernels(const std::function<void(RunningKernel&)>& visit) {
  const std::lock_guard lock(list().mutex);
  for (RunningKernel* run : list().kernels) visit(*run);
}

void RunningKernel::obey_stop() {
  if (stop.load(std::memory_order_acquire) == Stop::kNo) return;
  park_if_asked();
  fault.calls.capture();
  leave(kStopped);
}

void RunningKernel::park_if_asked() const {
  while (stop.load(std::memory_order_acquire) == Stop::kPark) pause();
}

Failure RunningKernel::stopped() const {
  Failure failure = stop_reason;
  failure.calls = fault.calls.inside(module);
  if (!failure.calls.empty()) failure.call_site = failure.calls.front();
  return failure;
}

Failure RunningKernel::exit_failure(std::string_view function) const {
  Failure failure{
      Failure::Kind::kExit, {}, tr("it calls {}(), which ends the program of the host", function)};
  CallStack here;
  here.capture();
  failure.calls = here.inside(module);
  if (!failure.calls.empty()) failure.call_site = failure.calls.front();
  return failure;
}

std::optional<Failure> run_kernel(Session& session, KernelFunction kernel, const void* args,
                                  std::optional<int> bytes) {
  auto* const function = reinterpret_cast<const void*>(kernel);
  RunningKernel run{.session = session, .function = function, .module = module_of(function)};
  const Listed listed(run);
  const KernelFloatScope float_scope;
  current = &run;
  if (session.arguments != nullptr && args != nullptr) {
    const void* const watched = session.arguments->place(session.core_args());
    if (watched != nullptr) args = watched;
  }
  if (session.phases != nullptr) session.phases->enter(Phase::kKernel);
  const int way = call_until_end(run, kernel, args, bytes);
  if (session.phases != nullptr) session.phases->enter(Phase::kSetUp);
  current = nullptr;
  if (way == RunningKernel::kFaulted) {
    release_streams();
    return crash(run.fault, run.module);
  }
  if (way == RunningKernel::kStopped) return run.stopped();
  return std::move(run.failure);
}

Session* current_session() {
  return current == nullptr ? nullptr : &current->session;
}

void enter_library() {
  if (current != nullptr) current->in_library.store(true, std::memory_order_relaxed);
}

void leave_library() {
  if (current == nullptr) return;
  current->in_library.store(false, std::memory_order_relaxed);
  current->obey_stop();
}

void pass_unless_parked() {
  if (current != nullptr) current->park_if_asked();
}

void set_failure(std::string message, const void* call_site) {
  TL_INTERNAL_CHECK(current != nullptr);
  if (current->failure) return;
  current->failure =
      Failure{Failure::Kind::kCall, {}, std::move(message), call_site, calls_to(call_site)};
}

void end_kernel() {
  current->leave(RunningKernel::kEnded);
}

}  // namespace tensorlane
