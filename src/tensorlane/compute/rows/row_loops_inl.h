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
// Of lambdas: a call of one would pass its vectors through memory.
#undef TL_INLINE_ATTR
#define TL_INLINE_ATTR HWY_ATTR __attribute__((always_inline))

// f(0), f(1), ...: constants, so that vectors in arrays stay in registers, which a loop over them
// keeps in memory.
template <class F, int... kVector>
HWY_INLINE void for_each_vector_of(const F& f, std::integer_sequence<int, kVector...> /*vectors*/) {
  (f(std::integral_constant<int, kVector>()), ...);
}
template <int kVectors, class F>
HWY_INLINE void for_each_vector(const F& f) {
  for_each_vector_of(f, std::make_integer_sequence<int, kVectors>());
}

template <class Tag, int kBlock>
HWY_INLINE void load_block(const hwy::HWY_NAMESPACE::TFromD<Tag>* from,
                           hwy::HWY_NAMESPACE::Vec<Tag>* vectors) {
  namespace hn = hwy::HWY_NAMESPACE;
  for_each_vector<kBlock>([&](auto v) TL_INLINE_ATTR {
    vectors[v] = hn::LoadU(Tag(), from + v * static_cast<int>(hn::MaxLanes(Tag())));
  });
}
template <class Tag, int kBlock>
HWY_INLINE void store_block(const hwy::HWY_NAMESPACE::Vec<Tag>* vectors,
                            hwy::HWY_NAMESPACE::TFromD<Tag>* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  for_each_vector<kBlock>([&](auto v) TL_INLINE_ATTR {
    hn::StoreU(vectors[v], Tag(), to + v * static_cast<int>(hn::MaxLanes(Tag())));
  });
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

// Rows of the pairs of two vectors: source kOfRow is one element for each row, the others are the
// same for all rows. Those stay in registers, and each row costs its own number and a store. The
// last vector ends with the row, whose elements are no source.
template <class Tag, int kOfRow, class F, int... kSource>
HWY_INLINE void turned_blocks_of(const Row& given, const F& f,
                                 std::integer_sequence<int, kSource...> /*sources*/) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<Tag>;
  using V = hn::Vec<Tag>;
  const Tag d;
  constexpr int kSources = sizeof...(kSource);
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
  constexpr int kRows = 8;
  const Row frame = given;
  const std::int64_t next = frame.src_next[kOfRow], to_next = frame.dst_next;
  const std::int64_t count = frame.count, last = count - kLanes, last_rows = frame.rows - kRows;
  const std::int64_t step[kSources] = {frame.src_step[kSource]...};
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    const std::byte* const block[kSources] = {frame.src[kSource] + b * frame.src_block[kSource]...};
    const V constant[kSources] = {hn::Set(d, load_element<T>(block[kSource]))...};
    // Some rows at a time, so that memory is written in its order nearly; the last ones twice.
    for (std::int64_t first = 0; first < frame.rows; first += kRows) {
      const std::int64_t row = std::min(first, last_rows);
      V own[kRows];
      for_each_vector<kRows>([&](auto r) TL_INLINE_ATTR {
        own[r] = hn::Set(d, load_element<T>(block[kOfRow] + (row + r) * next));
      });
      auto* const to = reinterpret_cast<T*>(frame.dst + b * frame.dst_block + row * to_next);
      for (std::int64_t i = 0; i < count; i += kLanes) {
        const std::int64_t column = std::min(i, last);
        V src[kSources][kRows];
        V result[kRows];
        const auto enter = [&](auto k) TL_INLINE_ATTR {
          V held = constant[k];
          if (step[k] != 0) held = hn::LoadU(d, reinterpret_cast<const T*>(block[k]) + column);
          for_each_vector<kRows>([&](auto r)
                                     TL_INLINE_ATTR { src[k][r] = k() == kOfRow ? own[r] : held; });
        };
        (enter(std::integral_constant<int, kSource>()), ...);
        f(std::integral_constant<int, kRows>(), src, result);
        auto* at = reinterpret_cast<std::byte*>(to + column);
        for_each_vector<kRows>([&](auto r) TL_INLINE_ATTR {
          hn::StoreU(result[r], d, reinterpret_cast<T*>(at));
          at += to_next;
        });
      }
    }
  }
}

