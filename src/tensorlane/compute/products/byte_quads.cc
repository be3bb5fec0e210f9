#include "tensorlane/compute/products/byte_quads.h"

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/byte_quads.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void zip(const std::array<const std::byte*, 4>& rows, std::int64_t count, std::uint32_t flip,
         std::int32_t* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::uint8_t flips[4];
  for (int k = 0; k < 4; ++k) flips[k] = static_cast<std::uint8_t>(flip >> (8 * k));
  auto* bytes = reinterpret_cast<std::uint8_t*>(to);
  const auto row = [&](std::size_t k, std::int64_t i) HWY_ATTR {
    const auto turn = hn::Set(d, flips[k]);
    if (rows[k] == nullptr) return turn;
    return hn::Xor(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(rows[k]) + i), turn);
  };
  const auto zip_at = [&](std::int64_t i) HWY_ATTR {
    hn::StoreInterleaved4(row(0, i), row(1, i), row(2, i), row(3, i), d, bytes + 4 * i);
  };
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) zip_at(i);
  if (i == count) return;
  if (count >= lanes) return zip_at(count - lanes);  // some of them again
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      const auto byte = rows[k] == nullptr ? 0U : static_cast<unsigned>(rows[k][i]);
      bytes[4 * i + static_cast<std::int64_t>(k)] = static_cast<std::uint8_t>(byte ^ flips[k]);
    }
  }
}

void split(const std::byte* from, std::int64_t count, int parts, std::byte* const* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* elements = reinterpret_cast<const std::uint8_t*>(from);
  const auto store = [&](int part, std::int64_t i, auto bytes) HWY_ATTR {
    hn::StoreU(bytes, d, reinterpret_cast<std::uint8_t*>(to[part]) + i);
  };
  std::int64_t i = 0;
  for (; parts == 2 && i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> low, high;
    hn::LoadInterleaved2(d, elements + 2 * i, low, high);
    store(0, i, low);
    store(1, i, high);
  }
  for (; parts == 4 && i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> a, b, c, e;
    hn::LoadInterleaved4(d, elements + 4 * i, a, b, c, e);
    store(0, i, a);
    store(1, i, b);
    store(2, i, c);
    store(3, i, e);
  }
  for (; i < count; ++i) {
    for (int part = 0; part < parts; ++part) to[part][i] = from[parts * i + part];
  }
}

std::int64_t sum_of_bytes(const std::int32_t* words, std::int64_t count, bool with_sign) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words);
  const std::int64_t size = 4 * count;
  const std::uint8_t turn = with_sign ? 0x80 : 0;  // a byte with sign and 128 more has none
  std::int64_t sum = 0;
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const hn::ScalableTag<std::uint64_t> wide;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sums = hn::Zero(wide);
  for (; i + lanes <= size; i += lanes)
    sums = hn::Add(sums, hn::SumsOf8(hn::Xor(hn::LoadU(d, bytes + i), hn::Set(d, turn))));
  sum = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(wide, sums)));
#endif
  for (; i < size; ++i) sum += static_cast<std::uint8_t>(bytes[i] ^ turn);
  return sum - turn * size;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(zip);
HWY_EXPORT(split);
HWY_EXPORT(sum_of_bytes);

void zip_bytes(const std::array<const std::byte*, 4>& rows, std::int64_t count, std::uint32_t flip,
               std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(zip)(rows, count, flip, to);
}

void split_bytes(const std::byte* from, std::int64_t count, int parts, std::byte* const* to) {
  HWY_DYNAMIC_DISPATCH(split)(from, count, parts, to);
}

std::int64_t sum_bytes(const std::int32_t* words, std::int64_t count, bool with_sign) {
  return HWY_DYNAMIC_DISPATCH(sum_of_bytes)(words, count, with_sign);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
