#include "tensorlane/layout/verify_packed.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/layout_test_support.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

using Bytes = std::vector<std::byte>;
using Index = Layout::Index;

// A tensor, what it has to become, and ways of getting that wrong.
class Packing {
 public:
  Packing(const LayoutSpec& to, Dtype source_type, unsigned seed) : to_(make_layout(to)) {
    LayoutSpec spec{.system = to.system, .dtype = source_type, .shape = to.shape};
    spec.layout = notation(row_major_layout(to.shape, source_type), to_.axes);
    from_ = make_layout(spec);
    std::mt19937 random(seed);
    original_.resize(static_cast<std::size_t>(from_.total_bytes()));
    for (std::byte& byte : original_) byte = std::byte(random() & 0xff);
    if (source_type == Dtype::kFp32) {
      std::uniform_real_distribution<float> value(-2, 2);
      for (std::size_t at = 0; at + 4 <= original_.size(); at += 4) {
        const float one = value(random);
        std::memcpy(original_.data() + at, &one, 4);
      }
    }
  }

  const NamedLayout& to() const { return to_; }
  Bytes right(const LayoutConversion& conversion = {}) const {
    return convert(to_, from_, original_, conversion);
  }
  // With the element of another index, or nothing, in the place of each.
  Bytes reading(const std::function<std::optional<Index>(Index)>& where) const {
    Bytes moved(original_.size());
    const auto size = static_cast<std::size_t>(from_.layout.element_units());
    for_each_index(from_.layout, [&](const Index& index) {
      if (const std::optional<Index> at = where(index))
        std::memcpy(moved.data() + from_.layout.address(index),
                    original_.data() + from_.layout.address(*at), size);
    });
    return convert(to_, from_, moved);
  }
  // Of other values, of an fp32 original.
  Bytes of_values(const std::function<float(float)>& value) const {
    Bytes changed = original_;
    for (std::size_t at = 0; at + 4 <= changed.size(); at += 4) {
      float one = 0;
      std::memcpy(&one, changed.data() + at, 4);
      one = value(one);
      std::memcpy(changed.data() + at, &one, 4);
    }
    return convert(to_, from_, changed);
  }
  // The original's memory, taken for that of axes in another order.
  Bytes taken_as(const std::vector<int>& order) const {
    Layout other(from_.spec.dtype);
    std::vector<std::int64_t> strides(order.size());
    std::int64_t stride = other.element_units();
    for (std::size_t k = order.size(); k-- > 0;) {
      strides[static_cast<std::size_t>(order[k])] = stride;
      stride *= from_.layout.extent(order[k]);
    }
    for (int d = 0; d < from_.layout.rank(); ++d)
      other.add_dim(from_.layout.extent(d), {{1, strides[static_cast<std::size_t>(d)]}});
    Bytes packed(static_cast<std::size_t>(to_.total_bytes()));
    convert(memory_layout(to_), packed.data(), other, original_.data());
    return packed;
  }
  // In another layout; the rest of the memory is zero.
  Bytes in(LayoutSpec spec) const {
    const NamedLayout other = make_layout(spec);
    Bytes packed(static_cast<std::size_t>(to_.total_bytes()));
    Layout layout = memory_layout(other);
    if (other.is_local()) layout.set_npu_bytes(to_.bytes_per_npu);
    if (other.total_bytes() > to_.total_bytes()) throw std::length_error(spec.layout);
    convert(layout.permuted(to_.axes.places_in(other.axes)), packed.data(), from_.layout,
            original_.data());
    return packed;
  }
  Bytes at_places(const std::function<Index(Index)>& place) const {
    Bytes packed(static_cast<std::size_t>(to_.total_bytes()));
    const Bytes whole = right();
    const Layout target = memory_layout(to_);
    const auto size = static_cast<std::size_t>(target.element_units());
    for_each_index(target, [&](const Index& index) {
      std::memcpy(packed.data() + target.address(place(index)),
                  whole.data() + target.address(index), size);
    });
    return packed;
  }

  PackedCheck check(const Bytes& packed, const PackedCheckOptions& options = {}) const {
    return verify_packed(to_, packed, from_, original_, options);
  }

 private:
  NamedLayout to_, from_;
  Bytes original_;
};

