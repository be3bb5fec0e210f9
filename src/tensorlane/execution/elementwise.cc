#include "tensorlane/execution/elementwise.h"

#include <algorithm>
#include <charconv>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane {
namespace {

// Below this many elements a command stays on one thread: starting others costs more.
constexpr std::int64_t kParallelElements = 32768;

// A source as the rows see it: a tensor in some memory, a snapshot of one, or a constant.
struct Source {
  const std::byte* base = nullptr;
  Layout layout;
  bool constant = false;
  std::uint32_t bits = 0;
  std::vector<std::byte> snapshot;
};

// Whether writing `dst` could change bytes of `src` before they are read.
bool may_overlap(const Operand& dst, const Operand& src) {
  if (dst.space != src.space || dst.layout.same_addresses(src.layout)) return false;
  const bool local =
      dst.layout.space() == AddressSpace::kLocal && src.layout.space() == AddressSpace::kLocal;
  const Layout::Bounds a = dst.layout.loose_bounds(local), b = src.layout.loose_bounds(local);
  return a.begin < b.end && b.begin < a.end;
}

// A tensor with extent 1 where `shape` has more is read again along that dimension: the vectors of
// bias and scale.
Layout broadcast(const Layout& from, const Layout& shape) {
  Layout layout(from.dtype());
  layout.set_base(from.base());
  bool changed = false;
  for (int d = 0; d < shape.rank(); ++d) {
    if (from.extent(d) == 1 && shape.extent(d) != 1 && from.offset(d) == 0) {
      layout.add_dim(shape.extent(d), {{1, 0}});
      changed = true;
    } else {
      layout.add_dim(from.extent(d), from.digits(d), from.offset(d));
    }
  }
  return changed ? layout : from;
}

// Copies a tensor to a dense buffer in logical order.
void take_snapshot(Source& source) {
  const Layout& from = source.layout;
  const std::int64_t unit = from.element_units();
  source.snapshot.resize(static_cast<std::size_t>(from.size() * unit));
  Layout dense(from.dtype());
  std::int64_t stride = from.size() * unit;
  for (int d = 0; d < from.rank(); ++d) {
    stride /= from.extent(d);
    dense.add_dim(from.extent(d), {{1, stride}});
  }
  for (const Box& box : fold({&dense, &from}))
    strided_copy(box, source.snapshot.data(), source.base, unit);
  source.base = source.snapshot.data();
  source.layout = dense;
}

std::vector<Source> resolve(const Invocation& invocation, const Operand& dst,
                            std::span<const std::string_view> names) {
  std::vector<Source> sources(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    Source& source = sources[k];
    if (const Operand* operand = invocation.command.find(names[k])) {
      source.base = invocation.base(*operand);
      source.layout = broadcast(operand->layout, dst.layout);
      if (may_overlap(dst, *operand)) take_snapshot(source);
    } else if (names[k].front() >= '0' && names[k].front() <= '9') {
      source.constant = true;
      std::from_chars(names[k].data(), names[k].data() + names[k].size(), source.bits);
    } else {
      const Arg& arg = invocation.command.arg(names[k]);
      const ArgType& type = invocation.command.op->type_of(names[k]);
      source.constant = true;
      source.bits = static_cast<std::uint32_t>(
          type.kind == ArgKind::kValueOrAddress ? arg.constant() : arg.value());
    }
  }
  return sources;
}

Row start_row(const std::vector<Source>& sources) {
  Row row{};
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (sources[k].constant) row.src[k] = reinterpret_cast<const std::byte*>(&sources[k].bits);
  }
  return row;
}

bool dense_rows(std::span<const Box> boxes, std::span<const Layout* const> layouts) {
  for (const Box& box : boxes) {
    if (box.rank == 0) continue;
    const Loop& inner = box.loops[static_cast<std::size_t>(box.rank - 1)];
    for (std::size_t k = 0; k < layouts.size(); ++k) {
      const bool constant = k > 0 && inner.stride[k] == 0;
      if (!constant && inner.stride[k] != layouts[k]->element_units()) return false;
    }
  }
  return true;
}

// Packed storage folds to rows of two or four elements; the longest loop makes better rows.
void lengthen_rows(Box& box) {
  constexpr std::int64_t kShortRow = 8;
  if (box.rank < 2) return;
  const auto end = box.loops.begin() + box.rank;
  if ((end - 1)->extent >= kShortRow) return;
  const auto longest = std::max_element(
      box.loops.begin(), end, [](const Loop& a, const Loop& b) { return a.extent < b.extent; });
  std::swap(*longest, *(end - 1));
}

}  // namespace

