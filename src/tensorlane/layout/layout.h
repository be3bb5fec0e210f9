// The layout algebra: one type for every memory picture of the project.
//
// A tensor layout says where each element (n, c, h, w) of a tensor lies in memory. Every layout of
// BM1684, BM1684X and MACE is of one form: each logical dimension is written as a mixed-radix
// number, innermost digit first, and each digit has a stride. The address of an element is
//
//     base + sum over all digits of digit * stride
//
// A layout of shared memory may permute these addresses by an exclusive or on top (Swizzle).
//
// Example: channels of a tensor that starts at NPU 5 of 64, 512 KiB each. Channel c lies in NPU
// (5 + c) mod 64, in channel row (5 + c) div 64. With local memory addressed linearly (NPU q,
// offset r at q * 524288 + r) that is
//
//     dimension c: extent C, offset 5, digits { (64, 524288), (rows, C stride) }
//
// 4N storage (four batches of int8 in one 32-bit word) is { (4, 1), (ceil(N/4), 4 * N stride) } in
// dimension n, and so on; see docs/architecture.md for the table of all layouts.
//
// Units. Strides and addresses count bytes, except for 4-bit types, where they count nibbles:
// `unit_bits()` tells. A Layout is a value of fixed size: no function here allocates except those
// that return a vector.
#ifndef TENSORLANE_LAYOUT_LAYOUT_H_
#define TENSORLANE_LAYOUT_LAYOUT_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// One digit of a dimension: `extent` values, `stride` units apart. The extent of the outermost
// digit of a dimension is not a limit; the extent of the dimension is.
struct Digit {
  std::int64_t extent;
  std::int64_t stride;
  friend bool operator==(const Digit&, const Digit&) = default;
};

// How a linear address is to be read by people.
enum class AddressSpace : std::uint8_t {
  kLinear,  // bytes of one memory
  kLocal,   // address = npu * npu_bytes + offset
  kImage,   // address = ((y * width + x) * 4 + lane) * element size
};

// Address of a byte in local memory.
struct LocalAddress {
  std::int64_t npu;
  std::int64_t offset;
  friend auto operator<=>(const LocalAddress&, const LocalAddress&) = default;
};

// A lane of a pixel: column, row and component (0 to 3: R, G, B, A).
struct ImageAddress {
  std::int64_t x;
  std::int64_t y;
  int lane;
  friend auto operator<=>(const ImageAddress&, const ImageAddress&) = default;
};

// An exclusive or that permutes addresses, as matrices in banked memories have it: of an address in
// elements, `bits` bits from bit `low` + `distance` on (with a negative distance from bit `low` on)
// are combined into those `distance` bits lower (higher). CuTe writes it Sw<bits,low,distance>.
//
// Example: eight rows of eight with {3, 0, 3}: element (r, c) lies at 8 * r + (c ^ r), so that a
// column, too, touches every residue modulo 8 once.
struct Swizzle {
  std::int8_t bits = 0;  // 0: none
  std::int8_t low = 0, distance = 0;

  explicit operator bool() const { return bits != 0; }
  // The address of an element that would lie at `at`, both in elements, at least 0. Its own
  // inverse.
  std::int64_t apply(std::int64_t at) const {
    const int shift = distance < 0 ? -distance : distance;
    const std::int64_t mask = ((std::int64_t{1} << bits) - 1) << low;
    return distance < 0 ? at ^ ((at & mask) << shift) : at ^ ((at >> shift) & mask);
  }
  // Addresses that differ in a multiple of this many elements are moved alike.
  std::int64_t period() const {
    return std::int64_t{1} << (low + bits + (distance < 0 ? -distance : distance));
  }
  // Of a block of so many elements, from a multiple of it on, none leaves it.
  std::int64_t block() const {
    return std::int64_t{1} << (low + bits + (distance < 0 ? -distance : 0));
  }
  // So many elements, from a multiple of it on, keep their order and stay together.
  std::int64_t run() const { return std::int64_t{1} << low; }
  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

// A maximal run of consecutive bytes of the footprint inside one NPU (npu is 0 in linear memory).
struct ByteRun {
  std::int64_t npu;
  std::int64_t offset;
  std::int64_t bytes;
  friend bool operator==(const ByteRun&, const ByteRun&) = default;
};

class Layout {
 public:
  static constexpr int kMaxDims = 8;
  static constexpr int kMaxDigits = 16;
  using Index = std::array<std::int64_t, kMaxDims>;

  Layout() = default;
  // An empty (rank 0) layout for elements of `dtype`; dimensions are added outermost first.
  explicit Layout(Dtype dtype);

  // Adds a dimension inside the existing ones. `digits` innermost first, at least one; `offset` is
  // added to the index before it is split (a start NPU). Throws UserError for a negative extent,
  // InternalError when there are too many dimensions or digits.
  Layout& add_dim(std::int64_t extent, std::initializer_list<Digit> digits,
                  std::int64_t offset = 0);
  Layout& add_dim(std::int64_t extent, std::span<const Digit> digits, std::int64_t offset = 0);
  Layout& set_base(std::int64_t base) {
    base_ = base;
    return *this;
  }
  // Permutes the addresses that base and digits give. InternalError unless 0 <= low, bits <=
  // |distance| and everything is within 40 bits, and in local memory inside an NPU.
  Layout& set_swizzle(Swizzle swizzle);
  // Declares the addresses to be local ones of NPUs with `npu_bytes` bytes. Digit `digit` of
  // dimension `dim` is the one that counts NPUs.
  Layout& set_local(std::int64_t npu_bytes, int dim, int digit);
  // The same local layout in NPUs of `npu_bytes` bytes.
  Layout& set_npu_bytes(std::int64_t npu_bytes);
  // Declares the addresses to be those of an image `width` pixels wide.
  Layout& set_image(std::int64_t width);

