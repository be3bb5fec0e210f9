#include "tensorlane/compute/rows/integer_rows.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "tensorlane/compute/rows/integer_products.h"
#include "tensorlane/compute/rows/integer_sums.h"
#include "tensorlane/compute/rows/integer_vectors.h"
#include "tensorlane/compute/rows/saturated_rows.h"
#include "tensorlane/compute/rows/typed_rows.h"

namespace tensorlane {

using Operation = IntegerOperation;

IntegerFormula::Exact IntegerFormula::before_shift(Exact a, Exact b, Exact c) const {
  switch (rule_.operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kMultiplyAdd:
      return a * (Exact{1} << rule_.left) + b * c;
    case Operation::kMultiplyPair:
      return (a * 256 + b) * c;
    case Operation::kMaximum:
      return std::max(a, b);
    case Operation::kMinimum:
      return std::min(a, b);
    default:
      return a;
  }
}

// Rounding looks at what is shifted out, at the sign and at the parity of what stays: so much of a
// value has room in 64 bits.
std::int64_t IntegerFormula::finish(Exact value, int right) const {
  right = std::min(right, 63);
  if (right > 61) {  // what is shifted out leaves a trace in the lowest bit
    value = value >> 2 | static_cast<Exact>((value & 3) != 0);
    right -= 2;
  }
  if (right > 0) {
    const Exact kept = value >> right;
    const std::int64_t stand_in = static_cast<std::int64_t>(kept & 1) - (value < 0 ? 2 : 0);
    const auto out = static_cast<std::int64_t>(value - (kept << right));
    value = kept - stand_in + rounding_shift_right((stand_in << right) + out, right, rule_.mode);
  }
  return static_cast<std::int64_t>(rule_.saturate ? std::clamp<Exact>(value, range_.min, range_.max)
                                                  : value);
}

std::int64_t IntegerFormula::shifted(std::int64_t shift, std::int64_t a, std::int64_t b) const {
  const Exact value = before_shift(a, b, 0);
  return shift > 0 ? finish(value * (Exact{1} << left_places(shift)), 0)
                   : finish(value, static_cast<int>(std::min<std::int64_t>(-shift, 64)));
}

std::int64_t IntegerFormula::operator()(std::int64_t a, std::int64_t b, std::int64_t c) const {
  if (rule_.operation == Operation::kShift) return shifted(b, a, 0);
  if (rule_.operation == Operation::kShiftByByte) {
    const auto shift = static_cast<std::int8_t>(b);
    return shift > 31 ? 0 : shifted(shift, a, 0);
  }
  const Exact value = before_shift(a, b, c);
  const int left = rule_.operation == Operation::kMultiplyAdd ? 0 : rule_.left;
  return finish(value * (Exact{1} << left), rule_.right);
}

IntegerRule with_shift(IntegerRule rule, int shift) {
  rule.left = left_places(std::max(shift, 0));
  rule.right = std::max(-shift, 0);
  return rule;
}

RowFunction integer_scalar_row(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  using s64 = std::int64_t;
  const IntegerFormula f(rule, dst);
  switch (sources.size()) {
    case 1:
      return wide_row<s64, s64>([f](s64 a) { return f(a); }, dst, {sources[0]});
    case 2:
      return wide_row<s64, s64, s64>([f](s64 a, s64 b) { return f(a, b); }, dst,
                                     {sources[0], sources[1]});
    default:
      return wide_row<s64, s64, s64, s64>([f](s64 a, s64 b, s64 c) { return f(a, b, c); }, dst,
                                          {sources[0], sources[1], sources[2]});
  }
}

SimdRow row_as_stored(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst) {
  if (rule.left != 0 || rule.right != 0) return nullptr;
  const bool one_type = std::ranges::all_of(sources, [&](Dtype type) { return type == dst; });
  const bool one_width =
      std::ranges::all_of(sources, [&](Dtype type) { return dtype_bits(type) == dtype_bits(dst); });
  const auto sum = [&](TypedRow row) {
    if (rule.saturate) return saturated_row(rule.operation, sources, dst);
    return one_width ? typed_row(row, dst) : nullptr;
  };
  switch (rule.operation) {
    case Operation::kMaximum:
      return one_type ? typed_row(TypedRow::kMaximum, dst) : nullptr;
    case Operation::kMinimum:
      return one_type ? typed_row(TypedRow::kMinimum, dst) : nullptr;
    case Operation::kAdd:
      return sum(TypedRow::kAdd);
    case Operation::kSubtract:
      return sum(TypedRow::kSubtract);
    case Operation::kMultiply:
      return sum(TypedRow::kMultiply);
    default:
      return nullptr;
  }
}

namespace {

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

struct IntegerOperands {
  std::string_view dst;
  std::vector<SourceParam> sources;
  std::vector<std::string_view> names;

