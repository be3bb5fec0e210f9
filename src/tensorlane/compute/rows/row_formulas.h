// What element-wise functions compute: one formula each, for whatever the arithmetic A is of.
//
//   name, sources, the result of a, b, c and d
//
// Of vectors of an element type (float_numbers_inl.h, typed_rows.cc): the fast paths. Of numbers,
// one at a time (number_arithmetic.h): rows of any form and the reference. Of words
// (formula_words.h): the sentence of the entry, which is printed and which the shadow in double
// precision evaluates. A line here is all of these; the tests of row functions find it.
//
// A rounds each step to its type as the chip does. The bits are one and the same in vectors and
// numbers, NaN and denormals included.
#ifndef TENSORLANE_COMPUTE_ROWS_ROW_FORMULAS_H_
#define TENSORLANE_COMPUTE_ROWS_ROW_FORMULAS_H_

// A formula as a template: TL_FORMULA_OF(inline, Add, 2, A::add(a, b)) is Add<A>::of(a, b).
#define TL_FORMULA_OF(inlined, name, sources, ...)                             \
  template <class A>                                                           \
  struct name {                                                                \
    static constexpr int kSources = sources;                                   \
    template <class TA, class TB, class TC, class TD>                          \
    static inlined auto of(TA a, [[maybe_unused]] TB b, [[maybe_unused]] TC c, \
                           [[maybe_unused]] TD d) {                            \
      return __VA_ARGS__;                                                      \
    }                                                                          \
    template <class TA, class TB, class TC>                                    \
    static inlined auto of(TA a, TB b, TC c) {                                 \
      return of(a, b, c, c);                                                   \
    }                                                                          \
    template <class TA, class TB>                                              \
    static inlined auto of(TA a, TB b) {                                       \
      return of(a, b, b, b);                                                   \
    }                                                                          \
    template <class TA>                                                        \
    static inlined auto of(TA a) {                                             \
      return of(a, a, a, a);                                                   \
    }                                                                          \
  };

// Floats; fp16 and bf16 are computed in fp32 and rounded once: 24 bits are at least 2 * 11 + 2, so
// that a sum, a difference or a product comes out as if it had been rounded alone.
#define TL_FLOAT_FORMULAS(X)                                                                  \
  X(Add, 2, A::add(a, b))                                                                     \
  X(Subtract, 2, A::sub(a, b))                                                                \
  X(SubtractFrom, 2, A::sub(b, a))                                                            \
  X(Multiply, 2, A::mul(a, b))                                                                \
  X(Negate, 1, A::sub(A::set(0), a))                                                          \
  X(Difference, 2, A::select(A::greater(a, b), A::sub(a, b), A::sub(b, a)))                   \
  X(Scale, 2, A::add(A::mul(a, b), A::set(0))) /* -0 becomes +0 */                            \
  X(ScaleBias, 3, A::add(A::mul(a, b), c))                                                    \
  X(SquaredSum, 2, A::square(A::add(a, b)))                                                   \
  X(SquaredDifference, 2, A::square(A::sub(a, b)))                                            \
  X(Prelu, 2, A::select(A::greater(a, A::set(0)), a, A::mul(b, a)))                           \
  X(Sign, 1, A::sign(a))                                            /* that of a NaN is -1 */ \
  X(Exponent, 1, A::exponent(a))                                    /* -127 for 0 */          \
  X(HalfToEven, 1, A::template whole<RoundingMode::kHalfToEven>(a)) /* whole numbers */       \
  X(HalfAwayFromZero, 1, A::template whole<RoundingMode::kHalfAwayFromZero>(a))               \
  X(TowardsZero, 1, A::template whole<RoundingMode::kTowardsZero>(a))                         \
  X(Down, 1, A::template whole<RoundingMode::kDown>(a))                                       \
  X(Up, 1, A::template whole<RoundingMode::kUp>(a))