  Dtype dtype() const { return dtype_; }
  int unit_bits() const { return unit_bits_; }
  // Units (bytes, nibbles for 4-bit types) of one element.
  std::int64_t element_units() const { return element_units_; }
  int rank() const { return rank_; }
  std::int64_t extent(int dim) const { return dims_[dim].extent; }
  std::int64_t offset(int dim) const { return dims_[dim].offset; }
  std::span<const Digit> digits(int dim) const {
    return {digits_.data() + dims_[dim].first_digit,
            static_cast<std::size_t>(dims_[dim].digit_count)};
  }
  std::int64_t base() const { return base_; }
  // Of addresses in elements; see swizzled().
  Swizzle swizzle() const { return swizzle_; }
  // Where the unit lies that the digits place at `address`; without a swizzle there.
  std::int64_t swizzled(std::int64_t address) const {
    if (!swizzle_) return address;
    const std::int64_t rest = address % element_units_;
    return swizzle_.apply(address / element_units_) * element_units_ + rest;
  }
  AddressSpace space() const { return space_; }
  std::int64_t npu_bytes() const { return space_ == AddressSpace::kLocal ? space_param_ : 0; }
  std::int64_t image_width() const { return space_ == AddressSpace::kImage ? space_param_ : 0; }
  // The dimension that is dealt to the NPUs; -1 in other than local layouts.
  int npu_dim() const;
  // Number of elements; 0 when an extent is 0.
  std::int64_t size() const;

  // Units of one NPU's memory; for local layouts only.
  std::int64_t npu_units() const { return npu_bytes() * 8 / unit_bits_; }

  // Address of the first unit of an element. No range check on `index` (rank() values).
  std::int64_t address(std::span<const std::int64_t> index) const;
  // The same, split into NPU and offset (in units); for local layouts only.
  LocalAddress local_address(std::span<const std::int64_t> index) const;

  // The same, as a lane of a pixel; for image layouts only.
  ImageAddress image_address(std::span<const std::int64_t> index) const;
  // Address of a lane of a pixel of an image layout.
  std::int64_t address_of(const ImageAddress& at) const {
    return base_ + ((at.y * space_param_ + at.x) * 4 + at.lane) * element_units_;
  }

  // The same layout with its dimensions in another order: dimension i of the result is dimension
  // order[i] of this one.
  Layout permuted(std::span<const int> order) const;

  // The part of the tensor with `count` indices of dimension `dim` from `first` on; its index 0 is
  // index `first` of this layout.
  Layout slice(int dim, std::int64_t first, std::int64_t count) const;

  // The element that owns the unit at `address`, or nothing when it is padding (or outside).
  // Where several elements share a unit (stride 0) the first in logical order is returned.
  std::optional<Index> element_at(std::int64_t address) const;

  // Lowest address and one past the highest address of any element; {0, 0} when empty. Exact.
  struct Bounds {
    std::int64_t begin, end;
  };
  Bounds bounds() const;

  // The bounds of the offsets inside an NPU, for local layouts: what must lie in [0, npu_bytes).
  Bounds npu_offset_bounds() const;
  // Bounds that hold but may be too wide for partly filled digits; quick, never allocates.
  // `inside_npu`: of the offsets inside an NPU.
  Bounds loose_bounds(bool inside_npu) const;

  // A quick answer to injective(): true when the strides nest, which shows that no two elements
  // share a unit. False says nothing.
  bool nested() const;
  // True when both give every element the same address: operands that may be computed in place.
  bool same_addresses(const Layout& other) const;

  // True when no two elements share a unit.
  bool injective() const;

  // The bytes of the footprint as sorted, maximal runs per NPU. For 4-bit types a byte counts when
  // either nibble does. Beyond `limit` runs the rest is dropped (0: no limit).
  std::vector<ByteRun> byte_runs(std::size_t limit = 0) const;

  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  struct Dim {
    std::int64_t extent = 0;
    std::int64_t offset = 0;
    int first_digit = 0;
    int digit_count = 0;
    friend bool operator==(const Dim&, const Dim&) = default;
  };

  std::array<Digit, kMaxDigits> digits_{};
  std::array<Dim, kMaxDims> dims_{};
  std::int64_t base_ = 0;
  std::int64_t space_param_ = 0;
  std::int64_t element_units_ = 1;
  int rank_ = 0;
  int digit_count_ = 0;
  int unit_bits_ = 8;
  int npu_digit_ = -1;  // index into digits_
  Dtype dtype_ = Dtype::kX8;
  AddressSpace space_ = AddressSpace::kLinear;
  Swizzle swizzle_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_LAYOUT_H_
