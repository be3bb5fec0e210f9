// What waits to be done by the server, in the order in which it came: messages of the client, and
// ends of programs that it started. One thread takes them; the reader and the programs add to them.
//
// A request that the client cancels while it waits here comes out marked, so that it is answered
// without its work being done.
#ifndef TENSORLANE_TOOLS_LSP_INBOX_H_
#define TENSORLANE_TOOLS_LSP_INBOX_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "tensorlane/json/json.h"

namespace tensorlane::lsp {

struct Item {
  std::optional<Json> message;  // of the client, when it was JSON
  std::string damage;           // why there is no message
  std::function<void()> done;   // what a program leaves to do
  bool cancelled = false;
  bool end = false;  // the client is gone
};

class Inbox {
 public:
  // A notification of cancellation marks the request it names, if that waits here, and is added all
  // the same: the request may have begun.
  void add(Item item);
  Item take();

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Item> items_;
};

// "$/cancelRequest", and what it names.
std::optional<Json> cancelled_id(const Json& message);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_INBOX_H_
