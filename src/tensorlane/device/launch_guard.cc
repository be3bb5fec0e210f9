#include "tensorlane/device/launch_guard.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/device/argument_area.h"
#include "tensorlane/device/call_paths.h"
#include "tensorlane/device/guard_thread.h"
#include "tensorlane/device/own_code.h"

namespace tensorlane {
namespace {

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
constexpr std::size_t kSignals = kFaults.size() + kInterrupts.size() + 2;

// What the handlers need. Made once, never destroyed: they may be called until the very end.
struct Guard {
  GuardThread thread;
  OwnCode own_code;
  pid_t process = getpid();
  std::array<std::pair<int, struct sigaction>, kSignals> before{};  // what the program had
  std::size_t taken = 0;                                            // of those
  std::atomic<bool> dying = false;
  Fault host_fault;
};
Guard* guard = nullptr;

// Of this thread; handlers read it. Where to go on when a walk over a broken stack faults.
[[gnu::tls_model("initial-exec")]] constinit thread_local std::jmp_buf* walk_escape = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local StackBounds stack_bounds;

// A signal's own stack, for handlers that run when the thread's is used up.
class SignalStack {
 public:
  SignalStack() {
    stack_t before{};
    if (sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
    memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    stack_t own{};
    own.ss_sp = memory_;
    own.ss_size = kBytes;
    sigaltstack(&own, nullptr);
  }
  ~SignalStack() {
    if (memory_ == MAP_FAILED) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory_, kBytes);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 1 << 18;
  void* memory_ = MAP_FAILED;
};

void watch_this_thread() {
  static thread_local const SignalStack stack;
  if (stack_bounds.end == 0) stack_bounds = stack_of_this_thread();
  CallStack().capture();  // the first walk reads tables: not within a launch
  CallPaths::read_tables();
}

void give_back(int signal) {
  for (std::size_t k = 0; k < guard->taken; ++k) {
    if (guard->before[k].first == signal) sigaction(signal, &guard->before[k].second, nullptr);
  }
}

void capture_calls(CallStack& calls, const void* context) {
  std::jmp_buf escape;
  if (setjmp(escape) == 0) {  // NOLINT(cert-err52-cpp): a signal handler
    walk_escape = &escape;
    calls.capture(context);
  }
  walk_escape = nullptr;
}

// The signal once more, now with the action the program had; the processor's own come again by
// themselves when the handler returns.
void end_by(int signal, const siginfo_t& info) {
  give_back(signal);
  if (info.si_code <= 0) raise(signal);
}

// The observers hear of an access of this thread's kernel; it is not to be left meanwhile.
template <class Tell>
void tell_of_access(RunningKernel& run, Tell tell) {
  run.park_if_asked();
  run.in_library = true;
  tell();
  run.in_library = false;
}

// The page behind the arguments of this thread's kernel.
bool is_behind_arguments(int signal, const siginfo_t& info, void* context) {
  RunningKernel* const run = running_kernel();
  if (signal != SIGSEGV || run == nullptr || run->session.arguments == nullptr) return false;
  ArgumentArea& arguments = *run->session.arguments;
  const auto excess = arguments.excess(reinterpret_cast<std::uintptr_t>(info.si_addr));
  if (!excess) return false;
  arguments.open();
  CallStack calls;
  capture_calls(calls, context);
  const std::vector<const void*> inside = calls.inside(run->module);
  const void* const site = inside.empty() ? run->function : inside.front();
  const auto tell = [&] {
    for (Observer* observer : run->session.observers)
      observer->arguments_exceeded({run->session.core_args().size() + *excess, site});
  };
  // Where a device function reads what a pointer of the kernel leads to, nothing is held that the
  // observers would need.
  if (run->in_library) {
    tell();
  } else {
    tell_of_access(*run, tell);
  }
  return true;
}

#if defined(__x86_64__)
// A closed page of device memory; see processor_watch.h.
bool is_seen_access(int signal, const siginfo_t& info, void* context) {
  if (signal != SIGSEGV || info.si_code != SEGV_ACCERR) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  ProcessorWatch* const watch = ProcessorWatch::of(address);
  if (watch == nullptr) return false;
  RunningKernel* const run = running_kernel();
  if (run == nullptr || run->in_library || run->session.watch != watch) {
    watch->open(address);
    return true;
  }
  tell_of_access(*run, [&] {
    constexpr greg_t kWriteBit = 2, kTrapFlag = 0x100;
    gregset_t& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const auto* const instruction = reinterpret_cast<const std::byte*>(registers[REG_RIP]);
    ProcessorWatch::Access access{address, (registers[REG_ERR] & kWriteBit) != 0, instruction,
                                  instruction + 1, run->module.contains(instruction)};
    if (!access.own_code) {
      CallStack calls;
      capture_calls(calls, context);
      const std::vector<const void*> inside = calls.inside(run->module);
      if (!inside.empty()) access.call_site = inside.front();
    }
    if (watch->follow(access, run->session.observers)) registers[REG_EFL] |= kTrapFlag;
  });
  return true;
}

// After an instruction that is_seen_access() let through.
void on_step(int signal, siginfo_t*, void* context) {
  const int error = errno;
  RunningKernel* const run = running_kernel();
  bool followed = false;
  if (run != nullptr && run->session.watch != nullptr) {
    constexpr greg_t kTrapFlag = 0x100;
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
    tell_of_access(*run, [&] { followed = run->session.watch->stepped(run->session.observers); });
  }
  errno = error;
  if (followed) return;
  give_back(signal);
  raise(signal);
}
#endif

void on_fault(int signal, siginfo_t* info, void* context) {
  if (walk_escape != nullptr) std::longjmp(*walk_escape, 1);  // NOLINT(cert-err52-cpp)
  const int error = errno;
#if defined(__x86_64__)
  if (is_seen_access(signal, *info, context)) {
    errno = error;
    return;
  }
#endif
  if (is_behind_arguments(signal, *info, context)) {
    errno = error;
    return;
  }
  RunningKernel* const run = running_kernel();
  if (guard->thread.is_this_thread() || getpid() != guard->process) return end_by(signal, *info);
  const bool sent_by_others = info->si_code <= 0 && info->si_pid != guard->process;
  Fault& fault = run == nullptr ? guard->host_fault : run->fault;
  if (run == nullptr && guard->dying) {
    while (true) pause();  // the fault that came first ends the process
  }
  fault.note(signal, *info, context, stack_bounds);
  capture_calls(fault.calls, context);
  if (run != nullptr && !sent_by_others && guard->own_code.faulted(*run, fault.calls)) {
    errno = error;
    run->leave(RunningKernel::kFaulted);
  }
  if (guard->dying.exchange(true)) {
    while (true) pause();
  }
  guard->thread.report_fault(run, fault);
  errno = error;
  end_by(signal, *info);
}

void on_stop(int, siginfo_t*, void* context) {
  RunningKernel* const run = running_kernel();
  if (run == nullptr || run->stop == RunningKernel::Stop::kNo) return;
  const int error = errno;
  capture_calls(run->fault.calls, context);
  if (guard->own_code.interrupted(*run, run->fault.calls)) run->leave(RunningKernel::kStopped);
  errno = error;
}

void on_interrupt(int signal, siginfo_t*, void*) {
  if (guard->thread.is_this_thread()) return;  // nobody reads what it says
  const int error = errno;
  if (getpid() != guard->process || !guard->thread.interrupt(signal)) {
    give_back(signal);
    raise(signal);
  }
  // By default this thread would not go on, say after a pause(). A kernel's has to, until it is
  // stopped; others do when the end takes long, should they hold a lock that it needs.
  constexpr int kStandStillMs = 3000;
  if (running_kernel() == nullptr) poll(nullptr, 0, kStandStillMs);
  errno = error;
}

// Leaves alone what the program handles or ignores, unless `handled` signals are wanted too.
void take(int signal, void (*handler)(int, siginfo_t*, void*), bool handled) {
  struct sigaction before = {}, action = {};
  sigaction(signal, nullptr, &before);
  const bool unhandled = (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL;
  if (!unhandled && !handled) return;
  action.sa_sigaction = handler;
  // Handlers are left with longjmp: no signal is to stay blocked. No SA_RESTART: a kernel that
  // sleeps shall wake up.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  guard->before[guard->taken++] = {signal, before};
  sigaction(signal, &action, nullptr);
}

void give_all_back() {
  for (std::size_t k = 0; k < guard->taken; ++k)
    sigaction(guard->before[k].first, &guard->before[k].second, nullptr);
  guard->taken = 0;
}

// A debugger wants the signals itself; under Valgrind and the sanitizers they mean other things.
bool others_watch() {
  constexpr const char* kSanitizers[] = {"__asan_init", "__tsan_init", "__msan_init",
                                         "__ubsan_handle_add_overflow", "__lsan_init"};
  for (const char* symbol : kSanitizers) {
    if (dlsym(RTLD_DEFAULT, symbol) != nullptr) return true;
  }
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (preloaded != nullptr && std::string(preloaded).find("vgpreload") != std::string::npos)
    return true;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("TracerPid:")) return std::stoi(line.substr(10)) != 0;
  }
  return false;
}

void install(GuardedSignals signals) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (guard != nullptr && guard->process == getpid()) return;
  const bool first = guard == nullptr;
  guard = new Guard;
  const bool faults_only = signals == GuardedSignals::kFaults;
  for (const int signal : kFaults) take(signal, on_fault, faults_only);
  if (!faults_only) {
    for (const int signal : kInterrupts) take(signal, on_interrupt, false);
  }
#if defined(__x86_64__)
  take(SIGTRAP, on_step, false);
#endif
  take(GuardThread::kStopSignal, on_stop, false);
  // The child of a fork has no guard thread: it behaves as it would without us.
  if (first) pthread_atfork(nullptr, nullptr, give_all_back);
}

// Knows when a device ends.
class GuardedDevice : public Observer {
 public:
  explicit GuardedDevice(Device& device) : device_(device) { guard->thread.add(device_); }
  ~GuardedDevice() override { guard->thread.remove(device_); }
  GuardedDevice(const GuardedDevice&) = delete;
  GuardedDevice& operator=(const GuardedDevice&) = delete;

