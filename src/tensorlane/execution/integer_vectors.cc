#include "tensorlane/execution/integer_vectors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/execution/integer_steps.h"
#include "tensorlane/execution/row_parts.h"
#include "tensorlane/execution/typed_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/execution/integer_vectors.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/execution/row_loops_inl.h"

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
  using Signed = hn::RebindToSigned<IntegerTag<Wide>>;
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return hn::BitCast(d, narrow);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return hn::BitCast(d, hn::PromoteTo(hn::RebindToUnsigned<IntegerTag<Wide>>(), narrow));
  } else if constexpr (sizeof(Wide) == 8 && sizeof(T) < 4) {
    const auto words = hn::PromoteTo(hn::Rebind<std::int32_t, IntegerTag<Wide>>(), narrow);
    return hn::BitCast(d, hn::PromoteTo(Signed(), words));
  } else {
    return hn::BitCast(d, hn::PromoteTo(Signed(), narrow));
  }
}

// `rows` rows of `count` elements side by side, `next` bytes apart, one row behind the other.
template <class Wide, class T>
void load_rows(const std::byte* from, std::int64_t next, std::int64_t rows, std::int64_t count,
               Wide* to) {
  const IntegerTag<Wide> d;
  const hn::Rebind<T, IntegerTag<Wide>> narrow;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const auto rest_mask = hn::FirstN(narrow, static_cast<std::size_t>(count % kLanes));
  for (std::int64_t r = 0; r < rows; ++r, from += next, to += count) {
    const auto* const dense = reinterpret_cast<const T*>(from);
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
      hn::StoreU(widen<Wide, T>(hn::LoadU(narrow, dense + i)), d, to + i);
    if constexpr (kHasMasks<T>) {
      if (i < count)
        hn::StoreU(widen<Wide, T>(hn::MaskedLoad(rest_mask, narrow, dense + i)), d, to + i);
    } else {
      for (; i < count; ++i)
        to[i] = static_cast<Wide>(load_element<T>(from + i * static_cast<std::int64_t>(sizeof(T))));
    }
  }
}

template <class Wide, class T>
void store_rows(const Wide* from, std::int64_t rows, std::int64_t count, std::byte* to,
                std::int64_t next) {
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
    auto* const dense = reinterpret_cast<T*>(to);
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) hn::StoreU(narrowed(from + i), narrow, dense + i);
    if constexpr (kHasMasks<T>) {
      if (i < count) hn::BlendedStore(narrowed(from + i), rest_mask, narrow, dense + i);
    } else {
      for (; i < count; ++i)
        store_element(to + i * static_cast<std::int64_t>(sizeof(T)), static_cast<T>(from[i]));
    }
  }
}

// Types wider than the lanes never come.
template <class Wide>
void load_rows_of(Dtype dtype, const std::byte* from, std::int64_t next, std::int64_t rows,
                  std::int64_t count, Wide* to) {
  switch (dtype) {
    case Dtype::kInt8:
      return load_rows<Wide, std::int8_t>(from, next, rows, count, to);
    case Dtype::kUint8:
      return load_rows<Wide, std::uint8_t>(from, next, rows, count, to);
    case Dtype::kInt16:
      return load_rows<Wide, std::int16_t>(from, next, rows, count, to);
    case Dtype::kUint16:
      return load_rows<Wide, std::uint16_t>(from, next, rows, count, to);
    default:
      break;
  }
  if constexpr (sizeof(Wide) >= 4) {
    if (dtype == Dtype::kInt32) return load_rows<Wide, std::int32_t>(from, next, rows, count, to);
    load_rows<Wide, std::uint32_t>(from, next, rows, count, to);
  }
}
template <class Wide>
void store_rows_of(Dtype dtype, const Wide* from, std::int64_t rows, std::int64_t count,
                   std::byte* to, std::int64_t next) {
  if (dtype_bits(dtype) == 8) return store_rows<Wide, std::uint8_t>(from, rows, count, to, next);
  if (dtype_bits(dtype) == 16) return store_rows<Wide, std::uint16_t>(from, rows, count, to, next);
  if constexpr (sizeof(Wide) >= 4) store_rows<Wide, std::uint32_t>(from, rows, count, to, next);
}

// ---- arithmetic ----

