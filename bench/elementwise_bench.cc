// Element-wise commands against plain loops over dense arrays of the same size, one thread each.
//
// Ours is the whole command as a kernel issues it: limits, layouts, folding, rows; the tensors fill
// local memory. Counters as in peer_timing.h, in GB/s moved. The loops divide in IEEE; the chip
// takes three Newton steps.
#include <benchmark/benchmark.h>

#include <vector>

#include "elementwise_loops.h"
#include "peer_timing.h"
#include "tensorlane/base/fp_environment.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/okk/define.h"

namespace {

using namespace tensorlane;

constexpr int kNpuBytes = 512 * 1024;

struct Case {
  const char* name;
  const char* function;
  int tensors;  // read and written, for the bytes moved
  PlainLoop peer;
};
constexpr Case kCases[] = {
    {"add", "okk_bdc_add", 3, plain_add},
    {"mul_C", "okk_bdc_mul_C", 2, plain_mul_constant},
    {"mac", "okk_bdc_mac", 4, plain_mac},
    {"max", "okk_bdc_max", 3, plain_max},
    {"relu", "okk_bdc_relu", 2, plain_relu},
    {"div", "okk_bdc_div", 3, plain_divide},
    {"greater_select_value", "okk_bdc_greater_select_value", 3, plain_select},
    {"exp", "okk_bdc_exp", 2, plain_exp},
    {"32bit_xor", "okk_bdc_32bit_xor", 3, plain_xor},
    {"32bit_xor_C", "okk_bdc_32bit_xor_C", 2, plain_xor_constant},
};

// Arguments of any of the cases: three tensors one behind the other, no strides.
std::vector<Arg> arguments(const Op& op, const dim4& shape, std::int64_t tensor_bytes) {
  std::vector<Arg> args;
  std::int64_t address = 0;
  for (const Param& param : op.params()) {
    if (param.type == "local_addr_t") {
      args.push_back(okk::encode(static_cast<unsigned>(address)));
      address += tensor_bytes;
    } else if (param.name == "shape") {
      args.push_back(okk::encode(&shape));
    } else if (param.type == "float") {
      args.push_back(okk::encode(1.5F));
    } else if (param.type == "x32") {
      args.push_back(okk::encode(x32{.fp32 = 1.0F}));
    } else {
      args.push_back(okk::encode(static_cast<const dim4*>(nullptr)));
    }
  }
  return args;
}

void elementwise(benchmark::State& state, const Case& c, dim4 shape) {
  const Op& op = *okk::find_op(c.function);
  DeviceMemory memory(bm1684());
  auto* const local = reinterpret_cast<float*>(memory.base(Space::kLocal));
  for (std::int64_t i = 0; i < std::int64_t{64} * kNpuBytes / 4; ++i)
    local[i] = static_cast<float>(i % 1000) * 0.01F + 0.5F;
  const Stride4 stride = aligned_stride(bm1684().local, 0, {shape.n, shape.c, shape.h, shape.w}, 4);
  const std::vector<Arg> args = arguments(op, shape, 4 * shape.n * stride.n);
  const std::int64_t count = std::int64_t{shape.n} * shape.c * shape.h * shape.w;
  const auto dense = [&] { return std::vector<float>(static_cast<std::size_t>(count), 0.5F); };
  std::vector<float> dst = dense(), a = dense(), b = dense();
  Session session{bm1684(), memory, {}, {}};
  const auto ours = [&] { session.issue(op, args, nullptr); };
  const auto peer = [&] {
    const ChipFloatScope flush;
    c.peer(dst.data(), a.data(), b.data(), count);
    benchmark::ClobberMemory();
  };
  bench::compare(state, 4.0 * static_cast<double>(count) * c.tensors, ours, peer);
}

struct Size {
  const char* name;
  dim4 shape;
};
constexpr Size kSizes[] = {
    {"full", {1, 64, 320, 128}}, {"middle", {1, 64, 56, 56}}, {"odd", {4, 70, 7, 7}}};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : kCases) {
    for (const Size& size : kSizes) {
      benchmark::RegisterBenchmark(
          (std::string(c.name) + "/" + size.name).c_str(),
          [&c, &size](benchmark::State& state) { elementwise(state, c, size.shape); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
