#include "lsp/inbox.h"

#include <utility>

namespace tensorlane::lsp {

std::optional<Json> cancelled_id(const Json& message) {
  if (!message.is_object()) return std::nullopt;
  const Json* const method = message.find("method");
  if (method == nullptr || !method->is_string() || method->text() != "$/cancelRequest")
    return std::nullopt;
  const Json* const params = message.find("params");
  const Json* const id = params != nullptr && params->is_object() ? params->find("id") : nullptr;
  return id == nullptr ? std::nullopt : std::optional(*id);
}

void Inbox::add(Item item) {
  const std::lock_guard lock(mutex_);
  if (item.message) {
    if (const std::optional<Json> id = cancelled_id(*item.message)) {
      for (Item& waiting : items_) {
        const Json* const other =
            waiting.message && waiting.message->is_object() ? waiting.message->find("id") : nullptr;
        if (other != nullptr && *other == *id && waiting.message->contains("method"))
          waiting.cancelled = true;
      }
    }
  }
  items_.push_back(std::move(item));
  added_.notify_one();
}

Item Inbox::take() {
  std::unique_lock lock(mutex_);
  added_.wait(lock, [&] { return !items_.empty(); });
  Item item = std::move(items_.front());
  items_.pop_front();
  return item;
}

}  // namespace tensorlane::lsp
