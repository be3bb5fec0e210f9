#include "tensorlane/differential/operand_places.h"

#include <algorithm>

namespace tensorlane::differential {
namespace {

constexpr std::int64_t kApart = 8192;  // from one slot to the next, in an NPU

std::size_t field_of(const ArgType& type) {
  return type.kind == ArgKind::kValueOrAddress ? kAddressField : 0;
}

const ArgType& type_of(const Op& op, const Op::CompiledOperand& operand) {
  return *op.types()[static_cast<std::size_t>(operand.param)];
}

std::int64_t& place_of(const Op& op, const Op::CompiledOperand& operand, std::vector<Arg>& args) {
  return args[static_cast<std::size_t>(operand.param)].field[field_of(type_of(op, operand))];
}

const Op::CompiledOperand& compiled_of(const Op& op, const Operand& operand) {
  return *std::ranges::find(op.operands(), operand.spec, &Op::CompiledOperand::spec);
}

bool is_used(const Op::CompiledOperand& operand, const Environment& environment) {
  return operand.used_if.empty() || operand.used_if.evaluate(environment).value_or(0) != 0;
}

// Of the used operand behind the same parameter: an index may lie in either memory.
bool is_local(const Op& op, const Op::CompiledOperand& operand, const Environment& environment) {
  for (const Op::CompiledOperand& other : op.operands()) {
    if (other.param == operand.param && is_used(other, environment))
      return other.spec->memory == MemoryKind::kLocal;
  }
  return operand.spec->memory == MemoryKind::kLocal;
}

// The bytes an operand covers: in an NPU, or of its memory.
Layout::Bounds reach(const Operand& operand) {
  return operand.layout.space() == AddressSpace::kLocal ? operand.layout.npu_offset_bounds()
                                                        : operand.layout.bounds();
}

// How far the place of an operand moves.
class Mover {
 public:
  Mover(const Command& command, const PlaceOptions& options, Random& random, std::vector<Arg>& args)
      : command_(command), op_(*command.op), options_(options), random_(random), args_(args) {}

  void pack() {
    std::int64_t local = random_.chance(2) ? 0 : 64 * random_.pick(0, 40), system = 0;
    // All at odd places, or one: many functions let but one of theirs lie anywhere.
    const Operand* const odd_one =
        random_.chance(2) ? nullptr
                          : &command_.operands()[random_.index(command_.operands().size())];
    for (const Operand& operand : command_.operands()) {
      if (operand.space == Space::kStatic) continue;
      const Op::CompiledOperand& compiled = compiled_of(op_, operand);
      if (!is_place(op_, compiled)) continue;
      const Layout::Bounds at = reach(operand);
      std::int64_t& place = place_of(op_, compiled, args_);
      const bool in_npu = operand.layout.space() == AddressSpace::kLocal;
      std::int64_t& next = in_npu ? local : system;
      std::int64_t begin = align(next) + 128 * random_.pick(0, 2);
      if (options_.odd && (odd_one == nullptr || odd_one == &operand))
        begin += dtype_bytes(operand.layout.dtype()) * (2 * random_.pick(0, 20) + 1);
      const std::int64_t base =
          in_npu ? place % command_.chip->local.npu_bytes : operand.layout.base();
      // What lies before the first element, with steps backwards.
      const std::int64_t before = align(base - at.begin);
      place += begin + before - base;
      next = begin + before + at.end - base + 1;
    }
    choose_memory();
    if (options_.meet) meet();
  }

 private:
  static std::int64_t align(std::int64_t bytes) { return (bytes + 127) / 128 * 128; }

  // System memory is global as a rule; now and then L2, or local memory by its system addresses.
  void choose_memory() {
    if (!random_.chance(12)) return;
    const Chip& chip = *command_.chip;
    const auto begin = [&](Space space) {
      return static_cast<std::int64_t>(chip.region(space).begin);
    };
    const std::int64_t high = chip.local.npu_bytes / 4 * 3;  // above all that lies in NPUs
    const std::int64_t local =
        begin(Space::kLocal) + high + chip.local.npu_bytes * random_.pick(0, 62);
    const std::int64_t to = random_.chance(3) ? local : begin(Space::kL2);
    for (const Operand& operand : command_.operands()) {
      if (operand.space != Space::kGlobal) continue;
      const Op::CompiledOperand& compiled = compiled_of(op_, operand);
      if (is_place(op_, compiled) && random_.chance(2))
        place_of(op_, compiled, args_) += to - begin(Space::kGlobal);
    }
  }

