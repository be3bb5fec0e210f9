// A kernel without a host: a process of ours that loads a library of kernels, packs the arguments
// by the kernel's own struct and launches it.
#ifndef TENSORLANE_TOOLS_KERNEL_LAUNCH_H_
#define TENSORLANE_TOOLS_KERNEL_LAUNCH_H_

#include <string>
#include <utility>
#include <vector>

#include "tensorlane/chip/chip.h"

namespace tensorlane::cli {

struct KernelLaunch {
  std::string module;  // built with -g
  std::string kernel;
  const Chip* chip = nullptr;
  int cores = 1;
  // Fields of the kernel's struct: numbers, lists of them "0,1", or device memory "fp16:64x1024".
  std::vector<std::pair<std::string, std::string>> arguments = {};
};

// The words by which this program starts itself as that process, and is one: run_emulated() gives
// it the library that emulates.
std::vector<std::string> launch_words(const KernelLaunch& launch);
bool is_launch(const std::vector<std::string>& words);
// The exit status: 0, or 1 having said why the kernel did not run.
int run_launch(const std::vector<std::string>& words);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_KERNEL_LAUNCH_H_