Bytes shifted(Bytes bytes, std::ptrdiff_t by) {
  Bytes moved(bytes.size());
  for (std::ptrdiff_t at = 0; at < std::ssize(bytes); ++at) {
    if (at + by >= 0 && at + by < std::ssize(bytes))
      moved[static_cast<std::size_t>(at + by)] = bytes[static_cast<std::size_t>(at)];
  }
  return moved;
}

const LayoutSpec kFilter{.system = System::kMace,
                         .layout = "CONV2D_FILTER",
                         .dtype = Dtype::kFp16,
                         .shape = {10, 6, 3, 5}};
const LayoutSpec kWords{.layout = "4N",
                        .dtype = Dtype::kInt8,
                        .shape = {6, 9, 4, 5},
                        .memory = LocalMemory{4, 1 << 16, 128}};
const LayoutSpec kWide{.system = System::kMace,
                       .layout = "CONV2D_FILTER",
                       .dtype = Dtype::kFp16,
                       .shape = {10, 8, 3, 5}};
const LayoutSpec kChannels{
    .layout = "aligned", .shape = {2, 9, 4, 5}, .memory = LocalMemory{4, 1 << 16, 128}};
const LayoutSpec kMatrix{.layout = "matrix",
                         .shape = {7, 40},
                         .cols_per_channel = 6,
                         .memory = LocalMemory{8, 1 << 16, 128}};

