#include "tensorlane/compute/moves/moves.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/compute/rows/dense_elements.h"
#include "tensorlane/compute/rows/kept_copies.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/strided_copy.h"
#include "tensorlane/ops/dispatch.h"

namespace tensorlane {
namespace {

// The elements of `dst` as `to` has them from those of `src` as `from` has them, whenever the call
// comes.
void copy_and_keep(const Invocation& invocation, const Operand& dst, const Layout& to,
                   const Operand& src, const Layout& from) {
  auto copies = std::make_unique<KeptCopies>(invocation, dst.name(), src.name());
  for (const Box& box : fold({&to, &from}))
    copies->add(box, invocation.base(dst), invocation.base(src), to.element_units());
  KeptCopies::run_and_keep(invocation, std::move(copies));
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

// Numbers of elements that `layout` has inside each of its dimensions, innermost first.
void add_blocks(const Layout& layout, std::vector<std::int64_t>& blocks) {
  std::int64_t block = 1;
  for (int d = layout.rank() - 1; d >= 0; --d) blocks.push_back(block *= layout.extent(d));
}

// `layout` with its dimensions cut at `blocks`, numbers of elements from 1 on that divide each
// other in order. Nothing where a dimension of several digits would have to be cut.
std::optional<Layout> cut(const Layout& layout, const std::vector<std::int64_t>& blocks) {
  if (blocks.size() > Layout::kMaxDims + 1U) return {};
  Layout result(layout.dtype());
  result.set_base(layout.base());
  auto outer = blocks.end() - 1;
  for (int d = 0; d < layout.rank(); ++d) {
    const std::span<const Digit> digits = layout.digits(d);
    if (layout.extent(d) == 1) {  // goes into the base
      std::int64_t at = layout.offset(d);
      for (const Digit& digit : digits.first(digits.size() - 1)) {
        result.set_base(result.base() + at % digit.extent * digit.stride);
        at /= digit.extent;
      }
      result.set_base(result.base() + at * digits.back().stride);
      continue;
    }
    std::int64_t left = layout.extent(d);
    while (left > 1) {
      const std::int64_t part = *outer / *(outer - 1);
      --outer;
      left /= part;
      if (left == 1 && part == layout.extent(d)) {
        result.add_dim(part, digits, layout.offset(d));
      } else if (digits.size() > 1 || layout.offset(d) != 0) {
        return {};
      } else {
        result.add_dim(part, {{1, left * digits.front().stride}});
      }
    }
  }
  return result;
}

// Both layouts in one shape with their elements in row-major order; nothing where there is none.
struct SameShape {
  Layout dst, src;
};
std::optional<SameShape> in_one_shape(const Layout& dst, const Layout& src) {
  std::vector<std::int64_t> blocks{1};
  add_blocks(dst, blocks);
  add_blocks(src, blocks);
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    if (blocks[k] % blocks[k - 1] != 0) return {};
  }
  const std::optional<Layout> to = cut(dst, blocks), from = cut(src, blocks);
  if (!to || !from) return {};
  return SameShape{*to, *from};
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

// The elements along a dimension from the last to the first. Nothing where the dimension has
// several digits.
std::optional<Layout> backwards(const Layout& layout, int dim) {
  if (layout.digits(dim).size() != 1) return {};
  const std::int64_t stride = layout.digits(dim).front().stride;
  Layout result(layout.dtype());
  for (int d = 0; d < layout.rank(); ++d) {
    if (d == dim) {
      result.add_dim(layout.extent(d), {{1, -stride}});
    } else {
      result.add_dim(layout.extent(d), layout.digits(d), layout.offset(d));
    }
  }
  const std::int64_t last = layout.extent(dim) - 1 + layout.offset(dim);
  return result.set_base(layout.base() + last * stride);
}

}  // namespace

std::vector<Implementation> move_elements(std::string_view dst_name, std::string_view src_name,
                                          View view) {
  const auto strided = [=](const Invocation& invocation) {
    if (KeptCopies::run_known(invocation, dst_name, src_name)) return true;
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    if (!dst.layout.nested()) return false;
    const Layout from = view(invocation.command, dst.layout, src.layout);
    if (!bounds_overlap(dst, src)) {
      copy_and_keep(invocation, dst, dst.layout, src, from);
      return true;
    }
    const Layout dense = dense_like(dst.layout);
    std::vector<std::byte> buffer(static_cast<std::size_t>(dense.size() * dense.element_units()));
    copy_elements(dense, buffer.data(), from, invocation.base(src));
    copy_elements(dst.layout, invocation.base(dst), dense, buffer.data());
    return true;
  };
  const auto reference = [=](const Invocation& invocation) {
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    const Layout from = view(invocation.command, dst.layout, src.layout);
    scatter(dst.layout, invocation.base(dst), gathered(from, invocation.base(src)));
    return true;
  };
  return {{"strided", strided, kAnyOperands}, {"reference", reference, kAnyOperands}};
}

std::vector<Implementation> move_permuted(std::string_view dst, std::string_view src,
                                          std::vector<int> order) {
  return move_elements(
      dst, src, [order = std::move(order)](const Command&, const Layout&, const Layout& from) {
        return from.permuted(order);
      });
}

std::vector<Implementation> move_reversed(std::string_view dst_name, std::string_view src_name,
                                          std::string_view axis) {
  const auto reversed = [=](const Invocation& invocation) {
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    if (!dst.layout.nested()) return false;
    std::byte* const to = invocation.base(dst);
    const std::byte* const base = invocation.base(src);
    const auto dim = static_cast<int>(invocation.command.arg(axis).value());
    if (const std::optional<Layout> from = backwards(src.layout, dim)) {
      copy_elements(dst.layout, to, *from, base);
      return true;
    }
    // Channels over NPUs have no one step back.
    const std::int64_t extent = src.layout.extent(dim);
    for (std::int64_t i = 0; i < extent; ++i)
      copy_elements(dst.layout.slice(dim, i, 1), to, src.layout.slice(dim, extent - 1 - i, 1),
                    base);
    return true;
  };
  // All is read before anything is written.
  const auto reference = [=](const Invocation& invocation) {
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    const auto dim = static_cast<std::size_t>(invocation.command.arg(axis).value());
    const std::byte* const from = invocation.base(src);
    const auto unit = static_cast<std::size_t>(src.layout.element_units());
    std::vector<std::byte> dense;
    dense.reserve(static_cast<std::size_t>(src.layout.size()) * unit);
    each_index(src.layout, [&](Layout::Index index) {
      index[dim] = src.layout.extent(static_cast<int>(dim)) - 1 - index[dim];
      const std::byte* const at = from + src.layout.address(index);
      dense.insert(dense.end(), at, at + unit);
    });
    scatter(dst.layout, invocation.base(dst), dense);
    return true;
  };
  return {{"reversed", reversed}, {"reference", reference}};
}

std::vector<Implementation> move_flattened(std::string_view dst_name, std::string_view src_name) {
  const auto strided = [=](const Invocation& invocation) {
    if (KeptCopies::run_known(invocation, dst_name, src_name)) return true;
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    if (!dst.layout.nested()) return false;
    // Both are brought into one shape, or one of them in order takes the other's; else both meet in
    // a buffer.
    if (!bounds_overlap(dst, src)) {
      if (const std::optional<SameShape> both = in_one_shape(dst.layout, src.layout)) {
        copy_and_keep(invocation, dst, both->dst, src, both->src);
        return true;
      }
      if (const std::optional<std::int64_t> first = dense_from(src.layout)) {
        copy_and_keep(invocation, dst, dst.layout, src, dense_like(dst.layout).set_base(*first));
        return true;
      }
      if (const std::optional<std::int64_t> first = dense_from(dst.layout)) {
        copy_and_keep(invocation, dst, dense_like(src.layout).set_base(*first), src, src.layout);
        return true;
      }
    }
    const std::vector<std::byte> buffer = dense_elements(invocation, src);
    copy_elements(dst.layout, invocation.base(dst), dense_like(dst.layout), buffer.data());
    return true;
  };
  const auto reference = [=](const Invocation& invocation) {
    const Operand& dst = *invocation.command.find(dst_name);
    const Operand& src = *invocation.command.find(src_name);
    scatter(dst.layout, invocation.base(dst), gathered(src.layout, invocation.base(src)));
    return true;
  };
  return {{"strided", strided, kAnyOperands}, {"reference", reference, kAnyOperands}};
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
