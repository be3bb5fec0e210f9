// What the subcommands of `tensorlane opencl` share: the device and the folder of compiled kernels.
#ifndef TENSORLANE_TOOLS_OPENCL_COMMAND_H_
#define TENSORLANE_TOOLS_OPENCL_COMMAND_H_

#include <memory>
#include <string>

#include "app.h"
#include "json_option.h"
#include "tensorlane/json/json.h"
#include "tensorlane/opencl/cl_device.h"
#include "tensorlane/opencl/image_transfer.h"

namespace tensorlane::cli {

struct OpenclOptions {
  int device = 0;
  std::string cache;
  bool no_cache = false;
  std::string path = "auto";

  void add_to(App& command);
  std::unique_ptr<opencl::ClDevice> open() const;
};

// "0: pthread-... (Portable Computing Language, OpenCL 3.0 PoCL 3.1)".
std::string device_text(const opencl::DeviceInfo& info);
Json device_json(const opencl::DeviceInfo& info);

void add_opencl_transfer_commands(App& opencl);  // pack, unpack
void add_opencl_verify_command(App& opencl);
void add_opencl_bench_command(App& opencl);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OPENCL_COMMAND_H_
