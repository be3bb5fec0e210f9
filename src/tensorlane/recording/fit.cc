#include "tensorlane/recording/fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"

namespace tensorlane {
namespace {

using Member = double TimingParameters::*;
using Rows = std::vector<const BoardRow*>;

constexpr double kStep = 0.02;  // of the logarithm of a parameter, for differences
constexpr double kHuber = 0.1;  // residuals beyond count less
// A parameter that is off by a factor of e from its present value counts like a row off by 10 %.
constexpr double kPrior = kHuber * kHuber;
constexpr double kFurthest = 3;  // the logarithm of the factor that a parameter moves at most
constexpr double kKnows = 0.005 / 0.0953;  // 0.5 % of the time per tenth of the parameter

// Solves the symmetric system a x = b, of which only the diagonal may be large.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// A least-squares problem over some rows.
class Problem {
 public:
  Problem(Rows rows, const TimingParameters& start, std::vector<Member> sought)
      : rows_(std::move(rows)), start_(start), sought_(std::move(sought)) {
    std::map<std::string, int> counts;
    for (const BoardRow* row : rows_) ++counts[row->group];
    for (const BoardRow* row : rows_) weights_.push_back(1.0 / counts[row->group]);
  }

  TimingParameters at(const std::vector<double>& x) const {
    TimingParameters parameters = start_;
    for (std::size_t k = 0; k < x.size(); ++k) parameters.*sought_[k] *= std::exp(x[k]);
    return parameters;
  }
  std::vector<double> residuals(const std::vector<double>& x) const {
    const TimingParameters parameters = at(x);
    std::vector<double> result;
    result.reserve(rows_.size());
    for (const BoardRow* row : rows_)
      result.push_back(std::log(row->modelled_us(parameters) / row->time_us));
    return result;
  }
  double loss(const std::vector<double>& x, const std::vector<double>& off) const {
    double sum = 0;
    for (std::size_t r = 0; r < off.size(); ++r) {
      const double size = std::abs(off[r]);
      sum += weights_[r] * (size <= kHuber ? size * size / 2 : kHuber * (size - kHuber / 2));
    }
    for (const double each : x) sum += kPrior * each * each / 2;
    return sum;
  }

  // From `x` on, at most `rounds` steps.
  std::vector<double> minimum(std::vector<double> x, int rounds) const {
    std::vector<double> off = residuals(x);
    double least = loss(x, off), damping = 1e-3;
    for (int round = 0; round < rounds; ++round) {
      const std::vector<std::vector<double>> slopes = jacobian(x, off);
      const double before = least;
      bool better = false;
      for (int attempt = 0; attempt < 8 && !better; ++attempt) {
        std::vector<double> next = step(x, off, slopes, damping);
        std::vector<double> next_off = residuals(next);
        const double value = loss(next, next_off);
        better = value < least;
        if (!better) {
          damping *= 6;
          continue;
        }
        damping = std::max(damping / 4, 1e-6);
        x = std::move(next);
        off = std::move(next_off);
        least = value;
      }
      if (!better || before - least < 1e-6 * before) break;
    }
    return x;
  }

  // d residual of each row / d x.
  std::vector<std::vector<double>> jacobian(const std::vector<double>& x,
                                            const std::vector<double>& off) const {
    std::vector<std::vector<double>> slopes;
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::vector<double> moved = x;
      moved[k] += kStep;
      std::vector<double> there = residuals(moved);
      for (std::size_t r = 0; r < there.size(); ++r) there[r] = (there[r] - off[r]) / kStep;
      slopes.push_back(std::move(there));
    }
    return slopes;
  }

  // The least squares of the rows but those of `group`, the model taken as linear around `x`.
  std::vector<double> minimum_without(const std::string& group, const std::vector<double>& x,
                                      const std::vector<double>& off,
                                      const std::vector<std::vector<double>>& slopes) const {
    Problem others = *this;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r]->group == group) others.weights_[r] = 0;
    }
    std::vector<double> there = x, residual = off;
    for (int round = 0; round < 10; ++round) {
      there = others.step(there, residual, slopes, 0);
      residual = off;
      for (std::size_t k = 0; k < x.size(); ++k) {
        for (std::size_t r = 0; r < off.size(); ++r)
          residual[r] += slopes[k][r] * (there[k] - x[k]);
      }
    }
    return there;
  }

 private:
  std::vector<double> step(const std::vector<double>& x, const std::vector<double>& off,
                           const std::vector<std::vector<double>>& slopes, double damping) const {
    const std::size_t n = x.size();
    std::vector<std::vector<double>> a(n, std::vector<double>(n));
    std::vector<double> b(n);
    for (std::size_t r = 0; r < off.size(); ++r) {
      const double weight = weights_[r] * std::min(1.0, kHuber / std::max(std::abs(off[r]), 1e-12));
      for (std::size_t i = 0; i < n; ++i) {
        b[i] -= weight * slopes[i][r] * off[r];
        for (std::size_t j = 0; j < n; ++j) a[i][j] += weight * slopes[i][r] * slopes[j][r];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      b[i] -= kPrior * x[i];
      a[i][i] = (a[i][i] + kPrior) * (1 + damping);
    }
    std::vector<double> next = solved(std::move(a), std::move(b));
    for (std::size_t i = 0; i < n; ++i) next[i] = std::clamp(x[i] + next[i], -kFurthest, kFurthest);
    return next;
  }

  Rows rows_;
  TimingParameters start_;
  std::vector<Member> sought_;
  std::vector<double> weights_;
};

