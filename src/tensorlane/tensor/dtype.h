// Element types of the three systems.
//
// A Dtype names how the bits of one element are read. The raw types kX8, kX16 and kX32 stand for
// "any type of that width": copies and bitwise functions never interpret their elements.
#ifndef TENSORLANE_TENSOR_DTYPE_H_
#define TENSORLANE_TENSOR_DTYPE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace tensorlane {

enum class Dtype : std::uint8_t {
  kX8,
  kX16,
  kX32,
  kInt4,
  kUint4,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kFp16,
  kBf16,
  kFp32,
  kFp8E4M3,
  kFp8E5M2,
};

struct DtypeInfo {
  Dtype dtype;
  std::string_view name;  // as the command line spells it: "fp32", "int8", ...
  int bits;               // of one element; 4 for the packed types
  bool is_float;
  bool is_signed;
};

// All types, in the order of the enumeration.
std::span<const DtypeInfo> all_dtypes();

const DtypeInfo& dtype_info(Dtype dtype);
inline std::string_view dtype_name(Dtype dtype) {
  return dtype_info(dtype).name;
}
inline int dtype_bits(Dtype dtype) {
  return dtype_info(dtype).bits;
}
// Bytes of one element; internal error for 4-bit types, which have no whole byte.
int dtype_bytes(Dtype dtype);

// The type called `name`, or so by numpy or PyTorch, in any case. UserError names the nearest.
Dtype parse_dtype(std::string_view name);

}  // namespace tensorlane

#endif  // TENSORLANE_TENSOR_DTYPE_H_
