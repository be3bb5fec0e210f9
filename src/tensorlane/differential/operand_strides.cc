#include "tensorlane/differential/operand_strides.h"

#include <algorithm>
#include <array>

#include "tensorlane/layout/local.h"

namespace tensorlane::differential {
namespace {

using Four = std::array<std::int64_t, 4>;

Four extents_of(const Op::CompiledOperand& operand, const Environment& environment,
                Random& random) {
  Four extents{1, 1, 1, 1};
  for (std::size_t d = 0; d < operand.shape.size() && d < 4; ++d)
    extents[d] = operand.shape[d].evaluate(environment).value_or(1);
  const std::int64_t npus = environment.chip->local.npus;
  if (operand.spec->storage == Storage::kPacked) extents[0] = ceil_div(extents[0], 2);
  if (operand.spec->storage == Storage::k2IC) extents[0] = ceil_div(extents[0], 2);
  if (operand.spec->memory == MemoryKind::kLocal)
    extents[1] =
        random.chance(3) ? ceil_div(extents[1], npus) : ceil_div(extents[1] + npus - 1, npus);
  for (std::int64_t& each : extents) each = std::clamp<std::int64_t>(each, 1, 1 << 20);
  return extents;
}

}  // namespace

Arg draw_stride(const Op& op, const Op::CompiledOperand& operand, const Environment& environment,
                bool tame, Random& random) {
  const OperandSpec& spec = *operand.spec;
  const ArgType& type = *op.types()[static_cast<std::size_t>(operand.stride_param)];
  Arg arg;
  if (spec.layout != DefaultLayout::kRequired && (random.chance(3) || (tame && random.chance(2)))) {
    arg.is_null = true;
    arg.has_value = type.null_default.has_value();
    arg.field.fill(type.null_default.value_or(0));
    return arg;
  }
  const Four extents = extents_of(operand, environment, random);
  std::array<std::size_t, 4> order{3, 2, 1, 0};
  if (!tame && random.chance(4)) {
    for (std::size_t d = 3; d > 0; --d) std::swap(order[d], order[random.index(d + 1)]);
  }
  // The innermost step: dense, as a rule.
  std::int64_t next = !tame && random.chance(4) ? random.pick_of({2, 3, 4, 5, 7, 16, 32}) : 1;
  Four stride{};
  const bool gaps = random.chance(2);
  for (const std::size_t d : order) {
    stride[d] = next;
    next *= extents[d];
    if (gaps && random.chance(2)) next += random.pick(0, 9);
    if (gaps && random.chance(6)) next = align_up(next, random.pick_of({16, 32, 64, 128}));
    if (!tame && random.chance(40)) next += random.pick(100, 2000);
  }
  if (!tame) {
    const bool reads = spec.role == Role::kIn;
    if (random.chance(reads ? 2 : 24)) {  // the same elements again and again, along any axes
      const std::int64_t axes = random.chance(2) ? 1 : random.pick(1, 15);  // W above all
      for (std::size_t d = 0; d < 4; ++d) {
        if ((axes >> d & 1) != 0) stride[3 - d] = 0;
      }
    }
    if (random.chance(16)) stride[random.index(4)] *= -1;
    if (random.chance(24)) {  // whatever it means
      for (std::int64_t& each : stride) each = random.pick(0, 20);
    }
  }
  std::copy(stride.begin(), stride.end(), arg.field.begin());
  return arg;
}

}  // namespace tensorlane::differential
