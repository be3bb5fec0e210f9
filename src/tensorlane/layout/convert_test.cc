// Conversion between every ordered pair of layouts, against the element-wise definition.
#include "tensorlane/layout/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/layout_test_support.h"
#include "tensorlane/layout/winograd.h"

namespace tensorlane {
namespace {

// Shapes of one logical tensor of 480 elements along every kind of axes.
std::vector<std::int64_t> shape_along(const Axes& axes) {
  if (axes.size() == 1) return {480};
  if (axes.size() == 2)
    return axes.has(Axis::kRow) ? std::vector<std::int64_t>{5, 96}
                                : std::vector<std::int64_t>{20, 24};
  static const std::map<Axis, std::int64_t> kExtents = {{Axis::kN, 5}, {Axis::kC, 6}, {Axis::kO, 5},
                                                        {Axis::kI, 6}, {Axis::kH, 4}, {Axis::kW, 4},
                                                        {Axis::kM, 1}};
  std::vector<std::int64_t> shape;
  const bool depthwise = axes.has(Axis::kM);
  for (const Axis axis : axes)
    shape.push_back(depthwise && axis == Axis::kI ? 30 : kExtents.at(axis));
  return shape;
}

struct Endpoint {
  System system;
  const LayoutInfo* info;
};

std::vector<Endpoint> all_layouts() {
  std::vector<Endpoint> all;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) all.push_back({system, &info});
  }
  return all;
}

NamedLayout random_layout(LayoutMaker& maker, const Endpoint& endpoint) {
  LayoutSpec spec{.system = endpoint.system,
                  .layout = std::string(endpoint.info->name),
                  .shape = shape_along(endpoint.info->axes)};
  spec.dtype = maker.random_dtype(*endpoint.info);
  maker.finish(spec, *endpoint.info);
  if (spec.cols_per_channel) {  // keep the number of elements
    spec.shape = shape_along(endpoint.info->axes);
    spec.cols_per_channel = maker.pick(1, spec.shape.back());
  }
  if (endpoint.info->winograd) {
    spec.winograd_block = 2;
    spec.shape = shape_along(endpoint.info->axes);
  }
  return make_layout(spec);
}

// Bytes of the elements' own memory as `convert` takes it: NPU after NPU.
struct Memory {
  explicit Memory(const NamedLayout& named) : tensor(named) {
    LayoutSpec spec = named.spec;
    spec.offset = 0;
    if (named.is_local()) {
      spec.memory = named.memory();
      spec.memory->npu_bytes = named.bytes_per_npu;
    }
    layout = make_layout(spec).layout;
    bytes.resize(static_cast<std::size_t>(named.total_bytes()));
  }
  std::uint32_t load(std::span<const std::int64_t> index) const {
    const std::int64_t address = layout.address(index);
    std::uint32_t bits = 0;
    if (layout.unit_bits() == 4) {
      return std::to_integer<std::uint32_t>(bytes[static_cast<std::size_t>(address / 2)]) >>
                 (address % 2 * 4) &
             15U;
    }
    std::memcpy(&bits, bytes.data() + address, static_cast<std::size_t>(layout.element_units()));
    return bits;
  }
  NamedLayout tensor;
  Layout layout;
  std::vector<std::byte> bytes;
};

void fill(std::vector<std::byte>& bytes, LayoutMaker& maker) {
  for (std::byte& b : bytes) b = static_cast<std::byte>(maker.pick(0, 255));
}

// The element of `from` that is element `index` of `to`: by the letters of the axes, or at the same
// position of the row-major sequence.
std::vector<std::int64_t> source_index(const NamedLayout& to, const NamedLayout& from,
                                       const Layout::Index& index) {
  std::vector<std::int64_t> result(from.spec.shape.size());
  if (to.axes.permutes(from.axes)) {
    for (std::size_t d = 0; d < result.size(); ++d) {
      result[d] = index[to.axes.find(from.axes[static_cast<int>(d)])];
    }
    return result;
  }
  std::int64_t position = 0;
  for (std::size_t d = 0; d < to.spec.shape.size(); ++d) {
    position = position * to.spec.shape[d] + index[d];
  }
  for (std::size_t d = result.size(); d-- > 0;) {
    result[d] = position % from.spec.shape[d];
    position /= from.spec.shape[d];
  }
  return result;
}

