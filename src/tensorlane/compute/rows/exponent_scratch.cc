#include "tensorlane/compute/rows/exponent_scratch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "tensorlane/layout/local.h"

namespace tensorlane {
namespace {

constexpr double kTableOffset = 103;

struct Word {
  std::int64_t address;
  std::int16_t value;
};

// The 16-bit words that fall into gaps of the destination.
std::vector<Word> words_in_gaps(const Invocation& invocation, const Exponent& exponent) {
  const Operand& dst = *invocation.command.find("dst_addr");
  const Layout& layout = dst.layout;
  const LocalMemory& local = invocation.command.chip->local;
  const std::int64_t plane = layout.extent(2) * layout.extent(3);
  const std::int64_t rows = channels_per_npu(local, layout.offset(1), layout.extent(1));
  const std::int64_t own = align_up(plane * 4, local.align_bytes);  // bytes of a channel's results
  const std::int64_t other = align_up(plane * 2, local.align_bytes);  // and of its 16-bit words
  if (own == plane * 4 || layout.extent(0) * rows == 1) return {};
  const Layout& source = invocation.command.find("src_addr")->layout;
  const std::byte* const memory = invocation.base(*invocation.command.find("src_addr"));
  const Layout words =
      local_layout(local, static_cast<std::int64_t>(dst.address),
                   {layout.extent(0), layout.extent(1), layout.extent(2), layout.extent(3)},
                   {rows * other / 2, other / 2, layout.extent(3), 1}, Dtype::kInt16);
  // The gaps that the words of a channel reach: [k * own + results, (k + 1) * own) for some k.
  const std::int64_t results = plane * 4, word_bytes = sizeof(std::int16_t);
  const std::int64_t first_byte = layout.base() % local.npu_bytes;
  std::vector<Word> found;
  Layout::Index index{};
  for (std::int64_t n = 0; n < layout.extent(0); ++n) {
    for (std::int64_t c = 0; c < layout.extent(1); ++c) {
      index = {n, c, 0, 0};
      const std::int64_t begin = words.address(index), in_source = source.address(index);
      const std::int64_t inside = begin % local.npu_bytes - first_byte;
      const std::int64_t end = inside + plane * word_bytes;
      for (std::int64_t row = inside / own * own; row < end; row += own) {
        const std::int64_t from = std::max(inside, row + results), to = std::min(end, row + own);
        for (std::int64_t at = from; at < to; at += word_bytes) {
          float x = 0;
          const std::int64_t i = (at - inside) / word_bytes;
          std::memcpy(&x, memory + in_source + i * 4, sizeof x);
          const double whole = std::nearbyint(exponent(x, invocation.command)) + kTableOffset;
          found.push_back(
              {begin + at - inside, static_cast<std::int16_t>(std::clamp(whole, 0.0, 255.0))});
        }
      }
    }
  }
  return found;
}

}  // namespace

std::vector<Implementation> with_exponent_scratch(std::vector<Implementation> list,
                                                  const Exponent& exponent) {
  for (Implementation& one : list) {
    one.run = [run = std::move(one.run), exponent](const Invocation& invocation) {
      const std::vector<Word> words = words_in_gaps(invocation, exponent);
      if (!run(invocation)) return false;
      std::byte* const memory = invocation.base(*invocation.command.find("dst_addr"));
      for (const Word& word : words)
        std::memcpy(memory + word.address, &word.value, sizeof word.value);
      return true;
    };
  }
  return list;
}

}  // namespace tensorlane
