#include "tensorlane/observe/precision/meaning_test_support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tensorlane/compare/compare.h"
#include "tensorlane/device/session.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/precision/operand_values.h"
#include "tensorlane/observe/precision/results.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane::precision {
namespace {

// Numbers that most functions are defined for: 0.25 to 0.9, and small integers.
void fill(const Operand& operand, DeviceMemory& memory, std::mt19937& random) {
  const Dtype dtype = inspect::readable(operand.layout.dtype());
  std::uniform_real_distribution<float> part(0.25F, 0.9F);
  each_element(operand.layout, [&](std::int64_t, std::int64_t offset) {
    const float value =
        dtype_info(dtype).is_float ? part(random) : static_cast<float>(1 + random() % 3);
    std::uint32_t from = 0;
    std::memcpy(&from, &value, sizeof from);
    const std::uint32_t bits = convert_element(from, dtype, Dtype::kFp32);
    std::memcpy(memory.base(operand.space) + offset, &bits,
                static_cast<std::size_t>(dtype_bytes(dtype)));
  });
}

// What rounding may leave between a result and its meaning, of values around 1.
double allowed(Dtype dtype, double value, double terms) {
  if (!dtype_info(dtype).is_float) return 1.01;
  const double step = dtype == Dtype::kBf16 ? 0x1p-8 : dtype == Dtype::kFp16 ? 0x1p-11 : 0x1p-20;
  return step * (16 + terms) * std::max(1.0, std::abs(value));
}

// Functions that are as exact as the caller asks for.
bool is_tunable(const Op& op) {
  return std::ranges::any_of(op.params(), [](const Param& param) {
    return param.name == "num_iter" || param.name == "num_series";
  });
}

// Makes values of others: such an entry should have a meaning.
bool computes(const Op& op) {
  const OpSpec& spec = op.spec();
  bool reads = false, writes = false;
  for (const OperandSpec& operand : spec.operands) {
    reads = reads || operand.role == Role::kIn || operand.role == Role::kInOut;
    writes = writes || operand.role == Role::kOut || operand.role == Role::kInOut;
  }
  return spec.absence == Absence::kNone && op.engine() == Engine::kBdc && reads && writes;
}

}  // namespace

std::vector<const Op*> with_meaning(const OpList& ops) {
  std::vector<const Op*> list;
  for (const Op* op : ops.all()) {
    if (computes(*op) && meaning_of(*op).kind >= Meaning::Kind::kFormula) list.push_back(op);
  }
  return list;
}

std::string without_meaning(const OpList& ops) {
  std::vector<std::string_view> names;
  for (const Op* op : ops.all()) {
    if (computes(*op) && meaning_of(*op).kind == Meaning::Kind::kUnknown)
      names.push_back(op->name());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string meaning_violation(const Command& command, DeviceMemory& memory, unsigned seed) {
  const Meaning meaning = meaning_of(*command.op);
  if (meaning.kind < Meaning::Kind::kFormula) return {};
  std::mt19937 random(seed);
  for (const Operand& operand : command.operands()) {
    if (operand.space == Space::kStatic || dtype_bits(operand.layout.dtype()) < 8) return {};
    fill(operand, memory, random);
  }
  const trail::ShadowMemory none;
  const std::optional<RealResult> made = real_result(command, meaning, memory, none);
  // A constant in place of a tensor, or another padding than 0: no shadow is claimed.
  if (!made) return {};
  double terms = is_tunable(*command.op) ? 0x1p18 : 0;
  for (const Operand& operand : command.operands()) {
    if (meaning.kind != Meaning::Kind::kFormula && &operand != made->operand)
      terms = std::max(
          terms, static_cast<double>(operand.layout.size()) /
                     static_cast<double>(std::max<std::int64_t>(1, operand.layout.extent(0))));
  }
  execute({command, memory.bases()}, ImplementationChoice::kReference);
  const Operand& result = *made->operand;
  const Dtype dtype = inspect::readable(result.layout.dtype());
  const Tensor tensor = inspect::OperandElements(result, memory.base(result.space)).tensor();
  const std::vector<double> got =
      compare::elements_of(dtype, tensor.data, static_cast<std::size_t>(result.layout.size()));
  const DtypeInfo& info = dtype_info(dtype);
  const double most = std::exp2(info.bits - (info.is_signed ? 1 : 0)) - 1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double real = made->of_exact[i];
    // A window of padding alone, constants that are no numbers, results beyond the type.
    if (!std::isfinite(real) || !std::isfinite(got[i])) continue;
    // Saturated, or wrapped at the ends of the type.
    if (!info.is_float && (real > most || real < (info.is_signed ? -most - 1 : 0))) continue;
    if (std::abs(got[i] - real) <= allowed(dtype, real, terms)) continue;
    return fmt::format("element {} is {}, in real numbers {} ({})", i, got[i], real,
                       command.op->doc(Language::kEnglish));
  }
  return {};
}

}  // namespace tensorlane::precision
