// NumPy's .npy files: one array each.
//
// Layout of a file: the magic bytes "\x93NUMPY", a version (1.0, 2.0 and 3.0 differ in the width
// and the character set of what follows), the length of a header, the header as a Python literal
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
// and the elements. What is read as what:
//
//   descr                      dtype
//   <f4 <f2                    fp32 fp16
//   |i1 |u1 <i2 <u2 <i4 <u4    int8 uint8 int16 uint16 int32 uint32
//   |V1 |V2 |V4                none: the caller says which
//   <f8 <i8 <u8                none: read as fp32 (rounded), int32 or uint32 (if they fit)
//   other (|b1 ...)            an error that says so
//
// NumPy knows no bf16, fp8 and 4-bit types. bf16 and fp8 are written as their bits (<u2, |u1) and
// read back by giving their dtype; int4 and uint4 are written one per byte (|i1, |u1) so that the
// shape stays the tensor's and NumPy shows the values. Big-endian files and Fortran order are read,
// but never written.
#ifndef TENSORLANE_IO_NPY_H_
#define TENSORLANE_IO_NPY_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tensorlane/io/tensor.h"

namespace tensorlane {

// Reads the bytes of a whole file. `dtype` names the elements where the file does not (see above);
// `where` begins the text of every UserError, as "'a.npy'" does. A file that is cut short, that has
// bytes after the elements, or whose header is not exactly of the form above is an error, found
// before memory for the elements is taken.
Tensor read_npy(std::span<const std::byte> bytes, std::optional<Dtype> dtype = std::nullopt,
                std::string_view where = "npy data");
Tensor read_npy_file(const std::filesystem::path& path, std::optional<Dtype> dtype = std::nullopt);

// Format 1.0, row-major, little-endian, the elements at a multiple of 64 bytes as NumPy has them.
// The file appears at once and whole.
std::vector<std::byte> npy_bytes(const Tensor& tensor);
void write_npy_file(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace tensorlane

#endif  // TENSORLANE_IO_NPY_H_
