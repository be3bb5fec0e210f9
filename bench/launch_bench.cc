// What a device, a launch and a command cost beside the work they are there for: processor time of
// all threads, in microseconds, on each chip.
//
//   open        a device made and ended
//   launch      an empty kernel, queued behind others
//   add         an fp32 addition of one element, the same again and again: from the kernel's call
//               to the next one, per command
//   moving add  the same, to two addresses in turn
//   copy        an element from global memory, from another address each time
//   .../checks  the same with all checks, as `tensorlane run` has them
//
// Counter "us", the median over many; of "memory" the KiB that a device takes.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>

#include "launch_kernels.h"
#include "peer_timing.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/observe/environment.h"

namespace {

using namespace tensorlane;

struct Subject {
  const Chip& chip;
  const bench::Kernels& kernels;
  bool checks;
};

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Resident memory of this process.
double resident_kib() {
  constexpr double kPageKib = 4;
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return kPageKib * static_cast<double>(resident);
}

void empty_kernel(const void*) {}

std::unique_ptr<Device> open(const Subject& subject) {
  if (subject.checks) {
    setenv("TENSORLANE_CHECK", "all", 1);
  } else {
    unsetenv("TENSORLANE_CHECK");
  }
  auto device = std::make_unique<Device>(subject.chip);
  observe::attach_from_environment(*device, [](const std::string&) {});
  return device;
}

void launch(Device& device, KernelFunction kernel, std::span<const std::byte> args = {}) {
  device.submit(
      "kernel",
      [kernel, args](Session& session) { return run_kernel(session, kernel, args.data()); }, args);
}

// Times `work`, which does one thing `times` over, in every iteration; "us" is of one.
template <class Work>
void time(benchmark::State& state, int times, Work work) {
  std::vector<double> seconds;
  work();
  for (auto _ : state) {
    const double start = process_seconds();
    work();
    const double all = process_seconds() - start;
    seconds.push_back(all / times);
    state.SetIterationTime(all);
  }
  state.counters["us"] = 1e6 * bench::median(seconds);
}

void opening(benchmark::State& state, const Subject& subject) {
  time(state, 1, [&] { open(subject); });
}

void launching(benchmark::State& state, const Subject& subject) {
  constexpr int kQueued = 256;
  const std::unique_ptr<Device> device = open(subject);
  time(state, kQueued, [&] {
    for (int k = 0; k < kQueued; ++k) launch(*device, empty_kernel);
    device->drain();
  });
}

void commanding(benchmark::State& state, const Subject& subject, KernelFunction kernel) {
  constexpr int kCommands = 20000;
  const std::unique_ptr<Device> device = open(subject);
  const std::optional<std::uint64_t> global = device->allocate(bench::kCopied);
  if (!global) return state.SkipWithError("no memory");
  device->host_access(HostAccess::kWrite, *global, bench::kCopied);
  const bench::Commands commands{kCommands, *global};
  time(state, kCommands, [&] {
    launch(*device, kernel, std::as_bytes(std::span(&commands, 1)));
    device->drain();
  });
}

// Memory that a device takes before anything is launched, and after an empty kernel.
void resting(benchmark::State& state, const Subject& subject) {
  open(subject);  // what belongs to the process is there
  double opened = 0, launched = 0;
  for (auto _ : state) {
    const double before = resident_kib();
    const std::unique_ptr<Device> device = open(subject);
    opened = resident_kib() - before;
    launch(*device, empty_kernel);
    device->drain();
    launched = resident_kib() - before;
    state.SetIterationTime(1e-6);
  }
  state.counters["opened_kib"] = opened;
  state.counters["launched_kib"] = launched;
}

template <class Run>
benchmark::internal::Benchmark* add(const Subject& subject, const std::string& what, Run run) {
  const std::string name =
      std::string(subject.chip.name) + "/" + what + (subject.checks ? "/checks" : "");
  return benchmark::RegisterBenchmark(name.c_str(),
                                      [=](benchmark::State& state) { run(state, subject); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void add_all(const Subject& subject) {
  add(subject, "open", opening);
  add(subject, "launch", launching);
  const auto add_commands = [&](const std::string& what, KernelFunction kernel) {
    add(subject, what,
        [kernel](benchmark::State& state, const Subject& of) { commanding(state, of, kernel); });
  };
  add_commands("add", subject.kernels.adds);
  add_commands("moving add", subject.kernels.moving_adds);
  add_commands("copy", subject.kernels.copies);
  add(subject, "memory", resting)->Iterations(1);
}

}  // namespace

int main(int argc, char** argv) {
  for (const bool checks : {false, true}) {
    add_all({bm1684(), bench::kOkkernelKernels, checks});
    add_all({bm1684x(), bench::kTpukernelKernels, checks});
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
