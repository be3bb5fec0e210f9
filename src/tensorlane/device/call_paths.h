// Which calls inside a kernel led to each of its commands.
//
// A helper that loads a tile is called from many places, and what is wrong with one command of it
// is often wrong at one of these places alone. Walking the stack at every command would cost more
// than most commands; so a walk also notes where on the stack the return addresses lie, counted
// from the frame of the library that asks. Between the same two calls this distance is always the
// same: when a command comes from a known place and the words there hold the known addresses, the
// path is the known one. Frames that change their size (alloca) only cost further walks.
#ifndef TENSORLANE_DEVICE_CALL_PATHS_H_
#define TENSORLANE_DEVICE_CALL_PATHS_H_

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

namespace tensorlane {

class CallPaths {
 public:
  // The first walk reads the tables of the functions it passes: to be called before a launch.
  static void read_tables();
  // The calls of the kernel that runs on this thread, innermost first, as return addresses: the
  // first is `call_site`, which the device function in hand returns to, the last lies in the
  // kernel's own function. `frame`: __builtin_frame_address(0) of a function that this device
  // function always calls in the same way. Empty outside of a launch, and for
  // paths of a call site that come after very many others. What is returned lives as long as this.
  [[gnu::hot]] std::span<const void* const> find(const void* call_site, const void* frame);

 private:
  struct Path {
    std::vector<const void*> calls;
    std::vector<std::ptrdiff_t> slots;  // where each lies, bytes after `frame`; empty: not known
    const void* own_of;  // the kernel whose own call it is: then there is nothing between
    bool is_on_stack(const void* frame, const void* kernel) const;
  };
  static constexpr std::size_t kMost = 256;  // of one call site

  std::unordered_map<const void*, std::vector<Path>> paths_;  // by call site
};

// The same by a walk, for the call of a device function in hand; `call_site` alone when it is not
// on the stack of this thread.
std::vector<const void*> calls_to(const void* call_site);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_CALL_PATHS_H_
