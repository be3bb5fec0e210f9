#include "line_copy.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>

namespace tensorlane::bench {
namespace {

constexpr std::int64_t kLine = 64;

void move_line(std::byte* dst, const std::byte* src, bool stream) {
#ifdef __AVX__
  const auto* from = reinterpret_cast<const __m256i*>(src);
  auto* to = reinterpret_cast<__m256i*>(dst);
  const __m256i first = _mm256_load_si256(from), second = _mm256_load_si256(from + 1);
  if (stream) {
    _mm256_stream_si256(to, first);
    _mm256_stream_si256(to + 1, second);
  } else {
    _mm256_store_si256(to, first);
    _mm256_store_si256(to + 1, second);
  }
#else
  static_cast<void>(stream);
  std::memcpy(dst, src, kLine);
#endif
}

// Calls visit(destination, source) for every element, front to back in the destination.
template <class Visit>
void for_each_element(const Box& box, const Visit& visit) {
  std::array<std::int64_t, kMaxLoops> at{};
  std::int64_t to = box.base[0], from = box.base[1];
  for (std::int64_t i = box.size(); i > 0; --i) {
    visit(to, from);
    for (int k = box.rank - 1; k >= 0; --k) {
      const Loop& loop = box.loops[k];
      to += loop.stride[0];
      from += loop.stride[1];
      if (++at[k] < loop.extent) break;
      to -= loop.extent * loop.stride[0];
      from -= loop.extent * loop.stride[1];
      at[k] = 0;
    }
  }
}

}  // namespace

LineCopy::LineCopy(const Layout& to, const Layout& from) {
  const auto lines = [](const Layout& layout) {
    return static_cast<std::size_t>((layout.bounds().end + kLine - 1) / kLine);
  };
  // Every line of the destination takes the first line of its elements that no other has.
  std::vector<bool> written(lines(to)), read(lines(from));
  for (const Box& box : fold({&to, &from})) {
    for_each_element(box, [&](std::int64_t a, std::int64_t b) {
      const auto target = static_cast<std::size_t>(a / kLine),
                 source = static_cast<std::size_t>(b / kLine);
      if (written[target] || read[source]) return;
      written[target] = read[source] = true;
      by_destination_.push_back(
          {static_cast<std::uint32_t>(target), static_cast<std::uint32_t>(source)});
    });
  }
  // What is left on both sides, in order.
  std::size_t source = 0;
  for (std::size_t target = 0; target < written.size(); ++target) {
    if (written[target]) continue;
    while (source < read.size() && read[source]) ++source;
    if (source == read.size()) break;
    read[source] = true;
    by_destination_.push_back(
        {static_cast<std::uint32_t>(target), static_cast<std::uint32_t>(source)});
  }
  std::ranges::sort(by_destination_, {}, &Pair::to);
  by_source_ = by_destination_;
  std::ranges::sort(by_source_, {}, &Pair::from);
}

void LineCopy::run(const Way& way, std::byte* dst, const std::byte* src) const {
  constexpr std::size_t kAhead = 16;
  const std::vector<Pair>& pairs = way.by_source ? by_source_ : by_destination_;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (way.ahead && i + kAhead < pairs.size()) {
      __builtin_prefetch(src + pairs[i + kAhead].from * kLine);
      if (!way.stream) __builtin_prefetch(dst + pairs[i + kAhead].to * kLine, 1);
    }
    move_line(dst + pairs[i].to * kLine, src + pairs[i].from * kLine, way.stream);
  }
#ifdef __AVX__
  if (way.stream) _mm_sfence();
#endif
}

}  // namespace tensorlane::bench
