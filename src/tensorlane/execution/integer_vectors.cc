#include "tensorlane/execution/integer_vectors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/execution/integer_vectors.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/execution/row_loops_inl.h"

// What the vectors of every instruction set share.
#ifndef TENSORLANE_EXECUTION_INTEGER_VECTORS_PLAN
#define TENSORLANE_EXECUTION_INTEGER_VECTORS_PLAN
namespace tensorlane::simd {

// A rule with its numbers worked out. A right shift rounds by what is added before:
// base, `even` where the last bit that stays is set, `negative` where the value is negative.
struct IntegerSteps {
  IntegerOperation operation;
  int left, right;
  std::int64_t base, even, negative;
  std::int64_t least, most;  // of the result; the whole range of the lanes: it keeps the low bits
  std::array<Dtype, 3> sources;
  int source_count;
  Dtype dst;
};
using RunIntegers = void (*)(const IntegerSteps& steps, const Row& frame);

}  // namespace tensorlane::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kIntegersAtATime = 1024;
constexpr std::int64_t kSlack = 64;  // elements that a vector may write too many

template <class Wide>
using IntegerTag = hn::ScalableTag<Wide>;
template <class Wide>
constexpr auto kIntegerLanes = static_cast<std::int64_t>(hn::MaxLanes(IntegerTag<Wide>()));

// ---- widening and narrowing ----

template <class Wide, class T, class Narrow>
HWY_INLINE hn::Vec<IntegerTag<Wide>> widen(Narrow narrow) {
  const IntegerTag<Wide> d;
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return hn::BitCast(d, narrow);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return hn::BitCast(d, hn::PromoteTo(hn::RebindToUnsigned<IntegerTag<Wide>>(), narrow));
  } else if constexpr (sizeof(Wide) == 8 && sizeof(T) < 4) {
    return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<std::int32_t, IntegerTag<Wide>>(), narrow));
  } else {
    return hn::PromoteTo(d, narrow);
  }
}

// `rows` rows of `count` elements, `step` bytes apart, one row behind the other.
template <class Wide, class T>
void load_rows(const std::byte* from, std::int64_t step, std::int64_t next, std::int64_t rows,
               std::int64_t count, Wide* to) {
  const IntegerTag<Wide> d;
  const hn::Rebind<T, IntegerTag<Wide>> narrow;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const auto rest_mask = hn::FirstN(narrow, static_cast<std::size_t>(count % kLanes));
  for (std::int64_t r = 0; r < rows; ++r, from += next, to += count) {
    std::int64_t i = 0;
    if (step == sizeof(T)) {
      const auto* const dense = reinterpret_cast<const T*>(from);
      for (; i + kLanes <= count; i += kLanes)
        hn::StoreU(widen<Wide, T>(hn::LoadU(narrow, dense + i)), d, to + i);
      if constexpr (kHasMasks<T>) {
        if (i < count)
          hn::StoreU(widen<Wide, T>(hn::MaskedLoad(rest_mask, narrow, dense + i)), d, to + i);
        continue;
      }
    }
    for (; i < count; ++i) to[i] = static_cast<Wide>(load_element<T>(from + i * step));
  }
}

template <class Wide, class T>
void store_rows(const Wide* from, std::int64_t rows, std::int64_t count, std::byte* to,
                std::int64_t step, std::int64_t next) {
  using Unsigned = hn::RebindToUnsigned<IntegerTag<Wide>>;
  const IntegerTag<Wide> d;
  const hn::Rebind<T, Unsigned> narrow;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const auto narrowed = [&](const Wide* at) HWY_ATTR {
    const auto bits = hn::BitCast(Unsigned(), hn::LoadU(d, at));
    if constexpr (sizeof(T) == sizeof(Wide)) {
      return bits;
    } else {
      return hn::TruncateTo(narrow, bits);
    }
  };
  const auto rest_mask = hn::FirstN(narrow, static_cast<std::size_t>(count % kLanes));
  for (std::int64_t r = 0; r < rows; ++r, from += count, to += next) {
    std::int64_t i = 0;
    if (step == sizeof(T)) {
      auto* const dense = reinterpret_cast<T*>(to);
      for (; i + kLanes <= count; i += kLanes) hn::StoreU(narrowed(from + i), narrow, dense + i);
      if constexpr (kHasMasks<T>) {
        if (i < count) hn::BlendedStore(narrowed(from + i), rest_mask, narrow, dense + i);
        continue;
      }
    }
    for (; i < count; ++i) store_element(to + i * step, static_cast<T>(from[i]));
  }
}

