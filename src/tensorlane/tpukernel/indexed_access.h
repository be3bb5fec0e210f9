// Access by index for gathers and scatters: elements and lines of an operand, and their bits.
#ifndef TENSORLANE_TPUKERNEL_INDEXED_ACCESS_H_
#define TENSORLANE_TPUKERNEL_INDEXED_ACCESS_H_

#include <cstring>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane::tpukernel {

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

// A tensor that may be one row per NPU, shared by all channels there.
class SharedRows {
 public:
  SharedRows(const Invocation& invocation, std::string_view param)
      : tensor_(invocation, param), npus_(invocation.command.chip->local.npus) {}
  std::byte* at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return tensor_.at(n, c < tensor_.extent(1) ? c : c % npus_, h, w);
  }
  const IndexedTensor& tensor() const { return tensor_; }

 private:
  IndexedTensor tensor_;
  std::int64_t npus_;
};

// UserError for an index that is outside.
void check_index(const Command& command, std::string_view operand, std::uint64_t index,
                 std::int64_t extent);

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_INDEXED_ACCESS_H_
