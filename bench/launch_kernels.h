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

// The kernels in an interface, of whose headers a source file can include only one. Api has its
// functions, for single elements, and tensors of one element in kTo and kFrom.
template <class Api>
struct KernelsOf {
  // A kernel that does `command(k)` for each of its commands.
  template <class Command>
  static void repeat(const void* args, Command command) {
    Api::initialize();
    for (const auto address : Api::kFrom) Api::set_one(address);
    for (int k = 0; k < static_cast<const Commands*>(args)->count; ++k) command(k);
    Api::poll();
  }
  static void adds(const void* args) {
    repeat(args, [](int) { Api::add(Api::kTo[0], Api::kFrom[0], Api::kFrom[1]); });
  }
  static void moving_adds(const void* args) {
    repeat(args, [](int k) { Api::add(Api::kTo[k % 2], Api::kFrom[0], Api::kFrom[1]); });
  }
  static void copies(const void* args) {
    const std::uint64_t global = static_cast<const Commands*>(args)->global;
    repeat(args,
           [=](int k) { Api::copy(Api::kTo[0], global + static_cast<unsigned>(k * 4 % kCopied)); });
  }
  static constexpr Kernels kAll = {adds, moving_adds, copies};
};

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_LAUNCH_KERNELS_H_
