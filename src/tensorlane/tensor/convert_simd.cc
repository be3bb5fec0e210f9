// convert_elements() by vector instructions: the same bits as convert_element(), see convert.h.
//
// A block of elements goes through one intermediate of 32-bit lanes, so that a reader and a writer
// of each type make all pairs:
//
//   float result   source -> fp32 -> result. Every source widens to fp32 without loss, except
//                  32-bit integers, which are rounded to odd: the last bit of an inexact fp32 is
//                  set, after which rounding to a shorter format gives what one rounding gives.
//   integer result of a float source:   source -> fp32 -> int32 or uint32 within range -> result
//   integer result of an integer source: source -> int32 -> result (uint32 cut at 2^31-1)
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/tensor/convert_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
//
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/convert_floats_internal.h"
#include "tensorlane/tensor/convert_integers_internal.h"
#include "tensorlane/tensor/convert_lanes_internal.h"
#include "tensorlane/tensor/convert_read_internal.h"
#include "tensorlane/tensor/int4.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

template <int kExponentBits, int kMantissaBits, bool kHasInfinity>
void write_floats_of(std::uint32_t* fp32, std::size_t count, const ConvertOptions& options,
                     Bytes* dst) {
  if constexpr (kExponentBits + kMantissaBits == 31) {
    finish_fp32(fp32, count, options);
    narrow_integers<std::uint32_t>(fp32, count, dst);
  } else {
    write_small_floats<kExponentBits, kMantissaBits, kHasInfinity>(fp32, count, options, dst);
  }
}

void write_floats(std::uint32_t* fp32, std::size_t count, Dtype dtype,
                  const ConvertOptions& options, Bytes* dst) {
  switch (dtype) {
#define TL_WRITTEN(type, name, ...) \
  case Dtype::k##type:              \
    return write_floats_of<__VA_ARGS__>(fp32, count, options, dst);
    TL_FLOAT_DTYPES(TL_WRITTEN)
#undef TL_WRITTEN
    default:  // none is a float
      return;
  }
}

// Bytes to floats of 16 bits, which have all of them: no option matters.
template <class T>
void widen_bytes(const Bytes* src, std::size_t count, bool to_fp16, Bytes* dst) {
  const DFloat d;
  const hn::Rebind<T, DFloat> bytes;
  const hn::Rebind<std::int32_t, DFloat> integers;
  const hn::Rebind<std::uint16_t, DFloat> halves;
  auto* const to = reinterpret_cast<std::uint16_t*>(dst);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto from = hn::LoadU(bytes, reinterpret_cast<const T*>(src) + i);
    const auto number = hn::ConvertTo(d, hn::PromoteTo(integers, from));
    if (to_fp16) {
      const hn::Rebind<hwy::float16_t, DFloat> fp16;
      hn::StoreU(hn::BitCast(halves, hn::DemoteTo(fp16, number)), halves, to + i);
    } else {
      const hn::Rebind<std::uint32_t, DFloat> words;
      hn::StoreU(hn::TruncateTo(halves, hn::ShiftRight<16>(hn::BitCast(words, number))), halves,
                 to + i);
    }
  }
}

// `count` <= kBlock is a multiple of 64; the dtypes differ and none is raw.
void convert_block(void* dst, Dtype dst_dtype, const void* src, Dtype src_dtype, std::size_t count,
                   const ConvertOptions& options) {
  alignas(64) std::uint32_t lanes[kBlock];
  auto* out = static_cast<Bytes*>(dst);
  const auto* in = static_cast<const Bytes*>(src);
  const bool to_fp16 = dst_dtype == Dtype::kFp16;
  if (to_fp16 || dst_dtype == Dtype::kBf16) {
    if (src_dtype == Dtype::kInt8) return widen_bytes<std::int8_t>(in, count, to_fp16, out);
    if (src_dtype == Dtype::kUint8) return widen_bytes<std::uint8_t>(in, count, to_fp16, out);
  }
  const bool to_float = dtype_info(dst_dtype).is_float;
  if (to_float) {
    read_as_fp32(in, src_dtype, count, dst_dtype == Dtype::kFp32, options, lanes);
    return write_floats(lanes, count, dst_dtype, options, out);
  }
  if (dtype_info(src_dtype).is_float) {
    read_as_fp32(in, src_dtype, count, false, options, lanes);
    fp32_to_integers(lanes, count, dst_dtype, options, lanes);
  } else {
    read_integers(in, src_dtype, count, lanes);
    clamp_integers(lanes, count, src_dtype, dst_dtype);
  }
  write_integers(lanes, count, dst_dtype, out);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace {

HWY_EXPORT(convert_block);

constexpr std::size_t kBlock = 1024;
constexpr std::size_t kVectors = 64;  // a multiple of every vector length, see convert_block

std::size_t bytes_of(Dtype dtype, std::size_t count) {
  return dtype_bits(dtype) == 4 ? int4_bytes(count)
                                : count * static_cast<std::size_t>(dtype_bytes(dtype));
}

}  // namespace

void convert_elements(void* dst, Dtype dst_dtype, const void* src, Dtype src_dtype,
                      std::size_t count, const ConvertOptions& options) {
  check_conversion(dst_dtype, src_dtype, options);
  if (count == 0) return;
  auto* out = static_cast<std::uint8_t*>(dst);
  const auto* in = static_cast<const std::uint8_t*>(src);
  const bool copies_bits = dst_dtype == src_dtype || !converts_values(dst_dtype, src_dtype);
  if (copies_bits) {
    std::memmove(out, in, bytes_of(dst_dtype, count));
    if (dtype_bits(dst_dtype) == 4 && count % 2 != 0) out[count / 2] &= 0xf;
    return;
  }
  while (count >= kVectors) {
    const std::size_t whole = std::min(count / kVectors * kVectors, kBlock);
    HWY_DYNAMIC_DISPATCH(convert_block)(out, dst_dtype, in, src_dtype, whole, options);
    out += bytes_of(dst_dtype, whole);
    in += bytes_of(src_dtype, whole);
    count -= whole;
  }
  if (count == 0) return;
  // The rest, padded to whole vectors in buffers of our own.
  alignas(64) std::uint8_t padded_in[kVectors * 4];
  alignas(64) std::uint8_t padded_out[kVectors * 4];
  const std::size_t used = bytes_of(src_dtype, count);
  std::memcpy(padded_in, in, used);
  std::memset(padded_in + used, 0, bytes_of(src_dtype, kVectors) - used);
  HWY_DYNAMIC_DISPATCH(convert_block)
  (padded_out, dst_dtype, padded_in, src_dtype, kVectors, options);
  std::memcpy(out, padded_out, bytes_of(dst_dtype, count));
  if (dtype_bits(dst_dtype) == 4 && count % 2 != 0) out[count / 2] &= 0xf;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