// The low 32 bits of 64-bit lanes hold the factors, as numbers of the lanes' sign.
template <class Wide, class V>
HWY_INLINE V product(V a, V b) {
  if constexpr (sizeof(Wide) < 8) {
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
void compute(const IntegerSteps& given, const IntegerShift& given_shift, const Wide* x,
             const Wide* y, const Wide* z, std::int64_t count, Wide* result) {
  using Operation = IntegerOperation;
  const IntegerTag<Wide> d;
  const IntegerSteps steps = given;
  const IntegerShift shift = given_shift;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const auto set = [d](std::int64_t value)
                       HWY_ATTR { return hn::Set(d, static_cast<Wide>(value)); };
  const auto base = set(shift.base), even = set(shift.even), negative = set(shift.negative);
  const auto least = set(steps.least), most = set(steps.most);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const auto a = hn::LoadU(d, x + i);
    const auto b = kOperation == Operation::kFirst ? a : hn::LoadU(d, y + i);
    auto value = a;
    if constexpr (kOperation == Operation::kAdd) value = hn::Add(a, b);
    if constexpr (kOperation == Operation::kSubtract) value = hn::Sub(a, b);
    if constexpr (kOperation == Operation::kMultiply) value = product<Wide>(a, b);
    if constexpr (kOperation == Operation::kMaximum) value = hn::Max(a, b);
    if constexpr (kOperation == Operation::kMinimum) value = hn::Min(a, b);
    if constexpr (kOperation == Operation::kMultiplyPair)
      value = product<Wide>(hn::Add(hn::ShiftLeft<8>(a), b), hn::LoadU(d, z + i));
    if (shift.left != 0) value = hn::ShiftLeftSame(value, shift.left);
    if constexpr (kOperation == Operation::kMultiplyAdd)
      value = hn::Add(value, product<Wide>(b, hn::LoadU(d, z + i)));
    if (shift.right != 0) {
      auto up = hn::Add(base, hn::And(hn::ShiftRightSame(value, shift.right), even));
      if constexpr (std::is_signed_v<Wide>)
        up = hn::Add(up, hn::And(hn::BroadcastSignBit(value), negative));
      value = hn::ShiftRightSame(hn::Add(value, up), shift.right);
    }
    hn::StoreU(hn::Min(hn::Max(value, least), most), d, result + i);
  }
}

// Shifts of x by y, see ShiftRounding. Values need not be shifted further than their bits.
template <class Wide>
void shift_each(const IntegerSteps& steps, const Wide* x, const Wide* y, std::int64_t count,
                Wide* result) {
  constexpr int kBits = 8 * sizeof(Wide), kMostRight = sizeof(Wide) == 4 ? 24 : 40;
  const IntegerTag<Wide> d;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const ShiftRounding& rounding = steps.rounding;
  const auto set = [d](std::int64_t value)
                       HWY_ATTR { return hn::Set(d, static_cast<Wide>(value)); };
  const auto zero = hn::Zero(d), one = set(1);
  const auto half_mask = set(rounding.half), rest_mask = set(rounding.rest);
  const auto more = set(rounding.one), even = set(rounding.even);
  const auto negative_mask = set(rounding.negative_rest), negative_one = set(rounding.negative_one);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const auto value = hn::LoadU(d, x + i), amount = hn::LoadU(d, y + i);
    const auto left = hn::Min(hn::Max(amount, zero), set(kBits - 1));
    const auto right = hn::Min(hn::Max(hn::Neg(amount), zero), set(kMostRight));
    const auto rest = hn::Sub(hn::Shl(one, right), one);
    const auto half = hn::ShiftRight<1>(hn::Add(rest, one));
    const auto of_sign =
        hn::And(hn::BroadcastSignBit(value), hn::Add(hn::And(rest, negative_mask), negative_one));
    const auto of_last = hn::And(hn::Shr(value, right), even);
    auto up = hn::Add(hn::And(half, half_mask), hn::And(rest, rest_mask));
    up = hn::Add(hn::Add(up, more), hn::Add(of_sign, of_last));
    up = hn::IfThenElseZero(hn::Gt(right, zero), up);
    const auto down = hn::Shr(hn::Add(value, up), right);
    const auto shifted = hn::Shl(value, left);
    const auto kept = hn::IfThenZeroElse(hn::Gt(amount, set(kBits - 1)), shifted);
    hn::StoreU(hn::IfThenElse(hn::Gt(amount, zero), kept, down), d, result + i);
  }
}

