// BDC: exponential, logarithm, trigonometry and the activation functions built on them.
//
// The bits are those of the chip's series and tables (special/), whatever the coefficient tensors
// of a call hold. Work tensors keep their contents, which the interface leaves undefined.
#include <cmath>
#include <numbers>

#include "tensorlane/compute/rows/exponent_scratch.h"
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/special_rows.h"
#include "tensorlane/tensor/float16.h"
#include "tensorlane/tpukernel/families.h"
#include "tensorlane/tpukernel/series.h"

TL_TPU_OPS_FILE(special_functions);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;

constexpr std::string_view kFunctionGroup = "bdc-special";
// A constant of a call in the type it computes in.
float rounded(double value, Dtype dtype) {
  const auto wide = static_cast<float>(value);
  if (dtype == Dtype::kFp16) return fp16_to_float(float_to_fp16(wide));
  return dtype == Dtype::kBf16 ? bf16_to_float(float_to_bf16(wide)) : wide;
}

// Of functions that give something else in place.
List compute_unless_in_place(SpecialFunction f, SpecialFunction in_place) {
  return special_rows("dst_addr", {"src_addr"}, f, {.in_place = in_place});
}
List compute(SpecialFunction f, ConstantsOf constants = {}) {
  return special_rows("dst_addr", {"src_addr"}, f, {.constants = std::move(constants)});
}
// Of fp32, fp16 and bf16.
List compute_typed(SpecialFunction f, ConstantsOf constants = {}) {
  return special_rows("dst_addr", {"src_addr"}, f,
                      {.constants = std::move(constants), .tables = true});
}
// A parameter in the type of the result.
float number_of(const Command& command, std::string_view parameter) {
  return rounded(command.arg(parameter).number, command.find("dst_addr")->layout.dtype());
}
// That parameter as first constant.
ConstantsOf first_is(std::string_view parameter) {
  return [parameter](const Command& command) {
    return special::Constants{.first = number_of(command, parameter)};
  };
}
special::Constants hsigmoid_constants(const Command& command) {
  return {.first = number_of(command, "alpha"), .second = number_of(command, "beta")};
}

// Destination, source and work tensors of one shape, and the tables that a kernel loads first.
OpSpec function(Doc doc, TypeOf type, List implementations, const Texts& works,
                const std::vector<Series>& series, const Texts& sources = {"src_addr"}) {
  OpSpec spec{.engine = Engine::kBdc,
              .group = kFunctionGroup,
              .doc = doc,
              .operands = {out("dst_addr", type)},
              .limits = join({kShapeLimits, type.param.empty() ? Texts{} : float_type(type.param),
                              on_request({"dst_addr % tpu_eu_num(DT_INT8) == 0"})}),
              .numerics = Numerics::kExactToModel,
              .implementations = std::move(implementations),
              .cycles = per_step(kExpCycles),  // other series are taken to last as long
              .work = Work::kSpecial};
  const auto limit = [&spec](const std::string& before, std::string_view name, const char* after) {
    spec.limits.push_back(keep(before + std::string(name) + after));
  };
  for (const std::string_view name : sources) {
    spec.operands.push_back(unrecorded_in_place(in(name, type)));
    limit("", name, " % tpu_eu_num(DT_INT8) == 0 [doc; on request]");
  }
  for (const std::string_view name : sources) limit("same_start_npu(dst_addr, ", name, ")");
  for (const std::string_view name : works) {
    spec.operands.push_back(work(name, type));
    limit("", name, " % tpu_eu_num(DT_INT8) == 0");
    limit("same_start_npu(dst_addr, ", name, ")");
    limit("distinct(dst_addr, ", name, ")");
    for (const std::string_view source : sources)
      limit("distinct(" + std::string(source) + ", ", name, ")");
  }
  for (const Series& table : series) {
    const bool read = table.table.loader != kPowersOfE.loader;
    spec.operands.push_back(series_operand(read ? Role::kIn : Role::kWork, table, type));
    add_limits(spec, series_limits(table));
  }
  return spec;
}

OpSpec in_fp32_only(OpSpec spec) {
  add_limits(spec, newer_model_fp32_only("dtype"));
  return spec;
}

const Texts kOneWork = {"work_addr"}, kTwoWorks = {"work0_addr", "work1_addr"},
            kThreeWorks = {"work0_addr", "work1_addr", "work2_addr"},
            kFourWorks = {"work0_addr", "work1_addr", "work2_addr", "work3_addr"};
const std::vector<Series> kExpSeriesAndTable = {{"coeff_addr", kExpCoeff},
                                                {"table_addr", kPowersOfE}};
