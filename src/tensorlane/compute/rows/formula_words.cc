#include "tensorlane/compute/rows/formula_words.h"

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

std::string within(const Words& words, Binding least) {
  return words.binding < least ? "(" + words.text + ")" : words.text;
}
// Left operands bind as their operator does, right ones more.
Words joined(const Words& a, std::string_view sign, const Words& b, Binding binding) {
  const auto more = static_cast<Binding>(static_cast<int>(binding) + 1);
  return {within(a, binding) + " " + std::string(sign) + " " + within(b, more), binding};
}

std::string_view sign_of(unsigned holds) {
  constexpr std::string_view kSigns[] = {"", "<", "==", "<=", ">", "!=", ">="};
  TL_INTERNAL_CHECK(holds > 0 && holds < 7);
  return kSigns[holds];
}

}  // namespace

Words FormulaWords::set(int value) {
  return {std::to_string(value)};
}
Words FormulaWords::add(const Words& a, const Words& b) {
  return joined(a, "+", b, Binding::kSum);
}
Words FormulaWords::sub(const Words& a, const Words& b) {
  return joined(a, "-", b, Binding::kSum);
}
Words FormulaWords::mul(const Words& a, const Words& b) {
  return joined(a, "*", b, Binding::kProduct);
}
Words FormulaWords::div(const Words& a, const Words& b) {
  return joined(a, "/", b, Binding::kProduct);
}
Words FormulaWords::square(const Words& a) {
  return {within(a, Binding::kPrimary) + " ^ 2", Binding::kPower};
}
Words FormulaWords::rsqrt(const Words& a) {
  return {"1 / sqrt(" + a.text + ")", Binding::kProduct};
}

Relation FormulaWords::either(const Relation& a, const Relation& b) {
  TL_INTERNAL_CHECK(a.a.text == b.a.text && a.b.text == b.b.text);
  return {a.a, a.b, a.holds | b.holds};
}
Words FormulaWords::select(const Relation& relation, const Words& yes, const Words& no) {
  const Words test = joined(relation.a, sign_of(relation.holds), relation.b, Binding::kCompare);
  return {test.text + " ? " + within(yes, Binding::kCompare) + " : " + no.text, Binding::kChoice};
}
Words ComplementWords::select(const Relation& relation, const Words& yes, const Words& no) {
  return FormulaWords::select(
      {relation.a, relation.b, ~relation.holds & (kLess | kEqual | kGreater)}, no, yes);
}

Words FormulaWords::both(const Words& a, const Words& b) {
  return joined(a, "&", b, Binding::kSum);
}
Words FormulaWords::any(const Words& a, const Words& b) {
  return joined(a, "|", b, Binding::kSum);
}
Words FormulaWords::one(const Words& a, const Words& b) {
  return joined(a, "^", b, Binding::kSum);
}
Words FormulaWords::complement(const Words& a) {
  return {"~" + within(a, Binding::kPrimary)};
}

}  // namespace tensorlane
