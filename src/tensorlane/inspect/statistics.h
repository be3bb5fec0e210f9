// What there is to say of a tensor in one line.
#ifndef TENSORLANE_INSPECT_STATISTICS_H_
#define TENSORLANE_INSPECT_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tensorlane/io/tensor.h"

namespace tensorlane::inspect {

struct Statistics {
  std::int64_t elements = 0, nans = 0, infinities = 0;
  // Of the finite elements; 0 where there are none.
  double min = 0, max = 0, mean = 0;
  // Of the bits in logical order: equal tensors have equal hashes wherever and however they lie.
  std::uint64_t hash = 0;

  friend bool operator==(const Statistics&, const Statistics&) = default;
};

Statistics statistics(const Tensor& tensor);

// "min -1, max 0.5, mean 0.0123, 2 NaN, 1 Inf, hash 0123456789abcdef"; NaN and Inf where there are.
std::string statistics_text(const Statistics& statistics);

// The hash alone. Not one that withstands an attacker.
std::uint64_t hash_of(std::span<const std::byte> bytes);

}  // namespace tensorlane::inspect

#endif  // TENSORLANE_INSPECT_STATISTICS_H_
