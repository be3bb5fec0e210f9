// HAU: non-maximum suppression of boxes in system memory. [observed]
//
// The result is a mask of ceil(box_num / 8) bytes: bit i of byte i / 8 says that box i is kept.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(nms);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kNmsGroup = "hau";
constexpr std::string_view kMaskBytes = "(box_num + 7) / 8";

OperandSpec table(Role role, std::string_view param, Dtype dtype, std::string_view rows,
                  std::string_view columns) {
  return placed(role, MemoryKind::kSystem, param, dtype, {"1", "1", rows, columns});
}

class Mask {
 public:
  explicit Mask(std::size_t boxes) : bytes_((boxes + 7) / 8) {}
  void keep(std::size_t box) { bytes_[box / 8] |= static_cast<std::uint8_t>(1U << box % 8); }
  void store(const Invocation& invocation) const {
    std::memcpy(IndexedTensor(invocation, "output_addr").at(0, 0, 0, 0), bytes_.data(),
                bytes_.size());
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Box 0 is kept; box j survives it by bit 0 of row j, and a later kept box i by bit j of row i.
bool hard_nms(const Invocation& invocation) {
  const Command& command = invocation.command;
  const auto boxes = static_cast<std::size_t>(command.arg("box_num").value());
  const auto wanted = static_cast<std::size_t>(command.arg("keep_num").value());
  const IndexedTensor rows(invocation, "input_addr");
  const auto bit = [&](std::size_t row, std::size_t column) {
    const auto* byte =
        rows.at(0, 0, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column / 8));
    return (rows.bits(byte) >> column % 8 & 1U) != 0;
  };
  Mask mask(boxes);
  std::vector<bool> alive(boxes, true);
  for (std::size_t i = 0, kept = 0; i < boxes && kept < wanted; ++i) {
    if (!alive[i]) continue;
    mask.keep(i);
    ++kept;
    for (std::size_t j = i + 1; j < boxes; ++j)
      alive[j] = alive[j] && (i == 0 ? bit(j, 0) : bit(i, j));
  }
  mask.store(invocation);
  return true;
}

// What is given to soft suppression: the scores, one for each box, and a row of factors for each.
struct SoftSuppression {
  explicit SoftSuppression(const Invocation& invocation)
      : keep(invocation.command.arg("keep_num").value()),
        threshold(static_cast<float>(invocation.command.arg("threshold").number)),
        factors(invocation, "iou_addr"),
        score(static_cast<std::size_t>(invocation.command.arg("box_num").value())) {
    const IndexedTensor scores(invocation, "score_addr");
    std::memcpy(score.data(), scores.at(0, 0, 0, 0), score.size() * sizeof(float));
  }
  std::byte* factors_of(std::size_t box) const {
    return factors.at(0, 0, static_cast<std::int64_t>(box), 0);
  }

