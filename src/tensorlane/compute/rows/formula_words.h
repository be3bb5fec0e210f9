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

struct Words {
  std::string text;
  Binding binding = Binding::kPrimary;
};

// a and b compared: which of less, equal and greater is meant.
struct Relation {
  Words a, b;
  unsigned holds;
};

struct FormulaWords {
  static constexpr unsigned kLess = 1, kEqual = 2, kGreater = 4;

  static Words set(int value);
  static Words zero() { return set(0); }
  static Words add(const Words& a, const Words& b);
  static Words sub(const Words& a, const Words& b);
  static Words mul(const Words& a, const Words& b);
  static Words div(const Words& a, const Words& b);
  static Words square(const Words& a);
  static Words rsqrt(const Words& a);
  static Words flushed(const Words& a) { return a; }

  static Relation greater(const Words& a, const Words& b) { return {a, b, kGreater}; }
  static Relation at_least(const Words& a, const Words& b) { return {a, b, kGreater | kEqual}; }
  static Relation at_most(const Words& a, const Words& b) { return {a, b, kLess | kEqual}; }
  static Relation equal(const Words& a, const Words& b) { return {a, b, kEqual}; }
  // Of the same two operands.
  static Relation either(const Relation& a, const Relation& b);
  static Words select(const Relation& relation, const Words& yes, const Words& no);

  static Words both(const Words& a, const Words& b);
  static Words any(const Words& a, const Words& b);
  static Words one(const Words& a, const Words& b);
  static Words complement(const Words& a);
};
// For TL_COMPLEMENTS, which exchange what is selected: the relation says so instead.
struct ComplementWords : FormulaWords {
  static Words select(const Relation& relation, const Words& yes, const Words& no);
};

template <TypedRow kRow>
constexpr bool kIsComplement =
    kRow == TypedRow::kLess || kRow == TypedRow::kLessEqual || kRow == TypedRow::kNotEqual;

// "src0 > src1 ? src2 : src3" of kGreater and these four names.
template <TypedRow kRow, class... Name>
std::string formula_words(const Name&... names) {
  using A = std::conditional_t<kIsComplement<kRow>, ComplementWords, FormulaWords>;
  return FormulaOf<kRow>::template of<A>(Words{names}...).text;
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
