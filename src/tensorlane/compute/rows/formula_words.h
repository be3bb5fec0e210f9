// The arithmetic of words for row_formulas.h: Add of "src0" and "src1" is "src0 + src1", as
// ops/real_formula.h reads it. Rounding and flushing are no part of the meaning and have no words.
#ifndef TENSORLANE_COMPUTE_ROWS_FORMULA_WORDS_H_
#define TENSORLANE_COMPUTE_ROWS_FORMULA_WORDS_H_

#include <string>
#include <string_view>

#include "tensorlane/compute/rows/formula_of.h"
#include "tensorlane/ops/op.h"
#include "tensorlane/ops/texts.h"

namespace tensorlane {

// How tightly an expression binds: what binds less than its place asks for gets parentheses.
enum class Binding : std::uint8_t { kChoice, kCompare, kSum, kProduct, kPower, kPrimary };

struct Wording {
  std::string text;
  Binding binding = Binding::kPrimary;
};

// a and b compared: which of less, equal and greater is meant.
struct Relation {
  Wording a, b;
  unsigned holds;
};

struct FormulaWords {
  static constexpr unsigned kLess = 1, kEqual = 2, kGreater = 4;

  static Wording set(int value);
  static Wording zero() { return set(0); }
  static Wording add(const Wording& a, const Wording& b);
  static Wording sub(const Wording& a, const Wording& b);
  static Wording mul(const Wording& a, const Wording& b);
  static Wording div(const Wording& a, const Wording& b);
  static Wording square(const Wording& a);
  static Wording rsqrt(const Wording& a);
  static Wording flushed(const Wording& a) { return a; }

  static Relation greater(const Wording& a, const Wording& b) { return {a, b, kGreater}; }
  static Relation at_least(const Wording& a, const Wording& b) { return {a, b, kGreater | kEqual}; }
  static Relation greater_or_equal(const Wording& a, const Wording& b) { return at_least(a, b); }
  static Relation at_most(const Wording& a, const Wording& b) { return {a, b, kLess | kEqual}; }
  static Relation equal(const Wording& a, const Wording& b) { return {a, b, kEqual}; }
  // Of the same two operands.
  static Relation either(const Relation& a, const Relation& b);
  static Wording select(const Relation& relation, const Wording& yes, const Wording& no);

  static Wording both(const Wording& a, const Wording& b);
  static Wording any(const Wording& a, const Wording& b);
  static Wording one(const Wording& a, const Wording& b);
  static Wording complement(const Wording& a);
};
// For TL_COMPLEMENTS, which exchange what is selected: the relation says so instead.
struct ComplementWords : FormulaWords {
  static Wording select(const Relation& relation, const Wording& yes, const Wording& no);
};

template <TypedRow kRow>
constexpr bool kIsComplement =
    kRow == TypedRow::kLess || kRow == TypedRow::kLessEqual || kRow == TypedRow::kNotEqual;

// "src0 > src1 ? src2 : src3" of kGreater and these four names.
template <TypedRow kRow, class... Name>
std::string formula_words(const Name&... names) {
  using A = std::conditional_t<kIsComplement<kRow>, ComplementWords, FormulaWords>;
  return FormulaOf<kRow>::template of<A>(Wording{names}...).text;
}

// The sentence of an entry: formula_doc<TypedRow::kAdd>("dst", "src0", "src1") is what
// computes("dst = src0 + src1") is, with_words(" ...") the same with words behind the formula.
template <TypedRow kRow, class... Name>
Doc formula_doc(std::string_view dst, const Name&... names) {
  return computes(keep(std::string(dst) + " = " + formula_words<kRow>(names...)));
}
inline Doc with_words(Doc doc, const char* words) {
  doc.words = words;
  return doc;
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_FORMULA_WORDS_H_
