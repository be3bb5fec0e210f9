#include "tensorlane/device/throw_place.h"

#include <unwind.h>

#include <cstdint>

#if defined(__x86_64__)

namespace {
thread_local tensorlane::CallStack* noted = nullptr;
}  // namespace

// The personality of the frame below; it never handles anything.
extern "C" __attribute__((visibility("hidden"))) _Unwind_Reason_Code tensorlane_note_throw(
    int, _Unwind_Action actions, std::uint64_t, _Unwind_Exception*, _Unwind_Context*) {
  if ((actions & _UA_SEARCH_PHASE) != 0 && noted != nullptr) noted->capture();
  return _URC_CONTINUE_UNWIND;
}

extern "C" __attribute__((visibility("hidden"))) void tensorlane_call_kernel(
    tensorlane::KernelFunction kernel, const void* args, int bytes);

// 0x1b: the personality lies at a 32-bit distance.
asm(R"(
  .pushsection .text
  .p2align 4
  .globl tensorlane_call_kernel
  .hidden tensorlane_call_kernel
  .type tensorlane_call_kernel, @function
tensorlane_call_kernel:
  .cfi_startproc
  .cfi_personality 0x1b, tensorlane_note_throw
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq %rdi, %rax
  movq %rsi, %rdi
  movl %edx, %esi
  call *%rax
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size tensorlane_call_kernel, .-tensorlane_call_kernel
  .popsection
)");

namespace tensorlane {

void call_noting_throws(KernelFunction kernel, const void* args, int bytes, CallStack& thrown) {
  noted = &thrown;
  tensorlane_call_kernel(kernel, args, bytes);
}

const void* caller_of_kernels() {
  return reinterpret_cast<const void*>(tensorlane_call_kernel);
}

}  // namespace tensorlane

#else

namespace tensorlane {

void call_noting_throws(KernelFunction kernel, const void* args, int bytes, CallStack&) {
  auto* const with_bytes =
      reinterpret_cast<void (*)(const void*, int)>(reinterpret_cast<void*>(kernel));
  with_bytes(args, bytes);
}

const void* caller_of_kernels() {
  return nullptr;
}

}  // namespace tensorlane

#endif