const std::vector<Series> kErfSeriesAndTable = {
    {"exp_coeff_addr", kExpCoeff}, {"erf_coeff_addr", kErfCoeff}, {"exp_table_addr", kPowersOfE}};
const std::vector<Series> kShortErfSeries = {{"exp_coeff_addr", kTypedExpCoeff},
                                             {"erf_coeff_addr", kTypedErfCoeff}};

// What a result on the source is.
OpSpec exact_on_source(OpSpec spec) {
  spec.operands[1] = exact_in_place(spec.operands[1]);
  return spec;
}
OpSpec other_on_source(Doc what, OpSpec spec) {
  spec.operands[1] = other_in_place(spec.operands[1], what);
  return spec;
}

OpSpec lasting(double cycles, OpSpec spec) {
  spec.cycles = per_step(cycles);
  return spec;
}
// An exponential and a logarithm last twice as long as one of them; 1 / (1 + exp(-x)) and what is
// made of one exponential and one division.
constexpr double kQuotientOfExp = 2 + kExpCycles + kDivisionCycles;

// The shapes these functions come in.
OpSpec with_exp(Doc doc, SpecialFunction f) {
  OpSpec spec = function(doc, Dtype::kFp32, compute(f), kTwoWorks, kExpSeriesAndTable);
  spec.issue_commands = kExpCommands;
  return spec;
}
OpSpec with_exp(Doc doc, SpecialFunction f, std::string_view parameter) {
  OpSpec spec =
      function(doc, Dtype::kFp32, compute(f, first_is(parameter)), kTwoWorks, kExpSeriesAndTable);
  spec.issue_commands = kExpCommands;
  return spec;
}
OpSpec with_short_exp(Doc doc, SpecialFunction f) {
  OpSpec spec =
      function(doc, "dtype", compute_typed(f), kTwoWorks, {{"coeff_addr", kTypedExpCoeff}});
  spec.issue_commands = kExpCommands;
  return spec;
}
OpSpec with_series(Doc doc, List implementations, Table table, TypeOf type = Dtype::kFp32) {
  return function(doc, type, std::move(implementations), kOneWork, {{"coeff_addr", table}});
}
OpSpec with_series(Doc doc, SpecialFunction f, Table table) {
  return with_series(doc, compute(f), table);
}
OpSpec with_typed_series(Doc doc, SpecialFunction f, Table table) {
  return with_series(doc, compute_typed(f), table, "dtype");
}
OpSpec with_erf(Doc doc, SpecialFunction f, const Texts& works) {
  return function(doc, Dtype::kFp32, compute(f), works, kErfSeriesAndTable);
}
OpSpec with_short_erf(Doc doc, SpecialFunction f, const Texts& works) {
  return in_fp32_only(function(doc, "dtype", compute_typed(f), works, kShortErfSeries));
}

// The exponents of e that the chip splits, for what it leaves behind.
OpSpec leaving(OpSpec spec, double (*exponent)(double)) {
  spec.implementations =
      with_exponent_scratch(std::move(spec.implementations),
                            [exponent](double x, const Command&) { return exponent(x); });
  return spec;
}
double same(double x) {
  return x;
}
double opposite(double x) {
  return -x;
}
double tanh_argument(double x) {
  return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}
// erfc(z) = t * e^exponent with t = 1 / (1 + z / 2), z >= 0.
double erf_exponent(double x) {
  const double z = std::abs(x);
  return std::log(std::erfc(z) * (1 + z / 2));
}
double gelu_exponent(double x) {
  return erf_exponent(x / std::numbers::sqrt2);
}

OpSpec with_typed_table(Doc doc, List implementations) {
  return as_documented(function(doc, "dtype", std::move(implementations), kTwoWorks,
                                {{"coeff_addr", kTypedExpCoeff}, {"table_addr", kPowersOfE}}));
}

constexpr Doc kGeluBySigmoid = computes("dst = src * sigmoid(1.702 * src)");
special::Constants gelu_constants(const Command&) {
  return {.first = 1.702F};
}
List gelu_by_sigmoid() {
  return compute(special::swish, gelu_constants);
}
special::Constants softplus_constants(const Command& command) {
  const auto beta = static_cast<float>(command.arg("beta").number);
  return {.first = beta, .second = 1 / beta};
}

OpSpec power_of_constant() {
  OpSpec spec =
      function(computes("dst = C ^ src"), Dtype::kFp32,
               compute(special::scaled_exp,
                       [](const Command& command) {
                         const double c = command.arg("C").number;
                         return special::Constants{.first = static_cast<float>(std::log(c))};
                       }),
               kTwoWorks, {{"exp_coeff_addr", kExpCoeff}, {"exp_table_addr", kPowersOfE}});
  spec.implementations = with_exponent_scratch(
      std::move(spec.implementations),
      [](double x, const Command& command) { return x * std::log(command.arg("C").number); });
  return spec;
}

