#include "tensorlane/compute/tiles/half_window_tile.h"

#include "tensorlane/base/error.h"
#include "tensorlane/tensor/instruction_set.h"

// Clang 14 has no such type outside files that are compiled for these processors.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TL_HALF_ARITHMETIC 1
#include <cpuid.h>
#include <immintrin.h>

#include "tensorlane/compute/tiles/integer_tile.h"
#endif

namespace tensorlane {

#ifdef TL_HALF_ARITHMETIC
namespace {

constexpr int kHalves = 32;               // of a vector
constexpr std::uint16_t kLeast = 0xFBFF;  // the least finite number
static_assert(kHalves <= kWindowSlack);

bool ask_for_half_arithmetic() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kAvx512Fp16 = 1U << 23;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAvx512Fp16) != 0;
}

// sum + the products of position t, both rounded.
template <int kCount>
[[gnu::target("avx512fp16"), gnu::always_inline]] inline void add_half_products(
    const WindowTile<std::uint16_t>& tile, const std::uint16_t* weights, int t, std::int64_t q,
    __m512h (&sum)[kCount]) {
  const __m512h weight = _mm512_castsi512_ph(_mm512_set1_epi16(static_cast<short>(weights[t])));
  const std::uint16_t* in = tile.inputs + q + tile.offsets[t];
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v)
    sum[v] = _mm512_add_ph(sum[v], _mm512_mul_ph(_mm512_loadu_ph(in + v * kHalves), weight));
}

// Vectors at once, as independent sums hide the latency of each.
template <int kCount>
[[gnu::target("avx512fp16")]] void sum_half_block(const WindowTile<std::uint16_t>& tile,
                                                  const std::uint16_t* weights, __m512i first,
                                                  __m512i second, std::int64_t q) {
  __m512h even[kCount], odd[kCount];
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) {
    even[v] = _mm512_castsi512_ph(first);
    odd[v] = _mm512_castsi512_ph(second);
  }
  int t = 0;
  for (; t + 1 < tile.length; t += 2) {
    add_half_products(tile, weights, t, q, even);
    add_half_products(tile, weights, t + 1, q, odd);
  }
  if (t < tile.length) add_half_products(tile, weights, t, q, even);
  const __m512i nan = _mm512_set1_epi16(0x7FFF);
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) {
    const __m512h sum = _mm512_add_ph(even[v], odd[v]);
    const __mmask32 is_nan = _mm512_cmp_ph_mask(sum, sum, _CMP_UNORD_Q);
    const __m512i bits = _mm512_mask_mov_epi16(_mm512_castph_si512(sum), is_nan, nan);
    _mm512_storeu_si512(tile.out + q + v * kHalves, bits);
  }
}

[[gnu::target("avx512fp16")]] void sum_in_vectors(const WindowTile<std::uint16_t>& tile,
                                                  const std::uint16_t* weights, std::uint16_t first,
                                                  std::uint16_t second) {
  const __m512i even = _mm512_set1_epi16(static_cast<short>(first));
  const __m512i odd = _mm512_set1_epi16(static_cast<short>(second));
  std::int64_t q = 0;
  for (; q + 3 * kHalves < tile.positions; q += 4 * kHalves)
    sum_half_block<4>(tile, weights, even, odd, q);
  for (; q + kHalves < tile.positions; q += 2 * kHalves)
    sum_half_block<2>(tile, weights, even, odd, q);
  if (q < tile.positions) sum_half_block<1>(tile, weights, even, odd, q);
}

[[gnu::target("avx512fp16")]] void max_in_vectors(const WindowTile<std::uint16_t>& tile) {
  for (std::int64_t q = 0; q < tile.positions; q += kHalves) {
    const std::uint16_t* in = tile.inputs + q;
    __m512h largest = _mm512_castsi512_ph(_mm512_set1_epi16(static_cast<short>(kLeast)));
    for (int t = 0; t < tile.length; ++t) {
      const __m512h next = _mm512_loadu_ph(in + tile.offsets[t]);
      const __mmask32 stays = _mm512_cmp_ph_mask(largest, next, _CMP_GT_OQ);
      largest = _mm512_mask_blend_ph(stays, next, largest);
    }
    _mm512_storeu_ph(tile.out + q, largest);
  }
}

}  // namespace

bool has_half_arithmetic() {
  static const bool has = ask_for_half_arithmetic();
  return has && may_use_every_instruction() && has_integer_quads();
}

void sum_half_windows(const WindowTile<std::uint16_t>& tile, const std::uint16_t* weights,
                      std::uint16_t first, std::uint16_t second) {
  sum_in_vectors(tile, weights, first, second);
}

void max_half_windows(const WindowTile<std::uint16_t>& tile) {
  max_in_vectors(tile);
}
#else
bool has_half_arithmetic() {
  return false;
}

void sum_half_windows(const WindowTile<std::uint16_t>&, const std::uint16_t*, std::uint16_t,
                      std::uint16_t) {
  throw InternalError("sums in fp16 on a processor without");
}

void max_half_windows(const WindowTile<std::uint16_t>&) {
  throw InternalError("maxima in fp16 on a processor without");
}
#endif

}  // namespace tensorlane

#undef TL_HALF_ARITHMETIC
