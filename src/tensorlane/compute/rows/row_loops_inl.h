// The loops over a frame of rows, in vectors. Included once per vector target, as Highway's -inl.h
// files are.
#if defined(TENSORLANE_COMPUTE_ROWS_ROW_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_ROW_LOOPS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_ROW_LOOPS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_ROW_LOOPS_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/compute/rows/pair_loops_inl.h"
#include "tensorlane/compute/rows/vector_blocks_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

// Whether loads and stores of the first lanes of a vector touch no memory beyond them.
template <class T>
constexpr bool kHasMasks = HWY_TARGET <= HWY_AVX3 || (HWY_TARGET <= HWY_AVX2 && sizeof(T) >= 4);

// Where the ends of rows do without masks of any width, the last vector of a row ends with it and
// computes some elements twice: it is read before anything of the row is written, for a row may be
// computed in place.
constexpr bool kRepeatsEnds = HWY_TARGET > HWY_AVX3;

// A block of copies of an element.
template <class Tag, int kBlock>
HWY_INLINE const std::byte* repeated(const std::byte* at, hwy::HWY_NAMESPACE::TFromD<Tag>* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const Tag d;
  const auto value = hn::Set(d, load_element<hn::TFromD<Tag>>(at));
  HWY_UNROLL(4)
  for (int v = 0; v < kBlock; ++v)
    hn::Store(value, d, to + v * static_cast<int>(hn::MaxLanes(Tag())));
  return reinterpret_cast<const std::byte*>(to);
}
// What for_each_block does. The sources are numbers of a pack: loops over them would keep their
// vectors in memory.
template <class Tag, int kBlock, class F, int... kSource>
HWY_INLINE void for_each_block_of(const Row& given, const F& f,
                                  std::integer_sequence<int, kSource...> /*sources*/) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<Tag>;
  using V = hn::Vec<Tag>;
  const Tag d;
  constexpr int kSources = sizeof...(kSource);
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
  constexpr std::int64_t kChunk = kLanes * kBlock;
  const Row frame = given;  // a store might change the other one, as far as the compiler knows
  const std::int64_t count = frame.count;
  const std::int64_t rest = count % kLanes;
  const auto rest_mask = hn::FirstN(d, static_cast<std::size_t>(rest));
  const bool repeats_end = kRepeatsEnds && rest != 0 && count >= kLanes;
  HWY_ALIGN T constants[kSources][kChunk];
  HWY_ALIGN T buffer[kLanes] = {};
  // Where a source begins in this block and in this row. Of a constant, a block of copies, read
  // with all bits of the position masked out; some rows have constants of their own.
  const std::byte* block_at[kSources] = {frame.src[kSource]...};
  const std::byte* at[kSources];
  const std::byte* row_at[kSources];
  const std::int64_t next[kSources] = {frame.src_next[kSource]...};
  const std::int64_t next_block[kSources] = {frame.src_block[kSource]...};
  const std::int64_t position_bits[kSources] = {-std::int64_t{frame.src_step[kSource] != 0}...};
  const auto bit = [](int k, bool is_set) { return unsigned{is_set} << static_cast<unsigned>(k); };
  const unsigned constant = (bit(kSource, frame.src_step[kSource] == 0) | ...);
  const unsigned of_rows =
      constant & (bit(kSource, (next[kSource] | next_block[kSource]) != 0) | ...);
  const auto repeat_those = [&](unsigned which, const std::byte** begin) HWY_ATTR {
    ((begin[kSource] = (which & bit(kSource, true)) != 0
                           ? repeated<Tag, kBlock>(begin[kSource], constants[kSource])
                           : begin[kSource]),
     ...);
  };
  repeat_those(constant & ~of_rows, block_at);
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    ((at[kSource] = block_at[kSource], block_at[kSource] += next_block[kSource]), ...);
    auto* row = frame.dst + b * frame.dst_block;
    for (std::int64_t r = 0; r < frame.rows; ++r, row += frame.dst_next) {
      ((row_at[kSource] = at[kSource], at[kSource] += next[kSource]), ...);
      if (of_rows != 0) repeat_those(of_rows, row_at);
      const T* const from[kSources] = {reinterpret_cast<const T*>(row_at[kSource])...};
      auto* const to = reinterpret_cast<T*>(row);
      const auto compute = [&](auto blocks, std::int64_t i) HWY_ATTR {
        V src[kSources][blocks];
        V result[blocks];
        (load_block<Tag, blocks()>(from[kSource] + (i & position_bits[kSource]), src[kSource]),
         ...);
        f(blocks, src, result);
        store_block<Tag, blocks()>(result, to + i);
      };
      constexpr std::integral_constant<int, 1> kOne;
      std::int64_t i = 0;
      V result[1];
      if (repeats_end) {
        const std::int64_t last = count - kLanes;
        V src[kSources][1];
        (load_block<Tag, 1>(from[kSource] + (last & position_bits[kSource]), src[kSource]), ...);
        f(kOne, src, result);
      }
      if constexpr (kBlock > 1) {
        for (; i + kChunk <= count; i += kChunk) compute(std::integral_constant<int, kBlock>(), i);
        // The end of a row as one block too, where it has as many vectors.
        if constexpr (!kRepeatsEnds && kHasMasks<T>) {
          if (rest != 0 && count - i > kChunk - kLanes) {
            constexpr std::int64_t kWhole = kChunk - kLanes;
            V src[kSources][kBlock], all[kBlock];
            const auto load = [&](const T* begin, V* vectors) HWY_ATTR {
              load_block<Tag, kBlock - 1>(begin, vectors);
              vectors[kBlock - 1] = hn::MaskedLoad(rest_mask, d, begin + kWhole);
            };
            (load(from[kSource] + (i & position_bits[kSource]), src[kSource]), ...);
            f(std::integral_constant<int, kBlock>(), src, all);
            store_block<Tag, kBlock - 1>(all, to + i);
            hn::BlendedStore(all[kBlock - 1], rest_mask, d, to + i + kWhole);
            continue;
          }
        }
      }
      for (; i + kLanes <= count; i += kLanes) compute(kOne, i);
      if (rest == 0) continue;
      if (repeats_end) {
        hn::StoreU(result[0], d, to + (count - kLanes));
        continue;
      }
      if constexpr (kHasMasks<T>) {
        V src[kSources][1] = {
            {hn::MaskedLoad(rest_mask, d, from[kSource] + (i & position_bits[kSource]))}...};
        f(kOne, src, result);
        hn::BlendedStore(result[0], rest_mask, d, to + i);
      } else {
        const auto bytes = static_cast<std::size_t>(rest) * sizeof(T);
        const auto load = [&](const T* begin) HWY_ATTR {
          std::memcpy(buffer, begin, bytes);
          return hn::Load(d, buffer);
        };
        V src[kSources][1] = {{load(from[kSource] + (i & position_bits[kSource]))}...};
        f(kOne, src, result);
        hn::Store(result[0], d, buffer);
        std::memcpy(to + i, buffer, bytes);
      }
    }
  }
}