TEST(VerifyPacked, ThirtyPlantedMistakesAreFoundAndMostAreNamed) {
  const Packing filter(kFilter, Dtype::kFp32, 1), words(kWords, Dtype::kInt8, 2),
      matrix(kMatrix, Dtype::kFp32, 3), channels(kChannels, Dtype::kFp32, 6),
      wide(kWide, Dtype::kFp32, 7);
  LayoutConversion towards_zero;
  towards_zero.element.rounding = RoundingMode::kTowardsZero;
  const auto changed = [](Bytes bytes, const std::function<void(Bytes&)>& change) {
    change(bytes);
    return bytes;
  };
  const auto with = [](LayoutSpec spec, const std::function<void(LayoutSpec&)>& change) {
    change(spec);
    return spec;
  };
  const auto along = [](int dim, const std::function<std::int64_t(std::int64_t)>& where,
                        std::int64_t extent) {
    return [=](Index index) -> std::optional<Index> {
      index[static_cast<std::size_t>(dim)] = where(index[static_cast<std::size_t>(dim)]);
      if (index[static_cast<std::size_t>(dim)] < 0 ||
          index[static_cast<std::size_t>(dim)] >= extent)
        return std::nullopt;
      return index;
    };
  };
  const auto swap_in_pairs = [](Bytes& bytes) {
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) std::swap(bytes[at], bytes[at + 1]);
  };
  struct Planted {
    const Packing& packing;
    Bytes packed;
    const char* words;  // empty: found and not explained
  };
  const Planted kPlanted[] = {
      {filter, filter.taken_as({0, 1, 3, 2}),
       "h and w are swapped: the original was taken as (o, i, w, h)"},
      {filter, filter.taken_as({1, 0, 2, 3}), "o and i are swapped"},
      {filter, filter.taken_as({0, 2, 3, 1}),
       "another order: the original was taken as (o, h, w, i)"},
      {filter, filter.taken_as({2, 3, 1, 0}),
       "another order: the original was taken as (h, w, i, o)"},
      {filter,
       filter.reading(along(
           0, [](auto o) { return 9 - o; }, 10)),
       "o runs backwards"},
      {filter,
       filter.reading(along(
           3, [](auto w) { return 4 - w; }, 5)),
       "w runs backwards"},
      {filter, filter.reading([](Index i) -> std::optional<Index> {
         i[2] = 2 - i[2];
         i[3] = 4 - i[3];
         return i;
       }),
       "h and w run backwards"},
      {filter,
       filter.reading(along(
           0, [](auto o) { return o + 1; }, 10)),
       "o is off by 1: o 0 holds"},
      {filter,
       filter.reading(along(
           1, [](auto i) { return i - 2; }, 6)),
       "i is off by 2: i 2 holds"},
      {filter,
       filter.reading(along(
           0, [](auto) { return 0; }, 10)),
       "every o holds what belongs to o 0"},
      {filter, Bytes(filter.right().size()), "all elements are zero"},
      {filter, changed(filter.right(), swap_in_pairs),
       "bytes of every element stand in the opposite"},
      {filter,
       filter.in(with(
           kFilter,
           [](LayoutSpec& s) { s.layout = "OIHW (10 of (4,3),6,3,5):((-1,360),4,120,24) + 3"; })),
       "the 4 elements of o that stand side by side are in the opposite order"},
      {filter,
       filter.in(
           with(kFilter,
                [](LayoutSpec& s) { s.layout = "OIHW (10 of (3,4),6,3,5):((360,1),4,120,24)"; })),
       "side by side stand elements of o that are 3 apart"},
      {filter, shifted(filter.right(), 8), "8 bytes behind its place"},
      {filter, shifted(filter.right(), -2), "2 bytes before its place"},
      {filter, filter.right(towards_zero), "rounded towards_zero, not half_to_even"},
      {filter, filter.in(with(kFilter, [](LayoutSpec& s) { s.dtype = Dtype::kBf16; })),
       "the elements are bf16, not fp16"},
      {wide, wide.in(with(kWide, [](LayoutSpec& s) { s.layout = "WEIGHT_WIDTH"; })),
       "it is packed as WEIGHT_WIDTH, not as CONV2D_FILTER"},
      {filter, filter.in(with(kFilter, [](LayoutSpec& s) { s.layout = "OIHW"; })),
       "it is not packed: the elements stand row by row, as OIHW"},
      {filter,
       filter.reading(along(
           0, [](auto o) { return o == 3 ? -1 : o; }, 10)),
       "only o = 3 is wrong: it is zero"},
      {filter,
       filter.reading(along(
           0, [](auto o) { return o >= 8 ? -1 : o; }, 10)),
       "only o = 8 .. 9 is wrong: it is zero"},
      {filter,
       filter.reading(along(
           0, [](auto o) { return o == 2   ? 5
                                  : o == 5 ? 2
                                           : o; }, 10)),
       "o 2 and o 5 are swapped"},
      {filter, changed(filter.right(), [](Bytes& b) { b[20] ^= std::byte{1}; }), "only o = "},
      {words, words.at_places([](Index i) {
         i[0] = i[0] / 4 * 4 + (3 - i[0] % 4);
         return i;
       }),
       "the 4 elements of n that stand side by side are in the opposite order"},
      {channels, channels.in(with(kChannels, [](LayoutSpec& s) { s.layout = "compact"; })),
       "it is packed as compact, not as aligned"},
      {words, words.in(with(kWords, [](LayoutSpec& s) { s.layout = "compact"; })),
       "it is packed as compact, not as 4N"},
      {words, words.in(with(kWords, [](LayoutSpec& s) { s.start_npu = 3; })),
       "begins at NPU 3, not 0"},
      {words,
       changed(words.right(),
               [](Bytes& bytes) {
                 for (std::byte& byte : bytes) byte ^= std::byte{0x80};
               }),
       "off by 128"},
      {matrix, matrix.in(with(kMatrix, [](LayoutSpec& s) { s.cols_per_channel = 10; })),
       "a channel has 10 columns, not 6"},
      {matrix, matrix.taken_as({1, 0}), "row and col are swapped"},
      {matrix,
       changed(matrix.right(),
               [](Bytes& bytes) {
                 for (std::size_t at = 0; at < bytes.size(); at += 4) {
                   std::swap(bytes[at], bytes[at + 2]);
                   std::swap(bytes[at + 1], bytes[at + 3]);
                 }
               }),
       "the 16-bit halves of every element are swapped"},
  };
  int named = 0;
  for (const Planted& planted : kPlanted) {
    SCOPED_TRACE(planted.words);
    const PackedCheck check =
        planted.packing.check(planted.packed, {.padding = PaddingCheck::kAny});
    EXPECT_GT(check.differing, 0);
    EXPECT_FALSE(check.first.empty());
    if (*planted.words == '\0') {
      EXPECT_EQ(check.explanation, "");
    } else {
      EXPECT_NE(check.explanation.find(planted.words), std::string::npos) << check.explanation;
      ++named;
    }
  }
  EXPECT_GE(std::size(kPlanted), 30U);
  EXPECT_GE(named, 24);
}

Bytes doubled(Bytes packed) {
  for (std::size_t at = 0; at + 4 <= packed.size(); at += 4) {
    float value = 0;
    std::memcpy(&value, packed.data() + at, 4);
    value *= 2;
    std::memcpy(packed.data() + at, &value, 4);
  }
  return packed;
}

