// Which operands an implementation takes, as far as it is a matter of where their elements lie.
//
// It is said here and nowhere else: no implementation tests strides or addresses for itself. How
// elements follow each other along a row is tested by run_rows (compute/rows/elementwise.h), how
// operands overlap by run_first (ops/dispatch.h). What an implementation does not take goes to the
// next of its list and at last to the reference, which takes everything.
#ifndef TENSORLANE_OPS_OPERAND_FORMS_H_
#define TENSORLANE_OPS_OPERAND_FORMS_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace tensorlane {

// How the elements of an operand follow each other along a row: the innermost loop over all
// operands of a call (layout/fold.h).
enum class Along : std::uint8_t {
  kSideBySide,  // each right behind the one before, as the only one of a row is
  kOneForAll,   // one for the whole row: a step of 0, an extent of 1 read again, a constant
  kApart,       // any other step: gaps, other elements between, backwards
};
inline constexpr int kAlongForms = 3;
std::string_view along_name(Along along);  // "side by side"

// The form of elements of `bytes` bytes that begin `step` bytes apart.
constexpr Along along(std::int64_t step, std::int64_t bytes) {
  if (step == bytes) return Along::kSideBySide;
  return step == 0 ? Along::kOneForAll : Along::kApart;
}

class AlongSet {
 public:
  constexpr AlongSet(std::initializer_list<Along> forms) {
    for (const Along form : forms) bits_ |= bit(form);
  }
  static constexpr AlongSet all() { return {Along::kSideBySide, Along::kOneForAll, Along::kApart}; }
  constexpr bool has(Along form) const { return (bits_ & bit(form)) != 0; }
  friend constexpr bool operator==(const AlongSet&, const AlongSet&) = default;

 private:
  static constexpr unsigned bit(Along form) { return 1U << static_cast<unsigned>(form); }
  unsigned bits_ = 0;
};

// How the bytes that a command writes lie to those of its other operands. Who takes one of these
// takes those above it.
enum class Overlap : std::uint8_t {
  kNone,     // none belongs to another operand, and none to two elements
  kInPlace,  // sources stand where a result does, each element at the same address
  kPartly,   // anything else
};
inline constexpr int kOverlaps = 3;
std::string_view overlap_name(Overlap overlap);  // "in place"

// What an implementation takes. As it stands here: rows of any form, operands apart.
struct OperandForms {
  AlongSet results = AlongSet::all();
  AlongSet sources = AlongSet::all();
  Overlap overlap = Overlap::kNone;  // the most that it takes

  friend constexpr bool operator==(const OperandForms&, const OperandForms&) = default;
};

// Rows of any form; all sources are read, or kept, before a byte of theirs is written.
inline constexpr OperandForms kAnyOperands{AlongSet::all(), AlongSet::all(), Overlap::kPartly};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_OPERAND_FORMS_H_
