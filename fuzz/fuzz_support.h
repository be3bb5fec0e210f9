// What the fuzz targets share.
#ifndef TENSORLANE_FUZZ_FUZZ_SUPPORT_H_
#define TENSORLANE_FUZZ_FUZZ_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "tensorlane/base/error.h"
#include "tensorlane/io/tensor.h"

namespace tensorlane {

// The first byte of an input chooses the dtype that the reader is told; the rest is the file.
struct FuzzInput {
  std::optional<Dtype> dtype;
  std::span<const std::byte> file;
};

inline FuzzInput split_input(const std::uint8_t* data, std::size_t size) {
  FuzzInput input;
  if (size == 0) return input;
  if (data[0] < all_dtypes().size()) input.dtype = all_dtypes()[data[0]].dtype;
  input.file = std::as_bytes(std::span(data + 1, size - 1));
  return input;
}

// A reader may refuse any input by a UserError of one line; everything else is a finding.
template <class Body>
void allow_user_errors(const Body& body) {
  try {
    body();
  } catch (const UserError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

inline void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace tensorlane

#endif  // TENSORLANE_FUZZ_FUZZ_SUPPORT_H_
