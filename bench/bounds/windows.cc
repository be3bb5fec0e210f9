// Bare loops of depthwise convolutions of 16-bit floats: a band of padded rows is widened once,
// then every position of it takes its products in the chip's two chains, each product and each sum
// rounded to the type.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

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
#endif
constexpr int kLanes = sizeof(Floats) / sizeof(float);

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

constexpr int kKernel = 3, kTerms = kKernel * kKernel;
constexpr std::int64_t kBandRows = 16;

// As many vectors of positions as hide how long a sum takes.
template <class Type, int kVectors>
void sum_positions(const float* plane, std::int64_t pitch, const float* weights, float* to) {
  Floats chains[2][kVectors];
  for (auto& chain : chains) std::fill_n(chain, kVectors, set(0));
#pragma GCC unroll 9
  for (int t = 0; t < kTerms; ++t) {
    const float* const from = plane + t / kKernel * pitch + t % kKernel;
    const Floats weight = set(weights[t]);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      Floats& chain = chains[t % 2][v];
      chain = Type::round(chain + Type::round(load(from + v * kLanes) * weight));
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v)
    store(to + v * kLanes, Type::round(chains[0][v] + chains[1][v]));
}

struct Window {
  const Layout *output, *input, *weight;
  std::byte *to, *from, *factors;  // where the memories of the operands begin
};

template <class Type>
void run(const Window& window) {
  const Layout &output = *window.output, &input = *window.input;
  const std::int64_t images = output.extent(0), channels = output.extent(1), h = output.extent(2),
                     w = output.extent(3), pitch = w + kKernel - 1;
  constexpr int kSlack = 8 * kLanes;
  static thread_local std::vector<float> plane, sums;
  plane.assign(static_cast<std::size_t>((kBandRows + 2) * pitch + kSlack), 0.0F);
  sums.resize(static_cast<std::size_t>(kBandRows * pitch + kSlack));
  std::array<std::byte, 2 * kLanes> last{};
  const auto row_of = [](std::byte* base, const Layout& layout, std::int64_t n, std::int64_t c,
                         std::int64_t row) {
    return base + layout.address(std::array<std::int64_t, 4>{n, c, row, 0});
  };
  for (std::int64_t c = 0; c < channels; ++c) {
    std::array<float, kTerms + kLanes> weights{};
    std::array<std::byte, 4 * kLanes> halves{};
    std::memcpy(halves.data(), row_of(window.factors, *window.weight, 0, c, 0), 2 * kTerms);
    store(weights.data(), Type::widen(load_halves(halves.data())));
    if (kLanes < kTerms)
      store(weights.data() + kLanes, Type::widen(load_halves(halves.data() + 2 * kLanes)));
    for (std::int64_t n = 0; n < images; ++n) {
      for (std::int64_t first = 0; first < h; first += kBandRows) {
        const std::int64_t rows = std::min(kBandRows, h - first);
        for (std::int64_t r = 0; r < rows + 2; ++r) {
          float* const to = plane.data() + r * pitch + 1;
          const std::int64_t row = first + r - 1;
          if (row < 0 || row >= h) {
            std::fill_n(to, w, 0.0F);
            continue;
          }
          const std::byte* const from = row_of(window.from, input, n, c, row);
          std::int64_t i = 0;
          for (; i + kLanes <= w; i += kLanes)
            store(to + i, Type::widen(load_halves(from + 2 * i)));
          if (i == w) continue;
          alignas(64) float rest[kLanes];
          store(rest, Type::widen(load_halves(from + 2 * i)));
          std::copy_n(rest, w - i, to + i);
        }
        const std::int64_t positions = rows * pitch;
        std::int64_t at = 0;
        for (; at + 3 * kLanes < positions; at += 4 * kLanes)
          sum_positions<Type, 4>(plane.data() + at, pitch, weights.data(), sums.data() + at);
        for (; at < positions; at += kLanes)
          sum_positions<Type, 1>(plane.data() + at, pitch, weights.data(), sums.data() + at);
        for (std::int64_t r = 0; r < rows; ++r) {
          std::byte* const to = row_of(window.to, output, n, c, first + r);
          const float* const from = sums.data() + r * pitch;
          std::int64_t i = 0;
          for (; i + kLanes <= w; i += kLanes) {
            const Halves narrow = Type::narrow(load(from + i));
            std::memcpy(to + 2 * i, &narrow, sizeof narrow);
          }
          const Halves narrow = Type::narrow(load(from + i));
          std::memcpy(last.data(), &narrow, sizeof narrow);
          std::memcpy(to + 2 * i, last.data(), static_cast<std::size_t>(2 * (w - i)));
        }
      }
    }
  }
}

// Of windows of 3 x 3 that move by one, around which a row and a column are padded.
std::function<void()> window_loop(const Command& command, Memories memory) {
  Window window{};
  for (const Operand& operand : command.operands()) {
    if (operand.layout.rank() != 4) return {};
    std::byte* const base = memory[static_cast<std::size_t>(operand.space)];
    if (operand.writes()) {
      window.output = &operand.layout;
      window.to = base;
    } else if (window.input == nullptr) {
      window.input = &operand.layout;
      window.from = base;
    } else if (window.weight == nullptr) {
      window.weight = &operand.layout;
      window.factors = base;
    }
  }
  if (window.output == nullptr || window.input == nullptr || window.weight == nullptr) return {};
  const auto as_input = [&](int d) { return window.output->extent(d) == window.input->extent(d); };
  if (!as_input(2) || !as_input(3) || window.weight->extent(2) * window.weight->extent(3) != kTerms)
    return {};
  const bool is_fp16 = window.input->dtype() == Dtype::kFp16;
  return [=] { is_fp16 ? run<Fp16>(window) : run<Bf16>(window); };
}

}  // namespace

const BoundList& window_bounds() {
  static const auto& list =
      *new BoundList{{"tpu_bdc_fp_(ins_)?depthwise.*", "(fp16|bf16).*",
                      "16-bit windows, products and sums rounded", window_loop}};
  return list;
}

}  // namespace tensorlane::bench