const std::vector<Series> kPowerSeries = {
    {"exp_coeff_addr", kExpCoeff}, {"log_coeff_addr", kLogCoeff}, {"exp_table_addr", kPowersOfE}};
OpSpec power(Doc doc, const Texts& tensors, const std::vector<SourceParam>& sources) {
  return function(doc, Dtype::kFp32, special_rows("dst_addr", sources, special::pow), kTwoWorks,
                  kPowerSeries, tensors);
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp32_pow) = lasting(2 * kExpCycles, power(computes("dst = src0 ^ src1"),
                                                            {"src0_addr", "src1_addr"},
                                                            {"src0_addr", "src1_addr"}));
TL_TPU_OP(tpu_bdc_fp32_pow_C) = lasting(2 * kExpCycles, power(computes("dst = src ^ C"),
                                                              {"src_addr"}, {"src_addr", "C"}));
TL_TPU_OP(tpu_bdc_fp32_C_pow) = power_of_constant();

TL_TPU_OP(tpu_bdc_fp32_exp) = leaving(with_exp(computes("dst = e ^ src"), special::exp), same);
TL_TPU_OP(tpu_bdc_fp32_expm1) = leaving(with_exp(computes("dst = e ^ src - 1"), special::expm1),
                                        same);
TL_TPU_OP(tpu_bdc_fp_exp) = with_short_exp(computes("dst = e ^ src"), special::exp);
TL_TPU_OP(tpu_bdc_fp_expm1) = with_short_exp(computes("dst = e ^ src - 1"), special::expm1);
TL_TPU_OP(tpu_bdc_fp32_log) = with_series(computes("dst = ln src"), special::log, kLogCoeff);
TL_TPU_OP(tpu_bdc_fp32_log1p) = with_series(computes("dst = ln(1 + src)"), special::log1p,
                                            kLogCoeff);
TL_TPU_OP(tpu_bdc_fp32_logx) = with_series(
    "dst = logarithm of src to base x",
    compute(special::scaled_log,
            [](const Command& command) {
              const double base = command.arg("x").number;
              return special::Constants{.first = static_cast<float>(1 / std::log(base))};
            }),
    kLogCoeff);
TL_TPU_OP(tpu_bdc_fp_log) = with_typed_series(computes("dst = ln src"), special::log,
                                              kTypedLogCoeff);

TL_TPU_OP(tpu_bdc_fp32_sin) = with_series(computes("dst = sin src"), special::sin, kSinCoeff);
TL_TPU_OP(tpu_bdc_fp32_cos) = with_series(computes("dst = cos src"), special::cos, kCosCoeff);
TL_TPU_OP(tpu_bdc_fp32_tan) = with_series(computes("dst = tan src"), special::tan, kTanCoeff);
TL_TPU_OP(tpu_bdc_fp32_cot) = with_series(computes("dst = cot src"), special::cot, kTanCoeff);
TL_TPU_OP(tpu_bdc_fp32_arcsin) = other_on_source(
    "-|arcsin src| [inferred]",
    with_series(computes("dst = arcsin src"),
                compute_unless_in_place(special::arcsin, special::arcsin_in_place), kArcsinCoeff));
TL_TPU_OP(tpu_bdc_fp32_arccos) = with_series(computes("dst = arccos src"), special::arccos,
                                             kArcsinCoeff);
TL_TPU_OP(tpu_bdc_fp32_arcsinh) = with_series(computes("dst = arsinh src"), special::arcsinh,
                                              kLogCoeff);
TL_TPU_OP(tpu_bdc_fp32_arccosh) = with_series(computes("dst = arcosh src"), special::arccosh,
                                              kLogCoeff);
TL_TPU_OP(tpu_bdc_fp32_arctanh) = with_series(computes("dst = artanh src"), special::arctanh,
                                              kLogCoeff);

TL_TPU_OP(tpu_bdc_fp32_elu) = leaving(
    with_exp(computes("dst = src > 0 ? src : alpha * (e ^ src - 1)"), special::elu, "alpha"), same);
TL_TPU_OP(tpu_bdc_fp32_sigmoid) =
    lasting(kQuotientOfExp,
            leaving(with_exp(computes("dst = 1 / (1 + e ^ -src)"), special::sigmoid), opposite));
TL_TPU_OP(tpu_bdc_fp32_sinh) = lasting(kQuotientOfExp,
                                       with_exp(computes("dst = sinh src"), special::sinh));
