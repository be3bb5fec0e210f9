#include "tensorlane/compute/rows/integer_sums.h"

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/row_parts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/integer_sums.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"
#include "tensorlane/compute/rows/shifted_rows_inl.h"
#include "tensorlane/compute/rows/sum_lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, bool kSubtracts, bool kSourceSigned, bool kResultSigned>
void sum_rows_by_one(const IntegerSums& sums, const Row& frame) {
  const SumLanes<T, kSubtracts, kSourceSigned, kResultSigned> lanes(sums.shift, sums.saturates);
  constexpr int kBlock = HWY_TARGET == HWY_AVX2 ? 2 : 1;
  constexpr auto kLoops = kSubtracts ? PairLoops::kEither : PairLoops::kSymmetric;
  map_vectors<hn::ScalableTag<T>, 2, kBlock, kLoops>(
      frame, [&](auto a, auto b) TL_INLINE_ATTR { return lanes(a, b); });
}

template <class T, bool kSubtracts, bool kSourceSigned, bool kResultSigned>
void sum_rows_by_byte(const IntegerSums& sums, const Row& frame) {
  using Lanes = SumLanes<T, kSubtracts, kSourceSigned, kResultSigned>;
  rows_by_byte<T, Lanes>(
      frame, [&](int byte) TL_INLINE_ATTR { return Lanes(sums.by_byte[byte], sums.saturates); });
}

using SumRows = void (*)(const IntegerSums&, const Row&);
template <class T, bool kSubtracts, bool kSourceSigned, bool kResultSigned>
void sum_rows(const IntegerSums& sums, const Row& frame) {
  sums.by_byte == nullptr
      ? sum_rows_by_one<T, kSubtracts, kSourceSigned, kResultSigned>(sums, frame)
      : sum_rows_by_byte<T, kSubtracts, kSourceSigned, kResultSigned>(sums, frame);
}
template <class T, bool kSubtracts>
SumRows rows_of_signs(const IntegerSums& sums) {
  if (sums.source_signed)
    return sums.result_signed ? sum_rows<T, kSubtracts, true, true>
                              : sum_rows<T, kSubtracts, true, false>;
  return sums.result_signed ? sum_rows<T, kSubtracts, false, true>
                            : sum_rows<T, kSubtracts, false, false>;
}
template <class T>
SumRows rows_of_operation(const IntegerSums& sums) {
  return sums.subtracts ? rows_of_signs<T, true>(sums) : rows_of_signs<T, false>(sums);
}
void sums_of_frame(const IntegerSums& sums, const Row& frame) {
  const SumRows rows = sums.bytes == 2 ? rows_of_operation<std::int16_t>(sums)
                                       : rows_of_operation<std::int32_t>(sums);
  rows(sums, frame);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(sums_of_frame);

void sums_on_processor(const IntegerSums& sums, const Row& frame) {
  HWY_DYNAMIC_DISPATCH(sums_of_frame)(sums, frame);
}

}  // namespace
}  // namespace simd

bool hold_sums(const IntegerShift& shift, std::int64_t bytes) {
  return (shift.left == 0 || shift.right == 0) && shift.left < 8 * bytes && shift.right < 8 * bytes;
}

std::optional<IntegerSums> integer_sums(const IntegerRule& rule, std::span<const Dtype> sources,
                                        Dtype dst) {
  using Operation = IntegerOperation;
  const bool subtracts = rule.operation == Operation::kSubtract;
  if (rule.operation != Operation::kAdd && !subtracts) return {};
  const std::int64_t bytes = dtype_bytes(dst);
  const DtypeInfo &source = dtype_info(sources[0]), &result = dtype_info(dst);
  if (sources[0] != sources[1] || dtype_bytes(sources[0]) != bytes || bytes < 2) return {};
  if (source.is_float || result.is_float || rule.right >= 8 * bytes) return {};
  const IntegerShift shift = integer_shift(rule);
  if (!hold_sums(shift, bytes)) return {};
  return IntegerSums{subtracts, source.is_signed, result.is_signed, rule.saturate, bytes, shift};
}

bool run_sums(const IntegerSums& sums, const Row& frame) {
  const auto side_by_side = [&](std::int64_t step) { return step == sums.bytes; };
  const auto fits = [&](std::int64_t step) { return step == 0 || side_by_side(step); };
  if (!side_by_side(frame.dst_step) || !fits(frame.src_step[0]) || !fits(frame.src_step[1]))
    return false;
  if (sums.by_byte != nullptr && frame.src_step[2] != 0) return false;
  simd::sums_on_processor(sums, frame);
  return true;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
