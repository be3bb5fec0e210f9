#include "tensorlane/layout/layer_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

using Extents = std::array<std::int64_t, 4>;  // N, H, W, C of the result

// A convolution, pooling or depthwise window, in plain numbers.
struct Layer {
  LocalMemory memory;
  std::int64_t bank = 0;
  std::int64_t n = 1, c = 1, h = 1, w = 1, o = 1,
               start = 0;  // the input; o: channels of the result
  std::int64_t kernel = 1, stride = 1, pad = 0;
  bool weights = true, weights_whole = false;
  int x_buffers = 1, w_buffers = 1, y_buffers = 1;

  std::int64_t out(std::int64_t in) const { return (in + 2 * pad - kernel) / stride + 1; }
  Extents result() const { return {n, out(h), out(w), weights ? o : c}; }
};

constexpr std::int64_t kBytes = 4;

LayerPlan planned(const Layer& l, BankUse banks) {
  const auto spec = [&](std::vector<std::int64_t> shape, const char* layout, std::int64_t start) {
    return LayoutSpec{.system = System::kBm1684x,
                      .layout = layout,
                      .dtype = Dtype::kFp32,
                      .shape = std::move(shape),
                      .start_npu = start,
                      .memory = l.memory};
  };
  const Extents y = l.result();
  std::vector<PlanTensor> tensors = {
      {.name = "x", .spec = spec({l.n, l.c, l.h, l.w}, "aligned", l.start), .buffers = l.x_buffers},
      {.name = "y",
       .spec = spec({y[0], y[3], y[1], y[2]}, "aligned", l.start),
       .buffers = l.y_buffers}};
  PlanCommand command{.output = "y",
                      .inputs = {"x"},
                      .kernel = {l.kernel, l.kernel},
                      .stride = {l.stride, l.stride},
                      .pad = {l.pad, l.pad}};
  if (l.weights) {
    tensors.push_back({.name = "w",
                       .spec = spec({l.o, l.c, l.kernel, l.kernel}, "1IC", 0),
                       .buffers = l.w_buffers,
                       .whole = l.weights_whole});
    command.inputs.push_back("w");
  }
  return plan_layer(std::move(tensors), {command}, l.bank, banks);
}

// Part `part` of `parts`, even, the larger ones first, in multiples of `unit`.
std::array<std::int64_t, 2> even(std::int64_t extent, std::int64_t parts, std::int64_t part,
                                 std::int64_t unit) {
  const std::int64_t units = (extent + unit - 1) / unit;
  std::int64_t first = 0, count = 0;
  for (std::int64_t p = 0; p <= part; ++p) {
    first += count;
    count = (units / parts + (p < units % parts ? 1 : 0)) * unit;
  }
  return {first, std::min(extent, first + count) - first};
}

// Rows of the input under rows of the result, clipped, window by window.
std::array<std::int64_t, 2> rows_under(const Layer& l, std::int64_t in,
                                       const std::array<std::int64_t, 2>& made) {
  std::int64_t low = in, high = -1;
  for (std::int64_t r = made[0]; r < made[0] + made[1]; ++r) {
    for (std::int64_t k = 0; k < l.kernel; ++k) {
      const std::int64_t at = r * l.stride - l.pad + k;
      if (at < 0 || at >= in) continue;
      low = std::min(low, at);
      high = std::max(high, at);
    }
  }
  return high < 0 ? std::array<std::int64_t, 2>{0, 1} : std::array{low, high - low + 1};
}

std::int64_t up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}
std::int64_t aligned_bytes(const Layer& l, std::int64_t n, std::int64_t c, std::int64_t h,
                           std::int64_t w) {
  return n * ((l.start + c + l.memory.npus - 1) / l.memory.npus) *
         up(h * w * kBytes, l.memory.align_bytes);
}

struct Ways {
  std::int64_t parts = std::numeric_limits<std::int64_t>::max();
  std::int64_t loaded = std::numeric_limits<std::int64_t>::max();
};

