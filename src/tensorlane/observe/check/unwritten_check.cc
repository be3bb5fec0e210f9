// What the processor reads through a pointer and nobody wrote.
#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kUnwrittenDiagnostics[] = {
    {"TL-INIT-005", Severity::kError, msg("the processor reads bytes nobody wrote"),
     msg("load, compute or store these bytes before the processor reads them; compare the address "
         "with "
         "what was written")},
};

class UnwrittenCheck final : public Check {
 public:
  explicit UnwrittenCheck(const CheckSetup& setup)
      : Check(setup), history_(setup.facts.provenance()) {}

  void processor_access(const ProcessorAccess& access) override {
    // A library's copies may take gaps along, as a command may.
    if (access.kind != ProcessorAccess::Kind::kRead || !access.own_code) return;
    const trail::Range bytes = range_of(access);
    const std::optional<trail::Mark> mark = history_.undefined(access.space, bytes);
    if (!mark || holds_anything(access.space, bytes)) return;
    const auto block =
        access.space == Space::kGlobal ? facts().allocations.find(bytes.begin) : std::nullopt;
    const auto cause = block ? facts().missing.cause(block->number) : std::nullopt;
    sink().add({"TL-INIT-005", sink().key_of(access.call_site), {}, 0, cause},
               [&](Finding& finding) {
                 finding.locations.push_back(make_location("reader", "", access.call_site));
                 std::string why = tr("nobody wrote");
                 if (*mark != trail::kUnwritten) {
                   const trail::Provenance::Hole& hole = history_.hole(*mark);
                   why = hole.work ? tr("a command left in its work memory")
                                   : tr("depend on bytes nobody wrote");
                   finding.locations.push_back(
                       make_location(hole.work ? msg("work of") : msg("origin"), hole.reader));
                 }
                 finding.message =
                     tr("{} {} of {} that {}", tr("the processor reads"), bytes_text(bytes.bytes()),
                        translated(space_name(access.space)), why);
                 finding.regions = describe_bytes(chip(), access.space, {&bytes, 1});
               });
  }

 private:
  // Structures are copied with their padding.
  bool holds_anything(Space space, trail::Range bytes) const {
    for (; bytes.begin < bytes.end; ++bytes.begin) {
      if (!history_.undefined(space, {bytes.begin, bytes.begin + 1})) return true;
    }
    return false;
  }

  trail::Provenance& history_;
};

}  // namespace

CheckParts unwritten_check() {
  return parts_of<UnwrittenCheck>(kUnwrittenDiagnostics);
}

}  // namespace tensorlane::check
