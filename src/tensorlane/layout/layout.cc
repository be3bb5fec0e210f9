#include "tensorlane/layout/layout.h"

#include <algorithm>
#include <cstdlib>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/fold.h"

namespace tensorlane {

Layout::Layout(Dtype dtype) : dtype_(dtype) {
  const int bits = dtype_bits(dtype);
  unit_bits_ = bits < 8 ? bits : 8;
  element_units_ = bits / unit_bits_;
}

Layout& Layout::add_dim(std::int64_t extent, std::initializer_list<Digit> digits,
                        std::int64_t offset) {
  return add_dim(extent, std::span(digits.begin(), digits.size()), offset);
}

Layout& Layout::add_dim(std::int64_t extent, std::span<const Digit> digits, std::int64_t offset) {
  if (extent < 0)
    user_error("extent of dimension {} is {}; it must not be negative", rank_, extent);
  TL_INTERNAL_CHECK(rank_ < kMaxDims && !digits.empty() && offset >= 0);
  TL_INTERNAL_CHECK(digit_count_ + static_cast<int>(digits.size()) <= kMaxDigits);
  dims_[rank_++] = Dim{extent, offset, digit_count_, static_cast<int>(digits.size())};
  for (const Digit& digit : digits) {
    TL_INTERNAL_CHECK(digit.extent > 0 || &digit == &digits.back());
    digits_[digit_count_++] = digit;
  }
  return *this;
}

Layout& Layout::set_local(std::int64_t npu_bytes, int dim, int digit) {
  space_ = AddressSpace::kLocal;
  space_param_ = npu_bytes;
  npu_digit_ = dims_[dim].first_digit + digit;
  return *this;
}

Layout& Layout::set_npu_bytes(std::int64_t npu_bytes) {
  TL_INTERNAL_CHECK(space_ == AddressSpace::kLocal);
  space_param_ = npu_bytes;
  digits_[npu_digit_].stride = npu_units();
  return *this;
}

Layout& Layout::set_swizzle(Swizzle swizzle) {
  const int distance = std::abs(swizzle.distance);
  TL_INTERNAL_CHECK(swizzle.bits >= 0 && swizzle.low >= 0 && swizzle.bits <= distance &&
                    swizzle.low + swizzle.bits + distance <= 40);
  TL_INTERNAL_CHECK(space_ != AddressSpace::kLocal ||
                    npu_units() % (swizzle.period() * element_units_) == 0);
  swizzle_ = swizzle;
  return *this;
}

Layout& Layout::set_image(std::int64_t width) {
  space_ = AddressSpace::kImage;
  space_param_ = width;
  return *this;
}

int Layout::npu_dim() const {
  for (int d = 0; d < rank_; ++d) {
    const int digit = npu_digit_ - dims_[d].first_digit;
    if (digit >= 0 && digit < dims_[d].digit_count) return d;
  }
  return -1;
}

std::int64_t Layout::size() const {
  std::int64_t size = 1;
  for (int d = 0; d < rank_; ++d) size *= dims_[d].extent;
  return size;
}

std::int64_t Layout::address(std::span<const std::int64_t> index) const {
  std::int64_t address = base_;
  for (int d = 0; d < rank_; ++d) {
    const Dim& dim = dims_[d];
    std::int64_t rest = index[d] + dim.offset;
    const Digit* digit = digits_.data() + dim.first_digit;
    for (int k = 1; k < dim.digit_count; ++k, ++digit) {
      address += rest % digit->extent * digit->stride;
      rest /= digit->extent;
    }
    address += rest * digit->stride;
  }
  return swizzled(address);
}

LocalAddress Layout::local_address(std::span<const std::int64_t> index) const {
  TL_INTERNAL_CHECK(space_ == AddressSpace::kLocal);
  const std::int64_t linear = address(index);
  const std::int64_t npu_units = this->npu_units();
  return {linear / npu_units, linear % npu_units};
}

ImageAddress Layout::image_address(std::span<const std::int64_t> index) const {
  TL_INTERNAL_CHECK(space_ == AddressSpace::kImage);
  const std::int64_t lane = (address(index) - base_) / element_units_;
  return {lane / 4 % space_param_, lane / 4 / space_param_, static_cast<int>(lane % 4)};
}

Layout Layout::slice(int dim, std::int64_t first, std::int64_t count) const {
  TL_INTERNAL_CHECK(dim < rank_ && first >= 0 && count >= 0 && first + count <= dims_[dim].extent);
  Layout result = *this;
  result.dims_[dim].offset += first;
  result.dims_[dim].extent = count;
  return result;
}

Layout Layout::permuted(std::span<const int> order) const {
  TL_INTERNAL_CHECK(static_cast<int>(order.size()) == rank_);
  Layout result = *this;
  for (int d = 0; d < rank_; ++d) result.dims_[d] = dims_[order[static_cast<std::size_t>(d)]];
  return result;
}

namespace {

// A digit on its own: which dimension it belongs to and what one step adds to that index.
struct SearchDigit {
  int dim;
  std::int64_t weight, low, high, stride;  // values low..high
};

// Finds digit values (within their ranges) whose addresses sum up to `rest`, given that what is
// left after the digits must lie in [0, element_units). Strides are positive and sorted descending,
// so each digit has at most two candidates in nested layouts; interleaved ones are searched.
bool search(std::span<const SearchDigit> digits, std::span<const std::int64_t> reach,
            std::int64_t rest, Layout::Index& index, const Layout& layout) {
  if (digits.empty()) {
    if (rest < 0 || rest >= layout.element_units()) return false;
    for (int d = 0; d < layout.rank(); ++d) {
      if (index[d] < 0 || index[d] >= layout.extent(d)) return false;
    }
    return true;
  }
  const SearchDigit& digit = digits.front();
  const std::int64_t below = reach[1];  // highest sum of the digits that follow, plus the element
  std::int64_t first = digit.low, last = digit.high;
  if (digit.stride > 0) {
    // low values first, so that the first element in logical order wins
    const std::int64_t short_by = rest - below;
    if (short_by > 0) first = std::max(first, (short_by + digit.stride - 1) / digit.stride);
    last = std::min(last, rest < 0 ? -1 : rest / digit.stride);
  }
  for (std::int64_t value = first; value <= last; ++value) {
    index[digit.dim] += value * digit.weight;
    if (search(digits.subspan(1), reach.subspan(1), rest - value * digit.stride, index, layout))
      return true;
    index[digit.dim] -= value * digit.weight;
  }
  return false;
}

}  // namespace

std::optional<Layout::Index> Layout::element_at(std::int64_t address) const {
  if (size() == 0 || (swizzle_ && address < 0)) return std::nullopt;
  std::array<SearchDigit, kMaxDigits> digits{};
  int count = 0;
  Index index{};
  std::int64_t rest = swizzled(address) - base_;
  for (int d = 0; d < rank_; ++d) {
    const Dim& dim = dims_[d];
    index[d] = -dim.offset;
    std::int64_t weight = 1;
    const std::int64_t highest = dim.offset + dim.extent - 1;
    for (int k = 0; k < dim.digit_count; ++k) {
      const Digit& digit = digits_[dim.first_digit + k];
      const bool outermost = k + 1 == dim.digit_count;
      SearchDigit entry{d, weight, 0, outermost ? highest / weight : digit.extent - 1,
                        digit.stride};
      if (outermost) entry.low = dim.offset / weight;
      if (entry.stride < 0) {  // walk a negative stride from its far end
        entry.stride = -entry.stride;
        entry.weight = -weight;
        rest -= digit.stride * entry.high;
        index[d] += weight * entry.high;
        entry = {d, -weight, 0, entry.high - entry.low, entry.stride};
      }
      digits[count++] = entry;
      weight *= digit.extent;
    }
  }
  // Largest stride first, stable; the library's stable sort would allocate.
  for (int k = 1; k < count; ++k) {
    for (int i = k; i > 0 && digits[i - 1].stride < digits[i].stride; --i) {
      std::swap(digits[i - 1], digits[i]);
    }
  }
  std::array<std::int64_t, kMaxDigits + 1> reach{};
  reach[count] = element_units_ - 1;
  for (int k = count - 1; k >= 0; --k) reach[k] = reach[k + 1] + digits[k].high * digits[k].stride;
  if (!search(std::span(digits).first(count), reach, rest, index, *this)) return std::nullopt;
  return index;
}

Layout::Bounds Layout::bounds() const {
  Bounds result{0, 0};
  bool first = true;
  for (const Box& box : fold(*this)) {
    std::int64_t low = box.base[0], high = box.base[0];
    for (const Loop& loop : box.nest()) {
      const std::int64_t last = (loop.extent - 1) * loop.stride[0];
      (last < 0 ? low : high) += last;
    }
    high += element_units_;
    result.begin = first ? low : std::min(result.begin, low);
    result.end = first ? high : std::max(result.end, high);
    first = false;
  }
  return result;
}

Layout::Bounds Layout::npu_offset_bounds() const {
  TL_INTERNAL_CHECK(space_ == AddressSpace::kLocal);
  Layout offsets = *this;
  offsets.digits_[npu_digit_].stride = 0;
  return offsets.bounds();
}

Layout::Bounds Layout::loose_bounds(bool inside_npu) const {
  if (size() == 0) return {0, 0};
  Bounds bounds{base_, base_ + element_units_};
  for (int d = 0; d < rank_; ++d) {
    const Dim& dim = dims_[d];
    std::int64_t highest = dim.offset + dim.extent - 1, lowest = dim.offset;
    for (int k = 0; k < dim.digit_count; ++k) {
      const int at = dim.first_digit + k;
      const Digit& digit = digits_[at];
      const bool outermost = k + 1 == dim.digit_count;
      const std::int64_t high = outermost ? highest : std::min(highest, digit.extent - 1);
      const std::int64_t low = outermost ? lowest : 0;
      const std::int64_t stride = inside_npu && at == npu_digit_ ? 0 : digit.stride;
      bounds.begin += std::min(low * stride, high * stride);
      bounds.end += std::max(low * stride, high * stride);
      if (!outermost) {
        highest /= digit.extent;
        lowest /= digit.extent;
      }
    }
  }
  if (swizzle_) {
    const std::int64_t block = swizzle_.block() * element_units_;
    bounds = {bounds.begin / block * block, (bounds.end + block - 1) / block * block};
  }
  return bounds;
}

bool Layout::nested() const {
  std::array<Digit, kMaxDigits> digits;
  int count = 0;
  for (int d = 0; d < rank_; ++d) {
    const Dim& dim = dims_[d];
    std::int64_t highest = dim.offset + dim.extent - 1, lowest = dim.offset;
    for (int k = 0; k < dim.digit_count; ++k) {
      const Digit& digit = digits_[dim.first_digit + k];
      const bool outermost = k + 1 == dim.digit_count;
      const std::int64_t extent =
          outermost ? highest - lowest + 1 : std::min(highest + 1, digit.extent);
      if (extent > 1) digits[count++] = {extent, std::abs(digit.stride)};
      if (!outermost) {
        highest /= digit.extent;
        lowest /= digit.extent;
      }
    }
  }
  std::sort(digits.begin(), digits.begin() + count,
            [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
  std::int64_t reach = element_units_;
  for (int k = 0; k < count; ++k) {
    if (digits[k].stride < reach) return false;
    reach += (digits[k].extent - 1) * digits[k].stride;
  }
  return true;
}

bool Layout::same_addresses(const Layout& other) const {
  if (rank_ != other.rank_ || base_ != other.base_ || !(swizzle_ == other.swizzle_) ||
      element_units_ != other.element_units_ || unit_bits_ != other.unit_bits_) {
    return false;
  }
  for (int d = 0; d < rank_; ++d) {
    if (extent(d) != other.extent(d)) return false;
    if (extent(d) == 1 && offset(d) == other.offset(d) && offset(d) == 0) continue;
    const std::span<const Digit> own = digits(d), others = other.digits(d);
    if (offset(d) != other.offset(d) ||
        !std::equal(own.begin(), own.end(), others.begin(), others.end()))
      return false;
  }
  return true;
}

bool Layout::injective() const {
  if (nested()) return true;
  const std::vector<Box> boxes = fold(*this);
  bool all_nested = true;
  for (const Box& box : boxes)
    all_nested = all_nested && tensorlane::nested(box, 0, element_units_);
  if (all_nested && boxes.size() <= 1) return true;
  // Rare: several boxes or interleaved strides. Count the units.
  std::int64_t covered = 0;
  for (const ByteRun& run : byte_runs()) covered += run.bytes;
  if (unit_bits_ == 8) return covered == size() * element_units_;
  std::vector<std::int64_t> units;
  for (const Box& box : boxes) {
    for (std::int64_t i = 0; i < box.size(); ++i) {
      std::int64_t rest = i, at = box.base[0];
      for (int k = box.rank - 1; k >= 0; --k) {
        at += rest % box.loops[k].extent * box.loops[k].stride[0];
        rest /= box.loops[k].extent;
      }
      units.push_back(at);
    }
  }
  std::sort(units.begin(), units.end());
  return std::adjacent_find(units.begin(), units.end()) == units.end();
}

std::vector<ByteRun> Layout::byte_runs(std::size_t limit) const {
  struct Stretch {  // of linear addresses
    std::int64_t begin, end;
  };
  std::vector<Stretch> stretches;
  for (const Box& box : fold(*this)) {
    int rank = box.rank;
    std::int64_t length = element_units_;
    std::int64_t base = box.base[0];
    if (rank > 0 && box.loops[rank - 1].stride[0] == element_units_) {
      length *= box.loops[--rank].extent;
    }
    std::array<std::int64_t, kMaxLoops> at{};
    std::int64_t total = 1;
    for (int k = 0; k < rank; ++k) total *= box.loops[k].extent;
    for (std::int64_t i = 0; i < total; ++i) {
      std::int64_t begin = base;
      for (int k = 0; k < rank; ++k) begin += at[k] * box.loops[k].stride[0];
      stretches.push_back({begin * unit_bits_ >> 3, ((begin + length) * unit_bits_ + 7) >> 3});
      for (int k = rank - 1; k >= 0 && ++at[k] == box.loops[k].extent; --k) at[k] = 0;
    }
  }
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<ByteRun> runs;
  for (std::size_t i = 0; i < stretches.size();) {
    auto [begin, end] = stretches[i++];
    for (; i < stretches.size() && stretches[i].begin <= end; ++i)
      end = std::max(end, stretches[i].end);
    // A tensor that fills its NPUs goes on in the next one without a gap.
    while (begin < end) {
      if (limit != 0 && runs.size() == limit) return runs;
      const std::int64_t npu_bytes = this->npu_bytes() > 0 ? this->npu_bytes() : end;
      const std::int64_t npu = this->npu_bytes() > 0 ? begin / npu_bytes : 0;
      const std::int64_t stop = std::min(end, (npu + 1) * npu_bytes);
      runs.push_back({npu, begin - npu * npu_bytes, stop - begin});
      begin = stop;
    }
  }
  return runs;
}

}  // namespace tensorlane
