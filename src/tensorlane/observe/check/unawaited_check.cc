// Copies and frees of the host, and launches of other handles, that meet the bytes of a launch that
// the host has not waited for. The emulator waits by itself; on the chip nothing orders the two.
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
    {"TL-SYNC-011", Severity::kError,
     msg("launches of two handles use the same memory, and nothing orders them"),
     msg("launch both with one handle, or wait for the first with its own handle: bm_thread_sync "
         "waits for the launches of the handle that it is given")},
    {"TL-SYNC-012", Severity::kError,
     msg("the host frees memory of a launch it has not waited for"),
     msg("wait for the launch before the memory is freed, with bm_thread_sync")},
};

// What a launch reads or writes in global memory; marks are numbers of calls, from 1.
class Used {
 public:
  void add(const trail::CheckedCommand& command, int operand) {
    const trail::CallKey wanted = command.command();
    auto call = std::ranges::find_if(
        calls_, [&](const trail::Call& each) { return trail::CallKey(each) == wanted; });
    if (call == calls_.end())
      call = calls_.insert(call, trail::call_of(command.command(), operand));
    const std::vector<trail::Range> bytes = runs(command.bytes(operand));
    map_.assign(bytes, static_cast<trail::Mark>(call - calls_.begin() + 1));
  }
  // Of these bytes those that are used; `call` gets the one that uses the first of them.
  std::vector<trail::Range> among(trail::Range bytes, const trail::Call*& call) const {
    std::vector<trail::Range> found;
    map_.visit(bytes, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
      if (mark == trail::kUnwritten) return true;
      if (found.empty()) call = &calls_[mark - 1];
      found.push_back({begin, end});
      return true;
    });
    return found;
  }
  // The first of these bytes that is used.
  std::vector<trail::Range> among(const trail::Footprint& bytes, const trail::Call*& call) const {
    std::vector<trail::Range> found;
    if (calls_.empty()) return found;
    for (const trail::Range run : runs(bytes)) {
      const trail::Call* first = nullptr;
      const std::vector<trail::Range> here = among(run, first);
      if (found.empty()) call = first;
      found.insert(found.end(), here.begin(), here.end());
    }
    return found;
  }
  void forget(trail::Range bytes) { map_.assign(bytes, trail::kUnwritten); }

 private:
  trail::MarkMap map_;
  std::vector<trail::Call> calls_;
};

class UnawaitedCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override {
    if (!facts().asynchronous) return;
    // A host that never waits is told so by what comes first.
    if (launches_.size() == kMost) launches_.pop_front();
    launches_.push_back({facts().scene.launch->first, facts().scene.launch->call_site, {}, {}});
  }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    if (!facts().asynchronous && facts().beside.empty()) return;
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      if (operand.space != Space::kGlobal || command.bytes(k).empty()) continue;
      for (const InFlight& launch : launches_) {
        if (std::ranges::binary_search(facts().beside, launch.number)) report(launch, command, k);
      }
      if (!facts().asynchronous) continue;
      (operand.writes() ? launches_.back().written : launches_.back().read).add(command, k);
    }
  }
  void host_waited(std::span<const std::uint64_t> except) override {
    std::erase_if(launches_, [&](const InFlight& launch) {
      return !std::ranges::binary_search(except, launch.number);
    });
  }
  void host_read(const HostRead& read) override {
    for (InFlight& launch : launches_) report(launch, Meeting::kReadOfResult, read.bytes);
  }
  void host_wrote(trail::Range bytes) override {
    for (InFlight& launch : launches_) {
      report(launch, Meeting::kWriteOfInput, bytes);
      report(launch, Meeting::kWriteOfResult, bytes);
    }
  }

  void freed(const MemoryBounds::Block& block) override {
    for (InFlight& launch : launches_) {
      if (!launch.told) report(launch, block);
      // What becomes of the memory afterwards follows from that.
      launch.read.forget(block.bytes);
      launch.written.forget(block.bytes);
    }
  }

 private:
  static constexpr std::size_t kMost = 64;
  struct InFlight {
    std::uint64_t number;
    const void* call_site;  // of the host's launch
    Used read, written;
    bool told = false;  // that nobody waits for it: one reason for all that follows
  };

  // What the host does to what the launch does.
  enum class Meeting : std::uint8_t { kReadOfResult, kWriteOfInput, kWriteOfResult };

  void report(InFlight& launch, Meeting meeting, trail::Range bytes) const {
    const bool input = meeting == Meeting::kWriteOfInput;
    const trail::Call* call = nullptr;
    const std::vector<trail::Range> found =
        (input ? launch.read : launch.written).among(bytes, call);
    if (found.empty()) return;
    launch.told = true;
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
      add_launch(launch, finding);
      finding.regions = describe_bytes(chip(), Space::kGlobal, found);
    });
  }

  // A launch of another handle.
  void report(const InFlight& launch, const trail::CheckedCommand& command, int at) const {
    const bool writes = command.operand(at).writes();
    const trail::Call* call = nullptr;
    std::vector<trail::Range> found = launch.written.among(command.bytes(at), call);
    const bool of_written = !found.empty();
    if (!of_written && writes) found = launch.read.among(command.bytes(at), call);
    if (found.empty()) return;
    const void* const site = command.command().call_site;
    sink().add({"TL-SYNC-011", site, call->site, at}, [&](Finding& finding) {
      const std::string size = bytes_text(found), name = trail::name_of(command.command());
      const std::string_view other = call->op->name();
      finding.message =
          !of_written
              ? tr("{} writes {} that {} reads in launch {} of another handle, for which the host "
                   "has not waited",
                   name, size, other, launch.number)
          : writes ? tr("{} writes {} that {} writes in launch {} of another handle, for which the "
                        "host has not waited",
                        name, size, other, launch.number)
                   : tr("{} reads {} that {} writes in launch {} of another handle, for which the "
                        "host has not waited",
                        name, size, other, launch.number);
      finding.locations.push_back(
          make_location(writes ? msg("writer") : msg("reader"), command.command(), {at}));
      finding.locations.push_back(make_location(of_written ? msg("writer") : msg("reader"), *call));
      add_launch(launch, finding);
      finding.regions = describe_bytes(chip(), Space::kGlobal, found);
    });
  }

  void report(InFlight& launch, const MemoryBounds::Block& block) const {
    const trail::Call* call = nullptr;
    std::vector<trail::Range> found = launch.written.among(block.bytes, call);
    const bool written = !found.empty();
    if (!written) found = launch.read.among(block.bytes, call);
    if (found.empty()) return;
    launch.told = true;
    sink().add({"TL-SYNC-012", block.freed.call_site, call->site, 0}, [&](Finding& finding) {
      const std::string size = bytes_text(found);
      const std::string_view name = call->op->name();
      finding.message =
          written ? tr("the host frees {} that {} writes in launch {}, for which it has not waited",
                       size, name, launch.number)
                  : tr("the host frees {} that {} reads in launch {}, for which it has not waited",
                       size, name, launch.number);
      finding.locations.push_back(make_location("host", block.freed));
      finding.locations.push_back(make_location(written ? msg("writer") : msg("reader"), *call));
      add_launch(launch, finding);
      if (block.made.call_site != nullptr)
        finding.locations.push_back(make_location("made", block.made));
      finding.regions = describe_bytes(chip(), Space::kGlobal, found);
    });
  }

  static void add_launch(const InFlight& launch, Finding& finding) {
    if (launch.call_site != nullptr)
      finding.locations.push_back(make_location("queued", "", launch.call_site));
  }

  std::deque<InFlight> launches_;  // asynchronous ones
};

}  // namespace

CheckParts unawaited_check() {
  return parts_of<UnawaitedCheck>(kUnawaitedDiagnostics);
}

}  // namespace tensorlane::check