template <class Wide>
void compute_of(const IntegerSteps& steps, const IntegerShift& shift, const Wide* x, const Wide* y,
                const Wide* z, std::int64_t count, Wide* result) {
  using Operation = IntegerOperation;
  switch (steps.operation) {
    case Operation::kAdd:
      return compute<Wide, Operation::kAdd>(steps, shift, x, y, z, count, result);
    case Operation::kSubtract:
      return compute<Wide, Operation::kSubtract>(steps, shift, x, y, z, count, result);
    case Operation::kMultiply:
      return compute<Wide, Operation::kMultiply>(steps, shift, x, y, z, count, result);
    case Operation::kMultiplyAdd:
      return compute<Wide, Operation::kMultiplyAdd>(steps, shift, x, y, z, count, result);
    case Operation::kFirst:
      return compute<Wide, Operation::kFirst>(steps, shift, x, y, z, count, result);
    case Operation::kMultiplyPair:
      return compute<Wide, Operation::kMultiplyPair>(steps, shift, x, y, z, count, result);
    case Operation::kMaximum:
      return compute<Wide, Operation::kMaximum>(steps, shift, x, y, z, count, result);
    case Operation::kMinimum:
      return compute<Wide, Operation::kMinimum>(steps, shift, x, y, z, count, result);
    case Operation::kShift:
      if constexpr (std::is_signed_v<Wide> && sizeof(Wide) >= 4)
        return shift_each(steps, x, y, count, result);
      return;
  }
}

// ---- parts ----

// Rows that are worth loops of their own, instead of a copy of their elements side by side.
template <class Wide>
constexpr std::int64_t kLongRow = kIntegerLanes<Wide>;

// The elements of source k, widened: where they are, if they need not be moved, or in `chunk`.
// `whole`: vectors do not reach beyond them.
template <class Wide>
const Wide* load_part(const Row& part, std::size_t k, Dtype dtype, bool whole, Wide* chunk) {
  const Places places = Places::of_source(part, k);
  const std::int64_t bytes = dtype_bytes(dtype);
  const std::byte* from = part.src[k];
  const bool is_wide = bytes == sizeof(Wide);
  HWY_ALIGN std::byte narrow[kIntegersAtATime * 4 + kGatherSlack];
  if (places.side_by_side(part, bytes)) {
    if (is_wide && whole) return reinterpret_cast<const Wide*>(from);
  } else if (places.step == bytes && part.count >= kLongRow<Wide>) {
    for (std::int64_t b = 0; b < part.blocks; ++b) {
      load_rows_of(dtype, from + b * places.block, places.next, part.rows, part.count,
                   chunk + b * part.rows * part.count);
    }
    return chunk;
  } else {
    std::byte* const to = is_wide ? reinterpret_cast<std::byte*>(chunk) : narrow;
    gather_elements(part, from, places, bytes, to);
    if (is_wide) return chunk;
    from = narrow;
  }
  load_rows_of(dtype, from, 0, 1, elements_of(part), chunk);
  return chunk;
}

template <class Wide>
void store_part(const Row& part, Dtype dtype, const Wide* result) {
  const Places places = Places::of_result(part);
  const std::int64_t bytes = dtype_bytes(dtype), count = elements_of(part);
  if (places.side_by_side(part, bytes)) return store_rows_of(dtype, result, 1, count, part.dst, 0);
  if (places.step == bytes && part.count >= kLongRow<Wide>) {
    for (std::int64_t b = 0; b < part.blocks; ++b) {
      store_rows_of(dtype, result + b * part.rows * part.count, part.rows, part.count,
                    part.dst + b * places.block, places.next);
    }
    return;
  }
  HWY_ALIGN std::byte narrow[kIntegersAtATime * 4 + kGatherSlack];
  store_rows_of(dtype, result, 1, count, narrow, 0);
  scatter_elements(part, narrow, part.dst, places, bytes);
}

