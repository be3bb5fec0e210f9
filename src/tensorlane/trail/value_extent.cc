#include "tensorlane/trail/value_extent.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/trail/value_extent.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::trail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Comparisons instead of minimum and maximum: they pass over NaN.
template <class T>
ValueExtent extent_of(const std::byte* memory, const ByteBox& box, std::int64_t origin) {
  const hn::ScalableTag<T> tag;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  using Limits = std::numeric_limits<T>;
  constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  constexpr T kHighest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  T least = kHighest, most = kLowest;
  const auto look = [&](T value) {
    if (value < least) least = value;
    if (value > most) most = value;
  };
  auto low = hn::Set(tag, kHighest), high = hn::Set(tag, kLowest);
  for_each_run(box, origin, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
    const auto* const from = reinterpret_cast<const T*>(memory + begin);
    const std::int64_t count = (end - begin) / static_cast<std::int64_t>(sizeof(T));
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      const auto values = hn::LoadU(tag, from + i);
      low = hn::IfThenElse(hn::Lt(values, low), values, low);
      high = hn::IfThenElse(hn::Gt(values, high), values, high);
    }
    for (; i < count; ++i) {
      T value{};
      std::memcpy(&value, from + i, sizeof value);
      look(value);
    }
  });
  HWY_ALIGN std::array<T, kLanes> lows, highs;
  hn::Store(low, tag, lows.data());
  hn::Store(high, tag, highs.data());
  for (std::size_t k = 0; k < lows.size(); ++k) {
    if (lows[k] > highs[k]) continue;  // no element, or NaN alone
    look(lows[k]);
    look(highs[k]);
  }
  return {static_cast<double>(least), static_cast<double>(most)};
}

ValueExtent box_extent(const std::byte* memory, const ByteBox& box, std::int64_t origin,
                       Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp32:
      return extent_of<float>(memory, box, origin);
    case Dtype::kInt32:
      return extent_of<std::int32_t>(memory, box, origin);
    case Dtype::kUint32:
      return extent_of<std::uint32_t>(memory, box, origin);
    case Dtype::kInt16:
      return extent_of<std::int16_t>(memory, box, origin);
    case Dtype::kUint16:
      return extent_of<std::uint16_t>(memory, box, origin);
    case Dtype::kInt8:
      return extent_of<std::int8_t>(memory, box, origin);
    case Dtype::kUint8:
      return extent_of<std::uint8_t>(memory, box, origin);
    default:
      return {1, 0};
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::trail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::trail {
namespace {

HWY_EXPORT(box_extent);

template <class T>
void each_outside(const std::byte* memory, const Footprint& bytes, double low, double high,
                  const std::function<void(Range, double)>& f) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  for (const ByteBox& box : bytes.shape->boxes) {
    for_each_run(box, bytes.origin, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin; at + kBytes <= end; at += kBytes) {
        T value{};
        std::memcpy(&value, memory + at, sizeof value);
        const auto number = static_cast<double>(value);
        if (number < low || number > high) f({at, at + kBytes}, number);
      }
    });
  }
}

}  // namespace

ValueExtent value_extent(const std::byte* memory, const Footprint& bytes, Dtype dtype) {
  ValueExtent all{1, 0};
  if (bytes.empty()) return all;
  for (const ByteBox& box : bytes.shape->boxes) {
    const ValueExtent part = HWY_DYNAMIC_DISPATCH(box_extent)(memory, box, bytes.origin, dtype);
    if (part.least > part.most) continue;
    const bool first = all.least > all.most;
    all.least = first ? part.least : std::min(all.least, part.least);
    all.most = first ? part.most : std::max(all.most, part.most);
  }
  return all;
}

void for_each_outside(const std::byte* memory, const Footprint& bytes, Dtype dtype, double low,
                      double high, const std::function<void(Range bytes, double value)>& f) {
  if (bytes.empty()) return;
  switch (dtype) {
    case Dtype::kFp32:
      return each_outside<float>(memory, bytes, low, high, f);
    case Dtype::kInt32:
      return each_outside<std::int32_t>(memory, bytes, low, high, f);
    case Dtype::kUint32:
      return each_outside<std::uint32_t>(memory, bytes, low, high, f);
    case Dtype::kInt16:
      return each_outside<std::int16_t>(memory, bytes, low, high, f);
    case Dtype::kUint16:
      return each_outside<std::uint16_t>(memory, bytes, low, high, f);
    case Dtype::kInt8:
      return each_outside<std::int8_t>(memory, bytes, low, high, f);
    case Dtype::kUint8:
      return each_outside<std::uint8_t>(memory, bytes, low, high, f);
    default:
      return;
  }
}

}  // namespace tensorlane::trail
#endif  // HWY_ONCE
