// The command line of TensorLane.
#include <cstdio>
#include <exception>

#include "commands.h"
#include "tensorlane/base/error.h"

namespace {

constexpr int kBadUsage = 2;
constexpr int kDefect = 3;

}  // namespace

int main(int argc, char** argv) {
  using namespace tensorlane;
  CLI::App app("TensorLane: a workbench for Sophon TPU kernels and tensor layouts", "tensorlane");
  app.set_version_flag("--version", "tensorlane " TENSORLANE_VERSION);
  app.require_subcommand(1);
  cli::add_conformance_command(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const cli::ExitStatus& exit) {
    return exit.status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::fprintf(stderr, "tensorlane: %s\n", error.what());
    return kBadUsage;
  } catch (const UserError& error) {
    std::fprintf(stderr, "tensorlane: %s\n", error.what());
    return kBadUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tensorlane: %s\n", error.what());
    return kDefect;
  }
}