  // One operand goes where another is, or beside it.
  void meet() {
    const auto operands = command_.operands();
    if (operands.size() < 2) return;
    const std::size_t one = random_.chance(2) ? 0 : random_.index(operands.size());
    std::size_t other = random_.index(operands.size() - 1);
    other += other >= one ? 1 : 0;
    const Operand &to = operands[one], &from = operands[other];
    const Op::CompiledOperand &a = compiled_of(op_, to), &b = compiled_of(op_, from);
    if (to.layout.space() != from.layout.space() || to.space != from.space || !is_place(op_, a) ||
        !is_place(op_, b) || a.param == b.param)
      return;
    std::int64_t& place = place_of(op_, a, args_);
    place = place_of(op_, b, args_) + shift(to);
    if (a.stride_param >= 0 && b.stride_param >= 0 && random_.chance(2))
      args_[static_cast<std::size_t>(a.stride_param)] =
          args_[static_cast<std::size_t>(b.stride_param)];
  }

  std::int64_t shift(const Operand& operand) {
    const std::int64_t unit = dtype_bytes(operand.layout.dtype());
    const std::int64_t sign = random_.chance(2) ? 1 : -1;
    switch (random_.pick(0, 7)) {
      case 0:
        return sign * unit * random_.pick(1, 8);
      case 1:
        return sign * 64 * random_.pick(1, 3);
      case 2:
        return sign * unit * random_.pick(1, 130);
      case 3:
        return operand.space == Space::kLocal
                   ? sign * command_.chip->local.npu_bytes * random_.pick(1, 3)
                   : sign * 4 * random_.pick(1, 64);
      default:
        return 0;
    }
  }

  const Command& command_;
  const Op& op_;
  const PlaceOptions options_;
  Random& random_;
  std::vector<Arg>& args_;
};

}  // namespace

bool is_place(const Op& op, const Op::CompiledOperand& operand) {
  if (operand.spec->memory == MemoryKind::kStatic) return false;
  const ArgType& type = type_of(op, operand);
  return type.kind == ArgKind::kLocalAddress || type.kind == ArgKind::kSystemAddress ||
         type.kind == ArgKind::kValueOrAddress || type.spelling == "var_context_t";
}

void put_apart(const Op& op, int at, const Chip& chip, bool tame, Random& random,
               std::vector<Arg>& args) {
  const Op::CompiledOperand& operand = op.operands()[static_cast<std::size_t>(at)];
  const Environment environment{args, &chip, false};
  Arg& arg = args[static_cast<std::size_t>(operand.param)];
  const ArgType& type = type_of(op, operand);
  if (type.kind == ArgKind::kValueOrAddress && !arg.is_address()) return;
  if (type.spelling == "var_context_t" && !is_used(operand, environment)) return;
  std::int64_t& place = arg.field[field_of(type)];
  if (!is_local(op, operand, environment)) {
    place = static_cast<std::int64_t>(chip.region(Space::kGlobal).begin) + (at + 1) * (1 << 20);
    return;
  }
  const Op::CompiledOperand& first = op.operands().front();
  std::int64_t npu = random.chance(2) ? 0 : random.pick_of<std::int64_t>({1, 3, 7, 31, 62, 63});
  if (at > 0 && first.spec->memory == MemoryKind::kLocal && is_place(op, first) &&
      (tame || !random.chance(4)))
    npu = place_of(op, first, args) / chip.local.npu_bytes;
  if (tame && random.chance(2)) npu = 0;
  npu = std::min<std::int64_t>(npu, chip.local.npus - 1);
  place = npu * chip.local.npu_bytes + chip.local.npu_bytes / 2 + (at - 4) * kApart;
}

void place_operands(const Command& command, const PlaceOptions& options, Random& random,
                    std::vector<Arg>& args) {
  Mover(command, options, random, args).pack();
}

}  // namespace tensorlane::differential
