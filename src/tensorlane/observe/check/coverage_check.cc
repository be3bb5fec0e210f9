// What the host reads back and nobody wrote; see coverage.h.
#include "tensorlane/observe/check/coverage.h"

#include <fmt/format.h>

#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kDiagnostics[] = {
    {"TL-COVERAGE-001", Severity::kError, "the host reads bytes nobody wrote",
     "let the kernel write the whole result; look at the last, partial tile first"},
    {"TL-COVERAGE-002", Severity::kAdvice, "the host reads back its own bytes from a result",
     "nothing, if the kernel is meant to change only a part of the buffer"},
};

class CoverageCheck final : public Check {
 public:
  explicit CoverageCheck(const CheckSetup& setup)
      : Check(setup), history_(setup.facts.provenance()) {}

  void host_read(const HostRead& read) override {
    const Coverage found =
        coverage(history_.global(), read.bytes, read.block.bytes, Provenance::kHost);
    report("TL-COVERAGE-001", read.block, found.unwritten, "neither the host nor a kernel wrote");
    report("TL-COVERAGE-002", read.block, found.stale, "it wrote itself; a kernel wrote others");
  }

 private:
  void report(std::string_view id, const MemoryBounds::Block& block, std::span<const Range> bytes,
              std::string_view why) const {
    if (bytes.empty()) return;
    sink().add({id, nullptr, nullptr, static_cast<int>(block.number)}, [&](Finding& finding) {
      const auto begin =
          static_cast<std::int64_t>(space_begin(chip(), Space::kGlobal)) + block.bytes.begin;
      finding.message = fmt::format("the host reads {} of the allocation {:#x} of {} that {}",
                                    bytes_text(bytes), begin, bytes_text(block.bytes.bytes()), why);
      finding.regions = describe_bytes(chip(), Space::kGlobal, bytes);
    });
  }

  const Provenance& history_;
};

}  // namespace

CheckParts coverage_check() {
  return parts_of<CoverageCheck>(kDiagnostics);
}

}  // namespace tensorlane::check
