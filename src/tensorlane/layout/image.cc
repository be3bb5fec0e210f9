#include "tensorlane/layout/image.h"

#include "tensorlane/base/error.h"
#include "tensorlane/layout/local.h"

namespace tensorlane {
namespace {

std::int64_t d4(std::int64_t a) {
  return ceil_div(a, 4);
}

// The four extents of a shape whatever its rank: missing outer or inner ones are 1.
struct Four {
  std::int64_t a = 1, b = 1, c = 1, d = 1;
};

Four four(ImageType type, std::span<const std::int64_t> shape) {
  switch (shape.size()) {
    case 0:
      return {};
    case 1:
      return {1, 1, 1, shape[0]};
    case 2:
      // IN_OUT_CHANNEL takes [N, C]; the weights of v0.6.x are [H, W].
      if (type == ImageType::kInOutChannel) return {shape[0], 1, 1, shape[1]};
      return {1, 1, shape[0], shape[1]};
    case 3:
      return {shape[0], shape[1], shape[2], 1};
    default:
      break;
  }
  TL_INTERNAL_CHECK(shape.size() == 4);
  return {shape[0], shape[1], shape[2], shape[3]};
}

// How one dimension of the buffer moves through the image: pixels to the right, pixels down, or
// through the lanes first.
struct Step {
  std::int64_t x = 0, y = 0;
  bool lanes = false;
};

class ImageBuilder {
 public:
  ImageBuilder(Dtype dtype, std::int64_t width) : layout_(dtype) {
    pixel_ = 4 * layout_.element_units();
    row_ = width * pixel_;
    layout_.set_image(width);
  }
  ImageBuilder& dim(std::int64_t extent, const Step& step) {
    const std::int64_t stride = step.x * pixel_ + step.y * row_;
    if (step.lanes) {
      layout_.add_dim(extent, {{4, layout_.element_units()}, {1, stride}});
    } else {
      layout_.add_dim(extent, {{1, stride}});
    }
    return *this;
  }
  const Layout& layout() const { return layout_; }

