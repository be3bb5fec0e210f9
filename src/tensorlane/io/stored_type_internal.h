// What a file says of its elements, and how they become a Dtype.
#ifndef TENSORLANE_IO_STORED_TYPE_INTERNAL_H_
#define TENSORLANE_IO_STORED_TYPE_INTERNAL_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/io/tensor.h"

namespace tensorlane::io_internal {

struct StoredType {
  enum class Kind { kFloat, kSigned, kUnsigned, kRaw, kOther };
  Kind kind = Kind::kOther;
  int bytes = 0;  // of one element
  bool big_endian = false;
  std::string spelling;        // as the file has it, for messages
  std::optional<Dtype> dtype;  // what it is without being told; none for 64-bit types and the like

  // The 64-bit types, NumPy's own default, are read as their 32-bit ones by whoever asks for it.
  std::optional<Dtype> narrowed() const {
    if (bytes != 8) return std::nullopt;
    if (kind == Kind::kFloat) return Dtype::kFp32;
    if (kind == Kind::kSigned) return Dtype::kInt32;
    return kind == Kind::kUnsigned ? std::optional(Dtype::kUint32) : std::nullopt;
  }
};

// Extents and strides of a file are little-endian words that may lie anywhere.
std::uint64_t load_le(std::span<const std::byte> bytes, std::size_t offset, int size);
void append_le(std::vector<std::byte>& bytes, std::uint64_t value, int size);
std::string_view as_text(std::span<const std::byte> bytes);

// What a file says of itself, fit to be shown on a terminal: control characters as \xNN, no longer
// than a few lines.
std::string printable(std::string_view text);

// The dtype that elements stored as `stored` get. Without `wanted` it is the one that the file
// names. With it:
//   - the same dtype
//   - any dtype of the same width where the file holds integers or raw bytes of that width (files
//     have no bf16 or fp8 of their own: they come as unsigned bits)
//   - int4 or uint4 where the file has one 8-bit integer per element
//   - fp32 where the file has float64: rounded to nearest even
//   - int32 or uint32 where the file has int64 or uint64
// Anything else throws UserError.
Dtype resolve_dtype(const StoredType& stored, std::optional<Dtype> wanted, std::string_view where);

// Makes a tensor of elements in row-major order as the file has them. Throws UserError for an
// integer outside the range of `dtype`.
Tensor make_tensor(const StoredType& stored, Dtype dtype, Shape shape, std::vector<std::byte> data,
                   std::string_view where);

// The elements as a file holds them: 4-bit types one per byte (int4 as int8, uint4 as uint8), all
// others unchanged. Returns the tensor's own data or what it put into `buffer`.
std::span<const std::byte> stored_elements(const Tensor& tensor, std::vector<std::byte>& buffer);

}  // namespace tensorlane::io_internal

#endif  // TENSORLANE_IO_STORED_TYPE_INTERNAL_H_
