// Digests of recorded results: recordings keep eight bytes for each piece of a large result.
#ifndef TENSORLANE_CONFORMANCE_DIGEST_H_
#define TENSORLANE_CONFORMANCE_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane::conformance {

// FNV-1a of 64 bits over `bytes`. With `floats`, the bytes are elements of that float type and
// every NaN counts as the same one, with all bits but the sign set.
std::uint64_t digest(std::span<const std::byte> bytes, std::optional<Dtype> floats);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_DIGEST_H_
