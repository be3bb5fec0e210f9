// What --precision says of shifts: those that take words apart lose nothing, those that divide do.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>

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

precision::LineErrors errors_of_shift(rounding_mode_t rounding, bool computed) {
  Device device(bm1684x());
  auto owned = std::make_unique<precision::Precision>(device.chip(), device.memory(), 0, nullptr);
  const precision::Precision& precision = *owned;
  device.add_observer(std::move(owned));
  const Args args = {device.allocate(kBytes).value(), device.allocate(2 * kBytes).value(), rounding,
                     computed};
  std::array<std::uint8_t, kBytes> input;
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(i);
  std::memcpy(device.host_access(HostAccess::kWrite, args.input, kBytes), input.data(), kBytes);
  device.submit("kernel",
                [&](Session& session) { return run_kernel(session, upper_nibbles, &args); });
  device.drain();
  for (const precision::LineErrors& line : precision.lines()) {
    if (line.function == "tpu_bdc_arithmetic_shift_C") return line;
  }
  ADD_FAILURE() << "the shift is no line";
  return {};
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

}  // namespace
}  // namespace tensorlane::tpukernel
