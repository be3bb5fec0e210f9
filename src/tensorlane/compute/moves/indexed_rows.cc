#include "tensorlane/compute/moves/indexed_rows.h"

#include <algorithm>
#include <array>

#include "tensorlane/compute/moves/indexed_lines.h"
#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane::indexed {
namespace {

template <class T>
constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));

// Calls f(T{}) with the unsigned type of `bytes` bytes.
template <class F>
auto of_width(std::int64_t bytes, F f) {
  if (bytes == 1) return f(std::uint8_t{});
  return bytes == 2 ? f(std::uint16_t{}) : f(std::uint32_t{});
}

// A loop of a few instructions takes half as long again, or not, by where it happens to lie:
// several turns at a time, which is faster wherever that is.
template <class Element, class Index>
void gather(std::byte* __restrict to, const std::byte* __restrict from, const Numbers& index) {
  const std::byte* const numbers = index.data;
  const std::int64_t count = index.count;
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(load_element<Index>(numbers + i * kSize<Index>));
    store_element(to + i * kSize<Element>, load_element<Element>(from + at * kSize<Element>));
  }
}

// Whether `value` is one of kCount numbers.
template <std::int64_t kCount, class Number>
bool holds(const std::byte* numbers, Number value) {
  Number found = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const auto number = load_element<Number>(numbers + i * kSize<Number>);
    found |= static_cast<Number>(number == value ? 1 : 0);
  }
  return found != 0;
}

template <class Element, class Index>
void scatter(std::byte* __restrict to, const std::byte* __restrict from, const Numbers& index) {
  const std::byte* const numbers = index.data;
  const std::int64_t count = index.count;
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(load_element<Index>(numbers + i * kSize<Index>));
    store_element(to + at * kSize<Element>, load_element<Element>(from + i * kSize<Element>));
  }
}

// A line of kBytes to 2 * kBytes bytes, in two moves that may overlap.
template <std::size_t kBytes>
struct TwoMoves {
  std::size_t bytes;
  void operator()(std::byte* to, const std::byte* from) const {
    std::array<std::byte, kBytes> begin, end;
    std::memcpy(begin.data(), from, kBytes);
    std::memcpy(end.data(), from + bytes - kBytes, kBytes);
    std::memcpy(to, begin.data(), kBytes);
    std::memcpy(to + bytes - kBytes, end.data(), kBytes);
  }
};
struct LongMove {
  std::size_t bytes;
  void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, bytes); }
};

// Calls f with what moves a line of `bytes` bytes, of those that are no vectors' (indexed_lines.h).
template <class F>
void with_move(std::int64_t bytes, const F& f) {
  const auto size = static_cast<std::size_t>(bytes);
  if (size <= 2) return f(TwoMoves<1>{size});
  if (size <= 4) return f(TwoMoves<2>{size});
  if (size <= 8) return f(TwoMoves<4>{size});
  if (size <= 16) return f(TwoMoves<8>{size});
  if (size <= 32) return f(TwoMoves<16>{size});
  if (size <= 64) return f(TwoMoves<32>{size});
  f(LongMove{size});
}

// Calls f(i, index[i]) for all.
template <class F>
void each_number(const Numbers& numbers, const F& f) {
  of_width(numbers.bytes, [&](auto type) {
    using Number = decltype(type);
    for (std::int64_t i = 0; i < numbers.count; ++i)
      f(i, static_cast<std::int64_t>(load_element<Number>(numbers.data + i * kSize<Number>)));
  });
}

// value(i) for every i whose mask is not 0. They meet in a buffer, written without a branch; what
// lies behind the last of them stays as it was.
template <class Element, class Mask, class Value>
std::int64_t keep(std::byte* to, const Numbers& mask, const Value& value) {
  constexpr std::int64_t kChunk = 1024;
  std::array<Element, kChunk> kept;
  std::int64_t total = 0;
  for (std::int64_t begin = 0; begin < mask.count; begin += kChunk) {
    const std::int64_t end = std::min(begin + kChunk, mask.count);
    std::size_t taken = 0;
#pragma GCC unroll 8
    for (std::int64_t i = begin; i < end; ++i) {
      kept[taken] = value(i);
      taken += load_element<Mask>(mask.data + i * kSize<Mask>) != 0 ? 1 : 0;
    }
    std::memcpy(to + total * kSize<Element>, kept.data(), taken * sizeof(Element));
    total += static_cast<std::int64_t>(taken);
  }
  return total;
}

}  // namespace

