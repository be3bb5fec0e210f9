#include "tensorlane/conformance/digest.h"

#include <cstring>

#include "tensorlane/tensor/float_format.h"

namespace tensorlane::conformance {
namespace {

class Fnv {
 public:
  void add(std::uint32_t value, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; ++k)
      hash_ = (hash_ ^ (value >> (8 * k) & 0xffU)) * 0x100000001b3U;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace

std::uint64_t digest(std::span<const std::byte> bytes, std::optional<Dtype> floats) {
  const std::size_t step = floats ? static_cast<std::size_t>(dtype_bytes(*floats)) : 1;
  Fnv fnv;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const std::size_t count = std::min(step, bytes.size() - at);
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, count);
    if (floats && is_nan(value, float_format(*floats)))
      value = float_format(*floats).sign_bit() - 1;
    fnv.add(value, count);
  }
  return fnv.value();
}

}  // namespace tensorlane::conformance
