// What a second thread gains: products, convolutions, element-wise commands and copies of full
// local memory, each command on one thread and on two, in turn, by the clock on the wall.
//
// Counters, from the median time of each (a worker of the pair before may still help the first
// thread now and then, which the least time would take for the rule): "one_us" and "two_us",
// "speed_up" = one / two, the share of the work that only one thread does ("serial", by Amdahl's
// law from these two), and the speed-up on 16 threads that this share leaves ("at_16"). Wants a
// machine with nothing else to do.
//
// --two_threads runs each command on two threads alone, for serial_share.py, which needs no such
// machine.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

#include "ops/sources.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/front_ends/legal_calls.h"

namespace {

using namespace tensorlane;

// Functions by their names, in the type of their first call or in the one that is named.
struct Case {
  std::string_view function, types;
};
constexpr Case kCases[] = {
    {"tpu_bdc_fp_mm_R_trans", "fp16"},
    {"tpu_bdc_fp_mm_all_trans", "fp16"},
    {"tpu_bdc_fp32_mm", ""},
    {"tpu_bdc_int8_zp_mm", ""},
    {"tpu_bdc_int8_pc_zp_mm", ""},
    {"tpu_bdc_int8_mm", ""},
    {"tpu_bdc_int_mm", ""},
    {"tpu_bdc_int8_asym_quant_conv2d", ""},
    {"okk_bdc_conv2d", ""},
    {"okk_bdc_matmul", ""},
    {"okk_bdc_depthwise2d", ""},
    {"okk_bdc_add", ""},
    {"okk_bdc_exp", ""},
    {"okk_gdma_32bit_cpy_S2L", ""},
    {"tpu_bdc_fp_conv2d", "fp16"},
    {"tpu_bdc_fp_mm", "fp16"},
    {"tpu_bdc_int8_sym_quant_conv2d", ""},
    {"tpu_bdc_fp_add", "fp16"},
    {"tpu_bdc_fp_exp", "fp16"},
    {"tpu_gdma_cpy_S2L", "fp16"},
};

bool two_threads_alone = false;

double wall_seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double>& times) {
  if (times.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

void scaling(benchmark::State& state, const OpCall& call) {
  DeviceMemory memory(*call.chip);
  Session session{*call.chip, memory, {}, {}};
  Command command;
  decode(*call.op, call.args, *call.chip, false, command);
  bench::fill_sources(command, memory.bases());
  const auto on_threads = [&](int threads) {
    limit_threads(threads);
    return wall_seconds([&] { session.issue(*call.op, call.args, nullptr); });
  };
  on_threads(2);
  std::vector<double> ones, twos;
  for (auto _ : state) {
    if (!two_threads_alone) ones.push_back(on_threads(1));
    twos.push_back(on_threads(2));
    state.SetIterationTime(twos.back());
  }
  const double one = median(ones), two = median(twos);
  const double serial = std::clamp(2 * two / one - 1, 0.0, 1.0);
  state.counters["one_us"] = 1e6 * one;
  state.counters["two_us"] = 1e6 * two;
  state.counters["speed_up"] = one / two;
  state.counters["serial"] = serial;
  state.counters["at_16"] = 1 / (serial + (1 - serial) / 16);
}

const OpCall* choose(std::span<const OpCall> calls, std::string_view types) {
  const auto found = std::ranges::find_if(calls, [&](const OpCall& call) {
    return call.size == CallSize::kFull && (types.empty() || call.types == types);
  });
  return found == calls.end() ? nullptr : &*found;
}

}  // namespace

int main(int argc, char** argv) {
  char** const end = std::remove_if(argv + 1, argv + argc, [](const char* word) {
    return word == std::string_view("--two_threads");
  });
  two_threads_alone = end != argv + argc;
  argc = static_cast<int>(end - argv);
  for (const auto& [function, types] : kCases) {
    for (const FrontEnd* front_end : all_front_ends()) {
      const Op* const op = front_end->ops().find(function);
      if (op == nullptr) continue;
      const std::vector<OpCall> calls = calls_of(*front_end, *op);
      if (const OpCall* const call = choose(calls, types)) {
        benchmark::RegisterBenchmark(
            fmt::format("{} {}", function, call->types).c_str(),
            [call = *call](benchmark::State& state) { scaling(state, call); })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
