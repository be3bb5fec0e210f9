#include "tensorlane/compute/bands/padded_rows.h"

#include <bit>

#include "tensorlane/base/error.h"
#include "tensorlane/base/simd_targets.h"
#include "tensorlane/tensor/float16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/bands/padded_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/partial_vectors_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using RowWords = hn::ScalableTag<std::uint32_t>;
using RowHalves = hn::ScalableTag<std::uint16_t>;
using RowBytes = hn::ScalableTag<std::uint8_t>;

// How elements become words: `Tag` of a vector of words, `Element` as memory holds it.
template <class D>
struct SameBits {
  using Tag = D;
  using Element = hn::TFromD<D>;
  HWY_INLINE hn::Vec<Tag> operator()(hn::Vec<D> elements) const { return elements; }
};

template <class T>
struct Extended {
  using Tag = RowWords;
  using Element = T;
  HWY_INLINE hn::Vec<Tag> operator()(hn::Vec<hn::Rebind<T, Tag>> elements) const {
    if constexpr (hwy::IsSigned<T>())
      return hn::BitCast(Tag(), hn::PromoteTo(hn::RebindToSigned<Tag>(), elements));
    else
      return hn::PromoteTo(Tag(), elements);
  }
};

struct Bf16 {
  using Tag = RowWords;
  using Element = std::uint16_t;
  HWY_INLINE hn::Vec<Tag> operator()(hn::Vec<hn::Rebind<Element, Tag>> elements) const {
    return hn::ShiftLeft<16>(hn::PromoteTo(Tag(), elements));
  }
};

struct Fp16 {
  using Tag = RowWords;
  using Element = std::uint16_t;
  HWY_INLINE hn::Vec<Tag> operator()(hn::Vec<hn::Rebind<Element, Tag>> elements) const {
// Where a processor has no instruction for it, Highway's conversion knows no infinity.
#if (HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86) || HWY_ARCH_ARM_A64
    const hn::Rebind<float, Tag> floats;
    const auto halves = hn::BitCast(hn::Rebind<hwy::float16_t, Tag>(), elements);
    return hn::BitCast(Tag(), hn::PromoteTo(floats, halves));
#else
    const hn::Rebind<Element, Tag> narrow;
    Element halves[hn::MaxLanes(Tag())];
    std::uint32_t words[hn::MaxLanes(Tag())];
    hn::StoreU(elements, narrow, halves);
    for (std::size_t i = 0; i < hn::Lanes(Tag()); ++i)
      words[i] = std::bit_cast<std::uint32_t>(fp16_to_float(halves[i]));
    return hn::LoadU(Tag(), words);
#endif
  }
};

// Ascending, in whole vectors: padding reaches into what comes after it.
template <class D>
HWY_INLINE void fill_up(D d, hn::Vec<D> padding, std::int64_t from, std::int64_t end,
                        hn::TFromD<D>* to) {
  constexpr std::int64_t kLanes = hn::MaxLanes(D());
  static_assert(kLanes <= kPaddedRowsSlack);
  for (std::int64_t i = from; i < end; i += kLanes) hn::StoreU(padding, d, to + i);
}

template <class Convert>
void lay_out(const RowLayouts<hn::TFromD<typename Convert::Tag>>& layouts) {
  using Tag = typename Convert::Tag;
  using Element = typename Convert::Element;
  const Tag d;
  const hn::Rebind<Element, Tag> narrow;
  const Convert convert;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
  const ElementRows rows = layouts.rows;
  const Padding around = layouts.around;
  const int whole = rows.columns / kLanes * kLanes;
  const auto rest = static_cast<std::size_t>(rows.columns - whole);
  const auto inside = hn::FirstN(d, rest);
  const FirstLanes<hn::Rebind<Element, Tag>> ends(rest);
  for (std::size_t k = 0; k < layouts.from.size(); ++k) {
    const auto padding = hn::Set(d, layouts.padding[k]);
    const std::byte* from = layouts.from[k] + rows.first;
    auto* to = layouts.to + static_cast<std::int64_t>(k) * layouts.step;
    fill_up(d, padding, 0, around.before, to);
    to += around.before;
    for (int r = 0; r < rows.rows; ++r, from += rows.row_bytes, to += around.pitch) {
      const auto* row = reinterpret_cast<const Element*>(from);
      for (int i = 0; i < whole; i += kLanes)
        hn::StoreU(convert(hn::LoadU(narrow, row + i)), d, to + i);
      int i = whole;
      if (rest > 0) {
        const auto end = convert(ends.load(row + whole));
        hn::StoreU(hn::IfThenElse(inside, end, padding), d, to + i);
        i += kLanes;
      }
      const bool last = r + 1 == rows.rows;
      fill_up(d, padding, i, last ? rows.columns + around.behind : around.pitch, to);
    }
  }
}

