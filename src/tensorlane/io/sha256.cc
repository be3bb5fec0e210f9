#include "tensorlane/io/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace tensorlane {
namespace {

using Word = std::uint32_t;

// The first 32 bits behind the point of a root of a prime, in whole numbers: floor(root * 2^32)
// without its whole part. `power` is 2 or 3.
constexpr Word root_bits(std::uint64_t prime, int power) {
  using Wide = unsigned __int128;
  std::uint64_t root = 0;
  for (int bit = 35; bit >= 0; --bit) {
    const std::uint64_t more = root | std::uint64_t{1} << bit;
    // more^power <= prime * 2^(32 * power), without the lowest bits of a cube, which do not fit.
    const Wide square = static_cast<Wide>(more) * more;
    const bool fits = power == 2 ? square <= static_cast<Wide>(prime) << 64
                                 : square * more <= static_cast<Wide>(prime) << 96;
    if (fits) root = more;
  }
  return static_cast<Word>(root);
}

template <std::size_t Count>
constexpr std::array<Word, Count> roots(int power) {
  std::array<Word, Count> words{};
  std::size_t found = 0;
  for (std::uint64_t prime = 2; found < Count; ++prime) {
    bool divided = false;
    for (std::uint64_t d = 2; d * d <= prime; ++d) divided = divided || prime % d == 0;
    if (!divided) words[found++] = root_bits(prime, power);
  }
  return words;
}

constexpr std::array<Word, 8> kStart = roots<8>(2);
constexpr std::array<Word, 64> kRound = roots<64>(3);
static_assert(kStart[0] == 0x6a09e667 && kRound[63] == 0xc67178f2);

void add_block(std::array<Word, 8>& state, const std::byte* block) {
  std::array<Word, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    Word word;
    std::memcpy(&word, block + 4 * i, 4);
    w[i] = __builtin_bswap32(word);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const Word a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const Word first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                       ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const Word second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const std::array<Word, 8> sum = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += sum[i];
}

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  std::array<Word, 8> state = kStart;
  std::size_t at = 0;
  for (; at + 64 <= bytes.size(); at += 64) add_block(state, bytes.data() + at);
  // What is left, a one, zeros, the number of bits.
  std::array<std::byte, 128> tail{};
  const std::size_t rest = bytes.size() - at;
  if (rest > 0) std::memcpy(tail.data(), bytes.data() + at, rest);
  tail[rest] = std::byte{0x80};
  const std::size_t end = rest < 56 ? 64 : 128;
  const std::uint64_t bits = __builtin_bswap64(static_cast<std::uint64_t>(bytes.size()) * 8);
  std::memcpy(tail.data() + end - 8, &bits, 8);
  for (std::size_t k = 0; k < end; k += 64) add_block(state, tail.data() + k);
  std::string text;
  for (const Word word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace tensorlane
