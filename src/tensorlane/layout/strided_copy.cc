#include "tensorlane/layout/strided_copy.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>

#include "tensorlane/base/error.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/layout/strided_copy_internal.h"

namespace tensorlane {
namespace {

using copy_internal::CopyKernel;
using copy_internal::CopyLoop;
using copy_internal::CopyMethod;
using copy_internal::CopyTile;

// Copies below this size stay on the calling thread: handing work over costs microseconds.
constexpr std::int64_t kParallelBytes = 1 << 20;
// Copies that fill this much of the caches are written past the caches: reading every line of the
// destination before overwriting it costs a third of the traffic. Smaller ones gain more from
// staying in the caches.
constexpr std::int64_t kStreamBytes = 12 << 20;
// Copies of up to this size are near (see CopyTile).
constexpr std::int64_t kNearBytes = 128 << 10;
// Copies below this size are cached (see CopyTile).
constexpr std::int64_t kCachedBytes = 512 << 10;
// Copies from this size on are far (see CopyTile).
constexpr std::int64_t kFarBytes = 4 << 20;
// Lines come into the caches in pairs: short rows with gaps fill more of them than their bytes.
constexpr std::int64_t kLinePair = 128;
constexpr std::int64_t kLine = 64;
// Work of one task, about.
constexpr std::int64_t kTaskBytes = 256 << 10;

// On AMD's processors (Zen 5 measured) moves of blocks between vectors of 512 bits cost so much
// that squares of words take 1.4 to 1.8 times as long as blocks that are loaded into place.
bool squares_pay() {
#if defined(__x86_64__)
  static const bool pay = __builtin_cpu_is("amd") == 0;
  return pay;
#else
  return true;
#endif
}

// The normal form: a tile for the kernel inside `rank` more loops, outermost first.
struct CopyPlan {
  CopyMethod method = CopyMethod::kRun;
  CopyTile tile;
  std::int64_t dst_base = 0, src_base = 0;
  int rank = 0;
  std::array<CopyLoop, kMaxLoops + 1> loops;
};

class Planner {
 public:
  Planner(const Box& box, std::int64_t element_bytes) {
    TL_INTERNAL_CHECK(element_bytes >= 1);
    plan_.dst_base = box.base[0];
    plan_.src_base = box.base[1];
    plan_.tile.near = box.size() * element_bytes <= kNearBytes;
    plan_.tile.cached = box.size() * element_bytes < kCachedBytes;
    plan_.tile.far = box.size() * element_bytes >= kFarBytes;
    plan_.tile.squares = squares_pay();
    for (const Loop& loop : box.nest()) add({loop.extent, loop.stride[0], loop.stride[1]});
    std::stable_sort(loops_.begin(), loops_.begin() + count_,
                     [](const CopyLoop& a, const CopyLoop& b) {
                       return a.dst != b.dst ? a.dst < b.dst : std::abs(a.src) < std::abs(b.src);
                     });
    merge();
    plan_.tile.bytes = element_bytes;
    absorb_run();
    choose();
    for (int i = count_ - 1; i >= 0; --i) plan_.loops[plan_.rank++] = loops_[i];
    plan_.tile.stream = bytes_in_caches(box.size() * element_bytes) >= kStreamBytes;
  }

  const CopyPlan& plan() const { return plan_; }

 private:
  // Loops of one iteration vanish; those that walk the destination backwards turn round; of those
  // that stay at one destination the last iteration is what remains.
  void add(CopyLoop loop) {
    if (loop.n == 1) return;
    if (loop.dst == 0) {
      plan_.src_base += (loop.n - 1) * loop.src;
      return;
    }
    if (loop.dst < 0) {
      plan_.dst_base += (loop.n - 1) * loop.dst;
      plan_.src_base += (loop.n - 1) * loop.src;
      loop.dst = -loop.dst;
      loop.src = -loop.src;
    }
    loops_[count_++] = loop;
  }

  void merge() {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const CopyLoop& outer = loops_[i];
      if (kept > 0) {
        CopyLoop& inner = loops_[kept - 1];
        if (outer.dst == inner.n * inner.dst && outer.src == inner.n * inner.src) {
          inner.n *= outer.n;
          continue;
        }
      }
      loops_[kept++] = outer;
    }
    count_ = kept;
  }

