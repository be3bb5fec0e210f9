#include "tensorlane/tensor/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view name) {
  try {
    parse_dtype(name);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(DtypeNames, EveryTypeIsFoundByItsNameInAnyCase) {
  std::set<std::string_view> names;
  for (const DtypeInfo& info : all_dtypes()) {
    EXPECT_EQ(parse_dtype(info.name), info.dtype);
    std::string upper(info.name);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(parse_dtype(upper), info.dtype) << upper;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
  }
}

// What numpy prints as str(dtype) and as dtype.str, what PyTorch and the vendor's headers write.
TEST(DtypeNames, OtherProjectsNamesMeanTheSameTypes) {
  const std::pair<const char*, Dtype> names[] = {
      {"float32", Dtype::kFp32},       {"<f4", Dtype::kFp32}, {"Float16", Dtype::kFp16},
      {"half", Dtype::kFp16},          {"<f2", Dtype::kFp16}, {"bfloat16", Dtype::kBf16},
      {"BFP16", Dtype::kBf16},         {"|i1", Dtype::kInt8}, {"i8", Dtype::kInt8},
      {"<i4", Dtype::kInt32},          {"i4", Dtype::kInt4},  {"|u1", Dtype::kUint8},
      {"float8_e5m2", Dtype::kFp8E5M2}};
  for (const auto& [name, dtype] : names) EXPECT_EQ(parse_dtype(name), dtype) << name;
}

TEST(DtypeNames, ATypeThatNoChipHasIsToldWithTheNearest) {
  EXPECT_THAT(refusal("float64"), HasSubstr("fp32 is the nearest"));
  EXPECT_THAT(refusal("<i8"), HasSubstr("int32 is the nearest"));
  EXPECT_THAT(refusal("flaot32"), HasSubstr("unknown dtype 'flaot32'"));
  EXPECT_THAT(refusal("int9"), HasSubstr("did you mean 'int"));
}

}  // namespace
}  // namespace tensorlane
