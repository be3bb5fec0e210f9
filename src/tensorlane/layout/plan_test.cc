#include "tensorlane/layout/plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

constexpr LocalMemory kChip{64, 512 << 10, 128};
constexpr std::int64_t kBank = 64 << 10;

LayoutSpec aligned(std::vector<std::int64_t> shape, Dtype dtype = Dtype::kFp32) {
  return {.layout = "aligned", .dtype = dtype, .shape = std::move(shape), .memory = kChip};
}

const PlanSplit& along(const std::vector<PlanSplit>& splits, Axis axis) {
  for (const PlanSplit& split : splits) {
    if (split.axis == axis) return split;
  }
  throw std::logic_error("no such axis");
}

// One tensor of 112 x 112 floats takes 50176 bytes per batch and channel row: a whole number of
// units of 128.
TEST(Plan, TheLargestPartIsWhatTheFormulaOfTheDocumentsSays) {
  const LocalPlan plan =
      plan_local_memory({{.name = "x", .spec = aligned({32, 64, 112, 112})}}, kBank);
  EXPECT_FALSE(plan.fits);
  EXPECT_EQ(plan.bytes_per_npu, 32 * 50176);
  EXPECT_EQ(along(plan.splits, Axis::kN).part, (512 << 10) / 50176);
  EXPECT_EQ(along(plan.splits, Axis::kN).parts(), 4);  // 10 of 32
  EXPECT_EQ(along(plan.splits, Axis::kH).part, 512 * 1024 / 32 / 128 * 32 / 112);
  EXPECT_EQ(along(plan.splits, Axis::kC).part, std::nullopt);  // 64 channels are one row
  ASSERT_TRUE(plan.tile);
  EXPECT_EQ(*plan.tile, (Tile{.n = 10, .h = 112, .w = 112, .c = 64}));
}

TEST(Plan, TwoBuffersOfInAndOutputShareNoBank) {
  const LocalPlan plan =
      plan_local_memory({{.name = "in", .spec = aligned({32, 64, 56, 56}), .buffers = 2},
                         {.name = "out", .spec = aligned({32, 64, 56, 56}), .buffers = 2}},
                        kBank);
  EXPECT_EQ(plan.banks, BankUse::kOwn);
  ASSERT_EQ(plan.places.size(), 4U);
  EXPECT_EQ(plan.tile->n, 10);  // two banks hold ten batches of 12544 bytes
  EXPECT_EQ(plan.places[1].offset, 2 * kBank);
  EXPECT_EQ(plan.places[3].offset, 6 * kBank);
}

TEST(Plan, NIsCutBeforeHAndWhatIsNeededWholeStays) {
  const LocalPlan plan =
      plan_local_memory({{.name = "in", .spec = aligned({4, 256, 224, 224})},
                         {.name = "bias", .spec = aligned({1, 256, 1, 1}), .whole = true}},
                        kBank, BankUse::kShared);
  ASSERT_TRUE(plan.tile);
  EXPECT_EQ(plan.tile->n, 1);
  EXPECT_LT(plan.tile->h, 224);
  EXPECT_EQ(plan.tile->w, 224);
  EXPECT_EQ(plan.tile->c, 256);
  EXPECT_EQ(plan.part(plan.tensors[1], *plan.tile).spec.shape, plan.tensors[1].spec.shape);
  EXPECT_EQ(plan.parts, 4 * ceil_div(224, plan.tile->h));
}

// An output of half the height is cut in proportion.
TEST(Plan, AnotherExtentIsCutInProportion) {
  const LocalPlan plan = plan_local_memory({{.name = "in", .spec = aligned({1, 64, 512, 512})},
                                            {.name = "out", .spec = aligned({1, 64, 256, 256})}},
                                           kBank);
  ASSERT_TRUE(plan.tile);
  EXPECT_EQ(plan.part(plan.tensors[1], *plan.tile).spec.shape[2], ceil_div(plan.tile->h, 2));
}

TEST(Plan, WhatCannotBeCutIsSaid) {
  const LocalPlan plan = plan_local_memory(
      {{.name = "w", .spec = aligned({1, 64, 1024, 1024}), .whole = true}}, kBank);
  EXPECT_FALSE(plan.fits);
  EXPECT_FALSE(plan.tile);
  EXPECT_EQ(plan.parts, 0);
  EXPECT_TRUE(plan.splits.empty());
  EXPECT_TRUE(plan.places.empty());
  EXPECT_EQ(plan.least_bytes, 4 << 20);
  ASSERT_TRUE(change_that_fits(plan));
  EXPECT_EQ(change_that_fits(plan)->kind, PlanChange::Kind::kInParts);
  EXPECT_THROW(plan_local_memory({}, kBank), UserError);
  LayoutSpec system = aligned({1, 1, 1, 1});
  system.layout = "continuous";
  EXPECT_THROW(plan_local_memory({{.name = "s", .spec = system}}, kBank), UserError);
}

