// Packed 4-bit integers: element 2k in the low half of byte k, element 2k+1 in the high half.
//
// An odd number of elements leaves the high half of the last byte unused; writers set it to zero.
#ifndef TENSORLANE_TENSOR_INT4_H_
#define TENSORLANE_TENSOR_INT4_H_

#include <cstddef>
#include <cstdint>

namespace tensorlane {

// Bytes that hold `count` packed elements.
constexpr std::size_t int4_bytes(std::size_t count) {
  return count / 2 + count % 2;
}

constexpr std::uint8_t get_nibble(const std::uint8_t* packed, std::size_t index) {
  return (index % 2 == 0 ? packed[index / 2] : packed[index / 2] >> 4) & 0xf;
}
constexpr void set_nibble(std::uint8_t* packed, std::size_t index, std::uint8_t nibble) {
  std::uint8_t& byte = packed[index / 2];
  byte = static_cast<std::uint8_t>(index % 2 == 0 ? (byte & 0xf0) | (nibble & 0xf)
                                                  : (byte & 0x0f) | (nibble << 4));
}

// The value -8..7 of a nibble.
constexpr std::int8_t sign_extend_nibble(std::uint8_t nibble) {
  return static_cast<std::int8_t>(((nibble & 0xf) ^ 8) - 8);
}

}  // namespace tensorlane

#endif  // TENSORLANE_TENSOR_INT4_H_
