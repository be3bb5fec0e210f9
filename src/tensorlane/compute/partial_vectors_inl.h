// The ends of rows: some lanes of a vector are read or written, nothing beside them. Included once
// per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_
#undef TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_
#else
#define TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {

// Some bytes of a word or of two, in two pieces of one size that may overlap: no loop, and no call
// for a size that is known only here.
template <class Piece>
HWY_INLINE std::uint64_t load_pieces(const std::uint8_t* from, std::size_t count) {
  Piece first, last;
  const std::size_t second = count - sizeof(Piece);
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, from + second, sizeof last);
  return first | static_cast<std::uint64_t>(last) << (8 * second);
}
template <class Piece>
HWY_INLINE void store_pieces(std::uint64_t word, std::uint8_t* to, std::size_t count) {
  const std::size_t second = count - sizeof(Piece);
  const auto first = static_cast<Piece>(word), last = static_cast<Piece>(word >> (8 * second));
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + second, &last, sizeof last);
}
// 1 to 8 bytes; those that are not read are zeros.
HWY_INLINE std::uint64_t load_some(const std::uint8_t* from, std::size_t count) {
  if (count == 8) return load_pieces<std::uint64_t>(from, count);
  if (count >= 4) return load_pieces<std::uint32_t>(from, count);
  return count >= 2 ? load_pieces<std::uint16_t>(from, count)
                    : load_pieces<std::uint8_t>(from, count);
}
HWY_INLINE void store_some(std::uint64_t word, std::uint8_t* to, std::size_t count) {
  if (count == 8) return store_pieces<std::uint64_t>(word, to, count);
  if (count >= 4) return store_pieces<std::uint32_t>(word, to, count);
  count >= 2 ? store_pieces<std::uint16_t>(word, to, count)
             : store_pieces<std::uint8_t>(word, to, count);
}

// The first `count` lanes of vectors of type D.
template <class D>
class FirstLanes {
 public:
  using T = hwy::HWY_NAMESPACE::TFromD<D>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  explicit HWY_INLINE FirstLanes(std::size_t count)
      : mask_(hwy::HWY_NAMESPACE::FirstN(D(), count)) {}
  // Zeros behind them.
  HWY_INLINE V load(const T* from) const {
    return hwy::HWY_NAMESPACE::MaskedLoad(mask_, D(), from);
  }
  HWY_INLINE void store(V value, T* to) const {
    hwy::HWY_NAMESPACE::BlendedStore(value, mask_, D(), to);
  }

 private:
  hwy::HWY_NAMESPACE::Mask<D> mask_;
#else
  explicit HWY_INLINE FirstLanes(std::size_t count) : count_(count) {}
  HWY_INLINE V load(const T* from) const {
#if HWY_TARGET == HWY_AVX2  // of words there are masks
    if constexpr (sizeof(T) == 4)
      return hwy::HWY_NAMESPACE::MaskedLoad(hwy::HWY_NAMESPACE::FirstN(D(), count_), D(), from);
#endif
    std::uint64_t words[kWords] = {};
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
    std::size_t left = count_ * sizeof(T);
    for (std::size_t i = 0; left > 0; ++i) {
      const std::size_t some = left < 8 ? left : 8;
      words[i] = load_some(bytes + 8 * i, some);
      left -= some;
    }
    T lanes[kLanes];
    std::memcpy(lanes, words, sizeof lanes);
    return hwy::HWY_NAMESPACE::LoadU(D(), lanes);
  }
  HWY_INLINE void store(V value, T* to) const {
    T lanes[kLanes];
    std::uint64_t words[kWords] = {};
    hwy::HWY_NAMESPACE::StoreU(value, D(), lanes);
    std::memcpy(words, lanes, sizeof lanes);
    auto* bytes = reinterpret_cast<std::uint8_t*>(to);
    std::size_t left = count_ * sizeof(T);
    for (std::size_t i = 0; left > 0; ++i) {
      const std::size_t some = left < 8 ? left : 8;
      store_some(words[i], bytes + 8 * i, some);
      left -= some;
    }
  }

 private:
  static constexpr std::size_t kLanes = hwy::HWY_NAMESPACE::MaxLanes(D());
  static constexpr std::size_t kWords = (kLanes * sizeof(T) + 7) / 8;
  std::size_t count_;
#endif
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PARTIAL_VECTORS_INL_H_
