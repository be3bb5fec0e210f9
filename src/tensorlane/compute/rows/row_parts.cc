#include "tensorlane/compute/rows/row_parts.h"

#include <cstring>
#include <type_traits>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/layout/strided_copy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/row_parts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

// What the vectors of every instruction set share.
#ifndef TENSORLANE_EXECUTION_ROW_PARTS_SHAPE
#define TENSORLANE_EXECUTION_ROW_PARTS_SHAPE
namespace tensorlane::simd {

// Runs of `bytes` bytes, `next` apart, in blocks: rows whose elements stand side by side, or the
// elements that are used of wider words.
struct RunShape {
  std::int64_t bytes, runs, next, blocks, block;
};
using CopyRuns = void (*)(const RunShape& shape, const std::byte* from, std::byte* to);

}  // namespace tensorlane::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- words of which a part counts ----

// The first bytes of words, as many as a Group has.
template <class Word, class Group>
HWY_INLINE void take_groups(const std::byte* from, std::int64_t words, std::byte* to) {
  const hn::ScalableTag<Word> d;
  const hn::Rebind<Group, hn::ScalableTag<Word>> narrow;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<Word>()));
  std::int64_t i = 0;
  const auto take = [&](auto wide) HWY_ATTR {
    hn::StoreU(hn::TruncateTo(narrow, wide), narrow,
               reinterpret_cast<Group*>(to + i * static_cast<std::int64_t>(sizeof(Group))));
  };
  const auto at = [&] { return from + i * static_cast<std::int64_t>(sizeof(Word)); };
  // Not the last word: what lies behind its group need not be there.
  for (; i + kLanes < words; i += kLanes) take(hn::LoadU(d, reinterpret_cast<const Word*>(at())));
  if constexpr (kHasMasks<Group>) {
    const hn::Repartition<Group, hn::ScalableTag<Word>> groups;
    const auto rest = static_cast<std::size_t>(words - i);
    const auto mask = hn::FirstN(groups, (rest - 1) * (sizeof(Word) / sizeof(Group)) + 1);
    take(hn::BitCast(d, hn::MaskedLoad(mask, groups, reinterpret_cast<const Group*>(at()))));
  } else {
    for (; i < words; ++i)
      store_element(to + i * static_cast<std::int64_t>(sizeof(Group)), load_element<Group>(at()));
  }
}

template <class Word, class Group>
HWY_INLINE void put_groups(const std::byte* from, std::int64_t words, std::byte* to) {
  std::int64_t i = 0;
  if constexpr (kHasMasks<Group>) {
    const hn::ScalableTag<Word> d;
    const hn::Rebind<Group, hn::ScalableTag<Word>> narrow;
    const hn::Repartition<Group, hn::ScalableTag<Word>> groups;
    constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<Word>()));
    constexpr std::size_t kRatio = sizeof(Word) / sizeof(Group);
    const auto firsts =
        hn::Eq(hn::And(hn::Iota(groups, 0), hn::Set(groups, Group{kRatio - 1})), hn::Zero(groups));
    const auto put = [&](auto mask) HWY_ATTR {
      const auto wide = hn::PromoteTo(
          d, hn::LoadU(narrow, reinterpret_cast<const Group*>(
                                   from + i * static_cast<std::int64_t>(sizeof(Group)))));
      hn::BlendedStore(hn::BitCast(groups, wide), mask, groups,
                       reinterpret_cast<Group*>(to + i * static_cast<std::int64_t>(sizeof(Word))));
    };
    for (; i + kLanes <= words; i += kLanes) put(firsts);
    const auto rest = static_cast<std::size_t>(words - i);
    if (rest != 0) put(hn::And(firsts, hn::FirstN(groups, rest * kRatio)));
    return;
  }
  for (; i < words; ++i) {
    store_element(to + i * static_cast<std::int64_t>(sizeof(Word)),
                  load_element<Group>(from + i * static_cast<std::int64_t>(sizeof(Group))));
  }
}

template <class Word, class Group>
void gather_groups(const RunShape& given, const std::byte* from, std::byte* to) {
  const RunShape shape = given;
  for (std::int64_t b = 0; b < shape.blocks; ++b)
    take_groups<Word, Group>(from + b * shape.block, shape.runs, to + b * shape.runs * shape.bytes);
}
template <class Word, class Group>
void scatter_groups(const RunShape& given, const std::byte* from, std::byte* to) {
  const RunShape shape = given;
  for (std::int64_t b = 0; b < shape.blocks; ++b)
    put_groups<Word, Group>(from + b * shape.runs * shape.bytes, shape.runs, to + b * shape.block);
}