// Bytes that all parts load, by walking them: a tensor is loaded where its part is another than
// before.
std::int64_t walk(const Layer& l, const Extents& parts, std::int64_t unit, bool channels_first) {
  const Extents y = l.result();
  std::int64_t loaded = 0;
  std::vector<std::int64_t> has_x, has_w;
  const std::int64_t plane = parts[0] * parts[1] * parts[2];
  for (std::int64_t i = 0; i < plane * parts[3]; ++i) {
    const std::int64_t at = channels_first ? i % plane : i / parts[3];
    const std::int64_t channel = channels_first ? i / plane : i % parts[3];
    const auto n = even(y[0], parts[0], at / (parts[1] * parts[2]), 1);
    const auto h = rows_under(l, l.h, even(y[1], parts[1], at / parts[2] % parts[1], 1));
    const auto w = rows_under(l, l.w, even(y[2], parts[2], at % parts[2], 1));
    const auto o = even(y[3], parts[3], channel, unit);
    std::vector<std::int64_t> x = {n[0], n[1], h[0], h[1], w[0], w[1]};
    if (!l.weights) x.insert(x.end(), {o[0], o[1]});
    if (x != has_x) loaded += n[1] * h[1] * w[1] * (l.weights ? l.c : o[1]) * kBytes;
    has_x = x;
    const std::vector<std::int64_t> weights = {o[0], o[1]};
    if (l.weights && weights != has_w) loaded += o[1] * l.c * l.kernel * l.kernel * kBytes;
    has_w = weights;
  }
  return loaded;
}

// Every number of even parts along every axis.
Ways brute_force(const Layer& l, BankUse banks) {
  const Extents y = l.result();
  const std::int64_t align = banks == BankUse::kOwn ? l.bank : l.memory.align_bytes;
  Ways best;
  const bool cuts_channels = !l.weights || !l.weights_whole;
  std::array<std::vector<std::int64_t>, 4> most_y, most_x;  // by the number of parts - 1
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::int64_t parts = 1; parts <= y[a]; ++parts) {
      std::int64_t out = 0, in = 0;
      for (std::int64_t p = 0; p < parts; ++p) {
        const auto made = even(y[a], parts, p, 1);
        out = std::max(out, made[1]);
        in = std::max(in, a == 0 ? made[1] : rows_under(l, a == 1 ? l.h : l.w, made)[1]);
      }
      most_y[a].push_back(out);
      most_x[a].push_back(in);
    }
  }
  for (std::int64_t n = 1; n <= y[0]; ++n) {
    for (std::int64_t h = 1; h <= y[1]; ++h) {
      for (std::int64_t w = 1; w <= y[2]; ++w) {
        for (std::int64_t c = 1; c <= (cuts_channels ? y[3] : 1); ++c) {
          if (n * h * w * c > best.parts) break;
          for (const std::int64_t unit : {std::int64_t{1}, std::int64_t{l.memory.npus}}) {
            if ((y[3] + unit - 1) / unit < c) continue;
            const std::int64_t o = even(y[3], c, 0, unit)[1];
            const auto at = [](const std::vector<std::int64_t>& list, std::int64_t k) {
              return list[static_cast<std::size_t>(k - 1)];
            };
            std::int64_t bytes =
                l.x_buffers * up(aligned_bytes(l, at(most_x[0], n), l.weights ? l.c : o,
                                               at(most_x[1], h), at(most_x[2], w)),
                                 align) +
                l.y_buffers *
                    up(aligned_bytes(l, at(most_y[0], n), o, at(most_y[1], h), at(most_y[2], w)),
                       align);
            if (l.weights)
              bytes += l.w_buffers * up((o + l.memory.npus - 1) / l.memory.npus * l.c * l.kernel *
                                            l.kernel * kBytes,
                                        align);
            if (bytes > l.memory.npu_bytes) continue;
            const std::int64_t parts = n * h * w * c;
            const std::int64_t loaded =
                std::min(walk(l, {n, h, w, c}, unit, false), walk(l, {n, h, w, c}, unit, true));
            if (parts < best.parts || loaded < best.loaded) best = {parts, loaded};
          }
        }
      }
    }
  }
  return best;
}