 private:
  Device& device_;
};

}  // namespace

void guard_launches(Device& device, const LaunchLimit& limit, GuardedSignals signals) {
  if (others_watch()) return;
  install(signals);
  watch_this_thread();
  if (limit.time.count() > 0) guard->thread.set_limit(limit);
  device.on_thread_start(watch_this_thread);
  device.add_observer(std::make_unique<GuardedDevice>(device));
}

void watch_arguments(Device& device) {
  const auto ready = [] {
    struct sigaction action = {};
    return getpid() == guard->process && sigaction(SIGSEGV, nullptr, &action) == 0 &&
           action.sa_sigaction == on_fault;
  };
  if (guard != nullptr && ready()) device.watch_arguments(ready);
}

bool watch_processor([[maybe_unused]] Device& device) {
#if defined(__x86_64__)
  const auto ready = [] {
    const auto is_ours = [](int signal, void (*handler)(int, siginfo_t*, void*)) {
      struct sigaction action = {};
      return sigaction(signal, nullptr, &action) == 0 && action.sa_sigaction == handler;
    };
    return getpid() == guard->process && is_ours(SIGSEGV, on_fault) && is_ours(SIGTRAP, on_step);
  };
  if (guard == nullptr || !ready()) return false;
  device.watch_processor(ready);
  return true;
#else
  return false;
#endif
}

void stop_launch(const Device& device) {
  if (guard != nullptr && getpid() == guard->process) guard->thread.stop_launch(device);
}

void process_ends(std::string_view function) {
  if (guard == nullptr || getpid() != guard->process) return;
  RunningKernel* const run = running_kernel();
  if (run == nullptr) return guard->thread.end_devices(nullptr, {});
  guard->thread.end_devices(run, run->exit_failure(function));
}

}  // namespace tensorlane
