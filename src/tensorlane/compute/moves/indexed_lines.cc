#include "tensorlane/compute/moves/indexed_lines.h"

#include <algorithm>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/moves/indexed_lines.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using indexed::Lines;
using indexed::MoveLines;
using indexed::Numbers;

using LineTag = hn::ScalableTag<std::uint8_t>;
constexpr auto kLineVector = static_cast<std::int64_t>(hn::MaxLanes(LineTag()));
constexpr std::int64_t kLongestLine = 2048;

HWY_INLINE std::int64_t number_at(const Numbers& numbers, std::int64_t i) {
  const std::byte* const at = numbers.data + i * numbers.bytes;
  if (numbers.bytes == 4) return load_element<std::uint32_t>(at);
  return numbers.bytes == 2 ? load_element<std::uint16_t>(at) : load_element<std::uint8_t>(at);
}

// kVectors vectors side by side and one that ends with the line, whose last byte is `last` + a
// vector's.
template <int kVectors>
HWY_INLINE void move_vectors(std::byte* to, const std::byte* from, std::int64_t last) {
  const LineTag d;
  hn::Vec<LineTag> vectors[kVectors];
  load_block<LineTag, kVectors>(reinterpret_cast<const std::uint8_t*>(from), vectors);
  const auto end = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + last));
  store_block<LineTag, kVectors>(vectors, reinterpret_cast<std::uint8_t*>(to));
  hn::StoreU(end, d, reinterpret_cast<std::uint8_t*>(to + last));
}

// Calls move(to, from) for each line.
template <class Move>
HWY_INLINE void each_line(const Lines& given, const Numbers& index, bool scatter,
                          const Move& move) {
  const Lines lines = given;
  const Numbers numbers = index;
  for (std::int64_t i = 0; i < numbers.count; ++i) {
    const std::int64_t at = number_at(numbers, i);
    move(lines.to + (scatter ? at : i) * lines.to_step,
         lines.from + (scatter ? i : at) * lines.from_step);
  }
}

template <int kVectors>
void move_short_lines(const Lines& lines, const Numbers& index, bool scatter) {
  const std::int64_t last = lines.bytes - kLineVector;
  each_line(lines, index, scatter, [=](std::byte* to, const std::byte* from) TL_INLINE_ATTR {
    move_vectors<kVectors>(to, from, last);
  });
}

void move_long_lines(const Lines& lines, const Numbers& index, bool scatter) {
  constexpr int kVectors = 4;
  constexpr std::int64_t kStep = kVectors * kLineVector;
  const std::int64_t bytes = lines.bytes;
  each_line(lines, index, scatter, [=](std::byte* to, const std::byte* from) TL_INLINE_ATTR {
    for (std::int64_t i = 0; i < bytes; i += kStep) {
      const std::int64_t begin = std::min(i, bytes - kStep);  // the last ones reach back
      move_vectors<kVectors - 1>(to + begin, from + begin, kStep - kLineVector);
    }
  });
}

MoveLines find_lines(std::int64_t bytes) {
  if (HWY_TARGET == HWY_SCALAR || bytes <= kLineVector || bytes > kLongestLine) return nullptr;
  switch ((bytes - 1) / kLineVector) {
    case 1:
      return move_short_lines<1>;
    case 2:
      return move_short_lines<2>;
    case 3:
      return move_short_lines<3>;
    case 4:
      return move_short_lines<4>;
    case 5:
      return move_short_lines<5>;
    case 6:
      return move_short_lines<6>;
    case 7:
      return move_short_lines<7>;
    default:
      return move_long_lines;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_lines);

indexed::MoveLines lines_of_processor(std::int64_t bytes) {
  return HWY_DYNAMIC_DISPATCH(find_lines)(bytes);
}

}  // namespace
}  // namespace simd

namespace indexed {

MoveLines find_lines(std::int64_t bytes) {
  return simd::lines_of_processor(bytes);
}

}  // namespace indexed
}  // namespace tensorlane
#endif  // HWY_ONCE
