// Loops of recorded commands that ask to be cut into stages and cannot be: side by side, a stage
// would read what a later one has yet to write, or write what an earlier one has yet to read.
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kPipelineDiagnostics[] = {
    {"TL-RACE-006", Severity::kWarning,
     msg("a loop cannot be pipelined: its turns depend on each other"),
     msg("give each turn tensors of its own, or leave enable_pipeline() out")},
};

class PipelineCheck final : public Check {
 public:
  using Check::Check;

  void unpipelined(const Unpipelined& loop) override {
    if (loop.reader.empty() || loop.writer.empty()) return;
    sink().add({"TL-RACE-006", sink().key_of(loop.reader.front())}, [&](Finding& finding) {
      finding.message =
          tr("a turn of the loop needs what the turn before leaves, and in stages it would come "
             "first; "
             "the loop is carried out turn by turn");
      finding.locations.push_back(location(msg("later"), loop.reader));
      finding.locations.push_back(location(msg("earlier"), loop.writer));
    });
  }

 private:
  static FindingLocation location(std::string_view role, std::span<const void* const> calls) {
    FindingLocation made = make_location(role, "", calls.front());
    made.calls.assign(calls.begin(), calls.end());
    return made;
  }
};

}  // namespace

CheckParts pipeline_check() {
  return parts_of<PipelineCheck>(kPipelineDiagnostics);
}

}  // namespace tensorlane::check
