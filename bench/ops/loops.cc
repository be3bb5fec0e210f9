#include "loops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tensorlane::bench {
namespace {

struct Bf16 {
  std::uint16_t bits;
  Bf16() = default;
  explicit Bf16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    bits = static_cast<std::uint16_t>((word + 0x7fffU + (word >> 16U & 1U)) >> 16U);
  }
  operator float() const {  // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
};
using Fp16 = _Float16;

// Calls f with a value of the type.
template <class F>
auto with_type(Dtype dtype, F f) {
  switch (dtype) {
    case Dtype::kFp16:
      return f(Fp16{});
    case Dtype::kBf16:
      return f(Bf16{});
    case Dtype::kFp32:
      return f(float{});
    case Dtype::kInt8:
      return f(std::int8_t{});
    case Dtype::kUint8:
    case Dtype::kX8:
    case Dtype::kFp8E4M3:  // no processor computes with these
    case Dtype::kFp8E5M2:
      return f(std::uint8_t{});
    case Dtype::kInt16:
      return f(std::int16_t{});
    case Dtype::kUint16:
    case Dtype::kX16:
      return f(std::uint16_t{});
    case Dtype::kInt32:
      return f(std::int32_t{});
    default:
      return f(std::uint32_t{});
  }
}

// What a type is computed in.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Bf16>, float,
                                std::conditional_t<std::is_integral_v<T>, std::int32_t, T>>;

template <class D, class W>
D narrow(W value) {
  if constexpr (std::is_integral_v<D> && sizeof(D) < 4 && std::is_integral_v<W>) {
    return static_cast<D>(std::clamp<std::int32_t>(value, std::numeric_limits<D>::min(),
                                                   std::numeric_limits<D>::max()));
  } else if constexpr (std::is_integral_v<D> && !std::is_integral_v<W>) {
    return static_cast<D>(static_cast<std::int32_t>(static_cast<float>(value)));
  } else if constexpr (std::is_same_v<D, Bf16>) {
    return Bf16(static_cast<float>(value));
  } else {
    return static_cast<D>(value);
  }
}

template <class D, class S, class F>
void binary(const LoopArrays& x, F f) {
  using W = Wide<S>;
  D* __restrict dst = static_cast<D*>(x.dst);
  const S* a = static_cast<const S*>(x.a);
  if (x.b == nullptr) {
    const W constant = static_cast<W>(3);
    for (std::int64_t i = 0; i < x.count; ++i)
      dst[i] = narrow<D>(f(static_cast<W>(a[i]), constant));
  } else {
    const S* b = static_cast<const S*>(x.b);
    for (std::int64_t i = 0; i < x.count; ++i)
      dst[i] = narrow<D>(f(static_cast<W>(a[i]), static_cast<W>(b[i])));
  }
}

template <class D, class S>
void accumulate(const LoopArrays& x) {
  using W = Wide<S>;
  D* dst = static_cast<D*>(x.dst);
  const S* a = static_cast<const S*>(x.a);
  const S* b = static_cast<const S*>(x.b);
  for (std::int64_t i = 0; i < x.count; ++i) {
    const W factor = b == nullptr ? static_cast<W>(3) : static_cast<W>(b[i]);
    dst[i] = narrow<D>(static_cast<Wide<D>>(dst[i]) +
                       static_cast<Wide<D>>(static_cast<W>(a[i]) * factor));
  }
}

template <class T>
void multiply(const LoopArrays& x) {
  T* __restrict dst = static_cast<T*>(x.dst);
  const T* a = static_cast<const T*>(x.a);
  const std::int64_t count = x.count;  // bytes might be those of x
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      dst[i] =
          static_cast<T>(static_cast<std::uint32_t>(dst[i]) * static_cast<std::uint32_t>(a[i]));
    } else {
      dst[i] = narrow<T>(static_cast<Wide<T>>(dst[i]) * static_cast<Wide<T>>(a[i]));
    }
  }
}

template <class D, class S>
void pick(const LoopArrays& x) {
  using W = Wide<S>;
  D* __restrict dst = static_cast<D*>(x.dst);
  const S* a = static_cast<const S*>(x.a);
  const S* b = static_cast<const S*>(x.b);
  const D* c = static_cast<const D*>(x.c);
  const D* d = static_cast<const D*>(x.d);
  for (std::int64_t i = 0; i < x.count; ++i)
    dst[i] = static_cast<W>(a[i]) > static_cast<W>(b[i]) ? c[i] : d[i];
}

