// Mistakes of the place: the elements lie as they would at another address, or in another layout.
#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/packing_mistakes_internal.h"
#include "tensorlane/layout/packing_orders.h"

namespace tensorlane::packing_internal {
namespace {

bool moved_by(const Explanation& sought, const Layout& moved) {
  const WrongPacking& wrong = sought.wrong();
  const Layout& plain = sought.plain();
  std::int64_t right = 0;
  Layout::Index index{};
  for (std::int64_t i = 0; i < moved.size(); ++i) {
    const std::int64_t at = moved.address(index);
    if (inside(moved, at, wrong.packed.size())) {
      if (bits_at(moved, wrong.packed, at) != bits_at(plain, wrong.plain, plain.address(index)))
        return false;
      ++right;
    }
    for (int d = moved.rank() - 1; d >= 0 && ++index[d] == moved.extent(d); --d) index[d] = 0;
  }
  return right * 2 > moved.size();
}

// As if the tensor were packed like that.
template <class Words>
void suspect_layout(Explanation& sought, const LayoutSpec& spec, const Words& words) {
  if (sought.explained()) return;
  const WrongPacking& wrong = sought.wrong();
  try {
    const NamedLayout other = make_layout(spec);
    if (!other.holds_elements || other.axes.size() != wrong.to.axes.size()) return;
    Layout layout = memory_layout(other);
    if (other.is_local() && wrong.to.is_local() && other.bytes_per_npu <= wrong.to.bytes_per_npu)
      layout.set_npu_bytes(wrong.to.bytes_per_npu);
    layout = layout.permuted(wrong.to.axes.places_in(other.axes));
    for (int d = 0; d < layout.rank(); ++d) {
      if (layout.extent(d) != sought.target().extent(d)) return;
    }
    sought.suspect(layout, sought.plain(), words);
  } catch (const UserError&) {  // no layout of this tensor
  }
}

}  // namespace

void place_mistakes(Explanation& sought) {
  const WrongPacking& wrong = sought.wrong();
  const Layout& target = sought.target();
  for (std::int64_t by = 1; by <= 256; ++by) {
    for (const std::int64_t sign : {1, -1}) {
      // What is pushed over an end is gone; the rest has to be there.
      Layout moved = target;
      moved.set_base(target.base() + sign * by);
      if (sought.explained() || !moved_by(sought, moved)) continue;
      const std::int64_t bytes = by * target.unit_bits() / 8;
      sought.explain(target.unit_bits() == 4 && by % 2 == 1
                         ? tr("every element lies an odd number of nibbles from its place")
                     : sign > 0 ? tr("every element lies {} bytes behind its place", bytes)
                                : tr("every element lies {} bytes before its place", bytes));
    }
  }
  if (!wrong.to.is_local()) return;
  LayoutSpec spec = wrong.to.spec;
  for (std::int64_t npu = 0; !wrong.to.info->written && npu < wrong.to.memory().npus; ++npu) {
    spec.start_npu = npu;
    if (npu != wrong.to.spec.start_npu) {
      suspect_layout(sought, spec, [&] {
        return tr("it begins at NPU {}, not {}", npu, wrong.to.spec.start_npu);
      });
    }
  }
}

void layout_mistakes(Explanation& sought) {
  const NamedLayout& to = sought.wrong().to;
  for (const LayoutInfo& info : layouts_of(to.spec.system)) {
    if (&info == to.info || info.winograd || info.axes.size() != to.axes.size() ||
        !info.axes.permutes(to.axes))
      continue;
    LayoutSpec spec = to.spec;
    spec.layout = info.name;
    spec.shape = converted_shape(info.axes, to.axes, to.spec.shape);
    spec.strides.clear();
    spec.offset = 0;
    suspect_layout(sought, spec, [&] {
      return info.row_major
                 ? tr("it is not packed: the elements stand row by row, as {}", info.name)
                 : tr("it is packed as {}, not as {}", info.name, to.name());
    });
  }
  if (!to.spec.cols_per_channel) return;
  LayoutSpec spec = to.spec;
  for (std::int64_t width = 1; width <= std::min<std::int64_t>(4096, to.spec.shape.back());
       ++width) {
    spec.cols_per_channel = width;
    suspect_layout(sought, spec, [&] {
      return tr("a channel has {} columns, not {}", width, *to.spec.cols_per_channel);
    });
  }
}

// There are thousands of orders, of which an element or two tell most: of tensors of few values not
// all are tried.
void order_mistakes(Explanation& sought) {
  const WrongPacking& wrong = sought.wrong();
  const Layout &target = sought.target(), &plain = sought.plain();
  if (wrong.to.is_local()) return;
  const Axes& axes = wrong.to.axes;
  const std::int64_t most = sought.compared() + (std::int64_t{1} << 26);
  for_each_row_major_order(target, axes, [&](const Layout& layout, const std::string& text) {
    sought.suspect(layout, plain, [&] {
      return tr("it is not packed: the elements stand row by row, as {}", text);
    });
  });
  for_each_order_of_digits(target, axes, [&](const Layout& layout, const std::string& text) {
    if (sought.compared() > most) return;
    sought.suspect(layout, plain,
                   [&] { return tr("it is packed as {}, not as {}", text, wrong.to.name()); });
  });
}

}  // namespace tensorlane::packing_internal
