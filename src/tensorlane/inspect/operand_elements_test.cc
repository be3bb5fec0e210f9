#include "tensorlane/inspect/operand_elements.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <random>

#include "tensorlane/inspect/value.h"
#include "tensorlane/layout/layout_test_support.h"

namespace tensorlane::inspect {
namespace {

// An operand in any layout of the chips, and memory with bytes at random.
struct RandomOperand {
  Operand operand;
  std::vector<std::byte> memory;

  explicit RandomOperand(unsigned seed) {
    LayoutMaker maker(seed);
    const System system = maker.pick(0, 1) == 0 ? System::kBm1684 : System::kBm1684x;
    std::vector<const LayoutInfo*> infos;
    for (const LayoutInfo& info : layouts_of(system)) infos.push_back(&info);
    const LayoutInfo& info = *infos[static_cast<std::size_t>(maker.pick(0, std::ssize(infos) - 1))];
    operand.layout = make_layout(maker.random_spec(system, info)).layout;
    operand.space = operand.layout.space() == AddressSpace::kLocal ? Space::kLocal : Space::kGlobal;
    memory.resize(static_cast<std::size_t>(operand.layout.bounds().end) + 16);
    std::mt19937_64 random(seed);
    for (std::size_t at = 0; at + 8 <= memory.size(); at += 8) {
      const std::uint64_t word = random();
      std::memcpy(&memory[at], &word, 8);
    }
  }
  OperandElements elements() const { return {operand, memory.data()}; }
};

// Every law for every element of any operand.
template <class Law>
void for_any_operand(const Law& law) {
  const RandomOperand any(*rc::gen::arbitrary<unsigned>());
  for_each_index(any.operand.layout, [&](const Layout::Index& index) { law(any, index); });
}

RC_GTEST_PROP(OperandElements, ThePlaceOfAnElementIsItsOwn, ()) {
  for_any_operand([](const RandomOperand& any, const Layout::Index& index) {
    RC_ASSERT(any.elements().element_at(any.elements().place(index)) == index);
  });
}

RC_GTEST_PROP(OperandElements, NumbersCountInLogicalOrder, ()) {
  std::int64_t number = 0;
  for_any_operand([&](const RandomOperand& any, const Layout::Index& index) {
    RC_ASSERT(any.elements().number(index) == number);
    RC_ASSERT(any.elements().index(number) == index);
    ++number;
  });
}

RC_GTEST_PROP(OperandElements, TheTensorHoldsTheirBits, ()) {
  const RandomOperand any(*rc::gen::arbitrary<unsigned>());
  const Tensor tensor = any.elements().tensor();
  RC_ASSERT(tensor.shape == any.elements().shape());
  for_each_index(any.operand.layout, [&](const Layout::Index& index) {
    RC_ASSERT(element_bits(tensor, any.elements().number(index)) == any.elements().bits(index));
  });
}

TEST(OperandElements, PaddingBelongsToNone) {
  Operand operand;
  operand.layout = local_layout(kBm1684Local, 0, {1, 2, 1, 3}, {32, 32, 3, 1}, Dtype::kFp32);
  std::vector<std::byte> memory(2 * 524288);
  memory[524288 + 8] = std::byte{1};
  const OperandElements elements(operand, memory.data());
  EXPECT_EQ(elements.element_at({Space::kLocal, 524288 + 11}), (Layout::Index{0, 1, 0, 2}));
  EXPECT_EQ(elements.bits({0, 1, 0, 2}), 1u);
  EXPECT_EQ(elements.index_text({0, 1, 0, 2}), "[0,1,0,2]");
  EXPECT_FALSE(elements.element_at({Space::kLocal, 524288 + 12}));
  EXPECT_FALSE(elements.element_at({Space::kLocal, 2 * 524288}));
  EXPECT_FALSE(elements.element_at({Space::kGlobal, 0}));
}

TEST(OperandElements, OneElementForAllIsReadForAll) {
  Operand operand;
  operand.space = Space::kGlobal;
  operand.layout = system_layout(0, {1, 2, 1, 3}, {0, 0, 0, 0}, Dtype::kInt8);
  const std::byte five{5};
  const OperandElements elements(operand, &five);
  EXPECT_EQ(elements.tensor().data, std::vector<std::byte>(6, five));
  EXPECT_EQ(elements.element_at({Space::kGlobal, 0}), (Layout::Index{}));
}

TEST(OperandElements, NoElementsAreNoTensor) {
  Operand operand;
  operand.layout = system_layout(0, {0, 2, 1, 3}, {6, 3, 3, 1}, Dtype::kFp32);
  const OperandElements elements(operand, nullptr);
  EXPECT_EQ(elements.size(), 0);
  EXPECT_TRUE(elements.tensor().data.empty());
  EXPECT_FALSE(elements.element_at({Space::kLocal, 0}));
}

}  // namespace
}  // namespace tensorlane::inspect
