#include "tensorlane/device/touched_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tensorlane {
namespace {

constexpr std::size_t kPageBytes = 4096;

}  // namespace

bool for_each_touched(const std::byte* base, std::size_t bytes,
                      const std::function<void(std::size_t begin, std::size_t end)>& f) {
  constexpr std::uint64_t kPresent = 1ull << 63, kSwapped = 1ull << 62;
  const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (map < 0) return false;
  const std::size_t pages = bytes / kPageBytes;
  std::vector<std::uint64_t> entries(std::min(pages, std::size_t{1} << 16));
  std::size_t begin = 0, end = 0;  // of the stretch in hand
  bool known = true;
  for (std::size_t page = 0; known && page < pages;) {
    const std::size_t wanted = std::min(entries.size(), pages - page);
    const auto at =
        (reinterpret_cast<std::uintptr_t>(base) / kPageBytes + page) * sizeof entries[0];
    const ssize_t got =
        pread(map, entries.data(), wanted * sizeof entries[0], static_cast<off_t>(at));
    known = got >= static_cast<ssize_t>(sizeof entries[0]);
    const std::size_t count = known ? static_cast<std::size_t>(got) / sizeof entries[0] : 0;
    for (std::size_t k = 0; k < count; ++k) {
      if ((entries[k] & (kPresent | kSwapped)) == 0) continue;
      const std::size_t touched = (page + k) * kPageBytes;
      if (touched != end) {
        if (begin < end) f(begin, end);
        begin = touched;
      }
      end = touched + kPageBytes;
    }
    page += count;
  }
  close(map);
  if (begin < end) f(begin, end);
  return known;
}

}  // namespace tensorlane
