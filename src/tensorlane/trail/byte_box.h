// Boxes of bytes:
//
//     `run` consecutive bytes at  base + sum over the loops of digit * stride
//
// with positive strides, largest first, and no loop that a longer run or another loop could
// express: a tensor that is dense in memory is a single box without loops.
#ifndef TENSORLANE_TRAIL_BYTE_BOX_H_
#define TENSORLANE_TRAIL_BYTE_BOX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/layout/fold.h"

namespace tensorlane::trail {

// Bytes [begin, end).
struct Range {
  std::int64_t begin, end;
  std::int64_t bytes() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

struct ByteLoop {
  std::int64_t extent, stride;
  friend bool operator==(const ByteLoop&, const ByteLoop&) = default;
};

struct ByteBox {
  std::int64_t base = 0;
  std::int64_t run = 1;
  int rank = 0;
  std::array<ByteLoop, kMaxLoops> loops;

  std::span<const ByteLoop> nest() const { return {loops.data(), static_cast<std::size_t>(rank)}; }
  // From the first byte to one past the last.
  Range bounds() const;
  // Number of runs.
  std::int64_t count() const;
  // True when the runs come in ascending order and do not touch each other.
  bool ascending() const;
};

// Brings strides into the form described above; the bytes stay the same.
[[gnu::hot]] void normalise(ByteBox& box);

// Calls f(begin, end) for each run of the box, in the order of its loops.
template <class F>
void for_each_run(const ByteBox& box, std::int64_t origin, F f) {
  std::array<std::int64_t, kMaxLoops> at{};
  std::int64_t begin = box.base + origin;
  for (;;) {
    f(begin, begin + box.run);
    int k = box.rank - 1;
    for (; k >= 0; --k) {
      const ByteLoop& loop = box.loops[static_cast<std::size_t>(k)];
      begin += loop.stride;
      if (++at[static_cast<std::size_t>(k)] < loop.extent) break;
      begin -= loop.stride * loop.extent;
      at[static_cast<std::size_t>(k)] = 0;
    }
    if (k < 0) return;
  }
}

// The bytes as ascending runs that do not touch; appends to `out`.
void collect_runs(std::span<const ByteBox> boxes, std::int64_t origin, std::vector<Range>& out);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_BYTE_BOX_H_
