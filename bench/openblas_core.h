// OpenBLAS 0.3.21 does not know some later processors and then takes its SSE3 kernels. It reads the
// choice when it is loaded, so the program starts again with a better one.
#ifndef TENSORLANE_BENCH_OPENBLAS_CORE_H_
#define TENSORLANE_BENCH_OPENBLAS_CORE_H_

#include <cblas.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace tensorlane::bench {

inline void restart_with_better_blas(char** argv) {
  const bool has_choice = std::getenv("OPENBLAS_CORETYPE") != nullptr;
  if (has_choice || std::string(openblas_get_corename()) != "Prescott") return;
  const char* core = __builtin_cpu_supports("avx512f") ? "SkylakeX"
                     : __builtin_cpu_supports("avx2")  ? "Haswell"
                                                       : nullptr;
  if (core == nullptr) return;
  setenv("OPENBLAS_CORETYPE", core, 1);
  execv("/proc/self/exe", argv);
}

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_OPENBLAS_CORE_H_
