// The header of a .npy array, which an .npz archive has in every member.
#ifndef TENSORLANE_IO_NPY_INTERNAL_H_
#define TENSORLANE_IO_NPY_INTERNAL_H_

#include "tensorlane/io/npy.h"
#include "tensorlane/io/stored_type_internal.h"

namespace tensorlane::io_internal {

struct NpyHeader {
  StoredType type;
  bool fortran_order = false;
  Shape shape;
  std::uint64_t header_bytes = 0;  // where the elements begin
  std::uint64_t data_bytes = 0;
};

// Bytes that the header takes, given at least the first kNpyPrefix of them (or all there are).
inline constexpr std::size_t kNpyPrefix = 12;
std::uint64_t npy_header_bytes(std::span<const std::byte> prefix, std::string_view where);

// `header` is exactly the header, magic bytes included.
NpyHeader parse_npy_header(std::span<const std::byte> header, std::string_view where);

// Throws UserError unless the array takes `total` bytes, header included.
void check_npy_size(const NpyHeader& header, std::uint64_t total, std::string_view where);

// The array whose elements are `data`, as they stand in the file.
Tensor make_npy_tensor(NpyHeader header, std::optional<Dtype> dtype, std::vector<std::byte> data,
                       std::string_view where);

std::vector<std::byte> make_npy_header(Dtype dtype, std::span<const std::int64_t> shape);

}  // namespace tensorlane::io_internal

#endif  // TENSORLANE_IO_NPY_INTERNAL_H_