TL_TPU_OP(tpu_bdc_fp32_cosh) = lasting(kQuotientOfExp,
                                       with_exp(computes("dst = cosh src"), special::cosh));
TL_TPU_OP(tpu_bdc_fp32_tanh) = lasting(kQuotientOfExp,
                                       leaving(with_exp(computes("dst = tanh src"), special::tanh),
                                               same));
TL_TPU_OP(tpu_bdc_fp32_gelu_fast) = lasting(
    kQuotientOfExp,
    leaving(with_exp(computes("dst = gelu(src)", " by tanh"), special::gelu_fast), tanh_argument));
TL_TPU_OP(tpu_bdc_fp32_mish) = lasting(kQuotientOfExp + kExpCycles,
                                       with_exp(computes("dst = src * tanh(ln(1 + e ^ src))"),
                                                special::mish));
TL_TPU_OP(tpu_bdc_fp32_swish) = lasting(kQuotientOfExp,
                                        with_exp(computes("dst = src * sigmoid(beta * src)"),
                                                 special::swish, "beta"));
TL_TPU_OP(tpu_bdc_fp32_silu) =
    lasting(kQuotientOfExp,
            leaving(with_exp(computes("dst = src * sigmoid(src)"), special::silu), opposite));
TL_TPU_OP(tpu_bdc_fp32_selu) = leaving(
    with_exp(computes("dst = 1.0507 * (src > 0 ? src : 1.67326 * (e ^ src - 1))"), special::selu),
    same);
TL_TPU_OP(tpu_bdc_fp32_log_sigmoid) = lasting(2 * kExpCycles,
                                              function(computes("dst = ln sigmoid(src)"),
                                                       Dtype::kFp32, compute(special::log_sigmoid),
                                                       kTwoWorks,
                                                       {{"coeff_addr", kExpCoeff},
                                                        {"table_addr", kPowersOfE},
                                                        {"ln_coeff_addr", kLogCoeff}}));
TL_TPU_OP(tpu_bdc_fp32_softplus) =
    lasting(2 * kExpCycles,
            function(computes("dst = src > 20 ? src : ln(1 + e ^ (beta * src)) * beta"),
                     Dtype::kFp32, compute(special::softplus, softplus_constants), kTwoWorks,
                     {{"exp_coeff_addr", kExpCoeff},
                      {"log_coeff_addr", kLogCoeff},
                      {"exp_table_addr", kPowersOfE}}));
TL_TPU_OP(tpu_bdc_fp32_softsign) = other_on_source(
    {"(1 + |src|) / (1 + |src|)", "(1 + |src|) / (1 + |src|)"},
    lasting(2 + kDivisionCycles,
            function(computes("dst = src / (1 + |src|)"), Dtype::kFp32,
                     compute_unless_in_place(special::softsign, special::softsign_in_place), {},
                     {})));

TL_TPU_OP(tpu_bdc_fp32_erf) = leaving(with_erf(computes("dst = erf src"), special::erf,
                                               kThreeWorks),
                                      erf_exponent);
TL_TPU_OP(tpu_bdc_fp_erf) = with_short_erf(computes("dst = erf src"), special::erf, kThreeWorks);
TL_TPU_OP(tpu_bdc_fp32_erfc) = leaving(with_erf(computes("dst = 1 - erf src"), special::erfc,
                                                kThreeWorks),
                                       erf_exponent);
TL_TPU_OP(tpu_bdc_fp_erfc) = with_short_erf(computes("dst = 1 - erf src"), special::erfc,
                                            kThreeWorks);
TL_TPU_OP(tpu_bdc_fp32_gelu) = leaving(with_erf(computes("dst = src / 2 * (1 + erf(src / sqrt 2))"),
                                                special::gelu, kFourWorks),
                                       gelu_exponent);
TL_TPU_OP(tpu_bdc_fp_gelu) = with_short_erf(computes("dst = src / 2 * (1 + erf(src / sqrt 2))"),
                                            special::gelu, kFourWorks);

TL_TPU_OP(tpu_bdc_fp_hsigmoid) = [] {
  OpSpec spec = function(computes("dst = limit(alpha * src + beta, 0..1)"), "dtype",
                         compute_typed(special::hsigmoid, hsigmoid_constants), {"work0_addr"}, {});
  spec.work = Work::kVector;
  return exact_on_source(lasting(4, std::move(spec)));
}();
TL_TPU_OP(tpu_bdc_fp_hswish) = other_on_source(
    "c * c / 6 with c = src + 3, limited to 0..6",
    lasting(4, function(computes("dst = src * limit(src / 6 + 1 / 2, 0..1)"), "dtype",
                        special_rows("dst_addr", {"src_addr"}, special::hswish,
                                     {.in_place = special::hswish_in_place, .tables = true}),
                        {"work0_addr"}, {})));
