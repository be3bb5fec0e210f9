// A call of a device function as it is remembered: its place, its operand in words when they are
// asked for.
#ifndef TENSORLANE_TRAIL_CALL_H_
#define TENSORLANE_TRAIL_CALL_H_

#include <compare>
#include <cstdint>
#include <span>
#include <string>

#include "tensorlane/ops/command.h"

namespace tensorlane::trail {

// What is said of an operand, kept until something is said: most calls never are a part of any
// finding.
struct OperandNote {
  const OperandSpec* spec = nullptr;  // null: nothing is said
  const Chip* chip = nullptr;
  Role role = Role::kIn;
  Space space = Space::kLocal;
  Dtype dtype = Dtype::kX8;
  DefaultLayout layout = DefaultLayout::kAligned;
  bool strided = false;  // by `stride`; else as the storage or `layout` has it
  int rank = 0;
  Layout::Index extents = {};
  Stride4 stride = {};
  std::uint64_t address = 0;    // as the kernel wrote it
  std::int64_t first_byte = 0;  // in its memory

  // "src_addr: input, shape 2x64x4x10 fp32, aligned, local memory NPU 0 offset 0x400"; empty for
  // nothing.
  std::string text() const;
  // How its strides come about, by the ops list and the call: "aligned", "4N",
  // "dst_stride = (64, 64, 8, 1)".
  std::string layout_text() const;
};
OperandNote note_of(const Operand& operand, const Command& command);

// A call that something may be said about later.
struct Call {
  const Op* op = nullptr;
  const void* site = nullptr;
  OperandNote operand = {};
  std::span<const void* const> calls = {};  // that led there, `site` first; may be empty
};
[[gnu::hot]] Call call_of(const Command& command, int operand);

// What tells a call apart from others: its line, the calls that led there, the function. Null for
// none.
struct CallKey {
  const void* site = nullptr;
  const void* path = nullptr;  // the same address for the same calls
  const void* function = nullptr;

  CallKey(const void* call_site = nullptr) : site(call_site), path(call_site) {}
  CallKey(const void* call_site, std::span<const void* const> calls, const void* called)
      : site(call_site), path(calls.empty() ? call_site : calls.data()), function(called) {}
  CallKey(const Command& command) : CallKey(command.call_site, command.calls, command.op) {}
  CallKey(const Call& call) : CallKey(call.site, call.calls, call.op) {}
  // What clang-tidy 14 sees is the 0 that the compiler compares with.
  friend auto operator<=>(const CallKey&,
                          const CallKey&) = default;  // NOLINT(modernize-use-nullptr)
};

std::string name_of(const Command& command);

// The two texts of an operand at once.
std::string layout_text(const Operand& operand, const Command& command);
std::string describe_operand(const Operand& operand, const Command& command);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_CALL_H_