  // A loop over neighbours on both sides makes the element longer, any number of times.
  void absorb_run() {
    for (int i = 0; i < count_;) {
      const std::int64_t bytes = plan_.tile.bytes;
      if (loops_[i].dst == bytes && loops_[i].src == bytes) {
        plan_.tile.bytes *= take(i).n;
        i = 0;
      } else {
        ++i;
      }
    }
  }

  CopyLoop take(int i) {
    const CopyLoop loop = loops_[i];
    std::copy(loops_.begin() + i + 1, loops_.begin() + count_, loops_.begin() + i);
    --count_;
    return loop;
  }

  template <class Predicate>
  int find(Predicate predicate) const {
    for (int i = 0; i < count_; ++i) {
      if (predicate(loops_[i])) return i;
    }
    return -1;
  }

  bool is_typed() const {
    const std::int64_t bytes = plan_.tile.bytes;
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  }

  // The methods in order of preference; the last takes everything.
  void choose() {
    if (count_ == 0) {
      plan_.method = CopyMethod::kRun;
    } else if (!is_typed()) {
      if (plan_.tile.bytes != 16 || !use_transpose()) use_innermost(CopyMethod::kRows);
    } else if (!use_fill() && !use_zip() && !use_split_transpose() && !use_transpose()) {
      use_innermost(CopyMethod::kElements);
    }
  }

  bool use_fill() {
    const int at =
        find([&](const CopyLoop& loop) { return loop.dst == plan_.tile.bytes && loop.src == 0; });
    if (at < 0) return false;
    plan_.method = CopyMethod::kFill;
    plan_.tile.inner = take(at);
    if (count_ > 0) plan_.tile.outer = take(0);
    // Of a small one a call costs as much as a few rows: one for all of them.
    if (count_ > 0 && plan_.tile.near) plan_.tile.outer_next = take(0);
    return true;
  }

  // Loops contiguous in the destination (`across`) and in the source (`along`).
  bool find_crossed(int& across, int& along) const {
    const std::int64_t bytes = plan_.tile.bytes;
    across = find([&](const CopyLoop& loop) { return loop.dst == bytes; });
    along = find([&](const CopyLoop& loop) { return loop.src == bytes; });
    return across >= 0 && along >= 0;
  }

  bool use_zip() {
    int across = 0, along = 0;
    if (!find_crossed(across, along)) return false;
    const CopyLoop a = loops_[across], b = loops_[along];
    const std::int64_t bytes = plan_.tile.bytes;
    if (a.n >= 2 && a.n <= 4 && b.dst == a.n * bytes) {
      plan_.method = CopyMethod::kInterleave;
      plan_.tile.inner = a;
      plan_.tile.outer = b;
    } else if (b.n >= 2 && b.n <= 4 && a.src == b.n * bytes) {
      plan_.method = CopyMethod::kDeinterleave;
      plan_.tile.inner = b;
      plan_.tile.outer = a;
    } else {
      return false;
    }
    take(std::max(across, along));
    take(std::min(across, along));
    return true;
  }

  // Lines that one loop does not fill, and another goes on with.
  bool use_split_transpose() {
    int across = 0, along = 0;
    if (!find_crossed(across, along)) return false;
    const std::int64_t bytes = plan_.tile.bytes;
    const CopyLoop a = loops_[across], b = loops_[along];
    const auto other = [&](auto place, std::int64_t step) {
      for (int i = 0; i < count_; ++i) {
        if (i != across && i != along && loops_[i].*place == step) return i;
      }
      return -1;
    };
    int next = a.n * bytes < kLine ? other(&CopyLoop::dst, a.n * bytes) : -1;
    const int beside = b.n * bytes < kLine ? other(&CopyLoop::src, b.n * bytes) : -1;
    if (next < 0 && beside < 0) return false;
    // One loop goes on with both: with lines that end where it turns, if there are such.
    if (next == beside && kLine % (a.n * bytes) != 0 && kLine % (b.n * bytes) == 0) next = -1;
    const CopyLoop rows = next >= 0 ? loops_[next] : CopyLoop();
    const CopyLoop columns = beside >= 0 && beside != next ? loops_[beside] : CopyLoop();
    if (std::min(a.n * rows.n, b.n * columns.n) < 4 || a.n * rows.n * b.n * columns.n < 64)
      return false;
    plan_.method = CopyMethod::kSplitTranspose;
    plan_.tile.inner = a;
    plan_.tile.outer = b;
    plan_.tile.inner_next = rows;
    plan_.tile.outer_next = columns;
    std::array<int, 4> used = {across, along, next, columns.n > 1 ? beside : -1};
    std::sort(used.begin(), used.end(), std::greater<>());
    for (const int i : used) {
      if (i >= 0) take(i);
    }
    return true;
  }

