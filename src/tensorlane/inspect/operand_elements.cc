#include "tensorlane/inspect/operand_elements.h"

#include <fmt/format.h>

#include <cstring>

#include "tensorlane/inspect/value.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/tensor/int4.h"

namespace tensorlane::inspect {
namespace {

// `at` counts elements of 4 bits, bytes for all others.
std::uint32_t read_bits(const std::byte* memory, std::int64_t at, Dtype dtype) {
  if (dtype_bits(dtype) == 4)
    return get_nibble(reinterpret_cast<const std::uint8_t*>(memory), static_cast<std::size_t>(at));
  std::uint32_t bits = 0;
  std::memcpy(&bits, memory + at, static_cast<std::size_t>(dtype_bytes(dtype)));
  return bits;
}

}  // namespace

Shape OperandElements::shape() const {
  Shape shape;
  for (int d = 0; d < operand_.layout.rank(); ++d) shape.push_back(operand_.layout.extent(d));
  return shape;
}

OperandElements::Index OperandElements::index(std::int64_t number) const {
  Index index{};
  for (int d = operand_.layout.rank() - 1; d >= 0; --d) {
    index[static_cast<std::size_t>(d)] = number % operand_.layout.extent(d);
    number /= operand_.layout.extent(d);
  }
  return index;
}

std::int64_t OperandElements::number(const Index& index) const {
  std::int64_t number = 0;
  for (int d = 0; d < operand_.layout.rank(); ++d)
    number = number * operand_.layout.extent(d) + index[static_cast<std::size_t>(d)];
  return number;
}

std::string OperandElements::index_text(const Index& index) const {
  std::string text = "[";
  for (int d = 0; d < operand_.layout.rank(); ++d)
    text += fmt::format("{}{}", d == 0 ? "" : ",", index[static_cast<std::size_t>(d)]);
  return text + "]";
}

Place OperandElements::place(const Index& index) const {
  const auto bits = static_cast<std::uint64_t>(operand_.layout.address(index)) *
                    static_cast<std::uint64_t>(operand_.layout.unit_bits());
  return {operand_.space, bits / 8, static_cast<int>(bits % 8)};
}

std::optional<OperandElements::Index> OperandElements::element_at(const Place& place) const {
  if (place.space != operand_.space || size() == 0) return {};
  const int unit = operand_.layout.unit_bits();
  return operand_.layout.element_at(static_cast<std::int64_t>(place.offset) * 8 / unit +
                                    place.bit / unit);
}

std::uint32_t OperandElements::bits(const Index& index) const {
  return read_bits(memory_, operand_.layout.address(index), dtype());
}

double OperandElements::value(const Index& index) const {
  return value_of(bits(index), dtype());
}

std::string OperandElements::text(const Index& index) const {
  return value_text(bits(index), dtype());
}

Tensor OperandElements::tensor() const {
  Tensor tensor{dtype(), shape(), {}};
  tensor.data.resize(tensor_bytes(tensor.dtype, tensor.shape, "operand"));
  if (size() > 0)
    convert(row_major_layout(tensor.shape, tensor.dtype), tensor.data.data(), operand_.layout,
            memory_, {.element = {}, .threads = CopyThreads::kSerial});
  return tensor;
}

std::uint32_t element_bits(const Tensor& tensor, std::int64_t number) {
  const int bits = dtype_bits(tensor.dtype);
  return read_bits(tensor.data.data(), bits == 4 ? number : number * bits / 8, tensor.dtype);
}

}  // namespace tensorlane::inspect
