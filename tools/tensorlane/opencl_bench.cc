// tensorlane opencl bench: what the layouts cost, against the device's own copies.
#include "tensorlane/opencl/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.h"
#include "opencl_command.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"
#include "text.h"

namespace tensorlane::cli {
namespace {

struct BenchCommand {
  OpenclOptions opencl;
  JsonOption json;
  std::vector<std::string> layouts;
  std::string dtype = "fp32", buffer_dtype = "fp32";
  double mib = 16;
  int turns = 20;
};

double rate(std::int64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0;
}

Json result_json(const opencl::BenchResult& result) {
  const auto direction = [&](double seconds) {
    return Json{{"seconds", seconds},
                {"gb_per_s", rate(result.plain_bytes, seconds)},
                {"of_buffer_copy", result.copy / seconds}};
  };
  Json out = {{"layout", result.layout},
              {"shape", result.shape},
              {"width", result.width},
              {"height", result.height}};
  if (!result.skipped.empty()) {
    out["skipped"] = result.skipped;
    return out;
  }
  out.update({{"buffer_bytes", result.plain_bytes},
              {"pixel_bytes", result.packed_bytes},
              {"buffer_copy",
               {{"seconds", result.copy}, {"gb_per_s", rate(result.plain_bytes, result.copy)}}},
              {"pack", direction(result.pack)},
              {"unpack", direction(result.unpack)}});
  for (const auto& [name, seconds] : {std::pair("copy_buffer_to_image", result.copy_to_image),
                                      std::pair("copy_image_to_buffer", result.copy_from_image)}) {
    if (seconds > 0) {
      out[name] = {{"seconds", seconds}, {"gb_per_s", rate(result.packed_bytes, seconds)}};
    }
  }
  return out;
}

void print_table(const std::vector<opencl::BenchResult>& results) {
  fmt::print("{:<24}{:>20}{:>13}{:>8}{:>7}{:>6}{:>8}{:>6}{:>10}{:>12}\n", "GB/s", tr("shape"),
             tr("pixels"), tr("copy"), tr("pack"), "", tr("unpack"), "", tr("to image"),
             tr("from image"));
  for (const opencl::BenchResult& result : results) {
    if (!result.skipped.empty()) {
      fmt::print("{}", tr("{:<24}skipped: {}\n", result.layout, result.skipped));
      continue;
    }
    const auto of_copy = [&](double seconds) {
      return fmt::format("{:.2f}x", result.copy / seconds);
    };
    fmt::print("{:<24}{:>20}{:>13}{:>8.1f}{:>7.1f}{:>6}{:>8.1f}{:>6}{:>10.1f}{:>12.1f}\n",
               result.layout, fmt::format("{}", fmt::join(result.shape, ",")),
               fmt::format("{}x{}", result.width, result.height),
               rate(result.plain_bytes, result.copy), rate(result.plain_bytes, result.pack),
               of_copy(result.pack), rate(result.plain_bytes, result.unpack),
               of_copy(result.unpack), rate(result.packed_bytes, result.copy_to_image),
               rate(result.packed_bytes, result.copy_from_image));
  }
}

void run(const BenchCommand& command) {
  if (!(command.mib > 0 && command.mib <= 4096)) {
    user_error("--mib {}: allowed is more than 0, up to 4096", command.mib);
  }
  if (command.turns < 1) user_error("--turns {}: at least 1", command.turns);
  opencl::BenchOptions options;
  for (const std::string& name : command.layouts) {
    options.layouts.emplace_back(find_layout(System::kMace, name).name);
  }
  options.packed_dtype = parse_dtype(command.dtype);
  options.plain_dtype = parse_dtype(command.buffer_dtype);
  options.bytes = static_cast<std::int64_t>(command.mib * (1 << 20));
  options.path = opencl::parse_path(command.opencl.path);
  options.turns = command.turns;
  const auto device = command.opencl.open();
  std::vector<opencl::BenchResult> results;
  {
    ProgressBar bar(stderr_terminal(), tr("bench"),
                    options.layouts.empty() ? 13 : options.layouts.size());
    options.progress = [&](int, int) { bar.advance(1); };
    results = opencl::bench_device(*device, options);
  }
  const opencl::ImageTransfer transfer(*device, options.path);
  if (!command.json.replaces_text()) {
    fmt::print("{}\n", tr("device {}", device_text(device->info())));
    fmt::print("{}\n\n",
               tr("{} pixels, {} buffers, path {}; fastest of {} turns", command.dtype,
                  command.buffer_dtype, opencl::path_name(transfer.path()), command.turns));
    print_table(results);
    fmt::print("\n{}\n",
               tr("copy: clEnqueueCopyBuffer of the tensor. to image, from image: "
                  "clEnqueueCopyBufferToImage\n"
                  "and clEnqueueCopyImageToBuffer of the pixels. x: of the speed of copy."));
  }
  Json list = Json::array();
  for (const opencl::BenchResult& result : results) list.push_back(result_json(result));
  command.json.write({{"device", device_json(device->info())},
                      {"path", opencl::path_name(transfer.path())},
                      {"pixels_dtype", command.dtype},
                      {"buffer_dtype", command.buffer_dtype},
                      {"turns", command.turns},
                      {"layouts", list}});
}

}  // namespace

void add_opencl_bench_command(App& opencl) {
  App* bench = opencl.add_subcommand("bench", "GB/s of packing and unpacking, beside plain copies");
  bench->footer(
      "Examples:\n"
      "  tensorlane opencl bench\n"
      "  tensorlane opencl bench --layout in_out_channel --dtype fp16 --path direct\n");
  auto command = std::make_shared<BenchCommand>();
  bench->add_option("--layout", command->layouts, "only these layouts");
  bench->add_option("--dtype", command->dtype, "fp32 or fp16 pixels")->capture_default_str();
  bench->add_option("--buffer-dtype", command->buffer_dtype, "fp32 or fp16 buffers")
      ->capture_default_str();
  bench->add_option("--mib", command->mib, "size of the tensor as fp32")->capture_default_str();
  bench->add_option("--turns", command->turns, "measurements of each, the fastest counts")
      ->capture_default_str();
  command->opencl.add_to(*bench);
  command->json.add_to(*bench);
  bench->callback([command] { run(*command); });
}

}  // namespace tensorlane::cli
