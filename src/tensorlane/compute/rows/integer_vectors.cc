#include "tensorlane/compute/rows/integer_vectors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/integer_products.h"
#include "tensorlane/compute/rows/integer_shifts.h"
#include "tensorlane/compute/rows/integer_sums.h"
#include "tensorlane/compute/rows/row_parts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/integer_vectors.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/integer_lanes_inl.h"
#include "tensorlane/compute/rows/packed_words_inl.h"
#include "tensorlane/compute/rows/short_steps_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kIntegersAtATime = 1024;
constexpr std::int64_t kSlack = 64;  // elements that a vector may write too many

// Room for the elements of a part, as they are stored and in lanes.
template <class Wide>
struct PartBuffer {
  HWY_ALIGN std::byte stored[kIntegersAtATime * 4 + kGatherSlack];
  HWY_ALIGN Wide lanes[kIntegersAtATime + kSlack];
};

// Elements side by side from the first row to the last one.
template <class Byte>
Elements<Byte> dense(const Row& part, Byte* at, ElementForm form, std::int64_t bytes) {
  return {at, form, part.count * bytes, part.rows * part.count * bytes};
}

// The elements of source k: where they are, if they stand side by side, or in the buffer. `whole`:
// vectors do not reach beyond them.
template <class Wide>
Input load_part(const Row& part, std::size_t k, Dtype dtype, bool whole, PartBuffer<Wide>& buffer) {
  const Places places = Places::of_source(part, k);
  const ElementForm form = form_of<Wide>(dtype);
  const std::int64_t bytes = dtype_bytes(dtype);
  const std::byte* from = part.src[k];
  if (!places.side_by_side(part, bytes) || (form != ElementForm::kNone && !whole)) {
    gather_elements(part, from, places, bytes, buffer.stored);
    from = buffer.stored;
  }
  if (form != ElementForm::kNone) return dense(part, from, form, bytes);
  widen_elements_of(dtype, from, elements_of(part), buffer.lanes);
  return dense(part, reinterpret_cast<const std::byte*>(buffer.lanes), ElementForm::kWide,
               sizeof(Wide));
}

// Where the results of a part go at first.
template <class Wide>
Output result_of(const Row& part, Dtype dtype, bool whole, PartBuffer<Wide>& buffer) {
  const ElementForm form = form_of<Wide>(dtype);
  const std::int64_t bytes = dtype_bytes(dtype);
  if (form == ElementForm::kNone)
    return dense(part, reinterpret_cast<std::byte*>(buffer.lanes), ElementForm::kWide,
                 sizeof(Wide));
  const bool stays = whole && Places::of_result(part).side_by_side(part, bytes);
  return dense(part, stays ? part.dst : buffer.stored, form, bytes);
}
// And from there to where they belong.
template <class Wide>
void store_part(const Row& part, Dtype dtype, const Output& result, PartBuffer<Wide>& buffer) {
  if (result.at == part.dst) return;
  const Places places = Places::of_result(part);
  const std::int64_t bytes = dtype_bytes(dtype), count = elements_of(part);
  if (form_of<Wide>(dtype) == ElementForm::kNone) {
    const bool dense = places.side_by_side(part, bytes);
    narrow_elements_of(bytes, buffer.lanes, count, dense ? part.dst : buffer.stored);
    if (dense) return;
  }
  scatter_elements(part, buffer.stored, part.dst, places, bytes);
}

// The rows of a frame where they are, for vectors that end with them, masked or with elements that
// are computed twice; of rows of two bytes, as packed words make them, one row for all. False where
// some operand does not lie so.
template <class Wide>
bool rows_in_place(const IntegerSteps& steps, const Row& frame, IntegerRows& rows) {
  constexpr std::int64_t kShortest = 8, kPair = 2, kWord = 4;
  const std::int64_t shortest = kEndsWithRows ? kShortest : kIntegerLanes<Wide>;
  const bool pairs = kTakesPairs && frame.count == kPair &&
                     frame.rows >= (kEndsWithRows ? kShortest : shortest / kPair);
  if (!pairs && frame.count < shortest) return false;
  rows.repeats_ends = !kEndsWithRows;
  const auto fits = [&](const Places& places, Dtype dtype, auto& elements) {
    const std::int64_t bytes = dtype_bytes(dtype);
    elements.form = form_of<Wide>(dtype);
    elements.next = pairs ? 0 : places.next;
    elements.block = places.block;
    elements.in_pairs = pairs && places.next != kPair * bytes;
    if (places.step != bytes || elements.form == ElementForm::kNone) return false;
    const bool even = kEndsWithRows || (places.block % 2 == 0 &&
                                        reinterpret_cast<std::uintptr_t>(elements.at) % 2 == 0);
    return !elements.in_pairs ||
           (bytes == 1 && places.next == kWord && sizeof(Wide) <= kWord && even);
  };
  rows.result.at = frame.dst;
  if (!fits(Places::of_result(frame), steps.dst, rows.result)) return false;
  // Without stores of some bytes of a vector the words are read, changed and written.
  if (rows.result.in_pairs && !kEndsWithRows) return false;
  const auto count = static_cast<std::size_t>(steps.source_count);
  for (std::size_t k = 0; k < count; ++k) {
    const Places places = Places::of_source(frame, k);
    rows.sources[k].at = frame.src[k];
    if (places.step == 0 && (!pairs || places.next == 0)) {
      rows.sources[k].form = ElementForm::kConstant;
      rows.sources[k].next = places.next;
      rows.sources[k].block = places.block;
    } else if (!fits(places, steps.sources[k], rows.sources[k])) {
      return false;
    }
  }
  if (steps.by_byte != nullptr) {
    if (pairs && frame.src_next[count] != 0) return false;
    rows.shifts = {frame.src[count], ElementForm::kConstant, frame.src_next[count],
                   frame.src_block[count]};
  }
  rows.count = pairs ? frame.count * frame.rows : frame.count;
  rows.rows = pairs ? 1 : frame.rows;
  rows.blocks = frame.blocks;
  return true;
}

