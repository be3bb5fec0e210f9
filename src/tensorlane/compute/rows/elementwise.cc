#include "tensorlane/compute/rows/elementwise.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/compute/rows/kept_copies.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/layout/strided_copy.h"
#include "tensorlane/ops/dispatch.h"

namespace tensorlane {
namespace {

// Below this many elements a command stays on one thread: starting others costs more.
constexpr std::int64_t kParallelElements = 32768;

// A source as the rows see it: a tensor in some memory, a snapshot of one, or a constant.
struct Source {
  const std::byte* base = nullptr;
  const Layout* layout = nullptr;  // null: a constant
  std::uint32_t bits = 0;
  std::optional<Layout> changed;  // where it is not the operand's
  std::vector<std::byte> snapshot;
};
// As many as there are names, which stay where they are.
using Sources = std::array<Source, kMaxSources>;

// Whether writing `dst` could change bytes of `src` before they are read.
bool may_overlap(const Operand& dst, const Operand& src) {
  return !dst.layout.same_addresses(src.layout) && bounds_overlap(dst, src);
}

// A tensor with extent 1 where `shape` has more is read again along that dimension: the vectors of
// bias and scale. Nothing where there is no such dimension.
std::optional<Layout> broadcast(const Layout& from, const Layout& shape) {
  const auto is_repeated = [&](int d) {
    return from.extent(d) == 1 && shape.extent(d) != 1 && from.offset(d) == 0;
  };
  bool changes = false;
  for (int d = 0; d < shape.rank(); ++d) changes = changes || is_repeated(d);
  if (!changes) return {};
  Layout layout(from.dtype());
  layout.set_base(from.base());
  for (int d = 0; d < shape.rank(); ++d) {
    if (is_repeated(d)) {
      layout.add_dim(shape.extent(d), {{1, 0}});
    } else {
      layout.add_dim(from.extent(d), from.digits(d), from.offset(d));
    }
  }
  return layout;
}

// Copies a tensor to a dense buffer in logical order.
void take_snapshot(Source& source) {
  const Layout& from = *source.layout;
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
  source.layout = &source.changed.emplace(dense);
}

void resolve(const Invocation& invocation, const Operand& dst,
             std::span<const std::string_view> names, Sources& sources) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    Source& source = sources[k];
    if (const Operand* operand = invocation.command.find(names[k])) {
      source.base = invocation.base(*operand);
      source.changed = broadcast(operand->layout, dst.layout);
      source.layout = source.changed ? &*source.changed : &operand->layout;
      if (may_overlap(dst, *operand)) take_snapshot(source);
    } else {
      source.bits = constant_bits(invocation.command, names[k]);
    }
  }
}

// The form of operand k in the rows of a box; where the box is one element, side by side.
Along along_rows(const Box& box, std::size_t k, const Layout& layout) {
  if (box.rank == 0) return Along::kSideBySide;
  return along(box.loops[static_cast<std::size_t>(box.rank - 1)].stride[k], layout.element_units());
}

// The one place that says whether a row function takes the rows of a call: operand 0 is the
// destination. Constants of the call are one element for all of any width.
bool takes(const RowForms& forms, std::span<const Box> boxes,
           std::span<const Layout* const> layouts, bool has_constants) {
  if (forms == RowForms()) return true;
  if (has_constants && !forms.sources.has(Along::kOneForAll)) return false;
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    const std::int64_t bytes = k == 0 ? forms.result_bytes : forms.source_bytes;
    if (bytes != 0 && layouts[k]->element_units() != bytes) return false;
    for (const Box& box : boxes) {
      if (!(k == 0 ? forms.result : forms.sources).has(along_rows(box, k, *layouts[k])))
        return false;
    }
  }
  return true;
}

constexpr std::int64_t kShortRow = 8;

