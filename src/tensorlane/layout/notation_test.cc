#include "tensorlane/layout/notation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/layout_test_support.h"

namespace tensorlane {
namespace {

using Place = Layout::Index;

struct Foreign {
  const char* whose;
  const char* text;
  std::vector<std::int64_t> shape;  // of the short form
  std::int64_t (*place)(const Place& i);
};

// Layouts of other systems, with the formula of their documents in plain arithmetic, in elements.
const Foreign kForeign[] = {
    {"CuTe: column-major", "(4,8):(1,4)", {}, [](const Place& i) { return i[0] + i[1] * 4; }},
    {"CuTe: row-major", "(4,8):(8,1)", {}, [](const Place& i) { return i[0] * 8 + i[1]; }},
    {"CuTe: vector", "8:1", {}, [](const Place& i) { return i[0]; }},
    {"CuTe: every second", "_8:_2", {}, [](const Place& i) { return i[0] * 2; }},
    {"CuTe: padded columns", "(4,8):(1,5)", {}, [](const Place& i) { return i[0] + i[1] * 5; }},
    {"CuTe: a mode of modes",
     "(4,(2,4)):(2,(1,8))",
     {},
     [](const Place& i) { return i[0] * 2 + i[1] % 2 + i[1] / 2 * 8; }},
    {"CuTe: modes in modes",
     "((2,2),(2,(2,2))):((1,4),(2,(8,16)))",
     {},
     [](const Place& i) {
       return i[0] % 2 + i[0] / 2 * 4 + i[1] % 2 * 2 + i[1] / 2 % 2 * 8 + i[1] / 4 * 16;
     }},
    {"CuTe: broadcast rows", "(4,8):(0,1)", {}, [](const Place& i) { return i[1]; }},
    {"CuTe: rank 3",
     "(2,3,4):(12,4,1)",
     {},
     [](const Place& i) { return (i[0] * 3 + i[1]) * 4 + i[2]; }},
    {"CuTe: tiled 8x8 by 4x2",
     "((4,2),(2,4)):((1,8),(4,16))",
     {},
     [](const Place& i) { return i[0] % 4 + i[0] / 4 * 8 + i[1] % 2 * 4 + i[1] / 2 * 16; }},
    {"CuTe: 8x4 accumulator of a warp, thread by thread",
     "((8,2),(2,4)):((8,64),(1,2))",
     {},
     [](const Place& i) { return i[0] % 8 * 8 + i[0] / 8 * 64 + i[1] % 2 + i[1] / 2 * 2; }},
    {"Triton: blocked, 2 elements of a thread, 4 threads, 2 warps",
     "(2,(2,4,2)):(2,(1,4,16))",
     {},
     [](const Place& i) { return i[0] * 2 + i[1] % 2 + i[1] / 2 % 4 * 4 + i[1] / 8 * 16; }},
    {"Triton: threads along rows first",
     "((2,4),(2,2)):((1,4),(2,16))",
     {},
     [](const Place& i) { return i[0] % 2 + i[0] / 2 * 4 + i[1] % 2 * 2 + i[1] / 2 * 16; }},
    {"oneDNN nchw",
     "nchw",
     {2, 3, 4, 5},
     [](const Place& i) { return ((i[0] * 3 + i[1]) * 4 + i[2]) * 5 + i[3]; }},
    {"oneDNN nhwc",
     "nhwc",
     {2, 4, 5, 3},
     [](const Place& i) { return ((i[0] * 4 + i[1]) * 5 + i[2]) * 3 + i[3]; }},
    {"oneDNN chwn",
     "chwn",
     {3, 4, 5, 2},
     [](const Place& i) { return ((i[0] * 4 + i[1]) * 5 + i[2]) * 2 + i[3]; }},
    {"oneDNN acdb",
     "acdb",
     {2, 4, 5, 3},
     [](const Place& i) { return ((i[0] * 4 + i[1]) * 5 + i[2]) * 3 + i[3]; }},
    {"oneDNN tnc", "tnc", {3, 4, 5}, [](const Place& i) { return (i[0] * 4 + i[1]) * 5 + i[2]; }},
    {"oneDNN ldigo",
     "ldigo",
     {1, 2, 3, 4, 5},
     [](const Place& i) { return (((i[0] * 2 + i[1]) * 3 + i[2]) * 4 + i[3]) * 5 + i[4]; }},
    {"oneDNN nChw8c",
     "nChw8c",
     {2, 20, 3, 4},
     [](const Place& i) { return (((i[0] * 3 + i[1] / 8) * 3 + i[2]) * 4 + i[3]) * 8 + i[1] % 8; }},
    {"oneDNN nChw16c",
     "nChw16c",
     {2, 20, 3, 4},
     [](const Place& i) {
       return (((i[0] * 2 + i[1] / 16) * 3 + i[2]) * 4 + i[3]) * 16 + i[1] % 16;
     }},
    {"oneDNN nCdhw16c",
     "nCdhw16c",
     {1, 17, 2, 3, 4},
     [](const Place& i) {
       return ((((i[0] * 2 + i[1] / 16) * 2 + i[2]) * 3 + i[3]) * 4 + i[4]) * 16 + i[1] % 16;
     }},
    {"oneDNN nCw16c",
     "nCw16c",
     {2, 33, 5},
     [](const Place& i) { return ((i[0] * 3 + i[1] / 16) * 5 + i[2]) * 16 + i[1] % 16; }},
    {"oneDNN NChw16n16c",
     "NChw16n16c",
     {17, 18, 2, 2},
     [](const Place& i) {
       return ((((i[0] / 16 * 2 + i[1] / 16) * 2 + i[2]) * 2 + i[3]) * 16 + i[0] % 16) * 16 +
              i[1] % 16;
     }},
    {"oneDNN oihw",
     "oihw",
     {4, 3, 2, 2},
     [](const Place& i) { return ((i[0] * 3 + i[1]) * 2 + i[2]) * 2 + i[3]; }},
    {"oneDNN hwio",
     "hwio",
     {2, 2, 3, 4},
     [](const Place& i) { return ((i[0] * 2 + i[1]) * 3 + i[2]) * 4 + i[3]; }},
    {"oneDNN OIhw16i16o",
     "OIhw16i16o",
     {17, 18, 3, 3},
     [](const Place& i) {
       return ((((i[0] / 16 * 2 + i[1] / 16) * 3 + i[2]) * 3 + i[3]) * 16 + i[1] % 16) * 16 +
              i[0] % 16;
     }},
    {"oneDNN OIhw4i16o4i",
     "OIhw4i16o4i",
     {17, 18, 3, 3},
     [](const Place& i) {
       const std::int64_t block = (i[0] / 16 * 2 + i[1] / 16) * 9 + i[2] * 3 + i[3];
       return ((block * 4 + i[1] / 4 % 4) * 16 + i[0] % 16) * 4 + i[1] % 4;
     }},
    {"oneDNN Ohwi8o",
     "Ohwi8o",
     {9, 3, 3, 5},
     [](const Place& i) { return (((i[0] / 8 * 3 + i[1]) * 3 + i[2]) * 5 + i[3]) * 8 + i[0] % 8; }},
    {"oneDNN gOIhw4o4i",
     "gOIhw4o4i",
     {2, 5, 6, 1, 3},
     [](const Place& i) {
       const std::int64_t block = ((i[0] * 2 + i[1] / 4) * 2 + i[2] / 4) * 3 + i[4];
       return (block * 4 + i[1] % 4) * 4 + i[2] % 4;
     }},
    {"oneDNN Goihw16g",
     "Goihw16g",
     {20, 1, 1, 3, 3},
     [](const Place& i) { return ((i[0] / 16 * 3 + i[3]) * 3 + i[4]) * 16 + i[0] % 16; }},
    {"oneDNN aBcd16b",
     "aBcd16b",
     {2, 20, 3, 4},
     [](const Place& i) {
       return (((i[0] * 2 + i[1] / 16) * 3 + i[2]) * 4 + i[3]) * 16 + i[1] % 16;
     }},
    {"TVM NCHW4c",
     "NCHW4c",
     {1, 6, 3, 4},
     [](const Place& i) { return ((i[1] / 4 * 3 + i[2]) * 4 + i[3]) * 4 + i[1] % 4; }},
    {"TVM OIHW4i16o",
     "OIHW4i16o",
     {16, 4, 3, 3},
     [](const Place& i) { return ((i[2] * 3 + i[3]) * 4 + i[1]) * 16 + i[0]; }},
    {"NCHWc16, the number behind",
     "NCHWc16",
     {2, 20, 3, 4},
     [](const Place& i) {
       return (((i[0] * 2 + i[1] / 16) * 3 + i[2]) * 4 + i[3]) * 16 + i[1] % 16;
     }},
    {"NNPACK-like HWOI4o",
     "HWOI4o",
     {3, 3, 6, 5},
     [](const Place& i) { return (((i[0] * 3 + i[1]) * 2 + i[2] / 4) * 5 + i[3]) * 4 + i[2] % 4; }},
    {"NVDLA: features, atoms of 32 bytes of int8, C/32 H W 32",
     "NCHW32c",
     {1, 40, 5, 6},
     [](const Place& i) { return ((i[1] / 32 * 5 + i[2]) * 6 + i[3]) * 32 + i[1] % 32; }},
    {"NVDLA: weights of int8, 32 kernels by 64 channels",
     "OIHW32o64i",
     {33, 65, 2, 1},
     [](const Place& i) {
       return (((i[0] / 32 * 2 + i[1] / 64) * 2 + i[2]) * 32 + i[0] % 32) * 64 + i[1] % 64;
     }},
    {"TPU: tiles of 8 x 128",
     "RK8r128k",
     {20, 300},
     [](const Place& i) {
       return ((i[0] / 8 * 3 + i[1] / 128) * 8 + i[0] % 8) * 128 + i[1] % 128;
     }},
    {"TPU: tiles of 8 x 128, bf16 in pairs of rows",
     "RK8r128k2r",
     {20, 300},
     [](const Place& i) {
       return (((i[0] / 16 * 3 + i[1] / 128) * 8 + i[0] / 2 % 8) * 128 + i[1] % 128) * 2 + i[0] % 2;
     }},
    {"MACE: channel-major image without its rows of pixels",
     "NHCW4c",
     {2, 3, 5, 4},
     [](const Place& i) { return (((i[0] * 3 + i[1]) * 2 + i[2] / 4) * 4 + i[3]) * 4 + i[2] % 4; }},
    {"MACE: Conv2D filter in a GPU buffer",
     "HWOI4o",
     {3, 3, 5, 4},
     [](const Place& i) { return (((i[0] * 3 + i[1]) * 2 + i[2] / 4) * 4 + i[3]) * 4 + i[2] % 4; }},
    {"XNNPACK-like: packed right operand, 8 columns",
     "KR8k",
     {20, 7},
     [](const Place& i) { return (i[0] / 8 * 7 + i[1]) * 8 + i[0] % 8; }},
    {"VNNI: rows in fours",
     "RK4r",
     {10, 16},
     [](const Place& i) { return (i[0] / 4 * 16 + i[1]) * 4 + i[0] % 4; }},
    {"AMX: tiles of 16 x 64 bytes, rows in fours",
     "RK16r16k4r",
     {64, 48},
     [](const Place& i) {
       return (((i[0] / 64 * 3 + i[1] / 16) * 16 + i[0] / 4 % 16) * 16 + i[1] % 16) * 4 + i[0] % 4;
     }},
    {"CuTe: swizzle of 8 x 8",
     "Sw<3,0,3> o 0 o (8,8):(8,1)",
     {},
     [](const Place& i) { return i[0] * 8 + (i[1] ^ i[0]); }},
    {"CuTe: swizzle of 128-byte rows, 16-bit elements in eights",
     "Sw<3,3,3> o 0 o (16,64):(64,1)",
     {},
     [](const Place& i) { return i[0] * 64 + ((i[1] / 8) ^ (i[0] % 8)) * 8 + i[1] % 8; }},
    {"Triton: shared, vectors of 4, 1 row a phase, 8 phases",
     "(16,32):(32,1) swizzle 3,2,3",
     {},
     [](const Place& i) { return i[0] * 32 + ((i[1] / 4) ^ (i[0] % 8)) * 4 + i[1] % 4; }},
    {"Triton: shared, vectors of 2, 2 rows a phase, 4 phases",
     "(16,16):(16,1) swizzle 2,1,4",
     {},
     [](const Place& i) { return i[0] * 16 + ((i[1] / 2) ^ (i[0] / 2 % 4)) * 2 + i[1] % 2; }},
    {"CuTe: 128-byte swizzle of 16-bit elements in shared memory",
     "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
     {},
     [](const Place& i) { return i[0] * 64 + (i[1] / 8 ^ i[0] % 8) * 8 + i[1] % 8; }},
    {"interleaved real and imaginary parts",
     "(2,5):(1,2)",
     {},
     [](const Place& i) { return i[0] + i[1] * 2; }},
    {"backwards", "(2,5):(5,-1) + 4", {}, [](const Place& i) { return i[0] * 5 + 4 - i[1]; }},
    {"windows of a row, 3 wide, apart",
     "(4,3):(3,1) + 7",
     {},
     [](const Place& i) { return i[0] * 3 + i[1] + 7; }},
};

NamedLayout written(const std::string& text, std::vector<std::int64_t> shape = {},
                    Dtype dtype = Dtype::kFp16) {
  return make_layout({.system = System::kBm1684,
                      .layout = text,
                      .dtype = dtype,
                      .shape = std::move(shape),
                      .memory = LocalMemory{4, 1024, 128}});
}

TEST(Notation, LayoutsOfOtherSystemsLieWhereTheirDocumentsSay) {
  EXPECT_GE(std::size(kForeign), 40U);
  for (const Foreign& foreign : kForeign) {
    SCOPED_TRACE(foreign.whose);
    ASSERT_TRUE(is_notation(foreign.text) || find_layout(System::kMace, foreign.text).row_major);
    const NamedLayout tensor = written(foreign.text, foreign.shape);
    std::set<std::int64_t> owned;
    for_each_index(tensor.layout, [&](const Place& index) {
      const std::int64_t place = foreign.place(index), address = tensor.layout.address(index);
      ASSERT_EQ(address, 2 * place);
      const bool first = owned.insert(address).second;
      const std::optional<Place> back = tensor.layout.element_at(address);
      ASSERT_TRUE(back);
      if (first) {
        ASSERT_EQ(*back, index);
      }
    });
    // Padding holds no element.
    for (std::int64_t at = 0; at < tensor.bytes / 2; ++at) {
      const std::int64_t address = at * 2;
      ASSERT_EQ(tensor.layout.element_at(address).has_value(), owned.count(address) == 1);
    }
  }
}

TEST(Notation, WhatIsPrintedReadsAsTheSamePlaces) {
  for (const Foreign& foreign : kForeign) {
    const NamedLayout tensor = written(foreign.text, foreign.shape);
    const std::string text = notation(tensor);
    SCOPED_TRACE(text);
    const NamedLayout again = written(text);
    EXPECT_EQ(again.layout, tensor.layout);
    EXPECT_EQ(again.bytes, tensor.bytes);
    EXPECT_EQ(notation(again), text);
  }
}

TEST(Notation, EveryNamedLayoutIsWrittenAndReadBack) {
  LayoutMaker maker(5);
  int local = 0, images = 0;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      for (int round = 0; round < 60; ++round) {
        const LayoutSpec asked = maker.random_spec(system, info);
        SCOPED_TRACE(describe_spec(asked));
        const NamedLayout tensor = make_layout(asked);
        const std::string text = notation(tensor);
        SCOPED_TRACE(text);
        const NamedLayout again = make_layout(
            {.system = system, .layout = text, .dtype = asked.dtype, .memory = asked.memory});
        ASSERT_EQ(again.layout, tensor.layout);
        ASSERT_EQ(again.total_bytes(), tensor.total_bytes());
        ASSERT_EQ(again.image_height, tensor.image_height);
        ASSERT_EQ(notation(again), text);
        if (tensor.is_local()) {
          ASSERT_EQ(again.spec.start_npu, tensor.spec.start_npu);
          ASSERT_EQ(again.spec.offset, tensor.spec.offset);
          ++local;
        }
        images += tensor.is_image();
      }
    }
  }
  EXPECT_GT(local, 500);
  EXPECT_GT(images, 300);
}

