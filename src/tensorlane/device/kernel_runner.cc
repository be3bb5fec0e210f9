#include "tensorlane/device/kernel_runner.h"

#include <cfenv>
#include <csetjmp>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

struct Running {
  Session* session;
  std::jmp_buf escape;
  std::optional<Failure> failure;
};

thread_local Running* running = nullptr;

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
void call_kernel(Running& state, KernelFunction kernel, const void* args) {
  if (setjmp(state.escape) == 0) kernel(args);  // NOLINT(cert-err52-cpp): kernels are C
}

}  // namespace

std::optional<Failure> run_kernel(Session& session, KernelFunction kernel, const void* args) {
  Running state{&session, {}, std::nullopt};
  const KernelFloatScope float_scope;
  running = &state;
  call_kernel(state, kernel, args);
  running = nullptr;
  return std::move(state.failure);
}

Session* current_session() {
  return running == nullptr ? nullptr : running->session;
}

void set_failure(std::string message, const void* call_site) {
  TL_INTERNAL_CHECK(running != nullptr);
  if (!running->failure) running->failure = Failure{{}, std::move(message), call_site};
}

void end_kernel() {
  std::longjmp(running->escape, 1);
}  // NOLINT(cert-err52-cpp)

}  // namespace tensorlane
