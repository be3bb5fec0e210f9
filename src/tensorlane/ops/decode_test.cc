// From a call to a command: what the operands of an entry become, and which calls are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensorlane/chip/toy_chip_test_support.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr LocalMemory kLocal{.npus = 4, .npu_bytes = 1024, .align_bytes = 16};
constexpr Shape4 kShape{2, 6, 3, 5};

constexpr Param kParams[] = {{"local_addr_t", "local"},  {"system_addr_t", "system"},
                             {"const dim4*", "shape"},   {"const dim4*", "stride"},
                             {"const variable_t*", "C"}, {"int", "flag"},
                             {"data_type_t", "dtype"}};
enum At : std::uint8_t { kLocalArg, kSystemArg, kShapeArg, kStrideArg, kConstant, kFlag, kType };

// A call of an entry with the operands, limits and preferences that a test gives it.
struct Call {
  OpSpec spec{.engine = Engine::kBdc, .numerics = Numerics::kNoData};
  std::array<Arg, std::size(kParams)> args{};
  std::unique_ptr<Op> op;
  Command command;

  Call() {
    args[kSystemArg].field[0] = static_cast<std::int64_t>(toy::kGlobal);
    args[kShapeArg].field = {kShape.n, kShape.c, kShape.h, kShape.w};
    args[kStrideArg].is_null = true;
    args[kType].field[kDtypeField] = static_cast<std::int64_t>(Dtype::kInt8);
  }
  explicit Call(OperandSpec operand) : Call() { spec.operands = {std::move(operand)}; }

  const Command& decoded(bool in_parallel_region = false) {
    op = std::make_unique<Op>("toy", "void", kParams, spec, OpList::Constants{});
    command = Command{};
    tolerated = decode(*op, args, toy::chip(), in_parallel_region, command, policy);
    command.region = in_parallel_region ? 0 : -1;
    return command;
  }
  const Layout& layout() { return decoded().operands()[0].layout; }
  // Why the call is illegal.
  std::string refusal(bool in_parallel_region = false) {
    try {
      decoded(in_parallel_region);
    } catch (const IllegalCall& error) {
      EXPECT_EQ(error.function(), "toy");
      about_memory = error.about_memory();
      return error.what();
    }
    return "not refused";
  }
  bool about_memory = false;
  LimitPolicy policy;
  std::vector<Violation> tolerated;  // by the latest decoded()
};

const std::vector<std::string_view> kShapeText = {"shape.n", "shape.c", "shape.h", "shape.w"};
OperandSpec local_operand() {
  return {.param = "local", .shape = kShapeText, .stride = "stride"};
}
OperandSpec system_operand() {
  return {.param = "system",
          .role = Role::kOut,
          .memory = MemoryKind::kSystem,
          .shape = kShapeText,
          .stride = "stride",
          .layout = DefaultLayout::kContinuous};
}

TEST(Decode, ACommandKnowsItsEntryItsArgumentsAndItsOperands) {
  Call call;
  call.spec.operands = {system_operand(), local_operand()};
  call.args[kFlag].field[0] = 7;
  const Command& command = call.decoded();
  EXPECT_EQ(command.op, call.op.get());
  EXPECT_EQ(command.chip, &toy::chip());
  EXPECT_EQ(command.engine(), Engine::kBdc);
  EXPECT_EQ(command.args().size(), std::size(kParams));
  EXPECT_EQ(command.arg("flag").value(), 7);
  EXPECT_EQ(command.value("shape", "h"), kShape.h);
  ASSERT_EQ(command.operands().size(), 2u);
  const Operand& to = command.operands()[0];
  EXPECT_EQ(to.name(), "system");
  EXPECT_EQ(to.space, Space::kGlobal);
  EXPECT_EQ(to.address, toy::kGlobal);
  EXPECT_TRUE(to.writes());
  EXPECT_FALSE(to.reads());
  EXPECT_EQ(command.find("local"), &command.operands()[1]);
  EXPECT_TRUE(command.find("local")->reads());
  EXPECT_EQ(command.find("shape"), nullptr);
  EXPECT_THROW(decode(*call.op, std::span(call.args).first(3), toy::chip(), false, call.command),
               InternalError);
}

