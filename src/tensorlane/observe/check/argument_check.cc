// Argument blocks that the kernel takes for something else than the host: it reads behind their
// end, or their structs have numbers in other places.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/argument_struct.h"
#include "tensorlane/device/debug_presence.h"
#include "tensorlane/observe/check/check.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kArgumentDiagnostics[] = {
    {"TL-ARGS-010", Severity::kError, msg("a kernel reads past the end of its arguments"),
     msg("launch with the size of the struct that the kernel reads: sizeof(args) of a struct, "
         "sizeof(*args) of a pointer to one")},
    {"TL-ARGS-011", Severity::kError, msg("host and kernel have different structs of arguments"),
     msg("give host and kernel the same struct of arguments: the same members, packed alike")},
};

class ArgumentCheck final : public Check {
 public:
  explicit ArgumentCheck(const CheckSetup& setup) : Check(setup) {
    program_may_have_debug_information();  // reads its file: not within a launch
  }

  // The debug information is looked at once for each kernel, size and place of the host.
  [[gnu::hot]] void launch_begin() override {
    conflict_ = false;
    const FindingLaunches& launch = *facts().scene.launch;
    const std::size_t bytes = facts().scene.arguments.size();
    if (facts().kernel == nullptr || launch.call_site == nullptr || bytes == 0) return;
    const auto [known, is_new] =
        conflicts_.emplace(std::tuple(facts().kernel, bytes, launch.call_site), false);
    if (is_new) known->second = compare(launch, bytes);
    conflict_ = known->second;
  }

  void arguments_exceeded(const ArgumentAccess& access) override {
    if (conflict_ || is_padding(access.offset)) return;
    const std::size_t bytes = facts().scene.arguments.size();
    sink().add({"TL-ARGS-010", sink().key_of(access.call_site)}, [&](Finding& finding) {
      finding.message =
          tr("the kernel reads its arguments at byte {}, of which the launch passes {}",
             access.offset, bytes_text(static_cast<std::int64_t>(bytes)));
      finding.locations.push_back(make_location(msg("reader"), "", access.call_site));
      add_host(finding);
    });
  }

 private:
  void add_host(Finding& finding) const {
    const void* const host = facts().scene.launch->call_site;
    if (host != nullptr) finding.locations.push_back(make_location(msg("host"), "", host));
  }

  // A struct that is copied as a whole takes its padding along, which the host need not pass.
  bool is_padding(std::size_t offset) const {
    const std::size_t bytes = facts().scene.arguments.size();
    const auto structs = argument_structs(facts().kernel, facts().scene.launch->kernel);
    if (structs.empty()) return offset == bytes && bytes % alignof(std::uint64_t) != 0;
    return std::ranges::any_of(structs, [&](const ArgumentStruct& structure) {
      return offset < structure.bytes && structure.end_of_fields() <= bytes;
    });
  }

  bool compare(const FindingLaunches& launch, std::size_t bytes) const {
    const auto kernel = argument_structs(facts().kernel, launch.kernel);
    if (kernel.empty()) return false;
    const auto host = structs_around(launch.call_site);
    const auto found = find_conflict(host, kernel, bytes);
    if (!found) return false;
    sink().add({"TL-ARGS-011", launch.call_site, facts().kernel, 0}, [&](Finding& finding) {
      const ArgumentStruct::Field& mine = *found->in_kernel;
      finding.message =
          found->in_host != nullptr
              ? tr("the launch passes {} of {} bytes, with {} at byte {}; the kernel reads {} of "
                   "{} bytes, with {} at byte {}",
                   found->host->name, bytes, found->in_host->name, found->in_host->offset,
                   found->kernel->name, found->kernel->bytes, mine.name, mine.offset)
              : tr("the launch passes {} of {} bytes; the kernel reads {} of {} bytes, with {} of "
                   "{} bytes at byte {}, where the host's has no such number",
                   found->host->name, bytes, found->kernel->name, found->kernel->bytes, mine.name,
                   mine.bytes, mine.offset);
      add_host(finding);
      finding.locations.push_back(
          make_location(msg("kernel"), "", static_cast<const std::byte*>(facts().kernel) + 1));
      finding.notes.push_back(
          labelled("args", tr("{} is declared at {}, {} at {}", found->host->name,
                              found->host->place, found->kernel->name, found->kernel->place)));
    });
    return true;
  }

  std::map<std::tuple<const void*, std::size_t, const void*>, bool> conflicts_;
  bool conflict_ = false;  // of this launch
};

}  // namespace

CheckParts argument_check() {
  return parts_of<ArgumentCheck>(kArgumentDiagnostics);
}

}  // namespace tensorlane::check