// Some dimensions fold to rows of a few elements; the longest loop makes better rows. Where rows
// follow each other without a gap, as packed words do, they stay: functions take them together.
void lengthen_rows(Box& box, std::size_t operands) {
  if (box.rank < 2) return;
  const auto end = box.loops.begin() + box.rank;
  const Loop& inner = *(end - 1);
  if (inner.extent >= kShortRow) return;
  for (std::size_t k = 0; k < operands; ++k) {
    if (inner.stride[k] != 0 && (end - 2)->stride[k] == inner.extent * inner.stride[k]) return;
  }
  const auto longest = std::max_element(
      box.loops.begin(), end, [](const Loop& a, const Loop& b) { return a.extent < b.extent; });
  std::swap(*longest, *(end - 1));
}

// A loop of a box, with the strides of the destination and of the sources.
struct RowLoop {
  std::int64_t extent, dst;
  std::array<std::int64_t, kMaxSources> src;
};

void advance(Row& row, const RowLoop& loop, std::int64_t steps) {
  row.dst += steps * loop.dst;
  for (std::size_t k = 0; k < row.src.size(); ++k) row.src[k] += steps * loop.src[k];
}

std::int64_t elements_in(std::span<const RowLoop> loops, std::int64_t count) {
  for (const RowLoop& loop : loops) count *= loop.extent;
  return count;
}

// Rows of a few elements, as packed words make them, in a frame of many of them: the loop over
// words is the last one.
void lengthen_frames(std::span<RowLoop> loops, std::int64_t count) {
  if (loops.size() < 2 || count >= kShortRow) return;
  const auto last = loops.end() - 1, before = last - 1;
  if (last->extent < kShortRow && before->extent > last->extent) std::swap(*last, *before);
}

// Of small commands each frame costs as much as its work: the longest of the loops outside goes
// into it.
void widen_frames(std::span<RowLoop> loops, std::int64_t count) {
  if (loops.size() < 3 || elements_in(loops, count) >= 2 * kParallelElements) return;
  const auto blocks = loops.end() - 2;
  std::iter_swap(
      blocks, std::max_element(loops.begin(), blocks + 1, [](const RowLoop& a, const RowLoop& b) {
        return a.extent < b.extent;
      }));
}

// Short rows that follow each other without a gap in the destination alone, of a copy out of NPUs
// that changes what is there: a row that is read right after the one before it is written waits for
// that store, so that those of another loop come between. Not the elements of packed words.
void part_rows(std::span<RowLoop> loops, const Row& row) {
  constexpr std::int64_t kShort = 128;
  const std::int64_t bytes = row.count * row.dst_step;
  if (row.count < kShortRow || loops.size() < 2 || loops.back().dst != bytes || bytes > kShort)
    return;
  std::swap(loops.back(), *(loops.end() - 2));
}

// All iterations of `loops`, outermost first, the last two in a frame.
void run_frames(std::span<const RowLoop> loops, Row row, const RowFunction& function) {
  if (loops.size() > 2) {
    for (std::int64_t i = 0; i < loops[0].extent; ++i, advance(row, loops[0], 1))
      run_frames(loops.subspan(1), row, function);
    return;
  }
  if (!loops.empty()) {
    row.rows = loops.back().extent;
    row.dst_next = loops.back().dst;
    row.src_next = loops.back().src;
  }
  if (loops.size() == 2) {
    row.blocks = loops.front().extent;
    row.dst_block = loops.front().dst;
    row.src_block = loops.front().src;
  }
  function(row);
}

