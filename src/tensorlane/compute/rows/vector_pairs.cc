#include "tensorlane/compute/rows/vector_pairs.h"

#include <algorithm>
#include <memory>

#include "tensorlane/compute/rows/dense_elements.h"
#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane {
namespace {

// The vectors of a call, and frames of its results.
class Pairs {
 public:
  explicit Pairs(const Invocation& invocation)
      : dst_(*invocation.command.find("dst_addr")),
        base_(invocation.base(dst_)),
        left_(dense_elements(invocation, *invocation.command.find("src0_addr"))),
        right_(dense_elements(invocation, *invocation.command.find("src1_addr"))),
        left_bytes_(static_cast<std::int64_t>(left_.size()) / rows()),
        right_bytes_(static_cast<std::int64_t>(right_.size()) / cols()) {
    const Command& command = invocation.command;
    for (std::size_t k = 0; k < command.op->params().size(); ++k) {
      if (command.op->params()[k].name != "true_val") continue;
      compares_ = true;
      true_value_ = static_cast<std::uint32_t>(command.args()[k].value());
    }
  }

  std::int64_t rows() const { return dst_.layout.extent(0); }
  std::int64_t cols() const { return dst_.layout.extent(1); }
  std::int64_t bytes() const { return dst_.layout.element_units(); }
  const Layout& layout() const { return dst_.layout; }
  std::byte* base() const { return base_; }
  std::byte* at(std::int64_t i, std::int64_t j) const {
    const Layout::Index index{i, j};
    return base_ + dst_.layout.address(index);
  }

  // Of `rows` rows from row i on `count` columns from column j on, which go to `to`, `next` bytes
  // from row to row.
  Row frame(std::byte* to, std::int64_t next, std::int64_t i, std::int64_t rows, std::int64_t j,
            std::int64_t count) const {
    Row frame{};
    frame.dst = to;
    frame.dst_step = bytes();
    frame.dst_next = next;
    frame.rows = rows;
    frame.count = count;
    frame.src[0] = frame.src[2] = left_.data() + i * left_bytes_;
    frame.src_next[0] = frame.src_next[2] = left_bytes_;
    frame.src[1] = frame.src[3] = right_.data() + j * right_bytes_;
    frame.src_step[1] = frame.src_step[3] = right_bytes_;
    if (compares_) {
      frame.src[2] = reinterpret_cast<const std::byte*>(&true_value_);
      frame.src_next[2] = 0;
    }
    return frame;
  }

 private:
  const Operand& dst_;
  std::byte* base_;
  std::vector<std::byte> left_, right_;
  std::int64_t left_bytes_, right_bytes_;
  bool compares_ = false;
  std::uint32_t true_value_ = 0;
};

void run_elements_of(const Pairs& pairs, const RowFunction& row) {
  for (std::int64_t i = 0; i < pairs.rows(); ++i) {
    for (std::int64_t j = 0; j < pairs.cols(); ++j) row(pairs.frame(pairs.at(i, j), 0, i, 1, j, 1));
  }
}

// All rows of the columns of one channel after the other.
void run_channels(const Pairs& pairs, const RowFunction& row, std::int64_t per_channel) {
  const std::int64_t next = pairs.layout().digits(0).front().stride;
  for (std::int64_t j = 0; j < pairs.cols(); j += per_channel) {
    const std::int64_t count = std::min(per_channel, pairs.cols() - j);
    row(pairs.frame(pairs.at(0, j), next, 0, pairs.rows(), j, count));
  }
}

// Channels of few columns make rows that are too short for vectors: whole rows are computed in a
// buffer, some at a time, and dealt to the channels from there.
void run_bands(const Pairs& pairs, const RowFunction& row) {
  constexpr std::int64_t kBandBytes = 128 << 10;  // in the second-level cache
  const std::int64_t row_bytes = pairs.cols() * pairs.bytes();
  const std::int64_t band = std::clamp<std::int64_t>(kBandBytes / row_bytes, 1, pairs.rows());
  const auto buffer =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(band * row_bytes));
  for (std::int64_t i = 0; i < pairs.rows(); i += band) {
    const std::int64_t rows = std::min(band, pairs.rows() - i);
    row(pairs.frame(buffer.get(), row_bytes, i, rows, 0, pairs.cols()));
    const Layout to = pairs.layout().slice(0, i, rows);
    Layout from(to.dtype());
    from.add_dim(rows, {{1, row_bytes}}).add_dim(pairs.cols(), {{1, pairs.bytes()}});
    for (const Box& box : fold({&to, &from}))
      strided_copy(box, pairs.base(), buffer.get(), pairs.bytes());
  }
}

bool run_rows_of(const Pairs& pairs, const RowFunction& row, std::int64_t per_channel,
                 std::int64_t long_row) {
  if (!pairs.layout().nested() || pairs.layout().digits(0).size() != 1) return false;
  if (per_channel >= pairs.cols() || per_channel * pairs.bytes() >= long_row) {
    run_channels(pairs, row, per_channel);
  } else {
    run_bands(pairs, row);
  }
  return true;
}

// What a comparison that does not hold gives.
constexpr std::uint32_t kZero = 0;

// The row with 0 as its source 3.
RowFunction or_zero(RowFunction row) {
  return [row = std::move(row)](const Row& given) {
    Row frame = given;
    frame.src[3] = reinterpret_cast<const std::byte*>(&kZero);
    frame.src_step[3] = 0;
    row(frame);
  };
}

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
    return or_zero(dtype_info(type_in(command, "src_dtype")).is_float
                       ? widened_row<u32, float, float, u32, u32>(command, "dst_addr", sources,
                                                                  selection.of_floats, kIndices)
                       : widened_row<u32, s64, s64, u32, u32>(command, "dst_addr", sources,
                                                              selection.of_integers, kIndices));
  };
}

PairVectors typed_pair_row(TypedRow vectors, std::string_view dtype_param) {
  constexpr std::int64_t kLongRow = 96;
  const auto row = [=](const Command& command) -> RowFunction {
    const Dtype dtype = type_in(command, dtype_param);
    if (dtype_bits(command.find("dst_addr")->layout.dtype()) != dtype_bits(dtype)) return {};
    const SimdRow found = typed_row(vectors, dtype);
    if (found == nullptr) return {};
    return or_zero(found);
  };
  return {row, kLongRow};
}

std::vector<Implementation> pair_rows(const PairRow& row, const PairVectors& vectors) {
  const auto rows = [row, vectors](const Invocation& invocation) {
    const Command& command = invocation.command;
    RowFunction fastest = vectors.row ? vectors.row(command) : RowFunction();
    if (!fastest) fastest = row(command);
    const std::int64_t per_channel = command.arg("src1_len_per_channel").value();
    return run_rows_of(Pairs(invocation), fastest, per_channel, vectors.long_row);
  };
  const auto reference = [row](const Invocation& invocation) {
    run_elements_of(Pairs(invocation), row(invocation.command));
    return true;
  };
  return {{"rows", rows, kAnyOperands}, {"reference", reference, kAnyOperands}};
}

}  // namespace tensorlane
