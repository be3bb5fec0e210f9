#include "tensorlane/trail/non_finite.h"

#include <cstring>

namespace tensorlane::trail {
namespace {

// All bits of the exponent set: NaN or infinity.
template <class Bits>
void search(const std::byte* memory, const Footprint& footprint, Bits exponent, std::size_t limit,
            NonFinite& found) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Bits));
  const auto look = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at + kBytes <= end; at += kBytes) {
      Bits bits{};
      std::memcpy(&bits, memory + at, sizeof bits);
      if ((bits & exponent) != exponent) continue;
      ++found.elements;
      if (!found.bytes.empty() && found.bytes.back().end == at) {
        found.bytes.back().end += kBytes;
      } else if (found.bytes.size() < limit) {
        found.bytes.push_back({at, at + kBytes});
      }
    }
  };
  for (const ByteBox& box : footprint.shape->boxes) for_each_run(box, footprint.origin, look);
}

}  // namespace

NonFinite find_non_finite(const std::byte* memory, const Footprint& bytes, Dtype dtype,
                          std::size_t limit) {
  NonFinite found;
  if (bytes.empty()) return found;
  if (dtype == Dtype::kFp32) search<std::uint32_t>(memory, bytes, 0x7f800000u, limit, found);
  if (dtype == Dtype::kFp16) search<std::uint16_t>(memory, bytes, 0x7c00u, limit, found);
  if (dtype == Dtype::kBf16) search<std::uint16_t>(memory, bytes, 0x7f80u, limit, found);
  return found;
}

}  // namespace tensorlane::trail
