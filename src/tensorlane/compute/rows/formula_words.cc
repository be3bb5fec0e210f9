#include "tensorlane/compute/rows/formula_words.h"

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

std::string within(const Wording& words, Binding least) {
  return words.binding < least ? "(" + words.text + ")" : words.text;
}
// Left operands bind as their operator does, right ones more.
Wording joined(const Wording& a, std::string_view sign, const Wording& b, Binding binding) {
  const auto more = static_cast<Binding>(static_cast<int>(binding) + 1);
  return {within(a, binding) + " " + std::string(sign) + " " + within(b, more), binding};
}

std::string_view sign_of(unsigned holds) {
  constexpr std::string_view kSigns[] = {"", "<", "==", "<=", ">", "!=", ">="};
  TL_INTERNAL_CHECK(holds > 0 && holds < 7);
  return kSigns[holds];
}

}  // namespace

Wording FormulaWords::set(int value) {
  return {std::to_string(value)};
}
Wording FormulaWords::add(const Wording& a, const Wording& b) {
  return joined(a, "+", b, Binding::kSum);
}
Wording FormulaWords::sub(const Wording& a, const Wording& b) {
  return joined(a, "-", b, Binding::kSum);
}
Wording FormulaWords::mul(const Wording& a, const Wording& b) {
  return joined(a, "*", b, Binding::kProduct);
}
Wording FormulaWords::div(const Wording& a, const Wording& b) {
  return joined(a, "/", b, Binding::kProduct);
}
Wording FormulaWords::square(const Wording& a) {
  return {within(a, Binding::kPrimary) + " ^ 2", Binding::kPower};
}
Wording FormulaWords::rsqrt(const Wording& a) {
  return {"1 / sqrt(" + a.text + ")", Binding::kProduct};
}

Relation FormulaWords::either(const Relation& a, const Relation& b) {
  TL_INTERNAL_CHECK(a.a.text == b.a.text && a.b.text == b.b.text);
  return {a.a, a.b, a.holds | b.holds};
}
Wording FormulaWords::select(const Relation& relation, const Wording& yes, const Wording& no) {
  const Wording test = joined(relation.a, sign_of(relation.holds), relation.b, Binding::kCompare);
  return {test.text + " ? " + within(yes, Binding::kCompare) + " : " + no.text, Binding::kChoice};
}
Wording ComplementWords::select(const Relation& relation, const Wording& yes, const Wording& no) {
  return FormulaWords::select(
      {relation.a, relation.b, ~relation.holds & (kLess | kEqual | kGreater)}, no, yes);
}

Wording FormulaWords::both(const Wording& a, const Wording& b) {
  return joined(a, "&", b, Binding::kSum);
}
Wording FormulaWords::any(const Wording& a, const Wording& b) {
  return joined(a, "|", b, Binding::kSum);
}
Wording FormulaWords::one(const Wording& a, const Wording& b) {
  return joined(a, "^", b, Binding::kSum);
}
Wording FormulaWords::complement(const Wording& a) {
  return {"~" + within(a, Binding::kPrimary)};
}

}  // namespace tensorlane
