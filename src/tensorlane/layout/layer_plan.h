// The plan of a network's layer, or of some layers fused: commands that share tensors, cut into
// parts that fit local memory.
//
//   LayerPlan plan = plan_layer({x, w, y}, {{.output = "y", .inputs = {"x", "w"},
//                                            .kernel = {3, 3}, .pad = {1, 1}}}, bank_bytes);
//   plan.cuts                       // along N, H, W and the output channels
//   plan.span(x, Axis::kH, part)    // rows that part `part` reads, halo included
//   plan.places                     // the address of every buffer
//
// What is cut is the result, evenly: parts differ by one at most, parts of the channels are whole
// rows of NPUs where that costs nothing. What a part needs of every other tensor follows backwards
// through the commands: rows under a window with its halo, of weights their output channels, of the
// input of weights all channels. So channels are cut only where their weights are cut with them,
// and never where these are needed whole.
//
// A tensor takes memory from the first command that uses it to the last; with several buffers, or
// when it stays from part to part, always. Tensors whose times do not meet share addresses.
//
// Of all plans that fit, the one with the fewest parts; of these the one that loads the fewest
// bytes; of these the one that cuts N before H before W before the channels. layer_plan_test.cc
// holds this against every possible cut of 200 random layers.
#ifndef TENSORLANE_LAYOUT_LAYER_PLAN_H_
#define TENSORLANE_LAYOUT_LAYER_PLAN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/layout/plan.h"

namespace tensorlane {

// Along height and width.
struct Plane {
  std::int64_t h = 0, w = 0;
  friend bool operator==(const Plane&, const Plane&) = default;
};

// A command that computes `output` of `inputs`. The window slides over the first input; others that
// are as large as the output along an axis are cut with it, as a second summand is; a tensor with
// axes O and I is the weights.
struct PlanCommand {
  std::string output;
  std::vector<std::string> inputs;
  Plane kernel{1, 1}, stride{1, 1}, pad{0, 0}, dilation{1, 1};
};

// Some indices of an axis.
struct Span {
  std::int64_t first = 0, count = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

// How an axis of the result is cut.
struct LayerCut {
  Axis axis;  // N, H, W or C
  std::int64_t extent = 0;
  std::int64_t parts = 1;
  std::int64_t unit = 1;  // parts are multiples of it, but for the last

  Span part(std::int64_t number) const;
  std::int64_t largest() const;
};

// What is not said of a part, as no tensor has it there.
struct LayerPlace {
  int tensor = 0, buffer = 0;
  std::int64_t offset = 0, bytes = 0;       // in every NPU
  int first_command = 0, last_command = 0;  // that need it
  bool always = false;                      // it stays from part to part
};

struct LayerPlan {
  std::vector<PlanTensor> tensors;
  std::vector<PlanCommand> commands;
  LocalMemory memory;
  std::int64_t bank_bytes = 0;
  BankUse banks = BankUse::kOwn;

  std::array<LayerCut, 4> cuts;  // N, H, W, C
  bool fits = false;             // else: not even the smallest parts do, and there are no places
  std::int64_t least_bytes = 0;  // per NPU, of the smallest parts
  std::int64_t parts() const;
  std::vector<LayerPlace> places;
  bool channels_first = false;    // the loop over output channels is the outer one
  std::int64_t loaded_bytes = 0;  // of all inputs by all parts, elements only
  std::int64_t once_bytes = 0;    // the same, each once

  // The indices of `tensor` along `axis` (of the tensor: O of weights) that part `part` of the cut
  // needs.
  Span span(int tensor, Axis axis, std::int64_t part) const;
  // The cut that an axis of a tensor follows, as a place in `cuts`; none where it stays whole.
  std::optional<int> cut_of(int tensor, Axis axis) const;
  // Rows of padding above, columns of it to the left (below, to the right) of what `command` reads
  // in a part along H or W.
  std::array<std::int64_t, 2> padding(int command, Axis axis, std::int64_t part) const;
  // The extents of the largest part.
  std::vector<std::int64_t> part_shape(int tensor) const;
};

// UserError for a command that names no tensor, a window that does not fit, tensors of which a
// command makes none of the right size.
LayerPlan plan_layer(std::vector<PlanTensor> tensors, std::vector<PlanCommand> commands,
                     std::int64_t bank_bytes, BankUse banks = BankUse::kOwn);

// The smallest change to a plan that does not fit after which one does; none where nothing of the
// kind helps.
std::optional<PlanChange> change_that_fits(const LayerPlan& plan);

// The plan as constants: counts of parts, extents, addresses, spans of each part.
std::string layer_plan_c(const LayerPlan& plan);
std::string layer_plan_python(const LayerPlan& plan);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_LAYER_PLAN_H_
