#include "ops_words.h"

#include "tensorlane/base/language.h"

namespace tensorlane::cli {
namespace {

constexpr Meaning kMeanings[] = {
    {"rope rotary rotary-embedding rotary-position-embedding position-embedding 旋转位置编码",
     "mul_ sub_ add_",
     msg("RoPE is composed: with the two halves a, b of a row and tables of cosines and sines, "
         "a * cos - b * sin and a * sin + b * cos; a half is the same tensor from another address. "
         "Recipe: docs/learn/recipes.md, examples/learn/rope")},
    {"reduce-sum sum reduce reduction accumulate total 求和 累加 归约 规约",
     "reduce avg_pool2d depthwise2d fp_ins_avg matmul fp_mm fp32_mm mac",
     msg("A sum over H and W is an average pooling with the scale 1 (tpu) or times the window "
         "(okk); "
         "over C a product with a column of ones. Example: "
         "examples/okkernel/operators/reducesum.c")},
    {"global-average-pool global-average-pooling global-pool global-pooling average-pool "
     "average-pooling reduce-mean avg mean average 平均 均值",
     "avg_pool2d reduce fp_hw_reduce hw_reduce ins_avg"},
    {"broadcast bcast expand tile repeat 广播",
     "bcast npu_bcast channel_bcast bias scale system_bcast batch_bcast",
     msg("A stride of 0 repeats a source along N, H or W in any function that takes its strides; "
         "from one channel to all NPUs data has to be copied.")},
    {"transpose permute permutation nhwc 转置 置换 重排",
     "trans nc_trans cw_trans wc_trans matrix_trans 32bit_cpy 16bit_cpy 8bit_cpy",
     msg("A copy transposes where the strides of one side are those of the other in another order. "
         "Recipe: docs/learn/recipes.md, examples/learn/transposes; example: "
         "examples/okkernel/operators/transpose.c")},
    {"soft-max log-softmax softmax", "exp fp32_exp fp_exp_for max_pool2d reduce reciprocal div_",
     msg("softmax is no function of its own: the maximum of a row, subtraction, exp, sum, "
         "division. "
         "Examples: examples/okkernel/operators/softmax.c, examples/tpukernel/softmax")},
    {"self-attention flash-attention multi-head-attention attention transformer 注意力 注意力机制",
     "matmul fp_mm fp32_mm exp fp32_exp fp_exp_for",
     msg("Attention is composed: a matrix product, a scale, softmax, a matrix product. Recipe: "
         "docs/learn/recipes.md, examples/learn/attention")},
    {"instance-norm instancenorm layer-norm batch-norm group-norm rms-norm rmsnorm "
     "instance-normalization layer-normalization layernorm batchnorm groupnorm norm normalize "
     "normalization variance std stddev 归一化 "
     "层归一化 批归一化 方差 标准差",
     "rsqrt scale_bias avg_pool2d fp_hw_reduce fp_sub_bias_sqr",
     msg("A normalisation is composed: mean, differences, mean of their squares, rsqrt, scale and "
         "bias. Recipe: docs/learn/recipes.md, examples/learn/norm; example: "
         "examples/tpukernel/layernorm")},
    {"gelu", "gelu erf tanh_",
     msg("Without a gelu: x / 2 * (1 + tanh(0.79788456 * (x + 0.044715 * x^3))).")},
    {"silu swish", "silu swish sigmoid", msg("silu(x) = x * sigmoid(x).")},
    {"activation-function activation activate 激活 激活函数",
     "relu prelu sigmoid tanh_ gelu silu swish elu selu mish softplus softsign hsigmoid hswish"},
    {"leaky-relu leaky leakyrelu parametric-relu 带泄漏的relu", "prelu relu max_ mul_C",
     msg("Without a prelu: the larger of x and slope * x, for a slope below 1.")},
    {"relu rectifier rectified-linear 线性整流", "relu"},
    {"hard-swish hardswish h-swish hard-sigmoid hardsigmoid h-sigmoid",
     "hswish hsigmoid clamp min_C max_C",
     msg("Without them: clamp(x / 6 + 1 / 2, 0, 1), times x for hswish.")},
    {"convolution convolve conv dilation dilated atrous 卷积 二维卷积 空洞卷积 膨胀卷积",
     "conv2d conv_bw depthwise"},
    {"depthwise separable groups group-convolution grouped-convolution group-conv grouped-conv "
     "depthwise-convolution depthwise-conv 逐通道卷积 深度卷积 分组卷积 组卷积",
     "depthwise conv2d",
     msg("Groups of more than one channel are convolutions of their own, one call for each "
         "group.")},
    {"transposed-convolution transposed-conv deconvolution deconv upsample upsampling 反卷积 "
     "转置卷积 上采样",
     "conv2d_for_deconv2d depthwise_for_deconv2d "
     "int8_pc_pad_depthwise_for for_deconv2d"},
    {"pooling pool downsample 池化 下采样", "avg_pool2d max_pool2d min_pool2d roi_ ins_avg"},
    {"matrix-multiply matrix-multiplication matrix-product matrix-mul mat-mul batch-matmul "
     "batch-matrix-multiply batch-matrix-multiplication "
     "fully-connected inner-product dot-product matmul gemm bmm einsum product multiply-matrix dot "
     "linear dense fc inner 矩阵乘 矩阵乘法 批量矩阵乘 批量矩阵乘法 "
     "矩阵乘积 乘积 全连接 内积 点积",
     "matmul mm_"},
    {"data-movement copy-data move-data copy move load store memcpy dma transfer 搬运 拷贝 复制 "
     "加载 存储 搬移",
     "cpy cpy_ matrix_ vector_ compact_"},
    {"fill zero zeros ones clear memset constant pad padding 填充 清零 置零 常数 补零",
     "set_C system_set"},
    {"type-conversion data-type cast convert astype conversion type 类型转换 转换", "cast_ to_"},
    {"quantize quantise quantization quantisation dequantize dequantise requantize requantise 量化 "
     "反量化 重量化",
     "requant dequant fp32_to_4N 4N_int8_to_fp32 int8_to_fp32 fixed_point_packed_mul"},
    {"quantized-convolution quantised-convolution quantized-conv quantised-conv int8-convolution "
     "int8-conv quantize-convolution quantise-convolution 量化卷积",
     "quant_conv2d conv2d int8_to_fp32",
     msg("Recipe: docs/learn/recipes.md, examples/learn/quantised")},
    {"exponential exp e^x 指数", "exp exp_ expm1"},
    {"logarithm log ln 对数", "log_ log1p logx"},
    {"square-root root square-root sqrt rsqrt 平方根 开方", "sqrt rsqrt"},
    {"square squared 平方", "square mul_ sqr_"},
    {"power pow 幂 乘方", "pow"},
    {"reciprocal inverse 倒数", "reciprocal"},
    {"divide division quotient / 除 除法", "div div_"},
    {"multiply times mul * 乘 乘法", "mul_ mac"},
    {"add plus + 加 加法", "add_"},
    {"subtract minus difference sub - 减 减法", "sub_ diff_abs"},
    {"absolute abs 绝对值", "abs_ diff_abs 32bit_and_C",
     msg("Without an abs: the larger of x and -x, or the bits of x and 0x7fffffff.")},
    {"negate neg 取负 相反数", "neg_ C_sub"},
    {"max-value reduce-max maximum largest max 最大 最大值", "max_ max_pool2d maximum"},
    {"minimum smallest min 最小 最小值", "min_ min_pool2d minimum"},
    {"clamp clip relu6 saturate 截断 限幅 裁剪", "clamp min_C max_C"},
    {"compare comparison < > == 比较", "greater less equal not_equal"},
    {"select where choose if mask 选择 掩码 条件", "select mask greater_select equal_select"},
    {"top-k arg-max arg-min sort topk top-k argsort argmax argmin largest-elements 排序 前k 前k个",
     "sort maximum_greater minimum_less max_pool2d equal_select",
     msg("The largest elements with their positions: tpu_hau_sort_natural_index. Recipe: "
         "docs/learn/recipes.md, examples/learn/topk; example: "
         "examples/tpukernel/topk")},
    {"index-select gather index_select embedding embedding-lookup lookup-embedding gather-rows "
     "take 收集 取数 索引 嵌入",
     "gather line_gather w_gather"},
    {"scatter scatter-add scatter-nd 散布 分散", "scatter cpy_S2S",
     msg("No function adds where it scatters, and the BM1684 scatters by copies of single "
         "elements.")},
    {"table-lookup look-up lookup table lut 查表", "lookup table_lookup"},
    {"non-zero nonzero count 非零", "nonzero mask_select get_filter"},
    {"shift << >> 移位", "arithmetic_shift logical_shift"},
    {"bitwise bit bits 位 位运算 按位 按位与 按位或 异或 按位异或 取反 按位取反",
     "and_ or_ xor_ not_ 32bit_and 32bit_or 32bit_xor"},
    {"trigonometry sine cosine tangent 三角函数 正弦 余弦",
     "sin cos tan_ cot arcsin arccos arctanh"},
    {"hyperbolic 双曲 双曲正切 双曲函数", "tanh_ sinh cosh arctanh arcsinh arccosh"},
    {"element-wise elementwise element-wise pointwise arithmetic 逐元素 算术 四则运算",
     "add_ sub_ mul_ div_ max_ min_"},
    {"round rounding floor ceil truncate 取整 舍入", "round floor ceil fp32_to_int32 fp_to_int"},
    {"concat concatenate split slice strided-slice crop stack unstack chunk 拼接 切分 切片",
     "cpy cpy_",
     msg("Parts are copies: the address of the part, its shape, and the strides of the whole.")},
    {"reshape view flatten squeeze unsqueeze 变形 改变形状 展平", "cpy cpy_",
     msg("In system memory a reshape is another shape at the same address. In local memory "
         "elements "
         "change their NPU: copy to system memory and back with the new shape.")},
    {"bilinear bilinear-resize bilinear-interpolation resize-bilinear 双线性 双线性插值",
     "matmul fp_mm fp32_mm mac for_deconv2d depthwise_for mul_ add_",
     msg("Bilinear interpolation is composed: four copies by strides, each times its weight, "
         "added; "
         "or "
         "a product with a matrix of weights for every axis.")},
    {"nearest-neighbour nearest-neighbor resize upsample-nearest nearest-upsample interpolate "
     "interpolation nearest 插值 最近邻 最近邻插值",
     "cpy cpy_ for_deconv2d",
     msg("Nearest neighbour is a copy: a source stride of 0 repeats a row or a column.")},
    {"wait barrier synchronize synchronise sync 同步 等待", "poll sync hau_poll"},
    {"double-buffering ping-pong overlap parallel pingpong ping-pong double-buffer 并行 并行区域 "
     "乒乓 双缓冲",
     "parallel"},
    {"stride strides layout aligned compact 步长 布局 对齐 紧凑",
     "128_byte compact_stride continuous_stride aligned_stride line_aligned get_local channle"},
    {"memory size capacity budget 内存 大小 容量",
     "local_mem_size l2_sram_size dtcm_size get_local_size"},
    {"lanes npus cores eu 通道数 处理单元", "npu_num eu_num core_num"},
    {"random dropout 随机", "random"},
    {"compress decompress 压缩 解压", "compress decompress lossy"},
    {"nms 非极大值抑制", "hard_nms soft_nms"},
    {"print printf debug log dump 打印 调试", "print dump"},
    {"arange range iota sequence 序列 等差", "arithmetic_sequence generate_arithmetic"},
    {"roi region 感兴趣区域", "roi_"},
    {"reverse flip 翻转 逆序", "reverse"},
    {"bias 偏置", "bias"},
    {"scale 缩放", "scale"},
};

}  // namespace

std::span<const Meaning> word_meanings() {
  return kMeanings;
}

std::string_view filler_words() {
  return "a an the of for to and with in on by over how do i can is are what which use using does "
         "make get function functions op operator kernel tensor tensors 怎么 如何 怎样 做 用 函数 "
         "的";
}

std::string_view narrowing_words() {
  return "fp32 fp16 bf16 bfp16 float half int8 uint8 int16 int32 int4 fp8 row rows column columns "
         "channel channels nchw nhwc along axis dim dimension descending ascending vector matrix "
         "tensor batch 行 列 按行 按列 沿 步长 stride strides 向量 张量";
}

}  // namespace tensorlane::cli
