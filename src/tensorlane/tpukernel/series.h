// The tables that special functions take: loaded by tpu_bdc_load_*, one copy on every NPU.
#ifndef TENSORLANE_TPUKERNEL_SERIES_H_
#define TENSORLANE_TPUKERNEL_SERIES_H_

#include "tensorlane/tpukernel/families.h"

namespace tensorlane::tpukernel {

// Elements of the tables, as texts of the ops list. Those of functions that take a data type have
// fewer in 16 bits. The chip of 2024 has no table of powers of e; kernels pass its space.
// [observed]
inline constexpr std::string_view kExpWords = "10", kExpTableWords = "192", kLogWords = "16",
                                  kErfWords = "10", kTurnWords = "32", kArcsinWords = "32",
                                  kTypedExpWords = "10 - 3 * ((4 - dtype.bytes) / 2)",
                                  kTypedLogWords = "4 * dtype.bytes",
                                  kTypedTurnWords = "8 * dtype.bytes",
                                  kTypedArcsinWords = "8 * dtype.bytes";
// What kernels reserve for the series of exp and log. [kernels]
inline constexpr int kReservedExpWords = 10, kReservedLogWords = 16;

struct Series {
  std::string_view param;
  std::string_view words;
};

// [1, 64, 1, words] in the aligned layout, from NPU 0.
inline OperandSpec series_operand(Role role, const Series& series, TypeOf type) {
  return shaped(local(role, series.param, type), {"1", "tpu_npu_num()", "1", series.words});
}
inline Texts series_limits(const Series& series) {
  const std::string name(series.param);
  return {keep(name + " % 64 == 0"), keep("start_npu(" + name + ") == 0")};
}

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_SERIES_H_