Layer random_layer(std::mt19937& random) {
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Layer l;
  l.memory = {static_cast<int>(pick(2, 8)), 512 * pick(2, 16), 64};
  l.bank = l.memory.npu_bytes / 8;
  l.n = pick(1, 3);
  l.c = pick(1, 30);
  l.h = pick(1, 12);
  l.w = pick(1, 12);
  l.o = pick(1, 40);
  l.start = pick(0, 2) == 0 ? pick(0, l.memory.npus - 1) : 0;
  l.kernel = std::min(pick(1, 5), std::min(l.h, l.w));
  l.stride = pick(1, 3);
  l.pad = pick(0, l.kernel / 2);
  l.weights = pick(0, 3) != 0;
  l.weights_whole = pick(0, 4) == 0;
  l.x_buffers = static_cast<int>(pick(1, 2));
  l.w_buffers = pick(0, 3) == 0 ? 2 : 1;
  l.y_buffers = static_cast<int>(pick(1, 2));
  return l;
}

// 200 random layers, against every number of even parts along every axis.
TEST(LayerPlan, IsTheBestOfAllCuts) {
  std::mt19937 random(7);
  int cut = 0, channels = 0, refused = 0;
  for (int round = 0; round < 200; ++round) {
    const Layer l = random_layer(random);
    SCOPED_TRACE(round);
    Ways best = brute_force(l, BankUse::kOwn);
    BankUse banks = BankUse::kOwn;
    if (best.parts == Ways().parts) best = brute_force(l, banks = BankUse::kShared);
    const LayerPlan plan = planned(l, BankUse::kOwn);
    ASSERT_EQ(plan.fits, best.parts != Ways().parts);
    if (!plan.fits) {
      ++refused;
      EXPECT_GT(plan.least_bytes, l.memory.npu_bytes);
      EXPECT_TRUE(plan.places.empty());
      continue;
    }
    EXPECT_EQ(plan.banks, banks);
    EXPECT_EQ(plan.parts(), best.parts);
    EXPECT_EQ(plan.loaded_bytes, best.loaded);
    if (l.weights && l.weights_whole) {
      EXPECT_EQ(plan.cuts[3].parts, 1);
    }
    cut += plan.parts() > 1;
    channels += plan.cuts[3].parts > 1;
  }
  EXPECT_GT(cut, 70);
  EXPECT_GT(channels, 20);
  EXPECT_GT(refused, 5);
}

// What a part is said to need is what its windows read, and buffers that are needed at one time
// share no byte.
TEST(LayerPlan, PartsHaveWhatTheyReadAndNothingOverlaps) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    const Layer l = random_layer(random);
    const LayerPlan plan = planned(l, BankUse::kShared);
    if (!plan.fits) continue;
    for (const Axis axis : {Axis::kH, Axis::kW}) {
      const LayerCut& cut = plan.cuts[axis == Axis::kH ? 1 : 2];
      const std::int64_t in = axis == Axis::kH ? l.h : l.w;
      std::int64_t next = 0;
      for (std::int64_t part = 0; part < cut.parts; ++part) {
        const Span made = plan.span(1, axis, part), read = plan.span(0, axis, part);
        EXPECT_EQ(made.first, next);
        next += made.count;
        const auto [before, behind] = plan.padding(0, axis, part);
        std::int64_t low = 1 << 20, high = -1;
        for (std::int64_t r = made.first; r < made.first + made.count; ++r) {
          for (std::int64_t k = 0; k < l.kernel; ++k) {
            low = std::min(low, r * l.stride - l.pad + k);
            high = std::max(high, r * l.stride - l.pad + k);
          }
        }
        EXPECT_EQ(before, std::max<std::int64_t>(0, -low));
        EXPECT_EQ(behind, std::max<std::int64_t>(0, high - in + 1));
        EXPECT_LE(read.first, std::clamp<std::int64_t>(low, 0, in - 1));
        EXPECT_GE(read.first + read.count, std::min(high + 1, in));
      }
      EXPECT_EQ(next, cut.extent);
    }
    for (const LayerPlace& a : plan.places) {
      EXPECT_LE(a.offset + a.bytes, plan.memory.npu_bytes);
      EXPECT_EQ(a.offset % plan.memory.align_bytes, 0);
      for (const LayerPlace& b : plan.places) {
        if (&a != &b) {
          EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
        }
      }
    }
  }
}