std::uint32_t largest(const Numbers& numbers, std::uint32_t added) {
  return of_width(numbers.bytes, [&](auto type) {
    using Number = decltype(type);
    const std::byte* const data = numbers.data;
    const std::int64_t count = numbers.count;
    const auto more = static_cast<Number>(added);
    Number most = 0;
    for (std::int64_t i = 0; i < count; ++i) {  // in vectors, but by std::max
      const auto number =
          static_cast<Number>(load_element<Number>(data + i * kSize<Number>) + more);
      most = number > most ? number : most;
    }
    return static_cast<std::uint32_t>(most);
  });
}

MoveRow find_gather(std::int64_t element_bytes, std::int64_t index_bytes) {
  return of_width(element_bytes, [&](auto element) {
    return of_width(index_bytes, [&](auto index) -> MoveRow {
      return gather<decltype(element), decltype(index)>;
    });
  });
}

void gather_or(std::int64_t element_bytes, std::byte* to, const std::byte* from,
               const Numbers& index, const Others& others) {
  of_width(element_bytes, [&](auto element) {
    of_width(index.bytes, [&](auto type) {
      using Element = decltype(element);
      using Index = decltype(type);
      constexpr auto kNone = static_cast<Index>(~Index{0});
      // Stores of bytes might change what the structures hold, as far as the compiler knows.
      const std::byte* const numbers = index.data;
      const std::byte* const other = others.first;
      const std::int64_t count = index.count, step = others.step;
      // Few of the indices stand for none: most chunks are a plain gather.
      constexpr std::int64_t kChunk = 32;
      for (std::int64_t begin = 0; begin < count; begin += kChunk) {
        const std::int64_t end = std::min(begin + kChunk, count);
        const std::byte* const chunk = numbers + begin * kSize<Index>;
        if (end - begin == kChunk && !holds<kChunk>(chunk, kNone)) {
          gather<Element, Index>(to + begin * kSize<Element>, from, {chunk, kSize<Index>, kChunk});
          continue;
        }
        for (std::int64_t i = begin; i < end; ++i) {
          const auto at = load_element<Index>(numbers + i * kSize<Index>);
          const std::byte* const found = from + static_cast<std::int64_t>(at) * kSize<Element>;
          store_element(to + i * kSize<Element>,
                        load_element<Element>(at == kNone ? other + i * step : found));
        }
      }
    });
  });
}

MoveRow find_scatter(std::int64_t element_bytes, std::int64_t index_bytes) {
  return of_width(element_bytes, [&](auto element) {
    return of_width(index_bytes, [&](auto index) -> MoveRow {
      return scatter<decltype(element), decltype(index)>;
    });
  });
}

void gather_lines(const Lines& lines, const Numbers& index) {
  if (const MoveLines move = find_lines(lines.bytes)) return move(lines, index, false);
  with_move(lines.bytes, [&](const auto& move) {
    each_number(index, [&](std::int64_t i, std::int64_t at) {
      move(lines.to + i * lines.to_step, lines.from + at * lines.from_step);
    });
  });
}

void scatter_lines(const Lines& lines, const Numbers& index) {
  if (const MoveLines move = find_lines(lines.bytes)) return move(lines, index, true);
  with_move(lines.bytes, [&](const auto& move) {
    each_number(index, [&](std::int64_t i, std::int64_t at) {
      move(lines.to + at * lines.to_step, lines.from + i * lines.from_step);
    });
  });
}

std::int64_t select(std::byte* to, const std::byte* from, std::int64_t element_bytes,
                    const Numbers& mask) {
  return of_width(element_bytes, [&](auto element) {
    using Element = decltype(element);
    return of_width(mask.bytes, [&](auto type) {
      return keep<Element, decltype(type)>(to, mask, [&](std::int64_t i) {
        return load_element<Element>(from + i * kSize<Element>);
      });
    });
  });
}

std::int64_t select_positions(std::byte* to, std::uint32_t first, const Numbers& mask) {
  return of_width(mask.bytes, [&](auto type) {
    return keep<std::uint32_t, decltype(type)>(
        to, mask, [&](std::int64_t i) { return first + static_cast<std::uint32_t>(i); });
  });
}

}  // namespace tensorlane::indexed
