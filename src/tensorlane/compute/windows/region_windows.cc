#include "tensorlane/compute/windows/region_windows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/float_maximum.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/tiles/any_type_window_tile.h"

namespace tensorlane {
namespace {

constexpr std::int32_t kExcept = -1;

// Where the elements under each position of the windows are, in bytes from the first of the
// channel: [position][region]. Empty when one is outside the input.
std::vector<std::int32_t> elements_of(const RegionWindowArgs& args) {
  std::vector<std::int32_t> places;
  const std::int64_t bytes = args.input.element_bytes;
  for (int kh = 0; kh < args.kernel_h; ++kh) {
    for (int kw = 0; kw < args.kernel_w; ++kw) {
      for (const PooledRegion& region : args.regions) {
        const int h = region.h0 + kh;
        const int w = region.w0 + kw;
        const bool inside = h <= region.h1 && w <= region.w1;
        if (inside && (h >= args.input_h || w >= args.input_w)) return {};
        places.push_back(
            inside ? static_cast<std::int32_t>(bytes * (h * args.input.h + w * args.input.w))
                   : kExcept);
      }
    }
  }
  return places;
}

// Bits of the elements of one channel.
template <class Bits>
void gather(const std::vector<std::int32_t>& places, const std::byte* channel, Bits except,
            Bits* to) {
  const auto* const outside = reinterpret_cast<const std::byte*>(&except);
#pragma GCC unroll 4
  for (const std::int32_t place : places) {
    std::memcpy(to, place == kExcept ? outside : channel + place, sizeof *to);
    ++to;
  }
}

template <class Bits>
void store_low_bits(const std::int32_t* from, int count, std::byte* to) {
  auto* bits = reinterpret_cast<Bits*>(to);
  for (int i = 0; i < count; ++i) bits[i] = static_cast<Bits>(from[i]);
}

// Word: float for floating point inputs, std::int32_t for integers.
template <class Word>
class RegionWindows {
 public:
  RegionWindows(const RegionWindowArgs& args, std::vector<std::int32_t> places)
      : args_(args), places_(std::move(places)) {
    const auto positions = static_cast<std::int32_t>(args.kernel_h * args.kernel_w);
    const auto regions = static_cast<std::int32_t>(args.regions.size());
    for (std::int32_t t = 0; t < positions; ++t) offsets_.push_back(t * regions);
    if constexpr (kIsFloat) weights_.assign(offsets_.size(), args.scale);
    if constexpr (!kIsFloat) weights_.assign(offsets_.size(), args.factor);
  }

  void run() const {
    for (int n = 0; n < args_.n; ++n) {
      for (int c = 0; c < args_.c; ++c) run_channel(n, c);
    }
  }

 private:
  static constexpr bool kIsFloat = std::is_same_v<Word, float>;

  const Word* words_of(const std::byte* channel) const {
    const std::size_t count = places_.size();
    Word* words = thread_scratch<0, Word>(count + static_cast<std::size_t>(kWindowSlack));
    const auto read = [&](auto except) {
      auto* bits = thread_scratch<1, decltype(except)>(count);
      gather(places_, channel, except, bits);
      widen(reinterpret_cast<const std::byte*>(bits), 1, args_.input_type, static_cast<int>(count),
            words);
    };
    switch (dtype_bytes(args_.input_type)) {
      case 1:
        read(static_cast<std::uint8_t>(args_.except_bits));
        break;
      case 2:
        read(static_cast<std::uint16_t>(args_.except_bits));
        break;
      default:
        read(args_.except_bits);
    }
    std::fill_n(words + count, kWindowSlack, Word{});
    return words;
  }

  void run_channel(int n, int c) const {
    const auto regions = static_cast<int>(args_.regions.size());
    Word* out =
        thread_scratch<2, Word>(args_.regions.size() + static_cast<std::size_t>(kWindowSlack));
    const WindowTile<Word> tile{words_of(args_.input.address(n, c, 0, 0)), offsets_.data(),
                                static_cast<int>(offsets_.size()), regions, out};
    std::byte* const to = args_.output.address(n, c, 0, 0);
    const bool sums = args_.rule == WindowRule::kSum;
    if constexpr (kIsFloat) {
      if (!sums) return store_maxima(n, c, tile, to);
      sum_rounded_windows(tile, weights_.data(), kNoStart, args_.input_type);
      store_floats(out, regions, args_.output_type, to);
    } else {
      sums ? sum_integer_windows(tile, weights_.data()) : max_integer_windows(tile);
      dtype_bytes(args_.output_type) == 1 ? store_low_bits<std::uint8_t>(out, regions, to)
                                          : store_low_bits<std::uint16_t>(out, regions, to);
    }
  }

  // Maxima keep their bits.
  void store_maxima(int n, int c, const WindowTile<float>& tile, std::byte* to) const {
    max_float_windows(tile, args_.input_type);
    const auto regions = static_cast<int>(tile.positions);
    if (args_.input_type == Dtype::kBf16) {
      auto* const halves = reinterpret_cast<std::uint16_t*>(to);
      for (int i = 0; i < regions; ++i)
        halves[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(tile.out[i]) >> 16);
      return;
    }
    store_floats(tile.out, regions, args_.output_type, to);
    if (args_.input_type == Dtype::kFp32 ||
        !any_special({tile.out, static_cast<std::size_t>(regions)}))
      return;
    for (int i = 0; i < regions; ++i) {  // a conversion to fp16 makes a NaN quiet
      if (std::isnan(tile.out[i]))
        store_bits(to + i * dtype_bytes(args_.output_type), args_.output_type,
                   maximum_bits(args_.input.address(n, c, 0, 0), i));
    }
  }
  std::uint32_t maximum_bits(const std::byte* channel, int region) const {
    FloatMaximum maximum(args_.input_type);
    for (auto k = static_cast<std::size_t>(region); k < places_.size(); k += args_.regions.size())
      maximum.add(places_[k] == kExcept ? args_.except_bits & 0xffffU
                                        : load_bits(channel + places_[k], args_.input_type));
    return maximum.bits();
  }

  const RegionWindowArgs& args_;
  const std::vector<std::int32_t> places_;
  std::vector<std::int32_t> offsets_;
  std::vector<Word> weights_;
};

}  // namespace

bool region_windows_simd(const RegionWindowArgs& args) {
  constexpr std::int64_t kMostElements = 1 << 26;
  const std::int64_t positions = std::int64_t{args.kernel_h} * args.kernel_w;
  const auto regions = static_cast<std::int64_t>(args.regions.size());
  if (!has_dense_rows(args.output) || positions * regions > kMostElements) return false;
  std::vector<std::int32_t> places = elements_of(args);
  if (places.empty()) return false;
  if (dtype_info(args.input_type).is_float) {
    RegionWindows<float>(args, std::move(places)).run();
  } else {
    RegionWindows<std::int32_t>(args, std::move(places)).run();
  }
  return true;
}

}  // namespace tensorlane
