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

constexpr int kBriefBlock = 1;

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

// ---- functions of one source ----

#define TL_BRIEF_FORMULA(name)                                \
  template <class A>                                          \
  struct name##_formula {                                     \
    static HWY_INLINE V of(V x, const Constants& constants) { \
      return formulas::of_##name<A>(x, x, constants);         \
    }                                                         \
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

template <class E, template <class> class Formula>
void brief_of_one(const Row& frame, const Constants& given) {
  const special::Environment<typename E::Format> environment;
  with_known_steps(given, [&frame](Constants constants) TL_INLINE_ATTR {
    map_vectors<typename E::Tag, 1, kBriefBlock>(frame, [constants](auto x) TL_INLINE_ATTR {
      return E::write(Formula<typename E::A>::of(E::read(x), constants));
    });
  });
}

// ---- quotients ----

template <class E>
void quotients_by_one(const Row& frame, const Constants& constants) {
  using A = typename E::A;
  const V y = E::one_for_all(frame.src[1]);
  const V inverse = formulas::reciprocal<A>(y, constants.steps);
  map_vectors<typename E::Tag, 1, kBriefBlock>(frame, [=](auto x) TL_INLINE_ATTR {
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
  map_vectors<Floats, 1, kBriefBlock>(once, [steps = constants.steps](V y) TL_INLINE_ATTR {
    return formulas::reciprocal<A>(y, steps);
  });
  if constexpr (E::Format::kChecksRoots) {
    frame.src[2] = once.dst;
    frame.src_step[2] = sizeof(float);
    frame.src_next[2] = frame.src_block[2] = 0;
    map_vectors<Floats, 3, kBriefBlock>(frame, [](V x, V y, V inverse) TL_INLINE_ATTR {
      return A::written(formulas::quotient<A>(x, y, inverse));
    });
  } else {
    frame.src[1] = once.dst;
    map_vectors<Floats, 2, kBriefBlock>(frame, [](V x, V inverse) TL_INLINE_ATTR {
      return A::written(formulas::quotient<A>(x, x, inverse));
    });
  }
}

template <class E>
void quotients(const Row& frame, const Constants& given) {
  using A = typename E::A;
  if (Places::of_source(frame, 1).all_the_same()) return quotients_by_one<E>(frame, given);
  if constexpr (std::is_same_v<typename E::Tag, Floats>) {
    const bool same_row = frame.src_next[1] == 0 && frame.src_block[1] == 0;
    if (same_row && frame.rows * frame.blocks > 1) return quotients_by_row<E>(frame, given);
  }
  with_known_steps(given, [&frame](Constants constants) TL_INLINE_ATTR {
    map_vectors<typename E::Tag, 2, kBriefBlock>(frame, [constants](auto x, auto y) TL_INLINE_ATTR {
      return E::write(formulas::of_div<A>(E::read(x), E::read(y), constants));
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
  return dtype == Dtype::kFp16 ? root_of<BriefElements<Format, Fp16>>(function)
                               : root_of<BriefElements<Format, Bf16>>(function);
}
template <class E>
BriefRow line_of(Brief function) {
  return function == Brief::kHsigmoid ? brief_of_one<E, hsigmoid_formula>
                                      : brief_of_one<E, hswish_formula>;
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
