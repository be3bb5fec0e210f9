// What the operands of a call hold: numbers of every kind that their types have.
#ifndef TENSORLANE_DIFFERENTIAL_CALL_DATA_H_
#define TENSORLANE_DIFFERENTIAL_CALL_DATA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tensorlane/differential/random.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::differential {

enum class DataKind : std::uint8_t {
  kZero,
  kOnes,      // 1 of the type
  kSmall,     // integers near zero: shift amounts too
  kModerate,  // numbers of a size that sums of them keep
  kBits,      // any
  kUnusual,   // NaN of all kinds, infinities, denormals, zeros of both signs, ends of ranges
  kMixed,     // some of these among moderate ones
  kEqual,     // one of any kind, everywhere
  kIndices,   // of elements of another operand, now and then one past the end, or all ones
  kInRange,   // inside the limits on values, or at their ends
};
inline constexpr int kDataKinds = 10;
std::string_view data_kind_name(DataKind kind);

struct CallData {
  std::uint64_t seed = 0;
  std::array<DataKind, kMaxOperands> kinds{};  // by operand of the command
};
CallData draw_data(const Command& command, Random& random);

// Fills [at, at + bytes.size()) as the bytes of operand number `index` of a command.
void fill_operand(const Command& command, std::size_t index, DataKind kind, Random& random,
                  std::span<std::byte> bytes);
void fill_with_bytes(Random& random, std::span<std::byte> bytes);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_CALL_DATA_H_
