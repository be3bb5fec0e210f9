// Rows of elements of a channel in lanes of 16 or 32 bits and back, for quantize_words.cc. Included
// once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_ROWS_INL_H_
#undef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_ROWS_INL_H_
#else
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "tensorlane/compute/partial_vectors_inl.h"
#include "tensorlane/compute/products/quantize_words.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
using QuantTag = hn::ScalableTag<Lane>;
using QuantInts = QuantTag<std::int32_t>;
using QuantWide = QuantTag<std::int64_t>;
using QuantFloats = QuantTag<float>;
using QuantInt = hn::Vec<QuantInts>;
using QuantWideInt = hn::Vec<QuantWide>;
template <class Lane>
constexpr int kQuantLanes = static_cast<int>(hn::MaxLanes(QuantTag<Lane>()));
inline constexpr bool kRepeatsQuantEnds = HWY_TARGET > HWY_AVX3;
// Of lambdas: a call of one would pass its vectors through memory.
#undef TL_QUANT_INLINE
#define TL_QUANT_INLINE HWY_ATTR __attribute__((always_inline))

// Elements in lanes; `left` of them, where they are fewer than the lanes.
template <class T, class Lane>
HWY_INLINE hn::Vec<QuantTag<Lane>> load_as_lanes(const std::byte* from, std::int64_t left) {
  constexpr hn::Rebind<T, QuantTag<Lane>> narrow;
  const auto* const at = reinterpret_cast<const T*>(from);
  const auto elements = left >= kQuantLanes<Lane>
                            ? hn::LoadU(narrow, at)
                            : FirstLanes<decltype(narrow)>(static_cast<std::size_t>(left)).load(at);
  if constexpr (sizeof(T) == sizeof(Lane)) return hn::BitCast(QuantTag<Lane>(), elements);
  if constexpr (sizeof(T) < sizeof(Lane)) return hn::PromoteTo(QuantTag<Lane>(), elements);
}
// Vectors side by side: what the types and numbers of a call decide is decided once for them.
template <class Lane, int kVectors>
struct QuantBlock {
  static constexpr int kCount = kVectors;
  hn::Vec<QuantTag<Lane>> lanes[kVectors];

  template <class F>
  HWY_INLINE void each(const F& f) {
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) lanes[v] = f(lanes[v]);
  }
};
template <class Lane>
constexpr int kQuantBlock = HWY_TARGET != HWY_AVX2 ? 1
                            : sizeof(Lane) == 2    ? 2
                                                   : 4;

template <class T, class Lane, int kVectors>
HWY_INLINE void load_block_as_lanes(const std::byte* from, std::int64_t left,
                                    QuantBlock<Lane, kVectors>& block) {
  constexpr auto kBytes = static_cast<std::int64_t>(kQuantLanes<Lane> * sizeof(T));
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors; ++v) {
    block.lanes[v] =
        load_as_lanes<T, Lane>(from + v * kBytes, kVectors > 1 ? kQuantLanes<Lane> : left);
  }
}
// The elements of a source: `left` of them where it is one vector, else all. Of type S, where that
// is known as this is compiled.
template <class S>
struct QuantSource {
  explicit HWY_INLINE QuantSource(Dtype) {}
  template <class Lane, int kVectors>
  HWY_INLINE void load(const std::byte* from, std::int64_t left,
                       QuantBlock<Lane, kVectors>& block) const {
    load_block_as_lanes<S>(from, left, block);
  }
};
template <>
struct QuantSource<void> {
  Dtype dtype;

  explicit HWY_INLINE QuantSource(Dtype type) : dtype(type) {}
  template <class Lane, int kVectors>
  HWY_INLINE void load(const std::byte* from, std::int64_t left,
                       QuantBlock<Lane, kVectors>& block) const {
    if constexpr (sizeof(Lane) == 4) {
      if (dtype == Dtype::kInt32) return load_block_as_lanes<std::int32_t>(from, left, block);
    }
    if (dtype == Dtype::kInt16) return load_block_as_lanes<std::int16_t>(from, left, block);
    if (dtype == Dtype::kUint16) return load_block_as_lanes<std::uint16_t>(from, left, block);
    if (dtype == Dtype::kInt8) return load_block_as_lanes<std::int8_t>(from, left, block);
    load_block_as_lanes<std::uint8_t>(from, left, block);
  }
};

// A vector of lanes to what is stored of them: as they are, or shorter elements.
template <class T, class Lane>
HWY_INLINE void store_quantized(hn::Vec<QuantTag<Lane>> value, std::int64_t left, std::byte* to) {
  constexpr hn::Rebind<T, QuantTag<Lane>> narrow;
  const auto elements = [&]() HWY_ATTR {
    if constexpr (sizeof(T) == sizeof(Lane)) {
      return hn::BitCast(narrow, value);
    } else {
      return hn::DemoteTo(narrow, value);
    }
  }();
  auto* const at = reinterpret_cast<T*>(to);
  if (left >= kQuantLanes<Lane>) return hn::StoreU(elements, narrow, at);
  FirstLanes<decltype(narrow)>(static_cast<std::size_t>(left)).store(elements, at);
}

// What is computed: `count` rows of batches and channels, as quantize_channels() counts them, from
// that of a batch of a channel on, all by the same numbers.
struct ChannelRows {
  const QuantArgs& args;
  const QuantRows& rows;
  ChannelPlaces src, dst;
  std::int64_t batch, count;
  int src_bytes, dst_bytes;
  std::int64_t source_most;  // the largest size of an integer of the source
};

