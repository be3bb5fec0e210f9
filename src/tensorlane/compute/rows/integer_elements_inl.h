// Integers as memory holds them, loaded into vectors of wider lanes and stored: elements side by
// side, two bytes to a word, or one for a whole row. Included once per vector target, as Highway's
// -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_INTEGER_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_INTEGER_ELEMENTS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_INTEGER_ELEMENTS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_INTEGER_ELEMENTS_INL_H_
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"
#include "tensorlane/tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Wide>
using IntegerTag = hn::ScalableTag<Wide>;
template <class Wide>
constexpr auto kIntegerLanes = static_cast<std::int64_t>(hn::MaxLanes(IntegerTag<Wide>()));

template <class Wide, class T, class Narrow>
HWY_INLINE hn::Vec<IntegerTag<Wide>> widen(Narrow narrow) {
  const IntegerTag<Wide> d;
  using Signed = hn::RebindToSigned<IntegerTag<Wide>>;
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return hn::BitCast(d, narrow);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return hn::BitCast(d, hn::PromoteTo(hn::RebindToUnsigned<IntegerTag<Wide>>(), narrow));
  } else if constexpr (sizeof(Wide) == 8 && sizeof(T) < 4) {
    const auto words = hn::PromoteTo(hn::Rebind<std::int32_t, IntegerTag<Wide>>(), narrow);
    return hn::BitCast(d, hn::PromoteTo(Signed(), words));
  } else {
    return hn::BitCast(d, hn::PromoteTo(Signed(), narrow));
  }
}

// `count` elements side by side.
template <class Wide, class T>
void widen_elements(const std::byte* from, std::int64_t count, Wide* to) {
  const IntegerTag<Wide> d;
  const hn::Rebind<T, IntegerTag<Wide>> narrow;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const auto* const elements = reinterpret_cast<const T*>(from);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(widen<Wide, T>(hn::LoadU(narrow, elements + i)), d, to + i);
  for (; i < count; ++i)
    to[i] = static_cast<Wide>(load_element<T>(from + i * static_cast<std::int64_t>(sizeof(T))));
}
template <class Wide, class T>
void narrow_elements(const Wide* from, std::int64_t count, std::byte* to) {
  using Unsigned = hn::RebindToUnsigned<IntegerTag<Wide>>;
  const IntegerTag<Wide> d;
  const hn::Rebind<T, Unsigned> narrow;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto bits = hn::BitCast(Unsigned(), hn::LoadU(d, from + i));
    hn::StoreU(hn::TruncateTo(narrow, bits), narrow, reinterpret_cast<T*>(to) + i);
  }
  for (; i < count; ++i)
    store_element(to + i * static_cast<std::int64_t>(sizeof(T)), static_cast<T>(from[i]));
}

// Types that are a quarter or less of the lanes.
template <class Wide>
void widen_elements_of(Dtype dtype, const std::byte* from, std::int64_t count, Wide* to) {
  switch (dtype) {
    case Dtype::kInt8:
      return widen_elements<Wide, std::int8_t>(from, count, to);
    case Dtype::kUint8:
      return widen_elements<Wide, std::uint8_t>(from, count, to);
    case Dtype::kInt16:
      return widen_elements<Wide, std::int16_t>(from, count, to);
    case Dtype::kUint16:
      return widen_elements<Wide, std::uint16_t>(from, count, to);
    default:
      break;
  }
  if constexpr (sizeof(Wide) >= 4) {
    if (dtype == Dtype::kInt32) return widen_elements<Wide, std::int32_t>(from, count, to);
    widen_elements<Wide, std::uint32_t>(from, count, to);
  }
}
template <class Wide>
void narrow_elements_of(std::int64_t bytes, const Wide* from, std::int64_t count, std::byte* to) {
  if constexpr (sizeof(Wide) >= 4) {
    if (bytes == 1) return narrow_elements<Wide, std::uint8_t>(from, count, to);
  }
  if constexpr (sizeof(Wide) >= 8) {
    if (bytes == 2) narrow_elements<Wide, std::uint16_t>(from, count, to);
  }
}

template <class Wide>
HWY_INLINE Wide one_element(Dtype dtype, const std::byte* at) {
  switch (dtype) {
    case Dtype::kInt8:
      return static_cast<Wide>(load_element<std::int8_t>(at));
    case Dtype::kUint8:
      return static_cast<Wide>(load_element<std::uint8_t>(at));
    case Dtype::kInt16:
      return static_cast<Wide>(load_element<std::int16_t>(at));
    case Dtype::kUint16:
      return static_cast<Wide>(load_element<std::uint16_t>(at));
    case Dtype::kInt32:
      return static_cast<Wide>(load_element<std::int32_t>(at));
    default:
      return static_cast<Wide>(load_element<std::uint32_t>(at));
  }
}

