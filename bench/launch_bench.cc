// What a launch and a device cost before a kernel does anything: processor time, in microseconds.
//
//   open              a device made and ended
//   launch            an empty kernel, queued behind others: all threads of the process
//   .../checks        the same with all checks, as `tensorlane run` has them
//
// Counter "us", the median over many.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>

#include "peer_timing.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/observe/environment.h"

namespace {

using namespace tensorlane;

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

std::unique_ptr<Device> open() {
  auto device = std::make_unique<Device>(bm1684());
  observe::attach_from_environment(*device, [](const std::string&) {});
  return device;
}

void launch(Device& device) {
  device.submit("empty",
                [](Session& session) { return run_kernel(session, empty_kernel, nullptr); });
}

// Times `work`, done `times` over, in every iteration.
template <class Work>
void time(benchmark::State& state, int times, Work work) {
  std::vector<double> seconds;
  work();
  for (auto _ : state) {
    const double start = process_seconds();
    work();
    seconds.push_back((process_seconds() - start) / times);
    state.SetIterationTime(seconds.back());
  }
  state.counters["us"] = 1e6 * bench::median(seconds);
}

void choose_checks(bool checks) {
  if (checks) {
    setenv("TENSORLANE_CHECK", "all", 1);
  } else {
    unsetenv("TENSORLANE_CHECK");
  }
}

void opening(benchmark::State& state, bool checks) {
  choose_checks(checks);
  time(state, 1, [] { open(); });
}

// Memory that a device takes before anything is launched, and after an empty kernel.
void resting(benchmark::State& state, bool checks) {
  choose_checks(checks);
  open();  // what belongs to the process is there
  double opened = 0, launched = 0;
  for (auto _ : state) {
    const double before = resident_kib();
    const std::unique_ptr<Device> device = open();
    opened = resident_kib() - before;
    launch(*device);
    device->drain();
    launched = resident_kib() - before;
    state.SetIterationTime(1e-6);
  }
  state.counters["opened_kib"] = opened;
  state.counters["launched_kib"] = launched;
}

void launching(benchmark::State& state, bool checks) {
  constexpr int kQueued = 256;
  choose_checks(checks);
  const std::unique_ptr<Device> device = open();
  time(state, kQueued, [&] {
    for (int k = 0; k < kQueued; ++k) launch(*device);
    device->drain();
  });
}

}  // namespace

int main(int argc, char** argv) {
  for (const bool checks : {false, true}) {
    const std::string with = checks ? "/checks" : "";
    const auto add = [&](const std::string& name, void (*run)(benchmark::State&, bool)) {
      return benchmark::RegisterBenchmark((name + with).c_str(),
                                          [=](benchmark::State& state) { run(state, checks); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    };
    add("open", opening);
    add("launch", launching);
    add("memory", resting)->Iterations(1);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
