// How many bytes of memory an instruction of an x86-64 processor accesses, and whether it reads
// what it writes.
//
// The processor tells where an access faulted and whether it writes, not how long it is, nor that
// an addition to memory reads it first; the instruction does. What compilers make of loads, stores
// and copies is known, in its VEX and EVEX forms too: the opcode and its prefixes are looked at,
// operands are not.
#ifndef TENSORLANE_DEVICE_ACCESS_SIZE_H_
#define TENSORLANE_DEVICE_ACCESS_SIZE_H_

#include <cstdint>

namespace tensorlane {

// Bytes that the instruction at `code` accesses at one address, one iteration of a repeated one;
// 0 when it is not known. Safe in signal handlers.
int access_bytes(const std::uint8_t* code);

// Of an instruction that writes to memory: whether what stood there goes into the result, as with
// `add $1,(%rdi)`. `and $0` and `or $-1` are stores in disguise. Safe in signal handlers.
bool reads_what_it_writes(const std::uint8_t* code);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_ACCESS_SIZE_H_