// Elements that vectors take where they are: as wide as the lanes, a half or a quarter of them, or
// one for a whole row.
enum class ElementForm : std::uint8_t {
  kWide,
  kSignedHalf,
  kUnsignedHalf,
  kSignedQuarter,
  kUnsignedQuarter,
  kPairs,  // of a loop: bytes in pairs, or elements as wide as the lanes
  kConstant,
  kNone
};
// Rows of elements side by side.
template <class Byte>
struct Elements {
  Byte* at = nullptr;
  ElementForm form = ElementForm::kNone;
  std::int64_t next = 0, block = 0;  // bytes to the next row and to the next block of rows
  bool in_pairs = false;             // two bytes in each word of four
};
using Input = Elements<const std::byte>;
using Output = Elements<std::byte>;

// A frame (see Row) whose operands are all in such a form.
struct IntegerRows {
  std::int64_t count = 0, rows = 1, blocks = 1;
  std::array<Input, 3> sources{};
  Output result{};
  Input shifts{};  // of the rows, where each has its own
  // The last vector of a row ends with it (see kRepeatsEnds), which takes rows of a vector or more;
  // else it may reach beyond.
  bool repeats_ends = false;
};

// Whether vectors of any number of elements end where rows do.
constexpr bool kEndsWithRows = kHasMasks<std::uint8_t>;
// Whether vectors take pairs of bytes out of words: with masks, or where whole words are read.
constexpr bool kTakesPairs = kEndsWithRows || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4;

template <class Wide>
ElementForm form_of(Dtype dtype) {
  const auto bytes = static_cast<std::size_t>(dtype_bytes(dtype));
  const bool is_signed = dtype_info(dtype).is_signed;
  if (bytes == sizeof(Wide)) return ElementForm::kWide;
  if (bytes * 2 == sizeof(Wide))
    return is_signed ? ElementForm::kSignedHalf : ElementForm::kUnsignedHalf;
  if (bytes * 4 == sizeof(Wide))
    return is_signed ? ElementForm::kSignedQuarter : ElementForm::kUnsignedQuarter;
  return ElementForm::kNone;
}

// A source of one row.
template <class Wide>
struct RowInput {
  const std::byte* at = nullptr;
  ElementForm form = ElementForm::kNone;
  bool in_pairs = false;
  std::ptrdiff_t halves_before = 0;  // of a word, before the pair
  hn::Vec<IntegerTag<Wide>> constant{};

  // A constructor that the compiler makes is none of this target's, and on ARM cannot make a
  // vector.
  HWY_INLINE RowInput() {}  // NOLINT(modernize-use-equals-default)
};
template <class Wide>
HWY_INLINE void enter_row(const Input& source, Dtype dtype, std::int64_t b, std::int64_t r,
                          RowInput<Wide>& row) {
  row.at = source.at + b * source.block + r * source.next;
  row.form = source.form;
  row.in_pairs = source.in_pairs;
  row.halves_before = reinterpret_cast<std::uintptr_t>(row.at) % 4 / 2;
  const bool stays = source.next == 0 && source.block == 0 && (b > 0 || r > 0);
  if (source.form != ElementForm::kConstant || stays) return;
  row.constant = hn::Set(IntegerTag<Wide>(), one_element<Wide>(dtype, row.at));
}

// The bytes of pairs in words of a block of 128 bits, for lanes of 16 bits: alone without a sign,
// in the upper halves with one; of pairs in the lower and in the upper halves of words. Other bytes
// are zeros.
alignas(16) inline constexpr std::uint8_t kPairPlaces[2][2][16] = {
    {{0, 128, 1, 128, 4, 128, 5, 128, 8, 128, 9, 128, 12, 128, 13, 128},
     {2, 128, 3, 128, 6, 128, 7, 128, 10, 128, 11, 128, 14, 128, 15, 128}},
    {{128, 0, 128, 1, 128, 4, 128, 5, 128, 8, 128, 9, 128, 12, 128, 13},
     {128, 2, 128, 3, 128, 6, 128, 7, 128, 10, 128, 11, 128, 14, 128, 15}}};

// The words that hold as many bytes as `Narrow` has lanes, two in each, and the halves of words.
template <class Narrow>
using PairWords = hn::Rebind<std::uint32_t, hn::Repartition<std::uint16_t, Narrow>>;
template <class Narrow>
using PairHalves = hn::Repartition<std::uint16_t, PairWords<Narrow>>;