TEST(Convert, EveryOrderedPairOfLayoutsAgreesWithTheDefinition) {
  LayoutMaker maker(21);
  int pairs = 0;
  for (const Endpoint& a : all_layouts()) {
    for (const Endpoint& b : all_layouts()) {
      Memory from(random_layout(maker, a)), to(random_layout(maker, b));
      SCOPED_TRACE(describe_spec(from.tensor.spec) + " -> " + describe_spec(to.tensor.spec));
      fill(from.bytes, maker);
      fill(to.bytes, maker);
      const std::vector<std::byte> before = to.bytes;
      convert(to.tensor, to.bytes, from.tensor, from.bytes);
      // Elements arrive converted ...
      std::vector<bool> element(to.bytes.size() * 2);
      const int units = 8 / to.layout.unit_bits();
      for_each_index(to.layout, [&](const Layout::Index& index) {
        const std::uint32_t bits = from.load(source_index(to.tensor, from.tensor, index));
        ASSERT_EQ(to.load(index),
                  convert_element(bits, to.tensor.spec.dtype, from.tensor.spec.dtype));
        const std::int64_t address = to.layout.address(index);
        for (std::int64_t unit = address; unit < address + to.layout.element_units(); ++unit) {
          if (units == 2) {
            element[static_cast<std::size_t>(unit)] = true;
          } else {
            element[static_cast<std::size_t>(unit) * 2] = true;
            element[static_cast<std::size_t>(unit) * 2 + 1] = true;
          }
        }
      });
      // ... and everything else is as the target prescribes.
      const bool zero = to.tensor.padding == PaddingFill::kZero;
      const bool echoes = to.tensor.info->echoes;
      for (std::size_t i = 0; i < to.bytes.size() && !echoes; ++i) {
        std::byte mask{0};
        if (!element[2 * i]) mask |= std::byte{0x0f};
        if (!element[2 * i + 1]) mask |= std::byte{0xf0};
        ASSERT_EQ(to.bytes[i] & mask, zero ? std::byte{0} : before[i] & mask) << "byte " << i;
      }
      ++pairs;
    }
  }
  EXPECT_GE(pairs, 43 * 43) << "the layouts of the documents";
}

TEST(Convert, ThereAndBackIsTheIdentity) {
  LayoutMaker maker(22);
  for (const Endpoint& a : all_layouts()) {
    for (const Endpoint& b : all_layouts()) {
      NamedLayout first = random_layout(maker, a), second = random_layout(maker, b);
      second.spec.dtype = first.spec.dtype;
      try {
        second = make_layout(second.spec);
      } catch (const UserError&) {
        continue;  // the layout has no such elements
      }
      Memory start(first), middle(second), end(first);
      SCOPED_TRACE(describe_spec(first.spec) + " <-> " + describe_spec(second.spec));
      fill(start.bytes, maker);
      convert(second, middle.bytes, first, start.bytes);
      convert(first, end.bytes, second, middle.bytes);
      for_each_index(start.layout, [&](const Layout::Index& index) {
        ASSERT_EQ(start.load(index), end.load(index));
      });
    }
  }
}

// Larger tensors: threads, staging, pieces and progress, against the reference.
TEST(Convert, LargeTensorsAgreeWithTheReference) {
  const auto check = [](const LayoutSpec& to_spec, const LayoutSpec& from_spec) {
    const NamedLayout to = make_layout(to_spec), from = make_layout(from_spec);
    check_fits(to);  // or elements overlap
    check_fits(from);
    SCOPED_TRACE(describe_spec(from_spec) + " -> " + describe_spec(to_spec));
    std::vector<std::byte> src(static_cast<std::size_t>(from.layout.bounds().end));
    std::mt19937 random(1);
    for (std::byte& b : src) b = static_cast<std::byte>(random());
    std::vector<std::byte> expected(static_cast<std::size_t>(to.layout.bounds().end));
    for (const bool with_progress : {false, true}) {
      std::vector<std::byte> result(expected.size());
      LayoutConversion options;
      std::int64_t last = 0;
      if (with_progress) {
        options.progress = [&](std::int64_t done, std::int64_t all) {
          EXPECT_GT(done, last);
          EXPECT_EQ(all, to.layout.size());
          last = done;
        };
      }
      convert(to.layout, result.data(), from.layout, src.data(), options);
      if (!with_progress) {
        convert_reference(to.layout, expected.data(), from.layout, src.data());
      } else {
        EXPECT_EQ(last, to.layout.size());
      }
      ASSERT_TRUE(result == expected);
    }
  };
  const LocalMemory memory{4, 2 << 20, 128};
  const std::vector<std::int64_t> shape = {3, 40, 61, 50};
  check({.layout = "aligned",
         .dtype = Dtype::kFp16,
         .shape = shape,
         .start_npu = 3,
         .memory = memory},
        {.layout = "continuous", .dtype = Dtype::kFp32, .shape = shape});
  check({.layout = "4N", .dtype = Dtype::kInt8, .shape = shape, .memory = memory},
        {.layout = "continuous", .dtype = Dtype::kInt8, .shape = shape});
  // Carries every 6 and every 15 columns: thousands of boxes, so that the copy is staged.
  check({.layout = "matrix", .shape = {2, 90001}, .cols_per_channel = 6, .memory = memory},
        {.layout = "matrix",
         .shape = {2, 90001},
         .start_npu = 1,
         .cols_per_channel = 15,
         .memory = memory});
  check({.layout = "compact", .dtype = Dtype::kInt4, .shape = shape, .memory = memory},
        {.layout = "continuous", .dtype = Dtype::kInt8, .shape = shape});
}

