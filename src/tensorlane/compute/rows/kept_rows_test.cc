// Laws of the rows that a call which comes again keeps.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "tensorlane/chip/toy_chip_test_support.h"
#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane {
namespace {

constexpr Param kParams[] = {
    {"local_addr_t", "dst"}, {"local_addr_t", "src"}, {"const dim4*", "shape"}, {"int", "C"}};
enum At : std::uint8_t { kDst, kSrc, kShape, kConstant };

// dst = src + C of words in local memory, by a call that has come again.
struct Caller {
  OpSpec spec{.engine = Engine::kBdc,
              .operands = {{.param = "dst",
                            .role = Role::kOut,
                            .shape = {"shape.n", "shape.c", "shape.h", "shape.w"}},
                           {.param = "src",
                            .role = Role::kIn,
                            .shape = {"shape.n", "shape.c", "shape.h", "shape.w"}}},
              .numerics = Numerics::kNoData};
  Op op{"toy", "void", kParams, spec, OpList::Constants{}};
  std::vector<std::byte> local =
      std::vector<std::byte>(static_cast<std::size_t>(toy::chip().local_bytes()));
  Command command;

  Caller() {
    std::array<Arg, std::size(kParams)> args{};
    args[kSrc].field[0] = 256;
    args[kShape].field = {1, 2, 3, 5};
    args[kConstant].field[0] = 7;
    EXPECT_TRUE(decode(op, args, toy::chip(), false, command).empty());
    command.known.is_new(1);
    command.known.came_again();
  }
  Invocation invocation() {
    Invocation call{command, {}};
    call.memory[static_cast<std::size_t>(Space::kLocal)] = local.data();
    return call;
  }
  const Lowering* kept() const { return command.known.lowering(); }
  std::int32_t& word(At operand, std::int64_t w) {
    const Operand& tensor = command.operands()[operand];
    const std::array<std::int64_t, 4> index = {0, 1, 2, w};
    return *reinterpret_cast<std::int32_t*>(local.data() + tensor.layout.address(index));
  }
};

void add(const Row& row) {
  each_row(row, [](const Row& one) {
    for (std::int64_t i = 0; i < one.count; ++i) {
      const auto a = load_element<std::int32_t>(one.src[0] + i * one.src_step[0]);
      const auto b = load_element<std::int32_t>(one.src[1] + i * one.src_step[1]);
      store_element(one.dst + i * one.dst_step, a + b);
    }
  });
}
void double_it(const Row& row) {
  each_row(row, [](const Row& one) {
    for (std::int64_t i = 0; i < one.count; ++i) {
      const auto a = load_element<std::int32_t>(one.src[0] + i * one.src_step[0]);
      store_element(one.dst + i * one.dst_step, 2 * a);
    }
  });
}

const RowFunction sum = add, twice = double_it;  // of rows of any form
constexpr std::array<std::string_view, 2> kSources = {"src", "C"};
constexpr std::array<std::string_view, 1> kTensor = {"src"};

TEST(KeptRows, AreThoseOfTheFirstWayUntilAnotherTakesOver) {
  Caller caller;
  caller.word(kSrc, 4) = 10;
  ASSERT_TRUE(run_rows(caller.invocation(), "dst", kSources, sum));
  EXPECT_EQ(caller.word(kDst, 4), 17);
  const Lowering* const first = caller.kept();
  ASSERT_NE(first, nullptr);

  ASSERT_TRUE(run_rows(caller.invocation(), "dst", kTensor, twice));
  EXPECT_EQ(caller.word(kDst, 4), 20);
  EXPECT_EQ(caller.kept(), first) << "steps of one call do not take turns";
  release_other_rows(caller.invocation(), kSources);
  EXPECT_EQ(caller.kept(), first);

  release_other_rows(caller.invocation(), kTensor);
  EXPECT_EQ(caller.kept(), nullptr);
  for (int time = 0; time < 2; ++time) {
    caller.word(kSrc, 4) = 30 + time;
    ASSERT_TRUE(run_rows(caller.invocation(), "dst", kTensor, twice));
    EXPECT_EQ(caller.word(kDst, 4), 2 * (30 + time));
    EXPECT_NE(caller.kept(), nullptr);
    release_other_rows(caller.invocation(), kTensor);
    EXPECT_NE(caller.kept(), nullptr) << "they are its own now";
  }
}

}  // namespace
}  // namespace tensorlane
