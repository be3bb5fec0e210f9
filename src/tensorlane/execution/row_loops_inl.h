// The loops over a frame of rows, in vectors. Included once per vector target, as Highway's -inl.h
// files are.
#if defined(TENSORLANE_EXECUTION_ROW_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_EXECUTION_ROW_LOOPS_INL_H_
#undef TENSORLANE_EXECUTION_ROW_LOOPS_INL_H_
#else
#define TENSORLANE_EXECUTION_ROW_LOOPS_INL_H_
#endif

#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/execution/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

// Whether loads and stores of the first lanes of a vector touch no memory beyond them.
template <class T>
constexpr bool kHasMasks = HWY_TARGET <= HWY_AVX3 || (HWY_TARGET <= HWY_AVX2 && sizeof(T) >= 4);

// dst = f(sources) on a frame: f(blocks, src, result) gets kSources arrays of vectors of `Tag` and
// fills one, as many as the constant `blocks` says. That is kBlock, which hides the latency of long
// chains of operations, and 1 at the end of a row.
template <class Tag, int kSources, int kBlock, class F>
HWY_INLINE void for_each_block(const Row& given, const F& f) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<Tag>;
  using V = hn::Vec<Tag>;
  const Tag d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
  constexpr std::int64_t kChunk = kLanes * kBlock;
  const Row frame = given;  // a store might change the other one, as far as the compiler knows
  const std::int64_t count = frame.count;
  const std::int64_t rest = count % kLanes;
  const auto rest_mask = hn::FirstN(d, static_cast<std::size_t>(rest));
  HWY_ALIGN T constants[kSources][kChunk];
  HWY_ALIGN T buffer[kLanes] = {};
  // Where the sources of this row are; of a constant, a block of copies, read with all bits of the
  // position masked out.
  const T* from[kSources] = {};
  std::int64_t position_bits[kSources] = {};
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      for (int k = 0; k < kSources; ++k) {
        const std::byte* const at = frame.src[k] + b * frame.src_block[k] + r * frame.src_next[k];
        if (frame.src_step[k] != 0) {
          from[k] = reinterpret_cast<const T*>(at);
          position_bits[k] = -1;
        } else if ((b == 0 && r == 0) || frame.src_next[k] != 0 || frame.src_block[k] != 0) {
          const V value = hn::Set(d, load_element<T>(at));
          for (int v = 0; v < kBlock; ++v) hn::Store(value, d, constants[k] + v * kLanes);
          from[k] = constants[k];
          position_bits[k] = 0;
        }
      }
      auto* const to = reinterpret_cast<T*>(frame.dst + b * frame.dst_block + r * frame.dst_next);
      const auto compute = [&](auto blocks, std::int64_t i) HWY_ATTR {
        V src[kSources][blocks];
        V result[blocks];
        for (int k = 0; k < kSources; ++k) {
          const T* const begin = from[k] + (i & position_bits[k]);
          for (int v = 0; v < blocks; ++v) src[k][v] = hn::LoadU(d, begin + v * kLanes);
        }
        f(blocks, src, result);
        for (int v = 0; v < blocks; ++v) hn::StoreU(result[v], d, to + i + v * kLanes);
      };
      constexpr std::integral_constant<int, 1> kOne;
      std::int64_t i = 0;
      if constexpr (kBlock > 1) {
        for (; i + kChunk <= count; i += kChunk) compute(std::integral_constant<int, kBlock>(), i);
      }
      for (; i + kLanes <= count; i += kLanes) compute(kOne, i);
      if (rest == 0) continue;
      V src[kSources][1];
      V result[1];
      if constexpr (kHasMasks<T>) {
        for (int k = 0; k < kSources; ++k)
          src[k][0] = hn::MaskedLoad(rest_mask, d, from[k] + (i & position_bits[k]));
        f(kOne, src, result);
        hn::BlendedStore(result[0], rest_mask, d, to + i);
      } else {
        for (int k = 0; k < kSources; ++k) {
          std::memcpy(buffer, from[k] + (i & position_bits[k]),
                      static_cast<std::size_t>(rest) * sizeof(T));
          src[k][0] = hn::Load(d, buffer);
        }
        f(kOne, src, result);
        hn::Store(result[0], d, buffer);
        std::memcpy(to + i, buffer, static_cast<std::size_t>(rest) * sizeof(T));
      }
    }
  }
}

// dst = f(a, b, ...), each vector alone.
template <class Tag, int kSources, int kBlock, class F>
HWY_INLINE void map_vectors(const Row& frame, const F& f) {
  for_each_block<Tag, kSources, kBlock>(
      frame, [&](auto blocks, const auto& src, auto* result) HWY_ATTR {
        for (int v = 0; v < blocks; ++v) {
          if constexpr (kSources == 1) {
            result[v] = f(src[0][v]);
          } else if constexpr (kSources == 2) {
            result[v] = f(src[0][v], src[1][v]);
          } else if constexpr (kSources == 3) {
            result[v] = f(src[0][v], src[1][v], src[2][v]);
          } else {
            result[v] = f(src[0][v], src[1][v], src[2][v], src[3][v]);
          }
        }
      });
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_EXECUTION_ROW_LOOPS_INL_H_
