// Element-wise commands of the BM1684X in every type they take, against the same command in fp32 on
// as many elements, one thread.
//
// Ours is the whole command as a kernel issues it. Counters as in peer_timing.h, in billions of
// elements per second. 4096 elements per NPU fit the second-level cache with those of all NPUs; the
// odd shape has rows of 49.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "peer_timing.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/tpukernel/define.h"

namespace {

using namespace tensorlane;

struct Type {
  const char* name;
  data_type_t code;
};
constexpr Type kTypes[] = {{"fp16", DT_FP16},   {"bf16", DT_BFP16},  {"int8", DT_INT8},
                           {"uint8", DT_UINT8}, {"int16", DT_INT16}, {"int32", DT_INT32}};
constexpr const char* kFunctions[] = {
    "tpu_bdc_fp_add",  "tpu_bdc_fp_mul_C", "tpu_bdc_fp_mul", "tpu_bdc_fp_sub",
    "tpu_bdc_fp_div",  "tpu_bdc_max",      "tpu_bdc_min_C",  "tpu_bdc_relu",
    "tpu_bdc_greater", "tpu_bdc_abs",      "tpu_bdc_and",    "tpu_bdc_fp_exp",
};

// Arguments of any of them: tensors one behind the other, no strides.
std::vector<Arg> arguments(const Op& op, const dim4& shape, data_type_t type,
                           std::int64_t tensor_bytes) {
  std::vector<Arg> args;
  std::int64_t address = 0;
  for (const Param& param : op.params()) {
    if (param.type == "local_addr_t") {
      args.push_back(tpukernel::encode(static_cast<unsigned>(address)));
      address += tensor_bytes;
    } else if (param.name == "shape") {
      args.push_back(tpukernel::encode(&shape));
    } else if (param.type == "data_type_t") {
      args.push_back(tpukernel::encode(type));
    } else if (param.type == "scalar_t") {
      args.push_back(tpukernel::encode(scalar_t{.u32 = 0x3c003c00}));
    } else {
      args.push_back(tpukernel::encode(static_cast<const dim4*>(nullptr)));
    }
  }
  return args;
}

// Numbers of usual size in every type.
void fill(std::byte* memory, std::size_t bytes, data_type_t type) {
  for (std::size_t at = 0; at < bytes; at += 4) {
    const auto k = static_cast<std::uint32_t>(at / 4 * 2654435761U >> 26);
    std::uint32_t word = 0x3f000000U + (k << 16);
    if (type == DT_FP16) word = 0x38003a00U + k;
    if (type == DT_BFP16) word = 0x3f003f20U + k;
    std::memcpy(memory + at, &word, sizeof word);
  }
}

void typed(benchmark::State& state, const Op& op, const Type& type, const dim4& shape) {
  DeviceMemory memory(bm1684x());
  const std::int64_t npu_bytes = bm1684x().local.npu_bytes;
  const std::int64_t slot = npu_bytes / 8;
  Session session{bm1684x(), memory, {}, {}};
  const std::vector<Arg> args = arguments(op, shape, type.code, slot);
  const std::vector<Arg> wide = arguments(op, shape, DT_FP32, slot);
  const auto elements = static_cast<double>(shape.n) * shape.c * shape.h * shape.w;
  // Both in turn, on elements of their own.
  DeviceMemory wide_memory(bm1684x());
  Session wide_session{bm1684x(), wide_memory, {}, {}};
  const auto bytes = static_cast<std::size_t>(bm1684x().local_bytes());
  fill(memory.base(Space::kLocal), bytes, type.code);
  fill(wide_memory.base(Space::kLocal), bytes, DT_FP32);
  bench::compare(
      state, elements, [&] { session.issue(op, args, nullptr); },
      [&] { wide_session.issue(op, wide, nullptr); });
}

bool takes(const Op& op, data_type_t type, const dim4& shape) {
  Command command;
  try {
    decode(op, arguments(op, shape, type, bm1684x().local.npu_bytes / 8), bm1684x(), false,
           command);
  } catch (const IllegalCall&) {
    return false;
  }
  return true;
}

struct Size {
  const char* name;
  dim4 shape;
};
constexpr Size kSizes[] = {{"64x4096", {1, 64, 64, 64}}, {"odd", {4, 70, 7, 7}}};

}  // namespace

int main(int argc, char** argv) {
  for (const char* function : kFunctions) {
    const Op& op = *tpukernel::ops().find(function);
    for (const Type& type : kTypes) {
      for (const Size& size : kSizes) {
        if (!takes(op, type.code, size.shape)) continue;
        const std::string name = std::string(function) + "/" + type.name + "/" + size.name;
        benchmark::RegisterBenchmark(
            name.c_str(),
            [&op, &type, &size](benchmark::State& state) { typed(state, op, type, size.shape); })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
