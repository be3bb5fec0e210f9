#include "tensorlane/ops/operand_names.h"

#include <gtest/gtest.h>

#include "tensorlane/layout/named.h"

namespace tensorlane {
namespace {

// A name that stands for one picture of memory is that of `tensorlane layout list`.
TEST(OperandNames, StorageIsCalledAsTheLayoutIs) {
  const auto listed = [](System system, std::string_view name, int bits) {
    const LayoutInfo& info = find_layout(system, name);
    EXPECT_EQ(info.name, name);
    return info.bits.least <= bits && bits <= info.bits.most;
  };
  EXPECT_TRUE(listed(System::kBm1684, storage_name(Storage::kPacked, 8), 8));
  EXPECT_TRUE(listed(System::kBm1684, storage_name(Storage::kPacked, 16), 16));
  EXPECT_TRUE(listed(System::kBm1684, storage_name(Storage::k2IC, 32), 32));
  for (const int bits : {8, 16, 32}) {
    EXPECT_TRUE(listed(System::kBm1684x, storage_name(Storage::kWeights, bits), bits)) << bits;
  }
  EXPECT_EQ(storage_name(Storage::kWeights, 32), "1IC");  // not 32IC, which is that of 16 bits
  EXPECT_EQ(storage_name(Storage::kPlain, 32), "");
  for (const DefaultLayout layout :
       {DefaultLayout::kAligned, DefaultLayout::kCompact, DefaultLayout::kLineAligned,
        DefaultLayout::kContinuous, DefaultLayout::kMatrix}) {
    EXPECT_EQ(find_layout(System::kBm1684x, layout_name(layout)).name, layout_name(layout));
  }
}

TEST(OperandNames, AnOperandOfAnyTypeNamesEveryForm) {
  OperandSpec operand;
  operand.storage = Storage::kWeights;
  EXPECT_EQ(storage_name(operand), "1IC");
  operand.dtype_param = "input_dtype";
  EXPECT_EQ(storage_name(operand), "64IC, 32IC or 1IC by width");
  operand.dtype_param = {};
  operand.dtype_rule = [](const Command&) { return Dtype::kInt8; };
  EXPECT_EQ(storage_name(operand), "64IC, 32IC or 1IC by width");
  operand.storage = Storage::kPacked;
  EXPECT_EQ(storage_name(operand), "4N or 2N");
}

TEST(OperandNames, RolesAndMemories) {
  EXPECT_EQ(role_name(Role::kInOut), "inout");
  EXPECT_EQ(role_text(Role::kInOut), "input and output");
  EXPECT_EQ(role_text(Role::kWork), "work memory");
  EXPECT_EQ(memory_name(MemoryKind::kStatic), "static");
}

}  // namespace
}  // namespace tensorlane
