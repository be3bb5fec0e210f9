#include "tensorlane/layout/packing_mistakes.h"

#include "tensorlane/layout/image.h"
#include "tensorlane/layout/packing_mistakes_internal.h"

namespace tensorlane {
namespace packing_internal {
namespace {

Layout plain_layout(const Layout& like) {
  std::vector<std::int64_t> shape;
  for (int d = 0; d < like.rank(); ++d) shape.push_back(like.extent(d));
  return row_major_layout(shape, like.dtype());
}

}  // namespace

Explanation::Explanation(const WrongPacking& wrong)
    : wrong_(wrong), target_(wrong.target), plain_(plain_layout(wrong.target)) {}

bool Explanation::same(const Layout& target, const Layout& source,
                       std::span<const std::byte> plain) {
  Layout::Index index{};
  for (std::int64_t i = 0; i < target.size(); ++i, ++compared_) {
    const std::int64_t at = target.address(index);
    if (!inside(target, at, wrong_.packed.size()) ||
        bits_at(target, wrong_.packed, at) != bits_at(source, plain, source.address(index)))
      return false;
    for (int d = target.rank() - 1; d >= 0 && ++index[d] == target.extent(d); --d) index[d] = 0;
  }
  return true;
}

}  // namespace packing_internal

void for_each_difference(
    const Layout& target, std::span<const std::byte> packed, const Layout& source,
    std::span<const std::byte> plain,
    const std::function<bool(const Layout::Index&, std::uint32_t, std::uint32_t)>& visit) {
  using namespace packing_internal;
  Layout::Index index{};
  for (std::int64_t i = 0; i < target.size(); ++i) {
    const std::int64_t at = target.address(index);
    const Bits want = bits_at(source, plain, source.address(index));
    const bool there = inside(target, at, packed.size());
    const Bits got = there ? bits_at(target, packed, at) : ~want;
    if (got != want && !visit(index, want, got)) return;
    for (int d = target.rank() - 1; d >= 0 && ++index[d] == target.extent(d); --d) index[d] = 0;
  }
}

std::string explain_packing(const WrongPacking& wrong) {
  using namespace packing_internal;
  Explanation sought(wrong);
  for (const auto mistakes : {value_mistakes, axis_mistakes, group_mistakes, lane_mistakes,
                              place_mistakes, layout_mistakes, order_mistakes, type_mistakes,
                              neighbour_mistakes, slice_mistakes, partial_mistakes, cut_mistakes}) {
    mistakes(sought);
    if (sought.explained()) break;
  }
  return sought.words();
}

}  // namespace tensorlane
