#include "tensorlane/inspect/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane::inspect {
namespace {

// Elements that are read at a time; even, so that blocks of 4-bit elements begin at a byte.
constexpr std::int64_t kBlock = 1024;

// Elements [first, first + values.size()) as numbers. fp32 holds all types but those of 32 bits.
void read_values(const Tensor& tensor, std::int64_t first, std::span<double> values) {
  const Dtype dtype = readable(tensor.dtype);
  if (dtype_bits(dtype) == 32 && dtype != Dtype::kFp32) {
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = value_of(element_bits(tensor, first + static_cast<std::int64_t>(k)), dtype);
    return;
  }
  std::array<float, kBlock> floats;
  convert_elements(floats.data(), Dtype::kFp32, tensor.data.data() + first * dtype_bits(dtype) / 8,
                   dtype, values.size());
  std::copy_n(floats.begin(), values.size(), values.begin());
}

}  // namespace

Statistics statistics(const Tensor& tensor) {
  Statistics result{.elements = element_count(tensor.shape, "tensor"),
                    .hash = hash_of(tensor.data)};
  double sum = 0;
  std::int64_t finite = 0;
  std::array<double, kBlock> block;
  for (std::int64_t first = 0; first < result.elements; first += kBlock) {
    const std::span values(block.data(),
                           static_cast<std::size_t>(std::min(kBlock, result.elements - first)));
    read_values(tensor, first, values);
    for (const double value : values) {
      if (std::isnan(value)) {
        ++result.nans;
      } else if (std::isinf(value)) {
        ++result.infinities;
      } else {
        result.min = finite == 0 ? value : std::min(result.min, value);
        result.max = finite == 0 ? value : std::max(result.max, value);
        sum += value;
        ++finite;
      }
    }
  }
  if (finite > 0) result.mean = sum / static_cast<double>(finite);
  return result;
}

std::string statistics_text(const Statistics& statistics) {
  std::string text =
      tr("min {:.6g}, max {:.6g}, mean {:.6g}", statistics.min, statistics.max, statistics.mean);
  if (statistics.nans + statistics.infinities == statistics.elements) text = tr("nothing finite");
  if (statistics.elements == 0) text = tr("no element");
  if (statistics.nans > 0) text += tr(", {} NaN", statistics.nans);
  if (statistics.infinities > 0) text += tr(", {} Inf", statistics.infinities);
  return text + tr(", hash {:016x}", statistics.hash);
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const auto mix = [](std::uint64_t hash, std::uint64_t word) {
    return std::rotl((hash ^ word) * kOdd, 29);
  };
  std::uint64_t hash = mix(0, bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    hash = mix(hash, word);
    bytes = bytes.subspan(count);
  }
  hash = mix(hash, hash >> 32);
  return hash ^ (hash >> 29);
}

}  // namespace tensorlane::inspect
