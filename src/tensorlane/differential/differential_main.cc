// differential: the net by hand, for as many calls as one likes. See net.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>

#include "tensorlane/base/parallel.h"
#include "tensorlane/differential/net.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::differential {
namespace {

struct Settings {
  NetOptions net;
  std::string function, chip;
  std::int64_t calls = 100000, enough = 20;
  bool features = false, times = false;
};

// Figures of a family of functions.
struct Family {
  std::int64_t functions = 0, calls = 0, comparisons = 0, refused = 0, none = 0, differences = 0;
  std::size_t forms = 0;
  double seconds = 0;
  void add(const FunctionFigures& one) {
    ++functions;
    calls += one.calls;
    comparisons += one.comparisons;
    refused += one.refused;
    none += one.none;
    differences += static_cast<std::int64_t>(one.differences.size());
    for (const ImplementationFigures& each : one.implementations) forms += each.forms.size();
    seconds += one.seconds;
  }
};

void print_family(std::string_view name, const Family& family) {
  fmt::print("| {:<28} | {:>9} | {:>9} | {:>11} | {:>8} | {:>7} | {:>11} | {:>7.1f} |\n", name,
             family.functions, family.calls, family.comparisons, family.forms, family.refused,
             family.differences, family.seconds);
}

int run(const Settings& settings) {
  struct Task {
    const FrontEnd* front_end;
    const Op* op;
  };
  std::vector<Task> tasks;
  for (const FrontEnd* front_end : all_front_ends()) {
    if (!settings.chip.empty() && front_end->chip.name != settings.chip) continue;
    for (const Op* op : functions_with_a_choice(*front_end)) {
      const bool wanted =
          settings.function.empty() || op->name() == settings.function ||
          (settings.function.ends_with('*') &&
           op->name().starts_with(
               std::string_view(settings.function).substr(0, settings.function.size() - 1)));
      if (wanted) tasks.push_back({front_end, op});
    }
  }
  std::map<std::string, Family> families;
  Family all;
  std::map<const FrontEnd*, std::unique_ptr<Net>> nets;
  NetOptions options = settings.net;
  options.calls = std::max<std::int64_t>(
      1, settings.calls / std::max<std::int64_t>(1, static_cast<std::int64_t>(tasks.size())));
  for (const Task& task : tasks) {
    std::unique_ptr<Net>& net = nets[task.front_end];
    if (net == nullptr) net = std::make_unique<Net>(*task.front_end);
    const FunctionFigures figures = net->run(*task.op, options);
    if (settings.times) fmt::print("{} {:.2f} s\n", task.op->name(), figures.seconds);
    for (const std::string& difference : figures.differences) fmt::print("{}\n", difference);
    if (figures.none > options.calls / 4)
      fmt::print("{}: no call came out {} times of {}\n", task.op->name(), figures.none,
                 options.calls);
    for (const ImplementationFigures& each : figures.implementations) {
      if (each.taken == 0) fmt::print("{}: {} took no call\n", task.op->name(), each.name);
      for (const std::string& form : each.never_taken(settings.enough))
        fmt::print("{}: {} never took {}\n", task.op->name(), each.name, form);
      if (!settings.features) continue;
      fmt::print("{}: {} took {} of {} calls, {} forms\n", task.op->name(), each.name, each.taken,
                 each.offered, each.forms.size());
      for (const auto& [feature, count] : each.features)
        fmt::print("    {:>7}  {}\n", count, feature);
    }
    families[fmt::format("{} {}", task.front_end->chip.name, task.op->spec().group)].add(figures);
    all.add(figures);
    std::fflush(stdout);
  }
  fmt::print(
      "| family | functions | calls | comparisons | forms | refused | differences | seconds |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  for (const auto& [name, family] : families) print_family(name, family);
  print_family("all", all);
  return all.differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tensorlane::differential

int main(int argc, char** argv) {
  using namespace tensorlane::differential;
  Settings settings;
  CLI::App app(
      "Computes generated calls of every device function by each of its implementations, "
      "beside its reference.");
  app.add_option("--calls", settings.calls, "Calls, shared by the functions");
  app.add_option("--seed", settings.net.seed, "What they are drawn from");
  app.add_option("--first", settings.net.first, "Number of the first call of each function");
  app.add_option("--ways", settings.net.ways, "Ways in which an implementation computes a call");
  app.add_option("--function", settings.function,
                 "One function, or all that begin so: tpu_bdc_fp*");
  app.add_option("--chip", settings.chip, "One chip");
  app.add_option("--sought", settings.net.sought,
                 "Calls of each function besides, to look for forms that were not met");
  app.add_flag("--features", settings.features, "What forms each implementation has met");
  app.add_flag("!--all", settings.net.stops, "Do not stop a function at its first difference");
  app.add_flag("--times", settings.times, "Print the time that each function took");
  app.add_flag("--print", settings.net.tells, "Print every call");
  CLI11_PARSE(app, argc, argv);
  return run(settings);
}
