// Bare loop of matrix products of 32-bit integers: columns of the right matrix are copied into a
// panel, every product has 64 bits, and sums are shifted with rounding and saturate.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "bounds.h"

namespace tensorlane::bench {
namespace {

#ifdef __AVX512F__
using Vector = __m512i;
Vector load(const void* from) {
  return _mm512_loadu_si512(from);
}
void store(void* to, Vector v) {
  _mm512_storeu_si512(to, v);
}
Vector set(std::int64_t v) {
  return _mm512_set1_epi64(v);
}
Vector add(Vector a, Vector b) {
  return _mm512_add_epi64(a, b);
}
Vector odd(Vector v) {
  return _mm512_srli_epi64(v, 32);
}
template <bool kSigned>
Vector product(Vector a, Vector b) {
  return kSigned ? _mm512_mul_epi32(a, b) : _mm512_mul_epu32(a, b);
}
constexpr int kVectors = 2;
#else
using Vector = __m256i;
Vector load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
void store(void* to, Vector v) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), v);
}
Vector set(std::int64_t v) {
  return _mm256_set1_epi64x(v);
}
Vector add(Vector a, Vector b) {
  return _mm256_add_epi64(a, b);
}
Vector odd(Vector v) {
  return _mm256_srli_epi64(v, 32);
}
template <bool kSigned>
Vector product(Vector a, Vector b) {
  return kSigned ? _mm256_mul_epi32(a, b) : _mm256_mul_epu32(a, b);
}
constexpr int kVectors = 1;
#endif
constexpr int kWords = sizeof(Vector) / 4, kSums = sizeof(Vector) / 8;
constexpr int kRows = 4, kPanel = 128;

struct Matrix {
  const Layout* layout = nullptr;
  std::byte* base = nullptr;

  std::int64_t rows() const { return layout->extent(0); }
  std::int64_t columns() const { return layout->extent(1); }
  std::byte* at(std::int64_t row, std::int64_t column) const {
    return base + layout->address(std::array<std::int64_t, 2>{row, column});
  }
  // visit(column, count, where the first lies) for parts of a row that lie together.
  template <class Visit>
  void for_each_part(std::int64_t row, std::int64_t first, std::int64_t count,
                     const Visit& visit) const {
    const std::int64_t together = layout->digits(1).front().extent;
    for (std::int64_t column = first; column < first + count;) {
      const std::int64_t part = std::min(together - column % together, first + count - column);
      visit(column, part, at(row, column));
      column += part;
    }
  }
};

// Sums of even and of odd columns, side by side: [row][kPanel].
template <bool kSigned>
void multiply(const std::int64_t* left, std::int64_t inner, const std::int32_t* panel,
              std::int64_t* sums) {
  constexpr int kStrip = kVectors * kWords;
  for (int first = 0; first < kPanel; first += kStrip) {
    Vector even[kRows][kVectors], odds[kRows][kVectors];
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) even[r][v] = odds[r][v] = set(0);
    for (std::int64_t k = 0; k < inner; ++k) {
      Vector low[kVectors], high[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        low[v] = load(panel + k * kPanel + first + v * kWords);
        high[v] = odd(low[v]);
      }
      for (int r = 0; r < kRows; ++r) {
        const Vector factor = set(left[r * inner + k]);
        for (int v = 0; v < kVectors; ++v) {
          even[r][v] = add(even[r][v], product<kSigned>(factor, low[v]));
          odds[r][v] = add(odds[r][v], product<kSigned>(factor, high[v]));
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        std::int64_t* const to = sums + r * kPanel + first + v * kWords;
        store(to, even[r][v]);
        store(to + kSums, odds[r][v]);
      }
    }
  }
}

// Every column by one place to the right, rounded, to the nearest number of the type.
template <class Word>
void finish(const std::int64_t* sums, Word* to) {
  using Wide = std::conditional_t<std::is_signed_v<Word>, std::int64_t, std::uint64_t>;
  constexpr Wide kLeast = std::numeric_limits<Word>::min(),
                 kMost = std::numeric_limits<Word>::max();
  for (int first = 0; first < kPanel; first += kWords) {
    for (int i = 0; i < kSums; ++i) {
      for (int half = 0; half < 2; ++half) {
        const Wide sum = static_cast<Wide>(sums[first + half * kSums + i]);
        to[first + 2 * i + half] =
            static_cast<Word>(std::clamp(static_cast<Wide>((sum >> 1) + (sum & 1)), kLeast, kMost));
      }
    }
  }
}

template <class Word>
void run(const Matrix& output, const Matrix& left, const Matrix& right) {
  const std::int64_t inner = right.rows(), rows = output.rows(), columns = output.columns();
  static thread_local std::vector<std::int64_t> factors;
  static thread_local std::vector<std::int32_t> panel;
  factors.assign(static_cast<std::size_t>((rows + kRows) * inner), 0);
  panel.assign(static_cast<std::size_t>(inner * kPanel), 0);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t k = 0; k < inner; ++k) {
      Word word = 3;
      if (left.layout != nullptr) std::memcpy(&word, left.at(r, k), sizeof word);
      factors[static_cast<std::size_t>(r * inner + k)] = word;
    }
  }
  alignas(64) std::int64_t sums[kRows * kPanel];
  alignas(64) Word words[kPanel];
  for (std::int64_t first = 0; first < columns; first += kPanel) {
    const std::int64_t count = std::min<std::int64_t>(kPanel, columns - first);
    for (std::int64_t k = 0; k < inner; ++k) {
      std::int32_t* const to = panel.data() + k * kPanel;
      right.for_each_part(k, first, count, [&](auto column, auto part, const std::byte* from) {
        std::memcpy(to + (column - first), from, static_cast<std::size_t>(4 * part));
      });
    }
    for (std::int64_t row = 0; row < rows; row += kRows) {
      multiply<std::is_signed_v<Word>>(factors.data() + row * inner, inner, panel.data(), sums);
      for (std::int64_t r = row; r < std::min(rows, row + kRows); ++r) {
        finish(sums + (r - row) * kPanel, words);
        output.for_each_part(r, first, count, [&](auto column, auto part, std::byte* to) {
          std::memcpy(to, words + (column - first), static_cast<std::size_t>(4 * part));
        });
      }
    }
  }
}

// A left matrix that is a constant, or lies transposed, is the same work.
std::function<void()> wide_product(const Command& command, Memories memory) {
  Matrix output, left, right;
  for (const Operand& operand : command.operands()) {
    const Matrix matrix{&operand.layout, memory[static_cast<std::size_t>(operand.space)]};
    if (operand.layout.rank() != 2) return {};
    if (operand.writes()) {
      output = matrix;
    } else if (right.layout == nullptr && output.layout != nullptr &&
               matrix.columns() == output.columns()) {
      right = matrix;
    } else if (left.layout == nullptr && operand.layout.dtype() != Dtype::kInt8) {
      left = matrix;
    }
  }
  if (right.layout == nullptr) return {};
  const bool is_signed = output.layout->dtype() == Dtype::kInt32;
  return [=] {
    is_signed ? run<std::int32_t>(output, left, right) : run<std::uint32_t>(output, left, right);
  };
}

}  // namespace

const BoundList& wide_product_bounds() {
  static const auto& list = *new BoundList{
      {"tpu_bdc_int(_pcs)?_mm.*", "(uint32|int32)( (uint32|int32))?( int8)?( -> u?int32)?",
       "32-bit products of 64 bits", wide_product}};
  return list;
}

}  // namespace tensorlane::bench
