// host_tpuv7 MODULE [CORES]: launches the kernel through tpuv7_rt.h, and once through tpuDNN.h.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "scale.h"
#include "tpuDNN.h"
#include "tpuv7_rt.h"

namespace {

bool right(const std::vector<float>& got, const std::vector<float>& input, float factor) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == factor * input[i]) continue;
    std::printf("fail: element %zu is %g, not %g\n", i, got[i], factor * input[i]);
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int cores = argc > 2 ? std::atoi(argv[2]) : 1;
  tpuRtStream_t stream;
  if (tpuRtInit() != tpuRtSuccess || tpuRtSetDevice(0) != tpuRtSuccess ||
      tpuRtStreamCreate(&stream) != tpuRtSuccess)
    return 1;
  const tpuRtKernelModule_t module = tpuRtKernelLoadModuleFile(argv[1], stream);
  if (module == nullptr) return 1;

  const int count = 10007;
  const std::size_t bytes = count * sizeof(float);
  std::vector<float> input(count), output(count);
  for (int i = 0; i < count; ++i) input[i] = static_cast<float>(i % 97) - 48;
  void *from, *to;
  if (tpuRtMalloc(&from, bytes, 0) != tpuRtSuccess || tpuRtMalloc(&to, bytes, 0) != tpuRtSuccess)
    return 1;
  tpuRtMemcpyS2D(from, input.data(), bytes);

  // tpuv7: one struct for each core.
  const scale_args_t one = {reinterpret_cast<unsigned long long>(to),
                            reinterpret_cast<unsigned long long>(from), count, 3};
  std::vector<scale_args_t> args(static_cast<std::size_t>(cores), one);
  tpuRtMemset(to, 0, bytes);
  tpuRtKernelLaunchAsync(module, "scale", args.data(),
                         static_cast<uint32_t>(args.size() * sizeof one), 1,
                         static_cast<uint64_t>(cores), stream);
  bool good = tpuRtStreamSynchronize(stream) == tpuRtSuccess;
  tpuRtMemcpyD2S(output.data(), to, bytes);
  good = good && right(output, input, 3);

  // tpuDNN: one struct for all of them.
  scale_args_t all = one;
  all.factor = -5;
  const tpudnnHandle_t handle = tpudnnHandleFromStream(0, stream, module);
  tpudnnLaunchKernel(handle, "scale", &all, sizeof all, 1, cores);
  good = tpudnnSync(handle) == TPUDNN_STATUS_SUCCESS && good;
  tpudnnDestroy(handle);
  tpuRtMemcpyD2S(output.data(), to, bytes);
  good = good && right(output, input, -5);

  tpuRtFree(&from, 1);
  tpuRtFree(&to, 1);
  tpuRtKernelUnloadModule(module, stream);
  tpuRtStreamDestroy(stream);
  std::printf("%s on %d core(s)\n", good ? "pass" : "fail", cores);
  return good ? 0 : 1;
}