  IntegerOperands(std::string_view dst_param, std::vector<SourceParam> list)
      : dst(dst_param), sources(std::move(list)) {
    for (const SourceParam& source : sources) names.push_back(source.param);
  }
};

// The types of the operands in a call.
struct IntegerTypes {
  std::array<Dtype, 3> sources{};
  std::size_t count;
  Dtype dst;

  IntegerTypes(const Command& command, const IntegerOperands& operands)
      : count(operands.sources.size()),
        dst(unsigned_if_raw(command.find(operands.dst)->layout.dtype())) {
    for (std::size_t k = 0; k < count; ++k)
      sources[k] = unsigned_if_raw(type_of(command, operands.sources[k]));
  }
  std::span<const Dtype> of_sources() const { return {sources.data(), count}; }
};

// The shift of every byte, in a mode; what clamps first depends on whether results saturate.
const IntegerShift* shifts_by_byte(const IntegerRule& rule) {
  struct Table {
    std::once_flag made;
    std::array<IntegerShift, 256> shifts;
  };
  static std::array<std::array<Table, 2>, kRoundingModeCount> tables;
  Table& table = tables[static_cast<std::size_t>(rule.mode)][rule.saturate ? 1 : 0];
  std::call_once(table.made, [&] {
    for (std::size_t byte = 0; byte < table.shifts.size(); ++byte)
      table.shifts[byte] = integer_shift(with_shift(rule, static_cast<std::int8_t>(byte)));
  });
  return table.shifts.data();
}

// How far the channels of a call are shifted at most: what holds these shifts holds all. Frames are
// looked at by several threads.
class FurthestShifts {
 public:
  // The bytes of source k.
  void look_at(const Row& frame, std::size_t k) {
    const auto times = [](std::int64_t step, std::int64_t count) { return step == 0 ? 1 : count; };
    const std::int64_t blocks = times(frame.src_block[k], frame.blocks);
    const std::int64_t rows = times(frame.src_next[k], frame.rows);
    const std::int64_t count = times(frame.src_step[k], frame.count);
    int left = 0, right = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < count; ++i) {
          const int shift =
              load_element<std::int8_t>(frame.src[k] + b * frame.src_block[k] +
                                        r * frame.src_next[k] + i * frame.src_step[k]);
          left = std::max(left, left_places(std::max(shift, 0)));
          right = std::max(right, -shift);
        }
      }
    }
    const std::scoped_lock lock(mutex_);
    left_ = std::max(left_, left);
    right_ = std::max(right_, right);
  }

  // Sums that hold all shifts; nothing where they do not.
  std::optional<IntegerSums> sums(const IntegerTypes& types, const IntegerRule& rule) const {
    if (types.count != 2) return {};
    std::optional<IntegerSums> sums = integer_sums(rule, types.of_sources(), types.dst);
    if (sums && !(hold_sums(integer_shift(to_the_left(rule)), sums->bytes) &&
                  hold_sums(integer_shift(to_the_right(rule)), sums->bytes)))
      sums.reset();
    return sums;
  }
  // Products that hold all shifts, of which none goes to the left; nothing where they do not.
  std::optional<IntegerProducts> products(const IntegerTypes& types,
                                          const IntegerRule& rule) const {
    if (left_ != 0) return {};
    return integer_products(to_the_right(rule), types.of_sources(), types.dst);
  }
  // Rows that take all of them, to the left or none; null where there are none.
  SimdRow raised(const IntegerTypes& types, const IntegerRule& rule) const {
    const bool takes = rule.saturate && right_ == 0 && left_ < dtype_bits(types.dst);
    return takes && types.count == 2 ? raised_row(rule.operation, types.of_sources(), types.dst)
                                     : nullptr;
  }
  // The lanes that hold all of them.
  unsigned lanes(const IntegerTypes& types, const IntegerRule& rule) const {
    return lanes_that_hold(to_the_left(rule), types.of_sources(), types.dst) &
           lanes_that_hold(to_the_right(rule), types.of_sources(), types.dst);
  }

 private:
  IntegerRule to_the_left(IntegerRule rule) const {
    rule.left = left_;
    return rule;
  }
  IntegerRule to_the_right(IntegerRule rule) const {
    rule.right = right_;
    return rule;
  }

  std::mutex mutex_;
  int left_ = 0, right_ = 0;
};

// Whether elements of a frame stand as raised_row() takes them.
bool raises(const Row& frame, std::int64_t bytes) {
  const auto fits = [&](std::int64_t step) { return step == 0 || step == bytes; };
  return frame.dst_step == bytes && fits(frame.src_step[0]) && fits(frame.src_step[1]) &&
         frame.src_step[2] == 0;
}

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

