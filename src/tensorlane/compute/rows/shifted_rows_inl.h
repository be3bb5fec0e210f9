// Rows of two sources with a shift each, a byte that source 2 holds for each row. Included once per
// vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_SHIFTED_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_SHIFTED_ROWS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_SHIFTED_ROWS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_SHIFTED_ROWS_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <utility>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

// `make(byte)` is the formula of a row, vectors of T to one of them; that of the row before it more
// often than not. Of rows of fewer than a vector, elements go through a buffer where there are no
// masks.
template <class T, class Formula, class Make>
HWY_INLINE void rows_by_byte(const Row& given, const Make& make) {
  namespace hn = hwy::HWY_NAMESPACE;
  using D = hn::ScalableTag<T>;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  const D d;
  const Row frame = given;
  const std::int64_t count = frame.count, rest = count % kLanes, whole = count - rest;
  const std::int64_t mask_a = -std::int64_t{frame.src_step[0] != 0};
  const std::int64_t mask_b = -std::int64_t{frame.src_step[1] != 0};
  HWY_ALIGN T copies[2][kLanes];
  HWY_ALIGN T buffers[3][kLanes] = {};
  const auto copy_of = [&](std::size_t k, const std::byte* at)
                           HWY_ATTR { hn::Store(hn::Set(d, load_element<T>(at)), d, copies[k]); };
  // One for all rows, or one for each.
  const auto stays = [&](std::size_t k) {
    return frame.src_step[k] == 0 && frame.src_next[k] == 0 && frame.src_block[k] == 0;
  };
  const bool copies_a = mask_a == 0 && !stays(0), copies_b = mask_b == 0 && !stays(1);
  if (stays(0)) copy_of(0, frame.src[0]);
  if (stays(1)) copy_of(1, frame.src[1]);
  int last = load_element<std::uint8_t>(frame.src[2]);
  Formula formula = make(last);
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    const std::byte* at_a = frame.src[0] + b * frame.src_block[0];
    const std::byte* at_b = frame.src[1] + b * frame.src_block[1];
    const std::byte* shift = frame.src[2] + b * frame.src_block[2];
    std::byte* result = frame.dst + b * frame.dst_block;
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      const int byte = load_element<std::uint8_t>(shift);
      if (byte != std::exchange(last, byte)) formula = make(byte);
      if (copies_a) copy_of(0, at_a);
      if (copies_b) copy_of(1, at_b);
      const T* const x = mask_a == 0 ? copies[0] : reinterpret_cast<const T*>(at_a);
      const T* const y = mask_b == 0 ? copies[1] : reinterpret_cast<const T*>(at_b);
      T* const to = reinterpret_cast<T*>(result);
      const auto of = [&](std::int64_t i) TL_INLINE_ATTR {
        return formula(hn::LoadU(d, x + (i & mask_a)), hn::LoadU(d, y + (i & mask_b)));
      };
      if constexpr (kHasMasks<T> && !kRepeatsEnds) {
        for (std::int64_t i = 0; i < whole; i += kLanes) hn::StoreU(of(i), d, to + i);
        if (rest != 0) {
          const auto used = hn::FirstN(d, static_cast<std::size_t>(rest));
          const auto a = hn::MaskedLoad(used, d, x + (whole & mask_a));
          const auto c = hn::MaskedLoad(used, d, y + (whole & mask_b));
          hn::BlendedStore(formula(a, c), used, d, to + whole);
        }
      } else {
        // The last vector ends with the row, which may be computed in place.
        auto at_end = hn::Zero(d);
        const bool repeats = rest != 0 && whole != 0;
        if (repeats) at_end = of(count - kLanes);
        for (std::int64_t i = 0; i < whole; i += kLanes) hn::StoreU(of(i), d, to + i);
        if (repeats) {
          hn::StoreU(at_end, d, to + count - kLanes);
        } else if (rest != 0) {
          const auto bytes = static_cast<std::size_t>(rest) * sizeof(T);
          std::memcpy(buffers[0], x, bytes);
          std::memcpy(buffers[1], y, bytes);
          hn::Store(formula(hn::Load(d, buffers[0]), hn::Load(d, buffers[1])), d, buffers[2]);
          std::memcpy(to, buffers[2], bytes);
        }
      }
      at_a += frame.src_next[0];
      at_b += frame.src_next[1];
      shift += frame.src_next[2];
      result += frame.dst_next;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_SHIFTED_ROWS_INL_H_
