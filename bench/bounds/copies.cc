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

double seconds_of_moves(const Moves& moves) {
  constexpr int kTurns = 5;
  double best = 1;
  move_all(moves);
  for (int turn = 0; turn < kTurns; ++turn)
    best = std::min(best, seconds_of([&] {
                      for (int k = 0; k < kTurns; ++k) move_all(moves);
                    }));
  return best;
}

// The runs as they follow each other in the result, by where they go, or by where they come from.
std::function<void()> copy_loop(const Command& command, Memories memory) {
  const Placed placed = place(command, memory);
  if (!placed || !placed.dense() || placed.operands != 2 || placed.steps[1] == 0) return {};
  Moves moves;
  moves.bytes = static_cast<std::size_t>(placed.runs.front().count * placed.steps[0]);
  for (const Run& run : placed.runs) {
    if (run.count != placed.runs.front().count) return {};
    moves.list.push_back({run.at[0], run.at[1]});
  }
  auto fastest = std::make_shared<Moves>(moves);
  double least = seconds_of_moves(moves);
  const auto try_order = [&](auto place_of) {
    std::ranges::stable_sort(moves.list, {}, place_of);
    const double seconds = seconds_of_moves(moves);
    if (seconds >= least) return;
    least = seconds;
    *fastest = moves;
  };
  try_order([](const Move& move) { return move.to; });
  try_order([](const Move& move) { return move.from; });
  return [fastest] { move_all(*fastest); };
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
      {"(tpu|okk)_gdma_(8bit_|32bit_)?(cpy|compact|matrix|vector)_(L2S|S2L|L2L)|"
       "tpu_gdma_cpy_nc_trans_(L2S|S2L|L2L)",
       ".*", "rows copied", copy_loop},
      {"tpu_gdma_matrix_trans_S2L", ".*", "columns spread over lines", transposed_loop},
  };
  return list;
}

}  // namespace tensorlane::bench
