// Special functions of the BM1684X against plain loops of the C library over the same elements, one
// thread each, in fp32 whatever the type. Counters as in peer_timing.h, in billions of elements per
// second. Ours give the chip's bits and round to the type after every step.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "peer_timing.h"
#include "tensorlane/compute/special/functions.h"

namespace {

using namespace tensorlane;

constexpr std::size_t kElements = 1 << 16;

struct Case {
  const char* name;
  special::Function (*typed)(Dtype);
  float (*peer)(float);
};
constexpr Case kTyped[] = {
    {"exp", special::exp, std::exp},
    {"log", special::log, std::log},
    {"sin", special::sin, std::sin},
    {"cos", special::cos, std::cos},
};
struct Fp32Case {
  const char* name;
  special::Function (*function)();
  float (*peer)(float);
};
constexpr Fp32Case kFp32[] = {
    {"tanh", special::tanh, std::tanh},
    {"sigmoid", special::sigmoid, [](float x) { return 1 / (1 + std::exp(-x)); }},
    {"erf", special::erf, std::erf},
    {"arcsin", special::arcsin, std::asin},
    {"rsqrt", special::rsqrt, [](float x) { return 1 / std::sqrt(x); }},
};

void compute(benchmark::State& state, const special::Function& function, float (*peer)(float)) {
  std::vector<float> x(kElements), result(kElements);
  for (std::size_t i = 0; i < kElements; ++i) x[i] = 0.0004F * static_cast<float>(i % 2000) + 0.1F;
  const auto ours = [&] { function.vector({x.data(), nullptr, result.data(), kElements}, {}); };
  const auto plain = [&] {
    for (std::size_t i = 0; i < kElements; ++i) result[i] = peer(x[i]);
    benchmark::ClobberMemory();
  };
  bench::compare(state, kElements, ours, plain);
}

void add(const std::string& name, const special::Function& function, float (*peer)(float)) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { compute(state, function, peer); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : kTyped) {
    for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16})
      add(std::string(c.name) + "/" + std::string(dtype_name(dtype)), c.typed(dtype), c.peer);
  }
  for (const Fp32Case& c : kFp32) add(std::string(c.name) + "/fp32", c.function(), c.peer);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