// dst = f(sources) on a frame: f(blocks, src, result) gets kSources arrays of vectors of `Tag` and
// fills one, as many as the constant `blocks` says. That is kBlock, which hides the latency of long
// chains of operations, and 1 at the end of a row.
template <class Tag, int kSources, int kBlock, PairLoops kLoops = PairLoops::kNone, class F>
HWY_INLINE void for_each_block(const Row& frame, const F& f) {
  if (ran_pairs<Tag, kSources, kLoops>(frame, f)) return;
  for_each_block_of<Tag, kBlock>(frame, f, std::make_integer_sequence<int, kSources>());
}

// dst = f(a, b, ...), each vector alone.
template <class Tag, int kSources, int kBlock, PairLoops kLoops = PairLoops::kNone, class F>
HWY_INLINE void map_vectors(const Row& frame, const F& f) {
  for_each_block<Tag, kSources, kBlock, kLoops>(
      frame, [&](auto blocks, const auto& src, auto* result) TL_INLINE_ATTR {
        for_each_vector<blocks()>([&](auto v) TL_INLINE_ATTR {
          if constexpr (kSources == 1) {
            result[v] = f(src[0][v]);
          } else if constexpr (kSources == 2) {
            result[v] = f(src[0][v], src[1][v]);
          } else if constexpr (kSources == 3) {
            result[v] = f(src[0][v], src[1][v], src[2][v]);
          } else {
            result[v] = f(src[0][v], src[1][v], src[2][v], src[3][v]);
          }
        });
      });
}