template <class T>
void pick_two(const LoopArrays& x) {
  using W = Wide<T>;
  T* __restrict dst = static_cast<T*>(x.dst);
  T* __restrict larger = static_cast<T*>(x.second);
  const T* a = static_cast<const T*>(x.a);
  const T* b = static_cast<const T*>(x.b);
  const T* c = static_cast<const T*>(x.c);
  const T* d = static_cast<const T*>(x.d);
  for (std::int64_t i = 0; i < x.count; ++i) {
    const bool first = static_cast<W>(a[i]) > static_cast<W>(b[i]);
    larger[i] = first ? a[i] : b[i];
    dst[i] = first ? c[i] : d[i];
  }
}

template <class W>
W limited(W value, W most) {
  return value < W(0) ? W(0) : value > most ? most : value;
}

// Brings src * 3 >> 2 to the type of the results, as a quantisation does.
template <class D, class S>
void rescale(const LoopArrays& x) {
  D* __restrict dst = static_cast<D*>(x.dst);
  const S* a = static_cast<const S*>(x.a);
  for (std::int64_t i = 0; i < x.count; ++i) {
    if constexpr (std::is_integral_v<D> && std::is_integral_v<S>) {
      const std::int64_t product = static_cast<std::int64_t>(a[i]) * 3;
      dst[i] = narrow<D>(static_cast<std::int32_t>((product + 2) >> 2));
    } else {
      dst[i] = narrow<D>(static_cast<float>(a[i]) * 1.5F + 1.0F);
    }
  }
}

template <class D, class S>
Loop typed_loop(std::string_view op) {
  const auto of = [](auto f) { return [f](const LoopArrays& x) { binary<D, S>(x, f); }; };
  if (op == "convert") return of([](auto a, auto) { return a; });
  if (op == "requant") return rescale<D, S>;
  if (op == "select") return pick<D, S>;  // results may be bits of another name
  if (op == "greater")
    return of([](auto a, auto b) { return static_cast<std::int32_t>(a > b ? 1 : 0); });
  // No function adds integers and stores floats, or the other way round.
  if constexpr (std::is_same_v<D, S> || (std::is_integral_v<D> && std::is_integral_v<S>)) {
    if (op == "add") return of([](auto a, auto b) { return a + b; });
    if (op == "sub") return of([](auto a, auto b) { return a - b; });
    if (op == "mul") return of([](auto a, auto b) { return a * b; });
    if (op == "mac") return accumulate<D, S>;
    if constexpr (std::is_integral_v<S>) {
      if (op == "shift")
        return of([](auto a, auto b) { return b > 0 ? a << (b & 31) : a >> (-b & 31); });
    }
  }
  if constexpr (std::is_same_v<D, S>) {
    if (op == "max") return of([](auto a, auto b) { return a > b ? a : b; });
    if (op == "abs")
      return of([](auto a, auto) { return a < decltype(a)(0) ? decltype(a)(-a) : a; });
    if (op == "select two") return pick_two<D>;
    if (op == "mul in place") return multiply<D>;
    if constexpr (std::is_integral_v<S>) {
      if (op == "and") return of([](auto a, auto b) { return a & b; });
    } else {
      if (op == "div") return of([](auto a, auto b) { return a / b; });
      if (op == "hsigmoid")
        return of([](auto a, auto b) {
          using W = decltype(a);
          return limited<W>(a * b + W(0.5F), W(1));
        });
      if (op == "hswish")
        return of([](auto a, auto b) {
          using W = decltype(a);
          return W(a * limited<W>(a + b, W(6)) * W(1 / 6.0F));
        });
    }
  }
  return {};
}

template <class T, class F>
Loop library(F f) {
  return [f](const LoopArrays& x) {
    T* dst = static_cast<T*>(x.dst);
    const T* a = static_cast<const T*>(x.a);
    for (std::int64_t i = 0; i < x.count; ++i) dst[i] = narrow<T>(f(static_cast<float>(a[i])));
  };
}