// Pairs of bytes in lanes of 16 bits, as load_as() has them.
template <class Wide, bool kSigned, bool kEnd>
HWY_INLINE hn::Vec<IntegerTag<Wide>> load_pairs(const RowInput<Wide>& from, std::int64_t i,
                                                std::size_t left) {
  const IntegerTag<Wide> d;
  const hn::Repartition<std::uint8_t, IntegerTag<Wide>> bytes;
  const hn::RebindToUnsigned<IntegerTag<Wide>> halves;
  const std::ptrdiff_t before = kEndsWithRows ? 0 : from.halves_before;
  const auto* const at = reinterpret_cast<const std::uint16_t*>(from.at) + i - before;
  const auto words = [&]() HWY_ATTR {
    if constexpr (kEnd) {
      return hn::BitCast(bytes, hn::MaskedLoad(hn::FirstN(halves, left - 1), halves, at));
    } else {
      return hn::BitCast(bytes, hn::LoadU(halves, at));
    }
  }();
  const auto places = hn::LoadDup128(bytes, kPairPlaces[kSigned ? 1 : 0][before]);
  const auto lanes = hn::TableLookupBytesOr0(words, places);
  if constexpr (kSigned) {
    const hn::RebindToSigned<IntegerTag<Wide>> with_sign;
    return hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(with_sign, lanes)));
  } else {
    return hn::BitCast(d, lanes);
  }
}

// A vector from element i on, of which `left` count: with kEnd they may be fewer than the lanes.
template <class Wide, class T, bool kEnd, bool kMayPair = true>
HWY_INLINE hn::Vec<IntegerTag<Wide>> load_as(const RowInput<Wide>& from, std::int64_t i,
                                             std::size_t left) {
  using Narrow = hn::Rebind<T, IntegerTag<Wide>>;
  const Narrow narrow;
  if constexpr (kMayPair && kTakesPairs && sizeof(T) == 1 && sizeof(Wide) == 2) {
    if (from.in_pairs) return load_pairs<Wide, std::is_signed_v<T>, kEnd>(from, i, left);
  } else if constexpr (kMayPair && kTakesPairs && sizeof(T) == 1 && sizeof(Wide) == 4) {
    if (from.in_pairs) {
      const hn::Repartition<std::uint16_t, Narrow> pairs;
      const PairWords<Narrow> words;
      const PairHalves<Narrow> halves;
      const auto* const at = reinterpret_cast<const std::uint16_t*>(from.at) + i;
      const auto used = [&]() HWY_ATTR {
        if constexpr (kEnd) {
          return hn::BitCast(words, hn::MaskedLoad(hn::FirstN(halves, left - 1), halves, at));
        } else if constexpr (kEndsWithRows) {
          return hn::BitCast(words, hn::LoadU(halves, at));
        } else {  // whole words: what lies behind the last one need not be there
          const std::uint16_t* const begin = at - from.halves_before;
          const auto whole = hn::LoadU(words, reinterpret_cast<const std::uint32_t*>(begin));
          return hn::ShiftRightSame(whole, static_cast<int>(16 * from.halves_before));
        }
      }();
      return widen<Wide, T>(hn::BitCast(narrow, hn::TruncateTo(pairs, used)));
    }
  }
  const auto* const at = reinterpret_cast<const T*>(from.at) + i;
  if constexpr (kEnd) {
    return widen<Wide, T>(hn::MaskedLoad(hn::FirstN(narrow, left), narrow, at));
  } else {
    return widen<Wide, T>(hn::LoadU(narrow, at));
  }
}
// Vectors side by side; of the last one `left` elements.
template <class Wide, class T, int kVectors, bool kEnd, bool kMayPair = true>
HWY_INLINE void load_all_as(const RowInput<Wide>& from, std::int64_t i, std::size_t left,
                            hn::Vec<IntegerTag<Wide>>* to) {
  for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
    to[v] = load_as<Wide, T, kEnd, kMayPair>(from, i + v * kIntegerLanes<Wide>, left);
  });
}
// kForm is the form of what is no constant, kNone where sources differ.
template <class Wide, int kVectors, ElementForm kForm, bool kEnd>
HWY_INLINE void load_vectors(const RowInput<Wide>& from, std::int64_t i, std::size_t left,
                             hn::Vec<IntegerTag<Wide>>* to) {
  using Half = hwy::MakeNarrow<hwy::MakeSigned<Wide>>;
  using UnsignedHalf = hwy::MakeUnsigned<Half>;
  if (from.form == ElementForm::kConstant)
    return for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR { to[v] = from.constant; });
  if constexpr (kForm == ElementForm::kPairs) {
    if (from.form == ElementForm::kWide)
      return load_all_as<Wide, Wide, kVectors, kEnd, false>(from, i, left, to);
    const bool with_sign = from.form == ElementForm::kSignedHalf;
    const auto load = [&](auto is_signed) TL_INLINE_ATTR {
      for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
        to[v] = load_pairs<Wide, is_signed(), kEnd>(from, i + v * kIntegerLanes<Wide>, left);
      });
    };
    with_sign ? load(std::true_type()) : load(std::false_type());
  } else if constexpr (kForm == ElementForm::kSignedHalf) {
    return load_all_as<Wide, Half, kVectors, kEnd, false>(from, i, left, to);
  } else if constexpr (kForm == ElementForm::kUnsignedHalf) {
    return load_all_as<Wide, UnsignedHalf, kVectors, kEnd, false>(from, i, left, to);
  } else {
    if (from.form == ElementForm::kWide)
      return load_all_as<Wide, Wide, kVectors, kEnd>(from, i, left, to);
    if (from.form == ElementForm::kSignedHalf)
      return load_all_as<Wide, Half, kVectors, kEnd>(from, i, left, to);
    if constexpr (sizeof(Wide) >= 4) {
      using Quarter = hwy::MakeNarrow<Half>;
      if (from.form == ElementForm::kSignedQuarter)
        return load_all_as<Wide, Quarter, kVectors, kEnd>(from, i, left, to);
      if (from.form == ElementForm::kUnsignedQuarter)
        return load_all_as<Wide, hwy::MakeUnsigned<Quarter>, kVectors, kEnd>(from, i, left, to);
    }
    load_all_as<Wide, UnsignedHalf, kVectors, kEnd>(from, i, left, to);
  }
}

