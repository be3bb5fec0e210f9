#include "tensorlane/layout/layer_plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/layer_network_internal.h"
#include "tensorlane/layout/layer_places_internal.h"

namespace tensorlane {
namespace {

using layer_network::Network;
using layer_network::own_axis;

constexpr std::array kCutAxes = {Axis::kN, Axis::kH, Axis::kW, Axis::kC};
constexpr std::int64_t kMostTried = 256;
constexpr std::int64_t kMostParts = 1 << 20, kMostLookedAt = 1 << 21;

// A way to cut one axis, with what it makes of every tensor.
struct Candidate {
  LayerCut cut;
  std::vector<std::int64_t> most;   // of each tensor: the largest count of a part
  std::vector<std::int64_t> total;  // and the sum over all parts
  std::vector<char> varies;         // whether parts need other indices
};

class LayerPlanner {
 public:
  explicit LayerPlanner(LayerPlan& plan) : plan_(plan), network_(plan.tensors, plan.commands) {
    for (std::size_t a = 0; a < kCutAxes.size(); ++a) list_candidates(a);
    find_uses();
  }

  // Fewest parts, fewest bytes, N before H before W before C.
  bool search(BankUse banks) {
    plan_.banks = banks;
    best_ = {};
    std::array<const Candidate*, 4> at{};
    for (const Candidate& n : candidates_[0]) {
      at[0] = &n;
      for (const Candidate& h : candidates_[1]) {
        at[1] = &h;
        if (best_ && n.cut.parts * h.cut.parts > best_->parts) break;
        if (!fits_at_best(at, 2)) continue;
        for (const Candidate& w : candidates_[2]) {
          at[2] = &w;
          const std::int64_t plane = n.cut.parts * h.cut.parts * w.cut.parts;
          if (best_ && plane > best_->parts) break;
          if (!fits_at_best(at, 3)) continue;
          for (const Candidate& c : candidates_[3]) {
            at[3] = &c;
            if (best_ && plane * c.cut.parts > best_->parts) break;
            if (consider(at)) break;
          }
        }
      }
    }
    if (best_) accept();
    return best_.has_value();
  }

  // What the smallest parts take.
  std::int64_t least() {
    std::array<const Candidate*, 4> at{};
    return least_from(at, 0, plan_.memory.align_bytes);
  }

 private:
  // With the smallest parts along the axes from `first` on. A part of any other cut holds some of
  // the smallest, so it takes no less.
  std::int64_t least_from(std::array<const Candidate*, 4> at, std::size_t first,
                          std::int64_t unit) {
    for (std::size_t a = first; a < at.size(); ++a) at[a] = &candidates_[a].back();
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const bool channels_first : {false, true}) {
      const auto items = this->items(at, channels_first);
      least = std::min(least, layer_places::place(items, unit, plan_.memory.npu_bytes).bytes);
    }
    return least;
  }
  bool fits_at_best(const std::array<const Candidate*, 4>& at, std::size_t first) {
    return least_from(at, first, unit()) <= plan_.memory.npu_bytes;
  }
  // What buffers begin at a multiple of.
  std::int64_t unit() const {
    return plan_.banks == BankUse::kOwn ? plan_.bank_bytes : plan_.memory.align_bytes;
  }

  struct Found {
    std::array<const Candidate*, 4> at;
    bool channels_first;
    std::int64_t parts, loaded;
    std::vector<std::int64_t> offsets;
  };

  void list_candidates(std::size_t a) {
    const Axis axis = kCutAxes[a];
    const int result = network_.result();
    const std::int64_t extent = network_.extent(result, axis);
    const bool whole = plan_.tensors[static_cast<std::size_t>(result)].whole ||
                       (axis == Axis::kC && !network_.cuts_channels());
    const std::int64_t lanes = plan_.memory.npus;
    std::int64_t looked_at = 0;
    for (std::int64_t parts = 1; parts <= std::min(extent, kMostParts); ++parts) {
      const std::int64_t largest = ceil_div(extent, parts);
      looked_at += parts;
      if (largest <= kMostExtent) {
        // Whole rows of NPUs first; where they take more memory, as they may from another start.
        if (axis == Axis::kC && parts > 1 && ceil_div(extent, align_up(largest, lanes)) == parts)
          add_candidate(a, {axis, extent, parts, lanes});
        add_candidate(a, {axis, extent, parts, 1});
      }
      if (whole) break;
      // On to the next largest part. Few rows are tried one by one: where only the first part is
      // the largest, the edge of the tensor may spare it some of its window.
      if (largest > 1 && (axis == Axis::kC || extent > kMostTried))
        parts = std::max(parts, ceil_div(extent, largest - 1) - 1);
      // Of very long axes not every number of parts.
      if (looked_at > kMostLookedAt) parts = std::max(parts, 2 * parts - 1);
    }
    if (candidates_[a].empty())
      user_error("'{}' has an extent of {}; a call takes at most {}",
                 plan_.tensors[static_cast<std::size_t>(result)].name, extent, kMostExtent);
  }

