// What a core's engines have been given and cannot do yet, because one of them waits for a message.
//
// What waits for what:
//
//   on one engine       everything keeps its order
//   outside of regions  a command comes after all that was issued before it, on whichever engine;
//                       a message comes after the commands before it, but not after messages of
//                       other engines (choice: else the barriers that a BM1688 model runs would not
//                       end)
//   inside a region     engines go their own ways; the region as a whole comes after all before it
#ifndef TENSORLANE_DEVICE_BACKLOG_H_
#define TENSORLANE_DEVICE_BACKLOG_H_

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "tensorlane/device/message_slots.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

class Backlog {
 public:
  struct Item {
    MessageEvent message;            // of a command: its engine and its region
    std::optional<Command> command;  // empty: a message
  };
  // Carries an item out; false where it has to wait.
  using Run = std::function<bool(const Item&)>;

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  const std::deque<Item>& items() const { return items_; }
  bool has(Engine engine) const;
  // Whether an item that is issued now has to wait for one of those here.
  bool holds(const Item& item) const;
  void add(Item item) { items_.push_back(std::move(item)); }
  // Carries out what can be, in issue order as far as that is free; whether anything was.
  bool run(const Run& run);
  // Whether run() would carry anything out; `can` says so of an item that waits for no other.
  bool can_run(const Run& can) const;
  // The waits that hold the engines now: of each engine the first item, where it is one.
  std::vector<const MessageEvent*> waits() const;

 private:
  static bool comes_before(const Item& earlier, const Item& later);
  bool is_free(std::size_t number) const;

  std::deque<Item> items_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_BACKLOG_H_
