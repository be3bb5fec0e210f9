#include "tensorlane/trail/shadow_memory.h"

#include <algorithm>
#include <utility>

namespace tensorlane::trail {

const Shadow* ShadowMemory::find(Space space, std::int64_t offset, Dtype dtype) const {
  const Page* const found = page(key(space, offset / kPage));
  return found == nullptr ? nullptr : held_at(*found, offset % kPage, dtype);
}

void ShadowMemory::refine(Page& page, std::int64_t step) {
  std::vector<Shadow> finer(static_cast<std::size_t>(kPage / step));
  const auto times = static_cast<std::size_t>(page.step / step);
  for (std::size_t i = 0; i < page.shadows.size(); ++i) finer[i * times] = page.shadows[i];
  page.shadows = std::move(finer);
  page.step = step;
}

// Made where there is none.
ShadowMemory::Page& ShadowMemory::page_for(std::uint64_t number, std::int64_t width) {
  if (Page* const found = page(number)) return *found;
  Page& made = *pages_.emplace(number, std::make_unique<Page>()).first->second;
  made.step = width;
  made.shadows.resize(static_cast<std::size_t>(kPage / width));
  return made;
}

void ShadowMemory::write(Space space, std::int64_t offset, Dtype dtype, const Shadow* shadow) {
  const std::int64_t width = dtype_bytes(dtype);
  const std::uint64_t number = key(space, offset / kPage);
  if (shadow == nullptr && page(number) == nullptr) return;
  Page& page = page_for(number, width);
  const std::int64_t at = offset % kPage;
  std::int64_t step = std::min(page.step, width);
  while (at % step != 0) step /= 2;
  if (step < page.step) refine(page, step);
  clear(page, at, at + width);
  if (shadow != nullptr) page.shadows[static_cast<std::size_t>(at / page.step)] = *shadow;
}

void ShadowMemory::write_row(const Row& row, std::span<const Shadow> shadows) {
  const std::int64_t width = dtype_bytes(row.dtype);
  each_page(row, [&](std::uint64_t number, std::int64_t at, std::int64_t begin, std::int64_t end) {
    const auto part =
        shadows.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    if (page(number) == nullptr &&
        std::ranges::none_of(part, [](const Shadow& each) { return each.type != 0; }))
      return;
    Page& page = page_for(number, width);
    if (row.step == width && page.step == width && at % width == 0) {
      clear(page, at, at + 1);  // what begins before it
      std::ranges::copy(part, page.shadows.begin() + at / width);
      return;
    }
    const std::int64_t first = row.offset + begin * row.step;
    for (std::size_t i = 0; i < part.size(); ++i)
      write(row.space, first + static_cast<std::int64_t>(i) * row.step, row.dtype,
            part[i].type == 0 ? nullptr : &part[i]);
  });
}

// Those with any byte in [begin, end) of the page.
void ShadowMemory::clear(Page& page, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kWidest = 4;
  const std::int64_t first = std::max<std::int64_t>(0, begin - kWidest + 1) / page.step;
  const std::int64_t last = std::min((end + page.step - 1) / page.step, kPage / page.step);
  for (std::int64_t i = first; i < last; ++i) {
    Shadow& shadow = page.shadows[static_cast<std::size_t>(i)];
    if (shadow.type == 0) continue;
    const std::int64_t width = dtype_bytes(static_cast<Dtype>(shadow.type - 1));
    if (i * page.step + width > begin && i * page.step < end) shadow.type = 0;
  }
}

void ShadowMemory::forget(Space space, std::int64_t begin, std::int64_t end) {
  const auto clear_page = [&](std::int64_t number, Page& page) {
    clear(page, begin - number * kPage, end - number * kPage);
  };
  // An allocation may have more pages than there are shadows.
  if (static_cast<std::size_t>((end - begin) / kPage) > pages_.size()) {
    for (auto& [number, page] : pages_) {
      if ((number & 7) == static_cast<std::uint64_t>(space))
        clear_page(static_cast<std::int64_t>(number >> 3), *page);
    }
    return;
  }
  for (std::int64_t number = begin / kPage; number * kPage < end; ++number) {
    const auto found = pages_.find(key(space, number));
    if (found != pages_.end()) clear_page(number, *found->second);
  }
}

bool ShadowMemory::any(Space space, std::int64_t begin, std::int64_t end) const {
  const auto inside = [&](std::uint64_t number) {
    const auto at = static_cast<std::int64_t>(number >> 3) * kPage;
    return (number & 7) == static_cast<std::uint64_t>(space) && at < end && at + kPage > begin;
  };
  if (static_cast<std::size_t>((end - begin) / kPage) > pages_.size())
    return std::ranges::any_of(pages_, [&](const auto& page) { return inside(page.first); });
  for (std::int64_t number = begin / kPage; number * kPage < end; ++number) {
    if (pages_.contains(key(space, number))) return true;
  }
  return false;
}

}  // namespace tensorlane::trail
