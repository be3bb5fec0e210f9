#include "tensorlane/tiles/window_tile.h"

#include <limits>
#include <type_traits>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/tiles/window_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

// Independent vectors per pass hide the latency of the sums.
constexpr int kVectors = 4;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));
static_assert(kVectors * kLanes <= kWindowSlack);

// block(inputs, out, vectors) for the positions: kVectors at a time, then one by one.
template <class Block>
HWY_INLINE void for_each_block(const WindowTile<float>& tile, const Block& block) {
  std::int64_t q = 0;
  for (; q + (kVectors - 1) * kLanes < tile.positions; q += kVectors * kLanes)
    block(tile.inputs + q, tile.out + q, std::integral_constant<int, kVectors>());
  for (; q < tile.positions; q += kLanes)
    block(tile.inputs + q, tile.out + q, std::integral_constant<int, 1>());
}

void multiply(const WindowTile<float>& tile, float weight, const float* bias) {
  const Floats d;
  const Vector w = hn::Set(d, weight);
  for_each_block(tile, [&](const float* in, float* out, auto vectors) HWY_ATTR {
    for (int v = 0; v < vectors; ++v) {
      Vector sum = hn::Mul(hn::LoadU(d, in + tile.offsets[0] + v * kLanes), w);
      if (bias != nullptr) sum = hn::Add(sum, hn::Set(d, *bias));
      hn::StoreU(sum, d, out + v * kLanes);
    }
  });
}

void sum(const WindowTile<float>& tile, const float* weights, const float* bias) {
  if (tile.length == 1) return multiply(tile, weights[0], bias);
  const Floats d;
  for_each_block(tile, [&](const float* in, float* out, auto vectors) HWY_ATTR {
    Vector even[vectors];
    Vector odd[vectors];
    for (int v = 0; v < vectors; ++v) even[v] = odd[v] = hn::Zero(d);
    int t = 0;
    for (; t + 1 < tile.length; t += 2) {
      const Vector w0 = hn::Set(d, weights[t]);
      const Vector w1 = hn::Set(d, weights[t + 1]);
      const float* in0 = in + tile.offsets[t];
      const float* in1 = in + tile.offsets[t + 1];
      for (int v = 0; v < vectors; ++v) {
        even[v] = hn::Add(even[v], hn::Mul(hn::LoadU(d, in0 + v * kLanes), w0));
        odd[v] = hn::Add(odd[v], hn::Mul(hn::LoadU(d, in1 + v * kLanes), w1));
      }
    }
    if (t < tile.length) {
      const Vector w0 = hn::Set(d, weights[t]);
      const float* in0 = in + tile.offsets[t];
      for (int v = 0; v < vectors; ++v) {
        even[v] = hn::Add(even[v], hn::Mul(hn::LoadU(d, in0 + v * kLanes), w0));
      }
    }
    for (int v = 0; v < vectors; ++v) {
      Vector result = hn::Add(even[v], odd[v]);
      if (bias != nullptr) result = hn::Add(result, hn::Set(d, *bias));
      hn::StoreU(result, d, out + v * kLanes);
    }
  });
}

void maximum(const WindowTile<float>& tile) {
  const Floats d;
  const Vector smallest_normal = hn::Set(d, std::numeric_limits<float>::min());
  const Vector sign_bit = hn::Set(d, -0.0F);
  for_each_block(tile, [&](const float* in, float* out, auto vectors) HWY_ATTR {
    Vector largest[vectors];
    for (int v = 0; v < vectors; ++v) {
      largest[v] = hn::Set(d, std::numeric_limits<float>::lowest());
    }
    for (int t = 0; t < tile.length; ++t) {
      for (int v = 0; v < vectors; ++v) {
        const Vector value = hn::LoadU(d, in + tile.offsets[t] + v * kLanes);
        largest[v] = hn::IfThenElse(hn::Gt(value, largest[v]), value, largest[v]);
      }
    }
    for (int v = 0; v < vectors; ++v) {
      const auto is_denormal = hn::Lt(hn::Abs(largest[v]), smallest_normal);
      const Vector zero = hn::And(largest[v], sign_bit);
      hn::StoreU(hn::IfThenElse(is_denormal, zero, largest[v]), d, out + v * kLanes);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(sum);
HWY_EXPORT(maximum);

void sum_windows(const WindowTile<float>& tile, const float* weights, const float* bias) {
  HWY_DYNAMIC_DISPATCH(sum)(tile, weights, bias);
}

void max_windows(const WindowTile<float>& tile) {
  HWY_DYNAMIC_DISPATCH(maximum)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