PlanTensor tensor(const char* name, std::vector<std::int64_t> shape, int buffers = 1,
                  const char* layout = "aligned") {
  return {.name = name,
          .spec = {.system = System::kBm1684x,
                   .layout = layout,
                   .dtype = Dtype::kFp16,
                   .shape = std::move(shape),
                   .memory = LocalMemory{64, 256 << 10, 64}},
          .buffers = buffers};
}
constexpr std::int64_t kBankBytes = 16 << 10;

// A convolution, an activation and a second convolution: the first result is needed whole in its
// channels, with the halo of the second window, and shares addresses with nothing that is used
// beside it.
TEST(LayerPlan, CommandsShareTensorsWhileTheyLive) {
  const LayerPlan plan =
      plan_layer({tensor("x", {1, 64, 112, 112}), tensor("w1", {64, 64, 3, 3}, 1, "32IC"),
                  tensor("t", {1, 64, 112, 112}), tensor("w2", {128, 64, 3, 3}, 1, "32IC"),
                  tensor("y", {1, 128, 112, 112})},
                 {{.output = "t", .inputs = {"x", "w1"}, .kernel = {3, 3}, .pad = {1, 1}},
                  {.output = "t", .inputs = {"t"}},
                  {.output = "y", .inputs = {"t", "w2"}, .kernel = {3, 3}, .pad = {1, 1}}},
                 kBankBytes, BankUse::kShared);
  ASSERT_TRUE(plan.fits);
  EXPECT_EQ(plan.cut_of(2, Axis::kC), std::nullopt);
  EXPECT_EQ(plan.cut_of(0, Axis::kC), std::nullopt);
  const std::int64_t part = plan.cuts[1].parts / 2;
  if (plan.cuts[1].parts > 2) {
    const Span y = plan.span(4, Axis::kH, part), t = plan.span(2, Axis::kH, part),
               x = plan.span(0, Axis::kH, part);
    EXPECT_EQ(t, (Span{y.first - 1, y.count + 2}));
    EXPECT_EQ(x, (Span{y.first - 2, y.count + 4}));
  }
  for (const LayerPlace& a : plan.places) {
    for (const LayerPlace& b : plan.places) {
      const bool meet = a.always || b.always ||
                        (a.first_command <= b.last_command && b.first_command <= a.last_command);
      if (&a != &b && meet) {
        EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
      }
    }
  }
  // The input of the first command is gone when the second window runs.
  EXPECT_EQ(plan.places[0].last_command, 0);
  EXPECT_EQ(plan.places[4].first_command, 2);
}

// The plan with lifetimes is smaller than the sum of its buffers.
TEST(LayerPlan, WhatDiesMakesRoom) {
  const std::vector<PlanTensor> tensors = {tensor("a", {1, 64, 1, 50000}),
                                           tensor("b", {1, 64, 1, 50000}),
                                           tensor("c", {1, 64, 1, 50000})};
  const LayerPlan plan =
      plan_layer(tensors, {{.output = "b", .inputs = {"a"}}, {.output = "c", .inputs = {"b"}}},
                 kBankBytes, BankUse::kShared);
  ASSERT_TRUE(plan.fits);
  EXPECT_EQ(plan.parts(), 1);
  EXPECT_EQ(plan.places[0].offset, plan.places[2].offset);
}

