// Results that depend on bytes nobody wrote. Unwritten bytes may travel; a finding is made where
// their value arrives: at the host, or where it decides something.
#include <fmt/format.h>

#include <set>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/coverage.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kInitDiagnostics[] = {
    {"TL-INIT-001", kError, msg("a result depends on local memory nobody wrote"),
     msg("load or compute these bytes before the read; compare shape and strides of the two "
         "commands")},
    {"TL-INIT-002", kError, msg("a result depends on global memory nobody wrote"),
     msg("copy the input to the device before the launch, or correct address and shape")},
    {"TL-INIT-003", kError, msg("a result depends on what a command left in its work memory"),
     msg("read the result operand; what stays in work memory is unspecified")},
};

class InitCheck final : public Check {
 public:
  explicit InitCheck(const CheckSetup& setup) : Check(setup), history_(setup.facts.provenance()) {}

  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    for (int k = 0; k < command.size(); ++k) {
      if (!command.operand(k).reads() || !history_.source(k).undefined_use) continue;
      for (const trail::Mark hole : history_.holes(command, k)) report(hole, &command, k);
    }
  }
  void host_read(const HostRead& read) override {
    std::set<trail::Mark> holes;
    for (const trail::MarkedBytes& piece :
         coverage(history_.global(), read.bytes, read.block.bytes, trail::Provenance::kHost)
             .undefined) {
      holes.insert(piece.mark);
    }
    for (const trail::Mark hole : holes) report(hole, nullptr, 0);
  }

 private:
  // `reached` is where the value arrives; null: at the host.
  void report(trail::Mark mark, const trail::CheckedCommand* reached, int at) const;

  trail::Provenance& history_;
};

void InitCheck::report(trail::Mark mark, const trail::CheckedCommand* reached, int at) const {
  const trail::Provenance::Hole& hole = history_.hole(mark);
  const std::string_view id = hole.work                      ? "TL-INIT-003"
                              : hole.space == Space::kGlobal ? "TL-INIT-002"
                                                             : "TL-INIT-001";
  const trail::CallKey reaches =
      reached == nullptr ? trail::CallKey() : trail::CallKey(reached->command());
  const auto block = hole.space == Space::kGlobal && !hole.bytes.empty()
                         ? facts().allocations.find(hole.bytes.front().begin)
                         : std::nullopt;
  const auto cause = block ? facts().missing.cause(block->number) : std::nullopt;
  sink().add({id, hole.reader, reaches, at, cause}, [&](Finding& finding) {
    const std::string what =
        reached == nullptr ? tr("the result the host reads") : trail::name_of(reached->command());
    finding.message = hole.work ? tr("{} depends on what {} left in its work memory", what,
                                     hole.reader.op->name())
                                : tr("{} depends on {} of {} that nobody wrote", what,
                                     bytes_text(hole.bytes), translated(space_name(hole.space)));
    finding.locations.push_back(
        make_location(hole.work ? msg("work of") : msg("reader"), hole.reader));
    if (const std::string_view loader = hole.reader.operand.spec->loaded_by;
        !hole.work && !loader.empty()) {
      finding.repair = tr("call {} for this operand before", loader);
    }
    if (reached != nullptr && reaches != trail::CallKey(hole.reader))
      finding.locations.push_back(make_location("reaches", reached->command(), {at}));
    if (hole.neighbour) {
      finding.locations.push_back(make_location("near", *hole.neighbour));
      finding.notes.push_back(labelled(
          "near",
          tr("is the latest write next to these bytes: probably the one that should cover them")));
    } else if (hole.space == Space::kGlobal) {
      finding.notes.push_back(
          labelled("missing", tr("neither a copy of the host nor a command wrote these bytes")));
    } else if (!hole.work) {
      finding.notes.push_back(
          labelled("missing", tr("no command of this launch wrote near these bytes")));
    }
    finding.regions = describe_bytes(chip(), hole.space, hole.bytes);
  });
}

}  // namespace

CheckParts init_check() {
  return parts_of<InitCheck>(kInitDiagnostics);
}

}  // namespace tensorlane::check
