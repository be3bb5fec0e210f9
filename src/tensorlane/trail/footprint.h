// Footprints: which bytes of a memory an operand touches, as a few strided boxes.
//
// Every detector works on footprints and on nothing else, so a check costs a few steps per folded
// run and nothing per byte. A box is
//
//     `run` consecutive bytes at  base + sum over the loops of digit * stride
//
// with positive strides, largest first, and no loop that a longer run or another loop could
// express: a tensor that is dense in memory is a single box without loops. Local memory is
// addressed linearly (NPU q, offset r at q * npu_bytes + r); `lanes` gives the same bytes as boxes
// inside a range of NPUs, since most tensors look alike in many NPUs.
//
//   Footprint a = footprint(operand.layout), b = ...;
//   if (overlap(a, b)) ...                // exact: interleaved rows do not overlap
//   for (Range bytes : common(a, b)) ...  // which bytes
#ifndef TENSORLANE_TRAIL_FOOTPRINT_H_
#define TENSORLANE_TRAIL_FOOTPRINT_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/layout.h"

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

// The same box of offsets in each of `count` neighbouring NPUs.
struct LaneBox {
  int first = 0;
  int count = 1;
  ByteBox box;
};

// The bytes of a layout whose base is 0 (linear memory) or as it stands (local memory). Shared by
// all commands that use it.
struct Shape {
  std::vector<ByteBox> boxes;
  std::vector<LaneBox> lanes;  // empty for linear memory
  std::int64_t npu_bytes = 0;  // 0 for linear memory
  Range bounds{0, 0};
  Range lane_bounds{0, 0};     // of the offsets inside an NPU
  std::int64_t lane_used = 0;  // bytes of the NPU that holds most of them
  std::uint64_t npus = 0;      // bit q: NPU q is touched (bit q mod 64)
};

struct Footprint {
  std::shared_ptr<const Shape> shape;
  std::int64_t origin = 0;  // added to every address of `shape`

  bool empty() const { return shape == nullptr || shape->boxes.empty(); }
  Range bounds() const { return {shape->bounds.begin + origin, shape->bounds.end + origin}; }
};

// `npu_bytes`: the addresses are those of a local memory of NPUs of that size, whatever the layout
// says (a copy may reach local memory through its window in the system address map).
[[gnu::hot]] Footprint footprint(const Layout& layout, std::int64_t npu_bytes);
inline Footprint footprint(const Layout& layout) {
  return footprint(layout, layout.npu_bytes());
}
// `bytes` bytes of a linear memory.
Footprint linear_footprint(std::int64_t begin, std::int64_t bytes);
// Offsets [begin, begin + bytes) of `count` NPUs from `first`.
Footprint lane_footprint(std::int64_t npu_bytes, int first, int count, std::int64_t begin,
                         std::int64_t bytes);

// The bytes as ascending runs that do not touch; appends to `out`.
void collect_runs(std::span<const ByteBox> boxes, std::int64_t origin, std::vector<Range>& out);
std::vector<Range> runs(const Footprint& footprint);

// True when the footprints, both of one memory, share a byte. Exact.
bool overlap(const Footprint& a, const Footprint& b);
bool overlap(const ByteBox& a, const ByteBox& b, std::int64_t b_minus_a = 0);
// The shared bytes, linear addresses.
std::vector<Range> common(const Footprint& a, const Footprint& b);
// True when every byte of `inner` belongs to `outer`.
bool contains(const Footprint& outer, const Footprint& inner);
// True when both touch the same bytes.
bool same_bytes(const Footprint& a, const Footprint& b);

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

// Makes footprints and remembers their shapes: kernels use few shapes many times.
class FootprintCache {
 public:
  FootprintCache();
  ~FootprintCache();
  [[gnu::hot]] Footprint get(const Layout& layout, std::int64_t npu_bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_FOOTPRINT_H_