// fp32 alone.
#define TL_FP32_FORMULAS(X)                                                            \
  X(MultiplyAdd, 3, A::add(A::mul(b, c), a))                                           \
  X(Divide, 2, A::div(a, b)) /* by Newton steps, as all below */                       \
  X(Reciprocal, 1, A::div(A::set(1), a))                                               \
  X(ReciprocalRoot, 1, A::rsqrt(a))                                                    \
  X(Root, 1, A::div(A::set(1), A::rsqrt(a)))                                           \
  X(Least, 2, A::select(A::at_most(a, b), a, b))                                       \
  X(GreaterValue, 3, A::select(A::greater(a, b), c, A::set(0)))                        \
  X(EqualBitsValue, 3, A::select(A::equal_bits(a, b), c, A::set(0)))                   \
  X(NeitherGreater, 4, A::select(A::either(A::greater(a, b), A::greater(b, a)), d, c)) \
  X(ToInt32, 1, A::bits_of_int(A::cut(a)))      /* toward zero, saturated */           \
  X(LowByte, 1, A::low_byte(A::int_of_bits(a))) /* of an int32, signed */              \
  X(ExponentNumber, 1, A::bits_of_int(A::exponent_number(a)))                          \
  X(ExpFromTail, 2, A::exp_of(a, b))                                                   \
  X(TanhFromRatio, 1, A::sub(A::set(1), A::mul(A::set(2), a)))

// Comparisons by value, and what is chosen keeps its bits; the first two flush denormals.
#define TL_ORDER_FORMULAS(X)                                    \
  X(Maximum, 2, A::flushed(A::select(A::greater(a, b), a, b)))  \
  X(Minimum, 2, A::flushed(A::select(A::at_least(a, b), b, a))) \
  X(Relu, 1, A::select(A::greater(a, A::zero()), a, A::zero())) \
  X(GreaterEqual, 4, A::select(A::greater_or_equal(a, b), c, d)) /* a NaN equals itself */
// Of integers too.
#define TL_CHOICE_FORMULAS(X)                      \
  X(Greater, 4, A::select(A::greater(a, b), c, d)) \
  X(Equal, 4, A::select(A::equal(a, b), c, d))
// What holds where another one does not.
#define TL_COMPLEMENTS(X)  \
  X(Less, 4, GreaterEqual) \
  X(LessEqual, 4, Greater) \
  X(NotEqual, 4, Equal)

// Sums, differences and products of integers keep their low bits.
#define TL_INTEGER_FORMULAS(X)       \
  X(Add, 2, A::add(a, b))            \
  X(Subtract, 2, A::sub(a, b))       \
  X(Multiply, 2, A::mul(a, b))       \
  X(Maximum, 2, A::max(a, b))        \
  X(Minimum, 2, A::min(a, b))        \
  X(Relu, 1, A::max(a, A::zero()))   \
  X(Negate, 1, A::sub(A::zero(), a)) \
  X(Sign, 1, A::sign(a))
#define TL_SIZE_FORMULAS(X) X(Absolute, 1, A::absolute(a)) /* floats: without the sign bit */
#define TL_FLOAT_BIT_FORMULAS(X) X(Finite, 1, A::one_if_finite(a)) /* else 0 */

#define TL_BIT_FORMULAS(X) \
  X(And, 2, A::both(a, b)) \
  X(Or, 2, A::any(a, b))   \
  X(Xor, 2, A::one(a, b))  \
  X(Complement, 1, A::complement(a))
// int32: by the signed low six bits of b, as the 32-bit shifts of the BM1684.
#define TL_SHIFT_FORMULAS(X) X(Shift, 2, A::shift(a, b))

// All but those of integers, which have names of the others, and the complements. Those of fp32
// come last: the numbers of the others stay when one is added.
#define TL_ALL_FORMULAS(X) \
  TL_FLOAT_FORMULAS(X)     \
  TL_ORDER_FORMULAS(X)     \
  TL_CHOICE_FORMULAS(X)    \
  TL_SIZE_FORMULAS(X)      \
  TL_FLOAT_BIT_FORMULAS(X) \
  TL_BIT_FORMULAS(X)       \
  TL_SHIFT_FORMULAS(X)     \
  TL_FP32_FORMULAS(X)

#endif  // TENSORLANE_COMPUTE_ROWS_ROW_FORMULAS_H_