 private:
  Layout layout_;
  std::int64_t pixel_, row_;
};

}  // namespace

ImageSize image_size(ImageType type, std::span<const std::int64_t> shape) {
  const Four s = four(type, shape);
  switch (type) {
    case ImageType::kInOutChannel:
      return {s.c * d4(s.d), s.a * s.b};
    case ImageType::kInOutHeight:
      return {s.c * s.d, s.a * d4(s.b)};
    case ImageType::kInOutWidth:
      return {d4(s.c) * s.d, s.a * s.b};
    case ImageType::kConv2dFilter:
      return {s.b, s.c * s.d * d4(s.a)};
    case ImageType::kDwConv2dFilter:
      return {s.c * s.d * s.a, d4(s.b)};
    case ImageType::kArgument:
      return {d4(s.d), 1};
    case ImageType::kWeightHeight:
      return {s.b * s.c * s.d, d4(s.a)};
    case ImageType::kWeightWidth:
      return {d4(s.b) * s.c * s.d, s.a};
    case ImageType::kWinogradFilter:
      return {d4(s.b), s.c * s.d * s.a};
    case ImageType::kConv2dFilterV06:
      return {4 * d4(s.d), s.a * s.b * d4(s.c)};
    case ImageType::kDwConv2dFilterV06:
      return {s.a * s.b * s.d, d4(s.c)};
    case ImageType::kWeightHeightV06:
      return {s.d, d4(s.c)};
    case ImageType::kWeightWidthV06:
      return {d4(s.d), s.c};
  }
  return {};
}

Layout image_layout(ImageType type, std::span<const std::int64_t> shape, Dtype dtype) {
  const Four s = four(type, shape);
  ImageBuilder image(dtype, image_size(type, shape).width);
  const auto add = [&](std::int64_t extent, const Step& step) { image.dim(extent, step); };
  switch (type) {
    case ImageType::kInOutChannel: {
      const Step n{.y = s.b}, h{.y = 1}, w{.x = 1}, c{.x = s.c, .lanes = true};
      if (shape.size() == 4) {
        image.dim(s.a, n).dim(s.b, h).dim(s.c, w).dim(s.d, c);
      } else if (shape.size() == 2) {
        image.dim(s.a, n).dim(s.d, c);
      } else if (shape.size() == 1) {
        image.dim(s.d, c);
      }
      break;
    }
    case ImageType::kInOutHeight:
      image.dim(s.a, {.y = d4(s.b)}).dim(s.b, {.y = 1, .lanes = true}).dim(s.c, {.x = 1});
      if (shape.size() == 4) add(s.d, {.x = s.c});
      break;
    case ImageType::kInOutWidth:
      image.dim(s.a, {.y = s.b}).dim(s.b, {.y = 1}).dim(s.c, {.x = 1, .lanes = true});
      if (shape.size() == 4) add(s.d, {.x = d4(s.c)});
      break;
    case ImageType::kConv2dFilter:
      image.dim(s.a, {.y = s.c * s.d, .lanes = true}).dim(s.b, {.x = 1});
      image.dim(s.c, {.y = s.d}).dim(s.d, {.y = 1});
      break;
    case ImageType::kDwConv2dFilter:
      image.dim(s.a, {}).dim(s.b, {.y = 1, .lanes = true});
      image.dim(s.c, {.x = s.d}).dim(s.d, {.x = 1});
      break;
    case ImageType::kArgument:
      add(s.d, {.x = 1, .lanes = true});
      break;
    case ImageType::kWeightHeight:
      image.dim(s.a, {.y = 1, .lanes = true}).dim(s.b, {.x = 1});
      image.dim(s.c, {.x = s.d * s.b}).dim(s.d, {.x = s.b});
      break;
    case ImageType::kWeightWidth:
      image.dim(s.a, {.y = 1}).dim(s.b, {.x = 1, .lanes = true});
      image.dim(s.c, {.x = s.d * d4(s.b)}).dim(s.d, {.x = d4(s.b)});
      break;
    case ImageType::kWinogradFilter:
      image.dim(s.a, {.y = 1}).dim(s.b, {.x = 1, .lanes = true});
      image.dim(s.c, {.y = s.d * s.a}).dim(s.d, {.y = s.a});
      break;
    case ImageType::kConv2dFilterV06:
      image.dim(s.a, {.y = s.b}).dim(s.b, {.y = 1});
      image.dim(s.c, {.y = s.a * s.b, .lanes = true}).dim(s.d, {.x = 1});
      break;
    case ImageType::kDwConv2dFilterV06:
      image.dim(s.a, {.x = s.b}).dim(s.b, {.x = 1});
      image.dim(s.c, {.y = 1, .lanes = true}).dim(s.d, {});
      break;
    case ImageType::kWeightHeightV06:
      image.dim(s.c, {.y = 1, .lanes = true}).dim(s.d, {.x = 1});
      break;
    case ImageType::kWeightWidthV06:
      image.dim(s.c, {.y = 1}).dim(s.d, {.x = 1, .lanes = true});
      break;
  }
  return image.layout();
}

std::vector<FilterEcho> legacy_filter_echoes(std::span<const std::int64_t> shape) {
  const Four s = four(ImageType::kConv2dFilterV06, shape);  // H, W, O, I
  const ImageSize size = image_size(ImageType::kConv2dFilterV06, shape);
  std::vector<FilterEcho> echoes;
  for (std::int64_t y = 0; y < size.height; ++y) {
    const std::int64_t position = y % (s.a * s.b), block = y / (s.a * s.b);
    for (std::int64_t x = s.d; x < size.width; ++x) {
      for (int k = 0; k < 4 && 4 * block + k < s.c; ++k) {
        const std::int64_t from = (position * s.c + 4 * block + k) * s.d + x;
        FilterEcho echo{{x, y, k}, {}, from >= s.a * s.b * s.c * s.d};
        if (!echo.past_end) {
          echo.element = {from / s.d / s.c / s.b, from / s.d / s.c % s.b, from / s.d % s.c,
                          from % s.d};
        }
        echoes.push_back(echo);
      }
    }
  }
  return echoes;
}

Layout gpu_buffer_layout(ImageType type, std::span<const std::int64_t> shape, Dtype dtype) {
  const Four s = four(type, shape);
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units();
  switch (type) {
    case ImageType::kConv2dFilter: {
      const std::int64_t block = 4 * d4(s.b) * 4 * unit;  // four output channels
      layout.add_dim(s.a, {{4, unit}, {1, block}}).add_dim(s.b, {{1, 4 * unit}});
      layout.add_dim(s.c, {{1, s.d * d4(s.a) * block}}).add_dim(s.d, {{1, d4(s.a) * block}});
      return layout;
    }
    case ImageType::kDwConv2dFilter:
      layout.add_dim(s.a, {{1, d4(s.b) * s.c * s.d * 4 * unit}});
      layout.add_dim(s.b, {{4, unit}, {1, s.c * s.d * 4 * unit}});
      layout.add_dim(s.c, {{1, s.d * 4 * unit}}).add_dim(s.d, {{1, 4 * unit}});
      return layout;
    default:
      return row_major_layout(shape, dtype);
  }
}

std::int64_t gpu_buffer_elements(ImageType type, std::span<const std::int64_t> shape) {
  const Four s = four(type, shape);
  switch (type) {
    case ImageType::kConv2dFilter:
      return s.c * s.d * 4 * d4(s.a) * 4 * d4(s.b);
    case ImageType::kDwConv2dFilter:
      return s.a * s.c * s.d * 4 * d4(s.b);
    case ImageType::kArgument:
      return 4 * d4(s.d);
    default:
      return s.a * s.b * s.c * s.d;
  }
}

Layout row_major_layout(std::span<const std::int64_t> shape, Dtype dtype) {
  Layout layout(dtype);
  std::int64_t stride = layout.element_units();
  for (const std::int64_t extent : shape) stride *= extent;
  for (const std::int64_t extent : shape) {
    stride = extent == 0 ? 0 : stride / extent;
    layout.add_dim(extent, {{1, stride}});
  }
  return layout;
}

}  // namespace tensorlane
