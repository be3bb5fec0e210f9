#include "tensorlane/compute/products/byte_quads.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/products/byte_quads.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void zip(const std::array<const std::byte*, 4>& rows, std::int64_t count, std::uint32_t flip,
         std::int32_t* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::uint8_t flips[4];
  for (int k = 0; k < 4; ++k) flips[k] = static_cast<std::uint8_t>(flip >> (8 * k));
  auto* bytes = reinterpret_cast<std::uint8_t*>(to);
  const auto row = [&](std::size_t k, std::int64_t i) HWY_ATTR {
    const auto turn = hn::Set(d, flips[k]);
    if (rows[k] == nullptr) return turn;
    return hn::Xor(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(rows[k]) + i), turn);
  };
  const auto zip_at = [&](std::int64_t i) HWY_ATTR {
    hn::StoreInterleaved4(row(0, i), row(1, i), row(2, i), row(3, i), d, bytes + 4 * i);
  };
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) zip_at(i);
  if (i == count) return;
  if (count >= lanes) return zip_at(count - lanes);  // some of them again
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      const auto byte = rows[k] == nullptr ? 0U : static_cast<unsigned>(rows[k][i]);
      bytes[4 * i + static_cast<std::int64_t>(k)] = static_cast<std::uint8_t>(byte ^ flips[k]);
    }
  }
}

void split(const std::byte* from, std::int64_t count, int parts, std::byte* const* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* elements = reinterpret_cast<const std::uint8_t*>(from);
  const auto store = [&](int part, std::int64_t i, auto bytes) HWY_ATTR {
    hn::StoreU(bytes, d, reinterpret_cast<std::uint8_t*>(to[part]) + i);
  };
  std::int64_t i = 0;
  for (; parts == 2 && i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> low, high;
    hn::LoadInterleaved2(d, elements + 2 * i, low, high);
    store(0, i, low);
    store(1, i, high);
  }
  for (; parts == 4 && i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> a, b, c, e;
    hn::LoadInterleaved4(d, elements + 4 * i, a, b, c, e);
    store(0, i, a);
    store(1, i, b);
    store(2, i, c);
    store(3, i, e);
  }
  for (; i < count; ++i) {
    for (int part = 0; part < parts; ++part) to[part][i] = from[parts * i + part];
  }
}

void interleave_four(const std::array<const std::byte*, 4>& rows, int bytes, std::uint32_t flip,
                     std::int32_t* to, std::ptrdiff_t step) {
  constexpr int kWordBytes = 4;
  int k = 0;  // bytes
#if HWY_TARGET != HWY_SCALAR
  const hn::Full128<std::int32_t> d;
  const hn::Full128<std::int64_t> pairs;
  const auto turn = hn::Set(d, static_cast<std::int32_t>(flip));
  const auto load = [&](std::size_t i) HWY_ATTR {
    return hn::Xor(hn::LoadU(d, reinterpret_cast<const std::int32_t*>(rows[i] + k)), turn);
  };
  const auto store = [&](auto words) HWY_ATTR {
    hn::StoreU(hn::BitCast(d, words), d, to);
    to += step;
  };
  for (; k + 16 <= bytes; k += 16) {
    const auto a = load(0), b = load(1), c = load(2), e = load(3);
    const auto low_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
    const auto low_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
    const auto high_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
    const auto high_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
    store(hn::InterleaveLower(pairs, low_ab, low_ce));
    store(hn::InterleaveUpper(pairs, low_ab, low_ce));
    store(hn::InterleaveLower(pairs, high_ab, high_ce));
    store(hn::InterleaveUpper(pairs, high_ab, high_ce));
  }
#endif
  for (; k + kWordBytes <= bytes; k += kWordBytes, to += step) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, rows[i] + k, kWordBytes);
      word ^= flip;
      std::memcpy(to + i, &word, kWordBytes);
    }
  }
  if (k == bytes) return;
  const std::uint32_t turn_of_last = flip & ((1U << (8 * (bytes - k))) - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint32_t word = 0;
    for (int last = bytes - 1; last >= k; --last) {
      word = word << 8 | std::to_integer<std::uint32_t>(rows[i][last]);
    }
    word ^= turn_of_last;
    std::memcpy(to + i, &word, kWordBytes);
  }
}

