// The map that kernels follow against the layout it was made from, lane by lane. No device needed.
#include "tensorlane/opencl/pixel_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/layout_test_support.h"
#include "tensorlane/opencl/kernel_text.h"

namespace tensorlane::opencl {
namespace {

// The offset of lane k of pixel (x, y) as the layout says it.
std::optional<std::int64_t> by_layout(const NamedLayout& packed, const Layout& plain,
                                      std::int64_t x, std::int64_t y, int k) {
  if (!packed.holds_elements) return std::nullopt;
  const std::int64_t address = packed.is_image() ? packed.layout.address_of({x, y, k})
                                                 : (x * 4 + k) * packed.layout.element_units();
  const auto index = packed.layout.element_at(address);
  if (!index) return std::nullopt;
  return plain.address(*index) / plain.element_units();
}

TEST(PixelMap, AgreesWithEveryLayoutOnEveryLane) {
  LayoutMaker maker(7);
  int layouts = 0;
  for (const LayoutInfo& info : layouts_of(System::kMace)) {
    if (info.pixels == PixelForm::kNone) continue;
    ++layouts;
    for (int i = 0; i < 60; ++i) {
      LayoutSpec spec = maker.random_spec(System::kMace, info);
      spec.dtype = i % 2 == 0 ? Dtype::kFp32 : Dtype::kFp16;
      const NamedLayout packed = make_layout(spec);
      ASSERT_TRUE(has_pixel_map(packed));
      SCOPED_TRACE(describe_spec(spec));
      std::string letters = packed.axes.text();
      if (i % 3 == 1) std::reverse(letters.begin(), letters.end());
      const Layout plain = plain_layout(packed, Dtype::kFp32, Axes(letters));
      const PixelMap map = pixel_map(packed, plain, false);
      EXPECT_LE(map.columns.size(), 4U);
      EXPECT_LE(map.rows.size(), 4U);
      EXPECT_EQ(map.columns.front().divisor, 1);
      ASSERT_EQ(map.width * map.height * 4 * packed.layout.element_units(), packed.bytes);
      for (std::int64_t y = 0; y < map.height; ++y) {
        for (std::int64_t x = 0; x < map.width; ++x) {
          for (int k = 0; k < 4; ++k) {
            ASSERT_EQ(map.source(x, y, k), by_layout(packed, plain, x, y, k))
                << "lane " << k << " of pixel (" << x << ", " << y << ")";
          }
        }
      }
    }
  }
  EXPECT_EQ(layouts, 16);
}

TEST(PixelMap, RepeatsWhatTheFilterOfV06Repeats) {
  LayoutMaker maker(3);
  for (int i = 0; i < 50; ++i) {
    const std::vector<std::int64_t> shape = {maker.pick(1, 3), maker.pick(1, 3), maker.pick(1, 9),
                                             maker.pick(1, 9)};
    const NamedLayout packed =
        make_layout({.system = System::kMace, .layout = "CONV2D_FILTER@v0.6.3", .shape = shape});
    const Layout plain = plain_layout(packed, Dtype::kFp32);
    const PixelMap map = pixel_map(packed, plain, true);
    EXPECT_TRUE(map.echoes);
    for (const FilterEcho& echo : legacy_filter_echoes(shape)) {
      const auto found = map.source(echo.lane.x, echo.lane.y, echo.lane.lane);
      ASSERT_EQ(found.has_value(), !echo.past_end);
      if (found) {
        EXPECT_EQ(*found, plain.address(echo.element) / 4);
      }
    }
  }
}

// Digits that count on where others end are one digit: a kernel divides as seldom as it can.
TEST(PixelMap, FusesDigits) {
  const NamedLayout image =
      make_layout({.system = System::kMace, .layout = "IN_OUT_CHANNEL", .shape = {2, 3, 5, 6}});
  const PixelMap map = pixel_map(image, plain_layout(image, Dtype::kFp32), true);
  EXPECT_THAT(map.columns,
              testing::ElementsAre(PixelDigit{1, 5, 5, 6, 0}, PixelDigit{5, 2, 2, 4, 4}));
  EXPECT_THAT(map.rows, testing::ElementsAre(PixelDigit{1, 6, 6, 30, 0}));
  EXPECT_EQ(map.lane_stride, 1);
  EXPECT_EQ(map.lane_extent, 6);
}

TEST(PixelFunctions, SayTheMappingInOpenclC) {
  const NamedLayout image =
      make_layout({.system = System::kMace, .layout = "IN_OUT_CHANNEL", .shape = {2, 3, 5, 6}});
  EXPECT_EQ(pixel_functions("input", image),
            "int2 input_pixel(const int n, const int h, const int w, const int c) {\n"
            "  return (int2)(w + c / 4 * 5, n * 3 + h);\n"
            "}\n"
            "int input_lane(const int n, const int h, const int w, const int c) {\n"
            "  return c % 4;\n"
            "}\n");
  const NamedLayout filter =
      make_layout({.system = System::kMace, .layout = "CONV2D_FILTER", .shape = {5, 3, 2, 4}});
  EXPECT_THAT(pixel_functions("filter", filter),
              testing::HasSubstr("(int2)(i, o / 4 * 8 + h * 4 + w)"));
  const NamedLayout buffer =
      make_layout({.system = System::kMace, .layout = "ARGUMENT@GPU_BUFFER", .shape = {5}});
  EXPECT_THROW(pixel_functions("argument", buffer), UserError);
}

TEST(PixelMap, WrongInputIsSaid) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const auto tensor = [](const char* layout, std::vector<std::int64_t> shape) {
    return make_layout({.system = System::kMace, .layout = layout, .shape = std::move(shape)});
  };
  EXPECT_THAT(message([&] {
                const NamedLayout plain = tensor("NHWC", {1, 2, 3, 4});
                pixel_map(plain, plain.layout, true);
              }),
              testing::HasSubstr("NHWC does not keep four elements"));
  EXPECT_THAT(message([&] {
                const NamedLayout image = tensor("IN_OUT_CHANNEL", {1, 65536, 65536, 4});
                pixel_map(image, plain_layout(image, Dtype::kFp32), true);
              }),
              testing::HasSubstr("17179869184 lanes"));
  EXPECT_THAT(message([&] {
                plain_layout(tensor("IN_OUT_CHANNEL", {1, 2, 3, 4}), Dtype::kFp32, Axes("OIHW"));
              }),
              testing::HasSubstr("axes OIHW does not fit layout IN_OUT_CHANNEL"));
  EXPECT_THAT(message([&] {
                const NamedLayout image = tensor("DW_CONV2D_FILTER@v0.6.3", {3, 3, 4, 2});
                pixel_map(image, plain_layout(image, Dtype::kFp32), true);
              }),
              testing::HasSubstr("M = 1"));
}

}  // namespace
}  // namespace tensorlane::opencl