// Places never overlap, start at what the layout asks for, and where they say so share no bank; a
// part of one element more along the cut axis would not fit.
RC_GTEST_PROP(Plan, PlacesAreDisjointAndThePartIsTheLargest, ()) {
  const auto extent = [](int most) { return *rc::gen::inRange(1, most + 1); };
  const int n = extent(20), c = extent(200), h = extent(80), w = extent(80);
  std::vector<PlanTensor> tensors;
  for (int i = 0, count = extent(3); i < count; ++i) {
    const Dtype dtype = *rc::gen::element(Dtype::kFp32, Dtype::kFp16, Dtype::kInt8);
    tensors.push_back({.name = std::string(1, static_cast<char>('a' + i)),
                       .spec = aligned({n, c, h, w}, dtype),
                       .buffers = extent(2)});
    if (*rc::gen::arbitrary<bool>()) tensors.back().spec.layout = "compact";
  }
  const BankUse banks = *rc::gen::element(BankUse::kOwn, BankUse::kShared);
  const LocalPlan plan = plan_local_memory(tensors, kBank, banks);
  RC_PRE(plan.tile.has_value());
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    const PlanPlace& place = plan.places[i];
    RC_ASSERT(place.offset % kChip.align_bytes == 0);
    RC_ASSERT(place.offset + place.bytes <= kChip.npu_bytes);
    if (i == 0) continue;
    const PlanPlace& before = plan.places[i - 1];
    RC_ASSERT(before.offset + before.bytes <= place.offset);
    if (plan.banks == BankUse::kOwn)
      RC_ASSERT((before.offset + before.bytes - 1) / kBank < place.offset / kBank);
  }
  for (const Axis axis : {Axis::kN, Axis::kH, Axis::kW, Axis::kC}) {
    Tile larger = *plan.tile;
    if (larger.along(axis) == plan.whole.along(axis)) continue;
    larger.along(axis) += 1;
    std::int64_t bytes = 0;
    for (const PlanTensor& tensor : plan.tensors) {
      for (int buffer = 0; buffer < tensor.buffers; ++buffer) {
        bytes = align_up(bytes, plan.banks == BankUse::kOwn ? kBank : kChip.align_bytes);
        bytes += plan.part(tensor, larger).bytes_per_npu;
      }
    }
    RC_ASSERT(bytes > kChip.npu_bytes);
  }
}

LayoutSpec weights(std::int64_t outputs, std::int64_t inputs) {
  return {.layout = "2IC", .shape = {inputs, outputs, 3, 3}, .memory = kChip};
}

// Half of the input channels would leave half a sum; half of the output channels are half a result.
TEST(Plan, BesideWeightsOutputChannelsAreCut) {
  const LocalPlan plan = plan_local_memory({{.name = "x", .spec = aligned({1, 512, 4, 4})},
                                            {.name = "w", .spec = weights(2048, 512)},
                                            {.name = "b", .spec = aligned({1, 2048, 1, 1})},
                                            {.name = "y", .spec = aligned({1, 2048, 4, 4})}},
                                           kBank, BankUse::kShared);
  EXPECT_FALSE(plan.fits);
  ASSERT_TRUE(plan.tile);
  const auto part = [&](std::size_t tensor) {
    return plan.part(plan.tensors[tensor], *plan.tile).spec.shape;
  };
  EXPECT_EQ(part(0)[1], 512);
  const std::int64_t outputs = part(1)[1];
  EXPECT_LT(outputs, 2048);
  EXPECT_EQ(part(1)[0], 512);
  EXPECT_EQ(part(2)[1], outputs);
  EXPECT_EQ(part(3)[1], outputs);
  for (const PlanSplit& split : plan.splits) EXPECT_NE(split.axis, Axis::kC);
}

// Where inputs are as many as outputs, what stands behind the weights is the result.
TEST(Plan, OfAsManyInputsAsOutputsTheResultIsCut) {
  const LocalPlan plan = plan_local_memory({{.name = "x", .spec = aligned({1, 1024, 2, 2})},
                                            {.name = "w", .spec = weights(1024, 1024)},
                                            {.name = "y", .spec = aligned({1, 1024, 2, 2})}},
                                           kBank, BankUse::kShared);
  ASSERT_TRUE(plan.tile);
  EXPECT_FALSE(plan.cut_axis(plan.tensors[0], Axis::kO));
  EXPECT_EQ(plan.cut_axis(plan.tensors[1], Axis::kO), Axis::kO);
  EXPECT_EQ(plan.cut_axis(plan.tensors[2], Axis::kO), Axis::kC);
  LocalPlan whole = plan;
  whole.tensors[1].whole = true;
  for (const PlanTensor& tensor : whole.tensors)
    for (const Axis axis : {Axis::kC, Axis::kO}) EXPECT_FALSE(whole.cut_axis(tensor, axis));
}

TEST(Plan, TheSmallestChangeThatFitsIsNamed) {
  const auto change = [](std::vector<PlanTensor> tensors) {
    return change_that_fits(plan_local_memory(std::move(tensors), kBank));
  };
  const LayoutSpec half = aligned({1, 64, 256, 256});  // half of an NPU
  const auto three = change({{.name = "a", .spec = half, .buffers = 3, .whole = true}});
  ASSERT_TRUE(three);
  EXPECT_EQ(three->kind, PlanChange::Kind::kOneBuffer);
  const auto two =
      change({{.name = "a", .spec = half, .buffers = 2, .whole = true},
              {.name = "b", .spec = aligned({1, 64, 200, 256}), .buffers = 2, .whole = true}});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->kind, PlanChange::Kind::kOneBufferEach);
  EXPECT_FALSE(change({{.name = "m",
                        .spec = {.layout = "matrix",
                                 .shape = {1, 1 << 22},
                                 .cols_per_channel = 1 << 20,
                                 .memory = kChip}}}));
}

TEST(Plan, APartIsNoLongerThanACallTakes) {
  const LocalPlan plan =
      plan_local_memory({{.name = "x", .spec = aligned({1, 64, 1, 100000})}}, kBank);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.parts, 2);
  EXPECT_EQ(plan.tile->w, kMostExtent);
}

}  // namespace
}  // namespace tensorlane
