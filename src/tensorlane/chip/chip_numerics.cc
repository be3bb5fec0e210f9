// The rules of the chips that compute otherwise than the chip that their interface's list was
// recorded on, and what their bits rest on.
#include "tensorlane/chip/bm1688_recorded.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/chip/numerics_rules.h"

namespace tensorlane {
namespace {

constexpr Evidence kRecorded = Evidence::kModel, kHash = Evidence::kBoardHash,
                   kOpen = Evidence::kChoice;

// Roots and quotients of any float type, whose steps are another rule for each: of the BM1688 those
// of fp32 alone were recorded.
constexpr std::string_view kTypedRoots =
    "tpu_bdc_fp_div tpu_bdc_fp_div_C tpu_bdc_fp_C_div tpu_bdc_fp_tunable_div "
    "tpu_bdc_fp_tunable_div_C tpu_bdc_fp_tunable_C_div tpu_bdc_fp_reciprocal "
    "tpu_bdc_fp_tunable_reciprocal tpu_bdc_fp_sqrt tpu_bdc_fp_tunable_sqrt tpu_bdc_fp_rsqrt "
    "tpu_bdc_fp_tunable_rsqrt";

struct Row {
  std::string_view chip;
  ChipNumerics numerics;
};

// Of a chip without a public model: what hashes from boards decide; the rest is a choice.
NumericsRules by_hashes(int exact_products, Roots roots) {
  return {.exact_products = {exact_products, kHash},
          .exponentials = {Exponentials::kSeries, kOpen},
          .roots = {roots, kHash},
          .rounds_denormals_as_zero = {false, kOpen},
          .nan_loses_in_pooling = {false, kOpen},
          .inserts_padding = {false, kOpen},
          .saturates_sums = {false, kOpen},
          .unsigned_zero_point = {false, kOpen},
          .packed_quantisation = {true, kOpen}};
}

std::vector<Row> make_rows() {
  return {
      {"bm1688",
       {.rules = {.exact_products = {16, kRecorded},
                  .exponentials = {Exponentials::kTables, kRecorded},
                  .roots = {Roots::kCheckedTyped, kRecorded},
                  .rounds_denormals_as_zero = {true, kRecorded},
                  .nan_loses_in_pooling = {true, kRecorded},
                  .inserts_padding = {true, kRecorded},
                  .saturates_sums = {true, kRecorded},
                  .unsigned_zero_point = {true, kRecorded},
                  .packed_quantisation = {true, kRecorded}},
        .has_own_claims = false,
        // The hash of the BM1690's quotients of fp16 is what this model gives, too.
        .evidence = {{kTypedRoots, kRecorded, {Dtype::kFp32}},
                     {"tpu_bdc_fp_div", kHash, {Dtype::kFp16}},
                     {kTypedRoots, kOpen},
                     {bm1688_recorded_functions(), kRecorded}},
        .copy_stride_bytes = 64}},
      // The hash of quotients of fp16 decides roots of that type, one of a product the sums.
      {"bm1690",
       {.rules = by_hashes(32, Roots::kCheckedTyped),
        .has_own_claims = false,
        .evidence = {{"tpu_bdc_fp_add tpu_bdc_fp_sub tpu_bdc_fp_mul tpu_bdc_fp_div tpu_bdc_fp_mm",
                      kHash,
                      {Dtype::kFp16}}}}},
      {"sg2260e",
       {.rules = by_hashes(32, Roots::kBare),
        .has_own_claims = false,
        .evidence =
            {{"tpu_bdc_fp_mm tpu_bdc_fp_mm_R_trans", kHash, {Dtype::kFp16, Dtype::kBf16}},
             {"tpu_bdc_fp32_rsqrt tpu_bdc_fp_rsqrt", kHash, {Dtype::kFp32, Dtype::kFp16}}}}},
  };
}

}  // namespace

const ChipNumerics& numerics_of(const Chip& chip) {
  // Never destroyed: devices end, and report, after main.
  static const std::vector<Row>& rows = *new std::vector<Row>(make_rows());
  static const ChipNumerics& usual = *new ChipNumerics();
  for (const Row& row : rows)
    if (row.chip == chip.name) return row.numerics;
  return usual;
}

}  // namespace tensorlane
