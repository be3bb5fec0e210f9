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
  std::string name;
  special::Function function;
  float (*peer)(float);
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16}) {
    const std::string type = "/" + std::string(dtype_name(dtype));
    all.push_back({"exp" + type, special::exp(dtype), std::exp});
    all.push_back({"log" + type, special::log(dtype), std::log});
    all.push_back({"sin" + type, special::sin(dtype), std::sin});
    all.push_back({"cos" + type, special::cos(dtype), std::cos});
  }
  all.push_back({"tanh/fp32", special::tanh(), std::tanh});
  all.push_back(
      {"sigmoid/fp32", special::sigmoid(), [](float x) { return 1 / (1 + std::exp(-x)); }});
  all.push_back({"erf/fp32", special::erf(), std::erf});
  all.push_back({"arcsin/fp32", special::arcsin(), std::asin});
  all.push_back({"rsqrt/fp32", special::rsqrt(), [](float x) { return 1 / std::sqrt(x); }});
  return all;
}

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
  for (const Case& c : cases()) add(c.name, c.function, c.peer);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
