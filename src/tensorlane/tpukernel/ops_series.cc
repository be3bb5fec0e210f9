// BDC: the tables of the chip, copied to every NPU for the functions that take them (series.h).
#include <cstring>
#include <vector>

#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/chip/static_memory.h"
#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/device/host_functions.h"
#include "tensorlane/tensor/convert.h"
#include "tensorlane/tpukernel/series.h"
#include "tensorlane/tpukernel/table_families.h"

TL_TPU_OPS_FILE(series);

namespace tensorlane::tpukernel {
namespace {

// Copies fp32 words of static memory to every NPU, in the type of the destination.
OpSpec load(const Series& series, const StaticTable& table, TypeOf type,
            const Texts& more_limits = {}) {
  const auto run = [=](const Invocation& invocation) {
    const IndexedTensor to(invocation, series.param);
    const Dtype dtype = invocation.command.operands()[0].layout.dtype();
    const ConvertOptions options = tpu_cast_options(dtype, Dtype::kFp32, RoundingMode::kHalfToEven);
    const std::byte* const from =
        invocation.memory[static_cast<std::size_t>(Space::kStatic)] + table.offset;
    const auto count = static_cast<std::size_t>(to.extent(3));
    std::vector<std::byte> row(count * static_cast<std::size_t>(to.bytes()));
    convert_elements(row.data(), dtype, from, Dtype::kFp32, count, options);
    to.each_channel(
        0, [&](std::int64_t, std::byte* channel) { std::memcpy(channel, row.data(), row.size()); });
    return true;
  };
  Texts limits = series_limits(series);
  if (!type.param.empty()) limits = join({limits, float_type(type.param), more_limits});
  return table_spec("Copies a table of the chip to every NPU.",
                    {series_operand(Role::kOut, series, type)}, limits, run);
}

// Of chips that have them.
bool load_powers(const Invocation& invocation) {
  if (numerics_of(*invocation.command.chip).rules.exponentials.value != Exponentials::kTables)
    return true;
  const std::byte* const from =
      invocation.memory[static_cast<std::size_t>(Space::kStatic)] + tensorlane::kExpTable.offset;
  const IndexedTensor to(invocation, "table_addr");
  const auto bytes = static_cast<std::size_t>(to.extent(3) * to.bytes());
  to.each_channel(0, [&](std::int64_t, std::byte* channel) { std::memcpy(channel, from, bytes); });
  return true;
}

}  // namespace

#define TPU_LOAD(name, table, into) \
  TL_TPU_OP(tpu_bdc_load_##name) = load({"coeff_addr", into}, table, Dtype::kFp32)
TPU_LOAD(fp32_exp_coeff, kExpSeries, kExpCoeff);
TL_TPU_OP(tpu_bdc_load_fp32_exp_table) =
    table_spec("Copies the table of powers of e to every NPU; nothing where a chip has none.",
               {series_operand(Role::kWork, {"table_addr", kPowersOfE}, Dtype::kFp32)},
               series_limits({"table_addr", kPowersOfE}), load_powers);
TPU_LOAD(fp32_log_coeff, kLogSeries, kLogCoeff);
TPU_LOAD(fp32_erf_coeff, kErfSeries, kErfCoeff);
TPU_LOAD(fp32_sin_coeff, kSinSeries, kSinCoeff);
TPU_LOAD(fp32_cos_coeff, kCosSeries, kCosCoeff);
TPU_LOAD(fp32_tan_coeff, kTanSeries, kTanCoeff);
TPU_LOAD(fp32_arcsin_coeff, kArcsinSeries, kArcsinCoeff);

#define TPU_LOAD_IN_TYPE(name, table, into) \
  TL_TPU_OP(tpu_bdc_load_##name) = load({"coeff_addr", into}, table, "dtype")
TPU_LOAD_IN_TYPE(fp_exp_coeff, kExpSeries, kTypedExpCoeff);
TL_TPU_OP(tpu_bdc_load_fp_erf_coeff) = load({"coeff_addr", kTypedErfCoeff}, kErfSeries, "dtype",
                                            newer_model_fp32_only("dtype"));
TPU_LOAD_IN_TYPE(fp_log_coeff, kLogSeries, kTypedLogCoeff);
TPU_LOAD_IN_TYPE(fp_sin_coeff, kSinSeries, kTypedSinCoeff);
TPU_LOAD_IN_TYPE(fp_cos_coeff, kCosSeries, kTypedCosCoeff);
TL_TPU_OP(tpu_bdc_load_fp_arcsin_coeff) = as_documented(load({"coeff_addr", kTypedArcsinCoeff},
                                                             kArcsinSeries, "dtype"));

TL_TPU_OP(sfu_taylor_exp_len) = host("Elements to reserve for tpu_bdc_load_fp_exp_coeff.",
                                     [](const HostCall&) -> std::int64_t {
                                       return kReservedExpWords;
                                     });
TL_TPU_OP(sfu_taylor_log_len) = host("Elements to reserve for tpu_bdc_load_fp_log_coeff.",
                                     [](const HostCall&) -> std::int64_t {
                                       return kReservedLogWords;
                                     });

}  // namespace tensorlane::tpukernel