// A row: `length` elements.
template <class T, class Lane, int kBlock, class Source, class F>
HWY_INLINE void map_row(const Source& source, std::int64_t src_bytes, const std::byte* from,
                        std::byte* to, std::int64_t length, const F& f) {
  constexpr std::int64_t kLanes = kQuantLanes<Lane>;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  const auto block_at = [&](std::int64_t i) TL_QUANT_INLINE {
    QuantBlock<Lane, kBlock> block;
    source.load(from + i * src_bytes, kLanes, block);
    f(block);
    HWY_UNROLL(4)
    for (int v = 0; v < kBlock; ++v)
      store_quantized<T, Lane>(block.lanes[v], kLanes, to + (i + v * kLanes) * kBytes);
  };
  if constexpr (!kRepeatsQuantEnds) {
    std::int64_t i = 0;
    if constexpr (kBlock > 1) {
      for (; i + kBlock * kLanes <= length; i += kBlock * kLanes) block_at(i);
    }
    for (; i < length; i += kLanes) {
      QuantBlock<Lane, 1> one;
      source.load(from + i * src_bytes, length - i, one);
      f(one);
      store_quantized<T, Lane>(one.lanes[0], length - i, to + i * kBytes);
    }
    return;
  }
  // Without masks the last vector of a row ends with it and is computed first: the row may be
  // computed in place.
  const std::int64_t end = length - kLanes;
  const bool repeats = end >= 0;
  const std::int64_t begin = repeats ? -kLanes : 0, last = repeats ? end : length;
  auto at_end = hn::Zero(QuantTag<Lane>());
  for (std::int64_t i = begin; i < last; i += kLanes) {
    for (; kBlock > 1 && i >= 0 && i + kBlock * kLanes <= length; i += kBlock * kLanes) block_at(i);
    if (i >= last) break;
    const std::int64_t at = i < 0 ? end : i;
    const std::int64_t left = repeats ? kLanes : length - at;
    QuantBlock<Lane, 1> one;
    source.load(from + at * src_bytes, left, one);
    f(one);
    if (i < 0) {
      at_end = one.lanes[0];
    } else {
      store_quantized<T, Lane>(one.lanes[0], left, to + at * kBytes);
    }
  }
  if (repeats) store_quantized<T, Lane>(at_end, kLanes, to + end * kBytes);
}

// f changes the lanes of a block to results, which fit the type: kBlock vectors at a time.
template <class T, class Lane, int kBlock, class S, class F>
HWY_INLINE void map_rows(const ChannelRows& channels, const F& f) {
  const QuantArgs& args = channels.args;
  // Copies: a store might change the others, as far as the compiler knows.
  const QuantSource<S> source(args.src_type);
  const QuantRows rows = channels.rows;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t src_bytes = channels.src_bytes, batches = args.n;
  const std::int64_t next_from = args.src.n * src_bytes, next_to = args.dst.n * kBytes;
  const std::int64_t row_from = args.src.h * src_bytes, row_to = args.dst.h * kBytes;
  ChannelPlaces src = channels.src, dst = channels.dst;
  std::int64_t batch = channels.batch, left = channels.count;
  for (; left > 0; src.advance(), dst.advance(), batch = 0) {
    const std::int64_t count = std::min(batches - batch, left);
    const std::byte* batch_from = src.begin() + batch * next_from;
    std::byte* batch_to = dst.begin() + batch * next_to;
    for (std::int64_t n = 0; n < count; ++n, batch_from += next_from, batch_to += next_to) {
      const std::byte* from = batch_from;
      std::byte* to = batch_to;
      for (std::int64_t h = 0; h < rows.count; ++h, from += row_from, to += row_to)
        map_row<T, Lane, kBlock>(source, src_bytes, from, to, rows.length, f);
    }
    left -= count;
  }
}

// As many vectors in a block as stay in registers. Where there are more of them, kLong in rows that
// have as many: in short ones a block is in the way.
inline constexpr int kLongBlock = 4;
template <class T, class Lane, int kBlock, class S, class F>
HWY_NOINLINE void map_long_rows(const ChannelRows& channels, const F& given) {
  const F f = given;  // in registers
  map_rows<T, Lane, kBlock, S>(channels, f);
}
template <class T, class Lane = std::int32_t, int kOnAvx2 = 4, int kLong = 1, class S = void,
          class F>
HWY_INLINE void map_channel(const ChannelRows& channels, const F& f) {
  if constexpr (HWY_TARGET <= HWY_AVX3 && kLong > 1) {
    if (channels.rows.length >= kLong * kQuantLanes<Lane>) {
      const F copy = f;  // what is handed on lies in memory
      return map_long_rows<T, Lane, kLong, S>(channels, copy);
    }
  }
  map_rows<T, Lane, HWY_TARGET == HWY_AVX2 ? kOnAvx2 : 1, S>(channels, f);
}

// The same of a function of one vector.
template <class T, int kLong = 1, class F>
HWY_INLINE void map_each(const ChannelRows& channel, const F& f) {
  map_channel<T, std::int32_t, 4, kLong>(channel,
                                         [f](auto& block) TL_QUANT_INLINE { block.each(f); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_ROWS_INL_H_
