// Kernels of launch_bench: the same few commands in the interface of each chip.
#ifndef TENSORLANE_BENCH_LAUNCH_KERNELS_H_
#define TENSORLANE_BENCH_LAUNCH_KERNELS_H_

#include <cstdint>

namespace tensorlane::bench {

struct Commands {
  int count;
  std::uint64_t global;  // address of as many bytes in global memory as kCopied
};
inline constexpr int kCopied = 4096;

// A kernel gets Commands and writes the local memory it reads before it begins to count.
struct Kernels {
  void (*adds)(const void*);         // the same fp32 addition of one element, again and again
  void (*moving_adds)(const void*);  // it writes to two addresses in turn
  void (*copies)(const void*);       // an element at a time, from one address after the other
};
extern const Kernels kOkkernelKernels, kTpukernelKernels;

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_LAUNCH_KERNELS_H_