// Local addresses may carry the base of the window of local memory; it is dropped once.
TEST(Decode, LocalAddressesLoseTheBaseOfTheirWindow) {
  Call call(local_operand());
  for (const std::int64_t address : {64, 0x8000 + 64}) {
    call.args[kLocalArg].field[0] = address;
    call.args[kConstant].field = {1, address};
    call.args[kFlag].field[0] = address;
    const Command& command = call.decoded();
    EXPECT_EQ(command.operands()[0].layout.base(), 64);
    EXPECT_EQ(command.arg("local").value(), 64);
    EXPECT_EQ(command.arg("C").address(), 64);
    EXPECT_EQ(command.arg("flag").value(), address) << "a number is no address";
  }
  call.args[kConstant].field = {0, 0x8000, 0x8040};  // a constant
  EXPECT_EQ(call.decoded().arg("C").constant(), 0x8040);
  call.args[kLocalArg].field[0] = 0x8000 + 4096;
  EXPECT_THAT(call.refusal(), HasSubstr("local = 0x9000"));
}

TEST(Decode, EveryBrokenLimitIsNamedAndNoOperandIsBuilt) {
  Call call(local_operand());
  call.spec.limits = {"flag == 1 [doc]", "shape.n <= 2", "shape.c <= 5 [observed]",
                      "parallel_state == 1"};
  call.args[kLocalArg].field[0] = 1 << 20;  // not looked at where a limit is broken
  EXPECT_EQ(call.refusal(true),
            "toy\n  flag = 0\n    rule: flag == 1 [doc]\n  shape.c = 6\n    rule: shape.c <= 5 "
            "[observed]");
  EXPECT_FALSE(call.about_memory);
  EXPECT_THAT(call.refusal(false), HasSubstr("parallel_state"));
}

TEST(Decode, ConditionsDecideWhetherAnOperandIsThereAndReadAsWell) {
  OperandSpec operand = system_operand();
  operand.used_if = "flag";
  operand.inout_if = "flag - 1";
  Call call(operand);
  EXPECT_TRUE(call.decoded().operands().empty());
  call.args[kFlag].field[0] = 1;
  EXPECT_EQ(call.decoded().operands()[0].role, Role::kOut);
  call.args[kFlag].field[0] = 2;
  EXPECT_EQ(call.decoded().operands()[0].role, Role::kInOut);
  EXPECT_TRUE(call.command.operands()[0].reads());
}

// Without strides the layout is the entry's default, from the NPU the address lies in.
TEST(Decode, DefaultLayoutsAreThoseOfTheDocuments) {
  for (const std::int64_t address : {0, 3 * 1024 + 16}) {
    const std::int64_t npu = address / 1024;
    const auto layout_of = [&](DefaultLayout kind, Dtype dtype) {
      OperandSpec operand = local_operand();
      operand.layout = kind;
      operand.dtype = dtype;
      Call call(operand);
      call.args[kLocalArg].field[0] = address;
      return call.layout();
    };
    const auto expected = [&](const Stride4& stride, Dtype dtype) {
      return local_layout(kLocal, address, kShape, stride, dtype);
    };
    EXPECT_EQ(layout_of(DefaultLayout::kAligned, Dtype::kFp32),
              expected(aligned_stride(kLocal, npu, kShape, 4), Dtype::kFp32));
    EXPECT_EQ(layout_of(DefaultLayout::kAligned, Dtype::kFp16),
              expected(aligned_stride(kLocal, npu, kShape, 2), Dtype::kFp16));
    EXPECT_EQ(layout_of(DefaultLayout::kCompact, Dtype::kFp32),
              expected(compact_stride(kLocal, npu, kShape), Dtype::kFp32));
    EXPECT_EQ(layout_of(DefaultLayout::kLineAligned, Dtype::kFp16),
              expected(line_aligned_stride(kLocal, npu, kShape, 16), Dtype::kFp16));
    // 15 bytes of a channel are rounded up to 16: four words.
    EXPECT_EQ(layout_of(DefaultLayout::kCompactWords, Dtype::kInt8),
              expected({(npu == 0 ? 2 : 3) * 16, 16, 5, 1}, Dtype::kInt8));
  }
}