template <class Wide, class T>
HWY_INLINE auto low_bits(hn::Vec<IntegerTag<Wide>> value) {
  const hn::Rebind<T, IntegerTag<Wide>> narrow;
  const auto bits = hn::BitCast(hn::RebindToUnsigned<IntegerTag<Wide>>(), value);
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return bits;
  } else {
    return hn::TruncateTo(narrow, bits);
  }
}
template <class Wide, class T, bool kEnd, bool kMayPair = true>
HWY_INLINE void store_as(hn::Vec<IntegerTag<Wide>> value, const Output& to, std::int64_t i,
                         std::size_t left) {
  using Narrow = hn::Rebind<T, IntegerTag<Wide>>;
  const Narrow narrow;
  const auto bits = low_bits<Wide, T>(value);
  if constexpr (kMayPair && kEndsWithRows && sizeof(T) == 1 && sizeof(Wide) <= 4) {
    if (to.in_pairs) {
      const hn::Repartition<std::uint16_t, Narrow> pairs;
      const PairWords<Narrow> words;
      const PairHalves<Narrow> halves;
      const auto first = hn::MaskFromVec(hn::BitCast(halves, hn::Set(words, 0xffffU)));
      const auto used = kEnd ? hn::And(first, hn::FirstN(halves, left - 1)) : first;
      hn::BlendedStore(hn::BitCast(halves, hn::PromoteTo(words, hn::BitCast(pairs, bits))), used,
                       halves, reinterpret_cast<std::uint16_t*>(to.at) + i);
      return;
    }
  }
  auto* const at = reinterpret_cast<T*>(to.at) + i;
  if constexpr (kEnd) {
    hn::BlendedStore(bits, hn::FirstN(narrow, left), narrow, at);
  } else {
    hn::StoreU(bits, narrow, at);
  }
}
template <class Wide, class T, int kVectors, bool kEnd, bool kMayPair = true>
HWY_INLINE void store_all_as(const hn::Vec<IntegerTag<Wide>>* vectors, const Output& to,
                             std::int64_t i, std::size_t left) {
  for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
    store_as<Wide, T, kEnd, kMayPair>(vectors[v], to, i + v * kIntegerLanes<Wide>, left);
  });
}
template <class Wide, int kVectors, ElementForm kForm, bool kEnd>
HWY_INLINE void store_vectors(const hn::Vec<IntegerTag<Wide>>* vectors, const Output& to,
                              std::int64_t i, std::size_t left) {
  using Bits = hwy::MakeUnsigned<Wide>;
  using Half = hwy::MakeNarrow<Bits>;
  if constexpr (kForm == ElementForm::kPairs) {
    store_all_as<Wide, Bits, kVectors, kEnd, false>(vectors, to, i, left);
  } else if constexpr (kForm != ElementForm::kNone) {
    store_all_as<Wide, Half, kVectors, kEnd, false>(vectors, to, i, left);
  } else {
    if (to.form == ElementForm::kWide)
      return store_all_as<Wide, Bits, kVectors, kEnd>(vectors, to, i, left);
    if constexpr (sizeof(Wide) >= 4) {
      using Quarter = hwy::MakeNarrow<Half>;
      if (to.form == ElementForm::kSignedQuarter || to.form == ElementForm::kUnsignedQuarter)
        return store_all_as<Wide, Quarter, kVectors, kEnd>(vectors, to, i, left);
    }
    store_all_as<Wide, Half, kVectors, kEnd>(vectors, to, i, left);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_ELEMENTS_INL_H_
