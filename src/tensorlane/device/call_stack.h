// The calls on a thread's stack, and the module an address lies in: what says where a fault is and
// whose it is.
#ifndef TENSORLANE_DEVICE_CALL_STACK_H_
#define TENSORLANE_DEVICE_CALL_STACK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tensorlane {

// The addresses of a program or shared library.
struct Module {
  std::uintptr_t begin = 0, end = 0;
  bool contains(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at < end;
  }
};
// The module that `address` lies in; empty when there is none. Not for signal handlers.
Module module_of(const void* address);

// Return addresses, innermost first. Of the instruction that a signal interrupted there is the
// address after its first byte, so that find_source_location finds every one of them.
class CallStack {
 public:
  std::span<const void* const> frames() const { return {frames_.data(), count_}; }

  // Of the caller. Allocates nothing; safe in signal handlers, where the frames between are left
  // out: `interrupted` is then the context that the handler was given.
  void capture(const void* interrupted = nullptr);
  // The frames inside `module`.
  std::vector<const void*> inside(const Module& module) const;

 private:
  static constexpr std::size_t kMost = 64;
  friend struct Walk;
  std::array<const void*, kMost> frames_;
  std::size_t count_ = 0;
};

// The first instruction of the function that `return_address` returns into; null when unknown.
const void* function_of(const void* return_address);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_CALL_STACK_H_
