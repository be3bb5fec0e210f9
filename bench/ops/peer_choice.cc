#include "peer_choice.h"

#include <algorithm>

namespace tensorlane::bench {
namespace {

struct Rule {
  std::string_view fragment;  // of the function's name
  PeerKind kind;
  std::string_view operation = {};
};

// The first that fits counts.
constexpr Rule kRules[] = {
    {"cpy_reduce", PeerKind::kLoop, "mul in place"},  // which is what the calls ask for
    {"_load_", PeerKind::kSpread},
    {"_from_static", PeerKind::kSpread},
    {"sequence_distribute", PeerKind::kSpread},
    {"_roi_", PeerKind::kPool},
    {"reduce_mean", PeerKind::kRowSum},
    {"taylor_exp", PeerKind::kLibrary, "exp"},
    {"taylor", PeerKind::kPolynomial},
    {"depthwise", PeerKind::kDepthwise},
    {"conv2d", PeerKind::kConvolution},
    {"pool2d", PeerKind::kPool},
    {"_mm", PeerKind::kMatrix},
    {"matmul", PeerKind::kMatrix},
    {"_sort", PeerKind::kSort},
    {"_nms", PeerKind::kSuppression},
    {"gather", PeerKind::kGather},
    {"scatter", PeerKind::kScatter},
    {"table_lookup", PeerKind::kGather},
    {"mask_select", PeerKind::kMask},
    {"nonzero", PeerKind::kMask},
    {"reverse", PeerKind::kReverse},
    {"nc_trans", PeerKind::kCopy},  // rows stay whole
    {"_trans", PeerKind::kTranspose},
    {"_vc_div", PeerKind::kOuter, "div"},
    {"_vc_", PeerKind::kOuter},
    {"set_C", PeerKind::kFill},
    {"_system_set", PeerKind::kFill},
    {"arithmetic_sequence", PeerKind::kFill},
    {"requant", PeerKind::kLoop, "requant"},
    {"dequant", PeerKind::kLoop, "requant"},
    {"maximum_greater_select", PeerKind::kLoop, "select two"},
    {"minimum_less_select", PeerKind::kLoop, "select two"},
    {"greater_select", PeerKind::kLoop, "select"},
    {"less_select", PeerKind::kLoop, "select"},
    {"equal_select", PeerKind::kLoop, "select"},
    {"rsqrt", PeerKind::kLibrary, "rsqrt"},
    {"sqrt", PeerKind::kLibrary, "sqrt"},
    {"softplus", PeerKind::kLibrary, "log1p"},
    {"log_sigmoid", PeerKind::kLibrary, "log1p"},
    {"softsign", PeerKind::kLoop, "div"},
    {"hsigmoid", PeerKind::kLoop, "hsigmoid"},
    {"hswish", PeerKind::kLoop, "hswish"},
    {"gelu_fast2", PeerKind::kLibrary, "sigmoid"},
    {"gelu_fast", PeerKind::kLibrary, "tanh"},
    {"gelu", PeerKind::kLibrary, "gelu"},
    {"sigmoid", PeerKind::kLibrary, "sigmoid"},
    {"silu", PeerKind::kLibrary, "sigmoid"},
    {"swish", PeerKind::kLibrary, "sigmoid"},
    {"mish", PeerKind::kLibrary, "tanh"},
    {"selu", PeerKind::kLibrary, "exp"},
    {"fp_elu", PeerKind::kLibrary, "expm1"},
    {"fp32_elu", PeerKind::kLibrary, "expm1"},
    {"exponent_part", PeerKind::kLoop, "convert"},
    {"expm1", PeerKind::kLibrary, "expm1"},
    {"exp", PeerKind::kLibrary, "exp"},
    {"log1p", PeerKind::kLibrary, "log1p"},
    {"logical", PeerKind::kLoop, "shift"},
    {"arithmetic_shift", PeerKind::kLoop, "shift"},
    {"log", PeerKind::kLibrary, "log"},
    {"pow", PeerKind::kLibrary, "pow"},
    {"arcsinh", PeerKind::kLibrary, "asinh"},
    {"arccosh", PeerKind::kLibrary, "acosh"},
    {"arctanh", PeerKind::kLibrary, "atanh"},
    {"arcsin", PeerKind::kLibrary, "asin"},
    {"arccos", PeerKind::kLibrary, "acos"},
    {"sinh", PeerKind::kLibrary, "sinh"},
    {"cosh", PeerKind::kLibrary, "cosh"},
    {"tanh", PeerKind::kLibrary, "tanh"},
    {"_sin", PeerKind::kLibrary, "sin"},
    {"_cos", PeerKind::kLibrary, "cos"},
    {"_tan", PeerKind::kLibrary, "tan"},
    {"_cot", PeerKind::kLibrary, "tan"},
    {"erfc", PeerKind::kLibrary, "erfc"},
    {"erf", PeerKind::kLibrary, "erf"},
    {"reciprocal", PeerKind::kLoop, "div"},
    {"_div", PeerKind::kLoop, "div"},
    {"_mac", PeerKind::kLoop, "mac"},
    {"scale_bias", PeerKind::kLoop, "mac"},
    {"_scale", PeerKind::kLoop, "mul"},
    {"_sqr", PeerKind::kLoop, "mul"},
    {"square", PeerKind::kLoop, "mul"},
    {"_mul", PeerKind::kLoop, "mul"},
    {"_prelu", PeerKind::kLoop, "max"},
    {"relu", PeerKind::kLoop, "max"},
    {"_max", PeerKind::kLoop, "max"},
    {"_min", PeerKind::kLoop, "max"},
    {"greater", PeerKind::kLoop, "greater"},
    {"less", PeerKind::kLoop, "greater"},
    {"equal", PeerKind::kLoop, "greater"},
    {"sign", PeerKind::kLoop, "greater"},
    {"isfinite", PeerKind::kLoop, "greater"},
    {"_abs", PeerKind::kLoop, "abs"},
    {"_and", PeerKind::kLoop, "and"},
    {"_or", PeerKind::kLoop, "and"},
    {"_xor", PeerKind::kLoop, "and"},
    {"_not", PeerKind::kLoop, "and"},
    {"_shift", PeerKind::kLoop, "shift"},
    {"_add", PeerKind::kLoop, "add"},
    {"_sub", PeerKind::kLoop, "sub"},
    {"_neg", PeerKind::kLoop, "sub"},
    {"bias", PeerKind::kLoop, "add"},
    {"cast", PeerKind::kLoop, "convert"},
    {"_to_", PeerKind::kLoop, "convert"},
    {"split_", PeerKind::kLoop, "convert"},
    {"fp_round", PeerKind::kLoop, "convert"},
    {"fp_floor", PeerKind::kLoop, "convert"},
    {"fp_ceil", PeerKind::kLoop, "convert"},
};

}  // namespace

PeerChoice choose_peer(const Op& op) {
  for (const Rule& rule : kRules) {
    if (op.name().find(rule.fragment) != std::string_view::npos) return {rule.kind, rule.operation};
  }
  // What the table does not know: data that move, a function of special steps, anything else.
  const OpSpec& spec = op.spec();
  if (op.engine() != Engine::kBdc || spec.dependence == Dependence::kMoved)
    return {PeerKind::kCopy, {}};
  if (spec.work == Work::kSpecial) return {PeerKind::kLibrary, "exp"};
  if (spec.work == Work::kIndexed) return {PeerKind::kGather, {}};
  return {PeerKind::kLoop, "add"};
}

}  // namespace tensorlane::bench
