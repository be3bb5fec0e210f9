#include "tensorlane/trail/footprint.h"

#include <algorithm>
#include <span>
#include <utility>

#include "tensorlane/layout/fold.h"

namespace tensorlane::trail {
namespace {

ByteBox dense(std::int64_t begin, std::int64_t bytes) {
  ByteBox box;
  box.base = begin;
  box.run = bytes;
  return box;
}

// From elements to bytes; `scale` is the bytes of a stride unit.
ByteBox byte_box(const Box& from, std::int64_t element_bytes) {
  ByteBox box = dense(from.base[0], element_bytes);
  for (const Loop& loop : from.nest()) {
    box.loops[static_cast<std::size_t>(box.rank++)] = {loop.extent, loop.stride[0]};
  }
  normalise(box);
  return box;
}

// The box as boxes inside ranges of NPUs.
void split_lanes(const ByteBox& box, std::int64_t npu_bytes, std::vector<LaneBox>& out) {
  LaneBox lane;
  lane.first = static_cast<int>(box.base / npu_bytes);
  lane.box = dense(box.base % npu_bytes, box.run);
  bool regular = true;
  const auto add_lanes = [&](std::int64_t count) {
    regular = regular && (lane.count == 1 || count == 1);
    lane.count = static_cast<int>(std::max<std::int64_t>(lane.count, count));
  };
  for (const ByteLoop& loop : box.nest()) {
    if (loop.stride >= npu_bytes) {
      regular = regular && loop.stride == npu_bytes;
      add_lanes(loop.extent);
    } else if (loop.stride * loop.extent > npu_bytes) {
      // A loop over the rows of an NPU and one over NPUs were fused.
      const std::int64_t inner = npu_bytes / loop.stride;
      regular = regular && npu_bytes % loop.stride == 0 && loop.extent % inner == 0;
      add_lanes(loop.extent / inner);
      lane.box.loops[static_cast<std::size_t>(lane.box.rank++)] = {inner, loop.stride};
    } else {
      lane.box.loops[static_cast<std::size_t>(lane.box.rank++)] = loop;
    }
  }
  if (lane.box.run > npu_bytes) {
    regular = regular && lane.box.run % npu_bytes == 0;
    add_lanes(lane.box.run / npu_bytes);
    lane.box.run = npu_bytes;
  }
  normalise(lane.box);
  const Range bounds = lane.box.bounds();
  if (regular && bounds.begin >= 0 && bounds.end <= npu_bytes) {
    out.push_back(lane);
    return;
  }
  for_each_run(box, 0, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t npu = begin / npu_bytes;
      const std::int64_t stop = std::min(end, (npu + 1) * npu_bytes);
      out.push_back({static_cast<int>(npu), 1, dense(begin - npu * npu_bytes, stop - begin)});
      begin = stop;
    }
  });
}

// Bytes of the NPU that holds most of them.
std::int64_t most_used(std::span<const LaneBox> lanes) {
  const auto bytes = [](const LaneBox& lane) { return lane.box.count() * lane.box.run; };
  if (lanes.size() == 1) return bytes(lanes.front());
  std::vector<std::int64_t> used;  // by NPU
  for (const LaneBox& lane : lanes) {
    used.resize(std::max(used.size(), static_cast<std::size_t>(lane.first + lane.count)));
    for (int q = lane.first; q < lane.first + lane.count; ++q)
      used[static_cast<std::size_t>(q)] += bytes(lane);
  }
  return used.empty() ? 0 : *std::max_element(used.begin(), used.end());
}

void add_lane_summary(Shape& shape) {
  bool first = true;
  for (const LaneBox& lane : shape.lanes) {
    const Range bounds = lane.box.bounds();
    shape.lane_bounds = first ? bounds
                              : Range{std::min(shape.lane_bounds.begin, bounds.begin),
                                      std::max(shape.lane_bounds.end, bounds.end)};
    first = false;
    for (int q = 0; q < std::min(lane.count, 64); ++q)
      shape.npus |= std::uint64_t{1} << (lane.first + q) % 64;
  }
  shape.lane_used = most_used(shape.lanes);
}

Shape finish(std::vector<ByteBox> boxes, std::int64_t npu_bytes) {
  Shape shape;
  shape.npu_bytes = npu_bytes;
  shape.npus = npu_bytes > 0 ? 0 : ~std::uint64_t{0};
  bool first = true;
  for (const ByteBox& box : boxes) {
    const Range bounds = box.bounds();
    shape.bounds = first ? bounds
                         : Range{std::min(shape.bounds.begin, bounds.begin),
                                 std::max(shape.bounds.end, bounds.end)};
    first = false;
    if (npu_bytes > 0) split_lanes(box, npu_bytes, shape.lanes);
  }
  shape.boxes = std::move(boxes);
  add_lane_summary(shape);
  return shape;
}

Shape make_shape(const Layout& layout, std::int64_t npu_bytes) {
  std::vector<ByteBox> boxes;
  if (layout.unit_bits() == 8) {
    for (const Box& box : fold(layout)) boxes.push_back(byte_box(box, layout.element_units()));
  } else {
    for (const ByteRun& run : layout.byte_runs())
      boxes.push_back(dense(run.npu * layout.npu_bytes() + run.offset, run.bytes));
  }
  return finish(std::move(boxes), npu_bytes);
}

}  // namespace

Footprint footprint(const Layout& layout, std::int64_t npu_bytes) {
  Layout at_zero = layout;
  if (npu_bytes == 0 && layout.unit_bits() == 8) at_zero.set_base(0);
  return {std::make_shared<const Shape>(make_shape(at_zero, npu_bytes)),
          layout.base() - at_zero.base()};
}

Footprint linear_footprint(std::int64_t begin, std::int64_t bytes) {
  if (bytes <= 0) return {std::make_shared<const Shape>(), begin};
  return {std::make_shared<const Shape>(finish({dense(0, bytes)}, 0)), begin};
}

Footprint lane_footprint(std::int64_t npu_bytes, int first, int count, std::int64_t begin,
                         std::int64_t bytes) {
  ByteBox box = dense(first * npu_bytes + begin, bytes);
  box.rank = 1;
  box.loops[0] = {count, npu_bytes};
  normalise(box);
  return {std::make_shared<const Shape>(finish({box}, npu_bytes)), 0};
}

std::vector<Range> runs(const Footprint& footprint) {
  std::vector<Range> result;
  if (!footprint.empty()) collect_runs(footprint.shape->boxes, footprint.origin, result);
  return result;
}

}  // namespace tensorlane::trail
