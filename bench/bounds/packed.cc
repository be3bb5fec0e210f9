// Bare loops of packed integers: elements of 8 and 16 bits of several images in words of 32 bits,
// of which an image that has a word for itself leaves the other elements as they are.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "bounds.h"
#include "lanes.h"

// Before loops of more pointers than a compiler compares.
#ifdef __clang__
#define TL_NO_ALIASES _Pragma("clang loop vectorize(assume_safety)")
#else
#define TL_NO_ALIASES _Pragma("GCC ivdep")
#endif

namespace tensorlane::bench {
namespace {

using s8 = std::int8_t;
using u8 = std::uint8_t;
using s16 = std::int16_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

template <class D>
std::int32_t within(std::int32_t value) {
  return std::clamp<std::int32_t>(value, std::numeric_limits<D>::min(),
                                  std::numeric_limits<D>::max());
}
// Halves up, as ops_bench has it in every call.
std::int32_t halved(std::int32_t value) {
  return (value + 1) >> 1;
}

u32* words_at(std::byte* at) {
  return reinterpret_cast<u32*>(at - std::bit_cast<std::uintptr_t>(at) % 4);
}
u32 place_at(const std::byte* at) {
  return static_cast<u32>(std::bit_cast<std::uintptr_t>(at) % 4 * 8);
}
template <class T>
constexpr u32 kBits = 8 * sizeof(T);

// A word with an element of it changed.
template <class D>
u32 changed(u32 word, std::int32_t value) {
  constexpr u32 kMask = std::numeric_limits<std::make_unsigned_t<D>>::max();
  return (word & ~kMask) | (static_cast<u32>(value) & kMask);
}

// The element from bit `place` of a word on. A sign comes from shifts: compilers make rows of bytes
// of casts, and words of those again.
template <class T>
std::int32_t element_of(u32 word, u32 place) {
  constexpr u32 kAbove = 32 - kBits<T>;
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::int32_t>(word << (kAbove - place)) >> kAbove;
  return static_cast<std::int32_t>(word >> place & (0xffffffffU >> kAbove));
}

// dst = f(dst, a, b), of one image: an element to a word. What is constant has no words.
template <class D, class A, class B, class F>
void each_word(const Placed& placed, const F& f) {
  const bool two = placed.operands > 2;
  for (const Run& run : placed.runs) {
    u32* __restrict dst = words_at(run.at[0]);
    const u32* const a = words_at(run.at[1]);
    if (two) {
      const u32* const b = words_at(run.at[2]);
      for (std::int64_t i = 0; i < run.count; ++i)
        dst[i] = changed<D>(
            dst[i], f(element_of<D>(dst[i], 0), element_of<A>(a[i], 0), element_of<B>(b[i], 0)));
    } else {
      for (std::int64_t i = 0; i < run.count; ++i)
        dst[i] = changed<D>(dst[i], f(element_of<D>(dst[i], 0), element_of<A>(a[i], 0), 1));
    }
  }
}

// The same of bytes of four images, which fill two words of the result.
template <class D, class A, class B, class F>
void each_four_images(const Placed& placed, const F& f) {
  const bool two = placed.operands > 2;
  const std::size_t rows = placed.runs.size() / 4;
  const auto pair = [&f](u32 word, u32 x, u32 y, u32 place) {
    const auto low = static_cast<u32>(
        f(element_of<D>(word, 0), element_of<A>(x, place), element_of<B>(y, place)));
    const auto high = static_cast<u32>(
        f(element_of<D>(word, 16), element_of<A>(x, place + 8), element_of<B>(y, place + 8)));
    return (low & 0xffffU) | high << 16U;
  };
  for (std::size_t r = 0; r < rows; ++r) {
    const Run& run = placed.runs[r];
    u32* __restrict first = words_at(run.at[0]);
    u32* __restrict second = words_at(placed.runs[r + 2 * rows].at[0]);
    const u32* const a = words_at(run.at[1]);
    const u32* const b = two ? words_at(run.at[2]) : nullptr;
    const auto all = [&](const auto& b_at) {
      for (std::int64_t i = 0; i < run.count; ++i) {
        const u32 x = a[i], y = b_at(i);
        first[i] = pair(first[i], x, y, 0);
        second[i] = pair(second[i], x, y, 16);
      }
    };
    two ? all([b](std::int64_t i) { return b[i]; })
        : all([](std::int64_t) { return u32{0x01010101U}; });
  }
}

// The same of images in pairs, which fill a word of the result.
template <class D, class A, class B, class F>
void each_pair_of_images(const Placed& placed, std::size_t images, const F& f) {
  const bool two = placed.operands > 2;
  const std::size_t rows = placed.runs.size() / images;
  const auto pair = [&f](u32 word, u32 x, u32 y, u32 a_place, u32 b_place) {
    const std::int32_t low =
        f(element_of<D>(word, 0), element_of<A>(x, a_place), element_of<B>(y, b_place));
    const std::int32_t high = f(element_of<D>(word, 16), element_of<A>(x, a_place + kBits<A>),
                                element_of<B>(y, b_place + kBits<B>));
    return (static_cast<u32>(low) & 0xffffU) | static_cast<u32>(high) << 16U;
  };
  for (std::size_t r = 0; r < placed.runs.size(); ++r) {
    if (r / rows % 2 != 0) continue;
    const Run& run = placed.runs[r];
    u32* __restrict dst = words_at(run.at[0]);
    const u32* const a = words_at(run.at[1]);
    const u32 a_place = place_at(run.at[1]);
    if (two) {
      const u32* const b = words_at(run.at[2]);
      const u32 b_place = place_at(run.at[2]);
      for (std::int64_t i = 0; i < run.count; ++i)
        dst[i] = pair(dst[i], a[i], b[i], a_place, b_place);
    } else {
      constexpr u32 kOnes = sizeof(B) == 1 ? 0x0101U : 0x00010001U;
      for (std::int64_t i = 0; i < run.count; ++i) dst[i] = pair(dst[i], a[i], kOnes, a_place, 0);
    }
  }
}

template <class D, class A, class B, class F>
std::function<void()> loop_of(Placed placed, std::size_t images, F f) {
  if (images == 1) return [placed = std::move(placed), f] { each_word<D, A, B>(placed, f); };
  if (images != 4) return {};
  if constexpr (sizeof(A) == 1 && sizeof(B) == 1)
    return [placed = std::move(placed), f] { each_four_images<D, A, B>(placed, f); };
  return
      [placed = std::move(placed), images, f] { each_pair_of_images<D, A, B>(placed, images, f); };
}

// f(dst, a, b) in the types of a command.
template <bool kClamps, class A, class B, class F>
std::function<void()> of_result(Placed placed, std::size_t images, F f) {
  if (placed.types[0] == Dtype::kInt16)
    return loop_of<s16, A, B>(std::move(placed), images,
                              [f](auto dst, auto a, auto b) { return within<s16>(f(dst, a, b)); });
  if (placed.types[0] == Dtype::kUint16)
    return loop_of<u16, A, B>(std::move(placed), images,
                              [f](auto dst, auto a, auto b) { return within<u16>(f(dst, a, b)); });
  return {};
}
template <bool kClamps, class A, class F>
std::function<void()> of_second(Placed placed, std::size_t images, F f) {
  const Dtype second = placed.types[placed.operands > 2 ? 2 : 1];
  if constexpr (sizeof(A) == 1) {
    if (second == Dtype::kInt8) return of_result<kClamps, A, s8>(std::move(placed), images, f);
    if (second == Dtype::kUint8) return of_result<kClamps, A, u8>(std::move(placed), images, f);
  } else {
    if (second == Dtype::kInt16) return of_result<kClamps, A, s16>(std::move(placed), images, f);
    if (second == Dtype::kUint16) return of_result<kClamps, A, u16>(std::move(placed), images, f);
  }
  return {};
}
template <bool kClamps, class F>
std::function<void()> packed_loop(const Command& command, Memories memory, F f) {
  Placed placed = place(command, memory);
  if (!placed) return {};
  const auto images = static_cast<std::size_t>(command.operands()[0].layout.extent(0));
  // A result that is a source comes first in both lists.
  switch (placed.types[1]) {
    case Dtype::kInt8:
      return of_second<kClamps, s8>(std::move(placed), images, f);
    case Dtype::kUint8:
      return of_second<kClamps, u8>(std::move(placed), images, f);
    case Dtype::kInt16:
      return of_second<kClamps, s16>(std::move(placed), images, f);
    case Dtype::kUint16:
      return of_second<kClamps, u16>(std::move(placed), images, f);
    default:
      return {};
  }
}

template <auto f, bool kClamps>
std::function<void()> packed(const Command& command, Memories memory) {
  return packed_loop<kClamps>(
      command, memory,
      [](std::int32_t dst, std::int32_t a, std::int32_t b) { return f(dst, a, b); });
}
std::int32_t sum(std::int32_t, std::int32_t a, std::int32_t b) {
  return halved(a + b);
}
std::int32_t difference(std::int32_t, std::int32_t a, std::int32_t b) {
  return halved(a - b);
}
std::int32_t turned_difference(std::int32_t, std::int32_t a, std::int32_t b) {
  return halved(b - a);
}
std::int32_t product(std::int32_t, std::int32_t a, std::int32_t b) {
  return halved(a * b);
}
std::int32_t sum_of_products(std::int32_t dst, std::int32_t a, std::int32_t b) {
  return halved(dst + a * b);
}
std::int32_t larger(std::int32_t, std::int32_t a, std::int32_t b) {
  return std::max(a, b);
}
std::int32_t raised(std::int32_t, std::int32_t a, std::int32_t) {
  return static_cast<std::int32_t>(static_cast<u32>(a) << 1U & 0xffffU);
}
// A constant by the low byte of an element, `up` bits of it above: to the left where that is
// positive, else to the right, and by 16 and more all of it out.
template <bool kSigned>
u32 shifted(u32 constant, u32 word, u32 up) {
  const std::int32_t by = static_cast<std::int32_t>(word << up) >> 24;
  const u32 left = constant << std::min(static_cast<u32>(by), 16U);
  const u32 down = std::min(static_cast<u32>(-by), 16U);
  const u32 right =
      kSigned ? static_cast<u32>(static_cast<std::int32_t>(constant) >> down) : constant >> down;
  return (by < 0 ? right : left) & 0xffffU;
}
// The same of vectors, where shifts by the lanes' width and more leave nothing or signs.
template <bool kSigned>
[[gnu::always_inline]] inline Lanes<u32> shifted_lanes(Lanes<u32> constant, Lanes<u32> word) {
  using Signed = Lanes<std::int32_t>;
  const Signed by = reinterpret_cast<Signed>(word << 24) >> 24;
#ifdef __AVX512F__
  const auto raw = reinterpret_cast<__m512i>(constant), up = reinterpret_cast<__m512i>(by);
  const auto down = reinterpret_cast<__m512i>(-by);
  const auto left = reinterpret_cast<Lanes<u32>>(_mm512_sllv_epi32(raw, up));
  const auto right = reinterpret_cast<Lanes<u32>>(kSigned ? _mm512_srav_epi32(raw, down)
                                                          : _mm512_srlv_epi32(raw, down));
#else
  const auto raw = reinterpret_cast<__m256i>(constant), up = reinterpret_cast<__m256i>(by);
  const auto down = reinterpret_cast<__m256i>(-by);
  const auto left = reinterpret_cast<Lanes<u32>>(_mm256_sllv_epi32(raw, up));
  const auto right = reinterpret_cast<Lanes<u32>>(kSigned ? _mm256_srav_epi32(raw, down)
                                                          : _mm256_srlv_epi32(raw, down));
#endif
  return (kSigned ? (by < 0 ? right : left) : left | right) & 0xffffU;
}
template <bool kSigned>
bool shift_low_halves(const Run& run, u32 constant) {
  u32* const dst = words_at(run.at[0]);
  const u32* const a = words_at(run.at[1]);
  const Lanes<u32> of_all = constant + Lanes<u32>{};
  return for_each_vector<kLanesOf<u32>>(run.count, [&](std::int64_t i, std::int64_t left) {
    const auto kept = load_lanes<Lanes<u32>>(dst + i) & 0xffff0000U;
    store_first(dst + i, kept | shifted_lanes<kSigned>(of_all, load_lanes<Lanes<u32>>(a + i)),
                left);
  });
}
template <bool kSigned>
std::function<void()> shift_of_constant(const Command& command, Memories memory) {
  Placed placed = place(command, memory);
  const auto images = static_cast<std::size_t>(command.operands()[0].layout.extent(0));
  if (!placed || (images != 1 && images != 4)) return {};
  const auto bits = static_cast<u16>(command.arg("C").value());
  const u32 constant =
      kSigned ? static_cast<u32>(static_cast<std::int32_t>(static_cast<s16>(bits))) : bits;
  return [placed = std::move(placed), images, constant] {
    const std::size_t rows = placed.runs.size() / images;
    for (std::size_t r = 0; r < placed.runs.size(); ++r) {
      if (images == 4 && r / rows % 2 != 0) continue;
      const Run& run = placed.runs[r];
      if (images == 1 && shift_low_halves<kSigned>(run, constant)) continue;
      u32* __restrict dst = words_at(run.at[0]);
      const u32* const a = words_at(run.at[1]);
      if (images == 1) {
        for (std::int64_t i = 0; i < run.count; ++i)
          dst[i] = (dst[i] & 0xffff0000U) | shifted<kSigned>(constant, a[i], 24);
      } else {
        for (std::int64_t i = 0; i < run.count; ++i)
          dst[i] = shifted<kSigned>(constant, a[i], 24) | shifted<kSigned>(constant, a[i], 8)
                                                              << 16U;
      }
    }
  };
}

// The larger of 16-bit elements that have a word for themselves, by instructions for lanes as wide.
template <class T>
bool larger_low_halves(const Run& run) {
  u32* const dst = words_at(run.at[0]);
  const u32 *const a = words_at(run.at[1]), *const b = words_at(run.at[2]);
  return for_each_vector<kLanesOf<u32>>(run.count, [&](std::int64_t i, std::int64_t left) {
    const auto x = load_lanes<Lanes<T>>(a + i), y = load_lanes<Lanes<T>>(b + i);
    const auto found = reinterpret_cast<Lanes<u32>>(x > y ? x : y) & 0xffffU;
    store_first(dst + i, (load_lanes<Lanes<u32>>(dst + i) & 0xffff0000U) | found, left);
  });
}
template <class T>
std::function<void()> larger_of_one_image(Placed placed) {
  return [placed = std::move(placed)] {
    Placed one = {
        .runs = {}, .steps = placed.steps, .types = placed.types, .operands = placed.operands};
    for (const Run& run : placed.runs) {
      if (larger_low_halves<T>(run)) continue;
      one.runs.assign(1, run);
      each_word<T, T, T>(one, larger);
    }
  };
}
std::function<void()> larger_of_elements(const Command& command, Memories memory) {
  Placed placed = place(command, memory);
  const bool one = placed && placed.operands > 2 && command.operands()[0].layout.extent(0) == 1;
  const auto all_are = [&](Dtype dtype) {
    return std::all_of(placed.types.begin(), placed.types.begin() + 3,
                       [=](Dtype each) { return each == dtype; });
  };
  if (one && all_are(Dtype::kUint16)) return larger_of_one_image<u16>(std::move(placed));
  if (one && all_are(Dtype::kInt16)) return larger_of_one_image<s16>(std::move(placed));
  return packed<larger, false>(command, memory);
}

// Work tensors are results as well.
Placed place_all(const Command& command, Memories memory) {
  Command all = command;
  for (Operand& operand : all.operand_storage) {
    if (operand.role == Role::kWork) operand.role = Role::kOut;
  }
  return place(all, memory);
}

// Halves up of a product, as a word of one element or of two.
template <class D>
u32 product_of(std::int32_t a, std::int32_t b) {
  return static_cast<u32>(within<D>(halved(a * b))) & 0xffffU;
}
template <class D>
u32 products_of(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
  return product_of<D>(a, b) | product_of<D>(c, d) << 16U;
}

// dst, its work tensors and two sources, as okk_bdc_fixed_point_packed_s16_mul_u8_to_s16 has them;
// of one image and of four.
void product_of_one_image(const Placed& placed) {
  for (const Run& run : placed.runs) {
    u32* __restrict dst = words_at(run.at[0]);
    u32* __restrict work = words_at(run.at[1]);
    u32* __restrict high = words_at(run.at[2]);
    u32* __restrict low = words_at(run.at[3]);
    const u32* __restrict a = words_at(run.at[4]);
    const u32* __restrict b = words_at(run.at[5]);
    TL_NO_ALIASES
    for (std::int64_t i = 0; i < run.count; ++i) {
      const u32 x = a[i];
      high[i] = (high[i] & ~0xffU) | (x >> 8U & 0xffU);
      low[i] = (low[i] & ~0xffU) | (x & 0xffU);
      work[i] = (work[i] & ~0xffffU) | (x << 8U & 0xffffU);
      dst[i] = (dst[i] & ~0xffffU) |
               product_of<s16>(element_of<s16>(x, 0), static_cast<std::int32_t>(b[i] & 0xffU));
    }
  }
}
void product_of_four_images(const Placed& placed) {
  const std::size_t rows = placed.runs.size() / 4;
  const auto products = [](u32 x, u32 factors) {
    return products_of<s16>(element_of<s16>(x, 0), static_cast<std::int32_t>(factors & 0xffU),
                            element_of<s16>(x, 16),
                            static_cast<std::int32_t>(factors >> 8U & 0xffU));
  };
  for (std::size_t r = 0; r < rows; ++r) {
    const Run &run = placed.runs[r], &next = placed.runs[r + 2 * rows];
    u32* __restrict dst = words_at(run.at[0]);
    u32* __restrict work = words_at(run.at[1]);
    u32* __restrict next_dst = words_at(next.at[0]);
    u32* __restrict next_work = words_at(next.at[1]);
    u32* __restrict high = words_at(run.at[2]);
    u32* __restrict low = words_at(run.at[3]);
    const u32* __restrict a = words_at(run.at[4]);
    const u32* __restrict next_a = words_at(next.at[4]);
    const u32* __restrict b = words_at(run.at[5]);
    TL_NO_ALIASES
    for (std::int64_t i = 0; i < run.count; ++i) {
      const u32 x = a[i], y = next_a[i];
      high[i] =
          (x >> 8U & 0xffU) | (x >> 16U & 0xff00U) | (y << 8U & 0xff0000U) | (y & 0xff000000U);
      low[i] = (x & 0xffU) | (x >> 8U & 0xff00U) | (y << 16U & 0xff0000U) | (y << 8U & 0xff000000U);
      work[i] = x << 8U & 0xff00ff00U;
      next_work[i] = y << 8U & 0xff00ff00U;
      dst[i] = products(x, b[i]);
      next_dst[i] = products(y, b[i] >> 16U);
    }
  }
}
std::function<void()> product_in_steps(const Command& command, Memories memory) {
  Placed placed = place_all(command, memory);
  const std::int64_t images = command.operands()[0].layout.extent(0);
  if (!placed || (images != 1 && images != 4)) return {};
  return [placed = std::move(placed), images] {
    images == 1 ? product_of_one_image(placed) : product_of_four_images(placed);
  };
}
// (high * 256 + low) * b, of one image and of four.
template <class A>
std::int32_t whole(u32 high, u32 low, u32 place) {
  const u32 above = high >> place << 8U, below = low >> place & 0xffU;
  return element_of<std::conditional_t<std::is_signed_v<A>, s16, u16>>((above & 0xff00U) | below,
                                                                       0);
}
template <class D, class A, class B>
std::function<void()> product_of_parts(const Command& command, Memories memory) {
  Placed placed = place(command, memory);
  const std::int64_t images = command.operands()[0].layout.extent(0);
  if (!placed || (images != 1 && images != 4)) return {};
  return [placed = std::move(placed), images] {
    const std::size_t rows = placed.runs.size() / static_cast<std::size_t>(images);
    for (std::size_t r = 0; r < rows; ++r) {
      const Run& run = placed.runs[r];
      u32* __restrict dst = words_at(run.at[0]);
      const u32* __restrict high = words_at(run.at[1]);
      const u32* __restrict low = words_at(run.at[2]);
      const u32* __restrict b = words_at(run.at[3]);
      if (images == 1) {
        for (std::int64_t i = 0; i < run.count; ++i)
          dst[i] = (dst[i] & ~0xffffU) |
                   product_of<D>(whole<A>(high[i], low[i], 0), element_of<B>(b[i], 0));
        continue;
      }
      u32* __restrict next = words_at(placed.runs[r + 2 * rows].at[0]);
      TL_NO_ALIASES
      for (std::int64_t i = 0; i < run.count; ++i) {
        const u32 x = high[i], y = low[i], z = b[i];
        dst[i] = products_of<D>(whole<A>(x, y, 0), element_of<B>(z, 0), whole<A>(x, y, 8),
                                element_of<B>(z, 8));
        next[i] = products_of<D>(whole<A>(x, y, 16), element_of<B>(z, 16), whole<A>(x, y, 24),
                                 element_of<B>(z, 24));
      }
    }
  };
}

// A byte of each word as fp32, of one image, which is copied as well; and of four.
void byte_to_fp32(const Placed& placed) {
  for (const Run& run : placed.runs) {
    float* __restrict dst = reinterpret_cast<float*>(run.at[0]);
    u32* __restrict copy = words_at(run.at[1]);
    const u32* const a = words_at(run.at[2]);
    for (std::int64_t i = 0; i < run.count; ++i) {
      copy[i] = changed<s8>(copy[i], static_cast<s8>(a[i]));
      dst[i] = static_cast<float>(static_cast<s8>(a[i]));
    }
  }
}
void four_bytes_to_fp32(const Placed& placed) {
  const std::size_t rows = placed.runs.size() / 4;
  for (std::size_t r = 0; r < rows; ++r) {
    const Run& run = placed.runs[r];
    float* __restrict dst = reinterpret_cast<float*>(run.at[0]);
    float* __restrict second = reinterpret_cast<float*>(placed.runs[r + rows].at[0]);
    float* __restrict third = reinterpret_cast<float*>(placed.runs[r + 2 * rows].at[0]);
    float* __restrict fourth = reinterpret_cast<float*>(placed.runs[r + 3 * rows].at[0]);
    u32* __restrict copy = words_at(run.at[1]);
    const u32* __restrict a = words_at(run.at[2]);
    TL_NO_ALIASES
    for (std::int64_t i = 0; i < run.count; ++i) {
      const u32 word = a[i];
      copy[i] = word;
      dst[i] = static_cast<float>(element_of<s8>(word, 0));
      second[i] = static_cast<float>(element_of<s8>(word, 8));
      third[i] = static_cast<float>(element_of<s8>(word, 16));
      fourth[i] = static_cast<float>(element_of<s8>(word, 24));
    }
  }
}
std::function<void()> words_to_fp32(const Command& command, Memories memory) {
  Placed placed = place_all(command, memory);
  const std::int64_t images = command.operands()[0].layout.extent(0);
  if (!placed || (images != 1 && images != 4)) return {};
  return [placed = std::move(placed), images] {
    images == 1 ? byte_to_fp32(placed) : four_bytes_to_fp32(placed);
  };
}
std::function<void()> bytes_to_fp32(const Command& command, Memories memory) {
  Placed placed = place_all(command, memory);
  if (!placed || !placed.dense()) return {};
  return [placed = std::move(placed)] {
    for (const Run& run : placed.runs) {
      float* __restrict dst = reinterpret_cast<float*>(run.at[0]);
      s8* __restrict copy = reinterpret_cast<s8*>(run.at[1]);
      const s8* const a = reinterpret_cast<const s8*>(run.at[2]);
      for (std::int64_t i = 0; i < run.count; ++i) {
        copy[i] = a[i];
        dst[i] = static_cast<float>(a[i]);
      }
    }
  };
}

}  // namespace

const BoundList& packed_bounds() {
#define TL_PACKED(function, name, ...) \
  { "okk_bdc_fixed_point_packed_" function, ".*", "packed " name, packed<__VA_ARGS__> }
  static const auto& list = *new BoundList{
      TL_PACKED("add(_C)?", "a + b", sum, true),
      TL_PACKED("sub(_C)?", "a - b", difference, true),
      TL_PACKED("C_sub", "a - b of a constant", turned_difference, true),
      TL_PACKED("mul(_C)?", "a * b", product, true),
      TL_PACKED("mac(_C)?", "sum of products", sum_of_products, true),
      {"okk_bdc_fixed_point_packed_(max|min)(_C)?", ".*", "packed larger", larger_of_elements},
      TL_PACKED("16bit_(arithmetic|logical)_shift_C", "shift", raised, false),
      {"okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift", ".*", "packed shift of a constant",
       shift_of_constant<true>},
      {"okk_bdc_fixed_point_packed_16bit_C_logical_shift", ".*", "packed shift of a constant",
       shift_of_constant<false>},
      {"okk_bdc_fixed_point_packed_16bit_mul_8bit", "uint8 uint8 uint8 -> uint16",
       "packed product of parts", product_of_parts<u16, u8, u8>},
      {"okk_bdc_fixed_point_packed_16bit_mul_8bit", "uint8 uint8 int8 -> int16",
       "packed product of parts", product_of_parts<s16, u8, s8>},
      {"okk_bdc_fixed_point_packed_16bit_mul_8bit", "int8 uint8 int8 -> int16",
       "packed product of parts", product_of_parts<s16, s8, s8>},
      {"okk_bdc_fixed_point_packed_s16_mul_u8_to_s16", ".*", "packed product in steps",
       product_in_steps},
      {"okk_bdc_4N_int8_to_fp32", ".*", "packed bytes to fp32, copied", words_to_fp32},
      {"okk_bdc_int8_to_fp32", ".*", "bytes to fp32, copied", bytes_to_fp32},
  };
#undef TL_PACKED
  return list;
}

}  // namespace tensorlane::bench
