// Three designs of the products of 16-bit floats (docs/speed.md), each as a loop of one tile,
// beside the tile that the library has.
//
// A tile is kRows rows by two vectors of columns; kSteps products of each make kSteps / 32 blocks
// of the rule kBlockSums (product_rules.h): with E the exponent of the largest product of a block,
// each is cut to a multiple of 2^(E-24). Each design has operands in the form that it likes best,
// which is made once.
#ifndef TENSORLANE_BENCH_HALF_DESIGNS_H_
#define TENSORLANE_BENCH_HALF_DESIGNS_H_

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>

namespace tensorlane::bench {

constexpr int kRows = 4;
constexpr int kBlock = 32;
constexpr int kSteps = 8 * kBlock;

// Of the vectors that this program is compiled for.
int half_tile_columns();

template <class T>
class Plane {
 public:
  explicit Plane(std::size_t count) : words_(hwy::AllocateAligned<T>(count)) {}
  T* data() { return words_.get(); }
  const T* data() const { return words_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<T[]> words_;
};

// One operand, [step][place]: columns of the inputs or rows of the weights.
struct HalfOperand {
  explicit HalfOperand(int places);

  int places;
  Plane<float> numbers;
  // log2 of magnitudes in parts of 2^-10, rounded down, above 2^base; -2^15 of zero and below.
  Plane<std::int16_t> logs;
  Plane<std::uint32_t> log_pairs;  // the same twice, to be spread over a vector
  int base = 0;
  // Mantissas of 11 bits, times 16 for inputs, their exponents, and all bits of negative numbers.
  Plane<std::int32_t> mantissas, exponents, signs;
  // Exponents of the lowest bit that is set, twice for weights.
  Plane<std::int16_t> lowest;
  Plane<std::uint32_t> lowest_pairs;
  Plane<double> wide;                // the numbers
  Plane<double> positive, negative;  // magnitudes of those above and below zero, else 0
};
// Makes the other planes of `numbers`. `factor`: of mantissas.
void complete(HalfOperand& operand, int factor);

// The sums of a tile into [row][column]. In the float environment of the chips.
using HalfDesign = void (*)(const HalfOperand& inputs, const HalfOperand& weights, float* sums);
// a: mantissas multiplied, shifted and added up as integers.
void cut_mantissas(const HalfOperand& inputs, const HalfOperand& weights, float* sums);
// b: the largest exponent from sums of 16-bit logarithms, products computed once, behind it. Where
// logarithms cannot tell the exponent: in two passes.
void cut_by_logarithms(const HalfOperand& inputs, const HalfOperand& weights, float* sums);
// c: exact sums in fp64 where no product of a block has bits below the unit, else in two passes.
void add_exactly(const HalfOperand& inputs, const HalfOperand& weights, float* sums);
// c, cut by the addition itself: positive and negative products each into a sum in fp64 whose last
// bit is the unit, rounded towards zero.
void cut_by_adding(const HalfOperand& inputs, const HalfOperand& weights, float* sums);

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_HALF_DESIGNS_H_
