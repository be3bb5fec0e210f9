// What a layout written out says, before the extents and element type of a tensor are known.
#ifndef TENSORLANE_LAYOUT_NOTATION_INTERNAL_H_
#define TENSORLANE_LAYOUT_NOTATION_INTERNAL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tensorlane/layout/axes.h"
#include "tensorlane/layout/layout.h"

namespace tensorlane::notation_internal {

// A stride or a distance as it is written.
struct Distance {
  enum class Unit : std::uint8_t { kElement, kByte, kNpu };
  std::int64_t count = 0;
  Unit unit = Unit::kElement;
};

struct WrittenAxis {
  std::optional<std::int64_t> count;  // indices, where the digits have more places
  std::int64_t first = 0;             // the place of index 0
  std::vector<std::int64_t> extents;  // of the digits, innermost first
  std::vector<Distance> strides;
  std::size_t at = 0;  // where it stands in the text
};

// A digit of the short form.
struct Block {
  int axis;
  std::int64_t extent;  // 0: what is left of the axis
};

struct Written {
  Axes axes;
  std::vector<WrittenAxis> dims;  // whole form
  std::vector<Block> blocks;      // short form, outermost first
  std::optional<Distance> base, size;
  Swizzle swizzle;
  std::int64_t image_width = 0, image_height = 0;
};

Written parse_written(std::string_view text);
// The short form; nothing where the text is none. With `why` a text that is none throws.
std::optional<Written> parse_short(std::string_view text, bool why);

[[noreturn]] void fail_at(std::string_view text, std::size_t at, std::string_view expected);

}  // namespace tensorlane::notation_internal

#endif  // TENSORLANE_LAYOUT_NOTATION_INTERNAL_H_