// ---- rows of elements side by side ----

// `bytes` bytes, at least one and at most two of T: the last T goes over some of the first.
template <class T>
HWY_INLINE void copy_ends(const std::byte* from, std::byte* to, std::int64_t bytes) {
  const std::int64_t last = bytes - static_cast<std::int64_t>(sizeof(T));
  const T first = load_element<T>(from), second = load_element<T>(from + last);
  store_element(to, first);
  store_element(to + last, second);
}

// Fewer bytes than a vector has, where there are no masks: a call of memcpy for a pair of bytes
// takes longer than the arithmetic.
HWY_INLINE void copy_short(const std::byte* from, std::byte* to, std::int64_t bytes) {
  struct Sixteen {
    std::uint64_t low, high;
  };
  if (bytes > 32) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  } else if (bytes >= 16) {
    copy_ends<Sixteen>(from, to, bytes);
  } else if (bytes >= 8) {
    copy_ends<std::uint64_t>(from, to, bytes);
  } else if (bytes >= 4) {
    copy_ends<std::uint32_t>(from, to, bytes);
  } else if (bytes >= 2) {
    copy_ends<std::uint16_t>(from, to, bytes);
  } else if (bytes == 1) {
    *to = *from;
  }
}

// `bytes` bytes; a vector or more, or little enough for one with masks.
HWY_INLINE void copy_run(const std::byte* from, std::byte* to, std::int64_t bytes) {
  using Bytes = hn::ScalableTag<std::uint8_t>;
  const Bytes d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Bytes()));
  const auto* const source = reinterpret_cast<const std::uint8_t*>(from);
  auto* const target = reinterpret_cast<std::uint8_t*>(to);
  if (bytes < kLanes) {
    if constexpr (kHasMasks<std::uint8_t>) {
      const auto mask = hn::FirstN(d, static_cast<std::size_t>(bytes));
      hn::BlendedStore(hn::MaskedLoad(mask, d, source), mask, d, target);
    } else {
      copy_short(from, to, bytes);
    }
    return;
  }
  for (std::int64_t i = 0; i + kLanes <= bytes; i += kLanes)
    hn::StoreU(hn::LoadU(d, source + i), d, target + i);
  // The rest with a vector that repeats some of the bytes before it.
  if (bytes % kLanes != 0)
    hn::StoreU(hn::LoadU(d, source + bytes - kLanes), d, target + bytes - kLanes);
}

// Of Element each, or as many bytes as the shape says.
template <class Element>
HWY_INLINE void copy_one_run(const std::byte* from, std::byte* to, std::int64_t bytes) {
  if constexpr (std::is_void_v<Element>) {
    copy_run(from, to, bytes);
  } else {
    store_element(to, load_element<Element>(from));
  }
}

template <class Element>
void gather_runs(const RunShape& given, const std::byte* from, std::byte* to) {
  const RunShape shape = given;
  for (std::int64_t b = 0; b < shape.blocks; ++b) {
    for (std::int64_t r = 0; r < shape.runs; ++r, to += shape.bytes)
      copy_one_run<Element>(from + b * shape.block + r * shape.next, to, shape.bytes);
  }
}
template <class Element>
void scatter_runs(const RunShape& given, const std::byte* from, std::byte* to) {
  const RunShape shape = given;
  for (std::int64_t b = 0; b < shape.blocks; ++b) {
    for (std::int64_t r = 0; r < shape.runs; ++r, from += shape.bytes)
      copy_one_run<Element>(from, to + b * shape.block + r * shape.next, shape.bytes);
  }
}

// ---- rows of one element ----

template <class T>
void repeat_elements(const RunShape& given, const std::byte* from, std::byte* to) {
  const RunShape shape = given;
  const hn::ScalableTag<T> d;
  constexpr auto kBytes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()) * sizeof(T));
  for (std::int64_t b = 0; b < shape.blocks; ++b) {
    for (std::int64_t r = 0; r < shape.runs; ++r, to += shape.bytes) {
      const auto value = hn::Set(d, load_element<T>(from + b * shape.block + r * shape.next));
      for (std::int64_t i = 0; i < shape.bytes; i += kBytes)
        hn::StoreU(value, d, reinterpret_cast<T*>(to + i));
    }
  }
}
CopyRuns find_repeat(std::int64_t bytes) {
  if (bytes == 1) return repeat_elements<std::uint8_t>;
  return bytes == 2 ? repeat_elements<std::uint16_t> : repeat_elements<std::uint32_t>;
}

