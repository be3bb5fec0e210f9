// Footprints: which bytes of a memory an operand touches, as a few strided boxes.
//
// Every detector works on footprints and on nothing else, so a check costs a few steps per folded
// run (byte_box.h) and nothing per byte. Local memory is addressed linearly (NPU q, offset r at
// q * npu_bytes + r); `lanes` gives the same bytes as boxes inside a range of NPUs, since most
// tensors look alike in many NPUs.
//
//   Footprint a = footprint(operand.layout), b = ...;
//   if (overlap(a, b)) ...                // exact: interleaved rows do not overlap
//   for (Range bytes : common(a, b)) ...  // which bytes
#ifndef TENSORLANE_TRAIL_FOOTPRINT_H_
#define TENSORLANE_TRAIL_FOOTPRINT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "tensorlane/layout/layout.h"
#include "tensorlane/trail/byte_box.h"

namespace tensorlane::trail {

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

// The bytes as ascending runs that do not touch.
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