// Layouts in blocks, which have no neighbours of the same axes with a name.
TEST(VerifyPacked, OtherOrdersInMemoryAreNamed) {
  const auto spec = [](const char* layout, std::vector<std::int64_t> shape) {
    return LayoutSpec{.system = System::kMace, .layout = layout, .shape = std::move(shape)};
  };
  const Packing channels(spec("nChw16c", {2, 32, 5, 7}), Dtype::kFp32, 21);
  const Packing filter(spec("OIhw4i16o", {16, 8, 3, 2}), Dtype::kFp32, 22);
  const Packing tiles(spec("RK8r128k", {16, 256}), Dtype::kFp32, 23);
  const Packing pixels(spec("IN_OUT_CHANNEL", {2, 3, 4, 8}), Dtype::kFp32, 24);
  const auto lanes = [](std::vector<std::int64_t> order) {
    return [=](Index i) {
      i[3] = i[3] / 4 * 4 + order[static_cast<std::size_t>(i[3] % 4)];
      return i;
    };
  };
  const auto turned = [](Index i) {  // (2, 32, 7, 5) taken as (2, 32, 5, 7)
    const std::int64_t at = i[2] * 7 + i[3];
    i[2] = at % 5;
    i[3] = at / 5;
    return i;
  };
  struct Planted {
    const Packing& packing;
    Bytes packed;
    const char* words;
  };
  const Planted kPlanted[] = {
      {channels, channels.in(spec("NHWC", {2, 5, 7, 32})), "row by row, as NHWC"},
      {channels, channels.in(spec("nChw8c", {2, 32, 5, 7})),
       "it is packed as NCHW8c, not as nChw16c"},
      {channels, channels.reading(turned), "it was turned to (n, c, w, h) first"},
      {channels, doubled(channels.right()), "every element is 2 times what it has to be"},
      {filter, filter.in(spec("OIhw16o4i", {16, 8, 3, 2})),
       "it is packed as OIHW16o4i, not as OIhw4i16o"},
      {filter, filter.in(spec("HWIO", {3, 2, 8, 16})), "row by row, as HWIO"},
      {tiles, tiles.in(spec("KR8r128k", {256, 16})), "it is packed as KR8r128k, not as RK8r128k"},
      {tiles, tiles.in(spec("RK16r64k", {16, 256})), "it is packed as RK16r64k, not as RK8r128k"},
      {pixels, pixels.reading(lanes({2, 1, 0, 3})), "are in the order 2, 1, 0, 3"},
      {pixels, pixels.reading(lanes({1, 0, 3, 2})), "are in the order 1, 0, 3, 2"},
  };
  for (const Planted& planted : kPlanted) {
    SCOPED_TRACE(planted.words);
    const PackedCheck check = planted.packing.check(planted.packed);
    EXPECT_GT(check.differing, 0);
    EXPECT_NE(check.explanation.find(planted.words), std::string::npos) << check.explanation;
  }
}

// Slices across an axis in another order, what was cut off, and values that lost bits on their way.
TEST(VerifyPacked, SlicesInAnotherOrderAreNamed) {
  const LayoutSpec wide{.system = System::kMace,
                        .layout = "CONV2D_FILTER",
                        .dtype = Dtype::kFp16,
                        .shape = {24, 12, 3, 3}};
  const Packing filter(wide, Dtype::kFp32, 31), matrix(kMatrix, Dtype::kFp32, 32);
  const auto slices = [](int dim, const std::function<std::int64_t(std::int64_t)>& from) {
    return [=](Index index) -> std::optional<Index> {
      auto& at = index[static_cast<std::size_t>(dim)];
      at = from(at);
      return index;
    };
  };
  const auto cut = [](Bytes bytes, std::size_t from) {
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(), std::byte{0});
    return bytes;
  };
  const auto halved = [](float value) { return value / 2; };
  const auto as_bf16 = [](float value) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000U);
  };
  struct Planted {
    const Packing& packing;
    Bytes packed;
    const char* words;
  };
  const Planted kPlanted[] = {
      {filter, filter.reading(slices(0, [](auto o) { return (o + 12) % 24; })),
       "o is rotated by 12: o 0 holds what belongs to 12"},
      {matrix, matrix.reading(slices(1, [](auto col) { return (col + 32) % 40; })),
       "col is rotated by 32: col 0 holds what belongs to 32"},
      {filter, filter.reading(slices(1, [](auto i) { return i < 3 ? 2 - i : i; })),
       "i 0 and i 2 are swapped"},
      {filter, filter.reading(slices(1, [](auto i) { return i < 5 ? 4 - i : i; })),
       "i 0 to 4 run backwards"},
      {filter, filter.reading(slices(0, [](auto o) { return o % 3 * 8 + o / 3; })),
       "the slices of o stand in the order 0, 8, 16, 1, 9, 17, 2, 10, ..."},
      {filter, cut(filter.right(), 1000), "from byte 1000 on all is zero"},
      {filter, filter.of_values(halved), "every element is 0.5 times what it has to be"},
      {filter, filter.of_values(as_bf16), "the elements were bf16 on their way"},
  };
  for (const Planted& planted : kPlanted) {
    SCOPED_TRACE(planted.words);
    const PackedCheck check = planted.packing.check(planted.packed);
    EXPECT_GT(check.differing, 0);
    EXPECT_NE(check.explanation.find(planted.words), std::string::npos) << check.explanation;
  }
}

