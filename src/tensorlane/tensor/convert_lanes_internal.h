// The 32-bit lanes that convert_simd.cc works in; included once per CPU target.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#if defined(TENSORLANE_TENSOR_CONVERT_LANES_INTERNAL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_TENSOR_CONVERT_LANES_INTERNAL_H_
#undef TENSORLANE_TENSOR_CONVERT_LANES_INTERNAL_H_
#else
#define TENSORLANE_TENSOR_CONVERT_LANES_INTERNAL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = std::uint8_t;

// Elements; a multiple of every vector length used here.
inline constexpr std::size_t kBlock = 1024;
using D32 = hn::CappedTag<std::uint32_t, 64>;
using DInt = hn::RebindToSigned<D32>;
using DFloat = hn::RebindToFloat<D32>;
using V32 = hn::Vec<D32>;
using VInt = hn::Vec<DInt>;
using VFloat = hn::Vec<DFloat>;

template <class T>
using DNarrow = hn::Rebind<T, D32>;

inline V32 constant(std::uint32_t value) {
  return hn::Set(D32(), value);
}
inline VFloat as_float(V32 v) {
  return hn::BitCast(DFloat(), v);
}
inline V32 as_bits(VFloat v) {
  return hn::BitCast(D32(), v);
}
inline V32 as_bits(VInt v) {
  return hn::BitCast(D32(), v);
}
inline VInt as_int(V32 v) {
  return hn::BitCast(DInt(), v);
}

// Comparisons of lanes below 2^31, which is cheaper signed than unsigned on x86.
inline auto less(V32 a, V32 b) {
  return hn::RebindMask(D32(), hn::Lt(as_int(a), as_int(b)));
}
inline auto less_equal(V32 a, V32 b) {
  return hn::Not(less(b, a));
}
inline auto is_negative(V32 sign_bits) {
  return hn::RebindMask(D32(), hn::MaskFromVec(hn::BroadcastSignBit(as_int(sign_bits))));
}

// Denormal fp32 to zero of its sign.
inline V32 flush_denormal(V32 bits) {
  const V32 sign = hn::And(bits, constant(0x80000000U));
  const V32 magnitude = hn::Xor(bits, sign);
  return hn::IfThenElse(less(magnitude, constant(0x00800000U)), sign, bits);
}

// Runs `step` on every vector of `count` 32-bit lanes at `data`, in place.
template <class Step>
void for_each_vector(std::uint32_t* data, std::size_t count, const Step& step) {
  const D32 d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(step(hn::LoadU(d, data + i)), d, data + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