bool run_rows(const Invocation& invocation, std::string_view dst_name,
              std::span<const std::string_view> names, const RowFunction& function, Rows kind) {
  const Operand& dst = *invocation.command.find(dst_name);
  if (!dst.layout.nested()) return false;
  const std::vector<Source> sources = resolve(invocation, dst, names);

  std::vector<const Layout*> layouts{&dst.layout};
  std::array<int, kMaxSources> operand_of{};
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (sources[k].constant) continue;
    operand_of[k] = static_cast<int>(layouts.size());
    layouts.push_back(&sources[k].layout);
  }
  std::byte* const dst_base = invocation.base(dst);
  std::vector<Box> boxes = fold(layouts);
  if (kind == Rows::kDense && !dense_rows(boxes, layouts)) return false;
  for (Box& box : boxes) {
    if (kind == Rows::kAny) lengthen_rows(box);
    const int outer = std::max(box.rank - 1, 0);
    const Loop inner = box.rank > 0 ? box.loops[outer] : Loop{1, {}};
    std::int64_t rows = 1;
    for (int d = 0; d < outer; ++d) rows *= box.loops[d].extent;
    // One dense run has no rows to share out: cut it.
    const std::int64_t cuts =
        rows == 1 && inner.extent >= 2 * kParallelElements ? inner.extent / kParallelElements : 1;

    const auto run = [&](std::int64_t begin, std::int64_t end) {
      const ChipFloatScope flush;
      std::array<std::int64_t, kMaxLoops> at{};
      std::array<std::int64_t, kMaxFoldOperands> address = box.base;
      std::int64_t rest = begin / cuts;
      for (int d = outer - 1; d >= 0; --d) {
        at[d] = rest % box.loops[d].extent;
        rest /= box.loops[d].extent;
        for (std::size_t k = 0; k < layouts.size(); ++k)
          address[k] += at[d] * box.loops[d].stride[k];
      }
      const bool blocks = kind == Rows::kDense && cuts == 1 && outer > 0;
      const Loop next = blocks ? box.loops[outer - 1] : Loop{1, {}};
      Row row = start_row(sources);
      row.dst_step = inner.stride[0];
      row.dst_next = next.stride[0];
      for (std::size_t k = 0; k < sources.size(); ++k) {
        if (sources[k].constant) continue;
        row.src_step[k] = inner.stride[operand_of[k]];
        row.src_next[k] = next.stride[operand_of[k]];
      }
      for (std::int64_t i = begin; i < end; i += row.rows) {
        const std::int64_t cut = i % cuts;
        const std::int64_t first = inner.extent * cut / cuts;
        row.count = inner.extent * (cut + 1) / cuts - first;
        row.dst = dst_base + address[0] + first * row.dst_step;
        for (std::size_t k = 0; k < sources.size(); ++k) {
          if (!sources[k].constant) {
            row.src[k] = sources[k].base + address[operand_of[k]] + first * row.src_step[k];
          }
        }
        if (blocks) row.rows = std::min(next.extent - at[outer - 1], end - i);
        function(row);
        if (cut + 1 < cuts) continue;
        std::int64_t steps = row.rows;
        for (int d = outer - 1; d >= 0; --d, steps = 1) {
          const Loop& loop = box.loops[d];
          at[d] += steps;
          const bool carry = at[d] == loop.extent;
          for (std::size_t k = 0; k < layouts.size(); ++k)
            address[k] += (carry ? steps - loop.extent : steps) * loop.stride[k];
          if (!carry) break;
          at[d] = 0;
        }
      }
    };
    const std::int64_t total = rows * cuts;
    if (box.size() < kParallelElements || total == 1) {
      run(0, total);
    } else {
      const std::int64_t grain = std::max<std::int64_t>(
          1, kParallelElements / std::max<std::int64_t>(1, inner.extent / cuts));
      parallel_ranges(total, grain, run);
    }
  }
  return true;
}

bool run_copy(const Invocation& invocation, std::string_view dst_name, std::string_view src_name) {
  const Operand& dst = *invocation.command.find(dst_name);
  if (!dst.layout.nested()) return false;
  const std::string_view names[] = {src_name};
  std::vector<Source> sources = resolve(invocation, dst, names);
  Source& src = sources[0];
  if (src.constant) {  // one element, read again and again
    src.base = reinterpret_cast<const std::byte*>(&src.bits);
    src.layout = Layout(dst.layout.dtype());
    for (int d = 0; d < dst.layout.rank(); ++d) src.layout.add_dim(dst.layout.extent(d), {{1, 0}});
  } else if (src.base == invocation.base(dst) && src.layout.same_addresses(dst.layout)) {
    return true;  // onto itself
  }
  for (const Box& box : fold({&dst.layout, &src.layout})) {
    strided_copy(box, invocation.base(dst), src.base, dst.layout.element_units());
  }
  return true;
}

bool run_elements(const Invocation& invocation, std::string_view dst_name,
                  std::span<const std::string_view> names, const RowFunction& function) {
  const Operand& dst = *invocation.command.find(dst_name);
  const std::vector<Source> sources = resolve(invocation, dst, names);
  const ChipFloatScope flush;
  Row row = start_row(sources);
  row.count = 1;
  Layout::Index index{};
  for (std::int64_t i = 0; i < dst.layout.size(); ++i) {
    row.dst = invocation.base(dst) + dst.layout.address(index);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      if (!sources[k].constant) row.src[k] = sources[k].base + sources[k].layout.address(index);
    }
    function(row);
    for (int d = dst.layout.rank() - 1; d >= 0 && ++index[d] == dst.layout.extent(d); --d)
      index[d] = 0;
  }
  return true;
}

std::vector<Implementation> in_turn(const std::vector<std::vector<Implementation>>& steps) {
  // The first that accepts each step; and the references alone.
  const auto fastest = [steps](const Invocation& invocation) {
    for (const std::vector<Implementation>& step : steps) {
      bool done = false;
      for (std::size_t k = 0; k < step.size() && !done; ++k) done = step[k].run(invocation);
    }
    return true;
  };
  const auto reference = [steps](const Invocation& invocation) {
    for (const std::vector<Implementation>& step : steps) step.back().run(invocation);
    return true;
  };
  return {{steps.front().front().name, fastest}, {"reference", reference}};
}

std::vector<Implementation> simd_rows(std::string_view dst, std::vector<std::string_view> sources,
                                      SimdRow row, std::vector<Implementation> rest) {
  const Implementation simd{"simd", [=](const Invocation& invocation) {
                              return run_rows(invocation, dst, sources, row, Rows::kDense);
                            }};
  rest.insert(rest.begin(), simd);
  return rest;
}

}  // namespace tensorlane