  // A cut into more parts is of use where one of them needs less of some tensor.
  void add_candidate(std::size_t a, const LayerCut& cut) {
    Candidate made = candidate(a, cut);
    if (!candidates_[a].empty()) {
      const std::vector<std::int64_t>& before = candidates_[a].back().most;
      bool less = false;
      for (std::size_t t = 0; t < before.size(); ++t) less = less || made.most[t] < before[t];
      if (!less) return;
    }
    candidates_[a].push_back(std::move(made));
  }

  Candidate candidate(std::size_t a, const LayerCut& cut) const {
    const std::size_t count = plan_.tensors.size();
    Candidate made{cut, std::vector<std::int64_t>(count), std::vector<std::int64_t>(count),
                   std::vector<char>(count)};
    std::vector<std::optional<Span>> first;
    for (std::int64_t part = 0; part < cut.parts; ++part) {
      const auto needs = network_.needs(kCutAxes[a], cut.part(part));
      if (part == 0) first = needs;
      for (std::size_t t = 0; t < count; ++t) {
        const Span span =
            needs[t].value_or(Span{0, network_.extent(static_cast<int>(t), kCutAxes[a])});
        made.most[t] = std::max(made.most[t], span.count);
        made.total[t] += span.count;
        if (needs[t] != first[t]) made.varies[t] = 1;
      }
    }
    return made;
  }

  void find_uses() {
    const std::size_t count = plan_.tensors.size();
    first_use_.assign(count, -1);
    last_use_.assign(count, -1);
    is_input_.assign(count, 1);
    for (std::size_t i = 0; i < plan_.commands.size(); ++i) {
      std::vector<int> used = network_.inputs(i);
      used.push_back(network_.output(i));
      for (const int each : used) {
        const auto t = static_cast<std::size_t>(each);
        if (first_use_[t] < 0) {
          first_use_[t] = static_cast<int>(i);
          // What a command writes before any reads it is no input of the layer.
          const std::vector<int>& inputs = network_.inputs(i);
          is_input_[t] = std::ranges::find(inputs, each) != inputs.end() ? 1 : 0;
        }
        last_use_[t] = static_cast<int>(i);
      }
    }
    for (std::size_t t = 0; t < count; ++t) {
      if (first_use_[t] < 0) user_error("no command names the tensor '{}'", plan_.tensors[t].name);
    }
  }

  std::int64_t bytes(std::size_t t, const std::array<const Candidate*, 4>& at) {
    LayoutSpec spec = plan_.tensors[t].spec;
    const NamedLayout& made = network_.made(static_cast<int>(t));
    for (std::size_t a = 0; a < at.size(); ++a) {
      const std::optional<Axis> own = own_axis(made, kCutAxes[a]);
      if (own) spec.shape[static_cast<std::size_t>(made.axes.find(*own))] = at[a]->most[t];
    }
    std::vector<std::int64_t> key = spec.shape;
    key.push_back(static_cast<std::int64_t>(t));
    const auto known = bytes_.find(key);
    if (known != bytes_.end()) return known->second;
    const std::int64_t bytes = make_layout(spec).bytes_per_npu;
    bytes_.emplace(std::move(key), bytes);
    return bytes;
  }

  // Whether a tensor varies with what the plane's loops count, and with the channels.
  bool varies_in_plane(std::size_t t, const std::array<const Candidate*, 4>& at) const {
    return at[0]->varies[t] || at[1]->varies[t] || at[2]->varies[t];
  }

