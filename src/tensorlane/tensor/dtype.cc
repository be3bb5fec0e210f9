#include "tensorlane/tensor/dtype.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"

namespace tensorlane {
namespace {

constexpr DtypeInfo kDtypes[] = {
#define TL_WHOLE(type, name, bits, is_signed) {Dtype::k##type, name, bits, false, is_signed, {}},
#define TL_FLOAT(type, name, exponent, mantissa, infinity) \
  {Dtype::k##type, name, 1 + exponent + mantissa, true, true, {exponent, mantissa, infinity}},
    TL_WHOLE_DTYPES(TL_WHOLE) TL_FLOAT_DTYPES(TL_FLOAT)
#undef TL_WHOLE
#undef TL_FLOAT
};

// What else people call them. The digits of a short name count bits; those of a type string of
// numpy, which begins with the order of its bytes, count bytes.
struct Alias {
  std::string_view name;
  Dtype dtype;
};
constexpr Alias kAliases[] = {
    {"float32", Dtype::kFp32},
    {"float", Dtype::kFp32},
    {"single", Dtype::kFp32},
    {"f32", Dtype::kFp32},
    {"<f4", Dtype::kFp32},
    {"float16", Dtype::kFp16},
    {"half", Dtype::kFp16},
    {"f16", Dtype::kFp16},
    {"<f2", Dtype::kFp16},
    {"bfloat16", Dtype::kBf16},
    {"bfp16", Dtype::kBf16},
    {"i4", Dtype::kInt4},
    {"u4", Dtype::kUint4},
    {"i8", Dtype::kInt8},
    {"|i1", Dtype::kInt8},
    {"u8", Dtype::kUint8},
    {"|u1", Dtype::kUint8},
    {"i16", Dtype::kInt16},
    {"<i2", Dtype::kInt16},
    {"u16", Dtype::kUint16},
    {"<u2", Dtype::kUint16},
    {"i32", Dtype::kInt32},
    {"int", Dtype::kInt32},
    {"<i4", Dtype::kInt32},
    {"u32", Dtype::kUint32},
    {"<u4", Dtype::kUint32},
    {"float8_e4m3", Dtype::kFp8E4M3},
    {"float8_e4m3fn", Dtype::kFp8E4M3},
    {"fp8_e4m3", Dtype::kFp8E4M3},
    {"float8_e5m2", Dtype::kFp8E5M2},
    {"fp8_e5m2", Dtype::kFp8E5M2},
};

// Types of numpy that no chip has, and what holds their numbers.
struct Foreign {
  std::string_view name, instead;
};
constexpr Foreign kForeign[] = {
    {"float64", "fp32"},  {"double", "fp32"},        {"f64", "fp32"},   {"<f8", "fp32"},
    {"int64", "int32"},   {"long", "int32"},         {"i64", "int32"},  {"<i8", "int32"},
    {"uint64", "uint32"}, {"u64", "uint32"},         {"<u8", "uint32"}, {"bool", "uint8"},
    {"|b1", "uint8"},     {"complex64", "two fp32"},
};

std::string lower(std::string_view name) {
  std::string out;
  for (const char c : name) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

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
  const std::string wanted = lower(name);
  std::vector<std::string_view> names;
  for (const DtypeInfo& info : kDtypes) {
    if (info.name == wanted) return info.dtype;
    names.push_back(info.name);
  }
  for (const Alias& alias : kAliases) {
    if (alias.name == wanted) return alias.dtype;
  }
  for (const Foreign& foreign : kForeign) {
    if (foreign.name == wanted)
      user_error("dtype '{}' exists on none of the chips; {} is the nearest", name,
                 foreign.instead);
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = tr("; known are {}", fmt::join(names, ", "));
  user_error("unknown dtype '{}'{}", name, hint);
}

}  // namespace tensorlane
