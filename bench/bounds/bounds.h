// Bare loops that prove what a function can reach at most on the processor that they are compiled
// for: what it must do to the operands where they lie, with the chip's roundings and saturation,
// but without commands, limits or checks. ops_bench times them beside ours and the peer.
//
// A function that stays below its target (bench/functions.py) is bounded where such a loop alone
// does: peer / loop < target. What is slower than its loop shows what there is to win.
//
// A family has a file and a list. A new loop is an entry of the list: which functions it is of, in
// which types, and how it is made of a command.
#ifndef TENSORLANE_BENCH_BOUNDS_BOUNDS_H_
#define TENSORLANE_BENCH_BOUNDS_BOUNDS_H_

#include <functional>
#include <string_view>
#include <vector>

#include "placed.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::bench {

struct Bound {
  std::string_view name;      // of the loop, as docs/speed.md has it
  std::function<void()> run;  // in the float environment of the chips; empty: no loop is known
};

struct BoundEntry {
  // Regular expressions: whole names of functions, and types as ops_bench writes them ("int8 uint8
  // -> int16").
  std::string_view functions, types;
  std::string_view name;
  // Nothing where operands do not lie as the loop takes them.
  std::function<std::function<void()>(const Command&, Memories)> make;
};
using BoundList = std::vector<BoundEntry>;

const BoundList& float_bounds();
const BoundList& integer_bounds();
const BoundList& word_product_bounds();
const BoundList& quantised_bounds();
const BoundList& packed_bounds();
const BoundList& copy_bounds();
const BoundList& product_bounds();
const BoundList& window_bounds();
const BoundList& wide_product_bounds();

// By the first entry of the lists that fits and makes one.
Bound make_bound(const Command& command, std::string_view types, Memories memory);

// A loop over placed operands, for `make`.
template <void (*loop)(const Placed&)>
std::function<void()> placed_loop(const Command& command, Memories memory) {
  Placed placed = place(command, memory);
  if (!placed || !placed.dense()) return {};
  return [placed = std::move(placed)] { loop(placed); };
}

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_BOUNDS_BOUNDS_H_