Rows calibrating(const BoardRows& rows) {
  Rows result;
  for (const BoardRow& row : rows.rows) {
    if (row.calibration) result.push_back(&row);
  }
  if (result.empty()) user_error("no row calibrates: none has \"split\": \"calibration\"");
  return result;
}

// Rows and groups that know of each of these parameters.
std::vector<Support> support(const Rows& rows, const TimingParameters& parameters,
                             const std::vector<Member>& members) {
  const Problem problem(rows, parameters, members);
  const std::vector<double> x(members.size());
  const auto slopes = problem.jacobian(x, problem.residuals(x));
  std::vector<Support> result;
  for (std::size_t k = 0; k < members.size(); ++k) {
    Support each{.value = members[k]};
    std::set<std::string> groups;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (std::abs(slopes[k][r]) < kKnows) continue;
      ++each.rows;
      groups.insert(rows[r]->group);
    }
    each.groups = static_cast<int>(groups.size());
    result.push_back(each);
  }
  return result;
}

// Parameters that the chip has with a source.
std::vector<Member> of_chip(const Chip& chip) {
  std::vector<Member> members;
  for (const TimingParameterRow& row : timing_parameter_rows()) {
    if (chip.timing.*row.value > 0 && chip.source(row.value) != nullptr)
      members.push_back(row.value);
  }
  return members;
}

}  // namespace

std::vector<Support> support_of(const BoardRows& rows) {
  return support(calibrating(rows), rows.chip->timing, of_chip(*rows.chip));
}

std::vector<CycleSupport> cycle_support_of(const BoardRows& rows) {
  constexpr double kTenth = 1.1;
  struct Known {
    const Op* op = nullptr;
    int rows = 0;
    std::set<std::string> groups = {};
  };
  std::map<std::string_view, Known> by_name;
  for (const BoardRow* row : calibrating(rows)) {
    const double us = row->modelled_us(rows.chip->timing);
    for (const Op* op : row->commands->timed_by_cycles()) {
      const double longer_us = row->modelled_us(rows.chip->timing, op);
      if (std::log(longer_us / us) / std::log(kTenth) < kKnows) continue;
      Known& known = by_name[op->name()];
      known.op = op;
      ++known.rows;
      known.groups.insert(row->group);
    }
  }
  std::vector<CycleSupport> result;
  for (const auto& [name, known] : by_name)
    result.push_back({known.op, known.rows, static_cast<int>(known.groups.size())});
  return result;
}

namespace {

// Those that were asked for, or all that a row knows of.
std::vector<Member> members_of(const Rows& rows, const Chip& chip,
                               const std::vector<Member>& sought) {
  if (!sought.empty()) return sought;
  std::vector<Member> members;
  for (const Support& each : support(rows, chip.timing, of_chip(chip))) {
    // Time is the clock times cycles: what is fitted are the cycles.
    if (each.rows > 0 && each.value != &TimingParameters::clock_mhz) members.push_back(each.value);
  }
  return members;
}

Fit around(const Rows& rows, const TimingParameters& start, const std::vector<Member>& members,
           const Problem& problem, const std::vector<double>& x) {
  Fit fit{.parameters = problem.at(x), .found = {}, .rows = {}};
  for (const Support& each : support(rows, fit.parameters, members)) {
    const auto row =
        std::ranges::find(timing_parameter_rows(), each.value, &TimingParameterRow::value);
    const double value = fit.parameters.*each.value;
    fit.found.push_back({.row = &*row,
                         .before = start.*each.value,
                         .fitted = value,
                         .least = value,
                         .largest = value,
                         .rows = each.rows,
                         .groups = each.groups});
  }
  const std::vector<double> off = problem.residuals(x);
  const auto slopes = problem.jacobian(x, off);
  std::map<std::string, TimingParameters> without;
  for (const BoardRow* row : rows) {
    if (without.contains(row->group)) continue;
    const TimingParameters parameters =
        problem.at(problem.minimum_without(row->group, x, off, slopes));
    for (FittedParameter& each : fit.found) {
      each.least = std::min(each.least, parameters.*each.row->value);
      each.largest = std::max(each.largest, parameters.*each.row->value);
    }
    without.emplace(row->group, parameters);
  }
  for (const BoardRow* row : rows)
    fit.rows.push_back(
        {row, row->modelled_us(fit.parameters), row->modelled_us(without.at(row->group))});
  return fit;
}

}  // namespace

Fit fit_parameters(const BoardRows& rows, const std::vector<Member>& sought) {
  const Rows all = calibrating(rows);
  const TimingParameters& start = rows.chip->timing;
  const std::vector<Member> members = members_of(all, *rows.chip, sought);
  const Problem problem(all, start, members);
  const std::vector<double> present(members.size());
  return around(all, start, members, problem, problem.minimum(present, 40));
}

Fit cross_validate(const BoardRows& rows) {
  const Rows all = calibrating(rows);
  const TimingParameters& start = rows.chip->timing;
  const std::vector<Member> members = members_of(all, *rows.chip, {});
  const Problem problem(all, start, members);
  return around(all, start, members, problem, std::vector<double>(members.size()));
}

}  // namespace tensorlane
