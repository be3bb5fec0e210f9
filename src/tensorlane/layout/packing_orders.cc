#include "tensorlane/layout/packing_orders.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

#include "tensorlane/layout/local.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane {
namespace {

constexpr std::size_t kMostPieces = 7;

// A digit of an axis; level 0 is the innermost.
struct Piece {
  int axis = 0, level = 0;
  std::int64_t extent = 1, stride = 0;

  auto home() const { return std::pair(axis, level); }
};
using Pieces = std::vector<Piece>;  // as memory has them, outermost first

Pieces pieces_of(const Layout& layout) {
  Pieces pieces;
  for (int d = 0; d < layout.rank(); ++d) {
    const std::span<const Digit> digits = layout.digits(d);
    std::int64_t inside = 1;
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const bool outermost = k + 1 == digits.size();
      const std::int64_t extent = outermost ? ceil_div(layout.extent(d), inside) : digits[k].extent;
      pieces.push_back({d, static_cast<int>(k), extent, digits[k].stride});
      inside *= extent;
    }
  }
  std::ranges::stable_sort(pieces, std::ranges::greater(), &Piece::stride);
  return pieces;
}

// The pieces one behind the other without gaps.
Layout packed(const Layout& like, Pieces pieces) {
  std::int64_t stride = like.element_units();
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    piece->stride = stride;
    stride *= piece->extent;
  }
  std::ranges::sort(pieces, {}, &Piece::home);
  Layout layout(like.dtype());
  for (int d = 0; d < like.rank(); ++d) {
    std::vector<Digit> digits;
    for (const Piece& piece : pieces) {
      if (piece.axis == d) digits.push_back({piece.extent, piece.stride});
    }
    digits.back().extent = 1;
    layout.add_dim(like.extent(d), digits);
  }
  return layout;
}

// The short form; the whole one where a block stands before its axis.
std::string text_of(const Pieces& pieces, const Layout& layout, const Axes& axes) {
  std::vector<int> left(static_cast<std::size_t>(axes.size()));  // levels that do not stand yet
  for (const Piece& piece : pieces) ++left[static_cast<std::size_t>(piece.axis)];
  std::string text;
  for (const Piece& piece : pieces) {
    int& levels = left[static_cast<std::size_t>(piece.axis)];
    if (piece.level != --levels) return notation(layout, axes);
    const char letter = axis_letter(axes[piece.axis]);
    const bool first = std::ranges::none_of(pieces, [&](const Piece& other) {
      return other.axis == piece.axis && other.level > piece.level;
    });
    if (first) {
      text += letter;
    } else {
      text += std::to_string(piece.extent);
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
  }
  return text;
}

void visit_pieces(const Layout& target, const Axes& axes, const Pieces& pieces,
                  const VisitOrder& visit) {
  const Layout layout = packed(target, pieces);
  if (!layout.same_addresses(target)) visit(layout, text_of(pieces, layout, axes));
}

void for_each_permutation(const Layout& target, const Axes& axes, Pieces pieces,
                          const VisitOrder& visit) {
  std::ranges::sort(pieces, {}, &Piece::home);
  do {
    visit_pieces(target, axes, pieces, visit);
  } while (std::ranges::next_permutation(pieces, {}, &Piece::home).found);
}

}  // namespace

void for_each_row_major_order(const Layout& target, const Axes& axes, const VisitOrder& visit) {
  Pieces pieces;
  for (int d = 0; d < target.rank(); ++d) pieces.push_back({d, 0, target.extent(d), 0});
  if (pieces.size() <= 5) for_each_permutation(target, axes, pieces, visit);
}

void for_each_order_of_digits(const Layout& target, const Axes& axes, const VisitOrder& visit) {
  if (target.swizzle()) return;
  const Pieces pieces = pieces_of(target);
  std::vector<std::size_t> blocks;  // of axes with one block
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].stride <= 0 || target.offset(pieces[i].axis) != 0) return;
    if (pieces[i].level == 0 && target.digits(pieces[i].axis).size() == 2) blocks.push_back(i);
  }
  if (pieces.size() > kMostPieces) return;
  for_each_permutation(target, axes, pieces, visit);
  if (blocks.empty() || blocks.size() > 2) return;
  constexpr std::int64_t kSizes[] = {2, 4, 8, 16, 32, 64, 128, 256};
  const auto resized = [&](Pieces changed, std::size_t block, std::int64_t size) {
    const int axis = changed[block].axis;
    changed[block].extent = size;
    for (Piece& piece : changed) {
      if (piece.axis == axis && piece.level == 1)
        piece.extent = ceil_div(target.extent(axis), size);
    }
    return changed;
  };
  for (const std::int64_t one : kSizes) {
    const Pieces first = resized(pieces, blocks[0], one);
    if (blocks.size() == 1) visit_pieces(target, axes, first, visit);
    for (const std::int64_t two : kSizes) {
      if (blocks.size() == 2) visit_pieces(target, axes, resized(first, blocks[1], two), visit);
    }
  }
}

}  // namespace tensorlane