// The same for rows of 16 bytes, two of which make a vector of 32.
template <class T>
constexpr bool kPairsRows = HWY_TARGET == HWY_AVX2 && sizeof(T) == 4;
#if HWY_TARGET == HWY_AVX2
template <class Tag, class F, int... kSource>
HWY_INLINE void narrow_blocks_of(const Row& given, const F& f,
                                 std::integer_sequence<int, kSource...> /*sources*/) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<Tag>;
  using V = hn::Vec<Tag>;
  const Tag d;
  const hn::Half<Tag> half;
  constexpr int kSources = sizeof...(kSource);
  constexpr int kVectors = 4, kRows = 2 * kVectors;
  const Row frame = given;
  const std::int64_t next = frame.src_next[0], to_next = frame.dst_next;
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    const std::byte* const block[kSources] = {frame.src[kSource] + b * frame.src_block[kSource]...};
    const auto held_of = [&](std::int64_t step, const std::byte* at) TL_INLINE_ATTR {
      return step == 0 ? hn::Set(d, load_element<T>(at))
                       : hn::LoadDup128(d, reinterpret_cast<const T*>(at));
    };
    const V held[kSources] = {held_of(frame.src_step[kSource], block[kSource])...};
    for (std::int64_t first = 0; first < frame.rows; first += kRows) {
      const std::int64_t row = std::min(first, frame.rows - kRows);
      V src[kSources][kVectors];
      V result[kVectors];
      for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
        const std::byte* const own = block[0] + (row + 2 * v) * next;
        ((src[kSource][v] = held[kSource]), ...);
        src[0][v] = hn::ConcatUpperLower(d, hn::Set(d, load_element<T>(own + next)),
                                         hn::Set(d, load_element<T>(own)));
      });
      f(std::integral_constant<int, kVectors>(), src, result);
      std::byte* at = frame.dst + b * frame.dst_block + row * to_next;
      for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
        hn::StoreU(hn::LowerHalf(half, result[v]), half, reinterpret_cast<T*>(at));
        hn::StoreU(hn::UpperHalf(half, result[v]), half, reinterpret_cast<T*>(at + to_next));
        at += 2 * to_next;
      });
    }
  }
}
#endif

// Of the two sources that may have an element for each row, those that are added or compared, the
// one that has; -1 where the rows of a frame are not those of pairs of vectors.
template <class Tag, int kSources>
HWY_INLINE int source_of_rows(const Row& frame) {
  constexpr std::int64_t kFewestRows = 8;
  if (frame.rows < kFewestRows) return -1;
  int found = -1;
  for (int k = 0; k < kSources; ++k) {
    if (frame.src_next[k] == 0) continue;
    if (k >= 2 || found >= 0 || frame.src_step[k] != 0) return -1;
    found = k;
  }
  const bool pays = std::any_of(frame.src_step.begin(), frame.src_step.begin() + kSources,
                                [](std::int64_t step) { return step != 0; });
  return pays ? found : -1;
}

// dst = f(sources) on a frame: f(blocks, src, result) gets kSources arrays of vectors of `Tag` and
// fills one, as many as the constant `blocks` says. That is kBlock, which hides the latency of long
// chains of operations, and 1 at the end of a row.
template <class Tag, int kSources, int kBlock, class F>
HWY_INLINE void for_each_block(const Row& frame, const F& f) {
  constexpr std::make_integer_sequence<int, kSources> kNumbers;
  if constexpr (kHasMasks<float> && (kSources == 2 || kSources == 4)) {  // sums and comparisons
    constexpr auto kLanes = static_cast<std::int64_t>(hwy::HWY_NAMESPACE::MaxLanes(Tag()));
    constexpr std::int64_t kMostVectors = 32;
    const int of_rows = source_of_rows<Tag, kSources>(frame);
    if (of_rows >= 0 && frame.count >= kLanes && frame.count <= kMostVectors * kLanes) {
      return of_rows == 0 ? turned_blocks_of<Tag, 0>(frame, f, kNumbers)
                          : turned_blocks_of<Tag, 1>(frame, f, kNumbers);
    }
#if HWY_TARGET == HWY_AVX2
    if constexpr (kPairsRows<hwy::HWY_NAMESPACE::TFromD<Tag>>) {
      if (of_rows == 0 && 2 * frame.count == kLanes)
        return narrow_blocks_of<Tag>(frame, f, kNumbers);
    }
#endif
  }
  for_each_block_of<Tag, kBlock>(frame, f, kNumbers);
}

// dst = f(a, b, ...), each vector alone.
template <class Tag, int kSources, int kBlock, class F>
HWY_INLINE void map_vectors(const Row& frame, const F& f) {
  for_each_block<Tag, kSources, kBlock>(
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
