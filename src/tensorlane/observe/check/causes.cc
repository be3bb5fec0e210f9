#include "tensorlane/observe/check/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>

namespace tensorlane::check {
namespace {

// A call and those that led to it, innermost first.
std::vector<const SourcePlace*> frames_of(const FindingLocation& location) {
  std::vector<const SourcePlace*> frames{&location};
  for (const SourcePlace& caller : location.callers) frames.push_back(&caller);
  return frames;
}

}  // namespace

std::vector<const FindingLocation*> calls_of_kernel(const Finding& finding) {
  std::vector<const FindingLocation*> calls;
  for (const FindingLocation& location : finding.locations) {
    if (!finding.kernel.empty() && frames_of(location).back()->function == finding.kernel)
      calls.push_back(&location);
  }
  if (!calls.empty()) return calls;
  for (const FindingLocation& location : finding.locations) {
    if (!location.callers.empty()) calls.push_back(&location);
  }
  return calls;
}

std::string operand_of(std::string_view tensor) {
  return std::string(tensor.substr(
      0, tensor.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_")));
}

namespace {

// Of so many of the outermost callers it makes no difference who they are.
std::size_t indifferent(const Finding& finding) {
  const std::vector<const FindingLocation*> calls = calls_of_kernel(finding);
  if (calls.empty()) return 0;
  if (calls.size() == 1) return finding.of_callers ? 0 : calls.front()->callers.size();
  // They meet in one function: its callers are those that all of the calls have in common.
  std::size_t same = calls.front()->callers.size();
  const std::vector<const SourcePlace*> first = frames_of(*calls.front());
  for (const FindingLocation* const call : calls) {
    const std::vector<const SourcePlace*> frames = frames_of(*call);
    same = std::min(same, frames.size() - 1);
    for (std::size_t k = 0; k < same; ++k) {
      if (frames[frames.size() - 1 - k]->place != first[first.size() - 1 - k]->place) same = k;
    }
  }
  if (same == 0) return 0;
  // Two calls on one line are two all the same.
  const auto* const inside = first[first.size() - 1 - same];
  const bool in_one_function = std::ranges::all_of(calls, [&](const FindingLocation* call) {
    const std::vector<const SourcePlace*> frames = frames_of(*call);
    return frames[frames.size() - 1 - same]->function == inside->function;
  });
  return in_one_function ? same : same - 1;
}

// What is wrong, but for the numbers of one time: addresses, loops.
std::string without_numbers(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) result += c;
  }
  return result;
}

struct Fault {
  std::string here;   // the same for what is one fault when the same callers have it
  std::string alike;  // and when others have it
  std::size_t callers = 0;
};

Fault fault_of(const Finding& finding, std::size_t cause) {
  const std::vector<const FindingLocation*> calls = calls_of_kernel(finding);
  const std::size_t same = indifferent(finding);
  Fault fault;
  fault.callers = same;
  fault.alike = fmt::format("{}\n{}\n{}\n", finding.diagnostic->id, finding.kernel, cause);
  std::string outer;
  for (const FindingLocation& location : finding.locations) {
    fault.alike += fmt::format("{}\n{}\n", location.role, location.call);
    for (const std::string& tensor : location.tensors) fault.alike += operand_of(tensor) + "\n";
    const bool of_kernel = std::ranges::find(calls, &location) != calls.end();
    const std::vector<const SourcePlace*> frames = frames_of(location);
    const std::size_t kept =
        of_kernel ? frames.size() - std::min(same, frames.size() - 1) : frames.size();
    for (std::size_t k = 0; k < frames.size(); ++k)
      (k < kept ? fault.alike : outer) += frames[k]->place + "\n";
  }
  // What the host does is told apart by what is said of it, as are things without a place.
  if (calls.empty()) fault.alike += finding.message;
  fault.here = fault.alike + "\n" + outer;
  if (calls.size() == 1 && !finding.of_callers) {
    std::int64_t bytes = 0;
    for (const FindingRegion& region : finding.regions)
      bytes += (region.end - region.begin) * std::max(1, region.npus);
    fault.alike += fmt::format("{}\n{}", without_numbers(finding.message), bytes);
  }
  return fault;
}

// The callers that make no difference, of the first call of the kernel.
std::vector<SourcePlace> outer_callers(const Finding& finding, std::size_t count) {
  const std::vector<const FindingLocation*> calls = calls_of_kernel(finding);
  if (calls.empty()) return {};
  const std::vector<SourcePlace>& all = calls.front()->callers;
  return {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()};
}

// Outermost first, as a source is read.
bool comes_before(const std::vector<SourcePlace>& a, const std::vector<SourcePlace>& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend(),
                                      [](const SourcePlace& one, const SourcePlace& other) {
                                        return std::tie(one.file, one.line, one.place) <
                                               std::tie(other.file, other.line, other.place);
                                      });
}

// Whether they are of one kernel and host, and no launch lies between them.
bool meet(const FindingLaunches& a, const FindingLaunches& b) {
  return a.device == b.device && a.kernel == b.kernel && a.of_cores == b.of_cores &&
         a.host.place == b.host.place && a.first <= b.last + 1 && b.first <= a.last + 1;
}

void unite(FindingLaunches& to, const FindingLaunches& from) {
  to.first = std::min(to.first, from.first);
  to.last = std::max(to.last, from.last);
  to.count += from.count;
  add_cores(to, from);
}

void add_launches(Finding& to, const Finding& from) {
  std::vector<FindingLaunches>& all = to.launches;
  for (const FindingLaunches& each : from.launches) {
    const auto same =
        std::ranges::find_if(all, [&](const FindingLaunches& known) { return meet(known, each); });
    if (same == all.end()) {
      all.push_back(each);
      continue;
    }
    unite(*same, each);
    // It may have lain between two.
    const auto joins = [&](const FindingLaunches& known) { return meet(*same, known); };
    for (auto next = std::find_if(same + 1, all.end(), joins); next != all.end();
         next = std::find_if(next, all.end(), joins)) {
      unite(*same, *next);
      next = all.erase(next);
    }
  }
}

// One finding of several that are one fault.
Finding united(std::span<Finding* const> members, std::span<const Fault> faults) {
  // With equal callers they are one way to the fault.
  struct Way {
    std::vector<SourcePlace> callers;
    Finding* finding;
    std::uint64_t count;
  };
  std::map<std::string, std::size_t> known;
  std::vector<Way> ways;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const auto [entry, added] = known.try_emplace(faults[k].here, ways.size());
    if (added) ways.push_back({outer_callers(*members[k], faults[k].callers), members[k], 0});
    ways[entry->second].count += members[k]->count;
  }
  const auto first = std::ranges::min_element(
      ways, [](const Way& a, const Way& b) { return comes_before(a.callers, b.callers); });
  Finding result = *first->finding;
  result.count = 0;
  for (const Way& way : ways) result.count += way.count;
  for (Finding* const member : members) {
    if (member != first->finding) add_launches(result, *member);
  }
  for (const Way& way : ways) {
    if (&way != &*first) result.other_callers.push_back({way.callers, way.count});
  }
  std::ranges::sort(result.other_callers, [](const OtherCallers& a, const OtherCallers& b) {
    return comes_before(a.callers, b.callers);
  });
  return result;
}

}  // namespace

