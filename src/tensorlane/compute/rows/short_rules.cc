#include "tensorlane/compute/rows/short_rules.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/integer_vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/short_rules.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using Shorts = hn::ScalableTag<std::uint16_t>;
using SignedShorts = hn::ScalableTag<std::int16_t>;
using ShortVec = hn::Vec<Shorts>;
constexpr auto kShortLanes = static_cast<std::int64_t>(hn::MaxLanes(Shorts()));

HWY_INLINE ShortVec short_set(int number) {
  return hn::Set(Shorts(), static_cast<std::uint16_t>(number));
}

// A source of one row.
class ShortSource {
 public:
  HWY_INLINE ShortSource(const Row& frame, std::size_t k, std::int64_t b, std::int64_t r)
      : at_(frame.src[k] + b * frame.src_block[k] + r * frame.src_next[k]),
        is_constant_(frame.src_step[k] == 0),
        constant_(hn::Zero(Shorts())) {
    if (is_constant_) constant_ = hn::Set(Shorts(), load_element<std::uint16_t>(at_));
  }
  template <int kVectors>
  HWY_INLINE void load(std::int64_t i, ShortVec* to) const {
    for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR { to[v] = constant_; });
    if (!is_constant_)
      load_block<Shorts, kVectors>(reinterpret_cast<const std::uint16_t*>(at_) + i, to);
  }

 private:
  const std::byte* at_;
  bool is_constant_;
  ShortVec constant_;
};

// dst = f(a, b), or f(a) of one source, on rows of a vector or more. The last vector of a row is
// computed first and stored last.
template <int kSources, class F>
HWY_INLINE void map_shorts(const Row& given, const F& f) {
  constexpr int kBlock = 2;
  constexpr std::integral_constant<int, 1> kOne;
  const Row frame = given;
  const std::int64_t whole = frame.count / kShortLanes * kShortLanes;
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      const ShortSource x(frame, 0, b, r), y(frame, kSources - 1, b, r);
      auto* const to =
          reinterpret_cast<std::uint16_t*>(frame.dst + b * frame.dst_block + r * frame.dst_next);
      const auto compute = [&](auto vectors, std::int64_t i, ShortVec* result) TL_INLINE_ATTR {
        x.load<vectors()>(i, result);
        if constexpr (kSources == 1) {
          for_each_vector<vectors()>([&](auto v) TL_INLINE_ATTR { result[v] = f(result[v]); });
        } else {
          ShortVec second[vectors()];
          y.load<vectors()>(i, second);
          for_each_vector<vectors()>([&](auto v)
                                         TL_INLINE_ATTR { result[v] = f(result[v], second[v]); });
        }
      };
      ShortVec end[1];
      const bool has_end = whole != frame.count;
      if (has_end) compute(kOne, frame.count - kShortLanes, end);
      std::int64_t i = 0;
      for (; i + kBlock * kShortLanes <= whole; i += kBlock * kShortLanes) {
        ShortVec results[kBlock];
        compute(std::integral_constant<int, kBlock>(), i, results);
        store_block<Shorts, kBlock>(results, to + i);
      }
      if (i < whole) {
        ShortVec result[1];
        compute(kOne, i, result);
        hn::StoreU(result[0], Shorts(), to + i);
      }
      if (has_end) hn::StoreU(end[0], Shorts(), to + (frame.count - kShortLanes));
    }
  }
}

// Sources become numbers x and y without a sign, so that a sum is x + y - excess, and a difference
// x + y + 1 - excess. The excess is a multiple of 2^right: what is left of it comes off at last.
// Halves round up, as the mean of two numbers does, once in the last of the shifts.
template <bool kSubtracts>
class HalvedSums {
 public:
  HWY_INLINE explicit HalvedSums(const ShortRule& rule)
      : right_(rule.right),
        flip_a_(short_set(rule.first_signed ? kSign : 0)),
        flip_b_(short_set((rule.second_signed ? kSign : 0) ^ (kSubtracts ? kMost : 0))) {
    const int a = rule.first_signed ? kSign : 0, b = rule.second_signed ? kSign : 0;
    const int excess = (kSubtracts ? kMost + 1 + a - b : a + b) >> right_;
    const int end = (kSubtracts && right_ == 1 ? 1 : 0) - excess;
    const int low = rule.result_signed ? -kSign : 0, high = low + kMost;
    const int least = std::max(low - end, 0), most = std::min(high - end, kMost);
    clamps_ = least > 0 || most < kMost;
    least_ = short_set(least);
    most_ = short_set(most);
    end_ = short_set(end);
  }

