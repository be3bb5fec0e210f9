#include "tensorlane/compute/moves/indexed_moves.h"

#include <cstring>
#include <span>

#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/moves/indexed_rows.h"
#include "tensorlane/compute/moves/moves.h"
#include "tensorlane/compute/rows/dense_elements.h"

namespace tensorlane {
namespace {

using List = std::vector<Implementation>;

bool has_param(const Command& command, std::string_view name) {
  for (const Param& param : command.op->params()) {
    if (param.name == name) return true;
  }
  return false;
}

// What an index of all ones stands for, in functions that know such indices.
struct Exception {
  explicit Exception(const Command& command)
      : known(has_param(command, "fill_const")),
        fill(known && command.arg("fill_const").value() != 0),
        constant(known ? static_cast<std::uint32_t>(command.arg("C").value()) : 0) {}
  bool known, fill;
  std::uint32_t constant;
};

// One element of a channel to another place, both in bytes from the channel's first element.
struct Move {
  std::int64_t to, from;
};
constexpr std::int64_t kFromConstant = -1;

// In order: the last one stays.
void apply(std::span<const Move> moves, std::int64_t bytes, std::byte* to, const std::byte* from,
           std::uint32_t constant) {
  with_width(bytes, [&](auto element) {
    using Element = decltype(element);
    for (const Move& move : moves) {
      const void* const source =
          move.from == kFromConstant ? static_cast<const void*>(&constant) : from + move.from;
      std::memcpy(to + move.to, source, sizeof(Element));
    }
  });
}

// Gathers and scatters by indices that all channels share: the same moves in each. `place(i)` is
// where the i-th element stands in the tensor that goes along with the indices, `indexed(index)`
// where an index points to in the other one.
template <class Place, class Indexed>
bool move_shared(const Invocation& invocation, bool scatter, Place place, Indexed indexed) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const IndexedTensor index(invocation, "index_addr");
  const Exception exception(invocation.command);
  const Plane in_order = (scatter ? param : output).plane(0, 0);
  const Plane by_index = (scatter ? output : param).plane(0, 0);
  std::vector<Move> moves;
  for (std::int64_t i = 0; i < index.extent(1); ++i) {
    const std::uint32_t value = index.bits(index.at(0, i, 0, 0));
    const std::int64_t ordered = place(in_order, i);
    if (exception.known && value == index.all_ones()) {
      if (exception.fill) moves.push_back({ordered, kFromConstant});
      continue;
    }
    const std::int64_t found = indexed(scatter ? output : param, by_index, value);
    moves.push_back(scatter ? Move{found, ordered} : Move{ordered, found});
  }
  for (std::int64_t n = 0; n < output.extent(0); ++n) {
    for (std::int64_t c = 0; c < output.extent(1); ++c) {
      apply(moves, output.bytes(), output.at(n, c, 0, 0), param.at(n, c, 0, 0), exception.constant);
    }
  }
  return true;
}

// out[n, c, 0, i] = param[n, c, 0, index[i]], and the other way about
bool move_w(const Invocation& invocation, bool scatter) {
  return move_shared(
      invocation, scatter, [](const Plane& plane, std::int64_t i) { return i * plane.w_stride; },
      [&](const IndexedTensor& tensor, const Plane& plane, std::uint32_t index) {
        check_index(invocation.command, "index_addr", index, tensor.extent(3));
        return static_cast<std::int64_t>(index) * plane.w_stride;
      });
}

// An index word holds w in its low half and h in its high half.
bool move_hw(const Invocation& invocation, bool scatter) {
  const std::int64_t width =
      invocation.command.find(scatter ? "param_addr" : "output_addr")->layout.extent(3);
  return move_shared(
      invocation, scatter,
      [width](const Plane& plane, std::int64_t i) {
        return i / width * plane.h_stride + i % width * plane.w_stride;
      },
      [&](const IndexedTensor& tensor, const Plane& plane, std::uint32_t index) {
        const std::int64_t h = index >> 16U, w = index & 0xffffU;
        check_index(invocation.command, "index_addr", static_cast<std::uint64_t>(h),
                    tensor.extent(2));
        check_index(invocation.command, "index_addr", static_cast<std::uint64_t>(w),
                    tensor.extent(3));
        return h * plane.h_stride + w * plane.w_stride;
      });
}

// Every (n, c) has its own indices; the parameter is the same for all batches. `along_h`: whole
// rows are moved, which are dense, otherwise single elements of one row.
bool move_own(const Invocation& invocation, bool scatter, bool along_h) {
  const Command& command = invocation.command;
  const IndexedTensor output(invocation, "output_addr"), index(invocation, "index_addr");
  const SharedRows param(invocation, "param_addr");
  const Exception exception(command);
  const IndexedTensor& by_index = scatter ? output : param.tensor();
  const std::int64_t extent = by_index.extent(along_h ? 2 : 3);
  const std::int64_t count = index.extent(2) * index.extent(3);
  const std::int64_t width = along_h ? output.extent(3) : 1, bytes = output.bytes();
  const auto step = [along_h](const Plane& plane) {
    return along_h ? plane.h_stride : plane.w_stride;
  };
  std::vector<Move> moves;
  for (std::int64_t n = 0; n < index.extent(0); ++n) {
    for (std::int64_t c = 0; c < index.extent(1); ++c) {
      const Plane to = output.plane(n, c), from = param.plane(c), indices = index.plane(n, c);
      moves.clear();
      with_width(index.bytes(), [&](auto type) {
        for (std::int64_t i = 0; i < count; ++i) {
          decltype(type) value;
          std::memcpy(&value, indices.base + i * step(indices), sizeof value);
          if (exception.known && value == index.all_ones()) {
            if (exception.fill) moves.push_back({i * step(to), kFromConstant});
            continue;
          }
          check_index(command, "index_addr", value, extent);
          moves.push_back(scatter ? Move{value * step(to), i * step(from)}
                                  : Move{i * step(to), value * step(from)});
        }
      });
      if (!along_h) {
        apply(moves, bytes, to.base, from.base, exception.constant);
        continue;
      }
      for (const Move& move : moves) {
        if (move.from == kFromConstant) {
          for (std::int64_t w = 0; w < width; ++w)
            std::memcpy(to.base + move.to + w * bytes, &exception.constant,
                        static_cast<std::size_t>(bytes));
        } else {
          std::memmove(to.base + move.to, from.base + move.from,
                       static_cast<std::size_t>(width * bytes));
        }
      }
    }
  }
  return true;
}

// The elements whose mask is not zero, moved together; how many there were.
bool select_by_mask(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), count(invocation, "count_addr");
  const IndexedTensor mask(invocation, "mask_addr");
  const SharedRows param(invocation, "param_addr");
  const std::int64_t width = output.extent(3);
  std::vector<Move> moves;
  for (std::int64_t n = 0; n < output.extent(0); ++n) {
    for (std::int64_t c = 0; c < output.extent(1); ++c) {
      const Plane to = output.plane(n, c), from = param.plane(c), tested = mask.plane(n, c);
      moves.resize(static_cast<std::size_t>(width));
      std::size_t taken = 0;
      with_width(mask.bytes(), [&](auto type) {
        for (std::int64_t i = 0; i < width; ++i) {
          decltype(type) value;
          std::memcpy(&value, tested.base + i * tested.w_stride, sizeof value);
          moves[taken] = {static_cast<std::int64_t>(taken) * to.w_stride, i * from.w_stride};
          taken += value != 0 ? 1 : 0;
        }
      });
      apply({moves.data(), taken}, output.bytes(), to.base, from.base, 0);
      const auto kept = static_cast<std::uint16_t>(taken);
      std::memcpy(count.at(n, c, 0, 0), &kept, sizeof kept);
    }
  }
  return true;
}

