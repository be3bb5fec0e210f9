#include "tensorlane/device/call_stack.h"

#include <link.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>

namespace tensorlane {
namespace {

struct Registers {
  std::uintptr_t instruction, stack;
};

Registers registers_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {machine.pc, machine.sp};
#else
#error "the registers of an interrupted thread are unknown here"
#endif
}

// Where the function that `context` is in returns to, when it has not yet touched the stack.
const void* return_address_of(const void* context) {
#if defined(__aarch64__)
  return reinterpret_cast<const void*>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.regs[30]);
#else
  return *reinterpret_cast<const void* const*>(registers_of(context).stack);
#endif
}

}  // namespace

struct Walk {
  CallStack& calls;
  std::uintptr_t from;  // the interrupted instruction; 0: all frames
  bool reached;

  void add(const void* return_address) const {
    if (calls.count_ < CallStack::kMost) calls.frames_[calls.count_++] = return_address;
  }
  static _Unwind_Reason_Code step(_Unwind_Context* context, void* self) {
    auto& walk = *static_cast<Walk*>(self);
    int exact = 0;  // the address is that of the instruction, not the one after a call
    const std::uintptr_t at = _Unwind_GetIPInfo(context, &exact);
    if (!walk.reached && at == walk.from) walk.reached = true;
    if (walk.reached) walk.add(reinterpret_cast<const void*>(at + (exact != 0 ? 1 : 0)));
    return walk.calls.count_ < CallStack::kMost ? _URC_NO_REASON : _URC_END_OF_STACK;
  }
};

Module module_of(const void* address) {
  struct Search {
    const void* address;
    Module found;
  } search{address, {}};
  // The last answer, and how many modules had come and gone by then: a program that has many of
  // them asks for the same one at every launch.
  struct Last {
    unsigned long long added = 0, removed = 0;
    Module module;
  };
  static thread_local Last last;
  const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    if (info->dlpi_adds == last.added && info->dlpi_subs == last.removed &&
        last.module.contains(wanted.address)) {
      wanted.found = last.module;
      return 1;
    }
    Module module{UINTPTR_MAX, 0};
    for (int k = 0; k < info->dlpi_phnum; ++k) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[k];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      module.begin = std::min(module.begin, begin);
      module.end = std::max(module.end, begin + segment.p_memsz);
    }
    if (!module.contains(wanted.address)) return 0;
    wanted.found = module;
    last = {info->dlpi_adds, info->dlpi_subs, module};
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

void CallStack::capture(const void* interrupted) {
  count_ = 0;
  const std::uintptr_t from = interrupted == nullptr ? 0 : registers_of(interrupted).instruction;
  Walk walk{*this, from, interrupted == nullptr};
  _Unwind_Backtrace(Walk::step, &walk);
  if (interrupted == nullptr) return;
  if (count_ == 0) walk.add(reinterpret_cast<const void*>(from + 1));
  // A call through a wild pointer has left no frame: its caller is all that can be known.
  if (count_ == 1 && function_of(frames_[0]) == nullptr) walk.add(return_address_of(interrupted));
}

std::vector<const void*> CallStack::inside(const Module& module) const {
  std::vector<const void*> found;
  std::ranges::copy_if(frames(), std::back_inserter(found),
                       [&](const void* frame) { return module.contains(frame); });
  return found;
}

const void* function_of(const void* return_address) {
  return _Unwind_FindEnclosingFunction(const_cast<void*>(return_address));
}

}  // namespace tensorlane
