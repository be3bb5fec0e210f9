#include "tensorlane/device/free_runs.h"

#include <algorithm>

namespace tensorlane {
namespace {

std::uint64_t middle(std::uint64_t begin, std::uint64_t end) {
  return begin + (end - begin) / 2;
}

}  // namespace

std::optional<std::uint64_t> FreeRuns::lowest(std::uint64_t length) const {
  if (root_.longest < length) return std::nullopt;
  const Node* node = &root_;
  std::uint64_t begin = 0, end = count_;
  while (node->halves != nullptr) {
    const auto& [left, right] = *node->halves;
    const std::uint64_t between = middle(begin, end);
    if (left.longest >= length) {
      node = &left;
      end = between;
    } else if (left.last + right.first >= length) {
      return between - left.last;
    } else {
      node = &right;
      begin = between;
    }
  }
  return begin;
}

FreeRuns::Node FreeRuns::uniform(std::uint64_t units, bool free) {
  const std::uint64_t run = free ? units : 0;
  return {run, run, run, nullptr};
}

void FreeRuns::set(Node& node, std::uint64_t begin, std::uint64_t end, const Change& change) {
  if (change.end <= begin || end <= change.begin) return;
  if (change.begin <= begin && end <= change.end) {
    node = uniform(end - begin, change.free);
    return;
  }
  const std::uint64_t between = middle(begin, end);
  if (node.halves == nullptr) {
    const bool free = node.longest > 0;
    node.halves.reset(new std::array{uniform(between - begin, free), uniform(end - between, free)});
  }
  auto& [left, right] = *node.halves;
  set(left, begin, between, change);
  set(right, between, end, change);
  node.first = left.first == between - begin ? left.first + right.first : left.first;
  node.last = right.last == end - between ? right.last + left.last : right.last;
  node.longest = std::max({left.longest, right.longest, left.last + right.first});
  if (node.longest == 0 || node.longest == end - begin) node.halves = nullptr;
}

}  // namespace tensorlane
