// The budget of local memory, before a kernel is written: which part of some tensors fits at once,
// how many parts that makes, and where their buffers lie.
//
//   LocalPlan plan = plan_local_memory(
//       {{.name = "input", .spec = input, .buffers = 2}, {.name = "output", .spec = output}},
//       bank_bytes);
//   plan.fits              // all of every tensor at once
//   plan.splits            // along each axis alone: the largest part and how many
//   plan.tile              // the extents of a part, when N is split first, then H, W, C or O
//   plan.places            // the address of every buffer of that part
//
// A tensor with `buffers` = 2 takes its bytes twice, for a part that is loaded while the other is
// computed. Buffers get banks of their own where there are enough, because two engines that meet in
// one bank wait for each other; else they lie one behind the other, each aligned.
//
// Weights change what can be cut. A part of the input channels would leave sums unfinished, so C is
// not cut beside weights; their output channels (O) are, and with them the channels of what has as
// many: the result, a bias. Where I and O are alike, tensors listed behind the weights are those.
#ifndef TENSORLANE_LAYOUT_PLAN_H_
#define TENSORLANE_LAYOUT_PLAN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/layout/named.h"

namespace tensorlane {

struct PlanTensor {
  std::string name;
  LayoutSpec spec;  // in local memory; the offset is the plan's to choose
  int buffers = 1;
  bool whole = false;  // needed whole at every time: weights, a bias

  std::int64_t extent(Axis axis) const;  // 1 without that axis
};

// The layout of a tensor that a plan may have: in local memory, with a buffer or more. A UserError
// names it otherwise.
NamedLayout layout_to_plan(const PlanTensor& tensor);

// Whether two buffers may lie in one bank.
enum class BankUse : std::uint8_t { kOwn, kShared };

// Extents of a part along the axes that can be cut; of a tensor whose extent is another one, as a
// convolution's input and output may have, in proportion, rounded up.
struct Tile {
  std::int64_t n = 1, h = 1, w = 1, c = 1, o = 1;

  std::int64_t& along(Axis axis);
  std::int64_t along(Axis axis) const;
  friend bool operator==(const Tile&, const Tile&) = default;
};

// Cutting one axis and leaving the others whole.
struct PlanSplit {
  Axis axis;
  std::int64_t extent = 0;           // of the whole
  std::optional<std::int64_t> part;  // the largest that fits; none: not even 1 does
  std::int64_t parts() const { return part ? ceil_div(extent, *part) : 0; }
};

struct PlanPlace {
  int tensor = 0;  // its place in the list
  int buffer = 0;
  std::int64_t offset = 0, bytes = 0;  // in every NPU
};

// The largest extent of a tensor that a call takes. [documents of both chips]
inline constexpr std::int64_t kMostExtent = 65535;

struct LocalPlan {
  std::vector<PlanTensor> tensors;
  LocalMemory memory;
  std::int64_t bank_bytes = 0;

  std::int64_t bytes_per_npu = 0;  // of all buffers whole, each aligned
  bool fits = false;               // whole, whatever banks they share
  // Along N, H, W, C and O, as far as some tensor can be cut there. `own`: with a bank's begin for
  // every buffer.
  std::vector<PlanSplit> splits, own_bank_splits;

  // A part that fits, and that calls take, when axes are cut in the order N, H, W, C, O. None: not
  // even one element of each axis fits, beside what is needed whole.
  std::optional<Tile> tile;
  std::int64_t least_bytes = 0;  // per NPU, of one element of each axis that can be cut
  Tile whole;
  BankUse banks = BankUse::kOwn;  // of the places
  std::int64_t parts = 0;
  std::vector<PlanPlace> places;  // of that part; none where no part fits

  // The axis of the tensor that is cut where the plan cuts along `axis`; none where it is not:
  // because the tensor is needed whole, or has one element there, or because columns of a matrix
  // would change their number per channel.
  std::optional<Axis> cut_axis(const PlanTensor& tensor, Axis axis) const;
  // The tensor as a part of it.
  NamedLayout part(const PlanTensor& tensor, const Tile& tile) const;
};

// One change to a plan of which no part fits, after which one does.
struct PlanChange {
  enum class Kind : std::uint8_t {
    kOneBuffer,  // of `tensor`, instead of several
    kInParts,    // `tensor` need not be whole
    kOneBufferEach,
    kAllInParts,  // with one buffer each
  };
  Kind kind;
  int tensor = -1;
};
// The smallest that helps; none where nothing of this kind does.
std::optional<PlanChange> change_that_fits(const LocalPlan& plan);
// The same where `fits` says whether a plan with such tensors would.
std::optional<PlanChange> change_that_fits(
    std::span<const PlanTensor> tensors, const std::function<bool(std::vector<PlanTensor>)>& fits);

// All tensors are of one chip. `banks`: kShared lets buffers share banks even where that costs
// time, and so finds larger parts. Throws UserError for a tensor that is not in local memory.
LocalPlan plan_local_memory(std::vector<PlanTensor> tensors, std::int64_t bank_bytes,
                            BankUse banks = BankUse::kOwn);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_PLAN_H_
