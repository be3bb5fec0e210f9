#include "commands.h"

int main(int argc, char** argv) {
  return tensorlane::cli::run_cli(argc, argv);
}