TEST(Convert, LegacyFilterColumnsRepeatWhatTheKernelRepeats) {
  const std::vector<std::int64_t> shape = {2, 2, 5, 3};  // H, W, O, I
  const NamedLayout from = make_layout({.system = System::kMace, .layout = "HWOI", .shape = shape});
  const NamedLayout to =
      make_layout({.system = System::kMace, .layout = "CONV2D_FILTER@v0.6.3", .shape = shape});
  std::vector<float> filter(60);
  for (std::size_t i = 0; i < filter.size(); ++i) filter[i] = static_cast<float>(i + 1);
  const std::vector<std::byte> image =
      convert(to, from, std::as_bytes(std::span<const float>(filter)));
  const auto lane = [&](const ImageAddress& at) {
    float value = 0;
    std::memcpy(&value, image.data() + to.layout.address_of(at), sizeof(value));
    return value;
  };
  EXPECT_EQ(lane({3, 0, 0}), 4);  // element (0, 0, 1, 0): linear position 3
  EXPECT_EQ(lane({3, 0, 1}), 7);
  EXPECT_EQ(lane({3, 7, 0}), 0);  // past the end of the buffer
}

// U of a filter whose only weight is 1 in the middle: the outer product of G's middle column.
TEST(Convert, WinogradTransformsFiltersOnTheWay) {
  std::vector<float> filter(9);
  filter[4] = 1;
  const std::vector<float> tile = winograd_filter_transform(filter, 2);
  const float column[] = {0, 0.5F, -0.5F, 0};
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(tile[r * 4 + s], column[r] * column[s]);
  }
  const NamedLayout from =
      make_layout({.system = System::kMace, .layout = "OIHW", .shape = {1, 1, 3, 3}});
  for (const int block : {2, 4, 6}) {
    const NamedLayout to = make_layout({.system = System::kMace,
                                        .layout = "WINOGRAD_FILTER",
                                        .shape = {1, 1, 3, 3},
                                        .winograd_block = block});
    const std::vector<std::byte> image =
        convert(to, from, std::as_bytes(std::span<const float>(filter)));
    const std::vector<float> expected = winograd_filter_transform(filter, block);
    for (std::int64_t t = 0; t < static_cast<std::int64_t>(expected.size()); ++t) {
      float value = 0;
      std::memcpy(&value, image.data() + to.layout.address_of({0, t, 0}), sizeof(value));
      EXPECT_EQ(value, expected[static_cast<std::size_t>(t)]);
    }
  }
}

TEST(Convert, WrongSizesAreNamed) {
  const NamedLayout from = make_layout({.layout = "continuous", .shape = {1, 2, 3, 4}});
  const NamedLayout to = make_layout({.layout = "continuous", .shape = {1, 2, 3, 5}});
  std::vector<std::byte> small(95), right(96), larger(120);
  EXPECT_THROW(convert(from, right, from, small), UserError);
  EXPECT_THROW(convert(to, larger, from, right), UserError);
}

TEST(Convert, ShapesFollowTheLetters) {
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(converted_shape(Axes("NHWC"), Axes("NCHW"), Shape{1, 2, 3, 4}), (Shape{1, 3, 4, 2}));
  EXPECT_EQ(converted_shape(Axes("IOHW"), Axes("OIHW"), Shape{1, 2, 3, 4}), (Shape{2, 1, 3, 4}));
  EXPECT_EQ(converted_shape(Axes("RK"), Axes("NCHW"), Shape{5, 2, 3, 4}), (Shape{5, 24}));
  EXPECT_EQ(converted_shape(Axes("K"), Axes("NCHW"), Shape{5, 2, 3, 4}), (Shape{120}));
  EXPECT_EQ(converted_shape(Axes("NCHW"), Axes("RK"), Shape{5, 7}), (Shape{1, 1, 5, 7}));
}

TEST(Convert, ReshapesTheSameAxesWhereAskedTo) {
  std::vector<std::byte> data(24 * 4);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i);
  const NamedLayout from = make_layout({.layout = "continuous", .shape = {1, 2, 3, 4}});
  const NamedLayout to = make_layout({.layout = "continuous", .shape = {1, 1, 24, 1}});
  EXPECT_THROW(convert(to, from, data), UserError);
  LayoutConversion reshape;
  reshape.reshape = true;
  EXPECT_EQ(convert(to, from, data, reshape), data);
  // Equal extents are matched axis by axis all the same.
  const NamedLayout nhwc =
      make_layout({.system = System::kMace, .layout = "NHWC", .shape = {1, 3, 4, 2}});
  EXPECT_EQ(convert(nhwc, from, data, reshape), convert(nhwc, from, data));
  const NamedLayout flat =
      make_layout({.system = System::kMace, .layout = "NHWC", .shape = {1, 1, 1, 24}});
  EXPECT_EQ(convert(flat, from, data, reshape), data);
}

TEST(Convert, PaddingOfImagesBecomesZero) {
  const NamedLayout from = make_layout({.system = System::kMace, .layout = "W", .shape = {5}});
  const NamedLayout to = make_layout({.system = System::kMace, .layout = "ARGUMENT", .shape = {5}});
  const std::vector<std::byte> ones(20, std::byte{1});
  std::vector<std::byte> dst(32, std::byte{0xee});
  convert(to, dst, from, ones);
  std::vector<std::byte> expected = ones;
  expected.resize(32);
  EXPECT_EQ(dst, expected);
}

}  // namespace
}  // namespace tensorlane
