// Places in device memory as people write them.
//
//   0x100004000            an address of the system address map: global memory, L2, DTCM, ...
//   3:0x1000               byte 0x1000 of NPU 3
//   l2:0x40, dtcm:0x40     bytes of these memories
//   3:0x1000+16            16 bytes from there on
//
// Numbers are decimal, or hexadecimal with 0x. Inside the library a place is a memory and the
// offset of a byte in it; local memory counts NPU q, offset r as q * npu_bytes + r.
#ifndef TENSORLANE_INSPECT_PLACE_H_
#define TENSORLANE_INSPECT_PLACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensorlane/chip/chip.h"

namespace tensorlane::inspect {

struct Place {
  Space space = Space::kGlobal;
  std::uint64_t offset = 0;  // bytes
  int bit = 0;               // of that byte: 4 for the upper one of two 4-bit elements

  friend bool operator==(const Place&, const Place&) = default;
};

// What a text says, before the chip is known.
struct PlaceText {
  std::optional<std::uint64_t> npu;  // of local memory
  std::optional<Space> space;        // where it was named
  std::uint64_t number = 0;          // offset in these, else a system address
  std::optional<std::uint64_t> bytes;
};
// Throws UserError, beginning with `where`, for a text of another form or 0 bytes.
PlaceText parse_place(std::string_view text, std::string_view where);
// The place on a chip. Throws UserError, beginning with `where`, where the chip has no such place,
// or its memory ends before `bytes` (else 1) bytes.
Place place_on(const Chip& chip, const PlaceText& text, std::string_view where);

// "NPU 3 offset 0x1000", "global memory 0x100004000", "L2 0x10000040".
std::string place_text(const Chip& chip, const Place& place);

}  // namespace tensorlane::inspect

#endif  // TENSORLANE_INSPECT_PLACE_H_
