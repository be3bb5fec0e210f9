#include "lsp/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "lsp/call_text.h"
#include "lsp/uri.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"
#include "tensorlane/observe/check/finding.h"

namespace tensorlane::lsp {
namespace {

namespace fs = std::filesystem;

// Removed with all that is in it when nobody needs it any more.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "tensorlane-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw CommandFailed(tr("cannot make a folder in {}", fs::temp_directory_path().string()));
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::vector<std::string> own_command(std::string_view verb) {
  return {fs::read_symlink("/proc/self/exe").string(), "--lang",
          language() == Language::kChinese ? "zh" : "en", std::string(verb)};
}

// The build, where there is one; then `words` and the program.
std::vector<Jobs::Step> steps_of(const Workspace& workspace,
                                 const std::vector<std::vector<std::string>>& runs) {
  const Settings& settings = workspace.settings;
  if (settings.program.empty())
    throw CommandFailed(tr("no program to run: the setting '{}' names it", "program"));
  std::vector<Jobs::Step> steps;
  if (!settings.build.empty()) steps.push_back({settings.build, true});
  for (std::vector<std::string> words : runs) {
    if (!settings.chip.empty()) words.insert(words.end(), {"--chip", settings.chip});
    words.emplace_back("--");
    words.insert(words.end(), settings.program.begin(), settings.program.end());
    steps.push_back({std::move(words)});
  }
  return steps;
}

// Why nothing was run; nothing where something was.
std::optional<Plan::Finished> not_run(const std::vector<Jobs::Step>& steps,
                                      const std::vector<Outcome>& outcomes) {
  if (outcomes.size() == steps.size()) return std::nullopt;
  const Outcome& build = outcomes.back();
  return Plan::Finished{{{"built", false}, {"exitStatus", build.status}, {"output", build.output}},
                        tr("the build failed with status {}", build.status)};
}

std::string read_text(const std::string& file) {
  std::error_code error;
  return fs::exists(file, error) ? std::string(FileView(file).text()) : std::string();
}

struct Count {
  std::size_t errors = 0, warnings = 0, advice = 0;
};
Count count_of(const std::vector<FoundFault>& faults) {
  Count count;
  for (const FoundFault& fault : faults) {
    if (fault.consequence) continue;
    (fault.severity == "error"     ? count.errors
     : fault.severity == "warning" ? count.warnings
                                   : count.advice) += 1;
  }
  return count;
}

Json run_json(const std::vector<FoundFault>& faults, const Outcome& outcome) {
  const Count count = count_of(faults);
  return {{"built", true},          {"exitStatus", outcome.status},
          {"errors", count.errors}, {"warnings", count.warnings},
          {"advice", count.advice}, {"output", outcome.output}};
}

std::string count_text(const std::vector<FoundFault>& faults) {
  const Count count = count_of(faults);
  return tr("{}, {}", tr_n("{} error", "{} errors", count.errors),
            tr_n("{} warning", "{} warnings", count.warnings));
}

// A run that said nothing has failed before the checker began: then its words are what counts.
std::vector<FoundFault> faults_of_run(const Workspace& workspace, const std::string& file,
                                      const Outcome& outcome) {
  const std::string text = read_text(file);
  if (text.empty())
    throw CommandFailed(tr("the run left no findings; it ended with status {}:\n{}", outcome.status,
                           outcome.output));
  return read_faults(text, workspace.root);
}

bool same_fault(const FoundFault& a, const FoundFault& b) {
  const auto line = [](const FoundFault& fault) {
    return fault.places.empty() ? 0 : fault.places.front().line;
  };
  return a.id == b.id && a.message == b.message && line(a) == line(b);
}

const Json& argument(const Json& arguments) {
  if (!arguments.is_array() || arguments.empty()) user_error("the command lacks its argument");
  return arguments[0];
}

}  // namespace

std::span<const std::string_view> command_names() {
  static constexpr std::string_view kNames[] = {"tensorlane.run", "tensorlane.why",
                                                "tensorlane.verify", "tensorlane.explain",
                                                "tensorlane.layout"};
  return kNames;
}

Plan plan_run(const Workspace& workspace) {
  const auto folder = std::make_shared<Folder>();
  std::vector<std::string> words = own_command("run");
  words.insert(words.end(),
               {"--quiet", "--error-exitcode", "0", "--json=" + folder->file("findings.json"),
                "--log", folder->file("log.jsonl")});
  Plan plan{steps_of(workspace, {words}), {}};
  plan.finish = [folder, steps = plan.steps](Workspace& done,
                                             const std::vector<Outcome>& outcomes) {
    if (auto failed = not_run(steps, outcomes)) return *failed;
    LastRun run;
    run.faults = faults_of_run(done, folder->file("findings.json"), outcomes.back());
    run.calls = read_calls(read_text(folder->file("log.jsonl")), done.root);
    done.run = std::move(run);
    return Plan::Finished{run_json(done.run.faults, outcomes.back()), count_text(done.run.faults)};
  };
  return plan;
}

// Against the references of the settings, with the copies of a region at either end of it: what
// both say agrees with them in any order that the chip may take.
Plan plan_verify(const Workspace& workspace) {
  const auto folder = std::make_shared<Folder>();
  std::vector<std::vector<std::string>> runs;
  for (const char* const order : {"issue", "late"}) {
    std::vector<std::string> words = own_command("run");
    words.insert(words.end(),
                 {"--quiet", "--error-exitcode", "0", "--dma", order,
                  fmt::format("--json={}", folder->file(std::string(order) + ".json"))});
    for (const Reference& reference : workspace.settings.expect) {
      words.insert(words.end(), {"--expect", reference.file});
      if (!reference.output.empty()) words.insert(words.end(), {"--output", reference.output});
    }
    runs.push_back(std::move(words));
  }
  Plan plan{steps_of(workspace, runs), {}};
  plan.finish = [folder, steps = plan.steps](Workspace& done,
                                             const std::vector<Outcome>& outcomes) {
    if (auto failed = not_run(steps, outcomes)) return *failed;
    const Outcome &first = outcomes[outcomes.size() - 2], &second = outcomes.back();
    std::vector<FoundFault> faults = faults_of_run(done, folder->file("issue.json"), first);
    const std::vector<FoundFault> late = faults_of_run(done, folder->file("late.json"), second);
    Json both = Json::array({run_json(faults, first), run_json(late, second)});
    for (const FoundFault& fault : late) {
      if (std::ranges::none_of(faults,
                               [&](const FoundFault& one) { return same_fault(one, fault); }))
        faults.push_back(fault);
    }
    const bool verified = first.status == 0 && second.status == 0 && count_of(faults).errors == 0;
    done.run.faults = std::move(faults);
    const std::string counted = count_text(done.run.faults);
    return Plan::Finished{
        {{"verified", verified}, {"references", done.settings.expect.size()}, {"runs", both}},
        verified ? tr("verified with {}, copies early and late: {}",
                      tr_n("{} reference", "{} references", done.settings.expect.size()), counted)
                 : tr("not verified: {}", counted)};
  };
  return plan;
}

Plan plan_why(const Workspace& workspace, const Json& arguments) {
  const Json& question = argument(arguments);
  if (!question.is_object()) user_error("the command lacks its argument");
  constexpr std::string_view kOptions[] = {"element", "shape",  "dtype",  "global",  "local",
                                           "read",    "launch", "device", "expected"};
  std::vector<std::string> words = own_command("why");
  for (const auto& [name, value] : question.items()) {
    if (std::ranges::find(kOptions, name) == std::end(kOptions))
      user_error("'tensorlane why' has no option '{}'", name);
    words.push_back(fmt::format("--{}={}", name, value.is_string() ? value.text() : value.dump()));
  }
  Plan plan{steps_of(workspace, {words}), {}};
  plan.finish = [steps = plan.steps](Workspace&, const std::vector<Outcome>& outcomes) {
    if (auto failed = not_run(steps, outcomes)) return *failed;
    const Outcome& outcome = outcomes.back();
    return Plan::Finished{
        {{"built", true}, {"exitStatus", outcome.status}, {"text", outcome.output}},
        outcome.output};
  };
  return plan;
}

Json explain(const Json& arguments) {
  const Json& id = argument(arguments);
  if (!id.is_string()) user_error("the command lacks its argument");
  const check::Diagnostic& diagnostic = check::find_diagnostic(id.text());
  return {{"id", diagnostic.id},
          {"title", check::spelled(translated(diagnostic.title))},
          {"markdown", check::diagnostic_page(diagnostic)}};
}

// The argument is what a hover has: a document and a position.
Json layout(const Workspace& workspace, const Json& arguments) {
  const Json& place = argument(arguments);
  const std::string uri = uri_in(place);
  const Position position = position_in(place);
  const Document* const document = workspace.document(uri);
  if (document == nullptr) user_error("'{}' is not open", uri);
  const KernelText kernel(document->text(), workspace.settings.chip);
  const std::size_t offset = document->offset_of(position);
  const std::optional<Span> name = kernel.c().name_at(offset);
  const WrittenCall* call = name ? kernel.call_named_at(*name) : nullptr;
  if (call == nullptr || !kernel.find(kernel.c().word(call->name))) {
    const auto inside = kernel.call_around(offset);
    call = inside ? inside->call : nullptr;
  }
  const auto known =
      call == nullptr
          ? std::nullopt
          : known_call(workspace, *document, workspace.file_of(path_of_uri(uri)), kernel, *call);
  if (!known)
    throw CommandFailed(tr("no call here whose shapes the text names or the last run recorded"));
  Json pictures = Json::array();
  for (const CallPicture& picture : call_pictures(*known))
    pictures.push_back(
        {{"operand", picture.operand}, {"text", picture.text}, {"svg", picture.svg}});
  return {{"function", known->function.op->name()},
          {"chip", known->chip->name},
          {"recorded", known->recorded},
          {"pictures", pictures}};
}

}  // namespace tensorlane::lsp
