// Bare loop of matrix products of 32-bit integers: columns of the right matrix are copied into a
// panel, every product has 64 bits, and sums are shifted with rounding, all alike or each column by
// its own number, and saturate.
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
constexpr int kVectors = 1, kRows = 8;  // 16 sums in 32 registers
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
constexpr int kVectors = 1, kRows = 4;
#endif
constexpr int kWords = sizeof(Vector) / 4, kSums = sizeof(Vector) / 8;
constexpr int kPanel = 128;

// Where the elements of a row lie, worked out once: parts of as many columns in each NPU.
struct Matrix {
  const Layout* layout = nullptr;
  std::byte* base = nullptr;
  std::int64_t row_bytes = 0;
  std::int64_t together = 1;      // columns of a part
  std::vector<std::byte*> parts;  // of row 0

  Matrix() = default;
  Matrix(const Layout& of, std::byte* memory) : layout(&of), base(memory) {
    together = of.digits(1).front().extent;
    const auto at = [&](std::int64_t row, std::int64_t column) {
      return base + of.address(std::array<std::int64_t, 2>{row, column});
    };
    if (rows() > 1) row_bytes = at(1, 0) - at(0, 0);
    for (std::int64_t column = 0; column < columns(); column += together)
      parts.push_back(at(0, column));
  }
  std::int64_t rows() const { return layout->extent(0); }
  std::int64_t columns() const { return layout->extent(1); }
  // visit(column, count, where the first lies) for parts of a row that lie together.
  template <class Visit>
  void for_each_part(std::int64_t row, std::int64_t first, std::int64_t count,
                     const Visit& visit) const {
    const std::int64_t bytes = dtype_bits(layout->dtype()) / 8;
    auto part = parts.begin() + first / together;
    std::int64_t inside = first % together;
    for (std::int64_t column = first; column < first + count; ++part, inside = 0) {
      const std::int64_t columns = std::min(together - inside, first + count - column);
      visit(column, columns, *part + row * row_bytes + inside * bytes);
      column += columns;
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

// Columns by `places` to the right, rounded, to the nearest number of the type. The sums of a
// vector's even columns come before those of its odd ones, as `places` do.
template <class Word, class Places>
void finish(const std::int64_t* sums, const Places& places, Word* to) {
  using Wide = std::conditional_t<std::is_signed_v<Word>, std::int64_t, std::uint64_t>;
  constexpr Wide kLeast = std::numeric_limits<Word>::min(),
                 kMost = std::numeric_limits<Word>::max();
  for (int first = 0; first < kPanel; first += kWords) {
    for (int i = 0; i < kSums; ++i) {
      for (int half = 0; half < 2; ++half) {
        const int at = first + half * kSums + i;
        const Wide sum = static_cast<Wide>(sums[at]);
        const auto shift = places(at);
        const Wide up = (sum >> (shift - 1)) & 1;
        to[first + 2 * i + half] =
            static_cast<Word>(std::clamp(static_cast<Wide>((sum >> shift) + up), kLeast, kMost));
      }
    }
  }
}

template <class Word>
void run(const Matrix& output, const Matrix& left, const Matrix& right, const Matrix& shifts) {
  const std::int64_t inner = right.rows(), rows = output.rows(), columns = output.columns();
  static thread_local std::vector<std::int64_t> factors;
  static thread_local std::vector<std::int32_t> panel;
  factors.assign(static_cast<std::size_t>((rows + kRows) * inner), 0);
  panel.assign(static_cast<std::size_t>(inner * kPanel), 0);
  if (left.layout == nullptr) {
    std::ranges::fill(factors, 3);
  } else {
    // NPU by NPU, where rows follow each other. Of a transposed matrix it is as many elements.
    for (std::int64_t k = 0; k < inner; k += left.together) {
      const std::byte* from = left.parts[static_cast<std::size_t>(k / left.together)];
      for (std::int64_t r = 0; r < rows; ++r, from += left.row_bytes) {
        for (std::int64_t i = 0; i < std::min(left.together, inner - k); ++i) {
          Word word;
          std::memcpy(&word, from + i * std::int64_t{sizeof word}, sizeof word);
          factors[static_cast<std::size_t>(r * inner + k + i)] = word;
        }
      }
    }
  }
  alignas(64) std::int64_t sums[kRows * kPanel];
  alignas(64) std::int64_t places[kPanel] = {};
  alignas(64) Word words[kPanel];
  for (std::int64_t first = 0; first < columns; first += kPanel) {
    const std::int64_t count = std::min<std::int64_t>(kPanel, columns - first);
    for (std::int64_t k = 0; k < inner; ++k) {
      std::int32_t* const to = panel.data() + k * kPanel;
      right.for_each_part(k, first, count, [&](auto column, auto part, const std::byte* from) {
        std::memcpy(to + (column - first), from, static_cast<std::size_t>(4 * part));
      });
    }
    if (shifts.layout != nullptr) {
      shifts.for_each_part(0, first, count, [&](auto column, auto part, const std::byte* from) {
        for (std::int64_t i = 0; i < part; ++i) {
          const std::int64_t at = column - first + i, vector = at / kWords * kWords;
          const auto shift = static_cast<std::int8_t>(from[i]);
          places[vector + at % 2 * kSums + at % kWords / 2] = std::clamp(-shift, 1, 63);
        }
      });
    }
    for (std::int64_t row = 0; row < rows; row += kRows) {
      multiply<std::is_signed_v<Word>>(factors.data() + row * inner, inner, panel.data(), sums);
      for (std::int64_t r = row; r < std::min(rows, row + kRows); ++r) {
        const std::int64_t* const of_row = sums + (r - row) * kPanel;
        if (shifts.layout == nullptr) {
          finish(
              of_row, [](int) { return 1; }, words);
        } else {
          finish(
              of_row, [&](int at) { return places[at]; }, words);
        }
        output.for_each_part(r, first, count, [&](auto column, auto part, std::byte* to) {
          std::memcpy(to, words + (column - first), static_cast<std::size_t>(4 * part));
        });
      }
    }
  }
}

// A left matrix that is a constant, or lies transposed, is the same work.
std::function<void()> wide_product(const Command& command, Memories memory) {
  Matrix output, left, right, shifts;
  for (const Operand& operand : command.operands()) {
    if (operand.layout.rank() != 2) return {};
    const Matrix matrix(operand.layout, memory[static_cast<std::size_t>(operand.space)]);
    if (operand.writes()) {
      output = matrix;
    } else if (operand.layout.dtype() == Dtype::kInt8) {
      shifts = matrix;
    } else if (right.layout == nullptr && output.layout != nullptr &&
               matrix.columns() == output.columns()) {
      right = matrix;
    } else if (left.layout == nullptr) {
      left = matrix;
    }
  }
  if (right.layout == nullptr) return {};
  // The loop takes the left matrix as it would lie without being transposed: as many elements.
  if (left.layout != nullptr && left.columns() != right.rows() && left.rows() != right.rows())
    return {};
  const bool is_signed = output.layout->dtype() == Dtype::kInt32;
  return [=] {
    is_signed ? run<std::int32_t>(output, left, right, shifts)
              : run<std::uint32_t>(output, left, right, shifts);
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