// Not an order of slices: one stands twice, one is of another tensor.
TEST(VerifyPacked, OtherSlicesAreNoOrder) {
  const Packing filter(kFilter, Dtype::kFp32, 33);
  const auto twice = filter.reading([](Index index) -> std::optional<Index> {
    if (index[0] == 7) index[0] = 2;
    return index;
  });
  EXPECT_EQ(filter.check(twice).explanation, "only o = 7 is wrong");
}

TEST(VerifyPacked, WhatConvertWritesIsRightAndOneChangedElementIsFound) {
  LayoutMaker maker(8);
  int changed = 0;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      for (int round = 0; round < 12; ++round) {
        const LayoutSpec spec = maker.random_spec(system, info);
        SCOPED_TRACE(describe_spec(spec));
        const NamedLayout named = make_layout(spec);
        if (named.info->winograd || !named.holds_elements) continue;
        const Packing packing(spec, spec.dtype, static_cast<unsigned>(round));
        Bytes packed = packing.right();
        const PackedCheck right = packing.check(packed, {.padding = PaddingCheck::kZero});
        EXPECT_TRUE(right.right());
        EXPECT_EQ(right.elements, named.layout.size());
        const Layout target = memory_layout(packing.to());
        Index at{};
        for (int d = 0; d < target.rank(); ++d) at[d] = maker.pick(0, target.extent(d) - 1);
        const std::int64_t unit = target.address(at);
        packed[static_cast<std::size_t>(unit * target.unit_bits() / 8)] ^=
            std::byte(target.unit_bits() == 4 && unit % 2 == 1 ? 0x10 : 0x01);
        const PackedCheck wrong = packing.check(packed, {.padding = PaddingCheck::kZero});
        ASSERT_EQ(wrong.differing, 1);
        EXPECT_EQ(wrong.first[0].index, at);
        EXPECT_EQ(wrong.first[0].expected ^ wrong.first[0].found, 1U);
        EXPECT_EQ(wrong.padding_differing, info.echoes ? wrong.padding_differing : 0);
        ++changed;
      }
    }
  }
  EXPECT_GT(changed, 200);
}

TEST(VerifyPacked, PaddingIsCheckedAsAsked) {
  const Packing filter(kFilter, Dtype::kFp32, 4), words(kWords, Dtype::kInt8, 5);
  Bytes image = filter.right(), local = words.right();
  // Of the ten output channels two lanes of the last pixels are padding; byte 3 of the last words.
  const std::size_t lane = image.size() - 1,
                    word = static_cast<std::size_t>(words.to().bytes_per_npu - 1);
  image[lane] = local[word] = std::byte{7};
  EXPECT_EQ(filter.check(image).padding_differing, 1);
  EXPECT_EQ(filter.check(image).first_padding, static_cast<std::int64_t>(lane));
  EXPECT_EQ(filter.check(image).padding_bytes, 2 * 6 * 15 * 2);
  EXPECT_TRUE(filter.check(image, {.padding = PaddingCheck::kAny}).right());
  EXPECT_TRUE(words.check(local).right());  // nothing is prescribed there
  EXPECT_EQ(words.check(local, {.padding = PaddingCheck::kZero}).padding_differing, 1);
  EXPECT_THROW(filter.check(Bytes(7)), UserError);
}

}  // namespace
}  // namespace tensorlane
