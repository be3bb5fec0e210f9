#include "tensorlane/compute/rows/dense_elements.h"

#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane {

Layout dense_like(const Layout& layout) {
  Layout dense(layout.dtype());
  std::int64_t stride = layout.size() * layout.element_units();
  for (int d = 0; d < layout.rank(); ++d) {
    stride /= layout.extent(d);
    dense.add_dim(layout.extent(d), {{1, stride}});
  }
  return dense;
}

void copy_elements(const Layout& dst, std::byte* to, const Layout& src, const std::byte* from) {
  for (const Box& box : fold({&dst, &src})) strided_copy(box, to, from, dst.element_units());
}

std::vector<std::byte> dense_elements(const Invocation& invocation, const Operand& operand) {
  const Layout& from = operand.layout;
  std::vector<std::byte> buffer(static_cast<std::size_t>(from.size() * from.element_units()));
  copy_elements(dense_like(from), buffer.data(), from, invocation.base(operand));
  return buffer;
}

}  // namespace tensorlane
