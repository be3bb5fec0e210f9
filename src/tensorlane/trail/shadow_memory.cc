#include "tensorlane/trail/shadow_memory.h"

#include <algorithm>
#include <utility>

namespace tensorlane::trail {

void Blame::add(std::uint16_t of, double part) {
  if (part == 0 || std::isnan(part)) return;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] != of) continue;
    amount[k] += static_cast<float>(part);
    if (k == 1 && std::abs(amount[1]) > std::abs(amount[0])) {
      std::swap(line[0], line[1]);
      std::swap(amount[0], amount[1]);
    }
    return;
  }
  if (line[0] == kNobody || std::abs(part) > std::abs(amount[0])) {
    line[1] = line[0];
    amount[1] = amount[0];
    line[0] = of;
    amount[0] = static_cast<float>(part);
  } else if (line[1] == kNobody || std::abs(part) > std::abs(amount[1])) {
    line[1] = of;
    amount[1] = static_cast<float>(part);
  }
}

const Shadow* ShadowMemory::find(Space space, std::int64_t offset, Dtype dtype) const {
  const Page* const found = page(key(space, offset / kPage));
  if (found == nullptr) return nullptr;
  const Page& page = *found;
  const std::int64_t at = offset % kPage;
  if (at % page.step != 0) return nullptr;
  const Shadow& shadow = page.shadows[static_cast<std::size_t>(at / page.step)];
  if (shadow.type == 0) return nullptr;
  const auto held = static_cast<Dtype>(shadow.type - 1);
  // Copies move bits of a width, whatever they mean.
  const bool raw = dtype <= Dtype::kX32;
  return held == dtype || (raw && dtype_bits(held) == dtype_bits(dtype)) ? &shadow : nullptr;
}

void ShadowMemory::refine(Page& page, std::int64_t step) {
  std::vector<Shadow> finer(static_cast<std::size_t>(kPage / step));
  const auto times = static_cast<std::size_t>(page.step / step);
  for (std::size_t i = 0; i < page.shadows.size(); ++i) finer[i * times] = page.shadows[i];
  page.shadows = std::move(finer);
  page.step = step;
}

void ShadowMemory::write(Space space, std::int64_t offset, Dtype dtype, const Shadow* shadow) {
  const std::int64_t width = dtype_bytes(dtype);
  const std::uint64_t number = key(space, offset / kPage);
  Page* found = page(number);
  if (found == nullptr) {
    if (shadow == nullptr) return;
    found = pages_.emplace(number, std::make_unique<Page>()).first->second.get();
    found->step = width;
    found->shadows.resize(static_cast<std::size_t>(kPage / width));
  }
  Page& page = *found;
  const std::int64_t at = offset % kPage;
  std::int64_t step = std::min(page.step, width);
  while (at % step != 0) step /= 2;
  if (step < page.step) refine(page, step);
  clear(page, at, at + width);
  if (shadow != nullptr) page.shadows[static_cast<std::size_t>(at / page.step)] = *shadow;
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