// 10,000 random layouts: digits of every axis at random places of a memory without holes, some
// padded, some apart. Text and back is the same; place and back is the element.
TEST(Notation, RandomLayoutsAreReadBackAndInverted) {
  LayoutMaker maker(11);
  std::mt19937 random(3);
  for (int round = 0; round < 10000; ++round) {
    const int rank = static_cast<int>(maker.pick(1, 6));
    struct Part {
      int axis, place;
      std::int64_t extent, stride;
    };
    std::vector<Part> parts;
    std::vector<std::int64_t> counts;
    for (int d = 0; d < rank; ++d) {
      const int digits = static_cast<int>(maker.pick(1, 2));
      for (int k = 0; k < digits; ++k) parts.push_back({d, k, maker.pick(1, 3), 0});
    }
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t stride = maker.pick(1, 2);
    for (const std::size_t at : order) {
      parts[at].stride = stride;
      stride = stride * parts[at].extent + (maker.pick(0, 3) == 0 ? maker.pick(1, 3) : 0);
    }
    Layout layout(Dtype::kFp32);
    for (int d = 0; d < rank; ++d) {
      std::vector<Digit> digits;
      std::int64_t places = 1;
      for (const Part& part : parts) {
        if (part.axis != d) continue;
        digits.push_back({part.extent, part.stride * 4});
        places *= part.extent;
      }
      digits.back().extent = 1;
      const std::int64_t first = maker.pick(0, 3) == 0 ? maker.pick(0, places - 1) : 0;
      layout.add_dim(maker.pick(1, places - first), digits, first);
    }
    layout.set_base(4 * maker.pick(0, 9));
    const std::string text = notation(
        layout, Axes(std::string_view("ABCDEF").substr(0, static_cast<std::size_t>(rank))));
    SCOPED_TRACE(text);
    const NamedLayout again = written(text, {}, Dtype::kFp32);
    ASSERT_EQ(again.layout, layout);
    ASSERT_EQ(written(notation(layout), {}, Dtype::kFp32).layout, layout);
    for_each_index(layout, [&](const Place& index) {
      ASSERT_EQ(layout.element_at(layout.address(index)), index);
    });
  }
}

