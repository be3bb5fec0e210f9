// Copies of the host that meet the bytes of a launch it has not waited for. The emulator waits by
// itself; on the chip nothing orders the two.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kUnawaitedDiagnostics[] = {
    {"TL-SYNC-010", Severity::kError, msg("the host uses memory of a launch it has not waited for"),
     msg("wait for the launch first, with bm_thread_sync, or launch synchronously")},
};

// What a launch reads or writes in global memory; marks are numbers of calls, from 1.
class Used {
 public:
  void add(const CheckedCommand& command, int operand) {
    const CallKey wanted = command.command();
    auto call =
        std::ranges::find_if(calls_, [&](const Call& each) { return CallKey(each) == wanted; });
    if (call == calls_.end()) call = calls_.insert(call, call_of(command.command(), operand));
    const std::vector<Range> bytes = runs(command.bytes(operand));
    map_.assign(bytes, static_cast<Mark>(call - calls_.begin() + 1));
  }
  // Of these bytes those that are used; `call` gets the one that uses the first of them.
  std::vector<Range> among(Range bytes, const Call*& call) const {
    std::vector<Range> found;
    map_.visit(bytes, [&](std::int64_t begin, std::int64_t end, Mark mark) {
      if (mark == kUnwritten) return true;
      if (found.empty()) call = &calls_[mark - 1];
      found.push_back({begin, end});
      return true;
    });
    return found;
  }

 private:
  MarkMap map_;
  std::vector<Call> calls_;
};

class UnawaitedCheck final : public Check {
 public:
  using Check::Check;

  void launch_begin() override {
    if (!facts().asynchronous) return;
    // A host that never waits is told so by what comes first.
    if (launches_.size() == kMost) launches_.pop_front();
    launches_.push_back({facts().scene.launch->first, facts().scene.launch->call_site, {}, {}});
  }
  void command(const CheckedCommand& command) override {
    if (!facts().asynchronous) return;
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      if (operand.space != Space::kGlobal || command.bytes(k).empty()) continue;
      (operand.writes() ? launches_.back().written : launches_.back().read).add(command, k);
    }
  }
  void host_waited(std::uint64_t launches) override {
    while (!launches_.empty() && launches_.front().number < launches) launches_.pop_front();
  }
  void host_read(const HostRead& read) override {
    for (const InFlight& launch : launches_) report(launch, Meeting::kReadOfResult, read.bytes);
  }
  void host_wrote(Range bytes) override {
    for (const InFlight& launch : launches_) {
      report(launch, Meeting::kWriteOfInput, bytes);
      report(launch, Meeting::kWriteOfResult, bytes);
    }
  }

 private:
  static constexpr std::size_t kMost = 64;
  struct InFlight {
    std::uint64_t number;
    const void* call_site;  // of the host's launch
    Used read, written;
  };

  // What the host does to what the launch does.
  enum class Meeting : std::uint8_t { kReadOfResult, kWriteOfInput, kWriteOfResult };

  void report(const InFlight& launch, Meeting meeting, Range bytes) const {
    const bool input = meeting == Meeting::kWriteOfInput;
    const Call* call = nullptr;
    const std::vector<Range> found = (input ? launch.read : launch.written).among(bytes, call);
    if (found.empty()) return;
    const HostCaller& host = facts().scene.host;
    sink().add({"TL-SYNC-010", host.call_site, *call}, [&](Finding& finding) {
      const std::string size = bytes_text(found);
      const std::string_view name = call->op->name();
      finding.message =
          input ? tr("the host overwrites {} that {} reads in launch {}, for which it has not "
                     "waited",
                     size, name, launch.number)
          : meeting == Meeting::kReadOfResult
              ? tr("the host reads {} that {} writes in launch {}, for which it has not waited",
                   size, name, launch.number)
              : tr("the host overwrites {} that {} writes in launch {}, for which it has not "
                   "waited",
                   size, name, launch.number);
      finding.locations.push_back(make_location("host", host));
      finding.locations.push_back(make_location(input ? "reader" : "writer", *call));
      if (launch.call_site != nullptr)
        finding.locations.push_back(make_location("queued", "", launch.call_site));
      finding.regions = describe_bytes(chip(), Space::kGlobal, found);
    });
  }

  std::deque<InFlight> launches_;  // asynchronous ones
};

}  // namespace

CheckParts unawaited_check() {
  return parts_of<UnawaitedCheck>(kUnawaitedDiagnostics);
}

}  // namespace tensorlane::check