  std::int64_t keep;
  float threshold;
  IndexedTensor factors;
  std::vector<float> score;
};

// The box of the highest score is kept and multiplies the scores of the others by its row of `iou`.
bool soft_nms(const Invocation& invocation) {
  const ChipFloatScope flush;
  SoftSuppression given(invocation);
  const std::size_t boxes = given.score.size();
  std::vector<float>& score = given.score;
  std::vector<std::uint8_t> open(boxes, 1);
  Mask mask(boxes);
  std::size_t best = boxes;  // none
  float highest = 0;
  const auto consider = [&](std::size_t i) {
    if (best != boxes && !fp32::greater(score[i], highest)) return;
    best = i;
    highest = score[i];
  };
  for (std::size_t i = 0; i < boxes; ++i) consider(i);
  for (std::int64_t kept = 0; kept < given.keep; ++kept) {
    if (best == boxes || !fp32::greater(highest, given.threshold)) break;
    open[best] = 0;
    mask.keep(best);
    const std::byte* factor_at = given.factors_of(best);
    best = boxes;
    for (std::size_t i = 0; i < boxes; ++i, factor_at += sizeof(float)) {
      if (open[i] == 0) continue;
      float factor = 0;
      std::memcpy(&factor, factor_at, sizeof factor);
      score[i] = fp32::mul(score[i], factor);
      consider(i);
    }
  }
  mask.store(invocation);
  return true;
}

// The largest of some numbers, -infinity of none; a NaN is not looked at.
float highest_score(const std::vector<float>& numbers) {
  constexpr std::size_t kSide = 16;  // by side, so that compilers compare vectors
  std::array<float, kSide> most;
  most.fill(-std::numeric_limits<float>::infinity());
  std::size_t i = 0;
  for (; i + kSide <= numbers.size(); i += kSide) {
    for (std::size_t k = 0; k < kSide; ++k)
      most[k] = numbers[i + k] > most[k] ? numbers[i + k] : most[k];
  }
  for (; i < numbers.size(); ++i) most[0] = numbers[i] > most[0] ? numbers[i] : most[0];
  float result = most[0];
  for (const float each : most) result = each > result ? each : result;
  return result;
}

// The first of some numbers that is `value`, which is one of them.
std::size_t first_with_score(const std::vector<float>& numbers, float value) {
  constexpr std::size_t kSide = 16;
  std::size_t i = 0;
  for (; i + kSide <= numbers.size(); i += kSide) {
    int found = 0;
    for (std::size_t k = 0; k < kSide; ++k) found |= numbers[i + k] == value ? 1 : 0;
    if (found != 0) break;
  }
  while (numbers[i] != value) ++i;
  return i;
}

// The same with all scores at once. Those of kept boxes are -infinity, which no threshold lets by.
bool soft_nms_rows(const Invocation& invocation) {
  const ChipFloatScope flush;
  SoftSuppression given(invocation);
  const std::size_t boxes = given.score.size();
  std::vector<float>& score = given.score;
  std::vector<std::size_t> closed;
  std::vector<bool> open(boxes, true);
  Mask mask(boxes);
  Row row{};
  row.dst = reinterpret_cast<std::byte*>(score.data());
  row.src[0] = row.dst;
  row.dst_step = row.src_step[0] = row.src_step[1] = sizeof(float);
  row.count = static_cast<std::int64_t>(boxes);
  std::size_t first = 0;  // that is open: if it is no number, none is larger
  for (std::int64_t kept = 0; kept < given.keep; ++kept) {
    while (first < boxes && !open[first]) ++first;
    if (first == boxes || std::isnan(score[first])) break;
    const float highest = highest_score(score);
    if (!fp32::greater(highest, given.threshold)) break;
    const std::size_t best = first_with_score(score, highest);
    mask.keep(best);
    open[best] = false;
    closed.push_back(best);
    row.src[1] = given.factors_of(best);
    fp32_row<TypedRow::kMultiply>(row);
    for (const std::size_t box : closed) score[box] = -std::numeric_limits<float>::infinity();
  }
  mask.store(invocation);
  return true;
}

// Every kept box is compared with every other.
CycleCount every_pair() {
  return {"1 cycle per kept box and box [a guess]",
          [](const Command& command, const TimingParameters&) {
            return static_cast<double>(command.arg("keep_num").value() *
                                       command.arg("box_num").value());
          }};
}

OpSpec suppression(Doc doc, std::vector<OperandSpec> inputs,
                   std::vector<Implementation> implementations) {
  inputs.insert(inputs.begin(),
                combined(Combination::kFunction,
                         table(Role::kOut, "output_addr", Dtype::kUint8, "1", kMaskBytes)));
  return {.engine = Engine::kHau,
          .group = kNmsGroup,
          .doc = doc,
          .operands = std::move(inputs),
          .limits = {"1 <= box_num", "1 <= keep_num <= box_num"},
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = every_pair()};
}

}  // namespace

TL_TPU_OP(tpu_hau_hard_nms) = suppression(
    "A mask of the boxes that survive those kept before them, "
    "by a row of bits per box",
    {table(Role::kIn, "input_addr", Dtype::kUint8, "box_num", kMaskBytes)},
    {{"reference", hard_nms}});
TL_TPU_OP(tpu_hau_soft_nms) = suppression(
    "A mask of the boxes of highest score, which lower the scores of the others by "
    "the factors in iou",
    {table(Role::kIn, "iou_addr", Dtype::kFp32, "box_num", "box_num"),
     table(Role::kIn, "score_addr", Dtype::kFp32, "1", "box_num")},
    {{"rows", soft_nms_rows}, {"reference", soft_nms}});

}  // namespace tensorlane::tpukernel
