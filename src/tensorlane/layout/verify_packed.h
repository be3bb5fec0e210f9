// A packed tensor held against the one it was packed from, and what went wrong, in words.
//
//   const PackedCheck check = verify_packed(to, packed, from, original);
//   check.differing;      // 230 elements
//   check.explanation;    // "h and w swapped: the original was read as (o, i, w, h)"
//
// Every element is compared bit by bit with what convert() makes of the original. Where some
// differ, the mistakes that people make are tried one after the other: axes in another order or
// backwards, groups in the wrong order, another layout, another start NPU, bytes in the wrong
// order, ... The first that makes all elements right is named.
#ifndef TENSORLANE_LAYOUT_VERIFY_PACKED_H_
#define TENSORLANE_LAYOUT_VERIFY_PACKED_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/layout/convert.h"

namespace tensorlane {

// What the bytes that hold no element have to be.
enum class PaddingCheck : std::uint8_t {
  kPrescribed,  // what the layout prescribes; anything where it does not
  kZero,
  kAny,
};

struct PackedDifference {
  Layout::Index index;
  std::uint32_t expected, found;  // bits
};

struct PackedCheck {
  std::int64_t elements = 0, differing = 0;
  std::vector<PackedDifference> first;  // in logical order
  std::int64_t padding_bytes = 0, padding_differing = 0;
  std::int64_t first_padding = 0;  // the first such byte of the packed memory
  std::string explanation;         // in the language of the process; empty where none was found

  bool right() const { return differing == 0 && padding_differing == 0; }
};

struct PackedCheckOptions {
  LayoutConversion conversion = {};
  PaddingCheck padding = PaddingCheck::kPrescribed;
  std::size_t most_differences = 5;
};

// `packed` is the memory of `to` as convert() takes it, `original` that of `from`. Throws UserError
// as convert() does.
PackedCheck verify_packed(const NamedLayout& to, std::span<const std::byte> packed,
                          const NamedLayout& from, std::span<const std::byte> original,
                          const PackedCheckOptions& options = {});

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_VERIFY_PACKED_H_
