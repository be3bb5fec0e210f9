// BDC, as later chips have it: calling one ends the launch and says what it needs.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(later_bdc);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kFusedArithmetic = "fused arithmetic (later than the SG2260)";
constexpr std::string_view kDequantisation16Bits = "dequantisation to 16 bits (SG2260)";
constexpr std::string_view kSpecialFunctionUnit = "a special function unit (later than the BM1688)";
constexpr std::string_view kRandomNumberGenerator = "a random number generator (BM1688)";
constexpr std::string_view kSearchBins = "a search of bins (SG2260)";
constexpr std::string_view kMatrixProductsBias = "matrix products with a bias (BM1688)";
constexpr std::string_view k8BitFloatingPoint = "8-bit floating point (SG2260)";
constexpr std::string_view kMatrixProductsRequantisation =
    "matrix products with requantisation (BM1688)";
constexpr std::string_view kFloatingPointConvolutionRelu =
    "floating point convolution with ReLU (SG2260)";
constexpr std::string_view kConvolutionRescaling = "convolution with rescaling (SG2260)";
constexpr std::string_view kGradientsConvolutions = "gradients of convolutions (SG2260)";
constexpr std::string_view kConvolutionZerosInsertedGivenSize =
    "convolution with zeros inserted to a given size (SG2260)";
constexpr std::string_view kMinimumPooling = "minimum pooling (SG2260)";
constexpr std::string_view kConvolutionRequantisation = "convolution with requantisation (BM1688)";
constexpr std::string_view kPoolingAnyIntegers = "pooling of any integers (SG2260)";
constexpr std::string_view kSequencesAnyType = "sequences of any type (SG2260)";
constexpr std::string_view kTablesBf16Functions = "tables of bf16 functions (SG2260)";

}  // namespace

TL_TPU_OP(tpu_bdc_clamp) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(tpu_bdc_fuse_mul_cast) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(tpu_bdc_fuse_sub_clamp) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(tpu_bdc_fuse_madd) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(tpu_bdc_fuse_taylor_mul) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(tpu_bdc_fuse_exp) = later("bdc-fp", kFusedArithmetic);
TL_TPU_OP(tpu_bdc_reduce) = later("bdc-fp", kFusedArithmetic);

TL_TPU_OP(tpu_bdc_fp16_dequant) = later("quant", kDequantisation16Bits);
TL_TPU_OP(tpu_bdc_fp16_pc_dequant) = later("quant", kDequantisation16Bits);
TL_TPU_OP(tpu_bdc_bf16_dequant) = later("quant", kDequantisation16Bits);
TL_TPU_OP(tpu_bdc_bf16_pc_dequant) = later("quant", kDequantisation16Bits);
TL_TPU_OP(tpu_bdc_f16_group_dequant) = later("quant", kDequantisation16Bits);

TL_TPU_OP(tpu_bdc_fp_frexp) = later("bdc-special", kSpecialFunctionUnit);
TL_TPU_OP(tpu_bdc_fp_sfu_reciprocal) = later("bdc-special", kSpecialFunctionUnit);
TL_TPU_OP(tpu_bdc_load_div_lut) = later("bdc-special", kSpecialFunctionUnit);

TL_TPU_OP(tpu_bd_set_random_gen_seed) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(tpu_bd_rand_seed_gen) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(tpu_bdc_random_gen_init) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(tpu_bdc_random_gen) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(tpu_bdc_random_gen_load_state) = later("bdc-special", kRandomNumberGenerator);
TL_TPU_OP(tpu_bdc_random_gen_store_state) = later("bdc-special", kRandomNumberGenerator);

TL_TPU_OP(tpu_bdc_srch_bin_select) = later("bdc-select", kSearchBins);

TL_TPU_OP(tpu_bdc_fp_mm_with_bias) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(tpu_bdc_fp_mm_R_trans_with_bias) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(tpu_bdc_fp_mm_all_trans_with_bias) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(tpu_bdc_fp_mm_L_const_with_bias) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(tpu_bdc_fp_mm_R_const_with_bias) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(tpu_bdc_fp_mm_L_const_R_trans_with_bias) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(tpu_bdc_fp_mm_L_const_all_trans_with_bias) = later("bdc-mm", kMatrixProductsBias);
TL_TPU_OP(tpu_bdc_fp_mm_R_const_all_trans_with_bias) = later("bdc-mm", kMatrixProductsBias);

