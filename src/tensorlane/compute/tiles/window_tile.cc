#include "tensorlane/compute/tiles/window_tile.h"

#include <limits>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/window_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/tiles/window_blocks_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

constexpr int kLanes = kWindowLanes;

template <int kCount>
HWY_INLINE void store_with(const float* bias, Vector (&result)[kCount], float* to) {
  const Floats d;
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) {
    if (bias != nullptr) result[v] = hn::Add(result[v], hn::Set(d, *bias));
    hn::StoreU(result[v], d, to + v * kLanes);
  }
}

// Of one kernel position.
struct Products {
  float weight;
  const float* bias;

  template <int kCount>
  HWY_INLINE void block(const WindowTile<float>& tile, std::int64_t q) const {
    const Floats d;
    const float* in = tile.inputs + q + tile.offsets[0];
    Vector product[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v)
      product[v] = hn::Mul(hn::LoadU(d, in + v * kLanes), hn::Set(d, weight));
    store_with(bias, product, tile.out + q);
  }
};

struct Sums {
  const float* weights;
  const float* bias;

  template <int kCount>
  static HWY_INLINE void add(const float* in, float weight, Vector (&sum)[kCount]) {
    const Floats d;
    const Vector w = hn::Set(d, weight);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v)
      sum[v] = hn::Add(sum[v], hn::Mul(hn::LoadU(d, in + v * kLanes), w));
  }

  template <int kCount>
  HWY_INLINE void block(const WindowTile<float>& tile, std::int64_t q) const {
    const Floats d;
    const float* in = tile.inputs + q;
    Vector even[kCount];
    Vector odd[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) even[v] = odd[v] = hn::Zero(d);
    int t = 0;
    for (; t + 1 < tile.length; t += 2) {
      add(in + tile.offsets[t], weights[t], even);
      add(in + tile.offsets[t + 1], weights[t + 1], odd);
    }
    if (t < tile.length) add(in + tile.offsets[t], weights[t], even);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) even[v] = hn::Add(even[v], odd[v]);
    store_with(bias, even, tile.out + q);
  }
};

void sum(const WindowTile<float>& tile, const float* weights, const float* bias) {
  if (tile.length == 1) return for_each_block(tile, Products{weights[0], bias});
  for_each_block(tile, Sums{weights, bias});
}

struct Maxima {
  template <int kCount>
  HWY_INLINE void block(const WindowTile<float>& tile, std::int64_t q) const {
    const Floats d;
    const Vector smallest_normal = hn::Set(d, std::numeric_limits<float>::min());
    const Vector sign_bit = hn::Set(d, -0.0F);
    const float* in = tile.inputs + q;
    Vector largest[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) largest[v] = hn::Set(d, std::numeric_limits<float>::lowest());
    for (int t = 0; t < tile.length; ++t) {
#pragma GCC unroll 4
      for (int v = 0; v < kCount; ++v) {
        const Vector value = hn::LoadU(d, in + tile.offsets[t] + v * kLanes);
        largest[v] = hn::IfThenElse(hn::Gt(value, largest[v]), value, largest[v]);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      const auto is_denormal = hn::Lt(hn::Abs(largest[v]), smallest_normal);
      const Vector zero = hn::And(largest[v], sign_bit);
      hn::StoreU(hn::IfThenElse(is_denormal, zero, largest[v]), d, tile.out + q + v * kLanes);
    }
  }
};

void maximum(const WindowTile<float>& tile) {
  for_each_block(tile, Maxima());
}

}  // namespace
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