  HWY_INLINE ShortVec operator()(ShortVec a, ShortVec b) const {
    const ShortVec x = hn::Xor(a, flip_a_), y = hn::Xor(b, flip_b_);
    ShortVec result = x;
    if (right_ == 1) {
      result = kSubtracts ? lower_mean(x, y) : hn::AverageRound(x, y);
    } else {
      const ShortVec half = kSubtracts ? hn::AverageRound(x, y) : lower_mean(x, y);
      result = hn::AverageRound(hn::ShiftRightSame(half, right_ - 2), hn::Zero(Shorts()));
    }
    if (clamps_) result = hn::Min(hn::Max(result, least_), most_);
    return hn::Add(result, end_);
  }

 private:
  static constexpr int kSign = 0x8000, kMost = 0xffff;
  static HWY_INLINE ShortVec lower_mean(ShortVec x, ShortVec y) {
    return hn::Add(hn::And(x, y), hn::ShiftRight<1>(hn::Xor(x, y)));
  }

  int right_;
  bool clamps_;
  ShortVec flip_a_, flip_b_, least_, most_, end_;
};

template <bool kSubtracts>
void add_shorts(const ShortRule& rule, const Row& frame) {
  const HalvedSums<kSubtracts> sums(rule);
  map_shorts<2>(frame, [&](ShortVec a, ShortVec b) TL_INLINE_ATTR { return sums(a, b); });
}

// All by one shift; by 16, which no lane is shifted by, in two.
void shift_shorts(const ShortRule& rule, const Row& frame) {
  constexpr int kMost = 15;
  const int by = rule.left + rule.right, first = std::min(by, kMost), rest = by - first;
  if (rule.right == 0) {
    return map_shorts<1>(frame, [&](ShortVec value) TL_INLINE_ATTR {
      return hn::ShiftLeftSame(hn::ShiftLeftSame(value, first), rest);
    });
  }
  if (rule.first_signed) {
    return map_shorts<1>(frame, [&](ShortVec value) TL_INLINE_ATTR {
      return hn::BitCast(Shorts(), hn::ShiftRightSame(hn::BitCast(SignedShorts(), value), first));
    });
  }
  map_shorts<1>(frame, [&](ShortVec value) TL_INLINE_ATTR {
    return hn::ShiftRightSame(hn::ShiftRightSame(value, first), rest);
  });
}

// A constant by the low byte of each element, `amount` with its sign.
#if HWY_TARGET <= HWY_AVX3
// Lanes that are shifted by more than their bits, or by a negative number, which counts as one, are
// zeros, or signs.
template <class T>
HWY_INLINE ShortVec shifted_constant(ShortVec value, hn::Vec<SignedShorts> amount) {
  using D = hn::ScalableTag<T>;
  const auto right = hn::Shr(hn::BitCast(D(), value), hn::BitCast(D(), hn::Neg(amount)));
  const auto is_right = hn::RebindMask(Shorts(), hn::Lt(amount, hn::Zero(SignedShorts())));
  return hn::IfThenElse(is_right, hn::BitCast(Shorts(), right),
                        hn::Shl(value, hn::BitCast(Shorts(), amount)));
}
#else
// 2^i, of i from 0 to 15: looked up by its bytes. The upper one is that of i - 8, and zero where
// that is negative.
HWY_INLINE ShortVec power_of_two(ShortVec i) {
  alignas(16) static constexpr std::uint8_t kPowers[16] = {1, 2, 4, 8, 16, 32, 64, 128};
  const hn::Repartition<std::uint8_t, Shorts> bytes;
  const ShortVec places = hn::Add(hn::Or(i, hn::ShiftLeft<8>(i)), short_set(0xf800));
  return hn::BitCast(Shorts(), hn::TableLookupBytesOr0(hn::LoadDup128(bytes, kPowers),
                                                       hn::BitCast(bytes, places)));
}
// A product by a power of two is a shift to the left, and its upper half one to the right, by 16
// less: both by the same power. A negative number to the right is what its complement becomes.
template <class T>
HWY_INLINE ShortVec shifted_constant(ShortVec value, hn::Vec<SignedShorts> amount) {
  const auto set = [](int number) HWY_ATTR {
    return hn::Set(SignedShorts(), static_cast<std::int16_t>(number));
  };
  const auto by = hn::Max(amount, set(-16));
  const ShortVec power = power_of_two(hn::And(hn::BitCast(Shorts(), by), short_set(15)));
  ShortVec sign = hn::Zero(Shorts());
  if constexpr (std::is_signed_v<T>)
    sign = hn::BitCast(Shorts(), hn::BroadcastSignBit(hn::BitCast(SignedShorts(), value)));
  const ShortVec right = hn::Xor(hn::MulHigh(hn::Xor(value, sign), power), sign);
  const ShortVec out = hn::BitCast(Shorts(), hn::VecFromMask(SignedShorts(), hn::Gt(by, set(15))));
  const ShortVec left = hn::AndNot(out, hn::Mul(value, power));
  return hn::IfThenElse(hn::RebindMask(Shorts(), hn::Lt(by, set(0))), right, left);
}
#endif
template <class T>
void shift_constant(const Row& frame) {
  map_shorts<2>(frame, [](ShortVec value, ShortVec amount) TL_INLINE_ATTR {
    const auto byte = hn::ShiftLeft<8>(hn::BitCast(SignedShorts(), amount));
    return shifted_constant<T>(value, hn::ShiftRight<8>(byte));
  });
}