// The same on several threads where the work is worth it.
void run_nest(std::span<const RowLoop> loops, Row row, const RowFunction& function) {
  constexpr std::int64_t kEnoughParts = 64;
  const std::int64_t size = elements_in(loops, row.count);
  const std::int64_t enough = least_parallel_work(kParallelElements);
  if (size < 2 * enough) {
    const ChipFloatScope flush;
    return run_frames(loops, row, function);
  }
  // The outer loops are shared out, as many of them as make enough parts; without any, one long row
  // is cut.
  std::size_t shared = 0;
  std::int64_t parts = 1;
  while (shared < loops.size() && parts < kEnoughParts) parts *= loops[shared++].extent;
  // All loops: those inside a part may reach into the words of another one as well.
  std::array<std::int64_t, kMaxLoops + 1> steps = {row.dst_step};
  std::ranges::transform(loops, steps.begin() + 1, &RowLoop::dst);
  row.owns_words = row.owns_words && own_their_words({steps.data(), loops.size() + 1});
  const std::int64_t piece = loops.empty() ? enough : row.count;  // of a row
  if (loops.empty()) parts = ceil_div(row.count, piece);
  const std::int64_t grain = std::max<std::int64_t>(1, parts * enough / size);
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    const ChipFloatScope flush;
    if (shared == 1) {  // all of them in one frame: each costs as much as the work of short rows
      std::array<RowLoop, kMaxLoops> own_loops;
      std::ranges::copy(loops, own_loops.begin());
      own_loops[0].extent = end - begin;
      Row own = row;
      advance(own, loops[0], begin);
      return run_frames({own_loops.data(), loops.size()}, own, function);
    }
    for (std::int64_t part = begin; part < end; ++part) {
      Row own = row;
      if (loops.empty()) {
        advance(own, {1, row.dst_step, row.src_step}, part * piece);
        own.count = std::min(piece, row.count - part * piece);
      }
      std::int64_t rest = part;
      for (std::size_t d = shared; d-- > 0; rest /= loops[d].extent)
        advance(own, loops[d], rest % loops[d].extent);
      run_frames(loops.subspan(shared), own, function);
    }
  };
  // One thread takes them all at once: what lies ahead is asked for up to the end of a range.
  const bool alone =
      most_threads() == 1 && parallel_trial.order.load(std::memory_order_relaxed) == 0;
  alone ? range(0, parts) : parallel_ranges(parts, grain, range);
}

// The rows of a command whose call comes again, found once. Of one step: an implementation may take
// several, with other operands in each.
class KeptRows final : public Lowering {
 public:
  KeptRows(const Invocation& invocation, std::string_view dst,
           std::span<const std::string_view> names, const RowForms& forms)
      : dst_(dst), names_(names.begin(), names.end()), forms_(forms), memory_(invocation.memory) {}

  // Those of the command in hand for this step; null where none are kept.
  static const KeptRows* find(const Invocation& invocation, std::string_view dst,
                              std::span<const std::string_view> names, const RowForms& forms) {
    const auto* const kept = dynamic_cast<const KeptRows*>(invocation.command.known.lowering());
    const bool same = kept != nullptr && kept->forms_ == forms && kept->dst_ == dst &&
                      kept->has(names) && kept->memory_ == invocation.memory;
    return same ? kept : nullptr;
  }

  bool has(std::span<const std::string_view> names) const {
    return std::ranges::equal(names_, names);
  }
  void add(Row row, std::span<const RowLoop> loops, const Sources& sources) {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (sources[k].layout != nullptr) continue;
      constants_[k] = sources[k].bits;
      row.src[k] = reinterpret_cast<const std::byte*>(&constants_[k]);
    }
    nests_.push_back({row, {loops.begin(), loops.end()}});
  }
  void run(const RowFunction& function) const {
    for (const Nest& nest : nests_) run_nest(nest.loops, nest.row, function);
  }

 private:
  struct Nest {
    Row row;
    std::vector<RowLoop> loops;
  };
  std::string_view dst_;
  std::vector<std::string_view> names_;
  RowForms forms_;
  decltype(Invocation::memory) memory_;
  std::array<std::uint32_t, kMaxSources> constants_{};
  std::vector<Nest> nests_;
};

bool has_snapshot(const Sources& sources) {
  return std::ranges::any_of(sources, [](const Source& each) { return !each.snapshot.empty(); });
}

// The layouts of a destination and of those sources that are tensors, and which of them is whose.
struct FoldedOperands {
  std::array<const Layout*, kMaxFoldOperands> layouts{};
  std::array<std::size_t, kMaxSources> operand_of{};
  std::size_t count = 1;

  FoldedOperands(const Operand& dst, const Sources& sources, std::size_t names) {
    layouts[0] = &dst.layout;
    for (std::size_t k = 0; k < names; ++k) {
      if (sources[k].layout == nullptr) continue;
      operand_of[k] = count;
      layouts[count++] = sources[k].layout;
    }
  }
  std::span<const Layout* const> all() const { return {layouts.data(), count}; }
};