  bool use_transpose() {
    int across = 0, along = 0;
    if (!find_crossed(across, along)) return false;
    const CopyLoop a = loops_[across], b = loops_[along];
    if (std::min(a.n, b.n) < 4 || a.n * b.n < 64) return false;
    plan_.method = CopyMethod::kTranspose;
    plan_.tile.inner = a;
    plan_.tile.outer = b;
    take(std::max(across, along));
    take(std::min(across, along));
    return true;
  }

  // Of one side of the copy, the one that fills more.
  std::int64_t bytes_in_caches(std::int64_t bytes) const {
    const CopyTile& tile = plan_.tile;
    if (plan_.method != CopyMethod::kRows || tile.bytes < kLinePair / 2) return bytes;
    const std::int64_t step = std::max(tile.inner.dst, std::abs(tile.inner.src));
    const std::int64_t pairs = (tile.bytes + kLinePair - 1) / kLinePair * kLinePair;
    return bytes / tile.bytes * std::max(tile.bytes, std::min(step, pairs));
  }

  // Whether the innermost loop goes from page to page of the source, as from NPU to NPU, and the
  // one outside from line to line: in that order lines are asked for ahead, and those of all pages
  // do not fall into the same sets of the nearest cache. Nor do those of the destination then.
  bool jumps_in_source() const {
    constexpr std::int64_t kPage = 4096, kWorthIt = 4, kPlaces = 8;
    if (plan_.tile.far || plan_.tile.bytes > 2 * kLine || count_ < 2) return false;
    const CopyLoop &inner = loops_[0], &outer = loops_[1];
    const bool apart = plan_.tile.bytes <= kLine
                           ? outer.dst < kPage
                           : plan_.tile.cached && !plan_.tile.near &&
                                 kPage / std::gcd(outer.dst, kPage) >= kPlaces;
    return std::abs(inner.src) >= kPage && std::abs(outer.src) < kPage && apart &&
           outer.n >= kWorthIt;
  }

  // The innermost loop, unless it is so short that the one outside pays more. Rows of a near copy
  // stay in the order of their places.
  void use_innermost(CopyMethod method) {
    plan_.method = method;
    const bool in_order = plan_.tile.near && method == CopyMethod::kRows && count_ == 2;
    const bool swap = jumps_in_source() ||
                      (count_ > 1 && loops_[0].n < 8 && loops_[1].n > loops_[0].n && !in_order);
    plan_.tile.inner = take(swap ? 1 : 0);
    if (count_ > 0) plan_.tile.outer = take(0);
  }

  CopyPlan plan_;
  std::array<CopyLoop, kMaxLoops + 1> loops_;  // innermost (smallest destination stride) first
  int count_ = 0;
};

void copy_run(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  std::memcpy(dst, src, static_cast<std::size_t>(tile.bytes));
}

CopyKernel find_kernel(CopyMethod method, const CopyTile& tile) {
  switch (method) {
    case CopyMethod::kRun:
      return copy_run;
    case CopyMethod::kRows:
      return copy_internal::find_rows_kernel(tile);
    case CopyMethod::kFill:
      return copy_internal::find_fill_kernel(tile);
    case CopyMethod::kInterleave:
      return copy_internal::find_interleave_kernel(tile);
    case CopyMethod::kDeinterleave:
      return copy_internal::find_deinterleave_kernel(tile);
    case CopyMethod::kTranspose:
      return copy_internal::find_transpose_kernel(tile);
    case CopyMethod::kSplitTranspose:
      return copy_internal::find_split_transpose_kernel(tile);
    case CopyMethod::kElements:
      return copy_internal::find_elements_kernel(tile);
  }
  return copy_run;
}

std::int64_t tile_bytes(const CopyTile& tile) {
  return tile.bytes * tile.inner.n * tile.outer.n * tile.inner_next.n * tile.outer_next.n;
}

// Runs a plan, or a share of it. The work is cut into items: every iteration of the loops outside
// the tile, times `pieces` parts of one of the tile's loops.
class Runner {
 public:
  Runner(const CopyPlan& plan, std::byte* dst, const std::byte* src)
      : plan_(plan),
        dst_(dst + plan.dst_base),
        src_(src + plan.src_base),
        kernel_(find_kernel(plan.method, plan.tile)) {
    for (int i = 0; i < plan.rank; ++i) iterations_ *= plan.loops[i].n;
  }

