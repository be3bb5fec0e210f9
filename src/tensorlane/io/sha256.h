// SHA-256 (FIPS 180-4), as `sha256sum` prints it.
#ifndef TENSORLANE_IO_SHA256_H_
#define TENSORLANE_IO_SHA256_H_

#include <cstddef>
#include <span>
#include <string>

namespace tensorlane {

// 64 hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace tensorlane

#endif  // TENSORLANE_IO_SHA256_H_