bool run_rows_of(const Invocation& invocation, std::string_view dst_name,
                 std::span<const std::string_view> names, const RowFunction& function,
                 const RowForms& forms) {
  if (const KeptRows* const kept = KeptRows::find(invocation, dst_name, names, forms)) {
    kept->run(function);
    return true;
  }
  const Operand& dst = *invocation.command.find(dst_name);
  if (!dst.layout.nested()) return false;
  Sources sources;
  resolve(invocation, dst, names, sources);
  const FoldedOperands operands(dst, sources, names.size());
  const std::array<std::size_t, kMaxSources>& operand_of = operands.operand_of;
  const std::size_t count = operands.count;
  std::vector<Box> boxes = fold(operands.all());
  if (!takes(forms, boxes, operands.all(), count <= names.size())) return false;
  KnownCall& call = invocation.command.known;
  std::unique_ptr<KeptRows> kept;
  if (call.keeps_coming() && call.lowering() == nullptr && !has_snapshot(sources))
    kept = std::make_unique<KeptRows>(invocation, dst_name, names, forms);
  for (Box& box : boxes) {
    if (forms == RowForms()) lengthen_rows(box, count);
    // The same box on rows: a constant is a source that does not move.
    const auto strides_of = [&](const Loop& loop) {
      RowLoop row_loop{loop.extent, loop.stride[0], {}};
      for (std::size_t k = 0; k < names.size(); ++k) {
        if (sources[k].layout != nullptr) row_loop.src[k] = loop.stride[operand_of[k]];
      }
      return row_loop;
    };
    Row row{};
    row.dst = invocation.base(dst) + box.base[0];
    // The host may write beside a tensor in other memories.
    row.owns_words = dst.space == Space::kLocal;
    for (std::size_t k = 0; k < names.size(); ++k) {
      row.src[k] = sources[k].layout == nullptr
                       ? reinterpret_cast<const std::byte*>(&sources[k].bits)
                       : sources[k].base + box.base[operand_of[k]];
    }
    const int outer = std::max(box.rank - 1, 0);
    std::array<RowLoop, kMaxLoops> loops;
    for (int d = 0; d < outer; ++d) loops[static_cast<std::size_t>(d)] = strides_of(box.loops[d]);
    const RowLoop inner = strides_of(box.rank > 0 ? box.loops[outer] : Loop{1, {}});
    row.count = inner.extent;
    row.dst_step = inner.dst;
    row.src_step = inner.src;
    const std::span<RowLoop> nest(loops.data(), static_cast<std::size_t>(outer));
    lengthen_frames(nest, row.count);
    widen_frames(nest, row.count);
    part_rows(nest, row);
    run_nest(nest, row, function);
    if (kept != nullptr) kept->add(row, nest, sources);
  }
  if (kept != nullptr) call.keep(std::move(kept));
  return true;
}

}  // namespace

bool run_rows(const Invocation& invocation, std::string_view dst,
              std::span<const std::string_view> sources, const RowFunction& row) {
  return run_rows_of(invocation, dst, sources, row, {});
}

bool run_rows(const Invocation& invocation, std::string_view dst,
              std::span<const std::string_view> sources, SimdRow row, ElementBytes bytes) {
  return run_rows_of(invocation, dst, sources, row, vector_rows(bytes.result, bytes.sources));
}

void release_other_rows(const Invocation& invocation, std::span<const std::string_view> sources) {
  KnownCall& call = invocation.command.known;
  const auto* const kept = dynamic_cast<const KeptRows*>(call.lowering());
  if (kept != nullptr && !kept->has(sources)) call.keep(std::unique_ptr<Lowering>());
}

bool FormsAlongRows::fit(const OperandForms& forms, std::size_t source_count) const {
  return forms.results.has(result) &&
         std::all_of(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(source_count),
                     [&](Along form) { return forms.sources.has(form); });
}

