#include "tensorlane/observe/check/finding_sink.h"

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/argument_struct.h"
#include "tensorlane/device/call_paths.h"
#include "tensorlane/device/running_kernel.h"
#include "tensorlane/observe/check/describe.h"

namespace tensorlane::check {

namespace {

// All members of one of the structs are there; what is missing is the padding behind them.
bool all_passed(const std::vector<ArgumentStruct>& structs, std::size_t bytes) {
  return std::ranges::any_of(structs, [&](const ArgumentStruct& each) {
    const auto inside = [&](const ArgumentStruct::Field& field) {
      return field.offset + field.bytes * field.count <= bytes;
    };
    return bytes <= each.bytes && !each.fields.empty() && std::ranges::all_of(each.fields, inside);
  });
}

// A kernel whose arguments are not those that the host packed fails in any way; then this is why.
void compare_arguments(Finding& finding, std::size_t bytes) {
  const auto structs = argument_structs(running_kernel()->function, finding.kernel);
  const std::string mismatch = argument_mismatch(structs, bytes);
  if (mismatch.empty() || all_passed(structs, bytes)) return;
  finding.notes.push_back(labelled("args", mismatch));
  if (finding.diagnostic->id == "TL-ARGS-010") return;  // which has a better word on it
  finding.repair =
      tr("give host and kernel the same struct of arguments: the same members, packed alike");
}

}  // namespace

void FindingSink::add(const Report::Key& key, const std::function<void(Finding& finding)>& compose,
                      const std::vector<int>& cores) const {
  std::optional<FindingLaunches> of_cores;
  if (!cores.empty() && scene_->launch && scene_->launch->of_cores > 1) {
    of_cores = scene_->launch;
    of_cores->cores = cores;
    std::ranges::sort(of_cores->cores);
  }
  const FindingLaunches* const launch = of_cores         ? &*of_cores
                                        : scene_->launch ? &*scene_->launch
                                                         : nullptr;
  report_->add(
      key, launch,
      [&] {
        const std::string_view id = key.id;
        const auto diagnostic = std::ranges::find(diagnostics_, id, &Diagnostic::id);
        TL_INTERNAL_CHECK(diagnostic != diagnostics_.end());
        Finding finding;
        finding.diagnostic = &*diagnostic;
        finding.cause = key.cause;
        finding.repair = spelled(translated(finding.diagnostic->repair), chip_->api.prefix);
        if (launch != nullptr) finding.kernel = launch->kernel;
        compose(finding);
        if (finding.diagnostic->severity == Severity::kError && launch != nullptr &&
            running_kernel() != nullptr)
          compare_arguments(finding, scene_->arguments.size());
        const void* const host = scene_->host.call_site;
        const auto is_there = [&](const FindingLocation& each) {
          return !each.calls.empty() && each.calls.front() == host;
        };
        if (host != nullptr && std::ranges::none_of(finding.locations, is_there))
          finding.locations.push_back(make_location("host", scene_->host));
        return finding;
      },
      cores);
}

trail::CallKey FindingSink::key_of(const void* call_site, std::string_view function) const {
  if (call_site == nullptr) return {};
  return report_->key_of(calls_to(call_site), function.data());
}

trail::CallKey FindingSink::key_of(const Failure& failure) const {
  std::vector<const void*> calls = failure.calls;
  if (calls.empty()) return {failure.call_site};
  return report_->key_of(calls, nullptr);
}

}  // namespace tensorlane::check