TEST(Decode, GivenStridesReplaceTheDefault) {
  Call local(local_operand()), system(system_operand());
  const Stride4 stride{70, 30, 10, 2};
  for (Call* call : {&local, &system}) {
    call->args[kStrideArg].is_null = false;
    call->args[kStrideArg].field = {stride.n, stride.c, stride.h, stride.w};
  }
  EXPECT_EQ(local.layout(), local_layout(kLocal, 0, kShape, stride, Dtype::kFp32));
  EXPECT_EQ(system.layout(), system_layout(0, kShape, stride, Dtype::kFp32));
  system.args[kStrideArg].is_null = true;
  EXPECT_EQ(system.layout(), system_layout(0, kShape, continuous_stride(kShape), Dtype::kFp32));
}

TEST(Decode, StorageDecidesHowElementsShareWords) {
  const auto layout_of = [&](Storage storage, Dtype dtype) {
    OperandSpec operand = local_operand();
    operand.storage = storage;
    operand.dtype = dtype;
    return Call(operand).layout();
  };
  const Shape4 words = packed_shape(kShape, Dtype::kInt8);
  EXPECT_EQ(layout_of(Storage::kPacked, Dtype::kInt8),
            packed_layout(kLocal, 0, kShape, aligned_stride(kLocal, 0, words, 4), Dtype::kInt8));
  EXPECT_EQ(
      layout_of(Storage::k2IC, Dtype::kFp32),
      two_ic_layout(kLocal, 0, kShape, compact_stride(kLocal, 0, {1, 6, 3, 5}), Dtype::kFp32));
  for (const auto& [dtype, group] :
       {std::pair(Dtype::kInt8, 64), {Dtype::kBf16, 32}, {Dtype::kFp32, 1}}) {
    Call call(local_operand());
    call.spec.operands[0].storage = Storage::kWeights;
    call.spec.operands[0].dtype = dtype;
    call.args[kShapeArg].field = {3, 2, 1, 2};
    EXPECT_EQ(call.layout(), grouped_ic_layout(kLocal, 0, {3, 2, 1, 2}, dtype));
    EXPECT_EQ(call.layout().digits(1).front().extent, group);
  }
}

TEST(Decode, MatricesHaveColumnsPerChannelOrRowsApart) {
  OperandSpec matrix{.param = "local",
                     .shape = {"shape.n", "shape.c"},
                     .layout = DefaultLayout::kMatrix,
                     .cols_per_channel = "shape.h"};
  EXPECT_EQ(Call(matrix).layout(), matrix_layout(kLocal, 0, 2, 6, 3, Dtype::kFp32));
  OperandSpec rows{.param = "system",
                   .memory = MemoryKind::kSystem,
                   .shape = {"shape.n", "shape.c"},
                   .layout = DefaultLayout::kRows,
                   .row_stride = "shape.c + 3"};
  EXPECT_EQ(Call(rows).layout(), system_matrix_layout(0, 2, 6, 9, Dtype::kFp32));
}

TEST(Decode, ASharedRowHasOneRowForAllChannelsOfAnNpu) {
  OperandSpec operand = local_operand();
  operand.shared_row_if = "flag";
  Call call(operand);
  const Layout own = call.layout();
  call.args[kFlag].field[0] = 1;
  const Layout& shared = call.layout();
  EXPECT_NE(shared, own);
  EXPECT_EQ(shared.extent(1), 4) << "one channel per NPU";
  Stride4 stride = aligned_stride(kLocal, 0, {2, 4, 3, 5}, 4);
  stride.c = 0;
  EXPECT_EQ(shared, local_layout(kLocal, 0, {2, 4, 3, 5}, stride, Dtype::kFp32));
}