// The even bytes of halves as halves of type T, or the odd ones.
template <bool kOdd, class T, class D>
HWY_INLINE auto bytes_of_halves(D d, hn::Vec<D> words) {
#if HWY_TARGET == HWY_SCALAR
  const auto word = static_cast<std::uint32_t>(hn::GetLane(words)) << (kOdd ? 0 : 8);
  const auto half = [](std::uint32_t bits) {
    return static_cast<std::uint16_t>(static_cast<T>(bits) >> 8);
  };
  const std::uint32_t high = half(word >> 16), low = half(word);
  return hn::Set(d, static_cast<std::int32_t>(high << 16 | low));
#else
  const hn::Repartition<T, D> halves;
  auto value = hn::BitCast(halves, words);
  if constexpr (!kOdd) value = hn::ShiftLeft<8>(value);
  return hn::BitCast(d, hn::ShiftRight<8>(value));
#endif
}

template <class T, class D>
HWY_INLINE void split_run(D d, const std::int32_t* from, std::int64_t run, std::int32_t* to,
                          std::int64_t apart) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto split_at = [&](std::int64_t i) HWY_ATTR {
    const auto words = hn::LoadU(d, from + i);
    hn::StoreU(bytes_of_halves<false, T>(d, words), d, to + i);
    hn::StoreU(bytes_of_halves<true, T>(d, words), d, to + apart + i);
  };
  std::int64_t i = 0;
  for (; i + lanes <= run; i += lanes) split_at(i);
  if (i < run) split_at(run - lanes);  // some of them again
}

template <class T>
void split_runs(const std::int32_t* from, std::int64_t run, std::int64_t runs, std::int32_t* to,
                std::int64_t apart) {
  const hn::ScalableTag<std::int32_t> wide;
  const hn::CappedTag<std::int32_t, 4> narrow;  // as many rows as most tiles have
  const hn::CappedTag<std::int32_t, 1> one;
  for (std::int64_t i = 0; i < runs; ++i, from += run, to += 2 * apart) {
    if (run >= static_cast<std::int64_t>(hn::Lanes(wide))) {
      split_run<T>(wide, from, run, to, apart);
    } else if (run >= static_cast<std::int64_t>(hn::Lanes(narrow))) {
      split_run<T>(narrow, from, run, to, apart);
    } else {
      split_run<T>(one, from, run, to, apart);
    }
  }
}

void split_quads_of(const std::int32_t* from, std::int64_t run, std::int64_t runs, bool with_sign,
                    std::int32_t* to, std::int64_t apart) {
  with_sign ? split_runs<std::int16_t>(from, run, runs, to, apart)
            : split_runs<std::uint16_t>(from, run, runs, to, apart);
}

std::int64_t sum_of_bytes(const std::int32_t* words, std::int64_t count, bool with_sign) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words);
  const std::int64_t size = 4 * count;
  const std::uint8_t turn = with_sign ? 0x80 : 0;  // a byte with sign and 128 more has none
  std::int64_t sum = 0;
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const hn::ScalableTag<std::uint64_t> wide;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sums = hn::Zero(wide);
  for (; i + lanes <= size; i += lanes)
    sums = hn::Add(sums, hn::SumsOf8(hn::Xor(hn::LoadU(d, bytes + i), hn::Set(d, turn))));
  sum = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(wide, sums)));
#endif
  for (; i < size; ++i) sum += static_cast<std::uint8_t>(bytes[i] ^ turn);
  return sum - turn * size;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(zip);
HWY_EXPORT(split);
HWY_EXPORT(split_quads_of);
HWY_EXPORT(interleave_four);
HWY_EXPORT(sum_of_bytes);

void zip_bytes(const std::array<const std::byte*, 4>& rows, std::int64_t count, std::uint32_t flip,
               std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(zip)(rows, count, flip, to);
}

void split_bytes(const std::byte* from, std::int64_t count, int parts, std::byte* const* to) {
  HWY_DYNAMIC_DISPATCH(split)(from, count, parts, to);
}

void interleave_four_rows(const std::array<const std::byte*, 4>& rows, int bytes,
                          std::uint32_t flip, std::int32_t* to, std::ptrdiff_t step) {
  HWY_DYNAMIC_DISPATCH(interleave_four)(rows, bytes, flip, to, step);
}

void split_quads(const std::int32_t* from, std::int64_t run, std::int64_t runs, bool with_sign,
                 std::int32_t* to, std::int64_t apart) {
  HWY_DYNAMIC_DISPATCH(split_quads_of)(from, run, runs, with_sign, to, apart);
}

std::int64_t sum_bytes(const std::int32_t* words, std::int64_t count, bool with_sign) {
  return HWY_DYNAMIC_DISPATCH(sum_of_bytes)(words, count, with_sign);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
