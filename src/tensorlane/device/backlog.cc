#include "tensorlane/device/backlog.h"

#include <algorithm>
#include <utility>

namespace tensorlane {

bool Backlog::comes_before(const Item& earlier, const Item& later) {
  using Kind = MessageEvent::Kind;
  const MessageEvent &one = earlier.message, &other = later.message;
  const bool joins = (!earlier.command && one.kind == Kind::kJoin) ||
                     (!later.command && other.kind == Kind::kJoin);
  if (joins || one.engine == other.engine) return true;
  if (one.region >= 0 && one.region == other.region) return false;
  return earlier.command || later.command;
}

bool Backlog::is_free(std::size_t number) const {
  return std::none_of(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(number),
                      [&](const Item& earlier) { return comes_before(earlier, items_[number]); });
}

bool Backlog::has(Engine engine) const {
  return std::ranges::any_of(items_,
                             [&](const Item& item) { return item.message.engine == engine; });
}

bool Backlog::holds(const Item& item) const {
  return std::ranges::any_of(items_,
                             [&](const Item& earlier) { return comes_before(earlier, item); });
}

bool Backlog::run(const Run& run) {
  bool any = false;
  for (std::size_t k = 0; k < items_.size();) {
    if (is_free(k) && run(items_[k])) {
      items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(k));
      any = true;
      k = 0;  // others may be free now
    } else if (items_[k].command && items_[k].message.region < 0) {
      break;  // everything behind comes after it
    } else {
      ++k;
    }
  }
  return any;
}

bool Backlog::can_run(const Run& can) const {
  for (std::size_t k = 0; k < items_.size(); ++k) {
    if (is_free(k) && can(items_[k])) return true;
    if (items_[k].command && items_[k].message.region < 0) break;
  }
  return false;
}

std::vector<const MessageEvent*> Backlog::waits() const {
  std::vector<const MessageEvent*> waits;
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const Item& item = items_[k];
    if (!item.command && item.message.kind == MessageEvent::Kind::kWait && is_free(k))
      waits.push_back(&item.message);
    if (item.command && item.message.region < 0) break;
  }
  return waits;
}

}  // namespace tensorlane
