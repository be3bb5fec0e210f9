#include "tensorlane/differential/call_generator.h"

#include <algorithm>
#include <utility>

#include "tensorlane/differential/operand_places.h"
#include "tensorlane/differential/operand_strides.h"

namespace tensorlane::differential {
namespace {

constexpr int kAttempts = 60, kRepairs = 120;

bool is_enforced(const Limit& limit) {
  return !limit.about_data() &&
         (limit.breach() == Breach::kRefused || limit.breach() == Breach::kOnRequest);
}

// A table of coefficients, say.
bool has_fixed_shape(const Command& command, const Operand& operand) {
  const auto compiled =
      std::ranges::find(command.op->operands(), operand.spec, &Op::CompiledOperand::spec);
  return std::ranges::all_of(compiled->shape, [](const Expression& e) { return e.is_constant(); });
}

bool within(const Command& command, const CallBudget& budget) {
  std::int64_t elements = 0, bytes = 0;
  for (const Operand& operand : command.operands()) {
    if (operand.space == Space::kStatic || has_fixed_shape(command, operand)) continue;
    elements += operand.layout.size();
    if (operand.layout.space() != AddressSpace::kLocal) continue;
    const Layout::Bounds at = operand.layout.npu_offset_bounds();
    bytes += at.end - at.begin;
  }
  return elements <= 4 * budget.elements && bytes <= budget.local_bytes &&
         operations_of(command) <= budget.operations;
}

}  // namespace

bool decode_legal(const Call& call, Command& command) {
  try {
    decode(*call.op, call.args, call.front_end->chip, false, command);
    return true;
  } catch (const IllegalCall&) {
    return false;
  }
}

double operations_of(const Command& command) {
  const CommandFigure& operations = command.op->spec().operations;
  if (operations != nullptr) return operations(command, command.chip->timing);
  double elements = 0;
  for (const Operand& operand : command.operands())
    elements += static_cast<double>(operand.layout.size());
  return elements;
}

// A call in the making.
struct CallGenerator::Attempt {
  CallGenerator& maker;
  const CallBudget& budget;
  Random& random;
  Call call;
  bool tame = false;

  const Op& op() const { return maker.op_; }
  const Chip& chip() const { return maker.front_end_.chip; }
  Environment environment() const { return {call.args, &chip(), false}; }

  void redraw(std::size_t k) {
    Arg& arg = call.args[k];
    if (const int at = maker.operand_of_stride_[k]; at >= 0) {
      const Op::CompiledOperand& operand = op().operands()[static_cast<std::size_t>(at)];
      arg = draw_stride(op(), operand, environment(), tame, random);
      return;
    }
    const bool is_place = maker.operand_of_address_[k] >= 0;
    if (!is_place || arg_type(maker.values_.type(k)).kind == ArgKind::kValueOrAddress)
      arg = maker.values_.draw(k, budget.elements, tame, random);
    if (maker.values_.name(k).starts_with("kernel") && !tame && random.chance(6)) cover_input(k);
    if (maker.values_.is_shape(k) && random.chance(2)) take_elements_of_another(k);
    if (is_place) put_apart(op(), maker.operand_of_address_[k], chip(), tame, random, call.args);
  }

  // A kernel as large as the tensor it slides over.
  void cover_input(std::size_t k) {
    const auto shape = std::ranges::find_if(
        op().params(), [](const Param& param) { return param.name.ends_with("shape"); });
    if (shape == op().params().end()) return;
    const Arg& input = call.args[static_cast<std::size_t>(shape - op().params().begin())];
    const std::array<std::int64_t, 2> extents{std::clamp<std::int64_t>(input.field[2], 1, 40),
                                              std::clamp<std::int64_t>(input.field[3], 1, 40)};
    if (maker.values_.type(k) == "const dim2*") {
      std::copy(extents.begin(), extents.end(), call.args[k].field.begin());
    } else if (maker.values_.type(k) == "int") {
      call.args[k] =
          maker.front_end_.argument("int", extents[maker.values_.name(k).ends_with("w")], 0);
    }
  }

