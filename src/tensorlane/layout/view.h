// Typed access to the elements of a tensor through its layout.
//
//   std::vector<std::byte> image = ...;                       // an IN_OUT_CHANNEL image
//   TensorView<float> pixels(tensor.layout, image);
//   float value = pixels(0, 1, 2, 3);                         // element n 0, h 1, w 2, c 3
//   pixels.set(value * 2, 0, 1, 2, 3);
//
// A view owns nothing. It checks once, when it is made, that every element lies inside the memory;
// access to an element neither checks nor allocates.
#ifndef TENSORLANE_LAYOUT_VIEW_H_
#define TENSORLANE_LAYOUT_VIEW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/layout.h"

namespace tensorlane {

// `T` is a type of the size of the layout's elements (not for 4-bit ones); a const T gives a view
// that only reads. `memory` begins at address 0 of the layout.
template <class T>
class TensorView {
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;

 public:
  // Throws UserError when T has another size, or an element lies outside `memory`.
  TensorView(const Layout& layout, std::span<Byte> memory) : layout_(layout), memory_(memory) {
    if (layout.unit_bits() != 8 || layout.element_units() != static_cast<std::int64_t>(sizeof(T))) {
      user_error("a view of {}-byte elements on a layout of {}", sizeof(T),
                 dtype_name(layout.dtype()));
    }
    const Layout::Bounds bounds = layout.bounds();
    if (bounds.begin < 0 || bounds.end > static_cast<std::int64_t>(memory.size())) {
      user_error("the tensor takes bytes {} to {}; the memory has {}", bounds.begin, bounds.end - 1,
                 memory.size());
    }
  }

  const Layout& layout() const { return layout_; }

  // The element at `index`, one number per dimension.
  template <class... Index>
  std::remove_const_t<T> operator()(Index... index) const {
    std::remove_const_t<T> value;
    std::memcpy(&value, memory_.data() + address(index...), sizeof(T));
    return value;
  }
  template <class... Index>
  void set(const T& value, Index... index) const requires(!std::is_const_v<T>) {
    std::memcpy(memory_.data() + address(index...), &value, sizeof(T));
  }

 private:
  template <class... Index>
  std::int64_t address(Index... index) const {
    const std::array<std::int64_t, sizeof...(Index)> at = {static_cast<std::int64_t>(index)...};
    return layout_.address(at);
  }

  Layout layout_;
  std::span<Byte> memory_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_VIEW_H_
