// Which of `count` units are free, and where the lowest free run of some length begins.
//
// A binary tree over halves of the units. Each node knows its longest free run and the free runs at
// its two ends, so that the way down to the lowest run that is long enough is known at each node.
// Halves whose units are all free or all taken have nothing below them: the tree is as large as
// what is taken is fragmented, and every call takes time logarithmic in `count`.
#ifndef TENSORLANE_DEVICE_FREE_RUNS_H_
#define TENSORLANE_DEVICE_FREE_RUNS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace tensorlane {

class FreeRuns {
 public:
  // All free.
  explicit FreeRuns(std::uint64_t count) : count_(count), root_{count, count, count, nullptr} {}

  // Where the lowest run of `length` (at least 1) free units begins; nothing when there is none.
  std::optional<std::uint64_t> lowest(std::uint64_t length) const;
  // Units [begin, end) are taken, or free again.
  void take(std::uint64_t begin, std::uint64_t end) { set(root_, 0, count_, {begin, end, false}); }
  void give_back(std::uint64_t begin, std::uint64_t end) {
    set(root_, 0, count_, {begin, end, true});
  }

 private:
  struct Node {
    std::uint64_t first, last, longest;  // free units at the beginning, at the end, in one run
    std::unique_ptr<std::array<Node, 2>> halves;  // null: all free or all taken
  };
  struct Change {
    std::uint64_t begin, end;
    bool free;
  };
  static Node uniform(std::uint64_t units, bool free);
  static void set(Node& node, std::uint64_t begin, std::uint64_t end, const Change& change);

  std::uint64_t count_;
  Node root_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_FREE_RUNS_H_
