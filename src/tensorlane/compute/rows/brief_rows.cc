#include "tensorlane/compute/rows/brief_rows.h"

#include <array>
#include <type_traits>
#include <vector>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/row_parts.h"
#include "tensorlane/compute/special/functions_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/brief_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/float_numbers_inl.h"
#include "tensorlane/compute/rows/row_loops_inl.h"
#include "tensorlane/compute/special/formulas_inl.h"
#include "tensorlane/compute/special/side_by_side_inl.h"
#include "tensorlane/compute/special/vector_arithmetic_inl.h"

// What the vectors of every instruction set share.
#ifndef TENSORLANE_EXECUTION_BRIEF_FUNCTIONS
#define TENSORLANE_EXECUTION_BRIEF_FUNCTIONS
namespace tensorlane::simd {

enum class Brief : std::uint8_t { kDiv, kReciprocal, kSoftsign, kHsigmoid, kHswish };
// What is computed in: formats.h.
enum class BriefFormat : std::uint8_t { kFp32, kFp32Tables, kFp16Steps, kFp16, kBf16 };

}  // namespace tensorlane::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace formulas = tensorlane::special::HWY_NAMESPACE;

using special::Constants;

// Vectors of fp32 whose steps are taken side by side.
constexpr int kBriefBlock = 4;

// ---- elements of a type as values of a format ----

template <class OfFormat, class Element>
struct BriefElements {
  using Format = OfFormat;
  using A = special::simd::HWY_NAMESPACE::VectorArithmetic<Format>;
  using Tag = std::conditional_t<std::is_void_v<Element>, Floats, Halves>;
  using Stored = hn::Vec<Tag>;

  static HWY_INLINE V read(Stored x) {
    if constexpr (std::is_void_v<Element>) {
      return A::read(x);
    } else {
      return A::read(Element::read(x));
    }
  }
  // Results are not denormal in fp32: the environment or the rounding sees to it. Every NaN of 16
  // bits becomes one as it is written.
  static HWY_INLINE Stored write(V x) {
    if constexpr (std::is_void_v<Element>) {
      return A::written(x);
    } else if constexpr (std::is_same_v<Format, special::Bf16>) {  // has been rounded
      return write_exact<Element>(x);
    } else {
      return Element::write(x);
    }
  }
  static HWY_INLINE V one_for_all(const std::byte* at) {
    return read(hn::Set(Tag(), load_element<hn::TFromD<Tag>>(at)));
  }
};

// The same of bf16, two to a word (Bf16Pairs): even and odd ones side by side.
#if HWY_TARGET != HWY_SCALAR
template <class OfFormat>
struct BriefPairs {
  using Format = OfFormat;
  using Element = BriefElements<Format, Bf16>;
  using A = special::simd::HWY_NAMESPACE::SideBySide<typename Element::A, 2>;
  using Tag = Bf16Pairs::Tag;
  using Stored = hn::Vec<Tag>;
  using Value = typename A::V;

  static HWY_INLINE Value read(Stored x) {
    const Bf16Pairs::Numbers pair = Bf16Pairs::read(x);
    return {{Element::A::read(pair.even), Element::A::read(pair.odd)}};
  }
  static HWY_INLINE Stored write(const Value& x) {
    return Bf16Pairs::write(Bf16Pairs::Numbers{{x.of[0], x.of[1]}});
  }
  static HWY_INLINE Value one_for_all(const std::byte* at) {
    const V x = Element::one_for_all(at);
    return {{x, x}};
  }
};
#endif

// dst = f(A(), sources), of kBlock vectors of the format side by side.
template <class E, int kSources, int kBlock, class F>
HWY_INLINE void map_blocks(const Row& frame, const F& f) {
  for_each_block<typename E::Tag, kSources, kBlock>(frame, [&](auto blocks, const auto& src,
                                                               auto* result) TL_INLINE_ATTR {
    using One = typename E::A;
    if constexpr (blocks() == 1) {
      typename One::V x[kSources];
      for (int k = 0; k < kSources; ++k) x[k] = E::read(src[k][0]);
      result[0] = E::write(f(One(), x));
    } else {
      using All = special::simd::HWY_NAMESPACE::SideBySide<One, blocks()>;
      typename All::V x[kSources];
      for (int k = 0; k < kSources; ++k) {
        for_each_vector<blocks()>([&](auto v) TL_INLINE_ATTR { x[k].of[v] = E::read(src[k][v]); });
      }
      const typename All::V value = f(All(), x);
      for_each_vector<blocks()>([&](auto v) TL_INLINE_ATTR { result[v] = E::write(value.of[v]); });
    }
  });
}

