#include "tensorlane/layout/packing_mistakes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/packing_orders.h"
#include "tensorlane/layout/packing_slices.h"
#include "tensorlane/tensor/float16.h"

namespace tensorlane {
namespace {

using Bits = std::uint32_t;

bool inside(const Layout& layout, std::int64_t address, std::size_t bytes) {
  const std::int64_t end = (address + layout.element_units()) * layout.unit_bits();
  return address >= 0 && end <= static_cast<std::int64_t>(bytes) * 8;
}

Bits bits_at(const Layout& layout, std::span<const std::byte> memory, std::int64_t address) {
  if (layout.unit_bits() == 4)
    return std::to_integer<Bits>(memory[static_cast<std::size_t>(address / 2)]) >>
               (address % 2 * 4) &
           15U;
  Bits bits = 0;
  std::memcpy(&bits, memory.data() + address, static_cast<std::size_t>(layout.element_units()));
  return bits;
}

Layout plain_layout(const Layout& like) {
  std::vector<std::int64_t> shape;
  for (int d = 0; d < like.rank(); ++d) shape.push_back(like.extent(d));
  return row_major_layout(shape, like.dtype());
}

// A copy of a layout whose dimensions' digits are edited.
template <class Edit>
Layout edited(const Layout& layout, int dim, const Edit& edit) {
  Layout result(layout.dtype());
  std::int64_t base = layout.base();
  for (int d = 0; d < layout.rank(); ++d) {
    std::vector<Digit> digits(layout.digits(d).begin(), layout.digits(d).end());
    if (d == dim) edit(digits, base);
    result.add_dim(layout.extent(d), digits, layout.offset(d));
  }
  return result.set_base(base).set_swizzle(layout.swizzle());
}

// Of an axis of one digit: from the far end.
Layout backwards(const Layout& plain, int dim) {
  return edited(plain, dim, [&](std::vector<Digit>& digits, std::int64_t& base) {
    base += digits[0].stride * (plain.extent(dim) - 1);
    digits[0].stride = -digits[0].stride;
  });
}

class Explanation {
 public:
  explicit Explanation(const WrongPacking& wrong)
      : wrong_(wrong), target_(wrong.target), plain_(plain_layout(wrong.target)) {}

  std::string text() {
    for (const auto part :
         {&Explanation::value_mistakes, &Explanation::axis_mistakes, &Explanation::group_mistakes,
          &Explanation::lane_mistakes, &Explanation::place_mistakes, &Explanation::layout_mistakes,
          &Explanation::order_mistakes, &Explanation::type_mistakes,
          &Explanation::neighbour_mistakes, &Explanation::slice_mistakes,
          &Explanation::partial_mistakes, &Explanation::cut_mistakes}) {
      (this->*part)();
      if (!found_.empty()) return found_;
    }
    return {};
  }

 private:
  std::string axis(int d) const { return axis_name(wrong_.to.axes[d]); }

  bool same(const Layout& target, const Layout& source, std::span<const std::byte> plain) {
    Layout::Index index{};
    for (std::int64_t i = 0; i < target.size(); ++i, ++compared_) {
      const std::int64_t at = target.address(index);
      if (!inside(target, at, wrong_.packed.size()) ||
          bits_at(target, wrong_.packed, at) != bits_at(source, plain, source.address(index)))
        return false;
      for (int d = target.rank() - 1; d >= 0 && ++index[d] == target.extent(d); --d) index[d] = 0;
    }
    return true;
  }
  // Takes the words where the elements of `source` are what lies at `target`.
  template <class Words>
  void suspect(const Layout& target, const Layout& source, const Words& words) {
    if (found_.empty() && target.size() > 0 && same(target, source, wrong_.plain)) found_ = words();
  }
  template <class Change, class Words>
  void suspect_change(const Change& change, const Words& words) {
    if (!found_.empty()) return;
    bool right = true;
    Layout::Index index{};
    for (std::int64_t i = 0; right && i < target_.size(); ++i) {
      right = bits_at(target_, wrong_.packed, target_.address(index)) ==
              change(bits_at(plain_, wrong_.plain, plain_.address(index)));
      for (int d = target_.rank() - 1; d >= 0 && ++index[d] == target_.extent(d); --d) index[d] = 0;
    }
    if (right) found_ = words();
  }

