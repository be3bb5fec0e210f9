// Bare loops of depthwise convolutions of 16-bit floats: a band of padded rows is widened once,
// then every position of it takes its products in the chip's two chains, each product and each sum
// rounded to the type.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "bounds.h"

namespace tensorlane::bench {
namespace {

#ifdef __AVX512F__
using Floats = __m512;
using Halves = __m256i;
Floats load(const float* from) {
  return _mm512_loadu_ps(from);
}
void store(float* to, Floats v) {
  _mm512_storeu_ps(to, v);
}
Floats set(float v) {
  return _mm512_set1_ps(v);
}
Floats widen_fp16(Halves v) {
  return _mm512_cvtph_ps(v);
}
Halves narrow_fp16(Floats v) {
  return _mm512_cvtps_ph(v, 0);
}
Floats round_bf16(Floats v) {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
  return _mm512_castsi512_ps(_mm512_and_si512(sum, _mm512_set1_epi32(-0x10000)));
}
Floats widen_bf16(Halves v) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
}
Halves narrow_bf16(Floats v) {
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_castps_si512(v), 16));
}
Halves load_halves(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
// Of the first ones of a vector; zeros behind them.
Halves load_end(const std::byte* from, std::int64_t count) {
  return _mm256_maskz_loadu_epi16(static_cast<__mmask16>((1U << count) - 1), from);
}
void store_end(std::byte* to, Halves v, std::int64_t count) {
  _mm256_mask_storeu_epi16(to, static_cast<__mmask16>((1U << count) - 1), v);
}
#else
using Floats = __m256;
using Halves = __m128i;
Floats load(const float* from) {
  return _mm256_loadu_ps(from);
}
void store(float* to, Floats v) {
  _mm256_storeu_ps(to, v);
}
Floats set(float v) {
  return _mm256_set1_ps(v);
}
Floats widen_fp16(Halves v) {
  return _mm256_cvtph_ps(v);
}
Halves narrow_fp16(Floats v) {
  return _mm256_cvtps_ph(v, 0);
}
Floats round_bf16(Floats v) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
  return _mm256_castsi256_ps(_mm256_and_si256(sum, _mm256_set1_epi32(-0x10000)));
}
Floats widen_bf16(Halves v) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}
Halves narrow_bf16(Floats v) {
  const __m256i high = _mm256_srli_epi32(_mm256_castps_si256(v), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
}
Halves load_halves(const std::byte* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
// Of the first ones of a vector; zeros behind them.
Halves load_end(const std::byte* from, std::int64_t count) {
  alignas(16) static constexpr std::int16_t kUsed[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  const auto* const used = reinterpret_cast<const __m128i*>(kUsed + 8 - count);
  return _mm_and_si128(load_halves(from), _mm_loadu_si128(used));
}
// In pieces of 4, 2 and 1.
void store_end(std::byte* to, Halves v, std::int64_t count) {
  if ((count & 4) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), v);
    v = _mm_srli_si128(v, 8);
    to += 8;
  }
  if ((count & 2) != 0) {
    const int two = _mm_cvtsi128_si32(v);
    std::memcpy(to, &two, sizeof two);
    v = _mm_srli_si128(v, 4);
    to += 4;
  }
  if ((count & 1) == 0) return;
  const auto one = static_cast<std::int16_t>(_mm_cvtsi128_si32(v));
  std::memcpy(to, &one, sizeof one);
}
#endif
constexpr std::int64_t kLanes = sizeof(Floats) / sizeof(float);

struct Fp16 {
  static Floats widen(Halves v) { return widen_fp16(v); }
  static Halves narrow(Floats v) { return narrow_fp16(v); }
  static Floats round(Floats v) { return widen_fp16(narrow_fp16(v)); }
};
struct Bf16 {
  static Floats widen(Halves v) { return widen_bf16(v); }
  static Halves narrow(Floats v) { return narrow_bf16(v); }
  static Floats round(Floats v) { return round_bf16(v); }
};

constexpr std::int64_t kKernel = 3, kTerms = kKernel * kKernel;
constexpr std::int64_t kBandRows = 16;

// As many vectors of positions as hide how long a sum takes. What a chain begins with is a product,
// rounded already.
template <class Type, int kVectors>
void sum_positions(const float* plane, std::int64_t pitch, const float* weights, float* to) {
  Floats chains[2][kVectors];
#pragma GCC unroll 9
  for (int t = 0; t < kTerms; ++t) {
    const float* const from = plane + t / kKernel * pitch + t % kKernel;
    const Floats weight = set(weights[t]);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      Floats& chain = chains[t % 2][v];
      const Floats product = Type::round(load(from + v * kLanes) * weight);
      chain = t < 2 ? product + set(0) : Type::round(chain + product);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v)
    store(to + v * kLanes, Type::round(chains[0][v] + chains[1][v]));
}

// Where the rows of an image of a channel begin, and the channel's weights.
struct Image {
  const std::byte *from, *factors;
  std::byte* to;
};
struct Windows {
  std::vector<Image> images;
  std::int64_t h, w, from_next, to_next;  // bytes from row to row
};

template <class Type>
void run(const Windows& windows) {
  const std::int64_t h = windows.h, w = windows.w, pitch = w + kKernel - 1;
  constexpr int kSlack = 8 * kLanes;
  static thread_local std::vector<float> plane, sums;
  plane.assign(static_cast<std::size_t>((kBandRows + 2) * pitch + kSlack), 0.0F);
  sums.resize(static_cast<std::size_t>(kBandRows * pitch + kSlack));
  const std::int64_t whole = w / kLanes * kLanes;
  for (const Image& image : windows.images) {
    alignas(64) float weights[2 * kLanes];
    const std::int64_t first_part = std::min(kTerms, kLanes);
    store(weights, Type::widen(load_end(image.factors, first_part)));
    if (kLanes < kTerms)
      store(weights + kLanes,
            Type::widen(load_end(image.factors + 2 * kLanes, kTerms - first_part)));
    for (std::int64_t first = 0; first < h; first += kBandRows) {
      const std::int64_t rows = std::min(kBandRows, h - first);
      // What a row writes too much are zeros, where the next one comes after it.
      for (std::int64_t r = 0; r < rows + 2; ++r) {
        float* const to = plane.data() + r * pitch + 1;
        const std::int64_t row = first + r - 1;
        const std::byte* const from = image.from + row * windows.from_next;
        const bool outside = row < 0 || row >= h;
        for (std::int64_t i = 0; i < whole; i += kLanes)
          store(to + i, outside ? set(0) : Type::widen(load_halves(from + 2 * i)));
        store(to + whole, outside ? set(0) : Type::widen(load_end(from + 2 * whole, w - whole)));
      }
      const std::int64_t positions = rows * pitch;
      std::int64_t at = 0;
      for (; at + 3 * kLanes < positions; at += 4 * kLanes)
        sum_positions<Type, 4>(plane.data() + at, pitch, weights, sums.data() + at);
      for (; at < positions; at += kLanes)
        sum_positions<Type, 1>(plane.data() + at, pitch, weights, sums.data() + at);
      for (std::int64_t r = 0; r < rows; ++r) {
        std::byte* const to = image.to + (first + r) * windows.to_next;
        const float* const from = sums.data() + r * pitch;
        for (std::int64_t i = 0; i < whole; i += kLanes) {
          const Halves narrow = Type::narrow(load(from + i));
          std::memcpy(to + 2 * i, &narrow, sizeof narrow);
        }
        store_end(to + 2 * whole, Type::narrow(load(from + whole)), w - whole);
      }
    }
  }
}

// Of windows of 3 x 3 that move by one, around which a row and a column are padded.
std::function<void()> window_loop(const Command& command, Memories memory) {
  std::array<const Operand*, 3> operands{};  // the output, the input, the weights
  for (const Operand& operand : command.operands()) {
    if (operand.layout.rank() != 4) return {};
    const std::size_t first = operand.writes() ? 0 : 1;
    const auto place =
        std::find(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end(), nullptr);
    if (place != operands.end()) *place = &operand;
  }
  if (std::ranges::count(operands, nullptr) != 0) return {};
  const Layout &output = operands[0]->layout, &input = operands[1]->layout,
               &weight = operands[2]->layout;
  const auto as_input = [&](int d) { return output.extent(d) == input.extent(d); };
  if (!as_input(2) || !as_input(3) || weight.extent(2) * weight.extent(3) != kTerms) return {};
  const auto at = [&](std::size_t k, std::int64_t n, std::int64_t c, std::int64_t row) {
    return memory[static_cast<std::size_t>(operands[k]->space)] +
           operands[k]->layout.address(std::array<std::int64_t, 4>{n, c, row, 0});
  };
  Windows windows{{}, output.extent(2), output.extent(3), 0, 0};
  if (windows.h > 1) {
    windows.to_next = at(0, 0, 0, 1) - at(0, 0, 0, 0);
    windows.from_next = at(1, 0, 0, 1) - at(1, 0, 0, 0);
  }
  for (std::int64_t c = 0; c < output.extent(1); ++c) {
    for (std::int64_t n = 0; n < output.extent(0); ++n)
      windows.images.push_back({at(1, n, c, 0), at(2, 0, c, 0), at(0, n, c, 0)});
  }
  const bool is_fp16 = input.dtype() == Dtype::kFp16;
  return [is_fp16, windows = std::move(windows)] {
    is_fp16 ? run<Fp16>(windows) : run<Bf16>(windows);
  };
}

}  // namespace

const BoundList& window_bounds() {
  static const auto& list =
      *new BoundList{{"tpu_bdc_fp_(ins_)?depthwise.*", "(fp16|bf16).*",
                      "16-bit windows, products and sums rounded", window_loop}};
  return list;
}

}  // namespace tensorlane::bench
