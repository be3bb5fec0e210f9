#include "expect_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/expectations.h"
#include "tensorlane/observe/precision/precision_report.h"

namespace tensorlane::cli {

void add_reference_options(App& command, ExpectOptions& options) {
  command
      .add_option("--output", options.outputs,
                  "What the reference is for: the field of the kernel's arguments that holds its "
                  "address, a name given by tl_name, or read:N, the host's read N from 0. NAME#2: "
                  "the third time it is read; NAME:bf16: the type of its elements, where it is not "
                  "the file's. Without it: the first read of as many bytes")
      ->type_name("NAME")
      ->repeated();
  command
      .add_option("--expect-tolerance", options.tolerance,
                  "How far values may be off: 1e-3, or some of abs=X,rel=X,ulp=N. Default: 1e-5 in "
                  "fp32, two neighbours in 16-bit types, nothing in integers")
      ->type_name("TEXT");
}

void add_expect_options(App& command, ExpectOptions& options) {
  add_reference_options(command, options);
  command
      .add_option("--precision-json", options.precision_json,
                  "What --precision says, for all lines, as a JSON file")
      ->type_name("FILE");
}

std::string expect_variable(const RunSettings& settings, const ExpectOptions& options) {
  const std::vector<std::string>& files = settings.list("--expect");
  const std::size_t references = files.size(), outputs = options.outputs.size();
  if (references == 0) {
    if (outputs > 0) user_error("--output {}: it belongs to an --expect", options.outputs.front());
    if (!options.tolerance.empty())
      user_error("--expect-tolerance {}: it belongs to an --expect", options.tolerance);
    return {};
  }
  if (outputs != references && !(outputs == 0 && references == 1)) {
    user_error("{} references (--expect) and {} outputs (--output): each needs the other",
               references, outputs);
  }
  Json list = Json::array();
  for (std::size_t k = 0; k < references; ++k) {
    // The program may go to another folder before it opens a device.
    list.push_back({{"reference", std::filesystem::absolute(files[k]).string()},
                    {"name", files[k]},
                    {"output", outputs == 0 ? std::string() : options.outputs[k]},
                    {"tolerance", options.tolerance}});
  }
  std::string text = list.dump();
  check::Expectations tried;
  check::add_expectations(text, tried);
  return text;
}

namespace {

bool says_precision(const RunSettings& settings) {
  return settings.on("--precision") || !settings.list("--precision-of").empty();
}

}  // namespace

bool wants_precision(const RunSettings& settings, const ExpectOptions& options) {
  return says_precision(settings) || !options.precision_json.empty();
}

void print_precision(const RunSettings& settings, const ExpectOptions& options,
                     const std::vector<Json>& lines) {
  if (!wants_precision(settings, options)) return;
  Json devices = Json::array();
  for (const Json& line : lines) {
    if (line.value("tool", "") != "precision") continue;
    devices.push_back(line);
    if (says_precision(settings)) std::fputs(precision::precision_text(line).c_str(), stderr);
  }
  write_output(options.precision_json, Json{{"devices", devices}}.dump(1) + "\n");
}

bool print_met_expectations(const RunSettings& settings, const std::vector<Json>& lines) {
  bool device = false;
  for (const Json& line : lines) {
    const std::string tool = line.value("tool", "");
    device = device || tool == "device";
    if (tool == "expect" && line.value("holds", false))
      fmt::print(stderr, "tensorlane expect: {}\n", line.value("text", ""));
  }
  if (device || settings.list("--expect").empty()) return true;
  fmt::print(stderr, "tensorlane run: {}\n",
             tr("{} was compared with nothing: no emulated device was opened",
                fmt::join(settings.list("--expect"), ", ")));
  return false;
}

}  // namespace tensorlane::cli
