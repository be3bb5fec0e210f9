#include "tensorlane/trail/element_boxes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tensorlane::trail {
namespace {

using Boxes = std::vector<ElementBox>;

// Puts the boxes of neighbouring indices of a dimension together. `part` has boxes of the
// dimensions inside of it.
class Neighbours {
 public:
  explicit Neighbours(int dim) : dim_(static_cast<std::size_t>(dim)) {}

  void add(std::int64_t index, const Boxes& part) {
    if (part.empty()) return;
    if (next_ == index && part == last_) {
      for (auto it = boxes_.end() - std::ssize(part); it != boxes_.end(); ++it) ++it->at[dim_].end;
    } else {
      last_ = part;
      for (const ElementBox& box : part) {
        boxes_.push_back(box);
        boxes_.back().at[dim_] = {index, index + 1};
      }
    }
    next_ = index + 1;
  }
  Boxes take() { return std::move(boxes_); }

 private:
  std::size_t dim_;
  std::int64_t next_ = -1;
  Boxes last_, boxes_;
};

// What an index of a dimension adds to the address.
std::int64_t step_to(const Layout& layout, int dim, std::int64_t index) {
  std::int64_t rest = index + layout.offset(dim), address = 0;
  const std::span<const Digit> digits = layout.digits(dim);
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const bool last = k + 1 == digits.size();
    address += (last ? rest : rest % digits[k].extent) * digits[k].stride;
    if (!last) rest /= digits[k].extent;
  }
  return address;
}

// Addresses that the indices of a dimension add, at least those: from `begin` to the last, `end`.
Range steps(const Layout& layout, int dim) {
  std::int64_t rest = layout.offset(dim), last = rest + layout.extent(dim) - 1;
  Range all{0, 0};
  const auto add = [&](std::int64_t low, std::int64_t high, std::int64_t stride) {
    all.begin += std::min(low * stride, high * stride);
    all.end += std::max(low * stride, high * stride);
  };
  const std::span<const Digit> digits = layout.digits(dim);
  for (const Digit& digit : digits.first(digits.size() - 1)) {
    add(0, digit.extent - 1, digit.stride);
    rest /= digit.extent;
    last /= digit.extent;
  }
  add(rest, last, digits.back().stride);
  return all;
}

class Finder {
 public:
  Finder(const InitShadow& shadow, int memory, const Layout& layout)
      : shadow_(shadow), memory_(memory), layout_(layout), rank_(layout.rank()) {
    Range inner{0, layout.element_units()};
    for (int dim = rank_ - 1; dim >= 0; --dim) {
      const Range own = steps(layout, dim);
      inner = {inner.begin + own.begin, inner.end + own.end};
      reach_[static_cast<std::size_t>(dim)] = inner;
    }
    if (layout.npu_dim() >= 0) {
      const Layout::Bounds offsets = layout.npu_offset_bounds();
      alike_ = shadow.maps(memory).alike({offsets.begin, offsets.end});
    }
  }

  UndefinedElements all() {
    Boxes boxes = part(0, layout_.base());
    return {std::move(boxes), whole_};
  }

 private:
  // The undefined elements of the dimensions from `dim` on; `address` is that of the indices of
  // those before.
  Boxes part(int dim, std::int64_t address) {
    // The reach inside of the dimension that is dealt to NPUs lies in one NPU.
    if (dim > layout_.npu_dim()) {
      const Range inner = reach_[static_cast<std::size_t>(dim)];
      Mark mark = kUnwritten;
      switch (shadow_.state(memory_, {address + inner.begin, address + inner.end}, mark)) {
        case InitShadow::State::kDefined:
          return {};
        case InitShadow::State::kUndefined:
          return {whole(dim, mark)};
        case InitShadow::State::kMixed:
          break;
      }
    }
    if (dim == rank_ - 1) return row(address);
    Neighbours result(dim);
    if (dim == layout_.npu_dim()) {
      // NPUs with the same marks have the same holes.
      std::map<std::pair<int, std::int64_t>, Boxes> known;
      for (std::int64_t i = 0; i < layout_.extent(dim); ++i) {
        const std::int64_t at = address + step_to(layout_, dim, i);
        const std::int64_t npu = at / layout_.npu_bytes();
        const std::pair key{alike_[static_cast<std::size_t>(npu)], at % layout_.npu_bytes()};
        auto found = known.find(key);
        if (found == known.end()) found = known.emplace(key, part(dim + 1, at)).first;
        result.add(i, found->second);
      }
    } else {
      for (std::int64_t i = 0; i < layout_.extent(dim); ++i)
        result.add(i, part(dim + 1, address + step_to(layout_, dim, i)));
    }
    return result.take();
  }

