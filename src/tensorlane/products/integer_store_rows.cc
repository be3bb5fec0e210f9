#include "tensorlane/products/integer_store_rows.h"

#include <cstring>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/products/integer_store_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/products/rounding_shift_inl.h"

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
  HWY_INLINE hn::Vec<Narrow> of(Narrow narrow, StoredVector sum, const std::int32_t* shifts,
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

  HWY_INLINE StoredVector shifted(StoredVector sum, const std::int32_t* shifts) const {
    const StoredWords d;
    if (shifts != nullptr) {
      const StoredVector zero = hn::Zero(d);
      const StoredVector shift = hn::LoadU(d, shifts);
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

// One vector; everything is read and written in whole vectors.
template <class T, class Finished>
HWY_INLINE void store_vector(const IntegerStoreRows& rows, const Finished& finish,
                             std::int32_t term, const std::int32_t* sums, const std::int32_t* terms,
                             const std::int32_t* shifts, T* to) {
  const StoredWords d;
  const hn::Rebind<T, StoredWords> narrow;
  StoredVector sum = hn::Add(hn::LoadU(d, sums), hn::Set(d, term));
  if (terms != nullptr) sum = hn::Add(sum, hn::LoadU(d, terms));
  const auto old = rows.result_add ? hn::LoadU(narrow, to) : hn::Zero(narrow);
  hn::StoreU(finish.template of<T>(narrow, sum, shifts, old), narrow, to);
}

// The last `count` elements of a row, by way of whole vectors.
template <class T, class Finished>
HWY_NOINLINE void store_rest(const IntegerStoreRows& rows, const Finished& finish,
                             std::int32_t term, const std::int32_t* sums, const std::int32_t* terms,
                             const std::int32_t* shifts, int count, T* to) {
  std::int32_t rest[3][kStoredLanes] = {};
  T out[kStoredLanes] = {};
  const auto words = static_cast<std::size_t>(count) * sizeof(std::int32_t);
  std::memcpy(rest[0], sums, words);
  if (terms != nullptr) std::memcpy(rest[1], terms, words);
  if (shifts != nullptr) std::memcpy(rest[2], shifts, words);
  if (rows.result_add) std::memcpy(out, to, static_cast<std::size_t>(count) * sizeof(T));
  store_vector(rows, finish, term, rest[0], rest[1], shifts == nullptr ? nullptr : rest[2], out);
  std::memcpy(to, out, static_cast<std::size_t>(count) * sizeof(T));
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
// The same without terms of columns, which most rows end with: masks keep reads and writes inside.
template <class T, class Finished>
HWY_INLINE void store_masked(const IntegerStoreRows& rows, const Finished& finish,
                             std::int32_t term, const std::int32_t* sums, int count, T* to) {
  const StoredWords d;
  const hn::Rebind<T, StoredWords> narrow;
  const auto some = static_cast<std::size_t>(count);
  const auto inside = hn::FirstN(narrow, some);
  const StoredVector sum = hn::Add(hn::MaskedLoad(hn::FirstN(d, some), d, sums), hn::Set(d, term));
  const auto old = rows.result_add ? hn::MaskedLoad(inside, narrow, to) : hn::Zero(narrow);
  hn::BlendedStore(finish.template of<T>(narrow, sum, nullptr, old), inside, narrow, to);
}
#endif

template <class T, class Finished>
HWY_INLINE void store_end(const IntegerStoreRows& rows, const Finished& finish, std::int32_t term,
                          const std::int32_t* sums, int done, T* to) {
  const int count = rows.count - done;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  if (rows.terms == nullptr && rows.shifts == nullptr)
    return store_masked(rows, finish, term, sums + done, count, to + done);
#endif
  store_rest(rows, finish, term, sums + done, rows.terms == nullptr ? nullptr : rows.terms + done,
             rows.shifts == nullptr ? nullptr : rows.shifts + done, count, to + done);
}

template <class T, bool kPlain>
void store_rows(const IntegerStoreRows& rows) {
  const Finish<kPlain> finish(rows);
  const std::int32_t* sums = rows.sums;
  for (int r = 0; r < rows.rows; ++r, sums += rows.stride) {
    const auto term = rows.row_terms == nullptr ? 0 : static_cast<std::int32_t>(rows.row_terms[r]);
    auto* to = reinterpret_cast<T*>(rows.to[r]);
    int i = 0;
    for (; i + kStoredLanes <= rows.count; i += kStoredLanes) {
      store_vector(rows, finish, term, sums + i, rows.terms == nullptr ? nullptr : rows.terms + i,
                   rows.shifts == nullptr ? nullptr : rows.shifts + i, to + i);
    }
    if (i < rows.count) store_end(rows, finish, term, sums, i, to);
  }
}

template <class T>
void store_rows(const IntegerStoreRows& rows) {
  if (RoundingThreshold<StoredWords>::is_plain(rows.rounding)) return store_rows<T, true>(rows);
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
