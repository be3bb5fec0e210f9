// The plain loops that prove bounds of bench/functions.py on the processor at hand: what a function
// of the chip must do at the least, without commands, layouts or limits. A line of JSON for each.
//
//   bounds_bench
//
// Operands lie as those that ops_bench measures: one behind the other in each of 64 NPUs, whose
// memories are 256 KB apart, and rows begin with a line. Small ones are 4x70x7x7: 280 rows of 49
// elements; matrices 70x196, four columns in each of 49 NPUs. Middle ones are 64 rows of 3136
// elements, one in each NPU; matrices 64x3136, 49 columns in each. Between two turns other memory
// is used, as by the peer there.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "peer_timing.h"
#include "tensorlane/base/fp_environment.h"

namespace {

using namespace tensorlane;

constexpr std::int64_t kNpus = 64, kNpuBytes = 256 << 10, kLine = 64;

struct Shape {
  std::int64_t n, c, hw;
};
constexpr Shape kSmall{4, 70, 49}, kMiddle{1, kNpus, 3136};

constexpr std::int64_t whole(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

class Memory {
 public:
  std::byte* npu(std::int64_t channel) { return npus_.data() + channel % kNpus * kNpuBytes; }
  std::byte* dense(std::int64_t part = 0) { return dense_.data() + (part << 20); }
  std::byte* others() { return dense_.data() + (2 << 20); }

 private:
  std::vector<std::byte> npus_ = std::vector<std::byte>(kNpus * kNpuBytes, std::byte{0x3f});
  std::vector<std::byte> dense_ = std::vector<std::byte>(8 << 20, std::byte{0x3f});
};
Memory memory;

// An operand of elements of type T that begins `base` bytes from the start of each NPU.
template <class T>
struct Operand {
  Shape shape;
  std::int64_t base;

  std::int64_t row_bytes() const {
    return whole(shape.hw * static_cast<std::int64_t>(sizeof(T)), kLine);
  }
  std::int64_t image_bytes() const { return (shape.c + kNpus - 1) / kNpus * row_bytes(); }
  std::int64_t end() const { return base + whole(shape.n * image_bytes(), 2 * kLine); }
  T* row(std::int64_t n, std::int64_t c) const {
    return reinterpret_cast<T*>(memory.npu(c) + base + n * image_bytes() + c / kNpus * row_bytes());
  }
};

// dst = f(a), row by row.
template <class D, class T = D, class F>
void each_element(const Shape& shape, const F& f) {
  const Operand<D> result{shape, 0};
  const Operand<T> source{shape, result.end()};
  for (std::int64_t c = 0; c < shape.c; ++c) {
    for (std::int64_t n = 0; n < shape.n; ++n) {
      D* __restrict dst = result.row(n, c);
      const T* const a = source.row(n, c);
      for (std::int64_t i = 0; i < shape.hw; ++i) dst[i] = static_cast<D>(f(a[i]));
    }
  }
}
// dst = f(a, b)
template <class D, class T = D, class F>
void each_pair(const Shape& shape, const F& f) {
  const Operand<D> result{shape, 0};
  const Operand<T> first{shape, result.end()}, second{shape, first.end()};
  for (std::int64_t c = 0; c < shape.c; ++c) {
    for (std::int64_t n = 0; n < shape.n; ++n) {
      D* __restrict dst = result.row(n, c);
      const T *const a = first.row(n, c), *const b = second.row(n, c);
      for (std::int64_t i = 0; i < shape.hw; ++i) dst[i] = static_cast<D>(f(a[i], b[i]));
    }
  }
}

// dst = f(a, dst)
template <class T, class F>
void each_change(const Shape& shape, const F& f) {
  const Operand<T> result{shape, 0}, source{shape, result.end()};
  for (std::int64_t c = 0; c < shape.c; ++c) {
    for (std::int64_t n = 0; n < shape.n; ++n) {
      T* __restrict dst = result.row(n, c);
      const T* const a = source.row(n, c);
      for (std::int64_t i = 0; i < shape.hw; ++i) dst[i] = f(a[i], dst[i]);
    }
  }
}

// The sums of all pairs of two vectors: kColumns of a row in each NPU.
template <class T, std::int64_t kColumns>
void outer(std::int64_t rows, std::int64_t npus) {
  const T* const left = reinterpret_cast<const T*>(memory.dense());
  const T* const right = reinterpret_cast<const T*>(memory.dense(1));
  constexpr std::int64_t kNext = whole(kColumns * static_cast<std::int64_t>(sizeof(T)), kLine);
  for (std::int64_t c = 0; c < npus; ++c) {
    for (std::int64_t r = 0; r < rows; ++r) {
      T* __restrict dst = reinterpret_cast<T*>(memory.npu(c) + r * kNext);
      for (std::int64_t i = 0; i < kColumns; ++i)
        dst[i] = static_cast<T>(left[r] + right[c * kColumns + i]);
    }
  }
}

// The elements of four columns of a matrix in each NPU, out of dense rows and back.
constexpr std::int64_t kColumns = 49, kMatrixRows = 70;
void store_lines() {
  const std::byte* from = memory.dense();
  for (std::int64_t c = 0; c < kColumns; ++c) {
    for (std::int64_t r = 0; r < kMatrixRows; ++r)
      std::memcpy(memory.npu(c) + r * kLine, from + (r * kColumns + c) * 4, 4);
  }
}
void load_lines() {
  std::byte* to = memory.dense();
  for (std::int64_t c = 0; c < kColumns; ++c) {
    for (std::int64_t r = 0; r < kMatrixRows; ++r)
      std::memcpy(to + (r * kColumns + c) * 4, memory.npu(c) + r * kLine, 4);
  }
}

// The quotient that the chip has: three Newton steps from a guess by integers.
float quotient(float a, float b) {
  const float size = std::fabs(b), half = 0.5F * size;
  float y = std::bit_cast<float>(0x5f3759dfU - (std::bit_cast<std::uint32_t>(size) >> 1U));
  y = y * (1.5F - half * y * y);
  y = y * (1.5F - half * y * y);
  y = y * (1.5F - half * y * y);
  return y * y * std::copysign(a, b);
}

// A byte of a word of four, of which there is one for each element, to half a word: the other half
// stays.
std::uint32_t packed(std::uint32_t word, std::uint32_t other) {
  return (word & 0xffU) + 3U + (other & 0xffff0000U);
}

template <class T>
T table_of(std::uint8_t byte) {
  static const std::vector<T> table(256, T{3});
  return table.data()[byte];
}

// Microseconds of one, at best.
double microseconds(const std::function<void()>& work) {
  constexpr int kRounds = 100;
  constexpr double kTurn = 50e-6;
  const ChipFloatScope flush;
  work();
  const double once = bench::seconds_of(work);
  const int repeats = std::clamp(static_cast<int>(kTurn / std::max(once, 1e-9)), 1, 1000);
  double best = 1;
  for (int round = 0; round < kRounds; ++round) {
    best = std::min(best, bench::seconds_of([&] {
                            for (int k = 0; k < repeats; ++k) work();
                          }) / repeats);
    std::memmove(memory.others(), memory.others() + (2 << 20), 2 << 20);
  }
  return 1e6 * best;
}

}  // namespace

int main() {
  const auto sum = [](auto a, auto b) { return a + b; };
  const auto product = [](auto a, auto b) { return a * b; };
  const auto first = [](auto a) { return a; };
  const auto constant = [](auto) { return 3; };
  const auto report = [](std::string_view name, const std::function<void()>& work) {
    fmt::print("{{\"loop\": \"{}\", \"us\": {:.2f}}}\n", name, microseconds(work));
  };
  report("small fp32 a + b", [&] { each_pair<float>(kSmall, sum); });
  report("small fp32 copied", [&] { each_element<float>(kSmall, first); });
  report("small int16 a + b", [&] { each_pair<std::int16_t>(kSmall, sum); });
  report("small bytes copied", [&] { each_element<std::uint8_t>(kSmall, first); });
  report("small bytes filled", [&] { each_element<std::uint8_t>(kSmall, constant); });
  report("small fp32 quotient", [&] { each_pair<float>(kSmall, quotient); });
  report("small bytes by table to 32 bits",
         [&] { each_element<float, std::uint8_t>(kSmall, table_of<float>); });
  report("small lines stored", store_lines);
  report("small lines loaded", load_lines);
  report("small outer 32 bits", [] { outer<std::int32_t, 4>(kMatrixRows, kColumns); });
  report("small outer bytes", [] { outer<std::uint8_t, 4>(kMatrixRows, kColumns); });
  report("middle fp32 a + b", [&] { each_pair<float>(kMiddle, sum); });
  report("middle fp32 copied", [&] { each_element<float>(kMiddle, first); });
  report("middle int16 a + b", [&] { each_pair<std::int16_t>(kMiddle, sum); });
  report("middle bytes a * b", [&] { each_pair<std::uint8_t>(kMiddle, product); });
  report("middle fp32 quotient", [&] { each_pair<float>(kMiddle, quotient); });
  report("middle fp32 reciprocal",
         [&] { each_element<float>(kMiddle, [](float b) { return quotient(1.0F, b); }); });
  report("middle words, some bytes", [&] { each_change<std::uint32_t>(kMiddle, packed); });
  report("middle bytes by table to 32 bits",
         [&] { each_element<float, std::uint8_t>(kMiddle, table_of<float>); });
  report("middle outer 32 bits", [] { outer<std::int32_t, 49>(kNpus, kNpus); });
}