TEST(Notation, FormsAreTheSameWhereTheyMeanTheSame) {
  EXPECT_EQ(notation(written("nChw16c", {2, 20, 3, 4})),
            "NCHW (2,20 of (16,2),3,4):(384,(1,192),64,16)");
  EXPECT_EQ(written("OIhw4i16o", {16, 4, 1, 1}).layout, written("OIHWi4o16", {16, 4, 1, 1}).layout);
  EXPECT_EQ(written("(2,3):(12b,4b)").layout, written("RK(2,3):(6,2)").layout);
  EXPECT_EQ(written("( 4 , ( 2 , 3 ) ) : ( 1 , ( 4 , 8 ) )").layout,
            written("(4,(2,3)):(1,(4,8))").layout);
  const NamedLayout aligned = make_layout({.layout = "aligned",
                                           .shape = {2, 5, 4, 5},
                                           .start_npu = 3,
                                           .memory = LocalMemory{4, 1024, 128}});
  EXPECT_EQ(notation(aligned), "NCHW (2,5+3 of (4,2),4,5):(64,(npu,32),5,1) size 128");
  EXPECT_EQ(written(notation(aligned), {}, Dtype::kFp32).layout, aligned.layout);
}

TEST(Notation, AMistakeIsShownAtItsCharacter) {
  struct Mistake {
    const char* text;
    const char* error;
  };
  const Mistake kMistakes[] = {
      {"(2,3:(3,1)", "character 5 is ':'; expected ',' or ')'"},
      {"(2,3):(3,1", "character 11 is the end; expected ')' behind the last axis"},
      {"(2,3)", "character 6 is the end; expected ':' and the strides"},
      {"NC (2,3,4):(12,4,1)", "character 1 is 'N'; expected one letter for each axis of the shape"},
      {"NN (2,3):(3,1)", "character 2 is 'N'; expected an axis that does not stand yet"},
      {"(2,0):(3,1)", "character 4 is '0'; expected an extent, 1 to 2^31"},
      {"(2,(3,4)):(12,4)", "character 16 is ')'; expected as many strides as digits"},
      {"(2,3):(3,1,1)", "character 11 is ','; expected ')' behind the last axis"},
      {"(2,3):(3)", "character 9 is ')'; expected a stride for each axis"},
      {"(2,3):(3,x)", "character 10 is 'x'; expected a stride: elements, bytes with b, or npu"},
      {"(2,3):(3,1) wide",
       "character 13 is 'w'; expected '+', 'size', 'image', 'swizzle' or the end"},
      {"(2,3+1 (4,2)):(3,1)", "character 8 is '('; expected 'of' and the digits"},
      {"nChw16x", "character 5 is '1'; expected an axis that stands before its blocks"},
      {"NCHWN", "bm1684 has no layout 'NCHWN'"},
      {"NCHW0c", "character 5 is '0'; expected a block of 1 or more"},
      {"(2,9 of (4,2)):(8,(1,4))", "axis at character 4 has places 0 to 7; its last index is at 8"},
      {"(2,3):(1,1)", "lets elements overlap"},
      {"(2,3):(-3,1)", "begins 6 bytes before its memory"},
      {"(2,3):(3,1) image 1x1", "an image of 1 x 1 pixels does not hold it"},
      {"(2,8):(1,npu)", "one digit of one axis may count NPUs, of which bm1684 has 4"},
      {"(2,3):(3,99999999999999)", "character 10 is '9'; expected a stride"},
      {"Sw<3,4,3> o smem_ptr[9b](unset) o (8,64):(64,1)",
       "character 23 is 'b'; expected the bits of an element"},
      {"Sw<1,0,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
       "character 1 is 'S'; expected a swizzle that keeps elements whole"},
  };
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.text);
    try {
      written(mistake.text);
      ADD_FAILURE() << "accepted";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(mistake.error), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(written("nChw16c", {2, 3}), UserError);
  EXPECT_THROW(written("(2,3):(3,1)", {2, 4}), UserError);
}

TEST(Notation, NamesAreNoNotation) {
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      EXPECT_EQ(find_layout(system, info.name).name, info.name);
      EXPECT_FALSE(find_layout(system, info.name).written);
    }
  }
  for (const char* typo : {"alined", "alined128", "5N", "128IC", "contiguous", "compct", "aligend"})
    EXPECT_FALSE(is_notation(typo)) << typo;
}

}  // namespace
}  // namespace tensorlane
