// Access by index for gathers and scatters: elements and lines of an operand, and their bits.
#ifndef TENSORLANE_COMPUTE_MOVES_INDEXED_ACCESS_H_
#define TENSORLANE_COMPUTE_MOVES_INDEXED_ACCESS_H_

#include <cstring>
#include <span>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// Where the elements of one channel are: h_stride and w_stride bytes apart.
struct Plane {
  std::byte* base;
  std::int64_t h_stride, w_stride;

  std::byte* at(std::int64_t h, std::int64_t w) const { return base + h * h_stride + w * w_stride; }
};

// Calls f(T{}) with the unsigned type of `bytes` bytes: 1, 2 or 4.
template <class F>
void with_width(std::int64_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    default:
      return f(std::uint32_t{});
  }
}

// The elements (n, c, 0, 0), (n, c, 0, 1), ... of an operand by addresses.
class IndexedTensor {
 public:
  IndexedTensor(const Invocation& invocation, std::string_view param)
      : operand_(*invocation.command.find(param)),
        layout_(operand_.layout),
        base_(invocation.base(operand_)),
        bytes_(layout_.element_units()) {}

  std::int64_t extent(int dim) const { return layout_.extent(dim); }
  std::int64_t bytes() const { return bytes_; }
  std::byte* at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    const std::int64_t index[] = {n, c, h, w};
    return base_ + layout_.address(index);
  }
  // Calls f(c, where channel c begins) for all channels of a batch, in order.
  template <class F>
  void each_channel(std::int64_t n, F f) const {
    const std::span<const Digit> digits = layout_.digits(1);
    const Digit& npu = digits.front();
    const bool dealt = digits.size() == 2;
    std::int64_t place = dealt ? layout_.offset(1) % npu.extent : 0;
    std::byte* channel = at(n, 0, 0, 0);
    for (std::int64_t c = 0; c < extent(1); ++c) {
      f(c, channel);
      channel += npu.stride;
      if (dealt && ++place == npu.extent) {
        place = 0;
        channel += digits.back().stride - npu.extent * npu.stride;
      }
    }
  }
  // Whether the elements of a channel lie one after the other.
  bool has_dense_channels() const {
    const std::int64_t h_stride = layout_.digits(2).front().stride;
    return has_dense_rows() && (extent(2) == 1 || h_stride == extent(3) * bytes_);
  }
  bool has_dense_rows() const {
    return extent(3) == 1 || layout_.digits(3).front().stride == bytes_;
  }
  const Operand& operand() const { return operand_; }
  Plane plane(std::int64_t n, std::int64_t c) const {
    return {at(n, c, 0, 0), layout_.digits(2).front().stride, layout_.digits(3).front().stride};
  }
  // Element `i` of channel c in row-major order of h and w.
  std::byte* flat(std::int64_t n, std::int64_t c, std::int64_t i) const {
    return at(n, c, i / extent(3), i % extent(3));
  }
  std::uint32_t bits(const std::byte* element) const {
    std::uint32_t value = 0;
    std::memcpy(&value, element, static_cast<std::size_t>(bytes_));
    return value;
  }
  // All ones in the element's width: the index that means "none".
  std::uint32_t all_ones() const {
    return bytes_ == 4 ? ~std::uint32_t{0} : (std::uint32_t{1} << bytes_ * 8) - 1;
  }
  std::string_view name() const { return operand_.name(); }

 private:
  const Operand& operand_;
  const Layout& layout_;
  std::byte* base_;
  std::int64_t bytes_;
};

// Where the channels of an operand begin, looked up once.
class Channels {
 public:
  explicit Channels(const IndexedTensor& tensor)
      : first_(static_cast<std::size_t>(tensor.extent(1))),
        next_batch_(tensor.extent(0) > 1 ? tensor.at(1, 0, 0, 0) - tensor.at(0, 0, 0, 0) : 0) {
    tensor.each_channel(0, [&](std::int64_t c, std::byte* channel) {
      first_[static_cast<std::size_t>(c)] = channel;
    });
  }
  std::byte* at(std::int64_t n, std::int64_t c) const {
    return first_[static_cast<std::size_t>(c)] + n * next_batch_;
  }

 private:
  std::vector<std::byte*> first_;
  std::int64_t next_batch_;
};

// A tensor that may be one row per NPU, shared by all channels there.
class SharedRows {
 public:
  SharedRows(const Invocation& invocation, std::string_view param)
      : tensor_(invocation, param), npus_(invocation.command.chip->local.npus) {}
  std::byte* at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return tensor_.at(n, row_of(c), h, w);
  }
  Plane plane(std::int64_t c) const { return tensor_.plane(0, row_of(c)); }
  // The channel of the tensor that holds channel c.
  std::int64_t row_of(std::int64_t c) const { return c < tensor_.extent(1) ? c : c % npus_; }
  const IndexedTensor& tensor() const { return tensor_; }

 private:
  IndexedTensor tensor_;
  std::int64_t npus_;
};

// UserError for an index that is outside.
void check_index(const Command& command, std::string_view operand, std::uint64_t index,
                 std::int64_t extent);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MOVES_INDEXED_ACCESS_H_