template <class Wide>
void compute_rows(const IntegerSteps& steps, const IntegerRows& rows) {
  if constexpr (std::is_same_v<Wide, std::int16_t>) {
    if (steps.short_steps != ShortSteps::kNone) return compute_short(steps, rows);
  }
  compute_of<Wide>(steps, rows);
}

template <class Wide>
void run_integers(const IntegerSteps& steps, const Row& frame) {
  IntegerRows rows;
  if (rows_in_place<Wide>(steps, frame, rows)) return compute_rows<Wide>(steps, rows);
  rows = IntegerRows();
  // Words of 32 bits hold what lanes of 16 do, and the steps are the same.
  if constexpr (kTakesWords && (sizeof(Wide) == 2 || std::is_same_v<Wide, std::int32_t>)) {
    PackedWords packed;
    const bool fits = steps.short_steps != ShortSteps::kUnsignedProducts;
    if (fits && find_packed_words(steps, frame, packed) && run_words(steps, packed)) return;
  }
  // Left uninitialised, and elements behind the last one take part: their results go nowhere.
  PartBuffer<Wide> buffers[3];
  PartBuffer<Wide> results;
  std::array<bool, 3> moves{};
  const auto sources = static_cast<std::size_t>(steps.source_count);
  const bool own_shifts = steps.by_byte != nullptr;
  for (std::size_t k = 0; k < sources; ++k) {
    moves[k] = !Places::of_source(frame, k).all_the_same();
    if (!moves[k]) rows.sources[k] = {frame.src[k], ElementForm::kConstant};
  }
  each_part(frame, kIntegersAtATime, [&](const Row& part) {
    const std::int64_t run = own_shifts ? part.count : elements_of(part);
    const bool whole = kEndsWithRows || run % kIntegerLanes<Wide> == 0;
    for (std::size_t k = 0; k < sources; ++k) {
      if (moves[k]) rows.sources[k] = load_part(part, k, steps.sources[k], whole, buffers[k]);
    }
    rows.result = result_of(part, steps.dst, whole, results);
    // One shift for all is one row. Results that a vector writes too many are those of the next
    // row, which comes later.
    rows.count = run;
    rows.rows = own_shifts ? part.rows : 1;
    rows.blocks = own_shifts ? part.blocks : 1;
    if (own_shifts)
      rows.shifts = {part.src[sources], ElementForm::kConstant, part.src_next[sources],
                     part.src_block[sources]};
    compute_rows<Wide>(steps, rows);
    store_part(part, steps.dst, rows.result, results);
  });
}

RunIntegers find_run(IntegerLanes lanes) {
  switch (lanes) {
    case IntegerLanes::kInt16:
      return run_integers<std::int16_t>;
    case IntegerLanes::kUint16:
      return run_integers<std::uint16_t>;
    case IntegerLanes::kSums16:
    case IntegerLanes::kProducts16:
      return HWY_TARGET == HWY_SCALAR ? run_integers<std::int32_t> : run_integers<std::int16_t>;
    case IntegerLanes::kUnsignedProducts16:
      return HWY_TARGET == HWY_SCALAR ? run_integers<std::uint32_t> : run_integers<std::int16_t>;
    case IntegerLanes::kInt32:
      return run_integers<std::int32_t>;
    case IntegerLanes::kUint32:
      return run_integers<std::uint32_t>;
    case IntegerLanes::kInt64:
      return run_integers<std::int64_t>;
    case IntegerLanes::kUint64:
      return run_integers<std::uint64_t>;
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_run);

RunIntegers run_of_processor(IntegerLanes lanes) {
  return HWY_DYNAMIC_DISPATCH(find_run)(lanes);
}

}  // namespace
}  // namespace simd

RunIntegers integers_in(IntegerLanes lanes) {
  return simd::run_of_processor(lanes);
}

IntegerLanes first_lanes(unsigned lanes) {
  return static_cast<IntegerLanes>(std::countr_zero(lanes));
}

RowFunction integer_vector_row(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  const unsigned lanes = lanes_that_hold(rule, sources, dst);
  if (lanes == 0) return {};
  const IntegerLanes first = first_lanes(lanes);
  const auto in_lanes = [steps = integer_steps(rule, sources, dst, first),
                         run = integers_in(first)](const Row& frame) { run(steps, frame); };
  // What lanes as wide as the elements hold takes fewer of them.
  if (sources.size() > 2) return in_lanes;
  if (sources.size() == 2) {
    if (const auto sums = integer_sums(rule, sources, dst)) {
      return [in_lanes, sums = *sums](const Row& frame) {
        if (!run_sums(sums, frame)) in_lanes(frame);
      };
    }
    if (const auto products = integer_products(rule, sources, dst)) {
      return [in_lanes, products = *products](const Row& frame) {
        if (!run_products(products, frame)) in_lanes(frame);
      };
    }
  }
  if (const auto shifts = integer_shifts(rule, sources, dst)) {
    return [in_lanes, shifts = *shifts](const Row& frame) {
      if (!run_shifts(shifts, frame)) in_lanes(frame);
    };
  }
  return in_lanes;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