  std::int64_t bytes() const { return iterations_ * tile_bytes(plan_.tile); }

  void serial() const { run(0, iterations_); }

  void parallel() {
    const std::int64_t task_bytes = least_parallel_work(kTaskBytes);
    if (plan_.method == CopyMethod::kRun) {
      const std::int64_t total = plan_.tile.bytes;
      parallel_ranges(total, task_bytes, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(dst_ + begin, src_ + begin, static_cast<std::size_t>(end - begin));
      });
      return;
    }
    // The 64 rows of a tensor on 64 NPUs are the inner loop of a tile that has no other.
    if (plan_.method == CopyMethod::kRows && plan_.tile.outer.n == 1) cut_ = &CopyTile::inner;
    if (plan_.method == CopyMethod::kSplitTranspose)
      cut_ = plan_.tile.inner_next.n > 1 ? &CopyTile::inner_next : &CopyTile::outer_next;
    const std::int64_t rows = (plan_.tile.*cut_).n;
    // No 64-row block of a transpose is cut.
    const std::int64_t block = plan_.method == CopyMethod::kTranspose ? 64 : 1;
    piece_ = align_up(ceil_div(rows, ceil_div(tile_bytes(plan_.tile), task_bytes)), block);
    pieces_ = ceil_div(rows, piece_);
    const std::int64_t items = iterations_ * pieces_;
    const std::int64_t grain = std::max<std::int64_t>(1, items * task_bytes / bytes());
    parallel_ranges(items, grain, [&](std::int64_t begin, std::int64_t end) { run(begin, end); });
  }

 private:
  static std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
  static std::int64_t align_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

  void run(std::int64_t begin, std::int64_t end) const {
    std::array<std::int64_t, kMaxLoops + 1> at{};
    std::int64_t rest = begin / pieces_, piece = begin % pieces_;
    std::byte* dst = dst_;
    const std::byte* src = src_;
    for (int i = plan_.rank - 1; i >= 0; --i) {
      const CopyLoop& loop = plan_.loops[i];
      at[i] = rest % loop.n;
      rest /= loop.n;
      dst += at[i] * loop.dst;
      src += at[i] * loop.src;
    }
    CopyTile tile = plan_.tile;
    for (std::int64_t item = begin; item < end; ++item) {
      if (pieces_ == 1) {
        kernel_(tile, dst, src);
      } else {
        const std::int64_t first = piece * piece_;
        CopyLoop& rows = tile.*cut_;
        rows.n = std::min(piece_, (plan_.tile.*cut_).n - first);
        kernel_(tile, dst + first * rows.dst, src + first * rows.src);
        if (++piece < pieces_) continue;
        piece = 0;
      }
      for (int i = plan_.rank - 1; i >= 0; --i) {
        const CopyLoop& loop = plan_.loops[i];
        dst += loop.dst;
        src += loop.src;
        if (++at[i] < loop.n) break;
        dst -= loop.n * loop.dst;
        src -= loop.n * loop.src;
        at[i] = 0;
      }
    }
    // Stores past the caches are seen by other threads in any order before this.
    if (plan_.tile.stream) hwy::FlushStream();
  }

  const CopyPlan& plan_;
  std::byte* dst_;
  const std::byte* src_;
  CopyKernel kernel_;
  std::int64_t iterations_ = 1;
  CopyLoop CopyTile::*cut_ = &CopyTile::outer;
  std::int64_t piece_ = 0, pieces_ = 1;
};

void run_plan(const CopyPlan& plan, std::byte* dst, const std::byte* src, CopyThreads threads) {
  Runner runner(plan, dst, src);
  if (threads == CopyThreads::kSerial || runner.bytes() < least_parallel_work(kParallelBytes)) {
    runner.serial();
  } else {
    runner.parallel();
  }
}

