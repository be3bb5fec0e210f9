// fp32 functions of one tensor: roots, reciprocal, the exponential family.
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/formula_words.h"
#include "tensorlane/compute/rows/series_rows.h"
#include "tensorlane/compute/special/fp32_exponential.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"

TL_OKK_OPS_FILE(fp32_unary);

namespace tensorlane::okk {
namespace {

using s32 = std::int32_t;

constexpr double kPlainSeries = 32;  // what exp, sigmoid and tanh use

// dst = f(src) in the aligned layout
OpSpec aligned(Doc doc, double cycles, std::vector<Implementation> implementations) {
  return {.engine = Engine::kBdc,
          .group = "bdc-fp32-unary",
          .doc = doc,
          .operands = {out("dst_addr", Dtype::kFp32),
                       unrecorded_in_place(in("src_addr", Dtype::kFp32))},
          .limits = kAlignedDstSrcLimits,
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_group(cycles),
          .work = Work::kSpecial};
}

// dst of one source, as a formula has it
template <TypedRow kRow>
std::vector<Implementation> of(std::string_view src) {
  return fp32_formula<kRow, float, float>("dst_addr", {src});
}

// dst from src, any strides
OpSpec strided(Doc doc, double cycles, std::vector<Implementation> implementations) {
  return strided_fp32("bdc-fp32-unary", doc, cycles, std::move(implementations));
}

const Texts kWorkLimits =
    join({kBdcShape,
          on_request({"dst_addr % 128 == 0", "src_addr % 128 == 0", "work_addr % 128 == 0"}),
          on_request({"same_start_npu(dst_addr, src_addr, work_addr)"}),
          {"distinct(dst_addr, work_addr)", "distinct(src_addr, work_addr)",
           "-103.0 <= values(src_addr) <= 88.0"}});
constexpr std::string_view kNotInPlace = "distinct(dst_addr, src_addr) [observed]";

// The Taylor terms a call asks for, a double for the costs below.
double series(const Command& command) {
  for (const Param& param : command.op->params()) {
    if (param.name == "num_series") return static_cast<double>(command.arg(param.name).value());
  }
  return kPlainSeries;
}

// exp and its kin: work = first(src, series), then dst by `second`. The chip composes them of
// `commands` commands, which take their Taylor terms and `cycles` more. The two halves are
// kept apart because the work tensor holds the first afterwards. [observed]
template <class First>
OpSpec exp_kin(Doc doc, bool tunable, double cycles, int commands, First first, SimdRow simd_first,
               std::vector<Implementation> second) {
  OpSpec spec{
      .engine = Engine::kBdc,
      .group = "bdc-fp32-unary",
      .doc = doc,
      .operands = {out("dst_addr", Dtype::kFp32), unrecorded_in_place(in("src_addr", Dtype::kFp32)),
                   local(Role::kWork, "work_addr", Dtype::kFp32)},
      .limits = kWorkLimits,
      .numerics = Numerics::kExactToModel};
  if (tunable) spec.limits.push_back("1 <= num_series <= 64");
  spec.implementations =
      in_turn({elementwise<float, float, s32>(
                   "work_addr", {"src_addr", tunable ? "num_series" : "32"}, first, simd_first),
               std::move(second)});
  spec.cycles = {
      fmt::format("{} Taylor terms and {} cycles per group",
                  tunable ? std::string("num_series") : fmt::format("{}", kPlainSeries), cycles),
      [cycles](const Command& command, const TimingParameters& parameters) {
        return (parameters.taylor_term * series(command) + cycles) *
               groups(command, command.operands()[0]);
      }};
  spec.work = Work::kSpecial;
  spec.issue_commands = commands;
  return spec;
}

OpSpec exp_op(Doc doc, bool tunable) {
  OpSpec spec = exp_kin(doc, tunable, 54, 7, fp32::exp_tail, simd::exp_tail,
                        fp32_formula<TypedRow::kExpFromTail, float, float, float>(
                            "dst_addr", {"src_addr", "work_addr"}));
  spec.limits.push_back(kNotInPlace);
  return spec;
}

// work = 1 + exp(-x), dst = 1 / work
OpSpec sigmoid_op(Doc doc, bool tunable) {
  return exp_kin(
      doc, tunable, 54 + 1 + 1 + 30, 10,
      [](float x, s32 n) { return fp32::add(1.0f, fp32::exp(fp32::sub(0.0f, x), n)); },
      simd::sigmoid_denominator, of<TypedRow::kReciprocal>("work_addr"));
}

// work = R / (E + R) of E = exp(x) and R = 1 / E, dst = 1 - 2 * work
OpSpec tanh_op(Doc doc, bool tunable) {
  OpSpec spec = exp_kin(
      doc, tunable, 54 + 30 + 2 + 30 + 1 + 1, 12,
      [](float x, s32 n) {
        const float e = fp32::exp(x, n);
        const float r = fp32::reciprocal(e);
        return fp32::div(r, fp32::add(e, r));
      },
      simd::tanh_ratio, of<TypedRow::kTanhFromRatio>("work_addr"));
  spec.limits.push_back(kNotInPlace);
  return spec;
}

}  // namespace

TL_OKK_OP(okk_bdc_rsqrt) = aligned(with_words(formula_doc<TypedRow::kReciprocalRoot>("dst", "src"),
                                              " by three Newton steps, 2 ulp; finite at 0"),
                                   28, of<TypedRow::kReciprocalRoot>("src_addr"));

TL_OKK_OP(okk_bdc_sqrt) = aligned(computes("dst = sqrt(src)",
                                           " as the reciprocal of rsqrt, 6 ulp; not 0 at 0"),
                                  58, of<TypedRow::kRoot>("src_addr"));

TL_OKK_OP(okk_bdc_taylor_exp) = [] {
  OpSpec spec =
      aligned(computes("dst = exp(src)",
                       " as the sum of src^k / k! for k = 0 .. num_series, accurate near 0"),
              0,
              elementwise<float, float, s32>("dst_addr", {"src_addr", "num_series"}, fp32::taylor,
                                             simd::taylor));
  spec.limits.push_back("1 <= num_series <= 64");
  spec.cycles = {"num_series Taylor terms and 2 cycles per group",
                 [](const Command& command, const TimingParameters& parameters) {
                   return (parameters.taylor_term * series(command) + 2) *
                          groups(command, command.operands()[0]);
                 }};
  return spec;
}();

TL_OKK_OP(okk_bdc_lookup_exp) = {
    .engine = Engine::kBdc,
    .group = "bdc-fp32-unary",
    .doc = computes("dst = exp(src)", " by table for integers src in [-103, 88]"),
    .operands = {out("dst_addr", Dtype::kFp32), unrecorded_in_place(in("src_addr", Dtype::kInt32))},
    .limits = join({kAlignedDstSrcLimits, {"-103 <= values(src_addr) <= 88"}}),
    .numerics = Numerics::kExactToModel,
    .implementations = elementwise<float, s32>("dst_addr", {"src_addr"}, fp32::lookup_exp),
    .cycles = per_group(15),
    .work = Work::kIndexed,
};

TL_OKK_OP(okk_bdc_exp) = exp_op(computes("dst = exp(src)", ", by table and 32 Taylor terms"),
                                false);

TL_OKK_OP(okk_bdc_exp_tunable) = exp_op(computes("dst = exp(src)",
                                                 ", by table and num_series Taylor terms"),
                                        true);

TL_OKK_OP(okk_bdc_sigmoid) = sigmoid_op(computes("dst = 1 / (1 + exp(-src))", ", 32 Taylor terms"),
                                        false);

TL_OKK_OP(okk_bdc_sigmoid_tunable) = sigmoid_op(computes("dst = 1 / (1 + exp(-src))",
                                                         ", num_series Taylor terms"),
                                                true);

TL_OKK_OP(okk_bdc_tanh) = tanh_op(computes("dst = tanh(src)", " from exp, 32 Taylor terms"), false);

TL_OKK_OP(okk_bdc_tanh_tunable) = tanh_op(computes("dst = tanh(src)",
                                                   " from exp, num_series Taylor terms"),
                                          true);

TL_OKK_OP(okk_bdc_reciprocal) =
    special(strided(with_words(formula_doc<TypedRow::kReciprocal>("dst", "src"),
                               " by three Newton steps, 4 ulp; 1 / inf is inf"),
                    30, of<TypedRow::kReciprocal>("src_addr")));

TL_OKK_OP(okk_bdc_neg) = strided(with_words(formula_doc<TypedRow::kNegate>("dst", "src"),
                                            "; both zeros give +0"),
                                 1, of<TypedRow::kNegate>("src_addr"));

}  // namespace tensorlane::okk