// ---- which ----

template <class Word, class Group>
CopyRuns groups_of(bool gathers) {
  return gathers ? gather_groups<Word, Group> : scatter_groups<Word, Group>;
}
template <class Element>
CopyRuns runs_of(bool gathers) {
  return gathers ? gather_runs<Element> : scatter_runs<Element>;
}
CopyRuns find_copy(std::int64_t word, std::int64_t group, bool gathers) {
  if (word == 2 && group == 1) return groups_of<std::uint16_t, std::uint8_t>(gathers);
  if (word == 4 && group == 1) return groups_of<std::uint32_t, std::uint8_t>(gathers);
  if (word == 4 && group == 2) return groups_of<std::uint32_t, std::uint16_t>(gathers);
  if (word == 8 && group == 4) return groups_of<std::uint64_t, std::uint32_t>(gathers);
  if (group == 1) return runs_of<std::uint8_t>(gathers);
  if (group == 2) return runs_of<std::uint16_t>(gathers);
  if (group == 4) return runs_of<std::uint32_t>(gathers);
  return group == 8 ? runs_of<std::uint64_t>(gathers) : runs_of<void>(gathers);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_copy);
HWY_EXPORT(find_repeat);

CopyRuns repeat_of_processor(std::int64_t bytes) {
  return HWY_DYNAMIC_DISPATCH(find_repeat)(bytes);
}

// The elements of a part as loops, from `src` to `dst`.
Box box_of(const Row& part, const Places& dst, const Places& src) {
  Box box;
  for (const Loop& loop :
       {Loop{part.blocks, {dst.block, src.block}}, Loop{part.rows, {dst.next, src.next}},
        Loop{part.count, {dst.step, src.step}}})
    box.loops[static_cast<std::size_t>(box.rank++)] = loop;
  return box;
}

// Calls copy(shape, offset) with runs of bytes that lie side by side; false where the elements of a
// part stand one by one.
template <class Copy>
bool each_run(const Row& part, const Places& places, std::int64_t bytes, const Copy& copy) {
  const bool one_by_one = part.count > 1 && places.step != bytes;
  if (!one_by_one && part.rows > 1 && places.next == part.count * bytes) {  // a run of all rows
    copy(RunShape{part.rows * part.count * bytes, part.blocks, places.block, 1, 0}, 0, 0);
    return true;
  }
  if (!one_by_one) {
    copy(RunShape{part.count * bytes, part.rows, places.next, part.blocks, places.block}, 0, 0);
    return true;
  }
  // Every second or fourth element, say: the rows one after the other.
  if (places.step != 2 * bytes && places.step != 4 * bytes) return false;
  if (places.step > 8) return false;
  for (std::int64_t b = 0; b < part.blocks; ++b) {
    copy(RunShape{bytes, part.count, places.step, part.rows, places.next}, b * places.block,
         b * part.rows * part.count * bytes);
  }
  return true;
}

CopyRuns copy_of_processor(const RunShape& shape, bool gathers) {
  return HWY_DYNAMIC_DISPATCH(find_copy)(shape.next, shape.bytes, gathers);
}

}  // namespace
}  // namespace simd

void gather_elements(const Row& part, const std::byte* from, const Places& places,
                     std::int64_t bytes, std::byte* to) {
  const auto copy = [&](const simd::RunShape& shape, std::int64_t place, std::int64_t dense) {
    simd::copy_of_processor(shape, true)(shape, from + place, to + dense);
  };
  if (simd::each_run(part, places, bytes, copy)) return;
  if (places.step == 0) {
    const simd::RunShape rows{part.count * bytes, part.rows, places.next, part.blocks,
                              places.block};
    return simd::repeat_of_processor(bytes)(rows, from, to);
  }
  strided_copy(simd::box_of(part, Places::side_by_side_in(part, bytes), places), to, from, bytes,
               CopyThreads::kSerial);
}

void scatter_elements(const Row& part, const std::byte* from, std::byte* to, const Places& places,
                      std::int64_t bytes) {
  const auto copy = [&](const simd::RunShape& shape, std::int64_t place, std::int64_t dense) {
    simd::copy_of_processor(shape, false)(shape, from + dense, to + place);
  };
  if (simd::each_run(part, places, bytes, copy)) return;
  strided_copy(simd::box_of(part, places, Places::side_by_side_in(part, bytes)), to, from, bytes,
               CopyThreads::kSerial);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
