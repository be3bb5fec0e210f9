// The tables that special functions take: loaded by tpu_bdc_load_*, one copy on every NPU.
#ifndef TENSORLANE_TPUKERNEL_SERIES_H_
#define TENSORLANE_TPUKERNEL_SERIES_H_

#include "tensorlane/tpukernel/families.h"

namespace tensorlane::tpukernel {

// Elements of the tables. The short ones belong to the functions that take a data type; kernels
// reserve ten elements for exp and erf. [kernels]
inline constexpr int kExpWords = 32, kExpTableWords = 192, kLogWords = 32, kErfWords = 10,
                     kTurnWords = 32, kArcsinWords = 32, kShortExpWords = 10, kShortErfWords = 10,
                     kShortLogWords = 16;

struct Series {
  std::string_view param;
  int words;
};

// [1, 64, 1, words] in the aligned layout, from NPU 0.
inline OperandSpec series_operand(Role role, const Series& series, TypeOf type) {
  return shaped(local(role, series.param, type),
                {"1", "tpu_npu_num()", "1", keep(std::to_string(series.words))});
}
inline Texts series_limits(const Series& series) {
  const std::string name(series.param);
  return {keep(name + " % 64 == 0"), keep("start_npu(" + name + ") == 0")};
}

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_SERIES_H_