TL_TPU_OP(tpu_bdc_fp_isfinite) = exact_on_source(
    lasting(3, function("dst = 1 where src is finite, else 0", "dtype",
                        float_formula<TypedRow::kFinite, 1>("dst_addr", {"src_addr"}, "dtype"),
                        {"work0_addr"}, {})));

// Of later headers: the functions above in any type.
TL_TPU_OP(tpu_bdc_fp_sin) = with_typed_series(computes("dst = sin src"), special::sin,
                                              kTypedSinCoeff);
TL_TPU_OP(tpu_bdc_fp_cos) = with_typed_series(computes("dst = cos src"), special::cos,
                                              kTypedCosCoeff);
TL_TPU_OP(tpu_bdc_fp_silu) =
    lasting(kQuotientOfExp,
            in_fp32_only(function(computes("dst = src * sigmoid(src)"), "dtype",
                                  compute_typed(special::silu), kTwoWorks,
                                  {{"coeff_addr", kTypedExpCoeff}, {"table_addr", kPowersOfE}})));

// Also of later headers. Those that divide compute in fp32 and round once, as fp_silu does: the
// chip divides in fp32 alone. [signatures, and the bodies that the current header's library falls
// back to]
TL_TPU_OP(tpu_bdc_fp_exp_for_neg_arg) =
    as_documented(with_short_exp(computes("dst = e ^ src", " for src <= 0"), special::exp));
TL_TPU_OP(tpu_bdc_fp_sinh) = as_documented(with_short_exp(computes("dst = sinh src"),
                                                          special::sinh));
TL_TPU_OP(tpu_bdc_fp_cosh) = as_documented(with_short_exp(computes("dst = cosh src"),
                                                          special::cosh));
TL_TPU_OP(tpu_bdc_fp_tanh) = as_documented(with_short_exp(computes("dst = tanh src"),
                                                          special::tanh));
TL_TPU_OP(tpu_bdc_fp_sigmoid) = lasting(kQuotientOfExp,
                                        with_typed_table(computes("dst = 1 / (1 + e ^ -src)"),
                                                         compute_typed(special::sigmoid)));
TL_TPU_OP(tpu_bdc_fp_gelu_fast) = with_typed_table(computes("dst = gelu(src)", " by tanh"),
                                                   compute_typed(special::gelu_fast));
TL_TPU_OP(tpu_bdc_fp_gelu_fast2) = with_typed_table(kGeluBySigmoid,
                                                    compute_typed(special::swish, gelu_constants));
TL_TPU_OP(tpu_bdc_fp32_gelu_fast2) = as_documented(function(kGeluBySigmoid, Dtype::kFp32,
                                                            gelu_by_sigmoid(), kTwoWorks,
                                                            kExpSeriesAndTable));
TL_TPU_OP(tpu_bdc_fp_elu) =
    with_typed_table(computes("dst = src > 0 ? src : alpha * (e ^ src - 1)"),
                     compute_typed(special::elu, first_is("alpha")));
TL_TPU_OP(tpu_bdc_fp_softplus) = as_documented(
    function(computes("dst = src > 20 ? src : ln(1 + e ^ (beta * src)) * beta"), "dtype",
             compute_typed(special::softplus, softplus_constants), kTwoWorks,
             {{"exp_coeff_addr", kTypedExpCoeff}, {"log_coeff_addr", kTypedLogCoeff}}));
TL_TPU_OP(tpu_bdc_fp_log_sigmoid) = lasting(
    2 * kExpCycles,
    as_documented(function(computes("dst = ln sigmoid(src)"), "dtype",
                           compute_typed(special::log_sigmoid), kTwoWorks,
                           {{"coeff_addr", kTypedExpCoeff}, {"ln_coeff_addr", kTypedLogCoeff}})));
TL_TPU_OP(tpu_bdc_fp_arcsin) = as_documented(with_typed_series(computes("dst = arcsin src"),
                                                               special::arcsin, kTypedArcsinCoeff));
TL_TPU_OP(tpu_bdc_fp_arccos) = as_documented(with_typed_series(computes("dst = arccos src"),
                                                               special::arccos, kTypedArcsinCoeff));
TL_TPU_OP(tpu_bdc_fp_arctanh) = as_documented(with_typed_series(computes("dst = artanh src"),
                                                                special::arctanh, kTypedLogCoeff));

}  // namespace tensorlane::tpukernel
