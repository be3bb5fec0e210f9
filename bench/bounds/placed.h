// The operands of a command as a bare loop sees them: runs of elements where they lie in the
// emulated memories, without layouts, limits or checks.
//
// A run is as many elements as follow each other at equal steps in every operand at once, in the
// order of the result: one row of each NPU for most functions. Working that out is not part of what
// is measured. What is the same for a row (a vector per channel) has step 0 there.
#ifndef TENSORLANE_BENCH_BOUNDS_PLACED_H_
#define TENSORLANE_BENCH_BOUNDS_PLACED_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane::bench {

using Memories = std::span<std::byte* const>;
inline constexpr std::size_t kPlaced = 6;

struct Run {
  std::array<std::byte*, kPlaced> at{};  // of the operands, those that are results first
  std::int64_t count = 0;                // elements
};

struct Placed {
  std::vector<Run> runs;                      // one behind the other
  std::array<std::int64_t, kPlaced> steps{};  // bytes from one element of an operand to the next
  std::array<Dtype, kPlaced> types{};
  std::size_t operands = 0;

  explicit operator bool() const { return !runs.empty(); }
  bool dense() const;  // every step is an element or 0
};

// Operands that are not as large as the first result are spread over it where their extents are 1.
// Nothing where one cannot be, or where there are more than kPlaced. Work tensors are left out.
Placed place(const Command& command, Memories memory);

// Calls f(dst, a) or f(dst, a, b) ... for all elements of dense operands, results as references.
// A compiler vectorises what is inside; operands of step 0 are read once a run.
template <class D, class A, class F>
void each_element(const Placed& placed, const F& f) {
  for (const Run& run : placed.runs) {
    D* __restrict dst = reinterpret_cast<D*>(run.at[0]);
    const A* const a = reinterpret_cast<const A*>(run.at[1]);
    for (std::int64_t i = 0; i < run.count; ++i) dst[i] = static_cast<D>(f(a[i]));
  }
}
template <class D, class A, class B, class F>
void each_pair(const Placed& placed, const F& f) {
  for (const Run& run : placed.runs) {
    D* __restrict dst = reinterpret_cast<D*>(run.at[0]);
    const A* const a = reinterpret_cast<const A*>(run.at[1]);
    const B* const b = reinterpret_cast<const B*>(run.at[2]);
    if (placed.steps[1] == 0) {
      const A first = *a;
      for (std::int64_t i = 0; i < run.count; ++i) dst[i] = static_cast<D>(f(first, b[i]));
    } else if (placed.steps[2] == 0) {
      const B second = *b;
      for (std::int64_t i = 0; i < run.count; ++i) dst[i] = static_cast<D>(f(a[i], second));
    } else {
      for (std::int64_t i = 0; i < run.count; ++i) dst[i] = static_cast<D>(f(a[i], b[i]));
    }
  }
}
// dst = f(dst, a, b)
template <class D, class A, class B, class F>
void each_change(const Placed& placed, const F& f) {
  for (const Run& run : placed.runs) {
    D* __restrict dst = reinterpret_cast<D*>(run.at[0]);
    const A* const a = reinterpret_cast<const A*>(run.at[1]);
    const B* const b = reinterpret_cast<const B*>(run.at[2]);
    for (std::int64_t i = 0; i < run.count; ++i) dst[i] = static_cast<D>(f(dst[i], a[i], b[i]));
  }
}

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_BOUNDS_PLACED_H_
