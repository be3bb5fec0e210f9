// Device memory that the host never frees.
#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kLeakDiagnostics[] = {
    {"TL-MEMORY-007", Severity::kAdvice, msg("device memory was never freed"),
     msg("free it with bm_free_device")},
};

class LeakCheck final : public Check {
 public:
  using Check::Check;

  void device_end() override {
    for (const MemoryBounds::Block& block : facts().allocations.leaks()) {
      // What one line of the host allocates again and again is one finding.
      const bool known = block.made.call_site != nullptr;
      sink().add({"TL-MEMORY-007", block.made.call_site, nullptr,
                  known ? 0 : static_cast<int>(block.number)},
                 [&](Finding& finding) {
                   finding.message = tr("allocation {} of {} was never freed", block.number,
                                        bytes_text(block.bytes.bytes()));
                   if (block.made.call_site != nullptr)
                     finding.locations.push_back(make_location("made", block.made));
                   finding.regions = describe_bytes(chip(), Space::kGlobal, {&block.bytes, 1});
                 });
    }
  }
};

}  // namespace

CheckParts leak_check() {
  return parts_of<LeakCheck>(kLeakDiagnostics);
}

}  // namespace tensorlane::check
