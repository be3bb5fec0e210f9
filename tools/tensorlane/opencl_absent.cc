// tensorlane opencl in a build without the component.
#include "commands.h"
#include "tensorlane/base/error.h"

namespace tensorlane::cli {

void add_opencl_command(App& app) {
  App* opencl = app.add_subcommand("opencl", "MACE's images on OpenCL devices (not built)");
  opencl->allow_extras();
  opencl->callback([] {
    user_error(
        "this TensorLane was built without OpenCL; install ocl-icd-opencl-dev and "
        "opencl-clhpp-headers and build it again");
  });
}

}  // namespace tensorlane::cli
