#include "tensorlane/compute/rows/vector_pairs.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/rows/dense_elements.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/strided_copy.h"
#include "tensorlane/ops/dispatch.h"

namespace tensorlane {
namespace {

// What a comparison that does not hold gives.
constexpr std::uint32_t kZero = 0;

// The elements of a vector side by side: how they come there.
class DenseVector {
 public:
  DenseVector(const Invocation& invocation, std::string_view name)
      : DenseVector(*invocation.command.find(name), invocation) {}

  std::size_t bytes() const { return bytes_; }
  void read_to(std::byte* elements) const {
    for (const StridedCopy& copy : copies_) copy.run(elements, base_);
  }

 private:
  DenseVector(const Operand& operand, const Invocation& invocation)
      : base_(invocation.base(operand)),
        bytes_(static_cast<std::size_t>(operand.layout.size() * operand.layout.element_units())) {
    const Layout dense = dense_like(operand.layout);
    for (const Box& box : fold({&dense, &operand.layout}))
      copies_.emplace_back(box, operand.layout.element_units());
  }

  const std::byte* base_;
  std::size_t bytes_;
  std::vector<StridedCopy> copies_;
};

// The vectors of a call, and frames of its results. What there is to find out about a call that
// comes again is found out once.
class Pairs final : public Lowering {
 public:
  Pairs(const Invocation& invocation, PairedRows paired)
      : memory_(invocation.memory),
        layout_(invocation.command.find("dst_addr")->layout),
        base_(invocation.base(*invocation.command.find("dst_addr"))),
        left_(invocation, "src0_addr"),
        right_(invocation, "src1_addr"),
        row_(std::move(paired.row)),
        left_bytes_(static_cast<std::int64_t>(left_.bytes()) / rows()),
        right_bytes_(static_cast<std::int64_t>(right_.bytes()) / cols()) {
    const Command& command = invocation.command;
    for (std::size_t k = 0; k < command.op->params().size(); ++k) {
      if (command.op->params()[k].name != "true_val") continue;
      compares_ = true;
      true_value_ = static_cast<std::uint32_t>(command.args()[k].value());
    }
    per_channel_ = std::min(command.arg("src1_len_per_channel").value(), cols());
    if (!has_rows()) return;
    const std::int64_t row_bytes = per_channel_ * bytes();
    const bool is_short = per_channel_ < cols() && row_bytes < paired.long_row;
    const Operand& right = *command.find("src1_addr");
    reads_right_ = bounds_overlap(*command.find("dst_addr"), right) ||
                   right.layout.digits(1).front().stride != right.layout.element_units();
    for (std::int64_t j = 0; j < cols(); j += per_channel_) {
      const Layout::Index index{0, j};
      channels_.push_back({at(0, j), invocation.base(right) + right.layout.address(index)});
    }
    deals_ = is_short && !(paired.turns_rows && turns_pairs(rows(), row_bytes));
    if (!deals_) find_groups();
  }

  // Whether rows have places that follow from the first one's.
  bool has_rows() const { return layout_.nested() && layout_.digits(0).size() == 1; }
  bool is_of(const Invocation& invocation) const { return memory_ == invocation.memory; }

  // In rows, of which each has `per_channel` columns in a channel.
  void run_rows() const { deals_ ? run_bands() : run_groups(); }
  void run_elements() const {
    const Vectors vectors = read();
    for (std::int64_t i = 0; i < rows(); ++i) {
      for (std::int64_t j = 0; j < cols(); ++j) row_(frame(vectors, at(i, j), 0, i, 1, j, 1));
    }
  }

 private:
  struct Vectors {
    const std::byte *left, *right;
  };
  // Where it begins in the result and in the right vector.
  struct Channel {
    std::byte* to;
    const std::byte* right;
  };
  // Channels of as many columns each, so many bytes from one to the next.
  struct Group {
    std::int64_t first = 0, channels = 0, columns = 0, next = 0, right_next = 0;
  };

  std::int64_t rows() const { return layout_.extent(0); }
  std::int64_t cols() const { return layout_.extent(1); }
  std::int64_t bytes() const { return layout_.element_units(); }
  std::int64_t next_row() const { return layout_.digits(0).front().stride; }
  std::byte* at(std::int64_t i, std::int64_t j) const {
    const Layout::Index index{i, j};
    return base_ + layout_.address(index);
  }
  // In a buffer of the thread, which no row function asks for.
  Vectors read() const {
    const std::size_t left_bytes = (left_.bytes() + 63) / 64 * 64;
    std::byte* const left = buffer(left_bytes + right_.bytes());
    std::byte* const right = left + left_bytes;
    left_.read_to(left);
    right_.read_to(right);
    return {left, right};
  }
  Vectors read_left() const {
    std::byte* const left = buffer(left_.bytes());
    left_.read_to(left);
    return {left, nullptr};
  }
  static std::byte* buffer(std::size_t bytes) {
    constexpr int kSlot = 5;
    return thread_scratch<kSlot, std::byte>(bytes);
  }