template <class Wide>
void load_rows_of(Dtype dtype, const std::byte* from, std::int64_t step, std::int64_t next,
                  std::int64_t rows, std::int64_t count, Wide* to) {
  switch (dtype) {
    case Dtype::kInt8:
      return load_rows<Wide, std::int8_t>(from, step, next, rows, count, to);
    case Dtype::kUint8:
      return load_rows<Wide, std::uint8_t>(from, step, next, rows, count, to);
    case Dtype::kInt16:
      return load_rows<Wide, std::int16_t>(from, step, next, rows, count, to);
    case Dtype::kUint16:
      return load_rows<Wide, std::uint16_t>(from, step, next, rows, count, to);
    case Dtype::kInt32:
      return load_rows<Wide, std::int32_t>(from, step, next, rows, count, to);
    default:
      return load_rows<Wide, std::uint32_t>(from, step, next, rows, count, to);
  }
}
template <class Wide>
void store_rows_of(Dtype dtype, const Wide* from, std::int64_t rows, std::int64_t count,
                   std::byte* to, std::int64_t step, std::int64_t next) {
  switch (dtype_bits(dtype)) {
    case 8:
      return store_rows<Wide, std::uint8_t>(from, rows, count, to, step, next);
    case 16:
      return store_rows<Wide, std::uint16_t>(from, rows, count, to, step, next);
    default:
      return store_rows<Wide, std::uint32_t>(from, rows, count, to, step, next);
  }
}

// ---- arithmetic ----

// The low 32 bits of 64-bit lanes hold the factors, as signed numbers.
template <class Wide, class V>
HWY_INLINE V product(V a, V b) {
  if constexpr (sizeof(Wide) == 4) {
    return hn::Mul(a, b);
  } else {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(IntegerTag<Wide>(), hn::GetLane(a) * hn::GetLane(b));
#else
    const hn::RepartitionToNarrow<IntegerTag<Wide>> halves;
    return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
#endif
  }
}

template <class Wide, IntegerOperation kOperation>
void compute(const IntegerSteps& given, const Wide* x, const Wide* y, const Wide* z,
             std::int64_t count, Wide* result) {
  const IntegerTag<Wide> d;
  const IntegerSteps steps = given;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const auto set = [d](std::int64_t value)
                       HWY_ATTR { return hn::Set(d, static_cast<Wide>(value)); };
  const auto base = set(steps.base), even = set(steps.even), negative = set(steps.negative);
  const auto least = set(steps.least), most = set(steps.most);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const auto a = hn::LoadU(d, x + i);
    const auto b = kOperation == IntegerOperation::kFirst ? a : hn::LoadU(d, y + i);
    auto value = a;
    if constexpr (kOperation == IntegerOperation::kAdd) value = hn::Add(a, b);
    if constexpr (kOperation == IntegerOperation::kSubtract) value = hn::Sub(a, b);
    if constexpr (kOperation == IntegerOperation::kMultiply) value = product<Wide>(a, b);
    if constexpr (kOperation == IntegerOperation::kMaximum) value = hn::Max(a, b);
    if constexpr (kOperation == IntegerOperation::kMinimum) value = hn::Min(a, b);
    if (steps.left != 0) value = hn::ShiftLeftSame(value, steps.left);
    if constexpr (kOperation == IntegerOperation::kMultiplyAdd)
      value = hn::Add(value, product<Wide>(b, hn::LoadU(d, z + i)));
    if (steps.right != 0) {
      const auto last_bit = hn::And(hn::ShiftRightSame(value, steps.right), even);
      const auto of_sign = hn::And(hn::BroadcastSignBit(value), negative);
      const auto up = hn::Add(base, hn::Add(last_bit, of_sign));
      value = hn::ShiftRightSame(hn::Add(value, up), steps.right);
    }
    hn::StoreU(hn::Min(hn::Max(value, least), most), d, result + i);
  }
}
template <class Wide>
void compute_of(const IntegerSteps& steps, const Wide* x, const Wide* y, const Wide* z,
                std::int64_t count, Wide* result) {
  using Operation = IntegerOperation;
  switch (steps.operation) {
    case Operation::kAdd:
      return compute<Wide, Operation::kAdd>(steps, x, y, z, count, result);
    case Operation::kSubtract:
      return compute<Wide, Operation::kSubtract>(steps, x, y, z, count, result);
    case Operation::kMultiply:
      return compute<Wide, Operation::kMultiply>(steps, x, y, z, count, result);
    case Operation::kMultiplyAdd:
      return compute<Wide, Operation::kMultiplyAdd>(steps, x, y, z, count, result);
    case Operation::kFirst:
      return compute<Wide, Operation::kFirst>(steps, x, y, z, count, result);
    case Operation::kMaximum:
      return compute<Wide, Operation::kMaximum>(steps, x, y, z, count, result);
    case Operation::kMinimum:
      return compute<Wide, Operation::kMinimum>(steps, x, y, z, count, result);
  }
}