// ---- The same in rows, for channels without gaps ----
//
// Operands are apart (OperandForms). What declines leaves memory as the reference has it on its
// way there, which then starts again: what is written twice is written alike.

// Of one channel, or of all of them.
class IndexRow {
 public:
  IndexRow(const indexed::Numbers& index, std::int64_t extent, const Exception& exception)
      : index_(index),
        exception_(exception),
        plain_(!exception.known),
        exists_(all_exist(index, extent, exception.known)) {}

  // Whether every index exists, those of all ones with a meaning of their own included.
  bool exists() const { return exists_; }
  // Whether none can have such a meaning.
  bool plain() const { return plain_; }

  void move(bool scatter, std::int64_t bytes, std::byte* to, const std::byte* from) const {
    if (plain_) {
      (scatter ? indexed::find_scatter : indexed::find_gather)(bytes, index_.bytes)(to, from,
                                                                                    index_);
      return;
    }
    const auto* const constant = reinterpret_cast<const std::byte*>(&exception_.constant);
    indexed::gather_or(bytes, to, from, index_,
                       exception_.fill ? indexed::Others{constant, 0} : indexed::Others{to, bytes});
  }

  // The same of lines. Between indices of all ones they are gathered as where there are none.
  void gather_lines(const indexed::Lines& lines, std::int64_t bytes) const {
    if (plain_) return indexed::gather_lines(lines, index_);
    std::int64_t begin = 0;
    const auto gather_up_to = [&](std::int64_t end) {
      indexed::Lines part = lines;
      part.to += begin * lines.to_step;
      if (begin < end)
        indexed::gather_lines(part,
                              {index_.data + begin * index_.bytes, index_.bytes, end - begin});
      begin = end + 1;
    };
    with_width(index_.bytes, [&](auto type) {
      using Index = decltype(type);
      for (std::int64_t i = 0; i < index_.count; ++i) {
        Index value;
        std::memcpy(&value, index_.data + i * index_.bytes, sizeof value);
        if (value != static_cast<Index>(~Index{0})) continue;
        gather_up_to(i);
        for (std::int64_t at = 0; exception_.fill && at < lines.bytes; at += bytes)
          std::memcpy(lines.to + i * lines.to_step + at, &exception_.constant,
                      static_cast<std::size_t>(bytes));
      }
    });
    gather_up_to(index_.count);
  }