  // Of `rows` rows from row i on `count` columns from column j on, which go to `to`, `next` bytes
  // from row to row.
  Row frame(const Vectors& vectors, std::byte* to, std::int64_t next, std::int64_t i,
            std::int64_t rows_of_frame, std::int64_t j, std::int64_t count) const {
    Row frame{};
    frame.dst = to;
    frame.dst_step = bytes();
    frame.dst_next = next;
    frame.rows = rows_of_frame;
    frame.count = count;
    frame.src[0] = frame.src[2] = vectors.left + i * left_bytes_;
    frame.src_next[0] = frame.src_next[2] = left_bytes_;
    frame.src[1] = frame.src[3] = vectors.right + j * right_bytes_;
    frame.src_step[1] = frame.src_step[3] = right_bytes_;
    if (compares_) {
      frame.src[2] = reinterpret_cast<const std::byte*>(&true_value_);
      frame.src_next[2] = 0;
      frame.src[3] = reinterpret_cast<const std::byte*>(&kZero);
      frame.src_step[3] = 0;
    }
    return frame;
  }

  void find_groups() {
    const auto channel_count = static_cast<std::int64_t>(channels_.size());
    for (std::int64_t c = 0; c < channel_count; ++c) {
      const std::int64_t columns = std::min(per_channel_, cols() - c * per_channel_);
      Group* const last = groups_.empty() ? nullptr : &groups_.back();
      if (last != nullptr && last->columns == columns && goes_on(*last, c)) {
        ++last->channels;
      } else {
        groups_.push_back({c, 1, columns});
      }
    }
  }
  // Whether channel c is as far from the one before it as those of the group are from each other,
  // where there is a second one already.
  bool goes_on(Group& group, std::int64_t c) const {
    const Channel &before = channel(c - 1), &now = channel(c);
    const std::int64_t next = now.to - before.to, right_next = now.right - before.right;
    if (group.channels > 1) return group.next == next && group.right_next == right_next;
    group.next = next;
    group.right_next = right_next;
    return true;
  }
  const Channel& channel(std::int64_t c) const { return channels_[static_cast<std::size_t>(c)]; }
  // All rows of the columns of one channel after the other.
  void run_groups() const {
    const Vectors vectors = reads_right_ ? read() : read_left();
    for (const Group& group : groups_) {
      const Channel& first = channel(group.first);
      const std::int64_t column = reads_right_ ? group.first * per_channel_ : 0;
      const Vectors here = {vectors.left, reads_right_ ? vectors.right : first.right};
      Row all = frame(here, first.to, next_row(), 0, rows(), column, group.columns);
      all.blocks = group.channels;
      all.dst_block = group.next;
      for (const std::size_t k : {1, 3}) {
        if (all.src_step[k] != 0)
          all.src_block[k] = reads_right_ ? group.columns * right_bytes_ : group.right_next;
      }
      row_(all);
    }
  }