// ---- rows ----

template <class Wide>
void run_integers(const IntegerSteps& steps, const Row& frame) {
  // Left uninitialised, and elements behind the last one take part: their results go nowhere.
  HWY_ALIGN Wide chunk[3][kIntegersAtATime + kSlack];
  const auto never_moves = [&](std::size_t k) {
    return frame.src_step[k] == 0 && frame.src_next[k] == 0 && frame.src_block[k] == 0;
  };
  const std::int64_t piece = std::min(frame.count, kIntegersAtATime);
  const std::int64_t rows_at_a_time = std::max<std::int64_t>(1, kIntegersAtATime / frame.count);
  const auto sources = static_cast<std::size_t>(steps.source_count);
  for (std::size_t k = 0; k < sources; ++k) {
    if (never_moves(k)) {
      const std::int64_t most = std::min(frame.rows, rows_at_a_time) * piece;
      load_rows_of(steps.sources[k], frame.src[k], 0, 0, 1, most, chunk[k]);
    }
  }
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; r += rows_at_a_time) {
      const std::int64_t rows = std::min(rows_at_a_time, frame.rows - r);
      for (std::int64_t i = 0; i < frame.count; i += piece) {
        const std::int64_t count = std::min(piece, frame.count - i);
        for (std::size_t k = 0; k < sources; ++k) {
          if (never_moves(k)) continue;
          load_rows_of(
              steps.sources[k],
              frame.src[k] + b * frame.src_block[k] + r * frame.src_next[k] + i * frame.src_step[k],
              frame.src_step[k], frame.src_next[k], rows, count, chunk[k]);
        }
        // In place of no source that stays for the next chunk.
        HWY_ALIGN Wide result[kIntegersAtATime + kSlack];
        compute_of(steps, chunk[0], chunk[1], chunk[2], rows * count, result);
        store_rows_of(steps.dst, result, rows, count,
                      frame.dst + b * frame.dst_block + r * frame.dst_next + i * frame.dst_step,
                      frame.dst_step, frame.dst_next);
      }
    }
  }
}

RunIntegers find_run(bool narrow) {
  return narrow ? run_integers<std::int32_t> : run_integers<std::int64_t>;
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_run);

RunIntegers run_of_processor(bool narrow) {
  return HWY_DYNAMIC_DISPATCH(find_run)(narrow);
}

// Exact bounds of a step: products of two 32-bit numbers and more.
__extension__ using Exact = __int128;
struct Bounds {
  Exact least, most;

  static Bounds of(Dtype dtype) {
    const IntegerRange range = integer_range(dtype);
    return {range.min, range.max};
  }
  friend Bounds operator+(const Bounds& a, const Bounds& b) {
    return {a.least + b.least, a.most + b.most};
  }
  friend Bounds operator-(const Bounds& a, const Bounds& b) {
    return {a.least - b.most, a.most - b.least};
  }
  friend Bounds operator*(const Bounds& a, const Bounds& b) {
    const auto [least, most] =
        std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
    return {least, most};
  }
  Bounds shifted_left(int shift) const {
    const Exact factor = Exact{1} << shift;
    return {least * factor, most * factor};
  }
  template <class Wide>
  bool fit() const {
    return least >= std::numeric_limits<Wide>::min() && most <= std::numeric_limits<Wide>::max();
  }
};

