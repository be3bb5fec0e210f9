// Vectors of the class of processors that a loop is compiled for, as the compiler has them:
// operators work lane by lane.
#ifndef TENSORLANE_BENCH_BOUNDS_LANES_H_
#define TENSORLANE_BENCH_BOUNDS_LANES_H_

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tensorlane::bench {

#ifdef __AVX512F__
inline constexpr std::int64_t kVectorBytes = 64;
#else
inline constexpr std::int64_t kVectorBytes = 32;
#endif

template <class T, std::int64_t kBytes = kVectorBytes>
struct LanesOf {
  typedef T Type __attribute__((vector_size(kBytes)));  // NOLINT(modernize-use-using)
};
template <class T, std::int64_t kBytes = kVectorBytes>
using Lanes = typename LanesOf<T, kBytes>::Type;
template <class T>
inline constexpr std::int64_t kLanesOf = kVectorBytes / static_cast<std::int64_t>(sizeof(T));

template <class V>
[[gnu::always_inline]] inline V load_lanes(const void* from) {
  V lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
template <class V>
[[gnu::always_inline]] inline void store_lanes(void* to, V lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

// The first `left` elements of a vector, or all, where there are as many. Without masks the last
// vector of a row ends with it, see for_each_vector().
template <class T, class V>
[[gnu::always_inline]] inline void store_first(T* to, V lanes, std::int64_t left) {
#ifdef __AVX512F__
  constexpr std::int64_t kAll = kVectorBytes / static_cast<std::int64_t>(sizeof(T));
  if (left < kAll) {
    const __mmask64 used = (std::uint64_t{1} << (static_cast<std::uint64_t>(left) * sizeof(T))) - 1;
    return _mm512_mask_storeu_epi8(to, used, reinterpret_cast<__m512i>(lanes));
  }
#endif
  static_cast<void>(left);
  store_lanes(to, lanes);
}

// Calls at(i, left) for the vectors of a row of `count` elements, of which there are `left` from i
// on: what is beyond may be read, but not written. Results lie on no source. False where a row is
// shorter than a vector.
template <std::int64_t kLanes, class F>
[[gnu::always_inline]] inline bool for_each_vector(std::int64_t count, const F& at) {
  if (count < kLanes) return false;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) at(i, kLanes);
  if (i == count) return true;
#ifdef __AVX512F__
  at(i, count - i);
#else
  at(count - kLanes, kLanes);
#endif
  return true;
}

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_BOUNDS_LANES_H_
