// Where a kernel finds its arguments when it is watched: they end where a closed page begins, so
// that what it reads behind them is seen.
//
// The first such access opens the page, which holds zeros, for the rest of the launch: the kernel
// goes on, and hears nothing of it.
#ifndef TENSORLANE_DEVICE_ARGUMENT_AREA_H_
#define TENSORLANE_DEVICE_ARGUMENT_AREA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tensorlane {

class ArgumentArea {
 public:
  ArgumentArea();
  ~ArgumentArea();
  ArgumentArea(const ArgumentArea&) = delete;
  ArgumentArea& operator=(const ArgumentArea&) = delete;

  // A copy of the block for a launch that begins; null where there is no room for it. It is as
  // aligned as its size.
  const void* place(std::span<const std::byte> block);

  // The rest is for signal handlers: how far behind the end of the block an address of the closed
  // page lies; nothing for others and where the page is open.
  std::optional<std::size_t> excess(std::uintptr_t address) const;
  void open();

 private:
  std::byte* memory_ = nullptr;  // pages for the block, then the closed one
  std::atomic<bool> open_ = false;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_ARGUMENT_AREA_H_