// Calls visit(address of operand 0, address of operand 1) for every iteration, in loop order.
template <class Visit>
void for_each_pair(const Box& box, const Visit& visit) {
  const std::int64_t size = box.size();
  std::array<std::int64_t, kMaxLoops> at{};
  std::int64_t dst = box.base[0], src = box.base[1];
  for (std::int64_t i = 0; i < size; ++i) {
    visit(dst, src);
    for (int k = box.rank - 1; k >= 0; --k) {
      const Loop& loop = box.loops[k];
      dst += loop.stride[0];
      src += loop.stride[1];
      if (++at[k] < loop.extent) break;
      dst -= loop.extent * loop.stride[0];
      src -= loop.extent * loop.stride[1];
      at[k] = 0;
    }
  }
}

// A box over nibbles as one over bytes, when every element it moves has a whole byte as neighbour.
bool as_bytes(const Box& box, Box& out) {
  int pair = -1;
  for (int i = 0; i < box.rank; ++i) {
    const Loop& loop = box.loops[i];
    if (loop.stride[0] == 1 && loop.stride[1] == 1 && loop.extent % 2 == 0 && pair < 0) {
      pair = i;
    } else if (loop.stride[0] % 2 != 0 || loop.stride[1] % 2 != 0) {
      return false;
    }
  }
  if (pair < 0 || box.base[0] % 2 != 0 || box.base[1] % 2 != 0) return false;
  out = box;
  for (int k = 0; k < 2; ++k) out.base[k] /= 2;
  for (int i = 0; i < out.rank; ++i) {
    for (int k = 0; k < 2; ++k) out.loops[i].stride[k] /= 2;
  }
  out.loops[pair] = {box.loops[pair].extent / 2, {1, 1}};
  return true;
}

}  // namespace

struct StridedCopy::Plan : CopyPlan {};

StridedCopy::StridedCopy(const Box& box, std::int64_t element_bytes) {
  if (box.size() != 0)
    plan_ = std::make_unique<const Plan>(Plan{Planner(box, element_bytes).plan()});
}
StridedCopy::StridedCopy(StridedCopy&&) noexcept = default;
StridedCopy& StridedCopy::operator=(StridedCopy&&) noexcept = default;
StridedCopy::~StridedCopy() = default;

void StridedCopy::run(std::byte* dst, const std::byte* src, CopyThreads threads) const {
  if (plan_ != nullptr) run_plan(*plan_, dst, src, threads);
}

void strided_copy(const Box& box, std::byte* dst, const std::byte* src, std::int64_t element_bytes,
                  CopyThreads threads) {
  if (box.size() != 0) run_plan(Planner(box, element_bytes).plan(), dst, src, threads);
}

void copy_reference(const Box& box, std::byte* dst, const std::byte* src,
                    std::int64_t element_bytes) {
  for_each_pair(box, [&](std::int64_t to, std::int64_t from) {
    std::memcpy(dst + to, src + from, static_cast<std::size_t>(element_bytes));
  });
}

void strided_copy_nibbles(const Box& box, std::byte* dst, const std::byte* src,
                          CopyThreads threads) {
  Box bytes;
  if (as_bytes(box, bytes)) {
    strided_copy(bytes, dst, src, 1, threads);
  } else {
    copy_nibbles_reference(box, dst, src);
  }
}

void copy_nibbles_reference(const Box& box, std::byte* dst, const std::byte* src) {
  for_each_pair(box, [&](std::int64_t to, std::int64_t from) {
    const std::byte nibble = (src[from >> 1] >> (from & 1) * 4) & std::byte{15};
    const std::byte kept = dst[to >> 1] & (to & 1 ? std::byte{0x0f} : std::byte{0xf0});
    dst[to >> 1] = kept | nibble << (to & 1) * 4;
  });
}

std::string_view copy_kernel_name(const Box& box, std::int64_t element_bytes) {
  switch (Planner(box, element_bytes).plan().method) {
    case CopyMethod::kRun:
      return "run";
    case CopyMethod::kRows:
      return "rows";
    case CopyMethod::kFill:
      return "fill";
    case CopyMethod::kInterleave:
      return "interleave";
    case CopyMethod::kDeinterleave:
      return "deinterleave";
    case CopyMethod::kTranspose:
      return "transpose";
    case CopyMethod::kSplitTranspose:
      return "split transpose";
    case CopyMethod::kElements:
      return "elements";
  }
  return "";
}

}  // namespace tensorlane
