#include "tensorlane/layout/view.h"

#include <gtest/gtest.h>

#include <vector>

#include "tensorlane/layout/convert.h"

namespace tensorlane {
namespace {

TEST(TensorView, ReadsAndWritesThroughAnyLayout) {
  const NamedLayout nchw =
      make_layout({.system = System::kMace, .layout = "NCHW", .shape = {1, 6, 2, 3}});
  const NamedLayout image =
      make_layout({.system = System::kMace, .layout = "IN_OUT_CHANNEL", .shape = {1, 2, 3, 6}});
  std::vector<std::byte> data(static_cast<std::size_t>(nchw.total_bytes()));
  const TensorView<float> tensor(nchw.layout, data);
  for (int c = 0; c < 6; ++c) tensor.set(static_cast<float>(c) + 0.5F, 0, c, 1, 2);
  const std::vector<std::byte> pixels = convert(image, nchw, data);
  const TensorView<const float> view(image.layout, pixels);
  for (int c = 0; c < 6; ++c) EXPECT_EQ(view(0, 1, 2, c), static_cast<float>(c) + 0.5F);
}

TEST(TensorView, ChecksSizesWhenMade) {
  const Layout layout = make_layout({.layout = "continuous", .shape = {1, 1, 2, 3}}).layout;
  std::vector<std::byte> memory(24);
  EXPECT_NO_THROW(TensorView<float>(layout, memory));
  EXPECT_THROW(TensorView<double>(layout, memory), UserError);
  EXPECT_THROW(TensorView<float>(layout, std::span(memory).first(23)), UserError);
}

}  // namespace
}  // namespace tensorlane