void lay_out_words(const RowLayouts<std::uint32_t>& layouts) {
  switch (layouts.rows.type) {
    case Dtype::kFp16:
      return lay_out<Fp16>(layouts);
    case Dtype::kBf16:
      return lay_out<Bf16>(layouts);
    case Dtype::kInt8:
      return lay_out<Extended<std::int8_t>>(layouts);
    case Dtype::kUint8:
      return lay_out<Extended<std::uint8_t>>(layouts);
    case Dtype::kInt16:
      return lay_out<Extended<std::int16_t>>(layouts);
    case Dtype::kUint16:
      return lay_out<Extended<std::uint16_t>>(layouts);
    case Dtype::kFp32:
    case Dtype::kInt32:
    case Dtype::kUint32:
      return lay_out<SameBits<RowWords>>(layouts);
    default:
      throw InternalError("rows of elements that are no words");
  }
}

void lay_out_halves(const RowLayouts<std::uint16_t>& layouts) {
  lay_out<SameBits<RowHalves>>(layouts);
}
void lay_out_bytes(const RowLayouts<std::uint8_t>& layouts) {
  lay_out<SameBits<RowBytes>>(layouts);
}

template <class D>
HWY_INLINE void store_all(const WordRows<hn::TFromD<D>>& rows) {
  using T = hn::TFromD<D>;
  const D d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  const int whole = rows.columns / kLanes * kLanes;
  const auto rest = static_cast<std::size_t>(rows.columns - whole);
  const FirstLanes<D> ends(rest);
  for (std::size_t k = 0; k < rows.to.size(); ++k) {
    const T* from = rows.from + static_cast<std::int64_t>(k) * rows.step;
    std::byte* to = rows.to[k];
    for (int r = 0; r < rows.rows; ++r, from += rows.pitch, to += rows.row_bytes) {
      auto* row = reinterpret_cast<T*>(to);
      for (int i = 0; i < whole; i += kLanes) hn::StoreU(hn::LoadU(d, from + i), d, row + i);
      if (rest > 0) ends.store(ends.load(from + whole), row + whole);
    }
  }
}

void store_words(const WordRows<float>& rows) {
  store_all<hn::ScalableTag<float>>(rows);
}
void store_halves(const WordRows<std::uint16_t>& rows) {
  store_all<RowHalves>(rows);
}

void store_bytes(const WordRows<std::uint8_t>& rows) {
  store_all<RowBytes>(rows);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(lay_out_words);
HWY_EXPORT(lay_out_halves);
HWY_EXPORT(lay_out_bytes);
HWY_EXPORT(store_words);
HWY_EXPORT(store_halves);
HWY_EXPORT(store_bytes);

template <>
void lay_out_rows(const RowLayouts<std::uint32_t>& layouts) {
  HWY_DYNAMIC_DISPATCH(lay_out_words)(layouts);
}
template <>
void lay_out_rows(const RowLayouts<std::uint16_t>& layouts) {
  HWY_DYNAMIC_DISPATCH(lay_out_halves)(layouts);
}
template <>
void lay_out_rows(const RowLayouts<std::uint8_t>& layouts) {
  HWY_DYNAMIC_DISPATCH(lay_out_bytes)(layouts);
}

namespace {

// The words as bits.
template <class Word>
void lay_out_bits(const RowLayouts<Word>& layouts) {
  lay_out_rows(RowLayouts<std::uint32_t>{layouts.rows, layouts.around, layouts.from,
                                         reinterpret_cast<const std::uint32_t*>(layouts.padding),
                                         reinterpret_cast<std::uint32_t*>(layouts.to),
                                         layouts.step});
}

}  // namespace

template <>
void lay_out_rows(const RowLayouts<float>& layouts) {
  lay_out_bits(layouts);
}
template <>
void lay_out_rows(const RowLayouts<std::int32_t>& layouts) {
  lay_out_bits(layouts);
}

template <>
void store_rows(const WordRows<float>& rows) {
  HWY_DYNAMIC_DISPATCH(store_words)(rows);
}
template <>
void store_rows(const WordRows<std::uint16_t>& rows) {
  HWY_DYNAMIC_DISPATCH(store_halves)(rows);
}
template <>
void store_rows(const WordRows<std::uint8_t>& rows) {
  HWY_DYNAMIC_DISPATCH(store_bytes)(rows);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