template <class E, int kSources, class F>
HWY_INLINE void map_brief(const Row& frame, const F& f) {
  // In short rows what is left over would cost more than that saves, where there are no masks.
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));
  constexpr auto kLeast = kRepeatsEnds ? 4 * kBriefBlock * kLanes : (kBriefBlock - 1) * kLanes + 1;
  if constexpr (std::is_same_v<typename E::Tag, Floats>) {
    if (frame.count >= kLeast) return map_blocks<E, kSources, kBriefBlock>(frame, f);
  }
  map_blocks<E, kSources, 1>(frame, f);
}

// ---- functions of one source ----

#define TL_BRIEF_FORMULA(name)                                             \
  struct name##_formula {                                                  \
    template <class A, class T>                                            \
    static HWY_INLINE T of(A /*in*/, const T& x, const Constants& given) { \
      return formulas::of_##name<A>(x, x, given);                          \
    }                                                                      \
  };
TL_BRIEF_FORMULA(reciprocal)
TL_BRIEF_FORMULA(softsign)
TL_BRIEF_FORMULA(hsigmoid)
TL_BRIEF_FORMULA(hswish)
#undef TL_BRIEF_FORMULA

// Calls run(constants), with the usual number of steps as one that the compiler knows: a branch for
// each vector would keep them apart.
template <class Run>
HWY_INLINE void with_known_steps(const Constants& given, const Run& run) {
  Constants constants = given;
  if (constants.steps != special::kNewtonSteps) return run(constants);
  constants.steps = special::kNewtonSteps;
  run(constants);
}

template <class E, class Formula>
void brief_of_one(const Row& frame, const Constants& given) {
  const special::Environment<typename E::Format> environment;
  with_known_steps(given, [&frame](Constants constants) TL_INLINE_ATTR {
    map_brief<E, 1>(frame, [constants](auto in, const auto* x)
                               TL_INLINE_ATTR { return Formula::of(in, x[0], constants); });
  });
}
// Too short to be taken side by side.
template <class E, class Formula>
void line_of_one(const Row& frame, const Constants& constants) {
  const special::Environment<typename E::Format> environment;
  map_vectors<typename E::Tag, 1, 1>(frame, [constants](auto x) TL_INLINE_ATTR {
    return E::write(Formula::of(typename E::A(), E::read(x), constants));
  });
}

// ---- quotients ----

template <class E>
void quotients_by_one(const Row& frame, const Constants& constants) {
  using A = typename E::A;
  const typename A::V y = E::one_for_all(frame.src[1]);
  const typename A::V inverse = formulas::reciprocal<A>(y, constants.steps);
  map_vectors<typename E::Tag, 1, 1>(frame, [=](auto x) TL_INLINE_ATTR {
    return E::write(formulas::quotient<A>(E::read(x), y, inverse));
  });
}

// Rows that are divided by the same row: its reciprocals, each once.
template <class E>
void quotients_by_row(const Row& given, const Constants& constants) {
  using A = typename E::A;
  Row frame = given;
  std::vector<float> inverses(static_cast<std::size_t>(frame.count));
  Row once{};
  once.dst = reinterpret_cast<std::byte*>(inverses.data());
  once.dst_step = sizeof(float);
  once.src[0] = frame.src[1];
  once.src_step[0] = frame.src_step[1];
  once.count = frame.count;
  map_vectors<Floats, 1, 1>(once, [steps = constants.steps](V y)
                                      TL_INLINE_ATTR { return formulas::reciprocal<A>(y, steps); });
  if constexpr (E::Format::kChecksRoots) {
    frame.src[2] = once.dst;
    frame.src_step[2] = sizeof(float);
    frame.src_next[2] = frame.src_block[2] = 0;
    map_vectors<Floats, 3, 1>(frame, [](V x, V y, V inverse) TL_INLINE_ATTR {
      return A::written(formulas::quotient<A>(x, y, inverse));
    });
  } else {
    frame.src[1] = once.dst;
    map_vectors<Floats, 2, 1, PairLoops::kSymmetric>(frame, [](V x, V inverse) TL_INLINE_ATTR {
      return A::written(formulas::quotient<A>(x, x, inverse));
    });
  }
}

