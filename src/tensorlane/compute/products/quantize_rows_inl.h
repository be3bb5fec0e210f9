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
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_kinds.h"
#include "tensorlane/compute/products/quantize_lanes_inl.h"
#include "tensorlane/compute/products/quantize_words.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// From row to row, in bytes: of the batches of a channel, and of what is the inner loop, the rows
// of a batch, or batches of one row.
struct RowSteps {
  std::int64_t batches, rows;
  std::int64_t batch_from, batch_to, inner_from, inner_to;
  bool own_numbers;  // each channel has its own

  RowSteps(const QuantArgs& args, std::int64_t count)
      : batches(args.n), rows(count), own_numbers(args.per_channel) {
    const std::int64_t src_bytes = dtype_bytes(args.src_type);
    const std::int64_t dst_bytes = dtype_bytes(args.dst_type);
    batch_from = args.src.n * src_bytes;
    batch_to = args.dst.n * dst_bytes;
    inner_from = rows == 1 ? batch_from : args.src.h * src_bytes;
    inner_to = rows == 1 ? batch_to : args.dst.h * dst_bytes;
  }
};

// What is computed: `count` batches and channels, as quantize_channels() counts them, from that of
// a batch of a channel on.
struct ChannelRows {
  QuantForm form;
  RowSteps steps;
  std::int64_t length;  // of a row
  ChannelPlaces src, dst;
  std::int64_t batch, count;
  const QuantNumbers* numbers;  // of each channel, or of all where the call has them
};

// Rows of any number of elements, kBlock vectors at a time.
template <class T, class Lane, int kBlock, class S>
class AnyRow {
 public:
  HWY_INLINE AnyRow(const QuantForm& form, std::int64_t length)
      : source_(form.src_type), src_bytes_(dtype_bytes(form.src_type)), length_(length) {}

  template <class F>
  HWY_INLINE void map(const std::byte* from, std::byte* to, const F& f) const {
    if constexpr (kRepeatsQuantEnds) return map_repeating(from, to, f);
    std::int64_t i = 0;
    if constexpr (kBlock > 1) {
      for (; i + kBlock * kLanes <= length_; i += kBlock * kLanes) map_block(i, from, to, f);
    }
    for (; i < length_; i += kLanes) {
      const std::int64_t left = length_ - i;
      store_quantized<T, Lane>(result(i, left, from, f), left, to + i * kBytes);
    }
  }

 private:
  static constexpr std::int64_t kLanes = kQuantLanes<Lane>;
  static constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  using V = hn::Vec<QuantTag<Lane>>;

  // Without masks the last vector of a row ends with it and is computed first: the row may be
  // computed in place.
  template <class F>
  HWY_INLINE void map_repeating(const std::byte* from, std::byte* to, const F& f) const {
    const std::int64_t end = length_ - kLanes;
    const bool repeats = end >= 0;
    const std::int64_t begin = repeats ? -kLanes : 0, last = repeats ? end : length_;
    V at_end = hn::Zero(QuantTag<Lane>());
    for (std::int64_t i = begin; i < last; i += kLanes) {
      for (; kBlock > 1 && i >= 0 && i + kBlock * kLanes <= length_; i += kBlock * kLanes)
        map_block(i, from, to, f);
      if (i >= last) break;
      const std::int64_t at = i < 0 ? end : i;
      const std::int64_t left = repeats ? kLanes : length_ - at;
      const V one = result(at, left, from, f);
      if (i < 0) {
        at_end = one;
      } else {
        store_quantized<T, Lane>(one, left, to + at * kBytes);
      }
    }
    if (repeats) store_quantized<T, Lane>(at_end, kLanes, to + end * kBytes);
  }
  template <class F>
  HWY_INLINE void map_block(std::int64_t i, const std::byte* from, std::byte* to,
                            const F& f) const {
    QuantBlock<Lane, kBlock> block;
    const std::byte* const first = from + i * src_bytes_;
    source_.template with<Lane>([&](auto element) TL_QUANT_INLINE {
      constexpr auto kFrom = static_cast<std::int64_t>(sizeof element);
      HWY_UNROLL(4)
      for (int v = 0; v < kBlock; ++v)
        block.lanes[v] = load_as_lanes<decltype(element), Lane>(first + v * kLanes * kFrom, kLanes);
    });
    f(block);
    HWY_UNROLL(4)
    for (int v = 0; v < kBlock; ++v)
      store_quantized<T, Lane>(block.lanes[v], kLanes, to + (i + v * kLanes) * kBytes);
  }
  template <class F>
  HWY_INLINE V result(std::int64_t i, std::int64_t left, const std::byte* from, const F& f) const {
    QuantBlock<Lane, 1> one;
    const std::byte* const first = from + i * src_bytes_;
    source_.template with<Lane>([&](auto element) TL_QUANT_INLINE {
      one.lanes[0] = load_as_lanes<decltype(element), Lane>(first, left);
    });
    f(one);
    return one.lanes[0];
  }

  const QuantSource<S> source_;
  const std::int64_t src_bytes_, length_;
};

// Rows of kVectors vectors, of which the last one may not be full: no loop and no choice in a row.
// Without masks the last one ends with the row. All are loaded before any is stored: a row may be
// computed in place.
template <class T, class Lane, int kVectors, class S>
class ShortRow {
 public:
  HWY_INLINE ShortRow(const QuantForm& form, std::int64_t length)
      : source_(form.src_type),
        last_(kRepeatsQuantEnds ? length - kLanes : kBefore),
        left_(length - kBefore) {}