  // Every element times the same, which the largest tells best.
  void factor_mistakes() {
    if (!dtype_info(target_.dtype()).is_float || target_.unit_bits() != 8) return;
    const FloatFormat& format = float_format(target_.dtype());
    const double tolerance = std::ldexp(1.0, 1 - std::min(format.mantissa_bits, 21));
    const double smallest = std::ldexp(1.0, format.min_exponent() - format.mantissa_bits);
    // visit(wanted, found) until it returns false.
    const auto for_each_pair = [&](const auto& visit) {
      Layout::Index index{};
      for (std::int64_t i = 0; i < target_.size(); ++i) {
        const std::int64_t at = target_.address(index);
        if (!inside(target_, at, wrong_.packed.size())) return false;
        const float want =
            format_to_float(bits_at(plain_, wrong_.plain, plain_.address(index)), format);
        const float got = format_to_float(bits_at(target_, wrong_.packed, at), format);
        if (!visit(static_cast<double>(want), static_cast<double>(got))) return false;
        for (int d = target_.rank() - 1; d >= 0 && ++index[d] == target_.extent(d); --d)
          index[d] = 0;
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
      found_ = tr("every element is {:.6g} times what it has to be", factor);
  }

  void value_mistakes() {
    const int bits = dtype_bits(target_.dtype());
    suspect_change([](Bits) { return Bits{0}; }, [] { return tr("all elements are zero"); });
    if (bits == 16) {
      suspect_change([](Bits b) { return (b >> 8 | b << 8) & 0xffffU; },
                     [] { return tr("the bytes of every element stand in the opposite order"); });
    } else if (bits == 32) {
      suspect_change([](Bits b) { return __builtin_bswap32(b); },
                     [] { return tr("the bytes of every element stand in the opposite order"); });
      suspect_change([](Bits b) { return b >> 16 | b << 16; },
                     [] { return tr("the 16-bit halves of every element are swapped"); });
    } else if (bits == 8) {
      suspect_change(
          [](Bits b) { return b ^ 0x80U; },
          [] { return tr("every element is off by 128: signed and unsigned are mixed up"); });
    }
    if (found_.empty()) factor_mistakes();
  }

  void axis_mistakes() {
    const int rank = target_.rank();
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    while (rank <= 5 && std::next_permutation(order.begin(), order.end())) {
      // The elements of the array, taken as if its axes stood in this order.
      std::vector<std::int64_t> strides(static_cast<std::size_t>(rank));
      std::int64_t stride = plain_.element_units();
      for (int k = rank - 1; k >= 0; --k) {
        const int d = order[static_cast<std::size_t>(k)];
        strides[static_cast<std::size_t>(d)] = stride;
        stride *= plain_.extent(d);
      }
      Layout read(plain_.dtype());
      for (int d = 0; d < rank; ++d)
        read.add_dim(plain_.extent(d), {{1, strides[static_cast<std::size_t>(d)]}});
      if (read.same_addresses(plain_)) continue;
      suspect(target_, read, [&] { return order_words(order); });
    }
    turned_mistakes();
    for (int d = 0; d < rank; ++d) {
      if (plain_.extent(d) < 2) continue;
      suspect(target_, backwards(plain_, d), [&] { return tr("{} runs backwards", axis(d)); });
      for (int e = d + 1; e < rank; ++e) {
        if (plain_.extent(e) < 2) continue;
        suspect(target_, backwards(backwards(plain_, d), e),
                [&] { return tr("{} and {} run backwards: turned by half", axis(d), axis(e)); });
      }
      suspect(target_,
              edited(plain_, d,
                     [](std::vector<Digit>& digits, std::int64_t&) { digits[0].stride = 0; }),
              [&] { return tr("every {} holds what belongs to {} 0", axis(d), axis(d)); });
    }
  }
  // The array was transposed, and packed with the shape that it had before.
  void turned_mistakes() {
    const int rank = target_.rank();
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    while (found_.empty() && rank <= 5 && std::next_permutation(order.begin(), order.end())) {
      Layout::Index index{}, turned{};
      bool right = true;
      for (std::int64_t i = 0; right && i < target_.size(); ++i) {
        const std::int64_t at = target_.address(index);
        right = inside(target_, at, wrong_.packed.size()) &&
                bits_at(target_, wrong_.packed, at) ==
                    bits_at(plain_, wrong_.plain, plain_.address(turned));
        for (int d = rank - 1; d >= 0 && ++index[d] == target_.extent(d); --d) index[d] = 0;
        for (int k = rank - 1; k >= 0; --k) {
          const int d = order[static_cast<std::size_t>(k)];
          if (++turned[d] < target_.extent(d)) break;
          turned[d] = 0;
        }
      }
      if (!right || target_.size() == 0) continue;
      std::vector<std::string> names;
      for (const int d : order) names.push_back(axis(d));
      found_ = tr("it was turned to ({}) first and packed with the shape from before",
                  fmt::join(names, ", "));
    }
  }
  std::string order_words(const std::vector<int>& order) const {
    std::vector<std::string> names;
    std::vector<int> moved;
    for (std::size_t k = 0; k < order.size(); ++k) {
      names.push_back(axis(order[k]));
      if (order[k] != static_cast<int>(k)) moved.push_back(static_cast<int>(k));
    }
    const std::string text = fmt::format("{}", fmt::join(names, ", "));
    if (moved.size() == 2) {
      return tr("{} and {} are swapped: the original was taken as ({})", axis(moved[0]),
                axis(moved[1]), text);
    }
    return tr("the axes are in another order: the original was taken as ({})", text);
  }

  void group_mistakes() {
    for (int d = 0; d < target_.rank(); ++d) {
      const std::span<const Digit> digits = target_.digits(d);
      const Digit inner = digits.front();
      if (digits.size() < 2 || inner.extent < 2 || target_.offset(d) != 0) continue;
      suspect(edited(target_, d,
                     [&](std::vector<Digit>& all, std::int64_t& base) {
                       base += all[0].stride * (all[0].extent - 1);
                       all[0].stride = -all[0].stride;
                     }),
              plain_, [&] {
                return tr("the {} elements of {} that stand side by side are in the opposite order",
                          inner.extent, axis(d));
              });
      if (digits.size() != 2) continue;
      const std::int64_t groups = ceil_div(target_.extent(d), inner.extent);
      if (groups < 2) continue;
      suspect(edited(target_, d,
                     [&](std::vector<Digit>& all, std::int64_t&) {
                       all = {{groups, digits[1].stride}, {1, inner.stride}};
                     }),
              plain_, [&] {
                return tr("side by side stand elements of {} that are {} apart, not neighbours",
                          axis(d), groups);
              });
    }
  }

  // Elements that stand side by side in another order: any of up to four, else pairs or halves.
  void lane_mistakes() {
    for (int d = 0; d < target_.rank(); ++d) {
      const std::int64_t lanes = target_.digits(d).front().extent;
      if (target_.digits(d).size() < 2 || lanes < 2 || lanes > 64 || target_.offset(d) != 0)
        continue;
      std::vector<std::int64_t> order(static_cast<std::size_t>(lanes));
      std::iota(order.begin(), order.end(), 0);
      if (lanes <= 4) {
        while (std::next_permutation(order.begin(), order.end())) suspect_lanes(d, order);
        continue;
      }
      for (const std::int64_t by : {std::int64_t{1}, lanes / 2}) {
        for (std::int64_t i = 0; lanes % (2 * by) == 0 && i < lanes; ++i)
          order[static_cast<std::size_t>(i)] = i ^ by;
        if (lanes % 2 == 0 && (lanes & (lanes - 1)) == 0) suspect_lanes(d, order);
      }
    }
  }
  // In lane i of axis d stands what belongs to lane order[i].
  void suspect_lanes(int d, const std::vector<std::int64_t>& order) {
    if (!found_.empty()) return;
    const std::int64_t lanes = std::ssize(order);
    std::int64_t right = 0;
    Layout::Index index{};
    for (std::int64_t i = 0; i < target_.size(); ++i) {
      Layout::Index from = index;
      from[d] = index[d] / lanes * lanes + order[static_cast<std::size_t>(index[d] % lanes)];
      const std::int64_t at = target_.address(index);
      if (from[d] < target_.extent(d)) {  // else padding
        if (!inside(target_, at, wrong_.packed.size()) ||
            bits_at(target_, wrong_.packed, at) !=
                bits_at(plain_, wrong_.plain, plain_.address(from)))
          return;
        ++right;
      }
      for (int k = target_.rank() - 1; k >= 0 && ++index[k] == target_.extent(k); --k) index[k] = 0;
    }
    if (right * 2 > target_.size())
      found_ = tr("the {} elements of {} that stand side by side are in the order {}", lanes,
                  axis(d), fmt::join(order, ", "));
  }

  void place_mistakes() {
    for (std::int64_t by = 1; by <= 256; ++by) {
      for (const std::int64_t sign : {1, -1}) {
        // What is pushed over an end is gone; the rest has to be there.
        Layout moved = target_;
        moved.set_base(target_.base() + sign * by);
        if (!found_.empty() || !moved_by(moved)) continue;
        const std::int64_t bytes = by * target_.unit_bits() / 8;
        found_ = target_.unit_bits() == 4 && by % 2 == 1
                     ? tr("every element lies an odd number of nibbles from its place")
                 : sign > 0 ? tr("every element lies {} bytes behind its place", bytes)
                            : tr("every element lies {} bytes before its place", bytes);
      }
    }
    if (!wrong_.to.is_local()) return;
    LayoutSpec spec = wrong_.to.spec;
    for (std::int64_t npu = 0; !wrong_.to.info->written && npu < wrong_.to.memory().npus; ++npu) {
      spec.start_npu = npu;
      if (npu != wrong_.to.spec.start_npu) {
        suspect_layout(
            spec, [&] { return tr("it begins at NPU {}, not {}", npu, wrong_.to.spec.start_npu); });
      }
    }
  }
  bool moved_by(const Layout& moved) const {
    std::int64_t right = 0;
    Layout::Index index{};
    for (std::int64_t i = 0; i < moved.size(); ++i) {
      const std::int64_t at = moved.address(index);
      if (inside(moved, at, wrong_.packed.size())) {
        if (bits_at(moved, wrong_.packed, at) !=
            bits_at(plain_, wrong_.plain, plain_.address(index)))
          return false;
        ++right;
      }
      for (int d = moved.rank() - 1; d >= 0 && ++index[d] == moved.extent(d); --d) index[d] = 0;
    }
    return right * 2 > moved.size();
  }

  // As if the tensor were packed like that.
  template <class Words>
  void suspect_layout(const LayoutSpec& spec, const Words& words) {
    if (!found_.empty()) return;
    try {
      const NamedLayout other = make_layout(spec);
      if (!other.holds_elements || other.axes.size() != wrong_.to.axes.size()) return;
      Layout layout = memory_layout(other);
      if (other.is_local() && wrong_.to.is_local() &&
          other.bytes_per_npu <= wrong_.to.bytes_per_npu)
        layout.set_npu_bytes(wrong_.to.bytes_per_npu);
      layout = layout.permuted(wrong_.to.axes.places_in(other.axes));
      for (int d = 0; d < layout.rank(); ++d) {
        if (layout.extent(d) != target_.extent(d)) return;
      }
      suspect(layout, plain_, words);
    } catch (const UserError&) {  // no layout of this tensor
    }
  }

  void layout_mistakes() {
    const NamedLayout& to = wrong_.to;
    for (const LayoutInfo& info : layouts_of(to.spec.system)) {
      if (&info == to.info || info.winograd || info.axes.size() != to.axes.size() ||
          !info.axes.permutes(to.axes))
        continue;
      LayoutSpec spec = to.spec;
      spec.layout = info.name;
      spec.shape = converted_shape(info.axes, to.axes, to.spec.shape);
      spec.strides.clear();
      spec.offset = 0;
      suspect_layout(spec, [&] {
        return info.row_major
                   ? tr("it is not packed: the elements stand row by row, as {}", info.name)
                   : tr("it is packed as {}, not as {}", info.name, to.name());
      });
    }
    if (!to.spec.cols_per_channel) return;
    LayoutSpec spec = to.spec;
    for (std::int64_t width = 1; width <= std::min<std::int64_t>(4096, to.spec.shape.back());
         ++width) {
      spec.cols_per_channel = width;
      suspect_layout(spec, [&] {
        return tr("a channel has {} columns, not {}", width, *to.spec.cols_per_channel);
      });
    }
  }

  // The same digits one behind the other in another order, or blocks of another size. There are
  // thousands, of which an element or two tell most: of tensors of few values not all are tried.
  void order_mistakes() {
    if (wrong_.to.is_local()) return;
    const Axes& axes = wrong_.to.axes;
    const std::int64_t most = compared_ + (std::int64_t{1} << 26);
    for_each_row_major_order(target_, axes, [&](const Layout& layout, const std::string& text) {
      suspect(layout, plain_,
              [&] { return tr("it is not packed: the elements stand row by row, as {}", text); });
    });
    for_each_order_of_digits(target_, axes, [&](const Layout& layout, const std::string& text) {
      if (compared_ > most) return;
      suspect(layout, plain_,
              [&] { return tr("it is packed as {}, not as {}", text, wrong_.to.name()); });
    });
  }

  void neighbour_mistakes() {
    for (int d = 0; d < target_.rank(); ++d) {
      for (std::int64_t by = 1; by <= 4 && by < plain_.extent(d); ++by) {
        const std::int64_t rest = plain_.extent(d) - by;
        suspect(target_.slice(d, 0, rest), plain_.slice(d, by, rest), [&] {
          return tr("{} is off by {}: {} 0 holds what belongs to {}", axis(d), by, axis(d), by);
        });
        suspect(target_.slice(d, by, rest), plain_.slice(d, 0, rest), [&] {
          return tr("{} is off by {}: {} {} holds what belongs to 0", axis(d), by, axis(d), by);
        });
      }
    }
  }

  // Values that were converted otherwise.
  void type_mistakes() {
    if (!found_.empty() || !converts_values(wrong_.to.spec.dtype, wrong_.from.spec.dtype)) return;
    LayoutConversion conversion = wrong_.conversion;
    conversion.progress = {};
    const auto suspect_conversion = [&](Dtype dtype, const LayoutConversion& how,
                                        const auto& words) {
      if (!found_.empty()) return;
      try {
        LayoutSpec spec = wrong_.to.spec;
        spec.dtype = dtype;
        const NamedLayout other = make_layout(spec);
        if (other.total_bytes() != wrong_.to.total_bytes()) return;
        const std::vector<std::byte> bytes = convert(other, wrong_.from, wrong_.original, how);
        if (same(target_, target_, bytes)) found_ = words();
      } catch (const UserError&) {  // no such conversion
      }
    };
    for (int mode = 0; mode < kFloatRoundingModeCount; ++mode) {
      LayoutConversion rounded = conversion;
      rounded.element.rounding = static_cast<RoundingMode>(mode);
      suspect_conversion(wrong_.to.spec.dtype, rounded, [&] {
        return tr("the elements are rounded {}, not {}",
                  rounding_mode_name(rounded.element.rounding),
                  rounding_mode_name(wrong_.conversion.element.rounding));
      });
    }
    LayoutConversion saturated = conversion;
    saturated.element.overflow = conversion.element.overflow == OverflowRule::kSaturate
                                     ? OverflowRule::kByMode
                                     : OverflowRule::kSaturate;
    suspect_conversion(wrong_.to.spec.dtype, saturated, [] {
      return tr("what is too large became the other of infinity and the largest number");
    });
    for (const DtypeInfo& type : all_dtypes()) {
      if (dtype_bits(type.dtype) != dtype_bits(wrong_.to.spec.dtype)) continue;
      suspect_conversion(type.dtype, conversion, [&] {
        return tr("the elements are {}, not {}", type.name, dtype_name(wrong_.to.spec.dtype));
      });
    }
    if (!dtype_info(wrong_.from.spec.dtype).is_float) return;
    for (const Dtype between : {Dtype::kBf16, Dtype::kFp16}) {
      for (const RoundingMode mode : {RoundingMode::kHalfToEven, RoundingMode::kTowardsZero}) {
        if (!found_.empty() || between == wrong_.from.spec.dtype) continue;
        LayoutConversion first = conversion;
        first.element.rounding = mode;
        try {
          LayoutSpec spec = wrong_.from.spec;
          spec.dtype = between;
          const NamedLayout rounded = make_layout(spec);
          const std::vector<std::byte> less = convert(rounded, wrong_.from, wrong_.original, first);
          if (same(target_, target_, convert(wrong_.to, rounded, less, conversion)))
            found_ = tr("the elements were {} on their way", dtype_name(between));
        } catch (const UserError&) {  // no such conversion
        }
      }
    }
  }

  // The slices across an axis in another order.
  void slice_mistakes() {
    const auto packed = [&](const Layout::Index& index) {
      const std::int64_t at = target_.address(index);
      return inside(target_, at, wrong_.packed.size()) ? bits_at(target_, wrong_.packed, at)
                                                       : Bits{0};
    };
    const auto right = [&](const Layout::Index& index) {
      return bits_at(plain_, wrong_.plain, plain_.address(index));
    };
    for (int d = 0; found_.empty() && d < target_.rank(); ++d) {
      const std::vector<std::int64_t> order = order_of_slices(target_, d, packed, right);
      if (!order.empty()) found_ = words_of_order(axis(d), order);
    }
  }

  // All is zero from a byte on.
  void cut_mistakes() {
    std::int64_t first = -1, last = -1;
    Layout::Index index{};
    const auto next = [&] {
      for (int d = target_.rank() - 1; d >= 0 && ++index[d] == target_.extent(d); --d) index[d] = 0;
    };
    for_each_difference(target_, wrong_.packed, plain_, wrong_.plain,
                        [&](const Layout::Index& wrong, Bits, Bits) {
                          const std::int64_t at = target_.address(wrong);
                          if (first < 0 || at < first) first = at;
                          last = std::max(last, at);
                          return true;
                        });
    for (std::int64_t i = 0; i < target_.size(); ++i, next()) {
      const std::int64_t at = target_.address(index);
      if (at >= first &&
          (!inside(target_, at, wrong_.packed.size()) || bits_at(target_, wrong_.packed, at) != 0))
        return;
    }
    if (first < last)
      found_ = tr("from byte {} on all is zero, as if the rest had not been written",
                  first * target_.unit_bits() / 8);
  }

  // Where all that differs is one box of indices.
  void partial_mistakes() {
    Layout::Index low{}, high{};
    std::int64_t count = 0;
    bool zero = true;
    for_each_difference(target_, wrong_.packed, plain_, wrong_.plain,
                        [&](const Layout::Index& index, Bits, Bits found) {
                          for (int d = 0; d < target_.rank(); ++d) {
                            low[d] = count == 0 ? index[d] : std::min(low[d], index[d]);
                            high[d] = count == 0 ? index[d] : std::max(high[d], index[d]);
                          }
                          zero = zero && found == 0;
                          ++count;
                          return true;
                        });
    std::int64_t box = 1;
    std::vector<std::string> ranges;
    for (int d = 0; d < target_.rank(); ++d) {
      box *= high[d] - low[d] + 1;
      if (low[d] == 0 && high[d] + 1 == target_.extent(d)) continue;
      ranges.push_back(low[d] == high[d] ? fmt::format("{} = {}", axis(d), low[d])
                                         : fmt::format("{} = {} .. {}", axis(d), low[d], high[d]));
    }
    if (ranges.empty() || box != count) return;
    const std::string text = fmt::format("{}", fmt::join(ranges, ", "));
    found_ = zero ? tr("only {} is wrong: it is zero, as if never written", text)
                  : tr("only {} is wrong", text);
  }

  const WrongPacking& wrong_;
  Layout target_, plain_;
  std::string found_;
  std::int64_t compared_ = 0;  // elements, all layouts together
};

}  // namespace

void for_each_difference(
    const Layout& target, std::span<const std::byte> packed, const Layout& source,
    std::span<const std::byte> plain,
    const std::function<bool(const Layout::Index&, std::uint32_t, std::uint32_t)>& visit) {
  Layout::Index index{};
  for (std::int64_t i = 0; i < target.size(); ++i) {
    const std::int64_t at = target.address(index);
    const Bits want = bits_at(source, plain, source.address(index));
    const bool there = inside(target, at, packed.size());
    const Bits got = there ? bits_at(target, packed, at) : ~want;
    if (got != want && !visit(index, want, got)) return;
    for (int d = target.rank() - 1; d >= 0 && ++index[d] == target.extent(d); --d) index[d] = 0;
  }
}

std::string explain_packing(const WrongPacking& wrong) {
  return Explanation(wrong).text();
}

}  // namespace tensorlane
