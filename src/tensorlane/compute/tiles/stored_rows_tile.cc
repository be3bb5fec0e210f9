#include "tensorlane/compute/tiles/stored_rows_tile.h"

#include <array>
#include <cstring>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/stored_rows_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/half_floats_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
bool sum_rows(Dtype /*type*/, const std::byte* /*from*/, std::int64_t /*count*/, int /*columns*/,
              float* /*sums*/) {
  return false;
}
#else
constexpr auto kLanes = static_cast<int>(hn::MaxLanes(Floats()));
constexpr int kPair = 2 * kLanes;  // elements of two vectors of sums

struct StoredFp16 : Fp16 {
  static HWY_INLINE void load(const std::uint16_t* at, V& first, V& second) {
    first = read(hn::LoadU(Halves(), at));
    second = read(hn::LoadU(Halves(), at + kLanes));
  }
  static HWY_INLINE void store(V first, V second, float* to) {
    hn::StoreU(first, Floats(), to);
    hn::StoreU(second, Floats(), to + kLanes);
  }
};
// Elements two to a word: the odd ones are the upper bits of an fp32 as they stand.
struct StoredBf16 : Bf16 {
  static HWY_INLINE void load(const std::uint16_t* at, V& first, V& second) {
    const hn::Repartition<std::uint16_t, Bits> pairs;
    const auto words = hn::BitCast(Bits(), hn::LoadU(pairs, at));
    first = hn::BitCast(Floats(), hn::ShiftLeft<16>(words));
    second = hn::BitCast(Floats(), hn::And(words, hn::Set(Bits(), 0xffff0000U)));
  }
  static HWY_INLINE void store(V first, V second, float* to) {
    hn::StoreInterleaved2(first, second, Floats(), to);
  }
};

// The sums of kPairs * kPair columns of whole rows, and of one that may lack elements. As many
// chains as there are hide what each of them waits for.
template <class Stored, int kPairs>
HWY_INLINE void sum_columns(const std::uint16_t* from, std::int64_t rows, int columns,
                            const std::uint16_t* last, float* sums) {
  V even[2 * kPairs], odd[2 * kPairs];
  for (int v = 0; v < 2 * kPairs; ++v) even[v] = odd[v] = hn::Set(Floats(), -0.0F);
  const auto add = [](const std::uint16_t* at, V* sum) HWY_ATTR {
    HWY_UNROLL(2)
    for (int p = 0; p < kPairs; ++p) {
      V first, second;
      Stored::load(at + p * kPair, first, second);
      sum[2 * p] = Stored::nearest(hn::Add(sum[2 * p], first));
      sum[2 * p + 1] = Stored::nearest(hn::Add(sum[2 * p + 1], second));
    }
  };
  std::int64_t row = 0;
  for (; row + 1 < rows; row += 2) {
    add(from + row * columns, even);
    add(from + (row + 1) * columns, odd);
  }
  if (row < rows) add(from + row * columns, even);
  if (last != nullptr) add(last, row < rows ? odd : even);
  for (int p = 0; p < kPairs; ++p) {
    Stored::store(Stored::nearest(hn::Add(even[2 * p], odd[2 * p])),
                  Stored::nearest(hn::Add(even[2 * p + 1], odd[2 * p + 1])), sums + p * kPair);
  }
}
template <class Stored>
void sum_stored(const std::uint16_t* from, std::int64_t rows, int columns,
                const std::uint16_t* last, float* sums) {
  const auto end = [last](int w) { return last == nullptr ? nullptr : last + w; };
  int w = 0;
  for (; w + 2 * kPair <= columns; w += 2 * kPair)
    sum_columns<Stored, 2>(from + w, rows, columns, end(w), sums + w);
  if (w < columns) sum_columns<Stored, 1>(from + w, rows, columns, end(w), sums + w);
}

bool sum_rows(Dtype type, const std::byte* from, std::int64_t count, int columns, float* sums) {
  constexpr int kMostColumns = 128;
  if (columns % kPair != 0 || columns > kMostColumns) return false;
  const auto* const elements = reinterpret_cast<const std::uint16_t*>(from);
  const std::int64_t rows = count / columns, rest = count % columns;
  std::array<std::uint16_t, kMostColumns> last{};
  std::memcpy(last.data(), elements + rows * columns, static_cast<std::size_t>(rest) * 2);
  const std::uint16_t* const end = rest == 0 ? nullptr : last.data();
  const auto sum = type == Dtype::kBf16 ? sum_stored<StoredBf16> : sum_stored<StoredFp16>;
  sum(elements, rows, columns, end, sums);
  return true;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(sum_rows);

bool rows_on_processor(Dtype type, const std::byte* from, std::int64_t count, int columns,
                       float* sums) {
  return HWY_DYNAMIC_DISPATCH(sum_rows)(type, from, count, columns, sums);
}

}  // namespace
}  // namespace simd

bool sum_stored_rows(Dtype type, const std::byte* from, std::int64_t count, int columns,
                     float* sums) {
  if (type != Dtype::kFp16 && type != Dtype::kBf16) return false;
  return simd::rows_on_processor(type, from, count, columns, sums);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
