#include "tensorlane/products/integer_store_rows.h"

#include <cstring>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/products/integer_store_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using StoredWords = hn::ScalableTag<std::int32_t>;
using StoredVector = hn::Vec<StoredWords>;
constexpr int kStoredLanes = static_cast<int>(hn::MaxLanes(StoredWords()));

HWY_INLINE StoredVector shifted(const IntegerStoreRows& rows, StoredVector sum,
                                const std::int32_t* shifts) {
  const StoredWords d;
  if (shifts != nullptr) {
    const StoredVector by = hn::Neg(hn::LoadU(d, shifts));
    const StoredVector half = hn::ShiftRight<1>(hn::Shl(hn::Set(d, 1), by));
    return hn::Shr(hn::Add(sum, half), by);
  }
  const int by = -rows.shift;
  return hn::ShiftRightSame(hn::Add(sum, hn::Set(d, (1 << by) >> 1)), by);
}

// The elements of one vector of sums with their terms; `old` are those of the output.
template <class T, class Narrow>
HWY_INLINE hn::Vec<Narrow> finished(const IntegerStoreRows& rows, Narrow narrow, StoredVector sum,
                                    const std::int32_t* shifts, hn::Vec<Narrow> old) {
  const StoredWords d;
  if constexpr (sizeof(T) == 4) {
    return rows.result_add ? hn::Add(sum, hn::ShiftLeftSame(old, rows.left_shift)) : sum;
  } else {
    const StoredVector value = shifted(rows, sum, shifts);
    return hn::DemoteTo(narrow,
                        hn::Min(hn::Max(value, hn::Set(d, rows.low)), hn::Set(d, rows.high)));
  }
}

// One vector; everything is read and written in whole vectors.
template <class T>
HWY_INLINE void store_vector(const IntegerStoreRows& rows, std::int32_t term,
                             const std::int32_t* sums, const std::int32_t* terms,
                             const std::int32_t* shifts, T* to) {
  const StoredWords d;
  const hn::Rebind<T, StoredWords> narrow;
  StoredVector sum = hn::Add(hn::LoadU(d, sums), hn::Set(d, term));
  if (terms != nullptr) sum = hn::Add(sum, hn::LoadU(d, terms));
  const auto old = rows.result_add ? hn::LoadU(narrow, to) : hn::Zero(narrow);
  hn::StoreU(finished<T>(rows, narrow, sum, shifts, old), narrow, to);
}

// The last `count` elements of a row, by way of whole vectors.
template <class T>
HWY_NOINLINE void store_rest(const IntegerStoreRows& rows, std::int32_t term,
                             const std::int32_t* sums, const std::int32_t* terms,
                             const std::int32_t* shifts, int count, T* to) {
  std::int32_t rest[3][kStoredLanes] = {};
  T out[kStoredLanes] = {};
  const auto words = static_cast<std::size_t>(count) * sizeof(std::int32_t);
  std::memcpy(rest[0], sums, words);
  if (terms != nullptr) std::memcpy(rest[1], terms, words);
  if (shifts != nullptr) std::memcpy(rest[2], shifts, words);
  if (rows.result_add) std::memcpy(out, to, static_cast<std::size_t>(count) * sizeof(T));
  store_vector(rows, term, rest[0], rest[1], shifts == nullptr ? nullptr : rest[2], out);
  std::memcpy(to, out, static_cast<std::size_t>(count) * sizeof(T));
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
// The same without terms of columns, which most rows end with: masks keep reads and writes inside.
template <class T>
HWY_INLINE void store_masked(const IntegerStoreRows& rows, std::int32_t term,
                             const std::int32_t* sums, int count, T* to) {
  const StoredWords d;
  const hn::Rebind<T, StoredWords> narrow;
  const auto some = static_cast<std::size_t>(count);
  const auto inside = hn::FirstN(narrow, some);
  const StoredVector sum = hn::Add(hn::MaskedLoad(hn::FirstN(d, some), d, sums), hn::Set(d, term));
  const auto old = rows.result_add ? hn::MaskedLoad(inside, narrow, to) : hn::Zero(narrow);
  hn::BlendedStore(finished<T>(rows, narrow, sum, nullptr, old), inside, narrow, to);
}
#endif

template <class T>
HWY_INLINE void store_end(const IntegerStoreRows& rows, std::int32_t term, const std::int32_t* sums,
                          int done, T* to) {
  const int count = rows.count - done;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  if (rows.terms == nullptr && rows.shifts == nullptr)
    return store_masked(rows, term, sums + done, count, to + done);
#endif
  store_rest(rows, term, sums + done, rows.terms == nullptr ? nullptr : rows.terms + done,
             rows.shifts == nullptr ? nullptr : rows.shifts + done, count, to + done);
}

template <class T>
void store_rows(const IntegerStoreRows& rows) {
  const std::int32_t* sums = rows.sums;
  for (int r = 0; r < rows.rows; ++r, sums += rows.stride) {
    const auto term = rows.row_terms == nullptr ? 0 : static_cast<std::int32_t>(rows.row_terms[r]);
    auto* to = reinterpret_cast<T*>(rows.to[r]);
    int i = 0;
    for (; i + kStoredLanes <= rows.count; i += kStoredLanes) {
      store_vector(rows, term, sums + i, rows.terms == nullptr ? nullptr : rows.terms + i,
                   rows.shifts == nullptr ? nullptr : rows.shifts + i, to + i);
    }
    if (i < rows.count) store_end(rows, term, sums, i, to);
  }
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
