#include "tensorlane/command_log/align.h"

#include <algorithm>

namespace tensorlane::command_log {
namespace {

using Keys = std::span<const std::uint64_t>;

// Edits that one search looks through; its memory grows with their square.
constexpr std::ptrdiff_t kMostEdits = 1000;

// The shortest way of deletions (a step in `a`) and insertions (a step in `b`) from the beginning
// of both sequences to their ends. After kMostEdits edits it stops where it came furthest.
class Search {
 public:
  Search(Keys a, Keys b) : a_(a), b_(b) {}

  // Appends the matches on the way, `from` added to each; returns where it ended.
  Match run(Match from, std::vector<Match>& matches) {
    std::ptrdiff_t edits = 0, diagonal = 0;
    while (!step(edits, diagonal) && edits < kMostEdits) ++edits;
    if (!at_end(edits, diagonal)) diagonal = furthest_diagonal(edits);
    const std::ptrdiff_t x = furthest(edits, diagonal);
    const std::size_t first = matches.size();
    walk_back(edits, diagonal, from, matches);
    std::reverse(matches.begin() + static_cast<std::ptrdiff_t>(first), matches.end());
    return {from.a + static_cast<std::size_t>(x), from.b + static_cast<std::size_t>(x - diagonal)};
  }

 private:
  // How far in `a` ways with this many edits come on diagonal a - b, which has their parity. Rows
  // of the triangle lie one behind the other.
  std::ptrdiff_t furthest(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
    return reached_[static_cast<std::size_t>(edits * (edits + 1) / 2 + (diagonal + edits) / 2)];
  }
  bool at_end(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
    const std::ptrdiff_t x = furthest(edits, diagonal);
    return x == std::ssize(a_) && x - diagonal == std::ssize(b_);
  }
  // Whether the way to this diagonal comes by an insertion, from the diagonal above.
  bool inserts(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
    return diagonal == -edits || (diagonal != edits && furthest(edits - 1, diagonal - 1) <
                                                           furthest(edits - 1, diagonal + 1));
  }
  std::ptrdiff_t start_of(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
    if (edits == 0) return 0;
    return inserts(edits, diagonal) ? furthest(edits - 1, diagonal + 1)
                                    : furthest(edits - 1, diagonal - 1) + 1;
  }
  bool inside(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return x >= 0 && y >= 0 && x <= std::ssize(a_) && y <= std::ssize(b_);
  }

  // All diagonals with one edit more; true, with the diagonal, where one reaches both ends.
  bool step(std::ptrdiff_t edits, std::ptrdiff_t& diagonal) {
    for (diagonal = -edits; diagonal <= edits; diagonal += 2) {
      std::ptrdiff_t x = start_of(edits, diagonal);
      while (inside(x, x - diagonal) && x < std::ssize(a_) && x - diagonal < std::ssize(b_) &&
             a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(x - diagonal)])
        ++x;
      reached_.push_back(x);
      if (at_end(edits, diagonal)) return true;
    }
    diagonal = 0;
    return false;
  }

  std::ptrdiff_t furthest_diagonal(std::ptrdiff_t edits) const {
    std::ptrdiff_t best = 0, most = -1;
    for (std::ptrdiff_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const std::ptrdiff_t x = furthest(edits, diagonal), y = x - diagonal;
      if (inside(x, y) && x + y > most) {
        most = x + y;
        best = diagonal;
      }
    }
    return best;
  }

  void walk_back(std::ptrdiff_t edits, std::ptrdiff_t diagonal, Match from,
                 std::vector<Match>& matches) const {
    for (;; --edits) {
      const std::ptrdiff_t start = start_of(edits, diagonal);
      for (std::ptrdiff_t x = furthest(edits, diagonal); x > start; --x)
        matches.push_back({from.a + static_cast<std::size_t>(x - 1),
                           from.b + static_cast<std::size_t>(x - 1 - diagonal)});
      if (edits == 0) return;
      diagonal += inserts(edits, diagonal) ? 1 : -1;
    }
  }

  Keys a_, b_;
  std::vector<std::ptrdiff_t> reached_;
};

}  // namespace

std::vector<Match> align(Keys a, Keys b) {
  std::vector<Match> matches;
  Match at{0, 0};
  while (at.a < a.size() && at.b < b.size())
    at = Search(a.subspan(at.a), b.subspan(at.b)).run(at, matches);
  return matches;
}

}  // namespace tensorlane::command_log
