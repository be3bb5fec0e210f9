// Calls of the host that were refused: copies past an allocation, freed memory, another device's,
// frees of nothing, launches of nothing.
#include <fmt/format.h>

#include <array>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

using enum Severity;

// In the order of HostRefusal::Kind.
constexpr Diagnostic kHostDiagnostics[] = {
    {"TL-HOST-006", kError, msg("the host gives a value that the call cannot use"),
     msg("give the call what its parameter asks for, and look at the status it returns")},
    {"TL-HOST-001", kError, msg("the host reaches past its allocation"),
     msg("copy no more than was allocated; sizes and offsets count bytes, also those of "
         "descriptors")},
    {"TL-HOST-002", kError, msg("the host uses memory that it freed"),
     msg("free the memory after its last use")},
    {"TL-HOST-003", kError, msg("the host mixes the memories of two devices"),
     msg("use the handle that the memory was allocated with")},
    {"TL-HOST-004", kError, msg("the host frees what is no allocation"),
     msg("free each allocation once, by the descriptor that it was allocated with")},
    {"TL-HOST-005", kError, msg("the host launches what cannot run"),
     msg("launch a function of a module that is loaded, with the arguments that it reads")},
};

class HostCheck final : public Check {
 public:
  using Check::Check;

  void host_refused(const HostRefusal& refusal) override {
    const Diagnostic& diagnostic = kHostDiagnostics[static_cast<std::size_t>(refusal.kind)];
    sink().add({diagnostic.id, refusal.call_site, nullptr, 0}, [&](Finding& finding) {
      finding.kernel.clear();
      finding.message = tr("{}: {}", refusal.function, one_line(refusal.message));
      finding.locations.push_back(
          make_location("call", std::string(refusal.function), refusal.call_site));
      if (!refusal.allocation) return;
      const Allocator::Block& block = *refusal.allocation;
      if (block.freed_at != nullptr)
        finding.locations.push_back(make_location("freed", "", block.freed_at));
      if (block.made_at != nullptr)
        finding.locations.push_back(make_location("made", "", block.made_at));
      const auto begin =
          static_cast<std::int64_t>(block.address - space_begin(chip(), Space::kGlobal));
      const trail::Range bytes{begin, begin + static_cast<std::int64_t>(block.bytes)};
      if (bytes.bytes() > 0) finding.regions = describe_bytes(chip(), Space::kGlobal, {&bytes, 1});
    });
  }
};

}  // namespace

CheckParts host_check() {
  return parts_of<HostCheck>(kHostDiagnostics);
}

}  // namespace tensorlane::check
