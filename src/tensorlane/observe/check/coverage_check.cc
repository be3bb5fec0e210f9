// What the host reads back and nobody wrote; see coverage.h.
#include "tensorlane/observe/check/coverage.h"

#include <fmt/format.h>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/trail/global_writes.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kCoverageDiagnostics[] = {
    {"TL-COVERAGE-001", Severity::kError, msg("the host reads bytes nobody wrote"),
     msg("let the kernel write the whole result; look at the last, partial tile first")},
    {"TL-COVERAGE-002", Severity::kAdvice, msg("the host reads back its own bytes from a result"),
     msg("nothing, if the kernel is meant to change only a part of the buffer")},
};

class CoverageCheck final : public Check {
 public:
  explicit CoverageCheck(const CheckSetup& setup)
      : Check(setup), history_(setup.facts.provenance()) {}

  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    for (int k = 0; k < command.size(); ++k) {
      const Operand& operand = command.operand(k);
      if (operand.space != Space::kGlobal || !operand.writes() || command.bytes(k).empty())
        continue;
      const trail::Range bytes = command.bytes(k).bounds();
      if (const auto block = facts().allocations.find(bytes.begin)) {
        writes_.add(trail::CallKey(command.command()).path, block->number, bytes,
                    [&] { return trail::call_of(command.command(), k); });
      }
    }
  }
  void freed(const MemoryBounds::Block& block) override { writes_.forget(block.number); }
  void host_read(const HostRead& read) override {
    const Coverage found =
        coverage(history_.global(), read.bytes, read.block.bytes, trail::Provenance::kHost);
    report("TL-COVERAGE-001", read, found.unwritten, msg("neither the host nor a kernel wrote"));
    report("TL-COVERAGE-002", read, found.stale, msg("it wrote itself; a kernel wrote others"));
  }

 private:
  void report(std::string_view id, const HostRead& read, std::span<const trail::Range> bytes,
              std::string_view why) const {
    if (bytes.empty()) return;
    const MemoryBounds::Block& block = read.block;
    const trail::Call* const nearest = writes_.nearest(block.number, bytes.front());
    const HostCaller &reader = read.caller, &made = block.made;
    // A host that goes through many buffers with one line makes them with one, too: that is one
    // finding, as long as the same line of a kernel is to blame.
    const bool known = reader.call_site != nullptr && made.call_site != nullptr;
    const Report::Key key{
        id, reader.call_site,
        nearest != nullptr ? trail::CallKey(*nearest) : trail::CallKey(made.call_site),
        known ? 0 : static_cast<int>(block.number), facts().missing.cause(block.number)};
    sink().add(key, [&](Finding& finding) {
      const auto begin =
          static_cast<std::int64_t>(space_begin(chip(), Space::kGlobal)) + block.bytes.begin;
      finding.message =
          tr("the host reads {} of the allocation {:#x} of {} that {}", bytes_text(bytes), begin,
             bytes_text(block.bytes.bytes()), translated(why));
      if (reader.call_site != nullptr) finding.locations.push_back(make_location("reader", reader));
      if (nearest != nullptr) {
        finding.locations.push_back(make_location("near", *nearest));
        finding.notes.push_back(
            labelled("near", tr("is the write of a kernel that comes closest")));
      } else if (facts().scene.launch) {
        finding.notes.push_back(labelled("missing", tr("no kernel wrote to this allocation")));
      } else {
        finding.notes.push_back(labelled("missing", tr("no kernel was launched before")));
      }
      if (made.call_site != nullptr) finding.locations.push_back(make_location("made", made));
      finding.regions = describe_bytes(chip(), Space::kGlobal, bytes);
    });
  }

  const trail::Provenance& history_;
  trail::GlobalWrites writes_;
};

}  // namespace

CheckParts coverage_check() {
  return parts_of<CoverageCheck>(kCoverageDiagnostics);
}

}  // namespace tensorlane::check