// Of what is shifted right.
Bounds bounds_of(const IntegerRule& rule, std::span<const Dtype> sources) {
  const Bounds a = Bounds::of(sources[0]);
  if (rule.operation == IntegerOperation::kFirst) return a.shifted_left(rule.left);
  const Bounds b = Bounds::of(sources[1]);
  switch (rule.operation) {
    case IntegerOperation::kAdd:
      return (a + b).shifted_left(rule.left);
    case IntegerOperation::kSubtract:
      return (a - b).shifted_left(rule.left);
    case IntegerOperation::kMultiply:
      return (a * b).shifted_left(rule.left);
    case IntegerOperation::kMultiplyAdd:
      return a.shifted_left(rule.left) + b * Bounds::of(sources[2]);
    default:
      return Bounds{std::min(a.least, b.least), std::max(a.most, b.most)}.shifted_left(rule.left);
  }
}

// What rounding adds before a right shift.
void set_rounding(const IntegerRule& rule, IntegerSteps& steps) {
  const std::int64_t rest = (std::int64_t{1} << rule.right) - 1;  // the most that is shifted out
  const std::int64_t half = (rest + 1) / 2;
  switch (rule.mode) {
    case RoundingMode::kHalfToEven:
      steps.base = half - 1;
      steps.even = 1;
      break;
    case RoundingMode::kHalfAwayFromZero:
      steps.base = half;
      steps.negative = -1;
      break;
    case RoundingMode::kTowardsZero:
      steps.negative = rest;
      break;
    case RoundingMode::kDown:
      break;
    case RoundingMode::kUp:
      steps.base = rest;
      break;
    case RoundingMode::kHalfUp:
      steps.base = half;
      break;
    case RoundingMode::kHalfDown:
      steps.base = half - 1;
      break;
  }
}

