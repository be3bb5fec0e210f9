// Sees what a kernel's own code reads and writes through pointers into device memory.
//
// A pointer leads into a second view of the memory, whose pages are closed while accesses of them
// matter to an observer: bytes nobody wrote, commands in flight. The processor faults there; the
// observers hear of the access, the page is opened for that one instruction (trap flag), and closed
// again. A page that matters no more stays open and costs nothing until the next command that works
// in its memory. Engines and the host use the first view, which is always open. Memories get a
// second view when the first pointer into them is taken.
//
// An access costs 5 to 25 us, so only so many are followed; after that the observers hear of the
// first access of a page, then that what happens there goes unseen, and the page opens.
#ifndef TENSORLANE_DEVICE_PROCESSOR_WATCH_H_
#define TENSORLANE_DEVICE_PROCESSOR_WATCH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/observer.h"

namespace tensorlane {

class ProcessorWatch {
 public:
  // Accesses that are followed one by one.
  static constexpr int kFollowedPerLaunch = 1024, kFollowedPerDevice = 1 << 16;
  static constexpr std::uint64_t kPageBytes = 4096;

  // `ready` says whether faults still arrive at follow(): a program may handle them itself.
  ProcessorWatch(DeviceMemory& memory, bool (*ready)());
  ~ProcessorWatch();
  ProcessorWatch(const ProcessorWatch&) = delete;
  ProcessorWatch& operator=(const ProcessorWatch&) = delete;

  // What a kernel gets as the pointer to a byte of a memory; null when accesses cannot be seen.
  std::byte* pointer(Space space, std::uint64_t offset);
  // All that was open may matter again: in the next launch, and to a command in the memories where
  // it works. False where accesses of the launch will not be seen.
  bool launch_begin();
  void command(const Command& command);
  // Opens everything for good.
  void stop();

  // The rest is for signal handlers.
  //
  // The watch that an address belongs to; null for none.
  static ProcessorWatch* of(std::uintptr_t address);
  struct Access {
    std::uintptr_t address;
    bool writes;
    const void* instruction;
    const void* call_site;
    bool own_code;
  };
  // The kernel's thread faulted there. True when stepped() is to be called after the instruction.
  bool follow(const Access& access, std::span<Observer* const> observers);
  // False when no instruction was followed.
  bool stepped(std::span<Observer* const> observers);
  // Somebody faulted there whose accesses are not followed.
  void open(std::uintptr_t address);

 private:
  struct View {
    Space space;
    std::uint64_t bytes;
    std::byte* base;
    std::byte* view;
    std::vector<std::uint64_t> open;  // pages
  };
  // A page that is open for one instruction.
  struct Step {
    View* view = nullptr;
    std::uint64_t page = 0;
    std::uint64_t told_begin = 0, told_end = 0;  // offsets in the page that are known as written
    std::array<std::byte, kPageBytes> before;
  };

  View* find(std::uintptr_t address);
  bool protect(const View& view, std::uint64_t page, std::uint64_t pages, int protection);
  void close(View& view);
  void keep_open(View& view, std::uint64_t page);
  std::uint64_t bytes_of(const Access& access, std::uint64_t room);
  void tell_changes(const Step& step, std::span<Observer* const> observers) const;

  DeviceMemory& memory_;
  bool (*ready_)();
  std::vector<View> views_;  // never grows: handlers look at it
  std::atomic<bool> stopped_ = false;
  int followed_ = 0, followed_in_launch_ = 0;
  const void* site_ = nullptr;      // of the instruction that is followed
  std::uint64_t on_next_page_ = 0;  // bytes of its access
  std::array<Step, 4> steps_;
  std::size_t stepping_ = 0;  // of those
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_PROCESSOR_WATCH_H_
