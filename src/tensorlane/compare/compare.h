// Two arrays of one shape: where they differ, by how much, and what the differences look like.
//
// `got` is what was computed, `want` the reference. Elements are numbers in double precision, in
// row-major order; elements_of reads them from the bits of any dtype. Nothing here knows a device.
//
//   const Comparison found = compare(got, want, {2, 64, 14, 14}, default_tolerance(Dtype::kFp16));
//   found.differing      how many elements differ; 0: all agree
//   found.patterns       what explains them, best first (patterns.h)
//   comparison_text(found)   all of it, for people
#ifndef TENSORLANE_COMPARE_COMPARE_H_
#define TENSORLANE_COMPARE_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/io/tensor.h"

namespace tensorlane::compare {

// Elements agree when |got - want| <= absolute + relative * |want|, or when they are at most `ulps`
// neighbours of the element type apart. NaN agrees with NaN alone, infinity with itself.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  double ulps = 0;
  Dtype dtype = Dtype::kFp32;  // whose neighbours are counted
};

// What a sum in another order may cost: 1e-5 of the reference in fp32, two neighbours in types of
// 16 bits, and an eighth of that of the largest magnitude in the reference; nothing in integers.
Tolerance default_tolerance(Dtype dtype, double largest);
// "1e-3" (of the reference and, where it is near 0, of its largest magnitude), or some of "abs=X",
// "rel=X", "ulp=N", separated by commas. UserError for anything else.
Tolerance parse_tolerance(std::string_view text, Dtype dtype, double largest);
bool agree(double got, double want, const Tolerance& tolerance);

// The elements of `count` values of `dtype`, as numbers. Raw types are unsigned integers.
std::vector<double> elements_of(Dtype dtype, std::span<const std::byte> bytes, std::size_t count);
// The same for as many as `values` has room for.
void read_elements(Dtype dtype, std::span<const std::byte> bytes, std::span<double> values);
// Of finite elements; 0 when there is none.
double largest_magnitude(std::span<const double> values);

struct Difference {
  std::int64_t at = -1;  // row-major
  double got = 0, want = 0;
};

// A range of differences and how many are in it: [1e-3, 1e-2) and so on.
struct Bin {
  double low, high;  // high is infinite for NaN and infinities
  std::int64_t count;
};

// What the differences look like: where they are, or what stands in their place.
struct Pattern {
  enum class Kind : std::uint8_t { kPlace, kValue };
  Kind kind;
  std::string text;        // "channels 64 to 127", "zero where a number is expected"
  std::int64_t explained;  // differing elements that it explains
  std::int64_t forbidden;  // elements that agree though they should not, were it the whole truth
};

struct Comparison {
  Shape shape;
  Tolerance tolerance;
  std::int64_t elements = 0, differing = 0;
  Difference first = {},
             worst = {};            // worst: the largest |got - want|; NaN and infinities above all
  std::vector<Bin> histogram = {};  // of |got - want| where they differ
  std::vector<Pattern> places = {};  // best first
  std::vector<Pattern> values = {};
};

// Throws UserError where the sizes do not fit the shape.
Comparison compare(std::span<const double> got, std::span<const double> want, const Shape& shape,
                   const Tolerance& tolerance);

// "[n 0, c 3, h 1, w 2]": axes are named by how many there are.
std::string index_text(std::int64_t at, const Shape& shape);
// "17 of 64 elements differ", first, worst, pattern and histogram, a line each.
std::vector<std::string> comparison_lines(const Comparison& comparison);

}  // namespace tensorlane::compare

#endif  // TENSORLANE_COMPARE_COMPARE_H_
