// The tables that special functions take: loaded by tpu_bdc_load_*, one copy on every NPU.
#ifndef TENSORLANE_TPUKERNEL_SERIES_H_
#define TENSORLANE_TPUKERNEL_SERIES_H_

#include "tensorlane/tpukernel/families.h"

namespace tensorlane::tpukernel {

// What fills a table, and its elements, as a text of the ops list. Those of functions that take a
// data type have fewer in 16 bits. The chip of 2024 has no table of powers of e; kernels pass its
// space. [observed]
struct Table {
  std::string_view loader;
  std::string_view words;
};
inline constexpr Table kExpCoeff = {"tpu_bdc_load_fp32_exp_coeff", "tpu_exp_terms()"},
                       kPowersOfE = {"tpu_bdc_load_fp32_exp_table", "192"},
                       kLogCoeff = {"tpu_bdc_load_fp32_log_coeff", "tpu_log_terms()"},
                       kErfCoeff = {"tpu_bdc_load_fp32_erf_coeff", "10"},
                       kSinCoeff = {"tpu_bdc_load_fp32_sin_coeff", "32"},
                       kCosCoeff = {"tpu_bdc_load_fp32_cos_coeff", "32"},
                       kTanCoeff = {"tpu_bdc_load_fp32_tan_coeff", "32"},
                       kArcsinCoeff = {"tpu_bdc_load_fp32_arcsin_coeff", "32"},
                       kTypedExpCoeff = {"tpu_bdc_load_fp_exp_coeff",
                                         "10 - 3 * ((4 - dtype.bytes) / 2)"},
                       kTypedErfCoeff = {"tpu_bdc_load_fp_erf_coeff", "10"},
                       kTypedLogCoeff = {"tpu_bdc_load_fp_log_coeff", "4 * dtype.bytes"},
                       kTypedSinCoeff = {"tpu_bdc_load_fp_sin_coeff", "8 * dtype.bytes"},
                       kTypedCosCoeff = {"tpu_bdc_load_fp_cos_coeff", "8 * dtype.bytes"},
                       kTypedArcsinCoeff = {"tpu_bdc_load_fp_arcsin_coeff", "8 * dtype.bytes"};
// What kernels reserve for the series of exp and log. [kernels]
inline constexpr int kReservedExpWords = 10, kReservedLogWords = 16;

struct Series {
  std::string_view param;
  Table table;
};

// [1, 64, 1, words] in the aligned layout, from NPU 0.
inline OperandSpec series_operand(Role role, const Series& series, TypeOf type) {
  OperandSpec operand =
      shaped(local(role, series.param, type), {"1", "tpu_npu_num()", "1", series.table.words});
  if (role != Role::kOut) operand.loaded_by = series.table.loader;
  return operand;
}
inline Texts series_limits(const Series& series) {
  const std::string name(series.param);
  return {keep(name + " % tpu_eu_num(DT_INT8) == 0"), keep("start_npu(" + name + ") == 0")};
}

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_SERIES_H_
