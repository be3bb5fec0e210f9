// From an element to its place in memory and back, as `layout locate --json` and the playground say
// it.
#ifndef TENSORLANE_TOOLS_LAYOUT_PLACE_H_
#define TENSORLANE_TOOLS_LAYOUT_PLACE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/layout/named.h"

namespace tensorlane::cli {

// The bytes of a bank; `banks` in an NPU.
std::int64_t bank_bytes(const NamedLayout& tensor, int banks);

struct BankRange {
  std::int64_t first, last;
};
// The banks that a tensor in local memory lies in; nothing where it reaches past the NPU's end.
std::optional<BankRange> banks_used(const NamedLayout& tensor, int banks);

// {"npu":2,"offset":64,"bank":0,"address":1048640} in local memory, {"offset":64} in linear memory,
// {"x":1,"y":0,"lane":3} in an image; "nibble" is 0 or 1 where elements have four bits. Throws
// UserError for an index that the tensor does not have.
Json element_place(const NamedLayout& tensor, const std::vector<std::int64_t>& index, int banks);

// The element in a byte, of an NPU where the tensor is in local memory; nothing for padding.
std::optional<std::vector<std::int64_t>> element_at_byte(const NamedLayout& tensor,
                                                         std::optional<std::int64_t> npu,
                                                         std::int64_t byte);
// What lies at a byte of the whole memory: of local memory at NPU * bytes per NPU + offset, of
// others at that byte of the buffer or image.
struct ByteOwner {
  std::vector<std::int64_t> index;
  std::int64_t byte;  // of the element, 0 the lowest
};
// The owner of a byte, of two 4-bit elements the one in the low nibble; nothing for padding. Throws
// UserError for an address outside of the memory.
std::optional<ByteOwner> element_at_address(const NamedLayout& tensor, std::int64_t address);

// The element in a lane (0 to 3) of a pixel.
std::optional<std::vector<std::int64_t>> element_at_pixel(const NamedLayout& tensor, std::int64_t x,
                                                          std::int64_t y, std::int64_t lane);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_LAYOUT_PLACE_H_