// The same value for all of a row, of a source that is one element for it.
template <class To, class From, class F>
HWY_NOINLINE void repeat_converted(const Row& given, const F& f) {
  namespace hn = hwy::HWY_NAMESPACE;
  using R = hn::TFromD<To>;
  const To to_tag;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(From()));
  const Row frame = given;
  const std::int64_t whole = frame.count - frame.count % kLanes;
  const auto rest = static_cast<std::size_t>(frame.count - whole);
  HWY_ALIGN R results[kLanes];
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      const std::byte* const from = frame.src[0] + b * frame.src_block[0] + r * frame.src_next[0];
      auto* const to = reinterpret_cast<R*>(frame.dst + b * frame.dst_block + r * frame.dst_next);
      const auto result = f(hn::Set(From(), load_element<hn::TFromD<From>>(from)));
      for (std::int64_t i = 0; i < whole; i += kLanes) hn::StoreU(result, to_tag, to + i);
      if (whole != 0) {
        hn::StoreU(result, to_tag, to + (frame.count - kLanes));
        continue;
      }
      hn::Store(result, to_tag, results);
      std::memcpy(to, results, rest * sizeof(R));
    }
  }
}

// dst = f(src), each vector alone, for elements of two types in vectors of as many lanes. As
// everywhere in vectors, the source may be one element for the row.
template <class To, class From, class F>
HWY_INLINE void map_converted(const Row& given, const F& f) {
  if (given.src_step[0] == 0) return repeat_converted<To, From>(given, f);
  namespace hn = hwy::HWY_NAMESPACE;
  using R = hn::TFromD<To>;
  using T = hn::TFromD<From>;
  const To to_tag;
  const From from_tag;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(From()));
  const Row frame = given;
  const std::int64_t whole = frame.count - frame.count % kLanes;
  const auto rest = static_cast<std::size_t>(frame.count - whole);
  const bool repeats_end = kRepeatsEnds && rest != 0 && whole != 0;
  HWY_ALIGN T values[kLanes] = {};
  HWY_ALIGN R results[kLanes];
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      const auto* const from =
          reinterpret_cast<const T*>(frame.src[0] + b * frame.src_block[0] + r * frame.src_next[0]);
      auto* const to = reinterpret_cast<R*>(frame.dst + b * frame.dst_block + r * frame.dst_next);
      const auto converted = [&](std::int64_t i)
                                 HWY_ATTR { return f(hn::LoadU(from_tag, from + i)); };
      if (repeats_end) {
        const std::int64_t end = frame.count - kLanes;
        const auto last = converted(end);
        for (std::int64_t i = 0; i < whole; i += kLanes) hn::StoreU(converted(i), to_tag, to + i);
        hn::StoreU(last, to_tag, to + end);
        continue;
      }
      for (std::int64_t i = 0; i < whole; i += kLanes) hn::StoreU(converted(i), to_tag, to + i);
      if (rest == 0) continue;
      if constexpr (kHasMasks<T> && kHasMasks<R>) {
        const auto value = hn::MaskedLoad(hn::FirstN(from_tag, rest), from_tag, from + whole);
        hn::BlendedStore(f(value), hn::FirstN(to_tag, rest), to_tag, to + whole);
      } else {
        std::memcpy(values, from + whole, rest * sizeof(T));
        hn::Store(f(hn::Load(from_tag, values)), to_tag, results);
        std::memcpy(to + whole, results, rest * sizeof(R));
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_ROW_LOOPS_INL_H_
