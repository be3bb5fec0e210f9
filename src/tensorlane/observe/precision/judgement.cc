// What a line did to its results: what the device computed beside what it should have.
#include <cmath>
#include <utility>

#include "tensorlane/compare/compare.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/precision/precision.h"
#include "tensorlane/tensor/float_format.h"

namespace tensorlane::precision {
namespace {

double least_normal(Dtype dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  return std::ldexp(1.0, info.is_float ? info.format.min_exponent() : kFp32Format.min_exponent());
}

// The numbers that an integer type ends at.
std::pair<double, double> limits_of(Dtype dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  const double most = std::exp2(info.bits - (info.is_signed ? 1 : 0)) - 1;
  return {info.is_signed ? -most - 1 : 0, most};
}

}  // namespace

// A formula that does not say what was computed would blame the line for all of its result.
bool Precision::has_little_to_do(const RealResult& made, std::span<const double> got) const {
  const Dtype dtype = made.operand->layout.dtype();
  const bool integer = !dtype_info(inspect::readable(dtype)).is_float;
  const double step = integer ? 1.5 : least_normal(dtype);
  const auto [least, most] = limits_of(dtype);
  std::size_t judged = 0, off = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double real = made.of_exact[i];
    if (!std::isfinite(got[i]) || !std::isfinite(real)) continue;
    if (integer && (got[i] == least || got[i] == most)) continue;
    ++judged;
    if (std::abs(got[i] - real) > std::max(step, 0.25 * std::abs(real))) ++off;
  }
  return 2 * off > judged;
}

void Precision::judge(const RealResult& made, std::uint16_t line) {
  const Operand& operand = *made.operand;
  const Dtype dtype = inspect::readable(operand.layout.dtype());
  const Tensor tensor = inspect::OperandElements(operand, memory_.base(operand.space)).tensor();
  Numbers got(made.real.size());
  compare::read_elements(dtype, tensor.data, got);
  LineErrors& errors = lines_[line];
  if (dtype_bits(dtype) < 8 || has_little_to_do(made, got)) {
    ++errors.unknown;
    return forget(operand);
  }
  // Row by row, so that the sums do not depend on threads.
  const Rows rows = rows_of(operand.layout);
  std::vector<LineErrors> of_row(rows.offsets.size());
  Shadows shadows(got.size());
  rows.visit([&](std::int64_t row, std::int64_t first, std::int64_t) {
    const auto begin = static_cast<std::size_t>(first);
    judge_row(made, got, begin, line,
              std::span(shadows).subspan(begin, static_cast<std::size_t>(rows.count)),
              of_row[static_cast<std::size_t>(row)]);
  });
  const double values_before = errors.values;
  for (std::size_t row = 0; row < of_row.size(); ++row) {
    errors.add(of_row[row]);
    const auto count = static_cast<std::size_t>(rows.count);
    shadows_.write_row(
        {operand.space, rows.offsets[row], rows.count, rows.step, operand.layout.dtype()},
        std::span(shadows).subspan(row * count, count));
  }
  errors.arrived += made.arrived * made.arrived * (errors.values - values_before);
}

void Precision::judge_row(const RealResult& made, std::span<const double> got, std::size_t begin,
                          std::uint16_t line, std::span<trail::Shadow> shadows,
                          LineErrors& errors) {
  const Dtype dtype = inspect::readable(made.operand->layout.dtype());
  const bool integer = !dtype_info(dtype).is_float;
  const double least = least_normal(dtype);
  const auto [lower, upper] = limits_of(dtype);
  errors.elements += shadows.size();
  for (std::size_t k = 0; k < shadows.size(); ++k) {
    const std::size_t i = begin + k;
    const double exact = got[i], should = made.of_exact[i], real = made.real[i];
    trail::Shadow& shadow = shadows[k];
    shadow = {.value = real, .type = static_cast<std::uint8_t>(static_cast<int>(dtype) + 1)};
    if (!made.blame.empty()) shadow.blame = made.blame[i];
    const double entered = exact - should;
    if (std::isfinite(exact) && std::isfinite(should)) {
      errors.values += should * should;
      errors.entered += entered * entered;
      if (integer && std::abs(entered) > 1 && (exact == lower || exact == upper))
        ++errors.saturated;
      if (!integer && exact == 0 && should != 0 && std::abs(should) < least) ++errors.flushed;
      shadow.blame.add(line, entered);
    } else if (!std::isfinite(exact) && std::isfinite(should)) {
      ++errors.overflows;
      shadow.blame = {};
      shadow.blame.add(line, real == 0 ? 1 : real);
    }
    if (std::isfinite(exact) && std::isfinite(real))
      errors.handed_on += (exact - real) * (exact - real);
    const bool right = exact == real || !std::isfinite(real);
    if (right) shadow.type = 0;
  }
}

void LineErrors::add(const LineErrors& part) {
  elements += part.elements;
  values += part.values;
  entered += part.entered;
  handed_on += part.handed_on;
  overflows += part.overflows;
  flushed += part.flushed;
  saturated += part.saturated;
}

}  // namespace tensorlane::precision