using LibraryFunction = float (*)(float);
float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}
float power(float x) {
  return std::pow(x, 1.5F);
}
float gelu(float x) {
  return x / 2 * (1 + std::erf(x));
}
struct Named {
  std::string_view name;
  LibraryFunction function;
};
constexpr Named kLibrary[] = {
    {"exp", std::exp},   {"expm1", std::expm1}, {"log", std::log},     {"log1p", std::log1p},
    {"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
    {"acos", std::acos}, {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh},
    {"sinh", std::sinh}, {"cosh", std::cosh},   {"tanh", std::tanh},   {"erf", std::erf},
    {"erfc", std::erfc}, {"pow", power},        {"sigmoid", sigmoid},  {"gelu", gelu}};

template <class F>
void with_width(int bytes, F f) {
  if (bytes == 1) return f(std::uint8_t{});
  if (bytes == 2) return f(std::uint16_t{});
  f(std::uint32_t{});
}

}  // namespace

Loop elementwise_loop(std::string_view operation, Dtype out, Dtype in) {
  return with_type(out, [&](auto d) {
    return with_type(in, [&](auto s) { return typed_loop<decltype(d), decltype(s)>(operation); });
  });
}

Loop library_loop(std::string_view function, Dtype type) {
  const bool root = function == "sqrt", inverse = function == "rsqrt";
  return with_type(type, [&](auto t) -> Loop {
    using T = decltype(t);
    if (root) return library<T>([](float x) { return __builtin_sqrtf(x); });
    if (inverse) return library<T>([](float x) { return 1 / __builtin_sqrtf(x); });
    for (const Named& each : kLibrary) {
      if (each.name == function) return library<T>(each.function);
    }
    return {};
  });
}

void spread_loop(std::byte* dst, std::span<const std::int64_t> places, const std::byte* src,
                 std::size_t bytes, bool goes_on) {
  if (bytes > 4) {
    for (const std::int64_t place : places) {
      std::memcpy(dst + place, src, bytes);
      src += goes_on ? bytes : 0;
    }
    return;
  }
  with_width(static_cast<int>(bytes), [&](auto t) {
    for (const std::int64_t place : places) {
      std::memcpy(dst + place, src, sizeof t);
      src += goes_on ? sizeof t : 0;
    }
  });
}

void fill_loop(void* dst, std::int64_t count, int bytes) {
  with_width(bytes, [&](auto t) {
    using T = decltype(t);
    std::fill_n(static_cast<T*>(dst), count, static_cast<T>(3));
  });
}

void transpose_loop(void* dst, const void* src, std::int64_t rows, std::int64_t columns,
                    int bytes) {
  constexpr std::int64_t kBlock = 16;
  with_width(bytes, [&](auto t) {
    using T = decltype(t);
    T* __restrict to = static_cast<T*>(dst);
    const T* from = static_cast<const T*>(src);
    for (std::int64_t i0 = 0; i0 < rows; i0 += kBlock) {
      for (std::int64_t j0 = 0; j0 < columns; j0 += kBlock) {
        const std::int64_t i1 = std::min(rows, i0 + kBlock), j1 = std::min(columns, j0 + kBlock);
        for (std::int64_t j = j0; j < j1; ++j) {
          for (std::int64_t i = i0; i < i1; ++i) to[j * rows + i] = from[i * columns + j];
        }
      }
    }
  });
}

void gather_loop(void* dst, const void* src, const IndexedMove& move) {
  with_width(move.bytes, [&](auto t) {
    using T = decltype(t);
    T* to = static_cast<T*>(dst);
    const T* from = static_cast<const T*>(src);
    const std::int64_t line = move.line;
    for (std::int64_t r = 0; r < move.rows; ++r) {
      if (line == 1) {
        for (std::int64_t i = 0; i < move.indices; ++i) to[i] = from[move.index[i]];
      } else {
        for (std::int64_t i = 0; i < move.indices; ++i)
          std::copy_n(from + move.index[i] * line, line, to + i * line);
      }
      to += move.indices * line;
      from += move.others * line;
    }
  });
}

void scatter_loop(void* dst, const void* src, const IndexedMove& move) {
  with_width(move.bytes, [&](auto t) {
    using T = decltype(t);
    T* to = static_cast<T*>(dst);
    const T* from = static_cast<const T*>(src);
    const std::int64_t line = move.line;
    for (std::int64_t r = 0; r < move.rows; ++r) {
      if (line == 1) {
        for (std::int64_t i = 0; i < move.indices; ++i) to[move.index[i]] = from[i];
      } else {
        for (std::int64_t i = 0; i < move.indices; ++i)
          std::copy_n(from + i * line, line, to + move.index[i] * line);
      }
      to += move.others * line;
      from += move.indices * line;
    }
  });
}

