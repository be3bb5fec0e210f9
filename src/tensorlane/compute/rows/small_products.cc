#include "tensorlane/compute/rows/small_products.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace tensorlane {
namespace {

// Products of factors of 32 bits without a sign have 64.
__extension__ using Exact = __int128;

// How often a source goes along one of the loops of a frame.
std::int64_t times(std::int64_t step, std::int64_t count) {
  return step == 0 ? 1 : count;
}
std::int64_t elements_looked_at(const Row& frame, std::size_t k) {
  return times(frame.src_block[k], frame.blocks) * times(frame.src_next[k], frame.rows) *
         times(frame.src_step[k], frame.count);
}

struct Ends {
  std::int64_t least, most;
};

template <class T>
Ends ends_of(const Row& frame, std::size_t k) {
  T least = load_element<T>(frame.src[k]), most = least;
  const auto look_at = [&](T value) {
    least = std::min(least, value);
    most = std::max(most, value);
  };
  const std::int64_t step = frame.src_step[k], count = times(step, frame.count);
  for (std::int64_t b = 0; b < times(frame.src_block[k], frame.blocks); ++b) {
    for (std::int64_t r = 0; r < times(frame.src_next[k], frame.rows); ++r) {
      const std::byte* const at = frame.src[k] + b * frame.src_block[k] + r * frame.src_next[k];
      if (step == static_cast<std::int64_t>(sizeof(T))) {  // which the compiler makes vectors of
        for (std::int64_t i = 0; i < count; ++i)
          look_at(load_element<T>(at + i * static_cast<std::int64_t>(sizeof(T))));
      } else {
        for (std::int64_t i = 0; i < count; ++i) look_at(load_element<T>(at + i * step));
      }
    }
  }
  return {static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
}

template <class T>
bool stay(const Row& frame) {
  const Ends a = ends_of<T>(frame, 0), b = ends_of<T>(frame, 1);
  const auto fits = [](std::int64_t x, std::int64_t y) {
    const Exact product = Exact{x} * y;
    return product >= std::numeric_limits<T>::min() && product <= std::numeric_limits<T>::max();
  };
  return fits(a.least, b.least) && fits(a.least, b.most) && fits(a.most, b.least) &&
         fits(a.most, b.most);
}

}  // namespace

bool products_stay(const Row& frame, Dtype dtype) {
  constexpr std::int64_t kShortest = 16;
  constexpr std::int64_t kFewest = 8;  // products for each element that is looked at
  const std::int64_t products = frame.blocks * frame.rows * frame.count;
  const std::int64_t looked_at = elements_looked_at(frame, 0) + elements_looked_at(frame, 1);
  if (products == 0 || frame.count < kShortest || looked_at * kFewest > products) return false;
  if (dtype == Dtype::kInt32) return stay<std::int32_t>(frame);
  return dtype == Dtype::kUint32 && stay<std::uint32_t>(frame);
}

RowFunction small_products_row(RowFunction saturated, RowFunction wrapping, Dtype dtype) {
  return
      [saturated = std::move(saturated), wrapping = std::move(wrapping), dtype](const Row& frame) {
        products_stay(frame, dtype) ? wrapping(frame) : saturated(frame);
      };
}

}  // namespace tensorlane
