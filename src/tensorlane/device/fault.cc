#include "tensorlane/device/fault.h"
#include "tensorlane/base/language.h"

#include <fmt/format.h>
#include <pthread.h>
#include <ucontext.h>

#include <cstring>

namespace tensorlane {
namespace {

// Functions with large frames jump over the guard page; where they land is not far away.
constexpr std::uintptr_t kBeyondStack = 1 << 16;

bool is_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;  // of the page fault's error code
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0;
#else
  return false;
#endif
}

std::string access_text(const Fault& fault) {
  // The processor gives no address for those that are no addresses at all.
  if (fault.code == SI_KERNEL) return tr("accesses an address that no program can have");
#if defined(__x86_64__)
  return fault.writes ? tr("writes to the address {:#x}", fault.address)
                      : tr("reads the address {:#x}", fault.address);
#else
  return tr("accesses the address {:#x}", fault.address);
#endif
}

}  // namespace

StackBounds stack_of_this_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* begin = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  return {address, address + bytes};
}

void Fault::note(int number, const siginfo_t& info, const void* context, const StackBounds& stack) {
  signal = number;
  code = info.si_code;
  address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  writes = is_write(context);
  stack_bytes = stack.end - stack.begin;
  stack_overflow = number == SIGSEGV && code > 0 && stack_bytes > 0 &&
                   address + kBeyondStack >= stack.begin && address < stack.begin + kBeyondStack;
}

std::string fault_text(const Fault& fault) {
  if (fault.stack_overflow)
    return tr("stack overflow: its calls need more than the {} KiB there are",
              fault.stack_bytes >> 10);
  switch (fault.signal) {
    case SIGSEGV:
      return tr("segmentation fault: {}", access_text(fault));
    case SIGBUS:
      return tr("bus error: {}", access_text(fault));
    case SIGFPE:
      return fault.code == FPE_INTDIV
                 ? tr("integer division by zero, or one whose result is too large")
                 : tr("arithmetic exception");
    case SIGILL:
      return tr("illegal instruction; compilers end with one what must not be reached");
    case SIGABRT:
      return tr("abort() was called, as assert() and the checks of the C library do");
    default:
      return tr("signal {} ({})", fault.signal, strsignal(fault.signal));
  }
}

Failure crash(const Fault& fault, const Module& kernel_module) {
  Failure failure{Failure::Kind::kCrash, {}, fault_text(fault)};
  failure.calls = fault.calls.inside(kernel_module);
  if (!failure.calls.empty()) {
    failure.call_site = failure.calls.front();
  } else if (!fault.calls.frames().empty()) {
    failure.call_site = fault.calls.frames().front();
  }
  return failure;
}

}  // namespace tensorlane