bool run_short(const ShortRule& rule, const Row& frame) {
  if (frame.count < kShortLanes) return false;
  switch (rule.operation) {
    case ShortOperation::kAdd:
      add_shorts<false>(rule, frame);
      return true;
    case ShortOperation::kSubtract:
      add_shorts<true>(rule, frame);
      return true;
    case ShortOperation::kShift:
      shift_shorts(rule, frame);
      return true;
    case ShortOperation::kShiftConstant:
      rule.first_signed ? shift_constant<std::int16_t>(frame)
                        : shift_constant<std::uint16_t>(frame);
      return true;
  }
  return false;
}
#else
bool run_short(const ShortRule& /*rule*/, const Row& /*frame*/) {
  return false;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(run_short);

bool run_short_on_processor(const ShortRule& rule, const Row& frame) {
  return HWY_DYNAMIC_DISPATCH(run_short)(rule, frame);
}

}  // namespace
}  // namespace simd

namespace {

bool is_short(Dtype dtype) {
  return dtype == Dtype::kInt16 || dtype == Dtype::kUint16;
}

}  // namespace

std::optional<ShortRule> short_rule(const IntegerRule& rule, std::span<const Dtype> sources,
                                    Dtype dst) {
  using Operation = IntegerOperation;
  constexpr int kMostRight = 15;
  if (!is_short(dst) || !std::ranges::all_of(sources, is_short)) return {};
  ShortRule found{.first_signed = sources[0] == Dtype::kInt16,
                  .second_signed = sources.back() == Dtype::kInt16,
                  .result_signed = dst == Dtype::kInt16,
                  .left = rule.left,
                  .right = rule.right};
  if (rule.operation == Operation::kAdd || rule.operation == Operation::kSubtract) {
    const bool halves = rule.right >= 1 && rule.right <= kMostRight;
    if (!halves || !rule.saturate || rule.left != 0 || rule.mode != RoundingMode::kHalfUp)
      return {};
    found.operation =
        rule.operation == Operation::kAdd ? ShortOperation::kAdd : ShortOperation::kSubtract;
    return found;
  }
  if (rule.saturate || rule.mode != RoundingMode::kDown) return {};
  const bool one_way = rule.left == 0 || rule.right == 0;
  if (rule.operation == Operation::kFirst && one_way && std::max(rule.left, rule.right) <= 16) {
    found.operation = ShortOperation::kShift;
    return found;
  }
  if (rule.operation != Operation::kShiftByByte) return {};
  found.operation = ShortOperation::kShiftConstant;
  return found;
}

bool run_short_rule(const ShortRule& rule, const Row& frame) {
  constexpr std::int64_t kBytes = 2;
  const auto fits = [](std::int64_t step) { return step == 0 || step == kBytes; };
  const bool is_constant = frame.src_step[0] == 0;
  if (frame.dst_step != kBytes || !fits(frame.src_step[0])) return false;
  if (rule.operation == ShortOperation::kShiftConstant && !is_constant) return false;
  if (rule.operation != ShortOperation::kShift && !fits(frame.src_step[1])) return false;
  return simd::run_short_on_processor(rule, frame);
}

std::vector<Implementation> shorts_before(std::vector<Implementation> rest, std::string_view dst,
                                          const std::vector<SourceParam>& sources,
                                          const IntegerRuleOf& rule) {
  std::vector<std::string_view> names;
  for (const SourceParam& source : sources) names.push_back(source.param);
  const auto run = [=](const Invocation& invocation) {
    const Command& command = invocation.command;
    const Dtype result = command.find(dst)->layout.dtype();
    std::array<Dtype, 3> types{};
    if (!is_short(result)) return false;
    for (std::size_t k = 0; k < sources.size(); ++k) {
      types[k] = type_of(command, sources[k]);
      if (!is_short(types[k])) return false;
    }
    const std::span<const Dtype> of_sources(types.data(), sources.size());
    const IntegerRule now = rule(command);
    const std::optional<ShortRule> shorts = short_rule(now, of_sources, result);
    if (!shorts) return false;
    const RowFunction others = integer_vector_row(now, of_sources, result);
    return others && run_rows(invocation, dst, names, [&](const Row& frame) {
             if (!run_short_rule(*shorts, frame)) others(frame);
           });
  };
  rest.insert(rest.begin(), {"shorts", run, kAnyOperands});
  return rest;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
