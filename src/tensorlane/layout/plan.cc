#include "tensorlane/layout/plan.h"

#include <algorithm>
#include <functional>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

// The order in which the documents cut: whole batches need no halo, channels cut last.
constexpr Axis kOrder[] = {Axis::kN, Axis::kH, Axis::kW, Axis::kC, Axis::kO};

bool holds_weights(const NamedLayout& tensor) {
  return tensor.axes.find_first_of({Axis::kO, Axis::kI}) >= 0;
}

std::vector<std::size_t> places_of_weights(const std::vector<PlanTensor>& tensors) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (holds_weights(make_layout(tensors[i].spec))) places.push_back(i);
  }
  return places;
}

// Whether the channels of a tensor are the output channels of the weights at `place`: there are as
// many, and they are not the input's.
bool has_output_channels(const PlanTensor& tensor, const std::vector<PlanTensor>& tensors,
                         std::size_t place) {
  const std::int64_t outputs = tensors[place].extent(Axis::kO);
  const auto behind = tensors.begin() + static_cast<std::ptrdiff_t>(place);
  const bool listed_behind = std::any_of(
      behind, tensors.end(), [&](const PlanTensor& each) { return each.name == tensor.name; });
  return tensor.extent(Axis::kC) == outputs &&
         (listed_behind || tensors[place].extent(Axis::kI) != outputs);
}

// Rows of a matrix are cut like batches.
Axis axis_of(const NamedLayout& tensor, Axis axis) {
  return axis == Axis::kN && !tensor.axes.has(axis) ? Axis::kRow : axis;
}

class Planner {
 public:
  explicit Planner(LocalPlan& plan) : plan_(plan) {
    for (const Axis axis : kOrder) {
      for (const PlanTensor& tensor : plan.tensors) {
        if (const std::optional<Axis> own = plan.cut_axis(tensor, axis))
          plan.whole.along(axis) = std::max(plan.whole.along(axis), tensor.extent(*own));
      }
    }
  }

  bool can_cut(Axis axis) const {
    return std::ranges::any_of(plan_.tensors, [&](const PlanTensor& tensor) {
      return plan_.cut_axis(tensor, axis).has_value();
    });
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

  // One element along each axis that can be cut.
  Tile least() const {
    Tile tile = plan_.whole;
    for (const Axis axis : kOrder) {
      if (can_cut(axis)) tile.along(axis) = 1;
    }
    return tile;
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

std::int64_t PlanTensor::extent(Axis axis) const {
  const NamedLayout tensor = make_layout(spec);
  const int place = tensor.axes.find(axis_of(tensor, axis));
  return place < 0 ? 1 : spec.shape[static_cast<std::size_t>(place)];
}

std::int64_t& Tile::along(Axis axis) {
  TL_INTERNAL_CHECK(std::ranges::find(kOrder, axis) != std::end(kOrder));
  switch (axis) {
    case Axis::kN:
      return n;
    case Axis::kH:
      return h;
    case Axis::kW:
      return w;
    case Axis::kC:
      return c;
    default:
      return o;
  }
}

std::int64_t Tile::along(Axis axis) const {
  return Tile(*this).along(axis);
}

std::optional<Axis> LocalPlan::cut_axis(const PlanTensor& tensor, Axis axis) const {
  if (tensor.whole) return std::nullopt;
  const NamedLayout asked = make_layout(tensor.spec);
  const std::vector<std::size_t> weights = places_of_weights(tensors);
  Axis own = axis_of(asked, axis);
  if (axis == Axis::kC && !weights.empty()) return std::nullopt;
  if (axis == Axis::kO) {
    // Of several weights nobody says which channels are whose.
    if (weights.size() != 1 || tensors[weights[0]].whole) return std::nullopt;
    if (!holds_weights(asked)) {
      own = Axis::kC;
      if (!has_output_channels(tensor, tensors, weights[0])) return std::nullopt;
    }
  } else if (holds_weights(asked)) {
    return std::nullopt;
  }
  if (!asked.axes.has(own) || tensor.extent(own) == 1) return std::nullopt;
  return own;
}

NamedLayout LocalPlan::part(const PlanTensor& tensor, const Tile& tile) const {
  LayoutSpec spec = tensor.spec;
  const NamedLayout all = make_layout(spec);
  for (const Axis axis : kOrder) {
    const std::optional<Axis> own = cut_axis(tensor, axis);
    if (!own) continue;
    const auto place = static_cast<std::size_t>(all.axes.find(*own));
    spec.shape[place] = ceil_div(spec.shape[place] * tile.along(axis), whole.along(axis));
  }
  return make_layout(spec);
}

NamedLayout layout_to_plan(const PlanTensor& tensor) {
  NamedLayout whole = make_layout(tensor.spec);
  if (!whole.is_local()) {
    user_error("tensor '{}': layout {} is one of system memory; a plan is about local memory",
               tensor.name, whole.info->name);
  }
  if (tensor.buffers < 1)
    user_error("tensor '{}' has {} buffers; at least 1 is needed", tensor.name, tensor.buffers);
  return whole;
}

LocalPlan plan_local_memory(std::vector<PlanTensor> tensors, std::int64_t bank_bytes,
                            BankUse banks) {
  if (tensors.empty()) user_error("a plan needs at least one tensor");
  LocalPlan plan;
  plan.tensors = std::move(tensors);
  plan.memory = plan.tensors.front().spec.local_memory();
  plan.bank_bytes = bank_bytes;
  for (const PlanTensor& tensor : plan.tensors) {
    layout_to_plan(tensor);
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
  plan.least_bytes = planner.bytes(planner.least(), BankUse::kShared);
  if (plan.tile) plan.places = planner.place(*plan.tile, plan.banks);
  return plan;
}

std::optional<PlanChange> change_that_fits(
    std::span<const PlanTensor> tensors, const std::function<bool(std::vector<PlanTensor>)>& fits) {
  using Kind = PlanChange::Kind;
  const auto fits_after = [&](const auto& change) {
    std::vector<PlanTensor> changed(tensors.begin(), tensors.end());
    for (std::size_t i = 0; i < changed.size(); ++i) change(changed[i], i);
    return fits(std::move(changed));
  };
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    if (tensors[at].buffers > 1 && fits_after([&](PlanTensor& tensor, std::size_t i) {
          if (i == at) tensor.buffers = 1;
        }))
      return PlanChange{Kind::kOneBuffer, static_cast<int>(at)};
  }
  if (fits_after([](PlanTensor& tensor, std::size_t) { tensor.buffers = 1; }))
    return PlanChange{Kind::kOneBufferEach};
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    if (tensors[at].whole && fits_after([&](PlanTensor& tensor, std::size_t i) {
          if (i == at) tensor.whole = false;
        }))
      return PlanChange{Kind::kInParts, static_cast<int>(at)};
  }
  if (fits_after([](PlanTensor& tensor, std::size_t) {
        tensor.buffers = 1;
        tensor.whole = false;
      }))
    return PlanChange{Kind::kAllInParts};
  return std::nullopt;
}

std::optional<PlanChange> change_that_fits(const LocalPlan& plan) {
  return change_that_fits(plan.tensors, [&](std::vector<PlanTensor> tensors) {
    return plan_local_memory(std::move(tensors), plan.bank_bytes, BankUse::kShared)
        .tile.has_value();
  });
}

}  // namespace tensorlane
