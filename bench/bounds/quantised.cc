// Bare loops of quantisation: numbers are scaled and rounded, in the shortest lanes that hold them
// for the multipliers, offsets and shifts of ops_bench, all of which are 1.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bounds.h"
#include "lanes.h"

namespace tensorlane::bench {
namespace {

// What the compiler does not know.
std::int16_t one() {
  static const volatile std::int16_t number = 1;
  return number;
}

// ---- bytes to 16 bits: lanes of 16 hold each step ----

using Shorts = Lanes<std::int16_t>;

template <class S>
[[gnu::always_inline]] inline Shorts widened(const S* from) {
#ifdef __AVX512F__
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return reinterpret_cast<Shorts>(std::is_signed_v<S> ? _mm512_cvtepi8_epi16(bytes)
                                                      : _mm512_cvtepu8_epi16(bytes));
#else
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return reinterpret_cast<Shorts>(std::is_signed_v<S> ? _mm256_cvtepi8_epi16(bytes)
                                                      : _mm256_cvtepu8_epi16(bytes));
#endif
}

// saturate((a - offset) * multiplier / 2), halves to even
template <class D>
struct ShortScale {
  Shorts multiplier = Shorts{} + one(), before = -multiplier * one();

  [[gnu::always_inline]] Shorts operator()(Shorts a) const {
    const Shorts product = a * multiplier + before;
    const Shorts half = (product + (product >> 1 & 1)) >> 1;
    if constexpr (std::is_signed_v<D>) return half;  // no byte leaves the type
    return half > 0 ? half : Shorts{};
  }
};

template <class D, class S>
void widen_and_scale(const Placed& placed) {
  const ShortScale<D> scale;
  for (const Run& run : placed.runs) {
    D* const dst = reinterpret_cast<D*>(run.at[0]);
    const S* const a = reinterpret_cast<const S*>(run.at[1]);
    for_each_vector<kLanesOf<std::int16_t>>(run.count, [&](std::int64_t i, std::int64_t left) {
      store_first(dst + i, scale(widened(a + i)), left);
    });
  }
}

// ---- 16 bits by fp32 ----

using Floats = Lanes<float>;
using Words = Lanes<std::int32_t>;

template <class S>
[[gnu::always_inline]] inline Floats floats_of(const S* from) {
#ifdef __AVX512F__
  const __m256i shorts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return _mm512_cvtepi32_ps(std::is_signed_v<S> ? _mm512_cvtepi16_epi32(shorts)
                                                : _mm512_cvtepu16_epi32(shorts));
#else
  const __m128i shorts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return _mm256_cvtepi32_ps(std::is_signed_v<S> ? _mm256_cvtepi16_epi32(shorts)
                                                : _mm256_cvtepu16_epi32(shorts));
#endif
}
// Rounded to even as they become words, saturated as these become shorter.
template <class D>
[[gnu::always_inline]] inline Shorts rounded(Floats low, Floats high) {
#ifdef __AVX512F__
  const auto shorts = [](Floats v) {
    const __m512i word = _mm512_cvtps_epi32(v);
    if constexpr (std::is_signed_v<D>) return _mm512_cvtsepi32_epi16(word);
    return _mm512_cvtusepi32_epi16(_mm512_max_epi32(word, _mm512_setzero_si512()));
  };
  return reinterpret_cast<Shorts>(
      _mm512_inserti64x4(_mm512_castsi256_si512(shorts(low)), shorts(high), 1));
#else
  const __m256i a = _mm256_cvtps_epi32(low), b = _mm256_cvtps_epi32(high);
  const __m256i packed = std::is_signed_v<D> ? _mm256_packs_epi32(a, b) : _mm256_packus_epi32(a, b);
  constexpr int kInOrder = 0xd8;
  return reinterpret_cast<Shorts>(_mm256_permute4x64_epi64(packed, kInOrder));
#endif
}

// saturate(round(a * scale + offset)), where what is beyond words goes to the ends of the type too.
template <class T>
void requantize_floats(const Placed& placed) {
  const float number = 1.5F * static_cast<float>(one());
  const Floats scale = Floats{} + number;
  constexpr float kMost = 0x1.fffffep30F;
  const Floats most = Floats{} + kMost;
  const auto scaled = [&](Floats x) {
    const Floats value = x * scale + scale;
    return value < most ? value : most;
  };
  for (const Run& run : placed.runs) {
    T* const dst = reinterpret_cast<T*>(run.at[0]);
    const T* const a = reinterpret_cast<const T*>(run.at[1]);
    for_each_vector<kLanesOf<T>>(run.count, [&](std::int64_t i, std::int64_t left) {
      const Floats low = scaled(floats_of(a + i)),
                   high = scaled(floats_of(a + i + kLanesOf<float>));
      store_first(dst + i, rounded<T>(low, high), left);
    });
  }
}

// Without the numbers of the channels, which are read once for each. Of rows that a vector fits in.
template <void (*loop)(const Placed&)>
std::function<void()> quantising_loop(const Command& command, Memories memory) {
  Command tensors = command;
  std::erase_if(tensors.operand_storage,
                [](const Operand& operand) { return operand.name() == "quant_addr"; });
  Placed placed = place(tensors, memory);
  if (!placed || !placed.dense()) return {};
  for (const Run& run : placed.runs) {
    if (run.count < kLanesOf<std::int16_t>) return {};
  }
  // NPU by NPU: lines of several are in the same sets of the caches.
  std::ranges::sort(placed.runs, {}, [](const Run& run) { return run.at[0]; });
  return [placed = std::move(placed)] { loop(placed); };
}

}  // namespace

const BoundList& quantised_bounds() {
  using s8 = std::int8_t;
  using u8 = std::uint8_t;
  using s16 = std::int16_t;
  using u16 = std::uint16_t;
  static const auto& list = *new BoundList{
      {"tpu_bdc_int_(pc_)?dequant", "uint8( int32)? -> uint16",
       "uint8 scaled and rounded to uint16", quantising_loop<widen_and_scale<u16, u8>>},
      {"tpu_bdc_int_(pc_)?dequant", "int8( int32)? -> int16", "int8 scaled and rounded to int16",
       quantising_loop<widen_and_scale<s16, s8>>},
      {"tpu_bdc_fp32_(pc_)?requant", "uint16( fp32 -> uint16)?",
       "uint16 scaled by fp32 and rounded", quantising_loop<requantize_floats<u16>>},
      {"tpu_bdc_fp32_(pc_)?requant", "int16( fp32 -> int16)?", "int16 scaled by fp32 and rounded",
       quantising_loop<requantize_floats<s16>>},
  };
  return list;
}

}  // namespace tensorlane::bench
