// Mistakes of the values: all elements stand where they should and are others.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/packing_mistakes_internal.h"
#include "tensorlane/tensor/float16.h"

namespace tensorlane::packing_internal {
namespace {

// Every element times the same, which the largest tells best.
void factor_mistakes(Explanation& sought) {
  const WrongPacking& wrong = sought.wrong();
  const Layout &target = sought.target(), &plain = sought.plain();
  if (!dtype_info(target.dtype()).is_float || target.unit_bits() != 8) return;
  const FloatFormat& format = float_format(target.dtype());
  const double tolerance = std::ldexp(1.0, 1 - std::min(format.mantissa_bits, 21));
  const double smallest = std::ldexp(1.0, format.min_exponent() - format.mantissa_bits);
  // visit(wanted, found) until it returns false.
  const auto for_each_pair = [&](const auto& visit) {
    Layout::Index index{};
    for (std::int64_t i = 0; i < target.size(); ++i) {
      const std::int64_t at = target.address(index);
      if (!inside(target, at, wrong.packed.size())) return false;
      const float want = format_to_float(bits_at(plain, wrong.plain, plain.address(index)), format);
      const float got = format_to_float(bits_at(target, wrong.packed, at), format);
      if (!visit(static_cast<double>(want), static_cast<double>(got))) return false;
      for (int d = target.rank() - 1; d >= 0 && ++index[d] == target.extent(d); --d) index[d] = 0;
    }
    return true;
  };
  double largest = 0, factor = 1;
  const bool finite = for_each_pair([&](double want, double got) {
    if (std::abs(want) > std::abs(largest)) largest = want, factor = got / want;
    return std::isfinite(want) && std::isfinite(got);
  });
  // Near 1 the elements are rounded otherwise.
  if (!finite || std::abs(factor - 1) <= 4 * tolerance) return;
  const double rounded = smallest * std::max(1.0, std::abs(factor));
  if (for_each_pair([&](double want, double got) {
        return std::abs(got - factor * want) <= std::max(tolerance * std::abs(got), rounded);
      }))
    sought.explain(tr("every element is {:.6g} times what it has to be", factor));
}

}  // namespace

void value_mistakes(Explanation& sought) {
  const int bits = dtype_bits(sought.target().dtype());
  sought.suspect_change([](Bits) { return Bits{0}; }, [] { return tr("all elements are zero"); });
  if (bits == 16) {
    sought.suspect_change(
        [](Bits b) { return (b >> 8 | b << 8) & 0xffffU; },
        [] { return tr("the bytes of every element stand in the opposite order"); });
  } else if (bits == 32) {
    sought.suspect_change(
        [](Bits b) { return __builtin_bswap32(b); },
        [] { return tr("the bytes of every element stand in the opposite order"); });
    sought.suspect_change([](Bits b) { return b >> 16 | b << 16; },
                          [] { return tr("the 16-bit halves of every element are swapped"); });
  } else if (bits == 8) {
    sought.suspect_change(
        [](Bits b) { return b ^ 0x80U; },
        [] { return tr("every element is off by 128: signed and unsigned are mixed up"); });
  }
  if (!sought.explained()) factor_mistakes(sought);
}

void type_mistakes(Explanation& sought) {
  const WrongPacking& wrong = sought.wrong();
  const Layout& target = sought.target();
  if (sought.explained() || !converts_values(wrong.to.spec.dtype, wrong.from.spec.dtype)) return;
  LayoutConversion conversion = wrong.conversion;
  conversion.progress = {};
  const auto suspect_conversion = [&](Dtype dtype, const LayoutConversion& how, const auto& words) {
    if (sought.explained()) return;
    try {
      LayoutSpec spec = wrong.to.spec;
      spec.dtype = dtype;
      const NamedLayout other = make_layout(spec);
      if (other.total_bytes() != wrong.to.total_bytes()) return;
      const std::vector<std::byte> bytes = convert(other, wrong.from, wrong.original, how);
      if (sought.same(target, target, bytes)) sought.explain(words());
    } catch (const UserError&) {  // no such conversion
    }
  };
  for (int mode = 0; mode < kFloatRoundingModeCount; ++mode) {
    LayoutConversion rounded = conversion;
    rounded.element.rounding = static_cast<RoundingMode>(mode);
    suspect_conversion(wrong.to.spec.dtype, rounded, [&] {
      return tr("the elements are rounded {}, not {}", rounding_mode_name(rounded.element.rounding),
                rounding_mode_name(wrong.conversion.element.rounding));
    });
  }
  LayoutConversion saturated = conversion;
  saturated.element.overflow = conversion.element.overflow == OverflowRule::kSaturate
                                   ? OverflowRule::kByMode
                                   : OverflowRule::kSaturate;
  suspect_conversion(wrong.to.spec.dtype, saturated, [] {
    return tr("what is too large became the other of infinity and the largest number");
  });
  for (const DtypeInfo& type : all_dtypes()) {
    if (dtype_bits(type.dtype) != dtype_bits(wrong.to.spec.dtype)) continue;
    suspect_conversion(type.dtype, conversion, [&] {
      return tr("the elements are {}, not {}", type.name, dtype_name(wrong.to.spec.dtype));
    });
  }
  if (!dtype_info(wrong.from.spec.dtype).is_float) return;
  for (const Dtype between : {Dtype::kBf16, Dtype::kFp16}) {
    for (const RoundingMode mode : {RoundingMode::kHalfToEven, RoundingMode::kTowardsZero}) {
      if (sought.explained() || between == wrong.from.spec.dtype) continue;
      LayoutConversion first = conversion;
      first.element.rounding = mode;
      try {
        LayoutSpec spec = wrong.from.spec;
        spec.dtype = between;
        const NamedLayout rounded = make_layout(spec);
        const std::vector<std::byte> less = convert(rounded, wrong.from, wrong.original, first);
        if (sought.same(target, target, convert(wrong.to, rounded, less, conversion)))
          sought.explain(tr("the elements were {} on their way", dtype_name(between)));
      } catch (const UserError&) {  // no such conversion
      }
    }
  }
}

}  // namespace tensorlane::packing_internal
