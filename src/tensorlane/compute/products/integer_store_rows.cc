#include "tensorlane/compute/products/integer_store_rows.h"

#include <cstring>
#include <limits>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/integer_store_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rounding_shift_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using StoredWords = hn::ScalableTag<std::int32_t>;
using StoredVector = hn::Vec<StoredWords>;
constexpr int kStoredLanes = static_cast<int>(hn::MaxLanes(StoredWords()));

// What happens to every sum of a call.
template <bool kPlain>
class Finish {
 public:
  explicit HWY_INLINE Finish(const IntegerStoreRows& rows)
      : rows_(rows),
        multiplier_(hn::Set(StoredWords(), rows.multiplier)),
        low_(hn::Set(StoredWords(), rows.low)),
        high_(hn::Set(StoredWords(), rows.high)),
        threshold_(rows.rounding, hn::Set(StoredWords(), mask(rows.shift))) {}

  // The elements of one vector of sums with their terms; `old` are those of the output.
  template <class T, class Narrow>
  HWY_INLINE hn::Vec<Narrow> of(Narrow narrow, StoredVector sum, StoredVector shifts,
                                hn::Vec<Narrow> old) const {
    if constexpr (sizeof(T) == 4) {
      if (rows_.result_add) sum = hn::Add(sum, hn::ShiftLeftSame(old, rows_.left_shift));
    }
    if (rows_.multiplier != 1) sum = hn::Mul(sum, multiplier_);
    const StoredVector value = shifted(sum, shifts);
    const StoredVector kept = hn::Min(hn::Max(value, low_), high_);
    if constexpr (sizeof(T) == 4) return kept;
    if constexpr (sizeof(T) < 4) return hn::DemoteTo(narrow, kept);
  }

 private:
  using Threshold = RoundingThreshold<StoredWords>;

  static std::int32_t mask(int shift) {
    return shift >= 0 ? 0 : static_cast<std::int32_t>((1U << -shift) - 1);
  }

  HWY_INLINE StoredVector shifted(StoredVector sum, StoredVector shift) const {
    const StoredWords d;
    if (rows_.shifts != nullptr) {
      const StoredVector zero = hn::Zero(d);
      const StoredVector right = hn::Max(hn::Neg(shift), zero);
      const StoredVector out = hn::Sub(hn::Shl(hn::Set(d, 1), right), hn::Set(d, 1));
      const StoredVector value = rounded(Threshold(rows_.rounding, out), sum, hn::Shr(sum, right));
      return hn::Shl(value, hn::Max(shift, zero));
    }
    if (rows_.shift == 0) return sum;
    if (rows_.shift > 0) return hn::ShiftLeftSame(sum, rows_.shift);
    return rounded(threshold_, sum, hn::ShiftRightSame(sum, -rows_.shift));
  }
  static HWY_INLINE StoredVector rounded(const Threshold& threshold, StoredVector sum,
                                         StoredVector floor) {
    return kPlain ? threshold.round_plainly(sum, floor) : threshold.round(sum, floor);
  }

  const IntegerStoreRows& rows_;
  const StoredVector multiplier_, low_, high_;
  const Threshold threshold_;
};

// What a vector of one row of a part is made of, and where it goes. Columns that a call lacks are
// null.
template <class T>
struct Line {
  const std::int32_t* sums;
  const std::int32_t* terms;
  const std::int32_t* factors;
  const std::int32_t* shifts;
  T* to;
  std::int32_t term;    // of the row
  std::int32_t factor;  // of the row, for `factors`

  Line(const IntegerStoreRows& rows, int r, int part)
      : sums(rows.sums + std::ptrdiff_t{r} * rows.stride + std::ptrdiff_t{part} * rows.count),
        terms(of_part(rows.terms, rows, part)),
        factors(of_part(rows.factors, rows, part)),
        shifts(of_part(rows.shifts, rows, part)),
        to(reinterpret_cast<T*>(rows.to[r] + part * rows.to_next_part)),
        term(static_cast<std::int32_t>(
            (rows.row_terms == nullptr ? 0U : static_cast<std::uint32_t>(rows.row_terms[r])) +
            (rows.corrections == nullptr ? 0U : static_cast<std::uint32_t>(rows.corrections[r])))),
        factor(rows.row_factors == nullptr ? 0 : rows.row_factors[r]) {}

 private:
  static const std::int32_t* of_part(const std::int32_t* columns, const IntegerStoreRows& rows,
                                     int part) {
    return columns == nullptr ? nullptr : columns + std::ptrdiff_t{part} * rows.count;
  }
};

