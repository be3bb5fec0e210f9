// Addresses that cannot be meant, in words: what is wrong with them and what to do about it.
//
// An address is a number that the kernel computed. Where it lies in no memory, or its tensor in a
// memory that is too small, the number itself often says what happened: the upper half was cut off
// by an int, a difference went below zero, a pointer of the host was passed on.
#ifndef TENSORLANE_OPS_ADDRESS_TEXT_H_
#define TENSORLANE_OPS_ADDRESS_TEXT_H_

#include <cstdint>
#include <string>

#include "tensorlane/chip/chip.h"

namespace tensorlane {

struct AddressText {
  std::string what;    // ", which is -4096"; follows the address
  std::string repair;  // empty where nothing is suspected
};

// Of an address of system memory whose tensor does not lie in a memory.
AddressText explain_system_address(const Chip& chip, std::uint64_t address);
// Of an address beyond local memory.
AddressText explain_local_address(const Chip& chip, std::uint64_t address);
// " (3072 bytes past the 524288 of NPU 0)", for an address that starts at another NPU.
std::string past_first_npu(const LocalMemory& memory, std::int64_t address);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_ADDRESS_TEXT_H_
