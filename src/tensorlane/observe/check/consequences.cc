// Which findings explain which others.
//
// A rule names two kinds of findings and what they have to share: a call of the kernel, an operand
// of one, the bytes, the parallel region. What it asks of places holds for one way of calls:
// another caller's fault explains nothing.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "tensorlane/observe/check/causes.h"

namespace tensorlane::check {
namespace {

enum class Kind : std::uint8_t {
  kArguments,  // that host and kernel do not agree on
  kRegion,     // parallel_start, parallel_end, poll in the wrong place
  kTensor,     // an operand outside its memory, or overlapping
  kLimit,      // a call against a limit
  kRace,
  kUnawaited,  // the processor or the host was too early
  kLaunch,
  kUnwritten,  // a result depends on bytes nobody wrote
  kMissing,    // the host reads bytes nobody wrote
  kInTheWay,   // tensors in each other's way
  kOther,
};

Kind kind_of(std::string_view id) {
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"TL-SYNC-005", Kind::kUnawaited}, {"TL-SYNC-006", Kind::kUnawaited},
      {"TL-SYNC-009", Kind::kUnawaited}, {"TL-SYNC-010", Kind::kUnawaited},
      {"TL-SYNC-011", Kind::kUnawaited}, {"TL-SYNC-012", Kind::kUnawaited},
      {"TL-ARGS-010", Kind::kArguments}, {"TL-ARGS-011", Kind::kArguments},
      {"TL-SYNC-008", Kind::kOther},     {"TL-SYNC-", Kind::kRegion},
      {"TL-MEMORY-007", Kind::kOther},   {"TL-MEMORY-", Kind::kTensor},
      {"TL-ARGS-001", Kind::kLimit},     {"TL-ARGS-002", Kind::kTensor},
      {"TL-ARGS-004", Kind::kTensor},    {"TL-ARGS-007", Kind::kTensor},
      {"TL-RACE-", Kind::kRace},         {"TL-LAUNCH-", Kind::kLaunch},
      {"TL-INIT-004", Kind::kOther},     {"TL-INIT-", Kind::kUnwritten},
      {"TL-COVERAGE-", Kind::kMissing},  {"TL-LINT-001", Kind::kInTheWay},
      {"TL-LINT-006", Kind::kInTheWay},
  };
  const auto* const found =
      std::ranges::find_if(kKinds, [&](const auto& each) { return id.starts_with(each.first); });
  return found == std::end(kKinds) ? Kind::kOther : found->second;
}

// A call that a finding is about, with all that led there.
struct PartOf {
  std::string call;
  std::vector<std::string> operands;
  bool of_kernel = false;
};

std::string name_of(const FindingLocation& location) {
  std::string name = location.call + "\n" + location.place;
  for (const SourcePlace& caller : location.callers) name += "\n" + caller.place;
  return name;
}

struct View {
  const Finding* finding;
  Kind kind;
  std::vector<PartOf> parts;
  // Of two findings that could each follow from the other, the lower is the cause.
  // Equal ones are one finding.
  std::tuple<Severity, Kind, int, std::string_view, std::vector<std::string>> order;
};

// A race of two writes is plain; the reads that suffer from it are more.
int order_of(std::string_view id) {
  return id == "TL-RACE-003" ? 0 : 1;
}

View view_of(const Finding& finding) {
  View view{&finding, kind_of(finding.diagnostic->id), {}, {}};
  std::vector<std::string> places;
  const std::vector<const FindingLocation*> calls = calls_of_kernel(finding);
  for (const FindingLocation& location : finding.locations) {
    // The command before a crash has no part in it, nor has the line that allocates.
    constexpr std::string_view kNoParts[] = {"last", "made", "other", "freed", "queued"};
    if (std::ranges::find(kNoParts, location.role) != std::end(kNoParts)) continue;
    PartOf part{name_of(location), {}, std::ranges::find(calls, &location) != calls.end()};
    for (const std::string& tensor : location.tensors) part.operands.push_back(operand_of(tensor));
    places.push_back(part.call);
    for (const std::string& operand : part.operands) places.back() += "\n" + operand;
    view.parts.push_back(std::move(part));
  }
  view.order = {finding.diagnostic->severity, view.kind, order_of(finding.diagnostic->id),
                finding.diagnostic->id, std::move(places)};
  return view;
}

