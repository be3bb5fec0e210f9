// One layout after another.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/algebra.h"
#include "tensorlane/layout/full_axis.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void not_composed(const Layout& outer, const Layout& inner, std::int64_t extent,
                               std::int64_t step) {
  user_error("{} after {}: {} steps of {} do not divide the digits of the first", notation(outer),
             notation(inner), extent, step);
}

// The digits of a flat layout, and how far the digits of an inner one reach into each.
class Composer {
 public:
  Composer(const Layout& outer, const Layout& inner)
      : outer_(outer), inner_(inner), flat_(full_axis(flattened(outer), 0)) {
    reached_.assign(flat_.digits.size(), 0);
    enter(inner.base() / inner.element_units() + flat_.offset);
  }

  std::int64_t base() const { return outer_.base() + base_; }

  // `extent` steps of `step` elements; `last`: the axis ends with it, places beyond are no indices.
  void add(std::vector<Digit>& out, std::int64_t extent, std::int64_t step, bool last) {
    if (extent == 1 || step == 0) {
      out.push_back({extent, 0});
      return;
    }
    std::size_t at = 0;
    std::int64_t rest = step;
    for (; at + 1 < flat_.digits.size() && rest % flat_.digits[at].extent == 0; ++at)
      rest /= flat_.digits[at].extent;
    for (std::int64_t left = extent; left > 1; ++at, rest = 1) {
      if (step < 0 || at == flat_.digits.size()) fail(extent, step);
      const Digit& digit = flat_.digits[at];
      const bool outermost = at + 1 == flat_.digits.size();
      if (!outermost && digit.extent % rest != 0) fail(extent, step);
      const std::int64_t room = outermost ? kNoEnd : digit.extent / rest;
      const std::int64_t steps = std::min(left, room);
      if (steps > 1) {
        out.push_back({steps, digit.stride * rest});
        reach(at, (steps - 1) * rest, extent, step);
      }
      if (left > room && left % room != 0 && !last) fail(extent, step);
      left = (left + steps - 1) / steps;
    }
  }

 private:
  [[noreturn]] void fail(std::int64_t extent, std::int64_t step) const {
    not_composed(outer_, inner_, extent, step);
  }
  // The first element, digit by digit.
  void enter(std::int64_t number) {
    for (std::size_t k = 0; k < flat_.digits.size(); ++k) {
      const bool outermost = k + 1 == flat_.digits.size();
      const std::int64_t value = outermost ? number : number % flat_.digits[k].extent;
      reached_[k] = value;
      base_ += value * flat_.digits[k].stride;
      number /= flat_.digits[k].extent;
    }
  }
  // Sums of digits must not carry: then they, and only they, are digits of the sum.
  void reach(std::size_t k, std::int64_t most, std::int64_t extent, std::int64_t step) {
    reached_[k] += most;
    if (k + 1 < flat_.digits.size() && reached_[k] >= flat_.digits[k].extent) fail(extent, step);
  }

  const Layout& outer_;
  const Layout& inner_;
  FullAxis flat_;
  std::vector<std::int64_t> reached_;
  std::int64_t base_ = 0;
};

}  // namespace

Layout composition(const Layout& outer, const Layout& inner) {
  check_plain(inner, tr("what is applied first").c_str());
  const std::int64_t unit = inner.element_units();
  if (inner.size() > 0 && inner.base() % unit != 0)
    user_error("{}: its base is no whole element", notation(inner));
  const Layout::Bounds reach = inner.bounds();
  if (reach.begin < 0 || reach.end > outer.size() * unit) {
    user_error("{} after {}: the second gives numbers {} to {}, the first has {} elements",
               notation(outer), notation(inner), reach.begin / unit, reach.end / unit - 1,
               outer.size());
  }
  Composer composer(outer, inner);
  std::vector<FullAxis> axes;
  for (int d = 0; d < inner.rank(); ++d) {
    const FullAxis axis = full_axis(inner, d);
    FullAxis result{{}, axis.extent, axis.offset};
    for (std::size_t k = 0; k < axis.digits.size(); ++k) {
      const Digit& digit = axis.digits[k];
      if (digit.stride % unit != 0)
        user_error("{}: its strides are no whole elements", notation(inner));
      composer.add(result.digits, digit.extent, digit.stride / unit, k + 1 == axis.digits.size());
    }
    axes.push_back(result);
  }
  return with_axes(outer, axes).set_base(composer.base()).set_swizzle(outer.swizzle());
}

}  // namespace tensorlane