// One shift for all, or one for each row.
template <class Wide>
void compute_part(const IntegerSteps& steps, const Row& part, const std::array<const Wide*, 3>& x,
                  Wide* result) {
  if (steps.by_byte == nullptr)
    return compute_of(steps, steps.shift, x[0], x[1], x[2], elements_of(part), result);
  const auto source = static_cast<std::size_t>(steps.source_count);
  std::int64_t at = 0;
  for (std::int64_t b = 0; b < part.blocks; ++b) {
    for (std::int64_t r = 0; r < part.rows; ++r, at += part.count) {
      const auto byte = load_element<std::uint8_t>(part.src[source] + b * part.src_block[source] +
                                                   r * part.src_next[source]);
      // Results that a vector writes too many are those of the next row, which comes later.
      compute_of(steps, steps.by_byte[byte], x[0] + at, x[1] + at, x[2] + at, part.count,
                 result + at);
    }
  }
}

template <class Wide>
void run_integers(const IntegerSteps& steps, const Row& frame) {
  // Left uninitialised, and elements behind the last one take part: their results go nowhere.
  HWY_ALIGN Wide chunk[3][kIntegersAtATime + kSlack];
  HWY_ALIGN Wide result[kIntegersAtATime + kSlack];
  std::array<const Wide*, 3> x = {chunk[0], chunk[1], chunk[2]};
  std::array<bool, 3> moves{};
  const auto sources = static_cast<std::size_t>(steps.source_count);
  for (std::size_t k = 0; k < sources; ++k) {
    moves[k] = !Places::of_source(frame, k).all_the_same();
    if (moves[k]) continue;
    load_rows_of(steps.sources[k], frame.src[k], 0, 1, 1, chunk[k]);
    const std::int64_t most = std::min(kIntegersAtATime, elements_of(frame)) + kSlack;
    std::fill_n(chunk[k], most, Wide{chunk[k][0]});
  }
  each_part(frame, kIntegersAtATime, [&](const Row& part) {
    const std::int64_t run = steps.by_byte != nullptr ? part.count : elements_of(part);
    const bool whole = run % kIntegerLanes<Wide> == 0;
    for (std::size_t k = 0; k < sources; ++k) {
      if (moves[k]) x[k] = load_part(part, k, steps.sources[k], whole, chunk[k]);
    }
    const auto bytes = static_cast<std::int64_t>(sizeof(Wide));
    if (whole && dtype_bytes(steps.dst) == bytes &&
        Places::of_result(part).side_by_side(part, bytes))
      return compute_part(steps, part, x, reinterpret_cast<Wide*>(part.dst));
    compute_part(steps, part, x, result);
    store_part(part, steps.dst, result);
  });
}

using RunIntegers = void (*)(const IntegerSteps& steps, const Row& frame);
RunIntegers find_run(IntegerLanes lanes) {
  switch (lanes) {
    case IntegerLanes::kInt16:
      return run_integers<std::int16_t>;
    case IntegerLanes::kInt32:
      return run_integers<std::int32_t>;
    case IntegerLanes::kInt64:
      return run_integers<std::int64_t>;
    case IntegerLanes::kUint64:
      return run_integers<std::uint64_t>;
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_run);

// The function of the first lanes in a set of them.
auto run_of_processor(IntegerLanes lanes) {
  return HWY_DYNAMIC_DISPATCH(find_run)(lanes);
}

IntegerLanes first_of(unsigned lanes) {
  return static_cast<IntegerLanes>(std::countr_zero(lanes));
}

Dtype unsigned_if_raw(Dtype dtype) {
  switch (dtype) {
    case Dtype::kX8:
      return Dtype::kUint8;
    case Dtype::kX16:
      return Dtype::kUint16;
    case Dtype::kX32:
      return Dtype::kUint32;
    default:
      return dtype;
  }
}

}  // namespace
}  // namespace simd

RowFunction integer_vector_row(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  const unsigned lanes = lanes_that_hold(rule, sources, dst);
  if (lanes == 0) return {};
  const IntegerLanes first = simd::first_of(lanes);
  return [steps = integer_steps(rule, sources, dst, first),
          run = simd::run_of_processor(first)](const Row& frame) { run(steps, frame); };
}

namespace {

// The operands of a function, but for the destination.
struct IntegerOperands {
  std::vector<IntegerSource> sources;
  std::vector<std::string_view> names;

  explicit IntegerOperands(std::vector<IntegerSource> list) : sources(std::move(list)) {
    for (const IntegerSource& source : sources) names.push_back(source.param);
  }
};

// The types of the operands in a call.
struct IntegerTypes {
  std::array<Dtype, 3> sources{};
  std::size_t count;
  Dtype dst;