// `vectors` in front of rows and the reference, both of `row`.
template <class Vectors, class MakeRow>
std::vector<Implementation> with_scalars(const IntegerOperands& operands,
                                         const std::vector<std::string_view>& names,
                                         const Vectors& vectors, const MakeRow& row) {
  return {{"simd", vectors, kAnyOperands},
          {"rows",
           [=](const Invocation& invocation) {
             return run_rows(invocation, operands.dst, names, row(invocation.command));
           },
           kAnyOperands},
          {"reference",
           [=](const Invocation& invocation) {
             return run_elements(invocation, operands.dst, names, row(invocation.command));
           },
           kAnyOperands}};
}

}  // namespace

std::vector<Implementation> integer_rows(std::string_view dst, std::vector<SourceParam> sources,
                                         IntegerRuleOf rule) {
  const IntegerOperands operands(dst, std::move(sources));
  const auto vectors = [=](const Invocation& invocation) {
    const IntegerTypes types(invocation.command, operands);
    const IntegerRule now = rule(invocation.command);
    const SimdRow as_stored = row_as_stored(now, types.of_sources(), types.dst);
    const std::int64_t bytes = dtype_bytes(types.dst);
    if (as_stored != nullptr &&
        run_rows(invocation, dst, operands.names, as_stored, {bytes, bytes}))
      return true;
    const RowFunction row = integer_vector_row(now, types.of_sources(), types.dst);
    return row && run_rows(invocation, dst, operands.names, row);
  };
  const auto scalars = [=](const Command& command) {
    const IntegerTypes types(command, operands);
    return integer_scalar_row(rule(command), types.of_sources(), types.dst);
  };
  return with_scalars(operands, operands.names, vectors, scalars);
}

std::vector<Implementation> integer_rows_per_channel(std::string_view dst,
                                                     std::vector<SourceParam> sources,
                                                     std::string_view shift, IntegerRuleOf rule) {
  const IntegerOperands operands(dst, std::move(sources));
  std::vector<std::string_view> names = operands.names;
  names.push_back(shift);
  const auto scalars = [=](const Command& command) {
    using s64 = std::int64_t;
    const IntegerTypes types(command, operands);
    return wide_row<s64, s64, s64, s64>([f = IntegerFormula(rule(command), types.dst)](
                                            s64 a, s64 b, s64 by) { return f.shifted(by, a, b); },
                                        types.dst,
                                        {types.sources[0], types.sources[1], Dtype::kInt8});
  };
  const auto vectors = [=](const Invocation& invocation) {
    const Command& command = invocation.command;
    const IntegerTypes types(command, operands);
    const IntegerRule now = rule(command);
    const std::size_t last = names.size() - 1;
    FurthestShifts furthest;
    if (!run_rows(invocation, dst, names, [&](const Row& frame) { furthest.look_at(frame, last); }))
      return false;
    IntegerSteps steps;
    RunIntegers run = nullptr;
    const auto choose_lanes = [&] {
      const unsigned all = furthest.lanes(types, now);
      if (all == 0) return;
      const IntegerLanes lanes = first_lanes(all);
      steps = integer_steps(now, types.of_sources(), types.dst, lanes);
      steps.by_byte = shifts_by_byte(now);
      steps.clamps = now.saturate;  // whatever the shift
      run = integers_in(lanes);
    };
    const auto in_lanes = [&](const Row& frame) {
      if (run == nullptr) return scalars(command)(frame);
      with_constant_rows(frame, last, [&](const Row& part) { run(steps, part); });
    };
    const SimdRow raised = furthest.raised(types, now);
    std::optional<IntegerSums> sums;
    std::optional<IntegerProducts> products;
    if (raised == nullptr) {
      sums = furthest.sums(types, now);
      products = furthest.products(types, now);
    }
    if (raised == nullptr && !sums && !products) {
      choose_lanes();
      return run != nullptr && run_rows(invocation, dst, names, in_lanes);
    }
    // Wider lanes are looked for where a frame needs them.
    if (sums) sums->by_byte = shifts_by_byte(now);
    if (products) products->by_byte = shifts_by_byte(now);
    std::once_flag once;
    return run_rows(invocation, dst, names, [&](const Row& frame) {
      if (raised != nullptr && raises(frame, dtype_bytes(types.dst))) return raised(frame);
      if (sums && run_sums(*sums, frame)) return;
      if (products && run_products(*products, frame)) return;
      std::call_once(once, choose_lanes);
      in_lanes(frame);
    });
  };
  return with_scalars(operands, names, vectors, scalars);
}

}  // namespace tensorlane
