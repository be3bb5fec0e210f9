#include "tensorlane/ops/args.h"

#include <gtest/gtest.h>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

TEST(ArgType, TheSpellingDecidesKindFieldsAndDefaults) {
  EXPECT_EQ(arg_type("local_addr_t").kind, ArgKind::kLocalAddress);
  EXPECT_EQ(arg_type("global_addr_t").kind, ArgKind::kSystemAddress);
  EXPECT_EQ(arg_type("const dim4*").kind, ArgKind::kStruct);
  EXPECT_EQ(arg_type("dim4*").kind, ArgKind::kPointer) << "written through";
  EXPECT_EQ(arg_type("const dim2*").null_default, 1);
  EXPECT_EQ(arg_type("const padding_t*").null_default, 0);
  EXPECT_THROW(arg_type("dim4"), InternalError);
  EXPECT_THROW(arg_type("const dim4 *"), InternalError);
}

TEST(ArgType, FieldsAreFoundByName) {
  const ArgType& padding = arg_type("const padding_t*");
  EXPECT_EQ(field_index(padding, "top"), 0);
  EXPECT_EQ(field_index(padding, "right"), 3);
  EXPECT_EQ(field_index(padding, "width"), -1);
  EXPECT_EQ(field_index(arg_type("int"), ""), 0);
  EXPECT_EQ(field_index(arg_type("data_type_t"), "kind"), kDtypeField);
  for (const char* type : {"const fp32_or_addr_t*", "const x32_or_addr_t*", "const variable_t*"}) {
    EXPECT_EQ(field_index(arg_type(type), "is_addr"), kIsAddressField);
    EXPECT_EQ(field_index(arg_type(type), "context.addr"), kAddressField);
  }
}

TEST(Arg, IsReadAsWhatItsTypeMeans) {
  Arg arg;
  arg.field = {1, 2, 3, 4, 5, static_cast<std::int64_t>(Dtype::kBf16)};
  EXPECT_EQ(arg.value(), 1);
  EXPECT_EQ(arg.shape(), (Shape4{1, 2, 3, 4}));
  EXPECT_EQ(arg.stride(), (Stride4{1, 2, 3, 4}));
  EXPECT_EQ(arg.dtype(), Dtype::kBf16);
  EXPECT_TRUE(arg.is_address());
  EXPECT_EQ(arg.address(), 2);
  EXPECT_EQ(arg.constant(), 3);
}

}  // namespace
}  // namespace tensorlane