 private:
  // One more than all ones is 0, which is no more than any extent.
  static bool all_exist(const indexed::Numbers& index, std::int64_t extent, bool but_all_ones) {
    const std::uint32_t all_ones = ~std::uint32_t{0} >> (32 - 8 * index.bytes);
    if (but_all_ones)
      return extent >= std::int64_t{all_ones} || std::int64_t{indexed::largest(index, 1)} <= extent;
    return extent > std::int64_t{all_ones} || std::int64_t{indexed::largest(index)} < extent;
  }

  const indexed::Numbers& index_;
  const Exception& exception_;
  bool plain_, exists_;
};

// Indices that all channels share, of an output and a parameter with dense channels. `extent` is
// how many elements of a channel they choose from.
bool move_shared_rows(const Invocation& invocation, bool scatter, std::vector<std::byte>& index,
                      std::int64_t index_bytes, std::int64_t extent) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const Exception exception(invocation.command);
  const auto count = static_cast<std::int64_t>(index.size()) / index_bytes;
  const indexed::Numbers numbers{index.data(), index_bytes, count};
  const IndexRow row(numbers, extent, exception);
  if (!row.exists()) return false;
  const Channels to(output), from(param);
  for (std::int64_t n = 0; n < output.extent(0); ++n) {
    for (std::int64_t c = 0; c < output.extent(1); ++c)
      row.move(scatter, output.bytes(), to.at(n, c), from.at(n, c));
  }
  return true;
}

bool can_share_rows(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  return output.has_dense_channels() && param.has_dense_channels();
}

bool move_w_rows(const Invocation& invocation, bool scatter) {
  if (!can_share_rows(invocation)) return false;
  const Operand& index = *invocation.command.find("index_addr");
  std::vector<std::byte> numbers = dense_elements(invocation, index);
  const Layout& by_index = invocation.command.find(scatter ? "output_addr" : "param_addr")->layout;
  return move_shared_rows(invocation, scatter, numbers, index.layout.element_units(),
                          by_index.extent(3));
}