// Element i and those behind it, as load(tag, pointer) reads them and save(vector, tag, pointer)
// writes them.
template <class T, class Finished, class Load, class Save>
HWY_INLINE void store_vector(const IntegerStoreRows& rows, const Finished& finish,
                             const Line<T>& line, int i, const Load& load, const Save& save) {
  const StoredWords d;
  const hn::Rebind<T, StoredWords> narrow;
  StoredVector sum = hn::Add(load(d, line.sums + i), hn::Set(d, line.term));
  if (line.factors != nullptr)
    sum = hn::Add(sum, hn::Mul(load(d, line.factors + i), hn::Set(d, line.factor)));
  if (line.terms != nullptr) sum = hn::Add(sum, load(d, line.terms + i));
  const StoredVector shifts = line.shifts == nullptr ? hn::Zero(d) : load(d, line.shifts + i);
  const auto old = rows.result_add ? load(narrow, line.to + i) : hn::Zero(narrow);
  save(finish.template of<T>(narrow, sum, shifts, old), narrow, line.to + i);
}

template <class T, class Finished>
HWY_INLINE void store_whole(const IntegerStoreRows& rows, const Finished& finish,
                            const Line<T>& line, int i) {
  store_vector(
      rows, finish, line, i, [](auto d, const auto* from) HWY_ATTR { return hn::LoadU(d, from); },
      [](auto vector, auto d, auto* to) HWY_ATTR { hn::StoreU(vector, d, to); });
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr bool kMasksAreSlow = false;
// The last `count` elements of a row: masks keep reads and writes inside.
template <class T, class Finished>
HWY_INLINE void store_end(const IntegerStoreRows& rows, const Finished& finish, const Line<T>& line,
                          int i, int count) {
  const auto some = static_cast<std::size_t>(count);
  store_vector(
      rows, finish, line, i,
      [some](auto d, const auto* from)
          HWY_ATTR { return hn::MaskedLoad(hn::FirstN(d, some), d, from); },
      [some](auto vector, auto d, auto* to)
          HWY_ATTR { hn::BlendedStore(vector, hn::FirstN(d, some), d, to); });
}
#else
constexpr bool kMasksAreSlow = true;
// The same by way of whole vectors.
template <class T, class Finished>
HWY_NOINLINE void store_end(const IntegerStoreRows& rows, const Finished& finish,
                            const Line<T>& line, int i, int count) {
  std::int32_t rest[4][kStoredLanes] = {};
  T out[kStoredLanes] = {};
  Line<T> copy = line;
  const std::int32_t** parts[] = {&copy.sums, &copy.terms, &copy.factors, &copy.shifts};
  for (int k = 0; k < 4; ++k) {
    if (*parts[k] == nullptr) continue;
    std::memcpy(rest[k], *parts[k] + i, static_cast<std::size_t>(count) * sizeof(std::int32_t));
    *parts[k] = rest[k];
  }
  copy.to = out;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (rows.result_add) std::memcpy(out, line.to + i, bytes);
  store_whole(rows, finish, copy, 0);
  std::memcpy(line.to + i, out, bytes);
}
#endif

// Whether sums take nothing but a term of their row, a shift to the right and a range, which is
// that of the type where narrowing keeps to it: what most calls are.
template <class T>
bool are_bare(const IntegerStoreRows& rows) {
  using Limits = std::numeric_limits<T>;
  const bool whole = rows.low == Limits::min() && rows.high == Limits::max();
  return rows.shift <= 0 && (sizeof(T) != 2 || whole) && rows.terms == nullptr &&
         rows.factors == nullptr && rows.shifts == nullptr && rows.multiplier == 1 &&
         !rows.result_add;
}

// What happens to them.
enum class Bare { kNothing, kRoundedPlainly, kRounded };

template <class T>
Bare bare_steps(const IntegerStoreRows& rows, bool plain) {
  using Limits = std::numeric_limits<T>;
  if (sizeof(T) == 4 && rows.shift == 0 && rows.low == Limits::min() && rows.high == Limits::max())
    return Bare::kNothing;
  return plain || rows.shift == 0 ? Bare::kRoundedPlainly : Bare::kRounded;
}

// Those, without a question on the way.
template <class T, Bare kBare>
void store_bare_rows(const IntegerStoreRows& rows) {
  const StoredWords d;
  const hn::Rebind<T, StoredWords> narrow;
  const int count = rows.count, shift = -rows.shift;
  const RoundingThreshold<StoredWords> threshold(
      rows.rounding, hn::Set(d, static_cast<std::int32_t>((1U << shift) - 1)));
  [[maybe_unused]] const StoredVector low = hn::Set(d, rows.low), high = hn::Set(d, rows.high);
  for (int at = 0, r = 0, part = 0; at < rows.rows * rows.parts; ++at, ++r) {
    if (r == rows.rows) {
      r = 0;
      ++part;
    }
    const Line<T> line(rows, r, part);
    const std::int32_t* HWY_RESTRICT sums = line.sums;
    T* HWY_RESTRICT to = line.to;
    const StoredVector term = hn::Set(d, line.term);
    const auto finish = [&](StoredVector sum) HWY_ATTR {
      sum = hn::Add(sum, term);
      if constexpr (kBare == Bare::kNothing && sizeof(T) == 4) return sum;
      const StoredVector floor = hn::ShiftRightSame(sum, shift);
      sum = kBare != Bare::kRounded ? threshold.round_plainly(sum, floor)
                                    : threshold.round(sum, floor);
      // Highway narrows to bytes by way of 16 bits and has their top bit lost.
      if constexpr (sizeof(T) != 2) sum = hn::Min(hn::Max(sum, low), high);
      if constexpr (sizeof(T) == 4) return sum;
      if constexpr (sizeof(T) != 4) return hn::DemoteTo(narrow, sum);
    };
    int i = 0;
    for (; i + kStoredLanes <= count; i += kStoredLanes)
      hn::StoreU(finish(hn::LoadU(d, sums + i)), narrow, to + i);
    if (i == count) continue;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    const auto some = static_cast<std::size_t>(count - i);
    hn::BlendedStore(finish(hn::MaskedLoad(hn::FirstN(d, some), d, sums + i)),
                     hn::FirstN(narrow, some), narrow, to + i);
#else
    if (i > 0) {  // some of them again
      i = count - kStoredLanes;
      hn::StoreU(finish(hn::LoadU(d, sums + i)), narrow, to + i);
      continue;
    }
    std::int32_t rest[kStoredLanes] = {};
    T out[kStoredLanes];
    const std::size_t some = static_cast<std::size_t>(count) % kStoredLanes;
    std::memcpy(rest, sums, some * sizeof *sums);
    hn::StoreU(finish(hn::LoadU(d, rest)), narrow, out);
    std::memcpy(to, out, some * sizeof(T));
#endif
  }
}

template <class T, bool kPlain>
void store_rows(const IntegerStoreRows& rows) {
  const Finish<kPlain> finish(rows);
  for (int at = 0; at < rows.rows * rows.parts; ++at) {
    const Line<T> line(rows, at % rows.rows, at / rows.rows);
    int i = 0;
    for (; i + kStoredLanes <= rows.count; i += kStoredLanes) store_whole(rows, finish, line, i);
    if (i == rows.count) continue;
    if (kMasksAreSlow && i > 0 && !rows.result_add) {
      store_whole(rows, finish, line, rows.count - kStoredLanes);  // some of them again
    } else {
      store_end(rows, finish, line, i, rows.count - i);
    }
  }
}

template <class T>
void store_rows(const IntegerStoreRows& rows) {
  const bool plain = RoundingThreshold<StoredWords>::is_plain(rows.rounding);
  if (are_bare<T>(rows)) {
    switch (bare_steps<T>(rows, plain)) {
      case Bare::kNothing:
        return store_bare_rows<T, Bare::kNothing>(rows);
      case Bare::kRoundedPlainly:
        return store_bare_rows<T, Bare::kRoundedPlainly>(rows);
      case Bare::kRounded:
        return store_bare_rows<T, Bare::kRounded>(rows);
    }
  }
  if (plain) return store_rows<T, true>(rows);
  store_rows<T, false>(rows);
}

void store_rows_of(const IntegerStoreRows& rows, Dtype output) {
  switch (output) {
    case Dtype::kInt8:
      return store_rows<std::int8_t>(rows);
    case Dtype::kUint8:
      return store_rows<std::uint8_t>(rows);
    case Dtype::kInt16:
      return store_rows<std::int16_t>(rows);
    case Dtype::kUint16:
      return store_rows<std::uint16_t>(rows);
    default:
      return store_rows<std::int32_t>(rows);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(store_rows_of);

void store_integer_rows(const IntegerStoreRows& rows, Dtype output) {
  HWY_DYNAMIC_DISPATCH(store_rows_of)(rows, output);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
