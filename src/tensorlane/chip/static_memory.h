// What the firmware of chips with TPUKernel keeps in static memory: the tables of its special
// functions.
//
//   offset  32-bit words  content
//        0           256  e^(i - 103) for i in 0..191, then zeros
//     1024            32  1 / i!
//     1152            64  0, 1, -1/2, 1/3, ...: the series of ln(1 + x)
//     1408            16  coefficients of erfc by exp(-x^2 + polynomial in t), t = 1 / (1 + x/2)
//     1472            64  0, 1, 2, ...
//     1728            32  (-1)^k (2 pi)^(2k+1) / (2k+1)!
//     1856            32  (-1)^k (2 pi)^(2k) / (2k)!
//     1984            64  series of arcsin: 1, 1/6, 3/40, 15/336, ...
//     2240            32  (2^(2n) (2^(2n) - 1) |B(2n)| / (2n)!) pi^(2n - 1): a series for tan
//
// [documentation of newer headers; contents as observed on the model]
#ifndef TENSORLANE_CHIP_STATIC_MEMORY_H_
#define TENSORLANE_CHIP_STATIC_MEMORY_H_

#include <cstddef>
#include <span>

namespace tensorlane {

// A table in static memory: its first byte and its number of 32-bit words.
struct StaticTable {
  int offset;
  int words;
};
inline constexpr StaticTable kExpTable{0, 192}, kExpSeries{1024, 32}, kLogSeries{1152, 64},
    kErfSeries{1408, 16}, kNumbers{1472, 64}, kSinSeries{1728, 32}, kCosSeries{1856, 32},
    kArcsinSeries{1984, 64}, kTanSeries{2240, 32};

std::span<const std::byte> tpukernel_static_memory();

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_STATIC_MEMORY_H_
