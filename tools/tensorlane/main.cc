#include <fcntl.h>
#include <unistd.h>

#include "commands.h"

namespace {

// Gives a closed standard stream a number of its own: else the next file that is opened would get
// it, and messages would end up there. Open for reading only, so that writing to it fails.
void keep_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  return tensorlane::cli::run_cli(argc, argv);
}
