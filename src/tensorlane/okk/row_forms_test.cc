// A function's vectors take the calls whose rows have the forms that they state, and no others.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/okk/random_call_test_support.h"

namespace tensorlane::okk {
namespace {

struct Taken {
  int yes = 0, no = 0;
};

template <std::size_t N>
Taken compare_with_the_statement(std::string_view function,
                                 const std::array<std::string_view, N>& sources) {
  constexpr int kCalls = 2000, kSize = 50;
  static DeviceMemory memory(bm1684());
  const Op& op = **std::ranges::find(op_list(), function, &Op::name);
  const Implementation& vectors = op.spec().implementations.front();
  EXPECT_EQ(vectors.forms, kVectorOperands);
  const ChipFloatScope flush;
  Taken taken;
  for (std::uint64_t k = 0; k < kCalls; ++k) {
    const RandomCall call = random_call(op)(rc::Random(k), kSize).value();
    if (!call.legal) continue;
    Command command;
    decode(op, call.args, bm1684(), false, command);
    const Invocation invocation{command, memory.bases()};
    const bool states = command.find("dst_addr")->layout.nested() &&
                        forms_along_rows(invocation, "dst_addr", sources).fit(vectors.forms, N);
    EXPECT_EQ(vectors.run(invocation), states) << function << ", call " << k;
    ++(states ? taken.yes : taken.no);
  }
  return taken;
}

TEST(RowForms, VectorsTakeWhatTheyState) {
  for (const Taken taken :
       {compare_with_the_statement<2>("okk_bdc_add", {"src0_addr", "src1_addr"}),
        compare_with_the_statement<2>("okk_bdc_mul_C", {"src_addr", "C"}),
        compare_with_the_statement<1>("okk_bdc_neg", {"src_addr"})}) {
    EXPECT_GT(taken.yes, 50);
    EXPECT_GT(taken.no, 50);
  }
}

}  // namespace
}  // namespace tensorlane::okk
