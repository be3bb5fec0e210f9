// One element repeated, and elements of 1 to 8 bytes at any stride.
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/layout/strided_copy_elements.cc"  // NOLINT
#include <hwy/foreach_target.h>  // must come before highway.h
//
#include "tensorlane/layout/strided_copy_simd_internal.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

// Writes `n` elements of a row shorter than a vector, in vectors of 16 bytes.
template <class T>
HWY_INLINE void fill_short_row(T value, std::int64_t n, std::byte* dst) {
  const hn::CappedTag<T, 16 / sizeof(T)> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (n < lanes) {
    for (std::int64_t i = 0; i < n; ++i) at<Unaligned<T>>(dst)[i].value = value;
    return;
  }
  const auto v = hn::Set(d, value);
  for (std::int64_t i = 0; i < n; i += lanes) hn::StoreU(v, d, at<T>(dst) + std::min(i, n - lanes));
}

#if HWY_TARGET <= HWY_AVX3

// Writes `n` elements of a row of few vectors, the last one under a mask: no byte is written twice.
template <class T>
HWY_INLINE bool fill_masked_row(T value, std::int64_t n, std::byte* dst) {
  constexpr std::int64_t kMostVectors = 8;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (n > kMostVectors * lanes) return false;
  const auto v = hn::Set(d, value);
  T* to = at<T>(dst);
  for (; n > lanes; n -= lanes, to += lanes) hn::StoreU(v, d, to);
  hn::BlendedStore(v, hn::FirstN(d, static_cast<std::size_t>(n)), d, to);
  return true;
}

#else

template <class T>
bool fill_masked_row(T, std::int64_t, std::byte*) {
  return false;
}

#endif

// Writes `n` elements: vectors of the value, the last one reaching back.
template <class T>
HWY_INLINE void fill_row(T value, std::int64_t n, std::byte* dst) {
  if (fill_masked_row(value, n, dst)) return;
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  T* to = at<T>(dst);
  if (n < lanes) return fill_short_row(value, n, dst);
  const auto v = hn::Set(d, value);
  hn::StoreU(v, d, to);
  // Few more in short vectors: long ones that overlap wait for each other.
  constexpr std::int64_t kFew = 16 / sizeof(T);
  if (n < 2 * lanes && n >= lanes + kFew) {
    fill_short_row(value, n - lanes, dst + lanes * static_cast<std::int64_t>(sizeof(T)));
    return;
  }
  // Go on at the alignment of vectors: stores that cross lines cost twice.
  std::int64_t i = lanes - misalignment(dst) / static_cast<std::int64_t>(sizeof(T)) % lanes;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    hn::StoreU(v, d, to + i);
    hn::StoreU(v, d, to + i + lanes);
    hn::StoreU(v, d, to + i + 2 * lanes);
    hn::StoreU(v, d, to + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) hn::StoreU(v, d, to + i);
  if (i < n) hn::StoreU(v, d, to + n - lanes);
}

template <class T>
void fill(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const CopyLoop outer = tile.outer, next = tile.outer_next;
  const std::int64_t n = tile.inner.n;
  for (std::int64_t i = 0; i < next.n; ++i, dst += next.dst, src += next.src) {
    for (std::int64_t o = 0; o < outer.n; ++o) {
      T value;
      std::memcpy(&value, src + o * outer.src, sizeof(T));
      fill_row(value, n, dst + o * outer.dst);
    }
  }
}

// One row of elements; strides known when compiling become shuffles.
template <class T, std::int64_t kDst, std::int64_t kSrc>
void copy_fixed_elements(std::int64_t n, std::byte* dst, const std::byte* src) {
  using U = Unaligned<T>;
  U* __restrict to = at<U>(dst);
  const U* __restrict from = at<U>(src);
  for (std::int64_t i = 0; i < n; ++i) to[i * kDst].value = from[i * kSrc].value;
}

// A vector with its lanes in the opposite order.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V backwards(D d, V v) {
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    const hn::RepartitionToWide<D> pairs;
    const auto turned = hn::Reverse(pairs, hn::BitCast(pairs, v));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(turned), hn::ShiftRight<8>(turned)));
  } else {
    return hn::Reverse(d, v);
  }
}

