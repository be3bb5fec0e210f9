#include "tensorlane/layout/plan.h"

#include <algorithm>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

// The order in which the documents cut: whole batches need no halo, channels cut last.
constexpr Axis kOrder[] = {Axis::kN, Axis::kH, Axis::kW, Axis::kC};

// Rows of a matrix are cut like batches.
Axis axis_of(const NamedLayout& tensor, Axis axis) {
  return axis == Axis::kN && !tensor.axes.has(axis) ? Axis::kRow : axis;
}

class Planner {
 public:
  explicit Planner(LocalPlan& plan) : plan_(plan) {
    for (const Axis axis : kOrder) {
      for (const PlanTensor& tensor : plan.tensors) {
        if (tensor.splits(axis))
          plan.whole.along(axis) = std::max(plan.whole.along(axis), tensor.extent(axis));
      }
    }
  }

  bool can_cut(Axis axis) const {
    return std::ranges::any_of(plan_.tensors, [&](const PlanTensor& t) { return t.splits(axis); });
  }

  // The buffers one behind the other, or each from a bank's begin on.
  std::vector<PlanPlace> place(const Tile& tile, BankUse banks) const {
    std::vector<PlanPlace> places;
    std::int64_t at = 0;
    const std::int64_t unit = banks == BankUse::kOwn ? plan_.bank_bytes : plan_.memory.align_bytes;
    for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
      const PlanTensor& tensor = plan_.tensors[i];
      const std::int64_t bytes = plan_.part(tensor, tile).bytes_per_npu;
      for (int buffer = 0; buffer < tensor.buffers; ++buffer) {
        at = align_up(at, unit);
        places.push_back({static_cast<int>(i), buffer, at, bytes});
        at += bytes;
      }
    }
    return places;
  }
  std::int64_t bytes(const Tile& tile, BankUse banks) const {
    const std::vector<PlanPlace> places = place(tile, banks);
    return places.back().offset + places.back().bytes;
  }
  bool fits(const Tile& tile, BankUse banks) const {
    return bytes(tile, banks) <= plan_.memory.npu_bytes;
  }

  // The largest extent along `axis` with which the tile fits: what a tensor takes never shrinks
  // when an extent grows.
  std::optional<std::int64_t> largest(Tile tile, Axis axis, BankUse banks) const {
    const auto fits_with = [&](std::int64_t extent) {
      tile.along(axis) = extent;
      return fits(tile, banks);
    };
    if (!fits_with(1)) return std::nullopt;
    std::int64_t least = 1, most = std::min(plan_.whole.along(axis), kMostExtent);
    while (least < most) {
      const std::int64_t middle = least + (most - least + 1) / 2;
      if (fits_with(middle)) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return least;
  }

  std::vector<PlanSplit> splits(BankUse banks) const {
    std::vector<PlanSplit> splits;
    for (const Axis axis : kOrder) {
      if (can_cut(axis))
        splits.push_back({axis, plan_.whole.along(axis), largest(plan_.whole, axis, banks)});
    }
    return splits;
  }

  // Cuts axis by axis, each to 1 before the next is touched.
  std::optional<Tile> tile(BankUse banks) const {
    Tile tile = plan_.whole;
    for (const Axis axis : kOrder) {
      if (can_cut(axis)) tile.along(axis) = std::min(tile.along(axis), kMostExtent);
    }
    if (fits(tile, banks)) return tile;
    for (const Axis axis : kOrder) {
      if (!can_cut(axis)) continue;
      if (const std::optional<std::int64_t> part = largest(tile, axis, banks)) {
        tile.along(axis) = *part;
        return tile;
      }
      tile.along(axis) = 1;
    }
    return std::nullopt;
  }

  std::int64_t parts(const Tile& tile) const {
    std::int64_t parts = 1;
    for (const Axis axis : kOrder) parts *= ceil_div(plan_.whole.along(axis), tile.along(axis));
    return parts;
  }

 private:
  LocalPlan& plan_;
};

}  // namespace

bool PlanTensor::splits(Axis axis) const {
  if (whole) return false;
  const NamedLayout tensor = make_layout(spec);
  if (tensor.axes.find_first_of({Axis::kO, Axis::kI}) >= 0) return false;
  return tensor.axes.has(axis_of(tensor, axis)) && extent(axis) > 1;
}

std::int64_t PlanTensor::extent(Axis axis) const {
  const NamedLayout tensor = make_layout(spec);
  const int place = tensor.axes.find(axis_of(tensor, axis));
  return place < 0 ? 1 : spec.shape[static_cast<std::size_t>(place)];
}

std::int64_t& Tile::along(Axis axis) {
  TL_INTERNAL_CHECK(std::ranges::find(kOrder, axis) != std::end(kOrder));
  return axis == Axis::kN ? n : axis == Axis::kH ? h : axis == Axis::kW ? w : c;
}

std::int64_t Tile::along(Axis axis) const {
  return Tile(*this).along(axis);
}

NamedLayout LocalPlan::part(const PlanTensor& tensor, const Tile& tile) const {
  LayoutSpec spec = tensor.spec;
  const NamedLayout all = make_layout(spec);
  for (const Axis axis : kOrder) {
    if (!tensor.splits(axis)) continue;
    const auto place = static_cast<std::size_t>(all.axes.find(axis_of(all, axis)));
    spec.shape[place] = ceil_div(spec.shape[place] * tile.along(axis), whole.along(axis));
  }
  return make_layout(spec);
}

LocalPlan plan_local_memory(std::vector<PlanTensor> tensors, std::int64_t bank_bytes,
                            BankUse banks) {
  if (tensors.empty()) user_error("a plan needs at least one tensor");
  LocalPlan plan;
  plan.tensors = std::move(tensors);
  plan.memory = plan.tensors.front().spec.local_memory();
  plan.bank_bytes = bank_bytes;
  for (const PlanTensor& tensor : plan.tensors) {
    const NamedLayout whole = make_layout(tensor.spec);
    if (!whole.is_local()) {
      user_error("tensor '{}': layout {} is one of system memory; a plan is about local memory",
                 tensor.name, whole.info->name);
    }
    if (tensor.buffers < 1) {
      user_error("tensor '{}' has {} buffers; at least 1 is needed", tensor.name, tensor.buffers);
    }
  }
  const Planner planner(plan);
  plan.bytes_per_npu = planner.bytes(plan.whole, BankUse::kShared);
  plan.fits = plan.bytes_per_npu <= plan.memory.npu_bytes;
  plan.splits = planner.splits(BankUse::kShared);
  plan.own_bank_splits = planner.splits(BankUse::kOwn);
  plan.banks = banks;
  plan.tile = planner.tile(banks);
  if (!plan.tile && banks == BankUse::kOwn) {
    plan.banks = BankUse::kShared;
    plan.tile = planner.tile(plan.banks);
  }
  plan.parts = plan.tile ? planner.parts(*plan.tile) : 0;
  plan.places = planner.place(plan.tile.value_or(plan.whole), plan.banks);
  return plan;
}

}  // namespace tensorlane