// What the host reads may come from any launch before.
bool may_follow(const View& cause, const View& other) {
  const bool later = other.kind == Kind::kUnwritten || other.kind == Kind::kMissing;
  return std::ranges::any_of(cause.finding->launches, [&](const FindingLaunches& one) {
    return std::ranges::any_of(other.finding->launches, [&](const FindingLaunches& two) {
      return one.device == two.device && one.first <= two.last && (later || two.first <= one.last);
    });
  });
}

bool share_call(const View& a, const View& b, bool of_host = false) {
  return std::ranges::any_of(a.parts, [&](const PartOf& one) {
    return (one.of_kernel || of_host) && std::ranges::any_of(b.parts, [&](const PartOf& other) {
             return one.call == other.call;
           });
  });
}

bool share_operand(const View& a, const View& b) {
  const auto same = [](const PartOf& one, const PartOf& other) {
    return one.of_kernel && one.call == other.call &&
           (one.operands.empty() || other.operands.empty() ||
            std::ranges::find_first_of(one.operands, other.operands) != one.operands.end());
  };
  return std::ranges::any_of(a.parts, [&](const PartOf& one) {
    return std::ranges::any_of(b.parts, [&](const PartOf& other) { return same(one, other); });
  });
}

bool share_bytes(const Finding& a, const Finding& b) {
  return std::ranges::any_of(a.regions, [&](const FindingRegion& one) {
    return std::ranges::any_of(b.regions, [&](const FindingRegion& other) {
      const bool npus = (one.npus == 0 && other.npus == 0) ||
                        (one.npu < other.npu + other.npus && other.npu < one.npu + one.npus);
      return one.memory == other.memory && npus && one.begin < other.end && other.begin < one.end;
    });
  });
}

bool share_region(const Finding& a, const Finding& b) {
  return !a.region.empty() && a.region == b.region;
}

bool writes(const Finding& finding) {
  return !finding.locations.empty() && finding.locations.front().role == "writer";
}

// No write of a kernel came near what the host reads.
bool nothing_near(const Finding& finding) {
  return std::ranges::none_of(
      finding.locations, [](const FindingLocation& location) { return location.role == "near"; });
}

bool explains(const View& cause, const View& other) {
  const Finding &a = *cause.finding, &b = *other.finding;
  switch (cause.kind) {
    case Kind::kArguments:
      return other.kind != Kind::kArguments && other.kind != Kind::kRegion &&
             other.kind != Kind::kRace && other.kind != Kind::kOther && a.kernel == b.kernel;
    case Kind::kRegion:
      return other.kind == Kind::kRace && share_region(a, b);
    case Kind::kTensor:
      if (other.kind == Kind::kMissing && nothing_near(b)) return writes(a);
      return other.kind != Kind::kRace && other.kind != Kind::kUnawaited &&
             other.kind != Kind::kOther && share_call(cause, other);
    case Kind::kLimit:  // what is computed all the same has its own faults
      return other.kind == Kind::kLaunch && share_call(cause, other);
    case Kind::kRace:
      if (other.kind == Kind::kRace) return share_region(a, b) && share_call(cause, other);
      return (other.kind == Kind::kUnwritten || other.kind == Kind::kInTheWay ||
              other.kind == Kind::kMissing) &&
             share_operand(cause, other);
    case Kind::kUnawaited:
      return (other.kind == Kind::kUnwritten || other.kind == Kind::kMissing) &&
             share_call(cause, other, true);
    case Kind::kUnwritten:
      if (other.kind == Kind::kInTheWay) return share_operand(cause, other);
      return (other.kind == Kind::kUnwritten || other.kind == Kind::kMissing) &&
             (share_bytes(a, b) || (other.kind == Kind::kUnwritten && share_operand(cause, other)));
    case Kind::kMissing:
      return other.kind == Kind::kMissing && share_bytes(a, b);
    default:
      return false;
  }
}

}  // namespace

std::vector<std::optional<std::size_t>> causes_of(const std::vector<Finding>& found) {
  std::vector<View> views;
  for (const Finding& finding : found) views.push_back(view_of(finding));
  std::vector<std::optional<std::size_t>> causes(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    causes[k] = found[k].cause;
    if (causes[k] || found[k].diagnostic->severity == Severity::kAdvice) continue;
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (views[j].order < views[k].order && !found[j].cause &&
          (!causes[k] || views[j].order < views[*causes[k]].order) &&
          may_follow(views[j], views[k]) && explains(views[j], views[k]))
        causes[k] = j;
    }
  }
  return causes;
}

}  // namespace tensorlane::check