  IntegerTypes(const Command& command, std::string_view dst_param, const IntegerOperands& operands)
      : count(operands.sources.size()),
        dst(simd::unsigned_if_raw(command.find(dst_param)->layout.dtype())) {
    for (std::size_t k = 0; k < count; ++k)
      sources[k] = simd::unsigned_if_raw(integer_type(command, operands.sources[k]));
  }
  std::span<const Dtype> of_sources() const { return {sources.data(), count}; }
  bool all_one() const {
    return std::ranges::all_of(of_sources(), [this](Dtype type) { return type == dst; });
  }
};

// The row function that compares elements as they are stored; null for other rules.
SimdRow comparing_row(const IntegerRule& rule, const IntegerTypes& types) {
  if (rule.left != 0 || rule.right != 0 || !types.all_one()) return nullptr;
  if (rule.operation == IntegerOperation::kMaximum) return typed_row(TypedRow::kMaximum, types.dst);
  if (rule.operation == IntegerOperation::kMinimum) return typed_row(TypedRow::kMinimum, types.dst);
  return nullptr;
}

// The shifts of all channels by their byte, and the lanes that hold them all.
struct ShiftsByByte {
  std::array<IntegerShift, 256> shifts{};
  unsigned lanes = ~0U;

  template <class MakeRule>
  ShiftsByByte(const Invocation& invocation, const Operand& shift, const IntegerTypes& types,
               const MakeRule& make_rule) {
    std::array<bool, 256> known{};
    const Layout& layout = shift.layout;
    Layout::Index index{};
    for (std::int64_t i = 0; i < layout.size() && lanes != 0; ++i) {
      const auto value = load_element<std::int8_t>(invocation.base(shift) + layout.address(index));
      const auto byte = static_cast<std::uint8_t>(value);
      if (!known[byte]) {
        const IntegerRule rule = make_rule(int{value});
        lanes &= lanes_that_hold(rule, types.of_sources(), types.dst);
        if (lanes != 0) shifts[byte] = integer_shift(rule);
        known[byte] = true;
      }
      for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
    }
  }
};

// Calls f(frame) so that source k does not change along a row: where it does, with rows of one.
template <class F>
void with_constant_rows(const Row& frame, std::size_t k, const F& f) {
  if (frame.src_step[k] == 0) return f(frame);
  each_row(frame, [&](Row row) {
    row.rows = std::exchange(row.count, 1);
    row.dst_next = row.dst_step;
    row.src_next = row.src_step;
    row.src_step[k] = 0;
    f(row);
  });
}

}  // namespace

std::vector<Implementation> integer_simd(std::string_view dst, std::vector<IntegerSource> sources,
                                         std::function<IntegerRule(const Command&)> rule,
                                         std::vector<Implementation> rest) {
  const auto run = [dst, operands = IntegerOperands(std::move(sources)),
                    rule = std::move(rule)](const Invocation& invocation) {
    const Command& command = invocation.command;
    const IntegerTypes types(command, dst, operands);
    const IntegerRule now = rule(command);
    const SimdRow compares = comparing_row(now, types);
    if (compares != nullptr && run_rows(invocation, dst, operands.names, compares, Rows::kDense))
      return true;
    const RowFunction row = integer_vector_row(now, types.of_sources(), types.dst);
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
    const IntegerTypes types(command, dst, operands);
    const ShiftsByByte by_byte(invocation, *command.find(shift), types,
                               [&](int value) { return rule(command, value); });
    if (by_byte.lanes == 0) return false;
    const IntegerLanes lanes = simd::first_of(by_byte.lanes);
    IntegerSteps steps = integer_steps(rule(command, 0), types.of_sources(), types.dst, lanes);
    steps.by_byte = by_byte.shifts.data();
    std::vector<std::string_view> names = operands.names;
    names.push_back(shift);
    const std::size_t last = names.size() - 1;
    return run_rows(invocation, dst, names,
                    [&, run = simd::run_of_processor(lanes)](const Row& frame) {
                      with_constant_rows(frame, last, [&](const Row& part) { run(steps, part); });
                    });
  };
  rest.insert(rest.begin(), {"simd", run});
  return rest;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
