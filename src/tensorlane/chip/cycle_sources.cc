#include "tensorlane/chip/cycle_sources.h"

namespace tensorlane {
namespace {

struct CyclesOfChip {
  std::string_view chip;
  std::span<const CycleSource> functions;
};

constexpr CycleSource kBm1684[] = {
    {"okk_bdc_avg_pool2d", 1, 1}, {"okk_bdc_conv2d", 16, 16}, {"okk_bdc_depthwise2d", 2, 2},
    {"okk_bdc_div", 4, 4},        {"okk_bdc_mac", 1, 1},      {"okk_bdc_matmul", 7, 7},
    {"okk_bdc_taylor_exp", 2, 2},
};
constexpr CycleSource kBm1684x[] = {
    {"tpu_bdc_cast", 1, 1},      {"tpu_bdc_fp32_requant", 2, 2}, {"tpu_bdc_fp32_silu", 1, 1},
    {"tpu_bdc_fp_conv2d", 1, 1}, {"tpu_bdc_fp_exp", 1, 1},       {"tpu_bdc_int8_zp_mm", 1, 1},
};
constexpr CycleSource kBm1690[] = {
    {"tpu_bdc_fp32_exp", 6, 3},
    {"tpu_bdc_fp_div", 2, 1},
    {"tpu_bdc_fp_mm", 6, 3},
    {"tpu_bdc_fp_mm_R_trans", 8, 5},
};
constexpr CycleSource kSg2260e[] = {
    {"tpu_bdc_cast", 1, 1},
    {"tpu_bdc_fp_add", 6, 1},
    {"tpu_bdc_fp_div", 1, 1},
    {"tpu_bdc_fp_mm", 2, 1},
};

constexpr CyclesOfChip kCycles[] = {
    {"bm1684", kBm1684},
    {"bm1684x", kBm1684x},
    {"bm1690", kBm1690},
    {"sg2260e", kSg2260e},
};

}  // namespace

std::span<const CycleSource> cycle_sources(const Chip& chip) {
  for (const CyclesOfChip& each : kCycles) {
    if (each.chip == chip.name) return each.functions;
  }
  return {};
}

}  // namespace tensorlane