std::int64_t select_loop(void* dst, const void* src, const std::uint8_t* mask, std::int64_t count,
                         int bytes) {
  std::int64_t kept = 0;
  with_width(bytes, [&](auto t) {
    using T = decltype(t);
    T* to = static_cast<T*>(dst);
    const T* from = static_cast<const T*>(src);
    for (std::int64_t i = 0; i < count; ++i) {
      to[kept] = from[i];
      kept += mask[i] != 0 ? 1 : 0;
    }
  });
  return kept;
}

void reverse_loop(void* dst, const void* src, std::int64_t rows, std::int64_t columns, int bytes) {
  with_width(bytes, [&](auto t) {
    using T = decltype(t);
    const T* from = static_cast<const T*>(src);
    T* to = static_cast<T*>(dst);
    for (std::int64_t i = 0; i < rows; ++i, from += columns, to += columns)
      std::reverse_copy(from, from + columns, to);
  });
}

void outer_loop(void* dst, const void* a, const void* b, std::int64_t rows, std::int64_t columns,
                Dtype type, bool divides) {
  with_type(type, [&](auto t) {
    using T = decltype(t);
    using W = Wide<T>;
    T* __restrict to = static_cast<T*>(dst);
    const T* right = static_cast<const T*>(b);
    for (std::int64_t i = 0; i < rows; ++i, to += columns) {
      const W left = static_cast<W>(static_cast<const T*>(a)[i]);
      if (divides) {
        for (std::int64_t j = 0; j < columns; ++j)
          to[j] = narrow<T>(left / static_cast<W>(right[j]));
      } else {
        for (std::int64_t j = 0; j < columns; ++j)
          to[j] = narrow<T>(left + static_cast<W>(right[j]));
      }
    }
  });
}

void suppress_loop(float* scores, const float* factors, std::int64_t boxes, std::int64_t keep) {
  std::fill_n(scores, boxes, 1.0F);
  for (std::int64_t k = 0; k < keep; ++k) {
    const std::int64_t best = std::max_element(scores, scores + boxes) - scores;
    const float* row = factors + best * boxes;
    for (std::int64_t i = 0; i < boxes; ++i) scores[i] *= row[i];
    scores[best] = 0;
  }
}

void polynomial_loop(void* dst, const void* src, std::int64_t count, const void* terms,
                     std::int64_t number, Dtype type) {
  const auto of = [&](auto t) {
    using T = decltype(t);
    using W = Wide<T>;
    constexpr std::int64_t kBlock =
        512;  // of elements, which stay in registers and the nearest cache
    const T* const k = static_cast<const T*>(terms);
    W sums[kBlock];
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      const std::int64_t size = std::min(kBlock, count - begin);
      const T* const x = static_cast<const T*>(src) + begin;
      T* const to = static_cast<T*>(dst) + begin;
      for (std::int64_t i = 0; i < size; ++i) sums[i] = static_cast<W>(k[number - 1]);
      for (std::int64_t term = number - 1; term-- > 0;) {
        const W next = static_cast<W>(k[term]);
        for (std::int64_t i = 0; i < size; ++i)
          sums[i] = static_cast<W>(sums[i] * static_cast<W>(x[i]) + next);
      }
      for (std::int64_t i = 0; i < size; ++i) to[i] = narrow<T>(sums[i]);
    }
  };
  if (type == Dtype::kFp16) return of(Fp16{});
  if (type == Dtype::kBf16) return of(Bf16{});
  of(float{});
}

void row_sum_loop(float* dst, const void* src, std::int64_t rows, std::int64_t columns, Dtype in) {
  with_type(in, [&](auto s) {
    using S = decltype(s);
    const S* from = static_cast<const S*>(src);
    for (std::int64_t i = 0; i < rows; ++i, from += columns) {
      constexpr int kLanes = 32;
      float sums[kLanes] = {};
      for (std::int64_t j = 0; j + kLanes <= columns; j += kLanes) {
        for (int k = 0; k < kLanes; ++k) sums[k] += static_cast<float>(from[j + k]);
      }
      float sum = 0;
      for (const float each : sums) sum += each;
      dst[i] = sum;
    }
  });
}

}  // namespace tensorlane::bench