  ElementBox whole(int dim, Mark mark) const {
    ElementBox box{mark, {}};
    for (int d = dim; d < rank_; ++d) box.at[static_cast<std::size_t>(d)] = {0, layout_.extent(d)};
    return box;
  }

  // Those of the innermost dimension, run by run of elements side by side.
  Boxes row(std::int64_t address) {
    Boxes boxes;
    const int dim = rank_ - 1;
    const Digit digit = layout_.digits(dim).front();
    const bool single = layout_.digits(dim).size() == 1;
    const std::int64_t extent = layout_.extent(dim), offset = layout_.offset(dim);
    for (std::int64_t i = 0; i < extent;) {
      std::int64_t count = 1;
      if (digit.stride == layout_.element_units())
        count = single ? extent : std::min(extent - i, digit.extent - (i + offset) % digit.extent);
      run(address + step_to(layout_, dim, i), i, count, boxes);
      i += count;
    }
    return boxes;
  }

  void run(std::int64_t address, std::int64_t first, std::int64_t count, Boxes& boxes) {
    const std::int64_t unit = layout_.element_units();
    const auto dim = static_cast<std::size_t>(rank_ - 1);
    shadow_.visit(memory_, {address, address + count * unit},
                  [&](std::int64_t begin, std::int64_t end, Mark mark) {
                    if (is_defined(mark)) return true;
                    whole_ = whole_ && (begin - address) % unit == 0 && (end - address) % unit == 0;
                    Range indices{first + (begin - address) / unit,
                                  first + (end - address + unit - 1) / unit};
                    if (!boxes.empty()) {
                      Range& last = boxes.back().at[dim];
                      indices.begin = std::max(indices.begin, last.end);
                      if (boxes.back().mark == mark && last.end == indices.begin) {
                        last.end = std::max(last.end, indices.end);
                        return true;
                      }
                    }
                    if (indices.begin < indices.end) {
                      boxes.push_back({mark, {}});
                      boxes.back().at[dim] = indices;
                    }
                    return true;
                  });
  }

  const InitShadow& shadow_;
  const int memory_;
  const Layout& layout_;
  const int rank_;
  std::array<Range, Layout::kMaxDims> reach_{};  // of a dimension and those inside of it
  std::vector<int> alike_;                       // see LaneMaps::alike
  bool whole_ = true;
};

Boxes dense_part(std::span<const Mark> elements, std::span<const std::int64_t> extents, int dim,
                 Mark background) {
  const auto axis = static_cast<std::size_t>(dim);
  if (std::ranges::all_of(elements, [&](Mark mark) { return mark == background; })) return {};
  Boxes boxes;
  if (axis + 1 == extents.size()) {
    for (std::size_t i = 0; i < elements.size();) {
      const auto next = static_cast<std::size_t>(
          std::find_if(elements.begin() + static_cast<std::ptrdiff_t>(i), elements.end(),
                       [&](Mark mark) { return mark != elements[i]; }) -
          elements.begin());
      if (elements[i] != background) {
        boxes.push_back({elements[i], {}});
        boxes.back().at[axis] = {static_cast<std::int64_t>(i), static_cast<std::int64_t>(next)};
      }
      i = next;
    }
    return boxes;
  }
  Neighbours result(dim);
  const std::size_t step = elements.size() / static_cast<std::size_t>(extents[axis]);
  for (std::int64_t i = 0; i < extents[axis]; ++i) {
    result.add(i, dense_part(elements.subspan(static_cast<std::size_t>(i) * step, step), extents,
                             dim + 1, background));
  }
  return result.take();
}

void add_parts(const Layout& layout, const Elements& elements, int dim, std::vector<Layout>& out) {
  if (dim == layout.rank()) {
    out.push_back(layout);
    return;
  }
  for (const Range& range : elements.at[static_cast<std::size_t>(dim)])
    add_parts(layout.slice(dim, range.begin, range.bytes()), elements, dim + 1, out);
}

}  // namespace

UndefinedElements undefined_elements(const InitShadow& shadow, int memory, const Layout& layout) {
  return Finder(shadow, memory, layout).all();
}

std::vector<ElementBox> boxes_of(std::span<const Mark> elements,
                                 std::span<const std::int64_t> extents, Mark background) {
  return dense_part(elements, extents, 0, background);
}

bool Elements::empty() const {
  return std::ranges::any_of(at, [](const Indices& indices) { return indices.empty(); });
}

Elements elements_of(const ElementBox& box, int rank) {
  Elements elements;
  for (int dim = 0; dim < rank; ++dim)
    elements.at.push_back({box.at[static_cast<std::size_t>(dim)]});
  return elements;
}

std::vector<Layout> parts_of(const Layout& layout, const Elements& elements) {
  std::vector<Layout> parts;
  add_parts(layout, elements, 0, parts);
  return parts;
}

}  // namespace tensorlane::trail
