// Memory of operands brought into another form, kept for the next command.
//
// What a command frees the next one asks for again, in sizes of megabytes. Handed back to the
// system, each of its pages would be cleared and mapped anew: a third of a product of bytes was
// that. A thread keeps what it freed last.
#ifndef TENSORLANE_COMPUTE_BANDS_KEPT_MEMORY_H_
#define TENSORLANE_COMPUTE_BANDS_KEPT_MEMORY_H_

#include <cstddef>

namespace tensorlane {

// Bytes that a thread keeps at most.
inline constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20;

// At least `bytes` bytes on a boundary of vectors, as they come. Throws std::bad_alloc.
void* take_kept(std::size_t bytes);
// Gives back what take_kept returned for the same number, on any thread.
void keep(void* memory, std::size_t bytes) noexcept;
// What the calling thread keeps.
std::size_t kept_bytes();

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_KEPT_MEMORY_H_
