#include "tensorlane/compute/tiles/byte_window_tile.h"

#include "tensorlane/base/error.h"
#include "tensorlane/compute/tiles/window_tile.h"

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>

#define TL_BYTE_WINDOWS [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")]]
#endif

namespace tensorlane {

#if defined(__x86_64__) && defined(__linux__)
namespace {

constexpr int kByteLanes = 16;  // sums of a vector
static_assert(kByteLanes <= kWindowSlack);
static_assert(kByteLanes + 3 * kMostByteDilation < 32);  // bytes of a load

// Where the fours of a vector's sums lie: bytes lane + k * dilation.
TL_BYTE_WINDOWS __m512i fours_of(int dilation) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return _mm512_add_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32(0x01010101)),
                          _mm512_set1_epi32(0x03020100 * dilation));
}

// Vectors at once, as independent sums hide the latency of each.
template <bool kUnsignedInputs, int kCount>
TL_BYTE_WINDOWS void sum_fours(const ByteWindowTile& tile, __m512i fours, std::int64_t q) {
  const __m512i flip = _mm512_set1_epi32(static_cast<int>(tile.flip));
  __m512i sum[kCount];
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) sum[v] = _mm512_set1_epi32(tile.start);
  for (int t = 0; t < tile.length; ++t) {
    const __m512i weight = _mm512_set1_epi32(tile.weights[t]);
    const std::uint8_t* in = tile.inputs + tile.offsets[t] + q;
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      const auto* from = reinterpret_cast<const __m256i*>(in + v * kByteLanes);
      const __m512i bytes = _mm512_castsi256_si512(_mm256_loadu_si256(from));
      const __m512i input =
          _mm512_xor_si512(flip, _mm512_maskz_permutexvar_epi8(~__mmask64{}, fours, bytes));
      sum[v] = kUnsignedInputs ? _mm512_dpbusd_epi32(sum[v], input, weight)
                               : _mm512_dpbusd_epi32(sum[v], weight, input);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) _mm512_storeu_si512(tile.out + q + v * kByteLanes, sum[v]);
}

template <bool kUnsignedInputs>
TL_BYTE_WINDOWS void sum_all_fours(const ByteWindowTile& tile) {
  const __m512i fours = fours_of(tile.dilation);
  std::int64_t q = 0;
  for (; q + 3 * kByteLanes < tile.positions; q += 4 * kByteLanes)
    sum_fours<kUnsignedInputs, 4>(tile, fours, q);
  for (; q < tile.positions; q += kByteLanes) sum_fours<kUnsignedInputs, 1>(tile, fours, q);
}

}  // namespace

void sum_byte_windows(const ByteWindowTile& tile) {
  if (tile.factors == IntegerFactors::kUnsignedInputs) return sum_all_fours<true>(tile);
  sum_all_fours<false>(tile);
}
#else
void sum_byte_windows(const ByteWindowTile&) {
  throw InternalError("windows of bytes on a processor without dot products");
}
#endif

}  // namespace tensorlane

#undef TL_BYTE_WINDOWS
