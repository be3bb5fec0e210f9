// tensorlane opencl: MACE's images on OpenCL devices.
#include "opencl_command.h"

#include <fmt/format.h>

#include "commands.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"
#include "text.h"

namespace tensorlane::cli {
namespace {

// "OpenCL 3.0 PoCL 3.1+debian" of a text that goes on about how the driver was built.
std::string short_version(const std::string& version) {
  return version.substr(0, version.find("  "));
}

void print_device(const opencl::DeviceInfo& info) {
  const auto row = [](std::string_view name, const std::string& value) {
    fmt::print("  {:<18} {}\n", translated(name), value);
  };
  const auto yes = [](bool value) { return value ? tr("yes") : tr("no"); };
  fmt::print("{}\n", styled(stdout_terminal(), TextStyle::kBold,
                            fmt::format("{}: {}", info.number, info.name)));
  row(msg("platform"), fmt::format("{}, {}", info.platform, short_version(info.platform_version)));
  row(msg("version"), tr("{}, driver {}", info.version, info.driver));
  row(msg("compute units"), fmt::format("{}", info.compute_units));
  row(msg("memory"),
      tr("{}, at most {} in one piece", bytes_text(static_cast<std::uint64_t>(info.global_memory)),
         bytes_text(static_cast<std::uint64_t>(info.max_allocation))));
  if (!info.has_images) {
    row(msg("images"), tr("none: nothing can be packed on this device"));
    return;
  }
  row(msg("images"),
      tr("up to {} x {} pixels; fp32 {}, fp16 {}, int32 {}, uint32 {}", info.max_width,
         info.max_height, yes(info.has_fp32_images), yes(info.has_fp16_images),
         yes(info.has_int32_images), yes(info.has_uint32_images)));
  row(msg("half arithmetic"),
      info.has_fp16_arithmetic ? tr("yes") : tr("no (packing goes without)"));
  row(msg("out of order"), yes(info.out_of_order));
  row(msg("path to images"), info.is_cpu ? tr("mapped (CPU)") : tr("direct"));
}

void add_devices_command(App& app) {
  App* devices = app.add_subcommand("devices", "OpenCL devices and their limits on images");
  devices->footer("Example:\n  tensorlane opencl devices\n");
  auto output = std::make_shared<JsonOption>();
  output->add_to(*devices);
  devices->callback([output] {
    const std::vector<opencl::DeviceInfo> list = opencl::list_devices();
    if (list.empty()) {
      opencl::ClDevice none(0);  // says what is missing
    }
    Json document = Json::array();
    for (const opencl::DeviceInfo& info : list) {
      document.push_back(device_json(info));
      if (!output->replaces_text()) print_device(info);
    }
    output->write(document);
  });
}

}  // namespace

void OpenclOptions::add_to(App& command) {
  command.add_option("--device", device, "number of the device, see 'tensorlane opencl devices'")
      ->capture_default_str();
  command
      .add_option("--path", path,
                  "auto, mapped (as host memory, for CPUs), staged (through buffers) or direct "
                  "(read_imagef, write_imagef)")
      ->capture_default_str();
  command
      .add_option("--cache", cache,
                  "folder for compiled kernels (default $XDG_CACHE_HOME/tensorlane/opencl)")
      ->type_name("FOLDER");
  command.add_flag("--no-cache", no_cache, "compile the kernels, and keep none of them");
}

std::unique_ptr<opencl::ClDevice> OpenclOptions::open() const {
  opencl::KernelCache kernels;
  if (!no_cache) {
    kernels = opencl::KernelCache(cache.empty() ? opencl::default_cache_folder()
                                                : std::filesystem::path(cache));
  }
  return std::make_unique<opencl::ClDevice>(device, std::move(kernels));
}

std::string device_text(const opencl::DeviceInfo& info) {
  return fmt::format("{}: {} ({}, {})", info.number, info.name, info.platform,
                     short_version(info.platform_version));
}

Json device_json(const opencl::DeviceInfo& info) {
  return {{"number", info.number},
          {"name", info.name},
          {"platform", info.platform},
          {"platform_version", info.platform_version},
          {"version", info.version},
          {"driver", info.driver},
          {"cpu", info.is_cpu},
          {"images", info.has_images},
          {"fp32_images", info.has_fp32_images},
          {"fp16_images", info.has_fp16_images},
          {"int32_images", info.has_int32_images},
          {"uint32_images", info.has_uint32_images},
          {"fp16_arithmetic", info.has_fp16_arithmetic},
          {"out_of_order", info.out_of_order},
          {"max_image_width", info.max_width},
          {"max_image_height", info.max_height},
          {"max_allocation_bytes", info.max_allocation},
          {"global_memory_bytes", info.global_memory},
          {"compute_units", info.compute_units}};
}

void add_opencl_command(App& app) {
  App* opencl = app.add_subcommand(
      "opencl", "MACE's images on OpenCL devices: devices, pack, unpack, verify, bench");
  opencl->require_subcommand();
  opencl->footer(
      "Examples:\n"
      "  tensorlane opencl devices\n"
      "  tensorlane opencl pack in.npy image.npy --layout in_out_channel\n"
      "  tensorlane opencl verify\n");
  add_devices_command(*opencl);
  add_opencl_transfer_commands(*opencl);
  add_opencl_verify_command(*opencl);
  add_opencl_bench_command(*opencl);
}

}  // namespace tensorlane::cli