// Neighbours of the destination that come from the source one before the other: `n` elements, the
// first from src, the second from before it.
template <class T>
void copy_backwards(std::int64_t n, std::byte* dst, const std::byte* src) {
#if HWY_TARGET == HWY_SCALAR
  copy_fixed_elements<T, 1, -1>(n, dst, src);
#else
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 16 / sizeof(T)> small;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto few = static_cast<std::int64_t>(hn::Lanes(small));
  T* const to = at<T>(dst);
  const T* const from = at<T>(src);
  if (n < few) return copy_fixed_elements<T, 1, -1>(n, dst, src);
  std::int64_t i = 0;
  const auto turned = [&](std::int64_t begin)
                          HWY_ATTR { return backwards(d, hn::LoadU(d, from - begin - lanes + 1)); };
  // Loads in a row do not wait for stores to addresses that look alike.
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto first = turned(i), second = turned(i + lanes);
    const auto third = turned(i + 2 * lanes), last = turned(i + 3 * lanes);
    hn::StoreU(first, d, to + i);
    hn::StoreU(second, d, to + i + lanes);
    hn::StoreU(third, d, to + i + 2 * lanes);
    hn::StoreU(last, d, to + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) hn::StoreU(turned(i), d, to + i);
  for (; i < n; i += few) {
    const std::int64_t begin = std::min(i, n - few);  // the last one reaches back
    hn::StoreU(backwards(small, hn::LoadU(small, from - begin - few + 1)), small, to + begin);
  }
#endif
}

template <class T>
void copy_element_row(std::int64_t n, std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                      std::int64_t src_stride) {
  using U = Unaligned<T>;
  for (std::int64_t i = 0; i < n; ++i) {
    at<U>(dst)->value = at<U>(src)->value;
    dst += dst_stride;
    src += src_stride;
  }
}

template <class T>
void copy_elements(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const CopyLoop inner = tile.inner, outer = tile.outer;
  constexpr std::int64_t kSize = sizeof(T);
  void (*fixed)(std::int64_t, std::byte*, const std::byte*) = nullptr;
  if (inner.dst == kSize && inner.src == 2 * kSize) {
    fixed = copy_fixed_elements<T, 1, 2>;
  } else if (inner.dst == kSize && inner.src == 4 * kSize) {
    fixed = copy_fixed_elements<T, 1, 4>;
  } else if (inner.dst == kSize && inner.src == -kSize) {
    fixed = copy_backwards<T>;
  }
  const std::int64_t block = block_rows(tile);
  for (std::int64_t begin = 0; begin < inner.n; begin += block) {
    const std::int64_t n = std::min(block, inner.n - begin);
    for (std::int64_t o = 0; o < outer.n; ++o) {
      std::byte* to = dst + o * outer.dst + begin * inner.dst;
      const std::byte* from = src + o * outer.src + begin * inner.src;
      if (fixed != nullptr) {
        fixed(n, to, from);
      } else {
        copy_element_row<T>(n, to, inner.dst, from, inner.src);
      }
    }
  }
}

}  // namespace

CopyKernel find_fill_kernel(const CopyTile& tile) {
  return find_typed(tile.bytes, fill<std::uint8_t>, fill<std::uint16_t>, fill<std::uint32_t>,
                    fill<std::uint64_t>);
}
CopyKernel find_elements_kernel(const CopyTile& tile) {
  return find_typed(tile.bytes, copy_elements<std::uint8_t>, copy_elements<std::uint16_t>,
                    copy_elements<std::uint32_t>, copy_elements<std::uint64_t>);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::copy_internal {

HWY_EXPORT(find_fill_kernel);
HWY_EXPORT(find_elements_kernel);

CopyKernel find_fill_kernel(const CopyTile& tile) {
  return HWY_DYNAMIC_DISPATCH(find_fill_kernel)(tile);
}
CopyKernel find_elements_kernel(const CopyTile& tile) {
  return HWY_DYNAMIC_DISPATCH(find_elements_kernel)(tile);
}

}  // namespace tensorlane::copy_internal
#endif  // HWY_ONCE