std::vector<Finding> by_cause(std::vector<Finding> found, std::vector<std::size_t>* places) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const std::vector<std::optional<std::size_t>> causes = causes_of(found);
  // From causes to what follows, so that each knows the fault that its cause is a part of.
  std::vector<std::size_t> fault_numbers(found.size(), kNone);
  std::vector<std::vector<std::size_t>> members;  // of the faults
  std::vector<std::size_t> roots;                 // a fault that follows from none: kNone
  std::vector<Fault> faults(found.size());
  std::map<std::string, std::size_t> alike;
  const auto root_of = [&](std::size_t k) {
    while (causes[k]) k = *causes[k];
    return k;
  };
  for (const bool follows : {false, true}) {
    // What the same callers have is one; then what others have alike.
    std::map<std::string, std::string> joined;
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (causes[k].has_value() != follows) continue;
      const std::size_t root = follows ? fault_numbers[root_of(k)] : kNone;
      faults[k] = fault_of(found[k], root);
      const auto& name = joined.try_emplace(faults[k].here, faults[k].alike).first->second;
      const auto [entry, added] = alike.try_emplace(name, members.size());
      if (added) {
        members.emplace_back();
        roots.push_back(root);
      }
      fault_numbers[k] = entry->second;
      members[entry->second].push_back(k);
    }
  }
  // In order of appearance, what follows behind its cause.
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t fault) {
    const std::size_t first = members[fault].front();
    return roots[fault] == kNone ? std::tuple(first, false, first)
                                 : std::tuple(members[roots[fault]].front(), true, first);
  });
  std::vector<std::size_t> at(members.size());
  for (std::size_t k = 0; k < order.size(); ++k) at[order[k]] = k;

  std::vector<Finding> result;
  for (const std::size_t fault : order) {
    std::vector<Finding*> of_fault;
    std::vector<Fault> their;
    for (const std::size_t k : members[fault]) {
      of_fault.push_back(&found[k]);
      their.push_back(faults[k]);
    }
    result.push_back(united(of_fault, their));
    result.back().cause.reset();
    if (roots[fault] == kNone) continue;
    result.back().cause = at[roots[fault]];
    result.back().cause_id = found[members[roots[fault]].front()].diagnostic->id;
  }
  if (places != nullptr) {
    places->clear();
    for (const std::size_t fault : fault_numbers) places->push_back(at[fault]);
  }
  return result;
}

}  // namespace tensorlane::check