TEST(Decode, RulesAndArgumentsDecideDtypeLayoutAndAddress) {
  Call by_argument(local_operand());
  by_argument.spec.operands[0].dtype_param = "dtype";
  EXPECT_EQ(by_argument.layout().dtype(), Dtype::kInt8);
  Call by_rule(local_operand());
  by_rule.spec.operands[0].dtype_param = "dtype";
  by_rule.spec.operands[0].dtype_rule = [](const Command& command) {
    return command.value("flag") == 1 ? Dtype::kBf16 : Dtype::kInt32;
  };
  by_rule.spec.operands[0].layout_rule = [](const Command& command) {
    return command.value("flag") == 1 ? DefaultLayout::kCompact : DefaultLayout::kAligned;
  };
  by_rule.args[kFlag].field[0] = 1;
  EXPECT_EQ(by_rule.layout(),
            local_layout(kLocal, 0, kShape, compact_stride(kLocal, 0, kShape), Dtype::kBf16));
  Call elsewhere(local_operand());
  elsewhere.spec.operands[0].address = "local + 8 * flag";
  elsewhere.args[kFlag].field[0] = 4;
  EXPECT_EQ(elsewhere.layout().base(), 32);
  EXPECT_EQ(elsewhere.command.operands()[0].address, 32u);
}

TEST(Decode, SystemAddressesLeadToTheirMemory) {
  Call call(system_operand());
  call.args[kSystemArg].field[0] = static_cast<std::int64_t>(toy::kL2 + 16);
  EXPECT_EQ(call.layout().base(), 16);
  EXPECT_EQ(call.command.operands()[0].space, Space::kL2);
  call.spec.operands[0].memory = MemoryKind::kStatic;
  call.args[kShapeArg].field = {1, 1, 1, 4};
  call.args[kSystemArg].field[0] = 240;
  EXPECT_EQ(call.layout().base(), 240);
  EXPECT_EQ(call.command.operands()[0].space, Space::kStatic);
  call.args[kSystemArg].field[0] = 244;
  EXPECT_THAT(call.refusal(), HasSubstr("static memory"));
}

TEST(Decode, ATensorStaysInsideItsMemory) {
  Call local(local_operand());
  local.args[kShapeArg].field = {1, 4, 1, 256};  // fills its NPUs
  EXPECT_NO_THROW(local.decoded());
  local.args[kShapeArg].field = {1, 4, 1, 257};
  EXPECT_EQ(
      local.refusal(),
      "toy\n  local = 0x0 ends 4 bytes past the 1024 of NPU 0\n    rule: a tensor stays inside the "
      "1024 bytes of each NPU [doc]");
  EXPECT_TRUE(local.about_memory);
  local.args[kLocalArg].field[0] = 4096;
  EXPECT_THAT(local.refusal(), HasSubstr("0 <= local < 0x1000 (4 NPUs of 1024 bytes)"));
  Call system(system_operand());
  system.args[kShapeArg].field = {1, 1, 1, 1024};
  system.args[kSystemArg].field[0] = static_cast<std::int64_t>(toy::kL2);
  EXPECT_NO_THROW(system.decoded());
  system.args[kSystemArg].field[0] += 4;
  EXPECT_EQ(system.refusal(),
            "toy\n  system = 0x20004 reaches addresses 0x20004..0x21003\n    rule: a tensor stays "
            "inside its memory, L2 0x20000..0x20fff [doc]");
  system.args[kSystemArg].field[0] = 8;
  EXPECT_THAT(system.refusal(), HasSubstr("system lies in a memory: global memory "
                                          "0x100000..0x13ffff, L2 0x20000..0x20fff"));
  EXPECT_TRUE(system.about_memory);
}

// Strides that reach back before the tensor's address.
TEST(Decode, ATensorMayNotBeginBeforeItsMemory) {
  Call call(system_operand());
  call.args[kStrideArg].is_null = false;
  call.args[kStrideArg].field = {90, 15, 5, -1};
  EXPECT_THAT(call.refusal(), HasSubstr("reaches addresses 0xffff0.."));
}

TEST(Decode, PreferencesAreAdviceNeverAnError) {
  Call call(local_operand());
  call.spec.preferred = {"local % 16 == 0", "parallel_state == 1"};
  EXPECT_EQ(advice(call.decoded(true)).size(), 0u);
  call.args[kLocalArg].field[0] = 4;
  ASSERT_EQ(advice(call.decoded(true)).size(), 1u);
  EXPECT_EQ(advice(call.decoded(true))[0].rule, "local % 16 == 0");
  EXPECT_EQ(advice(call.decoded(false)).size(), 2u);
}

