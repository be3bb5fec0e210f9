// Plain loops over dense arrays, vectorised by the compiler for the machine at hand: what functions
// are compared with that no library has.
#ifndef TENSORLANE_BENCH_OPS_LOOPS_H_
#define TENSORLANE_BENCH_OPS_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane::bench {

// Arrays of a loop. `count` results of `out`, sources of `in`; `b` and `c` may be null: then a
// constant takes the place of b, and c is not there. `second` takes the other result of "select
// two".
struct LoopArrays {
  void *dst, *second;
  const void *a, *b, *c, *d;
  std::int64_t count;
};
using Loop = std::function<void(const LoopArrays&)>;

// dst[i] = a[i] op b[i], computed in the type of the sources (of integers in 32 bits) and brought
// to that of the results: "add", "sub", "mul", "div", "max", "and", "shift", "greater", "mac",
// "abs", "convert", "requant", "select", "select two" (and the larger of both), "hsigmoid",
// "hswish"; or dst[i] *= a[i], of integers the low bits: "mul in place". Empty for other names.
Loop elementwise_loop(std::string_view operation, Dtype out, Dtype in);

// dst[i] = f(a[i]) by the C library's function of fp32: "exp", "log", "sin", "sqrt", ... Empty for
// others.
Loop library_loop(std::string_view function, Dtype type);

// Writes `bytes` bytes to each place of dst: those of src again and again, or further ones of it
// each time where `goes_on`.
void spread_loop(std::byte* dst, std::span<const std::int64_t> places, const std::byte* src,
                 std::size_t bytes, bool goes_on);
void fill_loop(void* dst, std::int64_t count, int bytes);
// dst[j * rows + i] = src[i * columns + j], in blocks.
void transpose_loop(void* dst, const void* src, std::int64_t rows, std::int64_t columns, int bytes);
// What a gather or a scatter moves: `indices` lines of `line` elements of `bytes` bytes, `rows`
// times, each time between the next `indices` and the next `others` lines.
struct IndexedMove {
  const std::uint32_t* index;
  std::int64_t rows, indices, others, line;
  int bytes;
};
// Of every row dst[i] = src[index[i]], and dst[index[i]] = src[i].
void gather_loop(void* dst, const void* src, const IndexedMove& move);
void scatter_loop(void* dst, const void* src, const IndexedMove& move);
// The elements of src whose mask is not 0, one after the other; how many.
std::int64_t select_loop(void* dst, const void* src, const std::uint8_t* mask, std::int64_t count,
                         int bytes);
// Each row backwards.
void reverse_loop(void* dst, const void* src, std::int64_t rows, std::int64_t columns, int bytes);
// dst[i * columns + j] = a[i] + b[j], or a[i] / b[j].
void outer_loop(void* dst, const void* a, const void* b, std::int64_t rows, std::int64_t columns,
                Dtype type, bool divides);
// `keep` times the largest score, by whose row of factors the others are multiplied.
void suppress_loop(float* scores, const float* factors, std::int64_t boxes, std::int64_t keep);
// dst[i] = the sum of terms[k] * src[i] ^ k, of floats of one type.
void polynomial_loop(void* dst, const void* src, std::int64_t count, const void* terms,
                     std::int64_t number, Dtype type);
// The sum of each row.
void row_sum_loop(float* dst, const void* src, std::int64_t rows, std::int64_t columns, Dtype in);

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_OPS_LOOPS_H_