  std::vector<layer_places::Item> items(const std::array<const Candidate*, 4>& at,
                                        bool channels_first) {
    std::vector<layer_places::Item> items;
    for (std::size_t t = 0; t < plan_.tensors.size(); ++t) {
      const PlanTensor& tensor = plan_.tensors[t];
      // Loaded anew in every part: what varies with the inner loop.
      const bool inner = channels_first ? varies_in_plane(t, at) : at[3]->varies[t] != 0;
      const bool outer = channels_first ? at[3]->varies[t] != 0 : varies_in_plane(t, at);
      const bool outer_only = outer && inner_parts(at, channels_first) == 1;
      const bool stays = is_input_[t] && !inner && !outer_only && parts(at) > 1;
      for (int buffer = 0; buffer < tensor.buffers; ++buffer) {
        items.push_back({static_cast<int>(t), buffer, bytes(t, at), first_use_[t], last_use_[t],
                         stays || tensor.buffers > 1});
      }
    }
    return items;
  }
  static std::int64_t parts(const std::array<const Candidate*, 4>& at) {
    std::int64_t parts = 1;
    for (const Candidate* each : at) parts *= each->cut.parts;
    return parts;
  }
  static std::int64_t inner_parts(const std::array<const Candidate*, 4>& at, bool channels_first) {
    const std::int64_t channels = at[3]->cut.parts;
    return channels_first ? parts(at) / channels : channels;
  }

  // Elements that all parts load, as bytes.
  std::int64_t loaded(const std::array<const Candidate*, 4>& at, bool channels_first) const {
    std::int64_t sum = 0;
    const std::int64_t channels = at[3]->cut.parts, plane = parts(at) / channels;
    for (std::size_t t = 0; t < plan_.tensors.size(); ++t) {
      if (!is_input_[t]) continue;
      std::int64_t elements = 1;
      const NamedLayout& made = network_.made(static_cast<int>(t));
      for (int d = 0; d < made.axes.size(); ++d)
        elements *= made.spec.shape[static_cast<std::size_t>(d)];
      for (std::size_t a = 0; a < at.size(); ++a) {
        const std::int64_t read = at[a]->varies[t] ? at[a]->total[t] : at[a]->most[t];
        elements = elements / network_.extent(static_cast<int>(t), kCutAxes[a]) * read;
      }
      const bool in_plane = varies_in_plane(t, at), in_channels = at[3]->varies[t] != 0;
      if (channels_first && in_plane && !in_channels && plane > 1) elements *= channels;
      if (!channels_first && in_channels && !in_plane && channels > 1) elements *= plane;
      sum += ceil_div(elements * dtype_bits(plan_.tensors[t].spec.dtype), 8);
    }
    return sum;
  }

  // Whether it fits; it becomes the best where it is better.
  bool consider(const std::array<const Candidate*, 4>& at) {
    bool fits = false;
    for (const bool channels_first : {false, true}) {
      layer_places::Placed placed =
          layer_places::place(items(at, channels_first), unit(), plan_.memory.npu_bytes);
      if (placed.bytes > plan_.memory.npu_bytes) continue;
      fits = true;
      Found found{at, channels_first, parts(at), loaded(at, channels_first),
                  std::move(placed.offsets)};
      if (!best_ || better(found, *best_)) best_ = std::move(found);
    }
    return fits;
  }
  static bool better(const Found& a, const Found& b) {
    const auto order = [](const Found& found) {
      return std::array{found.parts, found.loaded, -found.at[0]->cut.parts, -found.at[1]->cut.parts,
                        -found.at[2]->cut.parts};
    };
    return order(a) < order(b);
  }

  void accept() {
    for (std::size_t a = 0; a < plan_.cuts.size(); ++a) plan_.cuts[a] = best_->at[a]->cut;
    plan_.fits = true;
    plan_.channels_first = best_->channels_first;
    plan_.loaded_bytes = best_->loaded;
    plan_.places.clear();
    const std::vector<layer_places::Item> items = this->items(best_->at, best_->channels_first);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const layer_places::Item& item = items[i];
      plan_.places.push_back({item.tensor, item.buffer, best_->offsets[i], item.bytes, item.first,
                              item.last, item.always});
    }
    std::array<const Candidate*, 4> whole{};
    for (std::size_t a = 0; a < whole.size(); ++a) whole[a] = &candidates_[a].front();
    plan_.once_bytes = loaded(whole, false);
  }

  LayerPlan& plan_;
  Network network_;
  std::array<std::vector<Candidate>, 4> candidates_;
  std::vector<int> first_use_, last_use_;
  std::vector<char> is_input_;
  std::map<std::vector<std::int64_t>, std::int64_t> bytes_;
  std::optional<Found> best_;
};

}  // namespace

