// The elements of an operand in device memory, in the operand's own layout: which element lies at a
// place, where an element lies, what it holds.
//
//   const OperandElements elements(operand, memory.base(operand.space));
//   elements.text({0, 3, 1, 2});                 // "-0.25"
//   elements.place({0, 3, 1, 2});                // NPU 3, offset 0x1018
//   elements.element_at(place);                  // {0, 3, 1, 2}, or nothing for padding
//   write_npy_file("x.npy", elements.tensor());  // in logical order, whatever the layout
//
// An index has one number per dimension of the layout: (n, c, h, w), or (row, column) of a matrix.
#ifndef TENSORLANE_INSPECT_OPERAND_ELEMENTS_H_
#define TENSORLANE_INSPECT_OPERAND_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tensorlane/inspect/place.h"
#include "tensorlane/io/tensor.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::inspect {

class OperandElements {
 public:
  using Index = Layout::Index;

  // Keeps the operand, whose elements all lie in its memory: one of a decoded command. `memory` is
  // where offset 0 of `operand.space` lies.
  OperandElements(const Operand& operand, const std::byte* memory)
      : operand_(operand), memory_(memory) {}

  // n, c, h, w, or rows and columns.
  Shape shape() const;
  std::int64_t size() const { return operand_.layout.size(); }
  Dtype dtype() const { return operand_.layout.dtype(); }

  // The element that comes at `number` in logical order, and back. No check of the range.
  Index index(std::int64_t number) const;
  std::int64_t number(const Index& index) const;
  // "[0,3,1,2]"
  std::string index_text(const Index& index) const;

  Place place(const Index& index) const;
  // The element that owns a place; nothing where it is padding, or no byte of the operand. Where
  // elements share bytes (stride 0) the first in logical order.
  std::optional<Index> element_at(const Place& place) const;

  // The bits of an element, in the low end of the word, its value, and that as text (see value.h).
  std::uint32_t bits(const Index& index) const;
  double value(const Index& index) const;
  std::string text(const Index& index) const;

  // All elements in logical order, without gaps.
  Tensor tensor() const;

 private:
  const Operand& operand_;
  const std::byte* memory_;
};

// The bits of element `number` of a tensor.
std::uint32_t element_bits(const Tensor& tensor, std::int64_t number);

}  // namespace tensorlane::inspect

#endif  // TENSORLANE_INSPECT_OPERAND_ELEMENTS_H_
