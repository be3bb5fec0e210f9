// Which layout is this? From the places of a layout, or from bytes whose contents are known.
//
//   names_of(tensor)                  // "4N" for what `describe` printed of one
//   layouts_of_bytes(plain, original, dump, candidates)
//                                     // those in which the dump holds the original
//
// Several may be right: a tensor of one channel lies alike in many layouts, and so do zeros.
#ifndef TENSORLANE_LAYOUT_IDENTIFY_H_
#define TENSORLANE_LAYOUT_IDENTIFY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/layout/named.h"

namespace tensorlane {

// The named layouts of `systems` that put every element of `tensor`, whatever its own name, at the
// same address. Axes are matched by their letters; layouts that take any strides (free) are named
// only where no other is.
std::vector<NamedLayout> names_of(const NamedLayout& tensor, std::span<const System> systems);

// What is known of a dump.
struct DumpSource {
  std::vector<System> systems;             // whose layouts it may be in
  std::optional<LocalMemory> memory = {};  // of a chip
  std::string_view owner = {};
};
// Where a dump holds a tensor.
struct DumpPlace {
  NamedLayout tensor;
  std::int64_t begin = 0;      // bytes before it, in the dump or in the share of every NPU
  std::int64_t npu_bytes = 0;  // of such a share; 0: the NPUs follow each other without gaps
};
// The layouts in which `dump` holds the elements `original` of the row-major tensor `plain`: named
// ones with every start NPU and number of columns per channel, every order of the axes, channels in
// blocks of 4 to 64. Simple ones first.
//
// The dump is the memory of the tensor as convert() takes it, or where it is that in no layout,
// more: other bytes before and behind it, of local memory equal shares of all NPUs. There elements
// of 4 bits are not looked for, nor a tensor whose values are everywhere in the dump (of zeros
// alone).
std::vector<DumpPlace> layouts_of_bytes(const NamedLayout& plain,
                                        std::span<const std::byte> original,
                                        std::span<const std::byte> dump, const DumpSource& source);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_IDENTIFY_H_
