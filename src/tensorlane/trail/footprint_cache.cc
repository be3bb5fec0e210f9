// Footprints that are made once per shape.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <unordered_map>

#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

// A layout as the numbers that decide its bytes.
struct FootprintCache::Impl {
  static constexpr std::size_t kMaxNumbers = 3 + 3 * Layout::kMaxDims + 2 * Layout::kMaxDigits;
  static constexpr std::size_t kMaxShapes = 16384;
  struct Key {
    std::array<std::int64_t, kMaxNumbers> numbers;
    std::size_t count = 0;
    friend bool operator==(const Key& a, const Key& b) {
      return a.count == b.count &&
             std::equal(a.numbers.begin(), a.numbers.begin() + static_cast<std::ptrdiff_t>(a.count),
                        b.numbers.begin());
    }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (std::size_t k = 0; k < key.count; ++k) {
        hash = (hash ^ static_cast<std::uint64_t>(key.numbers[k])) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };
  std::unordered_map<Key, std::shared_ptr<const Shape>, Hash> shapes;
};

FootprintCache::FootprintCache() : impl_(std::make_unique<Impl>()) {}
FootprintCache::~FootprintCache() = default;

Footprint FootprintCache::get(const Layout& layout, std::int64_t npu_bytes) {
  const bool movable = npu_bytes == 0 && layout.unit_bits() == 8;
  Impl::Key key;
  const auto add = [&](std::int64_t number) { key.numbers[key.count++] = number; };
  add(layout.element_units() * 16 + layout.unit_bits());
  add(npu_bytes);
  add(movable ? 0 : layout.base());
  for (int d = 0; d < layout.rank(); ++d) {
    add(layout.extent(d));
    add(layout.offset(d));
    const std::span<const Digit> digits = layout.digits(d);
    add(static_cast<std::int64_t>(digits.size()));
    for (const Digit& digit : digits) {
      add(digit.extent);
      add(digit.stride);
    }
  }
  const auto found = impl_->shapes.find(key);
  if (found != impl_->shapes.end()) return {found->second, movable ? layout.base() : 0};
  if (impl_->shapes.size() >= Impl::kMaxShapes) impl_->shapes.clear();
  Footprint made = footprint(layout, npu_bytes);
  impl_->shapes.emplace(key, made.shape);
  return made;
}

}  // namespace tensorlane::trail