TEST(Decode, ALimitOfRangeIsRefusedUnlessTheLaunchKeepsGoing) {
  Call call(local_operand());
  call.spec.limits = {"1 <= shape.c <= 5 [doc; on request]", "1 <= flag <= 3"};
  call.args[kFlag].field[0] = 2;
  EXPECT_THAT(call.refusal(), HasSubstr("shape.c = 6"));
  call.policy.keep_going = true;
  EXPECT_EQ(call.refusal(), "not refused");
  ASSERT_EQ(call.tolerated.size(), 1u);
  EXPECT_EQ(call.tolerated[0].values, "shape.c = 6");
  EXPECT_EQ(call.tolerated[0].breach, Breach::kOnRequest);
  EXPECT_EQ(call.layout().extent(1), 6);
  // With a limit that has to hold, everything that is wrong is said.
  call.args[kFlag].field[0] = 4;
  EXPECT_THAT(call.refusal(), AllOf(HasSubstr("shape.c = 6"), HasSubstr("flag = 4")));
}

TEST(Decode, ALimitThatTheModelBreaksIsComputedAndSaid) {
  Call call(local_operand());
  call.spec.limits = {"1 <= shape.c <= 5 [doc; computed]"};
  EXPECT_EQ(call.refusal(), "not refused");
  ASSERT_EQ(call.tolerated.size(), 1u);
  EXPECT_EQ(call.tolerated[0].breach, Breach::kComputed);
  call.args[kShapeArg].field[1] = 0;
  EXPECT_THAT(call.refusal(), HasSubstr("shape.c = 0"));
}

TEST(Decode, WhatIsNotEnforcedIsComputedAndSaid) {
  Call call(local_operand());
  call.spec.limits = {"shape.c <= 5 [doc; not enforced]"};
  EXPECT_TRUE(advice(call.decoded()).empty());
  ASSERT_EQ(call.tolerated.size(), 1u);
  EXPECT_EQ(call.tolerated[0].breach, Breach::kUnenforced);
}

TEST(Decode, WhatTheNewerModelRefusesIsRefusedUnderAStrictPolicy) {
  Call call(local_operand());
  call.spec.limits = {"never [observed; model of 2024]"};
  EXPECT_EQ(call.refusal(), "not refused");
  ASSERT_EQ(call.tolerated.size(), 1u);
  call.policy.strict = true;
  EXPECT_THAT(call.refusal(), HasSubstr("the chip's model of 2024 refuses it"));
  call.spec.limits = {"flag == 0 [observed; model of 2024]"};
  EXPECT_EQ(call.refusal(), "not refused");
  call.args[kFlag].field[0] = 3;
  EXPECT_THAT(call.refusal(),
              HasSubstr("flag = 3: the chip's model of 2024 refuses it\n    rule: flag == 0"));
}

// Alignment and extents keep out what is meaningless; a call that breaks those limits does not.
TEST(Decode, ACallThatBreaksALimitOfRangeStillNeedsWholeElements) {
  Call call(local_operand());
  call.spec.limits = {"local % 16 == 0 [doc; on request]"};
  call.policy.keep_going = true;
  call.args[kLocalArg].field[0] = 8;
  EXPECT_EQ(call.refusal(), "not refused");
  call.args[kLocalArg].field[0] = 6;
  EXPECT_THAT(call.refusal(), HasSubstr("local % 4 == 0 [emulator]"));
  call.spec.limits = {"shape.n <= 5 [doc; on request]"};
  call.args[kLocalArg].field[0] = 0;
  call.args[kStrideArg].is_null = false;
  call.args[kStrideArg].field = {0, 1, 1, 1};
  call.args[kShapeArg].field[0] = std::int64_t{1} << 31;
  EXPECT_THAT(call.refusal(), HasSubstr("more than 2147483648 elements"));
}

}  // namespace
}  // namespace tensorlane