bool is_integer(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
    case Dtype::kUint8:
    case Dtype::kInt16:
    case Dtype::kUint16:
    case Dtype::kInt32:
    case Dtype::kUint32:
      return true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace simd

RowFunction integer_vector_row(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  using simd::Bounds;
  constexpr int kMostShift = 62;
  if (!simd::is_integer(dst) || !std::ranges::all_of(sources, simd::is_integer)) return {};
  if (rule.left > kMostShift || rule.right > kMostShift) return {};
  simd::IntegerSteps steps{.operation = rule.operation,
                           .left = rule.left,
                           .right = rule.right,
                           .base = 0,
                           .even = 0,
                           .negative = 0,
                           .least = std::numeric_limits<std::int64_t>::min(),
                           .most = std::numeric_limits<std::int64_t>::max(),
                           .sources = {},
                           .source_count = static_cast<int>(sources.size()),
                           .dst = dst};
  std::ranges::copy(sources, steps.sources.begin());
  if (rule.right > 0) simd::set_rounding(rule, steps);
  Bounds bounds = simd::bounds_of(rule, sources);
  if (rule.right > 0) bounds.most += simd::Exact{1} << rule.right;  // rounding adds less
  if (rule.operation == IntegerOperation::kMultiplyAdd) {
    // Each term on its own as well.
    const Bounds product = Bounds::of(sources[1]) * Bounds::of(sources[2]);
    bounds = {std::min(bounds.least, product.least), std::max(bounds.most, product.most)};
  }
  const bool low_bits = !rule.saturate && rule.right == 0 && rule.left < 32 &&
                        rule.operation < IntegerOperation::kMaximum;
  const bool narrow =
      low_bits ||
      (bounds.fit<std::int32_t>() && rule.left < 32 &&
       std::ranges::none_of(sources, [](Dtype dtype) { return dtype == Dtype::kUint32; }));
  if (!narrow) {
    // Products take signed factors of 32 bits.
    const bool multiplies = rule.operation == IntegerOperation::kMultiply ||
                            rule.operation == IntegerOperation::kMultiplyAdd;
    if (!bounds.fit<std::int64_t>()) return {};
    if (multiplies && std::ranges::count(sources, Dtype::kUint32) > 0) return {};
  }
  if (rule.saturate) {
    const IntegerRange range = integer_range(dst);
    steps.least = range.min;
    steps.most = range.max;
  }
  if (narrow) {
    using Limits = std::numeric_limits<std::int32_t>;
    steps.least = std::max<std::int64_t>(steps.least, Limits::min());
    steps.most = std::min<std::int64_t>(steps.most, Limits::max());
  }
  return [steps, run = simd::run_of_processor(narrow)](const Row& frame) { run(steps, frame); };
}

namespace {

// The operands of a function, but for the destination.
struct IntegerOperands {
  std::vector<IntegerSource> sources;
  std::vector<std::string_view> names;

  explicit IntegerOperands(std::vector<IntegerSource> list) : sources(std::move(list)) {
    for (const IntegerSource& source : sources) names.push_back(source.param);
  }
  RowFunction row(const Command& command, std::string_view dst, const IntegerRule& rule) const {
    std::array<Dtype, 3> types{};
    for (std::size_t k = 0; k < sources.size(); ++k) types[k] = integer_type(command, sources[k]);
    return integer_vector_row(rule, {types.data(), sources.size()},
                              command.find(dst)->layout.dtype());
  }
};

// The functions of the shifts of all channels, by shift modulo 256; false where one is missing.
bool find_rows_by_shift(const Invocation& invocation, const Operand& shift,
                        const std::function<RowFunction(int)>& make,
                        std::vector<RowFunction>& rows) {
  rows.resize(256);
  const Layout& layout = shift.layout;
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    const auto value = load_element<std::int8_t>(invocation.base(shift) + layout.address(index));
    RowFunction& row = rows[static_cast<std::uint8_t>(value)];
    if (!row) row = make(value);
    if (!row) return false;
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
  return true;
}

// Calls f(part) for parts of a frame along which source k does not change.
template <class F>
void each_constant_part(const Row& frame, std::size_t k, const F& f) {
  if (frame.src_step[k] != 0) {
    return each_row(frame, [&](Row row) {
      const std::int64_t count = std::exchange(row.count, 1);
      for (std::int64_t i = 0; i < count; ++i) {
        f(row);
        row.dst += row.dst_step;
        for (std::size_t j = 0; j < row.src.size(); ++j) row.src[j] += row.src_step[j];
      }
    });
  }
  if (frame.src_next[k] != 0) return each_row(frame, f);
  Row rows = frame;
  rows.blocks = 1;
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    f(rows);
    rows.dst += frame.dst_block;
    for (std::size_t j = 0; j < rows.src.size(); ++j) rows.src[j] += frame.src_block[j];
  }
}

}  // namespace

std::vector<Implementation> integer_simd(std::string_view dst, std::vector<IntegerSource> sources,
                                         std::function<IntegerRule(const Command&)> rule,
                                         std::vector<Implementation> rest) {
  const auto run = [dst, operands = IntegerOperands(std::move(sources)),
                    rule = std::move(rule)](const Invocation& invocation) {
    const Command& command = invocation.command;
    const RowFunction row = operands.row(command, dst, rule(command));
    return row && run_rows(invocation, dst, operands.names, row);
  };
  rest.insert(rest.begin(), {"simd", run});
  return rest;
}

std::vector<Implementation> integer_simd_per_channel(
    std::string_view dst, std::vector<IntegerSource> sources, std::string_view shift,
    std::function<IntegerRule(const Command&, int shift)> rule, std::vector<Implementation> rest) {
  const auto run = [dst, shift, operands = IntegerOperands(std::move(sources)),
                    rule = std::move(rule)](const Invocation& invocation) {
    const Command& command = invocation.command;
    const auto make = [&](int value) { return operands.row(command, dst, rule(command, value)); };
    std::vector<RowFunction> rows;
    if (!find_rows_by_shift(invocation, *command.find(shift), make, rows)) return false;
    std::vector<std::string_view> names = operands.names;
    names.push_back(shift);
    const std::size_t last = names.size() - 1;
    return run_rows(invocation, dst, names, [&rows, last](const Row& frame) {
      each_constant_part(frame, last, [&](const Row& part) {
        rows[load_element<std::uint8_t>(part.src[last])](part);
      });
    });
  };
  rest.insert(rest.begin(), {"simd", run});
  return rest;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