// The words of h and w become positions in a channel first.
bool move_hw_rows(const Invocation& invocation, bool scatter) {
  if (!can_share_rows(invocation)) return false;
  const Layout& by_index = invocation.command.find(scatter ? "output_addr" : "param_addr")->layout;
  const std::int64_t height = by_index.extent(2), width = by_index.extent(3);
  constexpr std::uint32_t kAllOnes = ~std::uint32_t{0};
  const bool known = Exception(invocation.command).known;
  std::vector<std::byte> numbers =
      dense_elements(invocation, *invocation.command.find("index_addr"));
  bool exist = true;
  for (std::size_t i = 0; i < numbers.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t value = 0;
    std::memcpy(&value, numbers.data() + i, sizeof value);
    if (known && value == kAllOnes) continue;
    const std::int64_t h = value >> 16U, w = value & 0xffffU;
    exist = exist && h < height && w < width;
    const auto position = static_cast<std::uint32_t>(h * width + w);
    std::memcpy(numbers.data() + i, &position, sizeof position);
  }
  return exist &&
         move_shared_rows(invocation, scatter, numbers, sizeof(std::uint32_t), height * width);
}

bool move_own_rows(const Invocation& invocation, bool scatter, bool along_h) {
  const IndexedTensor output(invocation, "output_addr"), index(invocation, "index_addr");
  const SharedRows shared(invocation, "param_addr");
  const IndexedTensor& param = shared.tensor();
  const bool dense = output.has_dense_rows() && param.has_dense_rows();
  if (!dense || !index.has_dense_channels()) return false;
  const Exception exception(invocation.command);
  const std::int64_t bytes = output.bytes(), count = index.extent(2) * index.extent(3);
  const std::int64_t extent = (scatter ? output : param).extent(along_h ? 2 : 3);
  const std::int64_t to_step = output.plane(0, 0).h_stride;
  const std::int64_t from_step = param.plane(0, 0).h_stride;
  const Channels to(output), from(param), indices(index);
  for (std::int64_t n = 0; n < index.extent(0); ++n) {
    for (std::int64_t c = 0; c < index.extent(1); ++c) {
      const indexed::Numbers numbers{indices.at(n, c), index.bytes(), count};
      const IndexRow row(numbers, extent, exception);
      if (!row.exists() || (along_h && scatter && !row.plain())) return false;
      std::byte* const target = to.at(n, c);
      const std::byte* const source = from.at(0, shared.row_of(c));
      if (along_h) {
        const indexed::Lines lines{target, to_step, source, from_step, output.extent(3) * bytes};
        scatter ? indexed::scatter_lines(lines, numbers) : row.gather_lines(lines, bytes);
      } else {
        row.move(scatter, bytes, target, source);
      }
    }
  }
  return true;
}

bool select_rows(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), count(invocation, "count_addr");
  const IndexedTensor mask(invocation, "mask_addr");
  const SharedRows shared(invocation, "param_addr");
  const IndexedTensor& param = shared.tensor();
  if (!output.has_dense_rows() || !param.has_dense_rows() || !mask.has_dense_rows()) return false;
  const Channels to(output), counts(count), from(param), masks(mask);
  for (std::int64_t n = 0; n < output.extent(0); ++n) {
    for (std::int64_t c = 0; c < output.extent(1); ++c) {
      const auto kept = static_cast<std::uint16_t>(
          indexed::select(to.at(n, c), from.at(0, shared.row_of(c)), output.bytes(),
                          {masks.at(n, c), mask.bytes(), output.extent(3)}));
      std::memcpy(counts.at(n, c), &kept, sizeof kept);
    }
  }
  return true;
}

// Both forms of a move, in this order.
template <class Form, class... Directions>
List both(Form rows, Form reference, Directions... directions) {
  return {{"rows", [=](const Invocation& invocation) { return rows(invocation, directions...); }},
          {"reference",
           [=](const Invocation& invocation) { return reference(invocation, directions...); }}};
}

}  // namespace

List moves_along_w(bool scatter) {
  return both(move_w_rows, move_w, scatter);
}
List moves_along_hw(bool scatter) {
  return both(move_hw_rows, move_hw, scatter);
}
List moves_by_own_indices(bool scatter, bool along_h) {
  return both(move_own_rows, move_own, scatter, along_h);
}
List moves_by_mask() {
  return both(select_rows, select_by_mask);
}

}  // namespace tensorlane
