#include "tensorlane/observe/precision/meaning_test_support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tensorlane/compare/compare.h"
#include "tensorlane/device/session.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/precision/operand_values.h"
#include "tensorlane/observe/precision/reduction.h"
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

// Numbers of any size, at times one that is none.
std::vector<double> any_numbers(std::int64_t count, std::mt19937& random) {
  std::vector<double> numbers;
  std::uniform_real_distribution<double> any(-4, 4);
  for (std::int64_t i = 0; i < count; ++i)
    numbers.push_back(random() % 4096 == 0 ? std::numeric_limits<double>::infinity() : any(random));
  return numbers;
}

// Both ways to make the sums of a command give the same bits.
std::string dense_sums_violation(const Command& command, const Operand& result,
                                 const Meaning& meaning, std::mt19937& random) {
  std::vector<const Operand*> factors;
  std::vector<std::vector<double>> values;
  for (const Operand& operand : command.operands()) {
    if (operand.role != Role::kIn || operand.spec->added || &operand == &result) continue;
    factors.push_back(&operand);
    values.push_back(any_numbers(operand.layout.size(), random));
  }
  if (factors.empty() || factors.size() > 2) return {};
  const Reduction reduction(command, factors, result, meaning.rotated);
  const double* const second = factors.size() < 2 ? nullptr : values[1].data();
  std::vector<double> by_rows = any_numbers(result.layout.size(), random), densely = by_rows;
  const std::vector<double> before = by_rows;
  reduction.sum_by_rows(values[0].data(), second, by_rows.data());
  const bool taken = reduction.sum_densely(values[0].data(), second, densely.data());
  const std::vector<double>& want = taken ? by_rows : before;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (densely[i] == want[i] || (std::isnan(densely[i]) && std::isnan(want[i]))) continue;
    return fmt::format("sum {} of {} is {} by dense matrices, {} by rows", i, want.size(),
                       densely[i], want[i]);
  }
  return {};
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
  if (meaning.kind == Meaning::Kind::kProducts || meaning.kind == Meaning::Kind::kMean) {
    std::string found = dense_sums_violation(command, *made->operand, meaning, random);
    if (!found.empty()) return found;
  }
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
