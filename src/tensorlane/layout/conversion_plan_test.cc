#include "tensorlane/layout/conversion_plan.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/layout_test_support.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

NamedLayout named(const std::string& text, std::vector<std::int64_t> shape,
                  Dtype dtype = Dtype::kFp32, System system = System::kMace) {
  return make_layout({.system = system,
                      .layout = text,
                      .dtype = dtype,
                      .shape = std::move(shape),
                      .memory = LocalMemory{4, 4096, 128}});
}

TEST(ConversionPlan, SaysWhatAConversionIs) {
  using Kind = ConversionKind;
  const NamedLayout nchw = named("NCHW", {2, 3, 4, 5});
  EXPECT_EQ(plan_conversion(nchw, nchw).kind, Kind::kView);
  // One pixel is both; so is one channel.
  EXPECT_EQ(plan_conversion(named("NHWC", {2, 1, 1, 3}), named("NCHW", {2, 3, 1, 1})).kind,
            Kind::kView);
  EXPECT_EQ(plan_conversion(named("NHWC", {2, 4, 5, 3}), nchw).kind, Kind::kTranspose);
  const ConversionPlan aligned =
      plan_conversion(named("aligned", {2, 3, 4, 5}, Dtype::kFp32, System::kBm1684), nchw);
  EXPECT_EQ(aligned.kind, Kind::kCopy);
  EXPECT_EQ(aligned.run_bytes, 80);
  EXPECT_EQ(aligned.runs, 6);
  const ConversionPlan blocks =
      plan_conversion(named("nChw16c", {1, 32, 7, 7}), named("NCHW", {1, 32, 7, 7}));
  EXPECT_EQ(blocks.kind, Kind::kTranspose);
  EXPECT_EQ(blocks.block_to, 16);
  EXPECT_EQ(blocks.block_from, 49);
  EXPECT_EQ(plan_conversion(named("NCHW", {2, 3, 4, 5}, Dtype::kFp16), nchw).kind, Kind::kConvert);
  EXPECT_EQ(plan_conversion(named("(4,3):(2,8)", {}), named("(4,3):(6,2)", {})).kind,
            Kind::kScatter);
  EXPECT_THROW(plan_conversion(nchw, named("OIHW", {2, 3, 4, 5})), UserError);
  EXPECT_THROW(plan_conversion(nchw, named("NCHW", {2, 3, 5, 4})), UserError);
}

TEST(ConversionPlan, IsPrintedAsLoops) {
  const ConversionPlan plan = plan_conversion(
      named("aligned", {2, 3, 4, 5}, Dtype::kFp32, System::kBm1684), named("NCHW", {2, 3, 4, 5}));
  EXPECT_EQ(conversion_c(plan),
            "for (long i = 0; i < 3; ++i)\n"
            "  for (long j = 0; j < 2; ++j)\n"
            "    memcpy(to + 256 * i + 128 * j, from + 80 * i + 240 * j, 80);\n");
  EXPECT_EQ(conversion_python(plan),
            "for i in range(3):\n"
            "    for j in range(2):\n"
            "        to[256 * i + 128 * j:256 * i + 128 * j + 80] = "
            "source[80 * i + 240 * j:80 * i + 240 * j + 80]\n");
}

// 10,000 random pairs: the runs that a plan lists move every element to its place, and it is a view
// exactly where all distances are one.
TEST(ConversionPlan, RandomPlansMoveEveryElement) {
  LayoutMaker maker(21);
  int views = 0, copies = 0, transposes = 0;
  for (int round = 0; round < 10000; ++round) {
    const LayoutMaker::Form form{.most_axes = 3, .swizzle = round % 5 == 0};
    const Layout from = maker.random_layout(form);
    Layout to(Dtype::kFp32);
    if (round % 3 == 0) {
      to = from;
      to.set_base(from.base() + 64);
    } else {
      std::int64_t stride = 4;
      std::vector<std::int64_t> strides;
      for (int d = from.rank() - 1; d >= 0; --d) {
        strides.push_back(stride);
        stride *= from.extent(d) + maker.pick(0, 1);
      }
      for (int d = 0; d < from.rank(); ++d)
        to.add_dim(from.extent(d), {{1, strides[static_cast<std::size_t>(from.rank() - 1 - d)]}});
    }
    SCOPED_TRACE(notation(to) + " from " + notation(from));
    const ConversionPlan plan = plan_conversion(to, from);
    const auto bytes = [](const Layout& layout) {
      return static_cast<std::size_t>(layout.bounds().end);
    };
    std::vector<std::byte> source(bytes(from)), moved(bytes(to)), wanted(bytes(to));
    for (std::size_t i = 0; i < source.size(); ++i)
      source[i] = static_cast<std::byte>(maker.pick(0, 255));
    convert_reference(to, wanted.data(), from, source.data());
    std::int64_t runs = 0;
    for (const Box& box : plan.boxes) {
      for (std::int64_t i = 0; i < box.size(); ++i) {
        std::int64_t rest = i, at = box.base[0], origin = box.base[1];
        for (int k = box.rank - 1; k >= 0; --k) {
          const Loop& loop = box.loops[static_cast<std::size_t>(k)];
          at += rest % loop.extent * loop.stride[0];
          origin += rest % loop.extent * loop.stride[1];
          rest /= loop.extent;
        }
        std::memcpy(moved.data() + at, source.data() + origin, 4);
        ++runs;
      }
    }
    ASSERT_EQ(moved, wanted);
    ASSERT_EQ(runs, plan.elements);
    bool one_distance = true;
    std::optional<std::int64_t> distance;
    for_each_index(to, [&](const Layout::Index& index) {
      const std::int64_t own = to.address(index) - from.address(index);
      one_distance = one_distance && own == distance.value_or(own);
      distance = own;
    });
    ASSERT_EQ(plan.kind == ConversionKind::kView, one_distance);
    views += plan.kind == ConversionKind::kView;
    copies += plan.kind == ConversionKind::kCopy;
    transposes += plan.kind == ConversionKind::kTranspose;
  }
  EXPECT_GT(views, 1000);
  EXPECT_GT(copies, 300);
  EXPECT_GT(transposes, 1000);
}

}  // namespace
}  // namespace tensorlane
