// The plain loops that prove bounds of bench/functions.py on the processor at hand: what a function
// of the chip must do at the least, without commands, layouts or limits. A line of JSON for each.
//
//   bounds_bench
//
// Small operands are 4x70x7x7: 280 rows of 49 elements, four or eight in each of 64 NPUs, whose
// memories are 256 KB apart, and each begins with a line; matrices of 70x196, four columns in each
// of 49 NPUs. Middle ones are 64 rows of 3136 elements, one in each NPU.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "peer_timing.h"
#include "tensorlane/base/fp_environment.h"

namespace {

using namespace tensorlane;

constexpr std::int64_t kNpus = 64, kNpuBytes = 256 << 10, kColumns = 49, kMatrixRows = 70;
constexpr std::int64_t kLine = 64;

struct Rows {
  std::int64_t npus, rows, count;  // rows of an NPU
};
constexpr Rows kSmall{kNpus, 4, 49}, kRest{6, 4, 49}, kMiddle{kNpus, 1, 3136};

class Memory {
 public:
  // Of operand k, elements of type T: rows begin with a line.
  template <class T>
  T* row(int k, std::int64_t npu, std::int64_t r, std::int64_t count) {
    constexpr std::int64_t kOperand = 64 << 10;
    const std::int64_t next =
        (count * static_cast<std::int64_t>(sizeof(T)) + kLine - 1) / kLine * kLine;
    return reinterpret_cast<T*>(bytes_.data() + npu * kNpuBytes + k * kOperand + r * next);
  }
  std::byte* line(std::int64_t npu, std::int64_t r) {
    return bytes_.data() + npu * kNpuBytes + r * kLine;
  }
  std::byte* dense() { return dense_.data(); }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(kNpus * kNpuBytes, std::byte{0x3f});
  std::vector<std::byte> dense_ = std::vector<std::byte>(1 << 20, std::byte{0x3f});
};
Memory memory;

// dst = f(a, b), row by row.
template <class T, class F>
void each_row(const Rows& rows, const F& f) {
  for (std::int64_t npu = 0; npu < rows.npus; ++npu) {
    for (std::int64_t r = 0; r < rows.rows; ++r) {
      T* __restrict dst = memory.row<T>(0, npu, r, rows.count);
      const T* a = memory.row<T>(1, npu, r, rows.count);
      const T* b = memory.row<T>(2, npu, r, rows.count);
      for (std::int64_t i = 0; i < rows.count; ++i) dst[i] = f(a[i], b[i]);
    }
  }
}
template <class T, class F>
void each_small_row(const F& f) {
  each_row<T>(kSmall, f);
  each_row<T>(kRest, f);
}

// The elements of four columns of a matrix in each NPU, out of dense rows and back.
void store_lines() {
  const std::byte* from = memory.dense();
  for (std::int64_t c = 0; c < kColumns; ++c) {
    for (std::int64_t r = 0; r < kMatrixRows; ++r)
      std::memcpy(memory.line(c, r), from + (r * kColumns + c) * 4, 4);
  }
}
void load_lines() {
  std::byte* to = memory.dense();
  for (std::int64_t c = 0; c < kColumns; ++c) {
    for (std::int64_t r = 0; r < kMatrixRows; ++r)
      std::memcpy(to + (r * kColumns + c) * 4, memory.line(c, r), 4);
  }
}

// Microseconds of one, at best.
double microseconds(const std::function<void()>& work) {
  constexpr int kRounds = 200, kRepeats = 20;
  const ChipFloatScope flush;
  double best = 1;
  for (int round = 0; round < kRounds; ++round) {
    best = std::min(best, bench::seconds_of([&] {
                            for (int k = 0; k < kRepeats; ++k) work();
                          }) / kRepeats);
  }
  return 1e6 * best;
}

}  // namespace

int main() {
  const auto sum = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
  const auto first = [](auto a, auto) { return a; };
  const auto constant = [](auto a, auto) { return static_cast<decltype(a)>(3); };
  const auto report = [](std::string_view name, const std::function<void()>& work) {
    fmt::print("{{\"loop\": \"{}\", \"us\": {:.2f}}}\n", name, microseconds(work));
  };
  report("small fp32 a + b", [&] { each_small_row<float>(sum); });
  report("small int16 a + b", [&] { each_small_row<std::int16_t>(sum); });
  report("small bytes copied", [&] { each_small_row<std::uint8_t>(first); });
  report("small bytes filled", [&] { each_small_row<std::uint8_t>(constant); });
  report("small lines stored", store_lines);
  report("small lines loaded", load_lines);
  report("middle fp32 a + b", [&] { each_row<float>(kMiddle, sum); });
}
