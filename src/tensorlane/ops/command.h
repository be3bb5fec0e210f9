// One device command, as every tool sees it.
//
// Each call of a device function becomes one Command: which function, on which engine, its operands
// as layouts, its arguments, the parallel region it stands in and the kernel's source line.
// Whatever is said to a user (a diagnostic, a trace slice, a row of a profile) comes from this
// record.
#ifndef TENSORLANE_OPS_COMMAND_H_
#define TENSORLANE_OPS_COMMAND_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/layout/layout.h"
#include "tensorlane/ops/op.h"

namespace tensorlane {

inline constexpr int kMaxOperands = 10;
inline constexpr int kMaxArgs = 32;

struct Operand {
  const OperandSpec* spec = nullptr;
  Role role = Role::kIn;
  Space space = Space::kLocal;
  std::uint64_t address = 0;  // as the kernel wrote it
  Layout layout;              // base and addresses are offsets in the memory `space`

  std::string_view name() const { return spec->param; }
  bool reads() const { return role == Role::kIn || role == Role::kInOut; }
  bool writes() const { return role != Role::kIn; }
  friend bool operator==(const Operand&, const Operand&) = default;
};

// What an implementation worked out of a command's operands and arguments and can use again when
// the same call comes again, such as its loops.
struct Lowering {
  Lowering() = default;
  Lowering(const Lowering&) = delete;
  virtual ~Lowering() = default;
};

// What is known of a call that may come again; see repeated_calls.h. It goes with the call alone: a
// copy of its command, which somebody may change, is that of an unknown call.
class KnownCall {
 public:
  KnownCall() = default;
  KnownCall(const KnownCall&) {}
  KnownCall(KnownCall&&) = default;
  KnownCall& operator=(const KnownCall& other) {
    if (this != &other) *this = KnownCall();
    return *this;
  }
  KnownCall& operator=(KnownCall&&) = default;
  ~KnownCall() = default;

  // Commands with the same number are the same call: entry, chip, arguments, operands, and whether
  // it stands in a region. 0: not known.
  std::uint64_t number() const { return number_; }
  void is_new(std::uint64_t number) {
    *this = KnownCall();
    number_ = number;
  }
  void came_again() { came_again_ = true; }
  // Whether it did, and will probably do so once more.
  bool keeps_coming() const { return came_again_; }

  const Lowering* lowering() const { return lowering_.get(); }
  void keep(std::unique_ptr<Lowering> lowering) { lowering_ = std::move(lowering); }

  // How its operands overlap, where that was found out; kept of known calls alone.
  const std::optional<Overlap>& overlap() const { return overlap_; }
  void keep(Overlap overlap) {
    if (number_ != 0) overlap_ = overlap;
  }

 private:
  std::uint64_t number_ = 0;
  bool came_again_ = false;
  std::optional<Overlap> overlap_;
  std::unique_ptr<Lowering> lowering_;
};

struct Command {
  const Op* op = nullptr;
  const Chip* chip = nullptr;
  std::uint64_t sequence = 0;       // position among the commands of the launch, from 0
  int core = 0;                     // whose it is
  std::int64_t region = -1;         // parallel region, counted per launch; -1: serial
  const void* call_site = nullptr;  // return address in the kernel
  // The calls inside the kernel that led there, innermost first, as return addresses; the first is
  // `call_site`. They live as long as the device. Empty where nobody asked for them.
  std::span<const void* const> calls = {};
  mutable KnownCall known;
  std::vector<Operand> operand_storage;
  std::vector<Arg> arg_storage;

  Engine engine() const { return op->engine(); }
  int operand_count() const { return static_cast<int>(operand_storage.size()); }
  std::span<const Operand> operands() const { return operand_storage; }
  std::span<const Arg> args() const { return arg_storage; }
  // The operand behind address parameter `param`; null when it is absent in this call.
  const Operand* find(std::string_view param) const;
  // By what one of its operands accumulates; see OperandSpec::accumulates_by.
  std::int64_t accumulates_by(const Operand& operand) const;
  // The worst overlap of what it writes with what it reads or writes besides; see dispatch.h.
  Overlap overlap() const;
  // Neighbouring elements of a channel that an NPU handles per step: as many as the widest type
  // leaves room for among the operands as large as the first, the destination. Tables and vectors
  // per channel do not count.
  std::int64_t elements_per_step() const;
  // The argument called `param`.
  const Arg& arg(std::string_view param) const {
    return arg_storage[static_cast<std::size_t>(op->param(param))];
  }
  // A field of an argument, e.g. ("padding", "top"); "" is the value itself.
  std::int64_t value(std::string_view param, std::string_view field = {}) const {
    return op->value(args(), param, field);
  }
};

// Where sources are that lie elsewhere than in their memory, by operand: copies of what they were
// before a result was written over them. Null where they are in it.
using MovedSources = std::array<std::byte*, kMaxOperands>;

// What an implementation gets: the command and where each memory starts on the host.
struct Invocation {
  const Command& command;
  std::array<std::byte*, kSpaces> memory;
  const MovedSources* moved = nullptr;

  std::byte* base(const Operand& operand) const {
    if (moved != nullptr) {
      for (std::size_t k = 0; k < command.operand_storage.size(); ++k) {
        if (command.operand_storage[k].spec == operand.spec && (*moved)[k] != nullptr)
          return (*moved)[k];
      }
    }
    return memory[static_cast<std::size_t>(operand.space)];
  }
  // How the operands overlap as they lie now.
  Overlap overlap() const { return moved != nullptr ? Overlap::kNone : command.overlap(); }
};

// "okk_bdc_add_C", and in lines of their own what is wrong and the rules.
std::string violations_text(std::string_view function, std::span<const Violation> violations);

// A call that breaks limits. what() is violations_text.
class IllegalCall : public UserError {
 public:
  IllegalCall(std::string_view function, std::vector<Violation> violations);
  const std::string& function() const { return function_; }
  const std::vector<Violation>& violations() const { return violations_; }
  // True when all that is wrong is that tensors leave their memories.
  bool about_memory() const;
  // Of the first mistake that one is known of; else empty.
  std::string_view repair() const;

 private:
  std::string function_;
  std::vector<Violation> violations_;
};

// Turns a call into a command: checks every limit of the entry, builds the operands' layouts and
// checks that each stays inside its memory. Throws IllegalCall with everything that is wrong;
// returns the limits that are broken where the call has a meaning all the same, of those that are
// not enforced only under a strict policy. `args` are those of op.params(), in order.
std::vector<Violation> decode(const Op& op, std::span<const Arg> args, const Chip& chip,
                              bool in_parallel_region, Command& out,
                              const LimitPolicy& policy = {});

// Whether `args` make the same call as those of `command`, in the same place among regions.
bool is_same_call(std::span<const Arg> args, const Command& command);
// Turns `command`, a call that broke no limit, into the call of the same entry with `args`, judging
// anew only what depends on arguments that changed and, where `region_changed`, on the region.
// False where a limit is broken or operands come or go: then `command` holds nothing and decode()
// has to say.
bool change_call(std::span<const Arg> args, bool in_parallel_region, bool region_changed,
                 Command& command, const LimitPolicy& policy);

// The preferred conditions that the call misses, and the limits it breaks that are not enforced
// (advice, never an error).
std::vector<Violation> advice(const Command& command);
// How many there are, without their texts.
std::size_t advice_count(const Command& command);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_COMMAND_H_
