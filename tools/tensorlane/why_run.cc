#include "why_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "emulated_program.h"
#include "run_report.h"
#include "run_settings.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/report.h"
#include "tensorlane/observe/why/chain_text.h"

namespace tensorlane::cli {
namespace {

// Each run answers at least one step more; chains that need more are cut.
constexpr int kMostRuns = 16;

struct Answered {
  std::vector<Json> answers = {};  // one per device
  int status = 0;
};

Answered ask_once(const WhyRun& run, const why::Question& question, bool silent) {
  const RunReport report;
  auto environment = run.environment;
  // Empty values switch tools off that the environment of the command line asks for.
  for (const observe::RunOption& row : observe::run_options())
    if (!row.computes) set_variable(environment, row.variable, "");
  set_variable(environment, "TENSORLANE_REPORT", report.path());
  set_variable(environment, "TENSORLANE_WHY", why::json(question).dump());
  const ProcessResult result =
      run_emulated(run.verb, run.program, environment,
                   silent ? ProgramOutput::kDiscarded : ProgramOutput::kInherited);
  Answered answered{.status = result.status};
  const RunReport::Content content = report.read();
  for (const Json& line : content.lines) {
    if (line.value("tool", "") == "why") answered.answers.push_back(line);
  }
  if (answered.answers.empty()) {
    if (!content.problems.empty()) user_error("{}", content.problems.front());
    if (question.device)
      user_error("--device {}: the program opened no such device", *question.device);
    user_error("the program opened no emulated device: was it linked with libbmlib.so?");
  }
  return answered;
}

// The device that was asked for, else the first where the host read the value or somebody wrote it.
const Json& choose(const std::vector<Json>& answers) {
  const auto asked = std::ranges::find_if(
      answers, [](const Json& answer) { return answer.value("asked", false); });
  if (asked != answers.end()) return *asked;
  const auto without_error =
      std::ranges::find_if(answers, [](const Json& answer) { return !answer.contains("error"); });
  return without_error != answers.end() ? *without_error : answers.front();
}

[[noreturn]] void not_the_same(const std::string& how) {
  user_error(
      "the program did not run the same way twice ({}): take what it draws from outside (time, "
      "random numbers, threads) out of it, or give --memory so much that one run is enough",
      how);
}

std::vector<why::Question::Open> open_steps(const Json& steps) {
  std::vector<why::Question::Open> open;
  for (const Json& step : steps) {
    if (step["kind"].text() != "open") continue;
    open.push_back({step["id"].get<int>(),
                    step["depth"].get<int>(),
                    step["event"].get<trail::Writer>(),
                    step["read_by"].get<trail::Writer>(),
                    {static_cast<Space>(step["memory"].get<int>()),
                     step["offset"].get<std::uint64_t>(), step["bit"].get<int>()}});
  }
  return open;
}

int next_id(const Json& steps) {
  int id = 0;
  for (const Json& step : steps) id = std::max(id, step["id"].get<int>() + 1);
  return id;
}

// The answers to open steps in their place, with what follows from them.
Json merged(const Json& before, const Json& after) {
  std::vector<Json> steps;
  for (const Json* part : {&after, &before}) {
    for (const Json& step : *part) {
      const bool known = std::ranges::any_of(steps, [&](const Json& other) {
        return other["id"].get<int>() == step["id"].get<int>();
      });
      if (!known) steps.push_back(step);
    }
  }
  std::ranges::sort(steps, {}, [](const Json& step) { return step["id"].get<int>(); });
  return steps;
}

}  // namespace

Json ask_why(const WhyRun& run, why::Question question) {
  const Answered first = ask_once(run, question, run.silent);
  Json answer = choose(first.answers);
  if (answer.contains("error")) throw UserError(answer["error"].text());
  answer["status"] = first.status;
  question.device = answer["device"].get<int>();
  Json steps = merged(answer["steps"], Json::array());
  int runs = 1;
  for (question.open = open_steps(steps); !question.open.empty() && runs < kMostRuns;
       question.open = open_steps(steps)) {
    question.next_id = next_id(steps);
    const Answered again = ask_once(run, question, true);
    ++runs;
    const Json& now = again.answers.front();
    if (now.contains("error")) not_the_same(now["error"].text());
    if (again.status != first.status)
      not_the_same(tr("it ended with {} and {}", first.status, again.status));
    if (now["fingerprint"] != answer["fingerprint"]) {
      not_the_same(tr("{} and {} commands and copies", answer["events"].get<std::int64_t>(),
                      now["events"].get<std::int64_t>()));
    }
    steps = merged(steps, now["steps"]);
  }
  answer["steps"] = steps;
  answer["runs"] = runs;
  return answer;
}

std::optional<why::Question> question_of_difference(const std::vector<Json>& lines) {
  const auto differs = std::ranges::find_if(lines, [](const Json& line) {
    return line.value("tool", "") == "expect" && line.contains("address");
  });
  if (differs == lines.end()) return std::nullopt;
  why::Question question;
  question.place = differs->at("address").text();
  question.read = differs->at("read").get<std::uint64_t>();
  question.device = differs->at("device").get<int>();
  question.dtype = differs->value("dtype", question.dtype);
  if (differs->contains("expected")) question.expected = differs->at("expected").get<double>();
  for (const Json& each : differs->value("samples", Json::array())) {
    question.samples.push_back({each["address"].get<std::uint64_t>(),
                                each["expected"].get<double>(), each["wrong"].get<bool>()});
  }
  return question;
}

why::Question ask_what_differs(const WhyRun& run, const std::string& expectations) {
  const RunReport written;
  auto environment = run.environment;
  set_variable(environment, "TENSORLANE_CHECK", "expect");
  set_variable(environment, "TENSORLANE_EXPECT", expectations);
  set_variable(environment, "TENSORLANE_REPORT", written.path());
  run_emulated(run.verb, run.program, environment, ProgramOutput::kDiscarded);
  const RunReport::Content content = written.read();
  if (auto question = question_of_difference(content.lines)) return *std::move(question);
  for (const Json& line : content.lines) {
    if (line.value("tool", "") == "expect")
      user_error("{}: there is nothing to ask about", line.value("text", ""));
  }
  // What was never read, or has another size, is a finding that says so.
  check::Report report;
  check::add_entries(content.lines, report);
  if (!report.findings().empty()) user_error("{}", report.findings().front().message);
  if (!content.problems.empty()) user_error("{}", content.problems.front());
  user_error("the program opened no emulated device: was it linked with libbmlib.so?");
}

void explain_difference(WhyRun run, const std::vector<Json>& lines) {
  std::optional<why::Question> question = question_of_difference(lines);
  if (!question) return;
  question->limits.width = 2;
  run.silent = true;
  fmt::print(stderr, "tensorlane expect: {}\n{}",
             tr("how the first element that differs came about; more: tensorlane why --global {} "
                "--read {} -- {}",
                question->place, *question->read, fmt::join(run.program, " ")),
             why::chain_text(ask_why(run, *question), false));
}

}  // namespace tensorlane::cli
