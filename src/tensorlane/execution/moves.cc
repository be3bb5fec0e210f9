#include "tensorlane/execution/moves.h"

#include <cstring>
#include <optional>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane {
namespace {

bool overlap(const Operand& a, const Operand& b) {
  if (a.space != b.space) return false;
  const bool local =
      a.layout.space() == AddressSpace::kLocal && b.layout.space() == AddressSpace::kLocal;
  const Layout::Bounds x = a.layout.loose_bounds(local), y = b.layout.loose_bounds(local);
  return x.begin < y.end && y.begin < x.end;
}

Layout dense_like(const Layout& layout) {
  Layout dense(layout.dtype());
  std::int64_t stride = layout.size() * layout.element_units();
  for (int d = 0; d < layout.rank(); ++d) {
    stride /= layout.extent(d);
    dense.add_dim(layout.extent(d), {{1, stride}});
  }
  return dense;
}

void copy(const Layout& dst, std::byte* to, const Layout& src, const std::byte* from) {
  for (const Box& box : fold({&dst, &src})) strided_copy(box, to, from, dst.element_units());
}

// Where the first element is, when the others follow it one after the other.
std::optional<std::int64_t> dense_from(const Layout& layout) {
  const Layout dense = dense_like(layout);
  const std::vector<Box> boxes = fold({&dense, &layout});
  if (boxes.size() != 1) return {};
  const Box& box = boxes.front();
  const bool is_dense =
      box.rank == 0 || (box.rank == 1 && box.loops[0].stride[1] == layout.element_units());
  return is_dense ? std::optional(box.base[1]) : std::nullopt;
}

// Calls f(index) for every element in row-major order.
template <class F>
void each_index(const Layout& layout, F f) {
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    f(index);
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
}

// The elements of a layout one after the other.
std::vector<std::byte> gathered(const Layout& layout, const std::byte* from) {
  const auto unit = static_cast<std::size_t>(layout.element_units());
  std::vector<std::byte> dense;
  dense.reserve(static_cast<std::size_t>(layout.size()) * unit);
  each_index(layout, [&](const Layout::Index& index) {
    const std::byte* const at = from + layout.address(index);
    dense.insert(dense.end(), at, at + unit);
  });
  return dense;
}

void scatter(const Layout& layout, std::byte* to, const std::vector<std::byte>& dense) {
  const auto unit = static_cast<std::size_t>(layout.element_units());
  const std::byte* from = dense.data();
  each_index(layout, [&](const Layout::Index& index) {
    std::memcpy(to + layout.address(index), from, unit);
    from += unit;
  });
}

}  // namespace

std::vector<Implementation> move_elements(std::string_view dst_name, std::string_view src_name,
                                          View view) {
  const auto strided = [=](const Invocation& invocation) {
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    if (!dst.layout.nested()) return false;
    const Layout from = view(invocation.command, dst.layout, src.layout);
    if (!overlap(dst, src)) {
      copy(dst.layout, invocation.base(dst), from, invocation.base(src));
      return true;
    }
    const Layout dense = dense_like(dst.layout);
    std::vector<std::byte> buffer(static_cast<std::size_t>(dense.size() * dense.element_units()));
    copy(dense, buffer.data(), from, invocation.base(src));
    copy(dst.layout, invocation.base(dst), dense, buffer.data());
    return true;
  };
  const auto reference = [=](const Invocation& invocation) {
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    const Layout from = view(invocation.command, dst.layout, src.layout);
    scatter(dst.layout, invocation.base(dst), gathered(from, invocation.base(src)));
    return true;
  };
  return {{"strided", strided}, {"reference", reference}};
}

std::vector<Implementation> move_permuted(std::string_view dst, std::string_view src,
                                          std::vector<int> order) {
  return move_elements(
      dst, src, [order = std::move(order)](const Command&, const Layout&, const Layout& from) {
        return from.permuted(order);
      });
}

std::vector<Implementation> move_flattened(std::string_view dst_name, std::string_view src_name) {
  const auto strided = [=](const Invocation& invocation) {
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    if (!dst.layout.nested()) return false;
    // One of them in order takes the other's shape; else both meet in a buffer.
    if (!overlap(dst, src)) {
      if (const std::optional<std::int64_t> first = dense_from(src.layout)) {
        copy(dst.layout, invocation.base(dst), dense_like(dst.layout).set_base(*first),
             invocation.base(src));
        return true;
      }
      if (const std::optional<std::int64_t> first = dense_from(dst.layout)) {
        copy(dense_like(src.layout).set_base(*first), invocation.base(dst), src.layout,
             invocation.base(src));
        return true;
      }
    }
    std::vector<std::byte> buffer(
        static_cast<std::size_t>(src.layout.size() * src.layout.element_units()));
    copy(dense_like(src.layout), buffer.data(), src.layout, invocation.base(src));
    copy(dst.layout, invocation.base(dst), dense_like(dst.layout), buffer.data());
    return true;
  };
  const auto reference = [=](const Invocation& invocation) {
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    scatter(dst.layout, invocation.base(dst), gathered(src.layout, invocation.base(src)));
    return true;
  };
  return {{"strided", strided}, {"reference", reference}};
}

Layout repeated(const Layout& layout, int dim, std::int64_t extent) {
  TL_INTERNAL_CHECK(layout.extent(dim) == 1);
  // The address of the only index, in place of the digits that led to it.
  Layout::Index first{};
  Layout result(layout.dtype());
  for (int d = 0; d < layout.rank(); ++d) {
    if (d == dim) {
      result.add_dim(extent, {{1, 0}});
    } else {
      result.add_dim(layout.extent(d), layout.digits(d), layout.offset(d));
    }
  }
  const std::int64_t other = result.address(first);
  return result.set_base(result.base() + layout.address(first) - other);
}

}  // namespace tensorlane