TEST(LayerPlan, ChannelsAreCutWithTheirWeightsOrNotAtAll) {
  const auto layer = [](bool whole) {
    std::vector<PlanTensor> tensors = {tensor("x", {1, 512, 7, 7}),
                                       tensor("w", {2048, 512, 1, 1}, 1, "32IC"),
                                       tensor("y", {1, 2048, 7, 7})};
    tensors[1].whole = whole;
    return plan_layer(std::move(tensors), {{.output = "y", .inputs = {"x", "w"}}}, kBankBytes,
                      BankUse::kOwn);
  };
  const LayerPlan plan = layer(false);
  ASSERT_TRUE(plan.fits);
  EXPECT_EQ(plan.cuts[3].extent, 2048);
  EXPECT_EQ(plan.part_shape(1)[0], plan.part_shape(2)[1]);
  EXPECT_EQ(plan.part_shape(0)[1], 512);
  EXPECT_EQ(layer(true).cuts[3].parts, 1);
}

TEST(LayerPlan, WhatDoesNotFitNamesTheSmallestChange) {
  const auto layer = [](int buffers, bool whole) {
    std::vector<PlanTensor> tensors = {tensor("x", {1, 2048, 1, 1}, buffers),
                                       tensor("w", {64, 2048, 7, 7}, 1, "32IC"),
                                       tensor("y", {1, 64, 1, 1})};
    tensors[1].whole = whole;
    tensors[0].spec.shape = {1, 2048, 7, 7};
    return plan_layer(std::move(tensors), {{.output = "y", .inputs = {"x", "w"}, .kernel = {7, 7}}},
                      kBankBytes, BankUse::kOwn);
  };
  // The weights of one row of NPUs take 200,704 bytes, the input 32 * 128.
  EXPECT_TRUE(layer(2, false).fits);
  const LayerPlan plan = layer(20, false);
  EXPECT_FALSE(plan.fits);
  const std::optional<PlanChange> change = change_that_fits(plan);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, PlanChange::Kind::kOneBuffer);
  EXPECT_EQ(change->tensor, 0);
}

TEST(LayerPlan, IsWrittenAsConstants) {
  const LayerPlan plan =
      plan_layer({tensor("x", {1, 64, 224, 224}, 2), tensor("y", {1, 64, 224, 224}, 2)},
                 {{.output = "y", .inputs = {"x"}, .kernel = {3, 3}, .pad = {1, 1}}}, kBankBytes,
                 BankUse::kOwn);
  ASSERT_TRUE(plan.fits);
  const std::string c = layer_plan_c(plan), python = layer_plan_python(plan);
  for (const char* part : {"#define PARTS ", "#define X_ADDR_1 0x", "static const int X_H[",
                           "static const int Y_PAD_H["})
    EXPECT_NE(c.find(part), std::string::npos) << part << c;
  for (const char* part : {"PARTS = ", "X_ADDR_1 = 0x", "X_H = [(0, ", "Y_PAD_H = [(1, 0)"})
    EXPECT_NE(python.find(part), std::string::npos) << part << python;
}

TEST(LayerPlan, BadCommandsAreNamed) {
  const auto error = [](PlanCommand command) -> std::string {
    try {
      plan_layer({tensor("x", {1, 8, 8, 8}), tensor("w", {16, 8, 3, 3}, 1, "32IC"),
                  tensor("y", {1, 8, 8, 8})},
                 {std::move(command)}, kBankBytes);
    } catch (const UserError& thrown) {
      return thrown.what();
    }
    return "accepted";
  };
  EXPECT_NE(error({.output = "z", .inputs = {"x"}}).find("'z', which is none"), std::string::npos);
  EXPECT_NE(error({.output = "y", .inputs = {"x", "w"}, .kernel = {3, 3}}).find("gives 6"),
            std::string::npos);
  EXPECT_NE(error({.output = "y", .inputs = {"x", "w"}, .kernel = {3, 3}, .pad = {1, 1}})
                .find("16 output channels"),
            std::string::npos);
  EXPECT_NE(error({.output = "y", .inputs = {"x"}}).find("no command names the tensor 'w'"),
            std::string::npos);
  EXPECT_NE(error({.output = "y", .inputs = {}}).find("has no input"), std::string::npos);
}

}  // namespace
}  // namespace tensorlane
