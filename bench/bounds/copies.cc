// Bare loops of what moves bytes: the runs of a copy in the order that is the fastest on this
// processor, each in one or two moves of a fixed width where it is short.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "../thread_clock.h"
#include "bounds.h"

namespace tensorlane::bench {
namespace {

struct Move {
  std::byte* to;
  const std::byte* from;
};
struct Moves {
  std::vector<Move> list;
  std::size_t bytes = 0;  // of each
};

// kBytes to 2 * kBytes bytes: the second move goes over some of the first.
template <std::size_t kBytes>
void move_ends(const Moves& moves) {
  const std::size_t last = moves.bytes - kBytes;
  for (const Move& move : moves.list) {
    std::memcpy(move.to, move.from, kBytes);
    std::memcpy(move.to + last, move.from + last, kBytes);
  }
}
// 48 to 64 bytes without long moves that overlap.
void move_parts(const Moves& moves) {
  const std::size_t last = moves.bytes - 16;
  for (const Move& move : moves.list) {
    std::memcpy(move.to, move.from, 32);
    std::memcpy(move.to + 32, move.from + 32, 16);
    std::memcpy(move.to + last, move.from + last, 16);
  }
}
template <std::size_t kBytes>
void move_fixed(const Moves& moves) {
  for (const Move& move : moves.list) std::memcpy(move.to, move.from, kBytes);
}

void move_all(const Moves& moves) {
  const std::size_t bytes = moves.bytes;
  if (bytes == 1) return move_fixed<1>(moves);
  if (bytes == 2) return move_fixed<2>(moves);
  if (bytes == 4) return move_fixed<4>(moves);
  if (bytes == 8) return move_fixed<8>(moves);
  if (bytes == 16) return move_fixed<16>(moves);
  if (bytes < 4) return move_ends<2>(moves);
  if (bytes < 8) return move_ends<4>(moves);
  if (bytes < 16) return move_ends<8>(moves);
  if (bytes <= 32) return move_ends<16>(moves);
  if (bytes < 48) return move_ends<32>(moves);
  if (bytes <= 64) return move_parts(moves);
  if (bytes <= 128) return move_ends<64>(moves);
  if (bytes <= 256) return move_ends<128>(moves);
  for (const Move& move : moves.list) std::memcpy(move.to, move.from, bytes);
}

// Of one length each.
using MoveLists = std::vector<Moves>;
void run_lists(const MoveLists& lists) {
  for (const Moves& moves : lists) move_all(moves);
}
double seconds_of_lists(const MoveLists& lists) {
  constexpr int kTurns = 5;
  double best = 1;
  run_lists(lists);
  for (int turn = 0; turn < kTurns; ++turn)
    best = std::min(best, seconds_of([&] {
                      for (int k = 0; k < kTurns; ++k) run_lists(lists);
                    }));
  return best;
}

// The elements of `from` to those of `to`, which has the same shape, as runs that both have side by
// side, in the order of `to`.
MoveLists runs_between(const Layout& to, std::byte* to_base, const Layout& from,
                       const std::byte* from_base) {
  const auto unit = static_cast<std::size_t>(to.element_units());
  MoveLists lists;
  Move open{};
  std::size_t bytes = 0;
  const auto close = [&] {
    if (bytes == 0) return;
    auto same = std::ranges::find(lists, bytes, &Moves::bytes);
    if (same == lists.end()) same = lists.insert(lists.end(), Moves{{}, bytes});
    same->list.push_back(open);
  };
  Layout::Index index{};
  for (std::int64_t i = 0; i < to.size(); ++i) {
    const std::span<const std::int64_t> at(index.data(), static_cast<std::size_t>(to.rank()));
    std::byte* const target = to_base + to.address(at);
    const std::byte* const source = from_base + from.address(at);
    if (bytes == 0 || target != open.to + bytes || source != open.from + bytes) {
      close();
      open = {target, source};
      bytes = 0;
    }
    bytes += unit;
    for (int d = to.rank() - 1; d >= 0; --d) {
      std::int64_t& digit = index[static_cast<std::size_t>(d)];
      if (++digit < to.extent(d) || d == 0) break;
      digit = 0;
    }
  }
  close();
  return lists;
}

// The runs as they follow each other in the result, by where they go, or by where they come from.
std::function<void()> fastest_order(MoveLists lists) {
  auto fastest = std::make_shared<MoveLists>(lists);
  double least = seconds_of_lists(lists);
  const auto try_order = [&](auto place_of) {
    for (Moves& moves : lists) std::ranges::stable_sort(moves.list, {}, place_of);
    const double seconds = seconds_of_lists(lists);
    if (seconds >= least) return;
    least = seconds;
    *fastest = lists;
  };
  try_order([](const Move& move) { return move.to; });
  try_order([](const Move& move) { return move.from; });
  return [fastest] { run_lists(*fastest); };
}
bool by_bytes(const Layout& layout) {
  constexpr int kByte = 8;
  return layout.unit_bits() == kByte && !layout.swizzle();
}
std::function<void()> copy_of(const Command& command, Memories memory, bool swaps_images) {
  const Operand &dst = command.operands()[0], &src = command.operands()[1];
  const std::vector<int> order =
      swaps_images ? std::vector<int>{1, 0, 2, 3} : std::vector<int>{0, 1, 2, 3};
  const Layout& to = dst.layout;
  const Layout from = to.rank() == 4 ? src.layout.permuted(order) : src.layout;
  if (to.rank() != from.rank() || !by_bytes(to) || !by_bytes(from)) return {};
  for (int d = 0; d < to.rank(); ++d) {
    if (to.extent(d) != from.extent(d)) return {};
  }
  return fastest_order(runs_between(to, memory[static_cast<std::size_t>(dst.space)], from,
                                    memory[static_cast<std::size_t>(src.space)]));
}
std::function<void()> copy_loop(const Command& command, Memories memory) {
  return copy_of(command, memory, false);
}
std::function<void()> swapped_loop(const Command& command, Memories memory) {
  return copy_of(command, memory, true);
}

// What is filled is written from one place again and again.
std::function<void()> fill_loop_of(const Command& command, Memories memory) {
  const Operand& dst = command.operands()[0];
  if (!by_bytes(dst.layout)) return {};
  std::byte* const base = memory[static_cast<std::size_t>(dst.space)];
  MoveLists lists = runs_between(dst.layout, base, dst.layout, base);
  std::size_t longest = 0;
  for (const Moves& moves : lists) longest = std::max(longest, moves.bytes);
  const auto value = std::make_shared<std::vector<std::byte>>(longest, std::byte{3});
  for (Moves& moves : lists) {
    for (Move& move : moves.list) move.from = value->data();
  }
  return [value, run = fastest_order(std::move(lists))] { run(); };
}

// A transposed matrix: each column goes to elements a step apart, from elements side by side.
struct Column {
  std::byte* to;
  const std::byte* from;
};
struct Columns {
  std::vector<Column> list;
  std::int64_t rows = 0, step = 0;
};
template <class T>
void move_columns(const Columns& columns) {
  const std::int64_t rows = columns.rows, step = columns.step;
  for (const Column& column : columns.list) {
    std::byte* to = column.to;
    const std::byte* from = column.from;
    for (std::int64_t i = 0; i < rows; ++i, to += step, from += sizeof(T))
      std::memcpy(to, from, sizeof(T));
  }
}
std::function<void()> transposed_loop(const Command& command, Memories memory) {
  const Operand &dst = command.operands()[0], &src = command.operands()[1];
  const Layout &to = dst.layout, &from = src.layout;
  const std::int64_t bytes = to.element_units();
  if (to.rank() != 2 || to.digits(0).size() != 1 || from.digits(1)[0].stride != bytes) return {};
  Columns columns;
  columns.rows = to.extent(0);
  columns.step = to.digits(0)[0].stride;
  for (std::int64_t j = 0; j < to.extent(1); ++j) {
    const std::int64_t first[] = {0, j}, other[] = {j, 0};
    columns.list.push_back({memory[static_cast<std::size_t>(dst.space)] + to.address(first),
                            memory[static_cast<std::size_t>(src.space)] + from.address(other)});
  }
  const auto move = bytes == 1   ? move_columns<std::uint8_t>
                    : bytes == 2 ? move_columns<std::uint16_t>
                                 : move_columns<std::uint32_t>;
  return [columns, move] { move(columns); };
}

}  // namespace

const BoundList& copy_bounds() {
  static const auto& list = *new BoundList{
      {"(tpu|okk)_gdma_(8bit_|16bit_|32bit_)?(general_)?(cpy|compact|matrix|vector)_(L2S|S2L|L2L)",
       ".*", "rows copied", copy_loop},
      {"tpu_gdma_(cpy|compact)_nc_trans_(L2S|S2L|L2L)", ".*", "rows copied", swapped_loop},
      {"(tpu|okk)_gdma_(8bit_|16bit_|32bit_)?set_C_local|tpu_bdc_set_C", ".*", "rows filled",
       fill_loop_of},
      {"tpu_gdma_matrix_trans_S2L", ".*", "columns spread over lines", transposed_loop},
  };
  return list;
}

}  // namespace tensorlane::bench
