// Which elements of two sequences are the same ones: a longest common subsequence.
#ifndef TENSORLANE_COMMAND_LOG_ALIGN_H_
#define TENSORLANE_COMMAND_LOG_ALIGN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tensorlane::command_log {

// Elements `a` and `b`, counted from 0, of two sequences.
struct Match {
  std::size_t a, b;
  friend bool operator==(const Match&, const Match&) = default;
};

// Equal keys in ascending order, as many as can be: Myers' algorithm. Where the sequences differ in
// more than some thousand places in a row, maybe fewer; so that time and memory stay bounded.
std::vector<Match> align(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace tensorlane::command_log

#endif  // TENSORLANE_COMMAND_LOG_ALIGN_H_