  template <class F>
  HWY_INLINE void map(const std::byte* from, std::byte* to, const F& f) const {
    QuantBlock<Lane, kVectors> block;
    source_.template with<Lane>([&](auto element) TL_QUANT_INLINE {
      using Element = decltype(element);
      constexpr auto kFrom = static_cast<std::int64_t>(sizeof element);
      HWY_UNROLL(4)
      for (int v = 0; v + 1 < kVectors; ++v)
        block.lanes[v] = load_as_lanes<Element, Lane>(from + v * kLanes * kFrom, kLanes);
      const std::byte* const at = from + last_ * kFrom;
      block.lanes[kVectors - 1] = kRepeatsQuantEnds ? load_as_lanes<Element, Lane>(at, kLanes)
                                                    : load_first_as_lanes<Element, Lane>(at, left_);
    });
    f(block);
    HWY_UNROLL(4)
    for (int v = 0; v + 1 < kVectors; ++v)
      store_quantized<T, Lane>(block.lanes[v], kLanes, to + v * kLanes * kBytes);
    std::byte* const end = to + last_ * kBytes;
    if (kRepeatsQuantEnds) return store_quantized<T, Lane>(block.lanes[kVectors - 1], kLanes, end);
    store_first_quantized<T, Lane>(block.lanes[kVectors - 1], left_, end);
  }

 private:
  static constexpr std::int64_t kLanes = kQuantLanes<Lane>;
  static constexpr std::int64_t kBefore = (kVectors - 1) * kLanes;
  static constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));

  const QuantSource<S> source_;
  const std::int64_t last_, left_;
};

// F(form, numbers) changes the lanes of a block to results, which fit the type. Leaves the places
// behind the channels.
template <class F, class Row>
HWY_NOINLINE void map_rows(ChannelRows& channels, const Row& given) {
  // Copies: a store might change the others, as far as the compiler knows.
  const Row row = given;
  const QuantForm form = channels.form;
  const RowSteps steps = channels.steps;
  const QuantNumbers* numbers = channels.numbers;
  ChannelPlaces src = channels.src, dst = channels.dst;
  std::int64_t batch = channels.batch;
  for (std::int64_t left = channels.count; left > 0;) {
    const F f(form, *numbers++);
    std::int64_t same = steps.own_numbers ? std::min(steps.batches - batch, left) : left;
    left -= same;
    for (; same > 0; batch = 0) {
      const std::int64_t count = std::min(steps.batches - batch, same);
      same -= count;
      const std::byte* outer_from = src.begin() + batch * steps.batch_from;
      std::byte* outer_to = dst.begin() + batch * steps.batch_to;
      src.advance();
      dst.advance();
      // Batches of one row are the inner loop.
      const std::int64_t outer = steps.rows == 1 ? 1 : count;
      const std::int64_t inner = steps.rows == 1 ? count : steps.rows;
      for (std::int64_t n = 0; n < outer; ++n) {
        const std::byte* from = outer_from;
        std::byte* to = outer_to;
        for (std::int64_t i = 0; i < inner; ++i, from += steps.inner_from, to += steps.inner_to)
          row.map(from, to, f);
        outer_from += steps.batch_from;
        outer_to += steps.batch_to;
      }
    }
  }
  channels.src = src;
  channels.dst = dst;
}

// How rows are divided, beside their length: vectors in a block, as many as stay in registers, on
// AVX2 and in rows of AVX-512 that have as many (in short ones a block is in the way); up to how
// many vectors are a form of their own.
inline constexpr int kLongBlock = 4;
constexpr int vectors_where(bool used, int vectors, int otherwise) {
  return used ? vectors : otherwise;
}
template <int kOnAvx2, int kLong, int kShort>
struct QuantBlocks {
  static constexpr int kUsual = vectors_where(HWY_TARGET == HWY_AVX2, kOnAvx2, 1);
  static constexpr int kInLongRows = vectors_where(HWY_TARGET <= HWY_AVX3, kLong, 1);
  // Vectors of 16 bytes are more in most rows.
  static constexpr int kMostShort = vectors_where(HWY_TARGET <= HWY_AVX2, kShort, 0);
};
template <class F, class T, class Lane, class S, class Blocks>
void map_channels(ChannelRows& channels) {
  const QuantForm form = channels.form;
  const std::int64_t length = channels.length;
  constexpr std::int64_t kLanes = kQuantLanes<Lane>;
  const std::int64_t vectors = (length + kLanes - 1) / kLanes;
  const auto map_short = [&](auto count) TL_QUANT_INLINE {
    map_rows<F>(channels, ShortRow<T, Lane, decltype(count)::value, S>(form, length));
  };
  if constexpr (Blocks::kMostShort >= 2) {
    if (vectors == 2) return map_short(std::integral_constant<int, 2>());
  }
  if constexpr (Blocks::kMostShort >= 4) {
    if (vectors == 3) return map_short(std::integral_constant<int, 3>());
    if (vectors == 4) return map_short(std::integral_constant<int, 4>());
  }
  if constexpr (Blocks::kInLongRows > 1) {
    if (length >= Blocks::kInLongRows * kLanes)
      return map_rows<F>(channels, AnyRow<T, Lane, Blocks::kInLongRows, S>(form, length));
  }
  map_rows<F>(channels, AnyRow<T, Lane, Blocks::kUsual, S>(form, length));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_ROWS_INL_H_
