#include "tensorlane/tensor/dtype.h"

#include <array>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"

namespace tensorlane {
namespace {

constexpr std::array<DtypeInfo, 16> kDtypes = {{
    {Dtype::kX8, "x8", 8, false, false},
    {Dtype::kX16, "x16", 16, false, false},
    {Dtype::kX32, "x32", 32, false, false},
    {Dtype::kInt4, "int4", 4, false, true},
    {Dtype::kUint4, "uint4", 4, false, false},
    {Dtype::kInt8, "int8", 8, false, true},
    {Dtype::kUint8, "uint8", 8, false, false},
    {Dtype::kInt16, "int16", 16, false, true},
    {Dtype::kUint16, "uint16", 16, false, false},
    {Dtype::kInt32, "int32", 32, false, true},
    {Dtype::kUint32, "uint32", 32, false, false},
    {Dtype::kFp16, "fp16", 16, true, true},
    {Dtype::kBf16, "bf16", 16, true, true},
    {Dtype::kFp32, "fp32", 32, true, true},
    {Dtype::kFp8E4M3, "fp8e4m3", 8, true, true},
    {Dtype::kFp8E5M2, "fp8e5m2", 8, true, true},
}};

}  // namespace

std::span<const DtypeInfo> all_dtypes() {
  return kDtypes;
}

const DtypeInfo& dtype_info(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)];
}

int dtype_bytes(Dtype dtype) {
  const int bits = dtype_bits(dtype);
  TL_INTERNAL_CHECK(bits % 8 == 0);
  return bits / 8;
}

Dtype parse_dtype(std::string_view name) {
  for (const DtypeInfo& info : kDtypes) {
    if (info.name == name) return info.dtype;
  }
  std::vector<std::string_view> names;
  for (const DtypeInfo& info : kDtypes) names.push_back(info.name);
  user_error("unknown dtype '{}'{}", name, did_you_mean(name, names));
}

}  // namespace tensorlane
