#include "tensorlane/recording/rankings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace tensorlane {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return values[k]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2;
    for (; begin < end; ++begin) result[order[begin]] = mean;
  }
  return result;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// What several sessions measured of the same commands: per session the mean of the logarithms.
using Commands = std::array<std::string, 2>;  // shape, and which of them
using Repeats = std::map<std::string, std::map<Commands, double>>;
Repeats repeats(const BoardRows& rows, const std::function<bool(const BoardRow&)>& counts) {
  std::map<std::string, std::map<Commands, std::vector<double>>> logs;
  std::map<const CommandList*, std::size_t> numbers;
  for (const BoardRow& row : rows.rows) {
    if (row.session.empty() || !counts(row)) continue;
    const std::size_t number =
        numbers.try_emplace(row.commands.get(), numbers.size()).first->second;
    const std::string which =
        std::to_string(number) + " " + std::to_string(row.repeat) + " " + row.part;
    logs[row.session][{row.shape, which}].push_back(std::log(row.time_us));
  }
  Repeats result;
  for (const auto& [session, all] : logs) {
    for (const auto& [commands, each] : all) result[session][commands] = mean_of(each);
  }
  return result;
}

// Calls `act` with what each pair of sessions has of the same commands.
void for_each_pair(
    const Repeats& of,
    const std::function<void(const std::vector<double>&, const std::vector<double>&)>& act) {
  for (auto first = of.begin(); first != of.end(); ++first) {
    for (auto second = std::next(first); second != of.end(); ++second) {
      std::vector<double> a, b;
      for (const auto& [commands, time] : first->second) {
        const auto same = second->second.find(commands);
        if (same == second->second.end()) continue;
        a.push_back(time);
        b.push_back(same->second);
      }
      if (a.size() > 1) act(a, b);
    }
  }
}

// The standard deviation of one measurement, as a share, what a session has more in common taken
// out.
std::optional<double> scatter_of(const Repeats& of) {
  double squares = 0, freedom = 0;
  for_each_pair(of, [&](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> more(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) more[k] = b[k] - a[k];
    const double mean = mean_of(more);
    for (const double each : more) squares += (each - mean) * (each - mean);
    freedom += 2 * static_cast<double>(a.size() - 1);  // both were measured
  });
  return freedom > 0 ? std::optional(std::sqrt(squares / freedom)) : std::nullopt;
}

std::optional<double> between_sessions(const Repeats& of) {
  std::vector<double> all;
  for_each_pair(of, [&](const std::vector<double>& a, const std::vector<double>& b) {
    all.push_back(rank_correlation(a, b));
  });
  return all.empty() ? std::nullopt : std::optional(mean_of(all));
}

// The mean correlation of times with themselves and an error on each; the same in every run.
double repeated(const std::vector<double>& times, const std::vector<double>& deviations) {
  constexpr int kRounds = 4000, kSummed = 12;  // of that many uniform numbers the variance is 1
  std::mt19937_64 random(1);
  double sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> again = times;
    for (std::size_t k = 0; k < again.size(); ++k) {
      double normal = -kSummed / 2.0;
      for (int each = 0; each < kSummed; ++each)
        normal += static_cast<double>(random() >> 11) * 0x1p-53;
      again[k] += deviations[k] * normal;
    }
    sum += rank_correlation(times, again);
  }
  return sum / kRounds;
}

// Per operator and session what commands take longer than in the first session that has them too,
// in the median; 0 where no session does.
std::map<std::array<std::string, 2>, double> session_extra(const BoardRows& rows) {
  std::map<std::array<std::string, 2>, double> result;
  std::set<std::string> operators;
  for (const BoardRow& row : rows.rows) {
    result[{row.op, row.session}] = 0;
    operators.insert(row.op);
  }
  for (const std::string& op : operators) {
    const Repeats of = repeats(rows, [&](const BoardRow& row) { return row.op == op; });
    for (const auto& [session, all] : of) {
      for (const auto& [first, others] : of) {
        std::vector<double> more;
        for (const auto& [commands, time] : all) {
          const auto same = others.find(commands);
          if (same != others.end()) more.push_back(std::exp(time) - std::exp(same->second));
        }
        if (more.empty()) continue;
        std::ranges::sort(more);
        result[{op, session}] = more[more.size() / 2];
        break;
      }
    }
  }
  return result;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xy += (x[k] - mean) * (y[k] - mean);
    xx += (x[k] - mean) * (x[k] - mean);
    yy += (y[k] - mean) * (y[k] - mean);
  }
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

std::vector<Ranking> rankings(const BoardRows& rows, const TimingParameters& issued, int least) {
  struct Times {
    std::vector<double> measured, modelled, as_measured;
  };
  std::map<std::array<std::string, 3>, Times> kernels;
  // Where no session has enough of a kernel, all of them together.
  std::map<std::array<std::string, 3>, int> in_session;
  std::set<std::array<std::string, 2>> by_session;
  for (const BoardRow& row : rows.rows) {
    if (++in_session[{row.op, row.shape, row.session}] >= least)
      by_session.insert({row.op, row.shape});
  }
  const auto extra = session_extra(rows);
  for (const BoardRow& row : rows.rows) {
    const bool apart = by_session.contains({row.op, row.shape});
    Times& times = kernels[{row.op, row.shape, apart ? row.session : ""}];
    times.as_measured.push_back(row.time_us);
    times.measured.push_back(row.time_us - (apart ? 0 : extra.at({row.op, row.session})));
    times.modelled.push_back(row.modelled_us(issued));
  }
  std::vector<Ranking> result;
  for (const auto& [kernel, times] : kernels) {
    const int variants = static_cast<int>(times.measured.size());
    // One list of commands under several names has no order.
    const bool differ =
        std::ranges::adjacent_find(times.modelled, std::not_equal_to()) != times.modelled.end();
    if (variants < least || !differ) continue;
    const auto& [op, shape, session] = kernel;
    Ranking ranking{op, shape, session, variants, rank_correlation(times.measured, times.modelled)};
    ranking.sessions =
        between_sessions(repeats(rows, [&op = op, &shape = shape](const BoardRow& row) {
          return row.op == op && row.shape == shape;
        }));
    if (const auto scatter =
            scatter_of(repeats(rows, [&op = op](const BoardRow& row) { return row.op == op; }))) {
      ranking.scatter = *scatter;
      std::vector<double> deviations = times.as_measured;
      for (double& each : deviations) each *= *scatter * std::sqrt(2.0);
      ranking.repeat = repeated(times.measured, deviations);
    }
    result.push_back(std::move(ranking));
  }
  return result;
}

}  // namespace tensorlane