template <class E>
void quotients(const Row& frame, const Constants& given) {
  if (Places::of_source(frame, 1).all_the_same()) return quotients_by_one<E>(frame, given);
  if constexpr (std::is_same_v<typename E::Tag, Floats>) {
    const bool same_row = frame.src_next[1] == 0;
    if (same_row && frame.src_block[1] == 0 && frame.rows * frame.blocks > 1)
      return quotients_by_row<E>(frame, given);
    if (same_row && frame.rows > 1) {  // a row for each block
      for (std::int64_t b = 0; b < frame.blocks; ++b) {
        Row block = frame;
        block.blocks = 1;
        block.dst += b * frame.dst_block;
        for (std::size_t k = 0; k < 2; ++k) block.src[k] += b * frame.src_block[k];
        quotients_by_row<E>(block, given);
      }
      return;
    }
  }
  with_known_steps(given, [&frame](Constants constants) TL_INLINE_ATTR {
    map_brief<E, 2>(frame, [constants](auto in, const auto* x) TL_INLINE_ATTR {
      return formulas::of_div<decltype(in)>(x[0], x[1], constants);
    });
  });
}

// ---- which ----

template <class E>
BriefRow root_of(Brief function) {
  return function == Brief::kDiv ? quotients<E> : brief_of_one<E, reciprocal_formula>;
}
template <class Format>
BriefRow in_fp32(Brief function, Dtype dtype) {
  using E = BriefElements<Format, void>;
  if (function == Brief::kSoftsign)
    return dtype == Dtype::kFp32 ? brief_of_one<E, softsign_formula> : nullptr;
  if (dtype == Dtype::kFp32) return root_of<E>(function);
  if (dtype == Dtype::kFp16) return root_of<BriefElements<Format, Fp16>>(function);
#if HWY_TARGET == HWY_SCALAR
  return root_of<BriefElements<Format, Bf16>>(function);
#else
  return root_of<BriefPairs<Format>>(function);
#endif
}
template <class E>
BriefRow line_of(Brief function) {
  return function == Brief::kHsigmoid ? line_of_one<E, hsigmoid_formula>
                                      : line_of_one<E, hswish_formula>;
}
BriefRow find_brief(Brief function, BriefFormat format, Dtype dtype) {
  switch (format) {
    case BriefFormat::kFp32:
      return in_fp32<special::Fp32>(function, dtype);
    case BriefFormat::kFp32Tables:
      return in_fp32<special::Fp32Tables>(function, dtype);
    case BriefFormat::kFp16Steps:
      return root_of<BriefElements<special::Fp16Steps, Fp16>>(function);
    case BriefFormat::kFp16:
      return line_of<BriefElements<special::Fp16, Fp16>>(function);
    default:
      return line_of<BriefElements<special::Bf16, Bf16>>(function);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_brief);

BriefRow brief_of_processor(Brief function, BriefFormat format, Dtype dtype) {
  return HWY_DYNAMIC_DISPATCH(find_brief)(function, format, dtype);
}

struct Known {
  special::Compute on_arrays;
  Brief function;
  BriefFormat format;
};
const std::vector<Known>& all_brief() {
  using special::Dialect;
  using special::RootRule;
  static const auto& all = *new std::vector<Known>([] {
    std::vector<Known> list;
    const auto add = [&](Brief function, BriefFormat format, const special::Function& of) {
      list.push_back({of.vector, function, format});
    };
    const auto add_root = [&](Brief function, auto root) {
      add(function, BriefFormat::kFp32, root(Dtype::kFp32, RootRule::kBare));
      add(function, BriefFormat::kFp32Tables, root(Dtype::kFp32, RootRule::kChecked));
      add(function, BriefFormat::kFp16Steps, root(Dtype::kFp16, RootRule::kCheckedTyped));
    };
    add_root(Brief::kDiv, special::div);
    add_root(Brief::kReciprocal, special::reciprocal);
    add(Brief::kSoftsign, BriefFormat::kFp32, special::softsign(Dialect::kSeries));
    add(Brief::kSoftsign, BriefFormat::kFp32Tables, special::softsign(Dialect::kTables));
    const auto add_line = [&](Brief function, auto line) {
      add(function, BriefFormat::kFp16, line(Dtype::kFp16, Dialect::kSeries));
      add(function, BriefFormat::kBf16, line(Dtype::kBf16, Dialect::kSeries));
    };
    add_line(Brief::kHsigmoid, special::hsigmoid);
    add_line(Brief::kHswish, special::hswish);
    return list;
  }());
  return all;
}

}  // namespace
}  // namespace simd

BriefRow brief_row(special::Compute on_arrays, Dtype dtype) {
  for (const simd::Known& each : simd::all_brief()) {
    if (each.on_arrays == on_arrays)
      return simd::brief_of_processor(each.function, each.format, dtype);
  }
  return nullptr;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