FormsAlongRows forms_along_rows(const Invocation& invocation, std::string_view dst_name,
                                std::span<const std::string_view> names) {
  const Operand& dst = *invocation.command.find(dst_name);
  Sources sources;
  resolve(invocation, dst, names, sources);
  const FoldedOperands operands(dst, sources, names.size());
  const std::vector<Box> boxes = fold(operands.all());
  const auto worst_of = [&](std::size_t operand) {
    Along worst = Along::kSideBySide;
    for (const Box& box : boxes)
      worst = std::max(worst, along_rows(box, operand, *operands.layouts[operand]));
    return worst;
  };
  FormsAlongRows forms{.result = worst_of(0)};
  for (std::size_t k = 0; k < names.size(); ++k)
    forms.sources[k] =
        sources[k].layout == nullptr ? Along::kOneForAll : worst_of(operands.operand_of[k]);
  return forms;
}

std::uint32_t constant_bits(const Command& command, std::string_view source) {
  std::uint32_t bits = 0;
  if (source.front() >= '0' && source.front() <= '9') {
    std::from_chars(source.data(), source.data() + source.size(), bits);
    return bits;
  }
  const Arg& arg = command.arg(source);
  return static_cast<std::uint32_t>(
      command.op->type_of(source).kind == ArgKind::kValueOrAddress ? arg.constant() : arg.value());
}

bool run_copy(const Invocation& invocation, std::string_view dst_name, std::string_view src_name) {
  if (KeptCopies::run_known(invocation, dst_name, src_name)) return true;
  const Operand& dst = *invocation.command.find(dst_name);
  if (!dst.layout.nested()) return false;
  const std::string_view names[] = {src_name};
  Sources sources;
  resolve(invocation, dst, names, sources);
  Source& src = sources[0];
  std::byte* const to = invocation.base(dst);
  const std::int64_t bytes = dst.layout.element_units();
  auto copies = std::make_unique<KeptCopies>(invocation, dst_name, src_name);
  if (src.layout == nullptr) {  // one element, read again and again
    Layout repeated(dst.layout.dtype());
    for (int d = 0; d < dst.layout.rank(); ++d) repeated.add_dim(dst.layout.extent(d), {{1, 0}});
    for (const Box& box : fold({&dst.layout, &repeated}))
      copies->add_constant(box, to, src.bits, bytes);
  } else if (src.base == to && src.layout->same_addresses(dst.layout)) {
    return true;  // onto itself
  } else {
    for (const Box& box : fold({&dst.layout, src.layout})) copies->add(box, to, src.base, bytes);
  }
  KeptCopies::run_and_keep(invocation, std::move(copies), has_snapshot(sources));
  return true;
}

bool run_elements(const Invocation& invocation, std::string_view dst_name,
                  std::span<const std::string_view> names, const RowFunction& function) {
  const Operand& dst = *invocation.command.find(dst_name);
  Sources sources;
  resolve(invocation, dst, names, sources);
  const ChipFloatScope flush;
  Row row{};
  row.count = 1;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (sources[k].layout == nullptr)
      row.src[k] = reinterpret_cast<const std::byte*>(&sources[k].bits);
  }
  Layout::Index index{};
  for (std::int64_t i = 0; i < dst.layout.size(); ++i) {
    row.dst = invocation.base(dst) + dst.layout.address(index);
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (sources[k].layout != nullptr)
        row.src[k] = sources[k].base + sources[k].layout->address(index);
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
    for (const std::vector<Implementation>& step : steps) run_first(step, invocation);
    return true;
  };
  const auto reference = [steps](const Invocation& invocation) {
    for (const std::vector<Implementation>& step : steps) step.back().run(invocation);
    return true;
  };
  return {{steps.front().front().name, fastest, kAnyOperands},
          {"reference", reference, kAnyOperands}};
}

std::vector<Implementation> simd_rows(std::string_view dst, std::vector<std::string_view> sources,
                                      SimdRow row, ElementBytes bytes,
                                      std::vector<Implementation> rest) {
  const auto run = [=, sources = std::move(sources)](const Invocation& invocation) {
    return run_rows(invocation, dst, sources, row, bytes);
  };
  rest.insert(rest.begin(), {"simd", run, kVectorOperands});
  return rest;
}

}  // namespace tensorlane
