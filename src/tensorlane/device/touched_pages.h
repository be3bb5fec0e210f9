// Which pages of an anonymous mapping anybody touched. The others are zero, and reading them would
// take memory.
#ifndef TENSORLANE_DEVICE_TOUCHED_PAGES_H_
#define TENSORLANE_DEVICE_TOUCHED_PAGES_H_

#include <cstddef>
#include <functional>

namespace tensorlane {

// Calls f(begin, end) for each stretch of touched pages of `bytes` bytes from `base`, which begin
// with a page; `bytes` counts whole pages. False where Linux does not tell (no /proc, say): then
// some stretches or none were told.
bool for_each_touched(const std::byte* base, std::size_t bytes,
                      const std::function<void(std::size_t begin, std::size_t end)>& f);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_TOUCHED_PAGES_H_