TL_TPU_OP(tpu_bdc_fp8_mm_with_bias) = later("bdc-mm", k8BitFloatingPoint);
TL_TPU_OP(tpu_bdc_fp8_mm_R_trans_with_bias) = later("bdc-mm", k8BitFloatingPoint);
TL_TPU_OP(tpu_bdc_fp8_mm_all_trans_with_bias) = later("bdc-mm", k8BitFloatingPoint);
TL_TPU_OP(tpu_bdc_fp8_avg_pool2d) = later("bdc-nn", k8BitFloatingPoint);
TL_TPU_OP(tpu_bdc_quant_mm) = later("bdc-mm", kMatrixProductsRequantisation);

TL_TPU_OP(tpu_bdc_fp_conv2d_with_relu) = later("bdc-nn", kFloatingPointConvolutionRelu);

TL_TPU_OP(tpu_bdc_fp_conv2d_with_rescale) = later("bdc-nn", kConvolutionRescaling);
TL_TPU_OP(tpu_bdc_fp_conv2d_rescale_C) = later("bdc-nn", kConvolutionRescaling);
TL_TPU_OP(tpu_bdc_fp_conv2d_rescale_pc) = later("bdc-nn", kConvolutionRescaling);
TL_TPU_OP(tpu_bdc_fp_depthwise2d_with_scale) = later("bdc-nn", kConvolutionRescaling);

TL_TPU_OP(tpu_bdc_fp_conv_bw) = later("bdc-nn", kGradientsConvolutions);
TL_TPU_OP(tpu_bdc_fp_conv2d_backward) = later("bdc-nn", kGradientsConvolutions);

TL_TPU_OP(tpu_bdc_fp_conv2d_with_ins) = later("bdc-nn", kConvolutionZerosInsertedGivenSize);

TL_TPU_OP(tpu_bdc_fp_min_pool2d) = later("bdc-nn", kMinimumPooling);
TL_TPU_OP(tpu_bdc_fp_roi_min_pool2d) = later("bdc-nn", kMinimumPooling);
TL_TPU_OP(tpu_bdc_int_min_pool2d) = later("bdc-nn", kMinimumPooling);
TL_TPU_OP(tpu_bdc_int8_min_pool2d) = later("bdc-nn", kMinimumPooling);
TL_TPU_OP(tpu_bdc_int8_roi_min_pool2d) = later("bdc-nn", kMinimumPooling);

TL_TPU_OP(tpu_bdc_conv2d_requant_pc) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(tpu_bdc_conv2d_requant_C) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(tpu_bdc_conv2d_requant_pc_asym_pc) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(tpu_bdc_conv2d_requant_C_asym_pc) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(tpu_bdc_conv2d_requant_C_asym_C) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(tpu_bdc_conv2d_requant_pc_asym_C) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(tpu_bdc_depthwise2d_requant_pc_asym_C) = later("bdc-nn", kConvolutionRequantisation);
TL_TPU_OP(tpu_bdc_depthwise2d_requant_C_sym_C) = later("bdc-nn", kConvolutionRequantisation);

TL_TPU_OP(tpu_bdc_int_max_pool2d) = later("bdc-nn", kPoolingAnyIntegers);

TL_TPU_OP(tpu_bdc_arithmetic_sequence_bcast_with_dtype) = later("bdc-special", kSequencesAnyType);
TL_TPU_OP(tpu_bdc_arithmetic_sequence_distribute_with_dtype) = later("bdc-special",
                                                                     kSequencesAnyType);
TL_TPU_OP(tpu_bdc_arithmetic_sequence_distribute_aligned_with_dtype) = later("bdc-special",
                                                                             kSequencesAnyType);
TL_TPU_OP(tpu_bdc_arithmetic_sequence_general_with_dtype) = later("bdc-special", kSequencesAnyType);

TL_TPU_OP(tpu_bdc_bf16_sigmoid_fast) = later("bdc-special", kTablesBf16Functions);
TL_TPU_OP(tpu_bdc_bf16_gelu_fast2) = later("bdc-special", kTablesBf16Functions);

}  // namespace tensorlane::tpukernel
