#include "tensorlane/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/compare/patterns.h"
#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/float_format.h"
#include "tensorlane/tensor/int4.h"

namespace tensorlane::compare {
namespace {

// From one number of the type to the next, near `value`.
double spacing(double value, Dtype dtype) {
  if (!dtype_info(dtype).is_float) return 1;
  const FloatFormat& format = float_format(dtype);
  const int least = format.min_exponent();
  const int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

double parse_number(std::string_view text, std::string_view whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) {
    user_error(
        "tolerance '{}': '{}' is no number of 0 or more; write 1e-3, or some of abs=X,rel=X,ulp=N",
        whole, text);
  }
  return value;
}

template <class T>
void read_integers(std::span<const std::byte> bytes, std::span<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::copy_n(bytes.data() + i * sizeof value, sizeof value,
                reinterpret_cast<std::byte*>(&value));
    values[i] = static_cast<double>(value);
  }
}

// One bin per power of ten, at most kBins of them, the largest differences last.
std::vector<Bin> histogram_of(const std::vector<double>& differences) {
  constexpr std::size_t kBins = 6;
  std::vector<Bin> bins;
  std::vector<double> sorted = differences;
  std::ranges::sort(sorted, std::greater<>());
  for (const double difference : sorted) {
    if (!bins.empty() && difference >= bins.back().low) {
      ++bins.back().count;
    } else if (!std::isfinite(difference)) {
      bins.push_back(
          {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 1});
    } else if (bins.size() == kBins) {
      bins.back().low = 0;
      ++bins.back().count;
    } else {
      const double low = std::pow(10.0, std::floor(std::log10(difference)));
      bins.push_back({std::min(low, difference), 10 * low, 1});
    }
  }
  std::ranges::reverse(bins);
  return bins;
}

// By what they explain less what they forbid, and as found where that is equal: the particular
// ones are found first.
void rank(std::vector<Pattern>& patterns) {
  constexpr std::size_t kKept = 3;
  std::ranges::stable_sort(patterns, std::greater<>(), [](const Pattern& pattern) {
    return pattern.explained - pattern.forbidden;
  });
  if (patterns.size() > kKept) patterns.resize(kKept);
}

}  // namespace

Tolerance default_tolerance(Dtype dtype, double largest) {
  const DtypeInfo& info = dtype_info(dtype);
  const double relative = !info.is_float          ? 0
                          : dtype == Dtype::kFp32 ? 1e-5
                                                  : 2 * std::ldexp(1, -info.format.mantissa_bits);
  // Sums that cancel are as exact as their terms are large.
  return {.absolute = relative / 8 * largest, .relative = relative, .dtype = dtype};
}

Tolerance parse_tolerance(std::string_view text, Dtype dtype, double largest) {
  Tolerance tolerance{.dtype = dtype};
  std::string_view rest = text;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find(','));
    if (part.starts_with("abs=")) {
      tolerance.absolute = parse_number(part.substr(4), text);
    } else if (part.starts_with("rel=")) {
      tolerance.relative = parse_number(part.substr(4), text);
    } else if (part.starts_with("ulp=")) {
      tolerance.ulps = parse_number(part.substr(4), text);
    } else {
      tolerance.relative = parse_number(part, text);
      tolerance.absolute = tolerance.relative * largest;
    }
    if (part.size() == rest.size()) return tolerance;
    rest.remove_prefix(part.size() + 1);
  }
}

bool agree(double got, double want, const Tolerance& tolerance) {
  if (got == want) return true;
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  if (std::isinf(got) || std::isinf(want)) return false;
  const double difference = std::abs(got - want);
  return difference <= tolerance.absolute + tolerance.relative * std::abs(want) ||
         (tolerance.ulps > 0 && difference <= tolerance.ulps * spacing(want, tolerance.dtype));
}

void read_elements(Dtype dtype, std::span<const std::byte> bytes, std::span<double> values) {
  switch (dtype) {
    case Dtype::kInt4:
    case Dtype::kUint4: {
      std::vector<std::byte> wide(values.size());
      const Dtype to = dtype == Dtype::kInt4 ? Dtype::kInt8 : Dtype::kUint8;
      convert_elements(wide.data(), to, bytes.data(), dtype, values.size());
      return read_elements(to, wide, values);
    }
    case Dtype::kX8:
    case Dtype::kUint8:
      return read_integers<std::uint8_t>(bytes, values);
    case Dtype::kInt8:
      return read_integers<std::int8_t>(bytes, values);
    case Dtype::kX16:
    case Dtype::kUint16:
      return read_integers<std::uint16_t>(bytes, values);
    case Dtype::kInt16:
      return read_integers<std::int16_t>(bytes, values);
    case Dtype::kX32:
    case Dtype::kUint32:
      return read_integers<std::uint32_t>(bytes, values);
    case Dtype::kInt32:
      return read_integers<std::int32_t>(bytes, values);
    default: {
      std::array<float, 1024> wide;
      const auto width = static_cast<std::size_t>(dtype_bytes(dtype));
      for (std::size_t begin = 0; begin < values.size(); begin += wide.size()) {
        const std::size_t count = std::min(wide.size(), values.size() - begin);
        convert_elements(wide.data(), Dtype::kFp32, bytes.data() + begin * width, dtype, count);
        std::copy_n(wide.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(begin));
      }
    }
  }
}

std::vector<double> elements_of(Dtype dtype, std::span<const std::byte> bytes, std::size_t count) {
  std::vector<double> values(count);
  read_elements(dtype, bytes, values);
  return values;
}

double largest_magnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

Comparison compare(std::span<const double> got, std::span<const double> want, const Shape& shape,
                   const Tolerance& tolerance) {
  const std::int64_t elements = element_count(shape, tr("the reference"));
  if (static_cast<std::int64_t>(got.size()) != elements || want.size() != got.size()) {
    user_error("{} and {} elements are compared as {}", got.size(), want.size(), shape_text(shape));
  }
  Comparison result{.shape = shape, .tolerance = tolerance, .elements = elements};
  std::vector<bool> differs(got.size());
  std::vector<double> differences;
  double worst = -1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (agree(got[i], want[i], tolerance)) continue;
    differs[i] = true;
    double by = std::abs(got[i] - want[i]);
    if (std::isnan(by)) by = std::numeric_limits<double>::infinity();
    differences.push_back(by);
    const Difference here{static_cast<std::int64_t>(i), got[i], want[i]};
    if (result.differing++ == 0) result.first = here;
    if (by > worst) {
      worst = by;
      result.worst = here;
    }
  }
  if (result.differing == 0) return result;
  result.histogram = histogram_of(differences);
  const Shape axes = shape.empty() ? Shape{1} : shape;
  const Arrays arrays{got, want, axes, tolerance, differs, result.differing};
  result.places = place_patterns(arrays);
  result.values = value_patterns(arrays);
  rank(result.places);
  rank(result.values);
  return result;
}

}  // namespace tensorlane::compare
