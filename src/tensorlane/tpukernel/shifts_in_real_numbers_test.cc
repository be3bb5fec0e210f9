// What --precision says of shifts and bits: those that take words apart lose nothing, those that
// divide do.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>

#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/observe/precision/precision.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kBytes = 256;
constexpr dim4 kShape = {1, 1, 1, kBytes};

struct Args {
  std::uint64_t input, output;
  rounding_mode_t rounding;
  bool computed;  // the bytes are a sum of the kernel's
};

// output = fp16 of input >> 4
void upper_nibbles(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a.input, &kShape, nullptr, nullptr, DT_INT8);
  if (a.computed) {
    const scalar_t half = {.u32 = 0x3800}, ten = {.u32 = 0x4900};
    tpu_bdc_cast(1024, 0, &kShape, nullptr, nullptr, DT_FP16, DT_INT8, RM_HALF_TO_EVEN);
    tpu_bdc_fp_mul_C(1024, 1024, half, &kShape, nullptr, nullptr, DT_FP16);
    tpu_bdc_fp_mul_C(1024, 1024, ten, &kShape, nullptr, nullptr, DT_FP16);
    tpu_bdc_fp_mul_C(1024, 1024, {.u32 = 0x2e67}, &kShape, nullptr, nullptr, DT_FP16);  // 0.1
    tpu_bdc_cast(0, 1024, &kShape, nullptr, nullptr, DT_INT8, DT_FP16, RM_HALF_TO_EVEN);
  }
  tpu_bdc_arithmetic_shift_C(2048, 0, -4, &kShape, nullptr, nullptr, DT_INT8, DT_INT8, a.rounding);
  tpu_bdc_cast(4096, 2048, &kShape, nullptr, nullptr, DT_FP16, DT_INT8, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_L2S(a.output, 4096, &kShape, nullptr, nullptr, DT_FP16);
  tpu_poll();
}

// Leaves errors in the bytes from 0 on.
void leave_errors() {
  tpu_bdc_cast(1024, 0, &kShape, nullptr, nullptr, DT_FP16, DT_INT8, RM_HALF_TO_EVEN);
  tpu_bdc_fp_mul_C(0, 1024, {.u32 = 0x2e67}, &kShape, nullptr, nullptr, DT_FP16);  // 0.1
}

// Bits of bytes that were copied to where an error was; bits of an error.
void lower_nibbles(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a.input, &kShape, nullptr, nullptr, DT_INT8);
  leave_errors();
  if (!a.computed) tpu_gdma_cpy_S2L(0, a.input, &kShape, nullptr, nullptr, DT_INT8);
  tpu_bdc_and_C(2048, 0, {.u32 = 15}, &kShape, nullptr, nullptr, DT_UINT8);
  tpu_gdma_cpy_L2S(a.output, 2048, &kShape, nullptr, nullptr, DT_INT8);
  tpu_poll();
}

precision::LineErrors errors_of(void (*kernel)(const void*), std::string_view function,
                                rounding_mode_t rounding, bool computed) {
  Device device(bm1684x());
  auto owned = std::make_unique<precision::Precision>(device.chip(), device.memory(), 0, nullptr);
  const precision::Precision& precision = *owned;
  device.add_observer(std::move(owned));
  const Args args = {device.allocate(kBytes).value(), device.allocate(2 * kBytes).value(), rounding,
                     computed};
  std::array<std::uint8_t, kBytes> input;
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(i);
  std::memcpy(device.host_access(HostAccess::kWrite, args.input, kBytes), input.data(), kBytes);
  device.submit("kernel", [&](Session& session) { return run_kernel(session, kernel, &args); });
  device.drain();
  for (const precision::LineErrors& line : precision.lines()) {
    if (line.function == function) return line;
  }
  ADD_FAILURE() << function << " is no line";
  return {};
}
precision::LineErrors errors_of_shift(rounding_mode_t rounding, bool computed) {
  return errors_of(upper_nibbles, "tpu_bdc_arithmetic_shift_C", rounding, computed);
}

TEST(ShiftsInRealNumbers, RoundedToOneSideTheyTakeWordsApart) {
  for (const rounding_mode_t rounding : {RM_DOWN, RM_UP, RM_TOWARDS_ZERO}) {
    const precision::LineErrors line = errors_of_shift(rounding, false);
    EXPECT_EQ(line.calls, 1);
    EXPECT_EQ(line.entered, 0);
    EXPECT_EQ(line.handed_on, 0);
    EXPECT_EQ(line.unknown, 0);
  }
}

TEST(ShiftsInRealNumbers, RoundedToTheNearestTheyDivide) {
  for (const rounding_mode_t rounding :
       {RM_HALF_TO_EVEN, RM_HALF_AWAY_FROM_ZERO, RM_HALF_UP, RM_HALF_DOWN}) {
    const precision::LineErrors line = errors_of_shift(rounding, false);
    EXPECT_GT(line.entered, 1);
    EXPECT_EQ(line.elements, kBytes);
  }
}

// What was computed with an error is a number, whatever its shift does.
TEST(ShiftsInRealNumbers, OfWhatIsWrongTheyHandTheErrorOn) {
  const precision::LineErrors line = errors_of_shift(RM_DOWN, true);
  EXPECT_EQ(line.elements, kBytes);
  EXPECT_GT(line.arrived, 0);
  EXPECT_GT(line.handed_on, 0);
}

// The page has shadows still, the bytes have none.
TEST(BitsInRealNumbers, OfBytesThatAreRightAreRight) {
  EXPECT_EQ(errors_of(lower_nibbles, "tpu_bdc_and_C", RM_DOWN, false).unknown, 0);
}
TEST(BitsInRealNumbers, OfAnErrorOfAnotherTypeAreUnknown) {
  EXPECT_EQ(errors_of(lower_nibbles, "tpu_bdc_and_C", RM_DOWN, true).unknown, 1);
}

}  // namespace
}  // namespace tensorlane::tpukernel