Span LayerCut::part(std::int64_t number) const {
  // Whole units are dealt evenly, the larger parts first.
  const std::int64_t units = ceil_div(extent, unit), each = units / parts, more = units % parts;
  const std::int64_t first = (number * each + std::min(number, more)) * unit;
  const std::int64_t count = (each + (number < more ? 1 : 0)) * unit;
  return {first, std::min(count, extent - first)};
}

std::int64_t LayerCut::largest() const {
  return part(0).count;
}

std::int64_t LayerPlan::parts() const {
  std::int64_t parts = fits ? 1 : 0;
  for (const LayerCut& cut : cuts) parts *= cut.parts;
  return parts;
}

namespace {

std::optional<std::size_t> place_of_axis(const NamedLayout& tensor, Axis axis) {
  for (std::size_t a = 0; a < kCutAxes.size(); ++a) {
    if (own_axis(tensor, kCutAxes[a]) == axis) return a;
  }
  return std::nullopt;
}

}  // namespace

Span LayerPlan::span(int tensor, Axis axis, std::int64_t part) const {
  const Network network(tensors, commands);
  const NamedLayout& made = network.made(tensor);
  const std::optional<std::size_t> a = place_of_axis(made, axis);
  const std::int64_t extent =
      made.spec.shape[static_cast<std::size_t>(std::max(0, made.axes.find(axis)))];
  if (!a) return {0, extent};
  return network.needs(kCutAxes[*a], cuts[*a].part(part))[static_cast<std::size_t>(tensor)]
      .value_or(Span{0, extent});
}

std::optional<int> LayerPlan::cut_of(int tensor, Axis axis) const {
  const Network network(tensors, commands);
  const std::optional<std::size_t> a = place_of_axis(network.made(tensor), axis);
  if (!a) return std::nullopt;
  const auto need = [&](std::int64_t part) {
    return network.needs(kCutAxes[*a], cuts[*a].part(part))[static_cast<std::size_t>(tensor)];
  };
  const std::optional<Span> first = need(0);
  for (std::int64_t part = 1; part < cuts[*a].parts; ++part) {
    if (need(part) != first) return static_cast<int>(*a);
  }
  return std::nullopt;
}

std::array<std::int64_t, 2> LayerPlan::padding(int command, Axis axis, std::int64_t part) const {
  const Network network(tensors, commands);
  const auto i = static_cast<std::size_t>(command);
  return network.padding(i, axis, span(network.output(i), axis, part));
}

std::vector<std::int64_t> LayerPlan::part_shape(int tensor) const {
  const Network network(tensors, commands);
  const NamedLayout& made = network.made(tensor);
  std::vector<std::int64_t> shape = made.spec.shape;
  for (int d = 0; d < made.axes.size(); ++d) {
    const std::optional<std::size_t> a = place_of_axis(made, made.axes[d]);
    if (!a) continue;
    std::int64_t& extent = shape[static_cast<std::size_t>(d)];
    std::int64_t most = 0;
    for (std::int64_t part = 0; part < cuts[*a].parts; ++part) {
      const auto need =
          network.needs(kCutAxes[*a], cuts[*a].part(part))[static_cast<std::size_t>(tensor)];
      most = std::max(most, need ? need->count : extent);
    }
    extent = most;
  }
  return shape;
}

LayerPlan plan_layer(std::vector<PlanTensor> tensors, std::vector<PlanCommand> commands,
                     std::int64_t bank_bytes, BankUse banks) {
  if (tensors.empty() || commands.empty())
    user_error("a plan needs at least one tensor and one command");
  LayerPlan plan;
  plan.tensors = std::move(tensors);
  plan.commands = std::move(commands);
  plan.memory = plan.tensors.front().spec.local_memory();
  plan.bank_bytes = bank_bytes;
  for (const PlanTensor& tensor : plan.tensors) {
    const NamedLayout whole = layout_to_plan(tensor);
    if (whole.info->written) {
      user_error("tensor '{}': a layout that is written out cannot be cut; give it by name",
                 tensor.name);
    }
  }
  LayerPlanner planner(plan);
  plan.least_bytes = planner.least();
  if (!planner.search(banks) && banks == BankUse::kOwn) planner.search(BankUse::kShared);
  return plan;
}

std::optional<PlanChange> change_that_fits(const LayerPlan& plan) {
  return change_that_fits(plan.tensors, [&](std::vector<PlanTensor> tensors) {
    return plan_layer(std::move(tensors), plan.commands, plan.bank_bytes, BankUse::kShared).fits;
  });
}

}  // namespace tensorlane
