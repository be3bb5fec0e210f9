// What the ops list says about which elements of a result are made of which elements of a source.
#ifndef TENSORLANE_TRAIL_DEPENDENCE_H_
#define TENSORLANE_TRAIL_DEPENDENCE_H_

#include <string_view>

#include "tensorlane/ops/command.h"
#include "tensorlane/trail/element_boxes.h"
#include "tensorlane/trail/windows.h"

namespace tensorlane::trail {

// A number that operands of the same shape and storage by the list have in common.
int shape_class(const Op& op, const OperandSpec& spec);
// A number that operands of the same batches and channels by the list have in common.
int channel_class(const Op& op, const OperandSpec& spec);

// Moves of bits without a change of place among the dimensions, to the same shape or broadcast.
bool copies(const Op& op);
// Every source has the shape of the result or one value per channel, tables of coefficients apart;
// a copy also when it broadcasts. What it computes of undefined elements concerns the same elements
// of the result only.
bool element_wise(const Op& op);
// The same words on every NPU, which every element of the result depends on.
bool is_table(const OperandSpec& spec);

// The layout of a 4N or 2N tensor with its batches filled up to whole 32-bit words: dummy lanes are
// computed and written like real ones [observed]. Other layouts stay as they are.
Layout whole_words(const Operand& operand);

// How a dimension of a source lies to the dimensions of a result where indices go by name
// (Dependence::kByIndex, and kByShape of what is element-wise).
struct Relation {
  enum class Kind : std::uint8_t {
    kSame,     // the same index as dimension `dim` of the result
    kWindows,  // what the windows along dimension `dim` cover
    kAll,      // all elements, whichever the result
  };
  Kind kind = Kind::kAll;
  int dim = -1;
  Windows windows = {};
  // What counts the elements that one of the result is made of: the extent of the dimension, or of
  // the window, as the entry spells it. The same in two sources: they go together, as factors do.
  std::string_view counted = {};
};
Relation relation(const Command& command, const Operand& source, int dim, const Operand& result);
// The elements of a source that element `at` of a result is made of.
Elements made_of(const Command& command, const Operand& result, const Layout::Index& at,
                 const Operand& source);

// What elements of a source make of a result where indices go by name (Dependence::kByIndex).
struct Reach {
  Elements results;  // made of some of them
  Elements used;     // those that something is made of; meaningless when there are no results
};
Reach reach(const Command& command, const Operand& source, const ElementBox& box,
            const Operand& result);

// The source of an element-wise command with the extents of its result: a value that is broadcast
// counts for all it becomes, with strides of 0.
Layout spread(const Layout& source, const Layout& result);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_DEPENDENCE_H_
