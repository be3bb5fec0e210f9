#include "tensorlane/device/computed_alike_test_support.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tensorlane/device/session.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kMostElements = 1 << 20;

bool is_small(const Command& command) {
  for (const Operand& operand : command.operands()) {
    if (operand.layout.size() > kMostElements) return false;
  }
  return true;
}

// Calls f(offset, bytes) for the bytes of an operand in its memory.
template <class F>
void each_run(const Command& command, const Operand& operand, F f) {
  for (const ByteRun& run : operand.layout.byte_runs())
    f(run.npu * command.chip->local.npu_bytes + run.offset, run.bytes);
}

// The result; nothing when the sources made no sense.
bool computed(const Command& command, DeviceMemory& memory, ImplementationChoice choice) {
  try {
    execute({command, memory.bases()}, choice);
  } catch (const UserError&) {
    return false;
  }
  return true;
}

}  // namespace

void ComputedAlike::fill(const Command& command) {
  for (const Operand& operand : command.operands()) {
    if (operand.space == Space::kStatic) continue;
    each_run(command, operand, [&](std::int64_t begin, std::int64_t bytes) {
      std::byte* const at = fastest_.base(operand.space) + begin;
      for (std::int64_t i = 0; i < bytes; ++i) {
        state_ = state_ * 1664525 + 1013904223;
        // The high byte of a half word or word: 0x3f or 0xbf.
        at[i] = static_cast<std::byte>(i % 2 == 0 ? state_ >> 24 : 0x3fU | (state_ >> 24 & 0x80U));
      }
      std::memcpy(reference_.base(operand.space) + begin, at, static_cast<std::size_t>(bytes));
    });
  }
}

void ComputedAlike::expect(const Command& command) {
  if (!is_small(command)) return;
  fill(command);
  const bool makes_sense = computed(command, fastest_, ImplementationChoice::kFastest);
  EXPECT_EQ(computed(command, reference_, ImplementationChoice::kReference), makes_sense);
  for (const Operand& operand : command.operands()) {
    if (!operand.writes() || !makes_sense) continue;
    each_run(command, operand, [&](std::int64_t begin, std::int64_t bytes) {
      EXPECT_EQ(
          std::memcmp(fastest_.base(operand.space) + begin, reference_.base(operand.space) + begin,
                      static_cast<std::size_t>(bytes)),
          0)
          << command.op->name() << ": " << operand.name() << " at " << begin;
    });
  }
}

}  // namespace tensorlane
