// tensorlane opencl verify: does this device keep tensors where the layouts say?
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "opencl_command.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"
#include "tensorlane/opencl/verify.h"
#include "text.h"

namespace tensorlane::cli {
namespace {

struct VerifyCommand {
  OpenclOptions opencl;
  JsonOption json;
  std::vector<std::string> layouts;
  int shapes = 4;
  unsigned seed = 1;
};

Json result_json(const opencl::VerifyResult& result) {
  Json out = {{"layout", result.layout},
              {"path", opencl::path_name(result.path)},
              {"pixels_dtype", dtype_name(result.packed_dtype)},
              {"buffer_dtype", dtype_name(result.plain_dtype)},
              {"shapes", result.shapes},
              {"pixels", result.pixels},
              {"lanes", result.lanes},
              {"wrong_lanes", result.wrong_lanes},
              {"elements", result.elements},
              {"wrong_elements", result.wrong_elements},
              {"ok", result.ok()}};
  if (!result.ok()) out["first_wrong"] = result.first_wrong;
  return out;
}

// One line per layout: all paths and element types together.
struct Line {
  std::string layout;
  std::int64_t shapes = 0, pixels = 0, lanes = 0, elements = 0, wrong_lanes = 0, wrong_elements = 0;
};

std::vector<Line> lines_of(const std::vector<opencl::VerifyResult>& results) {
  std::vector<Line> lines;
  for (const opencl::VerifyResult& result : results) {
    auto line = std::ranges::find(lines, result.layout, &Line::layout);
    if (line == lines.end()) line = lines.insert(line, Line{.layout = result.layout});
    line->shapes += result.shapes;
    line->pixels += result.pixels;
    line->lanes += result.lanes;
    line->elements += result.elements;
    line->wrong_lanes += result.wrong_lanes;
    line->wrong_elements += result.wrong_elements;
  }
  return lines;
}

void print_table(const std::vector<opencl::VerifyResult>& results) {
  const auto verdict = [](std::int64_t wrong) {
    return wrong == 0 ? tr("ok") : tr("{} wrong", wrong);
  };
  fmt::print("{:<28}{:>7}{:>9}{:>9}  {:<12}{:>9}  {}\n", tr("layout"), tr("shapes"), tr("pixels"),
             tr("lanes"), tr("packed"), tr("elements"), tr("unpacked"));
  for (const Line& line : lines_of(results)) {
    fmt::print("{:<28}{:>7}{:>9}{:>9}  {:<12}{:>9}  {}\n", line.layout, line.shapes, line.pixels,
               line.lanes, verdict(line.wrong_lanes), line.elements, verdict(line.wrong_elements));
  }
}

void run(const VerifyCommand& command) {
  if (command.shapes < 1) user_error("--shapes {}: at least 1", command.shapes);
  opencl::VerifyOptions options;
  for (const std::string& name : command.layouts) {
    options.layouts.emplace_back(find_layout(System::kMace, name).name);
    const std::vector<std::string> known = opencl::packed_layouts();
    if (std::ranges::find(known, options.layouts.back()) == known.end()) {
      user_error("--layout {}: it is row-major, and nothing is packed", name);
    }
  }
  options.shapes = command.shapes;
  options.seed = command.seed;
  const opencl::TransferPath path = opencl::parse_path(command.opencl.path);
  if (path != opencl::TransferPath::kAuto) options.paths = {path};
  const auto device = command.opencl.open();
  std::vector<opencl::VerifyResult> results;
  {
    ProgressBar bar(stderr_terminal(), tr("verify"),
                    static_cast<std::size_t>(opencl::count_checks(*device, options)));
    options.progress = [&](int, int) { bar.advance(1); };
    results = opencl::verify_device(*device, options);
  }
  const opencl::VerifyResult* wrong = nullptr;
  Json list = Json::array();
  for (const opencl::VerifyResult& result : results) {
    list.push_back(result_json(result));
    if (!result.ok() && wrong == nullptr) wrong = &result;
  }
  if (!command.json.replaces_text()) {
    fmt::print("{}\n", tr("device {}", device_text(device->info())));
    print_table(results);
    if (wrong == nullptr) {
      fmt::print("{}\n", tr("every lane and every element is where the mapping says"));
    } else {
      fmt::print("{}\n", tr("wrong: {}", wrong->first_wrong));
    }
  }
  command.json.write({{"device", device_json(device->info())},
                      {"seed", command.seed},
                      {"ok", wrong == nullptr},
                      {"checks", list}});
  if (wrong != nullptr) throw ExitStatus{1};
}

}  // namespace

void add_opencl_verify_command(App& opencl) {
  App* verify = opencl.add_subcommand(
      "verify", "Packs random tensors and compares every lane with the index mapping");
  verify->footer(
      "Every layout, fp32 and fp16 pixels and buffers, int32 ones, uint32 pixels of uint8 "
      "buffers,\n"
      "random shapes with remainders.\n"
      "Images and buffers are larger than the tensor and filled with a sentinel, so that stray\n"
      "writes show. Exit status 1 when a lane is wrong.\n"
      "\n"
      "Examples:\n"
      "  tensorlane opencl verify\n"
      "  tensorlane opencl verify --layout in_out_height --shapes 50 --json=report.json\n"
      "  oclgrind --check-api --data-races tensorlane opencl verify --no-cache\n");
  auto command = std::make_shared<VerifyCommand>();
  verify->add_option("--layout", command->layouts, "only these layouts");
  verify->add_option("--shapes", command->shapes, "random shapes per layout and element types")
      ->capture_default_str();
  verify->add_option("--seed", command->seed, "of the shapes")->capture_default_str();
  command->opencl.add_to(*verify);
  command->json.add_to(*verify);
  verify->callback([command] { run(*command); });
}

}  // namespace tensorlane::cli