  // Two shapes often have to hold the same elements.
  void take_elements_of_another(std::size_t k) {
    for (std::size_t other = 0; other < call.args.size(); ++other) {
      if (other == k || !maker.values_.is_shape(other)) continue;
      std::array<std::int64_t, 4> extents{};
      std::copy_n(call.args[other].field.begin(), 4, extents.begin());
      std::swap(extents[random.index(4)], extents[random.index(4)]);
      if (random.chance(3)) {
        std::int64_t &from = extents[random.index(4)], &to = extents[random.index(4)];
        if (&from != &to) to *= std::exchange(from, 1);
      }
      std::copy(extents.begin(), extents.end(), call.args[k].field.begin());
    }
  }

  // Draws arguments anew until no limit is broken.
  bool settle() {
    std::vector<const Limit*> broken;
    for (int round = 0; round < kRepairs; ++round) {
      broken.clear();
      for (const Limit& limit : op().limits()) {
        if (is_enforced(limit) && limit.is_broken(environment())) broken.push_back(&limit);
      }
      if (broken.empty()) return true;
      if (round > kRepairs / 2) tame = true;
      const Limit& limit = *broken[random.index(broken.size())];
      std::vector<std::size_t> named;
      for (std::size_t k = 0; k < call.args.size(); ++k) {
        if ((limit.inputs() & input_of(static_cast<int>(k))) != 0) named.push_back(k);
      }
      if (named.empty()) return false;
      redraw(named[random.index(named.size())]);
    }
    return false;
  }

  bool make() {
    call = {&maker.front_end_, &maker.op_, std::vector<Arg>(op().params().size())};
    // Shapes before the strides that follow from them, places last.
    for (std::size_t k = 0; k < call.args.size(); ++k) {
      if (maker.operand_of_stride_[k] < 0) redraw(k);
    }
    for (std::size_t k = 0; k < call.args.size(); ++k) {
      if (maker.operand_of_stride_[k] >= 0) redraw(k);
    }
    for (std::size_t k = 0; k < call.args.size(); ++k) {
      if (maker.operand_of_address_[k] >= 0) redraw(k);
    }
    return settle() && place();
  }

  // From places far apart to those that the call has.
  bool place() {
    Command command;
    if (!decode_legal(call, command) || !within(command, budget)) return false;
    const std::vector<Arg> far = call.args;
    for (int tries = 0; tries < 6; ++tries) {
      call.args = far;
      place_operands(command,
                     {.odd = tries < 4 && random.chance(2),
                      .meet = !budget.apart && tries < 4 && random.chance(2)},
                     random, call.args);
      Command placed;
      if (decode_legal(call, placed)) return true;
    }
    call.args = far;
    return true;
  }
};

CallGenerator::CallGenerator(const FrontEnd& front_end, const Op& op)
    : front_end_(front_end),
      op_(op),
      values_(front_end, op),
      operand_of_address_(op.params().size(), -1),
      operand_of_stride_(op.params().size(), -1) {
  int at = 0;
  for (const Op::CompiledOperand& operand : op.operands()) {
    if (is_place(op, operand)) operand_of_address_[static_cast<std::size_t>(operand.param)] = at;
    if (operand.stride_param >= 0)
      operand_of_stride_[static_cast<std::size_t>(operand.stride_param)] = at;
    ++at;
  }
}

std::optional<Call> CallGenerator::next(const CallBudget& budget, Random& random) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Attempt one{*this, budget, random, {}, random.pick(0, kAttempts) < attempt};
    if (one.make()) return std::move(one.call);
  }
  return std::nullopt;
}

std::optional<Call> CallGenerator::changed(const Call& call, const CallBudget& budget,
                                           Random& random) {
  constexpr int kTries = 12;
  for (int tries = 0; tries < kTries; ++tries) {
    Attempt one{*this, budget, random, call, tries > kTries / 2};
    const std::size_t k = random.index(call.args.size());
    one.redraw(k);
    Command command;
    if (one.call.args[k] != call.args[k] && decode_legal(one.call, command) &&
        within(command, budget))
      return std::move(one.call);
  }
  return std::nullopt;
}

}  // namespace tensorlane::differential