  // Channels of few columns make rows that are too short for vectors: whole rows are computed in a
  // buffer, some at a time, and dealt to the channels from there.
  void run_bands() const {
    constexpr std::int64_t kBandBytes = 16 << 10;
    const Vectors vectors = read();
    const std::int64_t row_bytes = cols() * bytes();
    const std::int64_t band = std::clamp<std::int64_t>(kBandBytes / row_bytes, 1, rows());
    const auto buffer =
        std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(band * row_bytes));
    for (std::int64_t i = 0; i < rows(); i += band) {
      const std::int64_t count = std::min(band, rows() - i);
      row_(frame(vectors, buffer.get(), row_bytes, i, count, 0, cols()));
      deal(buffer.get(), i, count);
    }
  }
  // More than 16 bytes; a call of memcpy for each would take longer than the copy.
  struct LongPiece {
    std::int64_t bytes;
  };
  static void copy_piece(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  static void copy_piece(std::byte* to, const std::byte* from, LongPiece piece) {
    constexpr std::int64_t kMove = 16;
    const std::int64_t last = piece.bytes - kMove;
    for (std::int64_t i = 0; i < last; i += kMove) std::memcpy(to + i, from + i, kMove);
    std::memcpy(to + last, from + last, kMove);  // over some that are there
  }
  // One channel after the other: its rows follow each other, those of another are far away.
  void deal(const std::byte* from, std::int64_t first, std::int64_t count) const {
    const std::int64_t row_bytes = cols() * bytes(), piece = per_channel_ * bytes();
    const std::int64_t next = next_row();
    const auto deal_channel = [=, this](std::size_t channel, auto size) {
      std::byte* to = channels_[channel].to + first * next;
      const std::byte* at = from + static_cast<std::int64_t>(channel) * piece;
      for (std::int64_t r = 0; r < count; ++r, to += next, at += row_bytes)
        copy_piece(to, at, size);
    };
    const std::size_t whole = static_cast<std::size_t>(cols() / per_channel_);
    const auto deal_whole = [&](auto size) {
      for (std::size_t channel = 0; channel < whole; ++channel) deal_channel(channel, size);
    };
    if (piece == 4) {
      deal_whole(std::integral_constant<std::size_t, 4>());
    } else if (piece == 8) {
      deal_whole(std::integral_constant<std::size_t, 8>());
    } else if (piece == 16) {
      deal_whole(std::integral_constant<std::size_t, 16>());
    } else if (piece > 16) {
      deal_whole(LongPiece{piece});
    } else {
      deal_whole(static_cast<std::size_t>(piece));
    }
    if (whole < channels_.size())
      deal_channel(whole, static_cast<std::size_t>(cols() % per_channel_ * bytes()));
  }

  decltype(Invocation::memory) memory_;
  Layout layout_;
  std::byte* base_;
  DenseVector left_, right_;
  bool reads_right_ = false;  // to a buffer; else its channels are taken where they are
  bool compares_ = false;
  std::uint32_t true_value_ = 0;
  std::int64_t per_channel_ = 0;
  RowFunction row_;
  std::int64_t left_bytes_, right_bytes_;  // of an element
  std::vector<Channel> channels_;
  bool deals_ = false;  // rows to them; else `row_` writes there, group by group
  std::vector<Group> groups_;
};

}  // namespace

// Sources 2 and 3 are the operands once more, for their bits.
PairRow extreme_pair_row(const Extreme& extreme) {
  return [=](const Command& command) {
    const SourceParam a("src0_addr"), b("src1_addr");
    if (!dtype_info(type_in(command, "dtype")).is_float)
      return pair_row<std::int64_t, std::int64_t, std::int64_t>(extreme.of_integers)(command);
    const auto larger = [f = extreme.of_floats, dtype = command.operands()[0].layout.dtype()](
                            float x, float y, std::uint32_t x_bits, std::uint32_t y_bits) {
      return f({x, x_bits, dtype}, {y, y_bits, dtype});
    };
    return widened_row<std::uint32_t, float, float, std::uint32_t, std::uint32_t>(
        command, "dst_addr", {a, b, a, b}, larger, std::make_index_sequence<4>{});
  };
}

PairRow compared_pair_row(const Selection& selection) {
  return [=](const Command& command) {
    using u32 = std::uint32_t;
    using s64 = std::int64_t;
    const std::array<SourceParam, 4> sources = {"src0_addr", "src1_addr",
                                                SourceParam("true_val", "dst_dtype"),
                                                SourceParam("0", "dst_dtype")};
    constexpr std::make_index_sequence<4> kIndices;
    return dtype_info(type_in(command, "src_dtype")).is_float
               ? widened_row<u32, float, float, u32, u32>(command, "dst_addr", sources,
                                                          selection.of_floats, kIndices)
               : widened_row<u32, s64, s64, u32, u32>(command, "dst_addr", sources,
                                                      selection.of_integers, kIndices);
  };
}

PairedRows turned_rows(RowFunction row) {
  return {std::move(row), kLongPairRow, true};
}

FasterRows typed_pair_row(TypedRow vectors, std::string_view dtype_param) {
  TL_INTERNAL_CHECK(pair_loops(vectors, true) != simd::PairLoops::kNone);  // it has turned_rows
  return [=](const Command& command) -> PairedRows {
    const Dtype dtype = type_in(command, dtype_param);
    if (dtype_bits(command.find("dst_addr")->layout.dtype()) != dtype_bits(dtype)) return {};
    const SimdRow found = typed_row(vectors, dtype);
    return found == nullptr ? PairedRows() : turned_rows(found);
  };
}

std::vector<Implementation> pair_rows(const PairRow& row, const FasterRows& faster) {
  const auto rows = [row, faster](const Invocation& invocation) {
    KnownCall& call = invocation.command.known;
    const auto* const kept = dynamic_cast<const Pairs*>(call.lowering());
    if (kept != nullptr && kept->is_of(invocation)) {
      kept->run_rows();
      return true;
    }
    PairedRows paired = faster ? faster(invocation.command) : PairedRows();
    if (!paired.row) paired = {row(invocation.command)};
    auto pairs = std::make_unique<Pairs>(invocation, std::move(paired));
    if (!pairs->has_rows()) return false;
    pairs->run_rows();
    if (call.keeps_coming() && call.lowering() == nullptr) call.keep(std::move(pairs));
    return true;
  };
  const auto reference = [row](const Invocation& invocation) {
    Pairs(invocation, {row(invocation.command)}).run_elements();
    return true;
  };
  return {{"rows", rows, kAnyOperands}, {"reference", reference, kAnyOperands}};
}

}  // namespace tensorlane
