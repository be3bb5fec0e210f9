// Chance numbers of the differential net: from one seed the same on every machine.
#ifndef TENSORLANE_DIFFERENTIAL_RANDOM_H_
#define TENSORLANE_DIFFERENTIAL_RANDOM_H_

#include <cstdint>
#include <initializer_list>
#include <span>

namespace tensorlane::differential {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15U;
    value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9U;
    value = (value ^ value >> 27U) * 0x94d049bb133111ebU;
    return value ^ value >> 31U;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(bits() >> 32U); }
  // One of low, ..., high.
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  std::size_t index(std::size_t count) { return static_cast<std::size_t>(bits() % count); }
  bool chance(int one_in) { return pick(1, one_in) == 1; }
  template <class T>
  T pick_of(std::initializer_list<T> values) {
    return *(values.begin() + index(values.size()));
  }
  template <class T>
  const T& pick_of(std::span<const T> values) {
    return values[index(values.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_RANDOM_H_
