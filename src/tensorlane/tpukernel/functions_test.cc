// Functions of one or two numbers against the mathematics they are named after, on random calls:
// every element within some units in the last place of the exact value, as many as the chip is off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <ostream>
#include <string>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/tensor/float16.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kCalls = 12;  // per function

// The numbers of one element: sources, and the parameters of the call (C, x, alpha or beta).
struct Numbers {
  double a = 0, b = 0, c = 0, d = 0;
};
struct Function {
  const char* name;
  double low, high;  // of the sources
  double (*value)(const Numbers&);
  double ulps = 1;
  double size = 0;  // of the terms of a sum: units in the last place are those of the larger one
};
void PrintTo(const Function& function, std::ostream* out) {
  *out << function.name;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double softplus(double x) {
  return std::log1p(std::exp(x));
}
double gelu(double x) {
  return x / 2 * std::erfc(-x / std::numbers::sqrt2);
}
double gelu_by_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double hswish(double x) {
  return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1);
}

// Newton's steps end a few units off.
constexpr double kNewton = 8;

const Function kFunctions[] = {
    {"tpu_bdc_fp32_pow", 0.1, 5, [](const Numbers& n) { return std::pow(n.a, n.b); }, 32},
    {"tpu_bdc_fp32_pow_C", 0.1, 5, [](const Numbers& n) { return std::pow(n.a, n.c); }, 32},
    {"tpu_bdc_fp32_exp", -20, 20, [](const Numbers& n) { return std::exp(n.a); }, 40},
    {"tpu_bdc_fp32_expm1", -5, 5, [](const Numbers& n) { return std::expm1(n.a); }, 16, 1},
    {"tpu_bdc_fp_exp", -5, 5, [](const Numbers& n) { return std::exp(n.a); }, 16},
    {"tpu_bdc_fp_expm1", -5, 5, [](const Numbers& n) { return std::expm1(n.a); }, 16, 1},
    {"tpu_bdc_fp32_log", 0.01, 100, [](const Numbers& n) { return std::log(n.a); }, 4, 1},
    {"tpu_bdc_fp32_log1p", -0.9, 100, [](const Numbers& n) { return std::log1p(n.a); }, 4, 1},
    {"tpu_bdc_fp32_logx", 0.01, 100, [](const Numbers& n) { return std::log(n.a) / std::log(n.c); },
     10, 1},
    {"tpu_bdc_fp_log", 0.1, 100, [](const Numbers& n) { return std::log(n.a); }, 4, 1},
    {"tpu_bdc_fp32_sin", -10, 10, [](const Numbers& n) { return std::sin(n.a); }, 12, 1},
    {"tpu_bdc_fp32_cos", -10, 10, [](const Numbers& n) { return std::cos(n.a); }, 12, 1},
    {"tpu_bdc_fp32_tan", -1.5, 1.5, [](const Numbers& n) { return std::tan(n.a); }, 24, 1},
    {"tpu_bdc_fp32_cot", 0.1, 3, [](const Numbers& n) { return 1 / std::tan(n.a); }, 24, 1},
    {"tpu_bdc_fp32_arcsin", 0.3, 1, [](const Numbers& n) { return std::asin(n.a); }, 8, 1},
    {"tpu_bdc_fp32_arccos", -1, -0.3, [](const Numbers& n) { return std::acos(n.a); }, 8, 2},
    {"tpu_bdc_fp32_arcsinh", 0, 10, [](const Numbers& n) { return std::asinh(n.a); }, 8, 1},
    {"tpu_bdc_fp32_arccosh", 1.1, 10, [](const Numbers& n) { return std::acosh(n.a); }, 16, 1},
    {"tpu_bdc_fp32_arctanh", -0.9, 0.9, [](const Numbers& n) { return std::atanh(n.a); }, 8, 1},
    {"tpu_bdc_fp32_sinh", -10, 10, [](const Numbers& n) { return std::sinh(n.a); }, 24, 1},
    {"tpu_bdc_fp32_cosh", -10, 10, [](const Numbers& n) { return std::cosh(n.a); }, 24},
    {"tpu_bdc_fp32_tanh", -5, 5, [](const Numbers& n) { return std::tanh(n.a); }, 8, 1},
    {"tpu_bdc_fp32_sigmoid", -10, 10, [](const Numbers& n) { return sigmoid(n.a); }, 24},
    {"tpu_bdc_fp32_mish", -10, 10, [](const Numbers& n) { return n.a * std::tanh(softplus(n.a)); },
     32, 1},
    {"tpu_bdc_fp32_swish", -5, 5, [](const Numbers& n) { return n.a * sigmoid(n.c * n.a); }, 24, 1},
    {"tpu_bdc_fp32_silu", -10, 10, [](const Numbers& n) { return n.a * sigmoid(n.a); }, 24, 1},
    {"tpu_bdc_fp32_log_sigmoid", -10, 10, [](const Numbers& n) { return -softplus(-n.a); }, 24, 1},
    {"tpu_bdc_fp32_softplus", -5, 5, [](const Numbers& n) { return softplus(n.c * n.a) * n.c; }, 32,
     1},
    {"tpu_bdc_fp32_softsign", -10, 10, [](const Numbers& n) { return n.a / (1 + std::fabs(n.a)); },
     8},
    {"tpu_bdc_fp_erf", -3, 3, [](const Numbers& n) { return std::erf(n.a); }, 8, 1},
    {"tpu_bdc_fp_erfc", -2, 2, [](const Numbers& n) { return std::erfc(n.a); }, 8, 1},
    {"tpu_bdc_fp_gelu", -3, 5, [](const Numbers& n) { return gelu(n.a); }, 8, 1},
    {"tpu_bdc_fp_hsigmoid", -5, 5,
     [](const Numbers& n) { return std::fmin(std::fmax(n.a * n.c + n.d, 0), 1); }, 2, 16},
    {"tpu_bdc_fp_hswish", -5, 5, [](const Numbers& n) { return hswish(n.a); }, 8},
    {"tpu_bdc_fp_silu", -10, 10, [](const Numbers& n) { return n.a * sigmoid(n.a); }, 24, 1},
    {"tpu_bdc_fp_sigmoid", -10, 10, [](const Numbers& n) { return sigmoid(n.a); }, 24},
    {"tpu_bdc_fp_sinh", -5, 5, [](const Numbers& n) { return std::sinh(n.a); }, 24, 1},
    {"tpu_bdc_fp_cosh", -5, 5, [](const Numbers& n) { return std::cosh(n.a); }, 24},
    {"tpu_bdc_fp_tanh", -5, 5, [](const Numbers& n) { return std::tanh(n.a); }, 8, 1},
    {"tpu_bdc_fp_elu", -5, 5,
     [](const Numbers& n) { return n.a > 0 ? n.a : n.c * std::expm1(n.a); }, 20, 4},
    {"tpu_bdc_fp_softplus", -4, 4, [](const Numbers& n) { return softplus(n.c * n.a) * n.c; }, 32,
     1},
    {"tpu_bdc_fp_log_sigmoid", -4, 4, [](const Numbers& n) { return -softplus(-n.a); }, 16, 4},
    {"tpu_bdc_fp_gelu_fast", -3, 5, [](const Numbers& n) { return gelu_by_tanh(n.a); }, 8, 1},
    {"tpu_bdc_fp_gelu_fast2", -5, 5, [](const Numbers& n) { return n.a * sigmoid(1.702 * n.a); },
     24, 1},
    {"tpu_bdc_fp32_gelu_fast2", -5, 5, [](const Numbers& n) { return n.a * sigmoid(1.702 * n.a); },
     24, 1},
    {"tpu_bdc_fp_exp_for_neg_arg", -5, 0, [](const Numbers& n) { return std::exp(n.a); }, 16},
    {"tpu_bdc_fp_arcsin", 0.3, 1, [](const Numbers& n) { return std::asin(n.a); }, 8, 1},
    {"tpu_bdc_fp_arccos", -1, -0.3, [](const Numbers& n) { return std::acos(n.a); }, 8, 2},
    {"tpu_bdc_fp_arctanh", -0.9, 0.9, [](const Numbers& n) { return std::atanh(n.a); }, 8, 1},
    {"tpu_bdc_fp_isfinite", -5, 5, [](const Numbers&) { return 1.0; }},
    {"tpu_bdc_fp_square", -5, 5, [](const Numbers& n) { return n.a * n.a; }},
    {"tpu_bdc_fp_div", 0.1, 5, [](const Numbers& n) { return n.a / n.b; }, kNewton},
    {"tpu_bdc_fp_tunable_div", 0.1, 5, [](const Numbers& n) { return n.a / n.b; }, kNewton},
    {"tpu_bdc_fp_reciprocal", 0.1, 5, [](const Numbers& n) { return 1 / n.a; }, kNewton},
    {"tpu_bdc_fp_tunable_reciprocal", 0.1, 5, [](const Numbers& n) { return 1 / n.a; }, kNewton},
    {"tpu_bdc_fp_rsqrt", 0.1, 50, [](const Numbers& n) { return 1 / std::sqrt(n.a); }, kNewton},
    {"tpu_bdc_fp_tunable_rsqrt", 0.1, 50, [](const Numbers& n) { return 1 / std::sqrt(n.a); },
     kNewton},
    {"tpu_bdc_fp_sqrt", 0.1, 50, [](const Numbers& n) { return std::sqrt(n.a); }, kNewton},
    {"tpu_bdc_fp_tunable_sqrt", 0.1, 50, [](const Numbers& n) { return std::sqrt(n.a); }, kNewton},
};

float element(const std::byte* at, Dtype dtype) {
  std::uint16_t half = 0;
  float word = 0;
  if (dtype == Dtype::kFp32) {
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  std::memcpy(&half, at, sizeof half);
  return dtype == Dtype::kFp16 ? fp16_to_float(half) : bf16_to_float(half);
}
void store(std::byte* at, Dtype dtype, float value) {
  if (dtype == Dtype::kFp32) {
    std::memcpy(at, &value, sizeof value);
    return;
  }
  const std::uint16_t half = dtype == Dtype::kFp16 ? float_to_fp16(value) : float_to_bf16(value);
  std::memcpy(at, &half, sizeof half);
}
// The distance of neighbouring numbers around `value`.
double ulp(double value, Dtype dtype) {
  const int fraction = dtype == Dtype::kFp32 ? 23 : dtype == Dtype::kFp16 ? 10 : 7;
  const int exponent =
      value == 0 ? -14 : std::max(std::ilogb(value), dtype == Dtype::kFp16 ? -14 : -126);
  return std::ldexp(1.0, exponent - fraction);
}

class Functions : public testing::TestWithParam<Function> {
 protected:
  static DeviceMemory& memory() {
    static DeviceMemory memory(bm1684x());
    return memory;
  }
};

TEST_P(Functions, AreTheMathematicsTheyAreNamedAfter) {
  const Function& function = GetParam();
  const Op& op = *ops().find(function.name);
  Random random(777);
  std::uniform_real_distribution<double> value(function.low, function.high);
  for (int k = 0; k < kCalls; ++k) {
    std::optional<std::vector<Arg>> args = random_call(op, random);
    ASSERT_TRUE(args) << "no legal call came out";
    Numbers parameters;
    for (std::size_t p = 0; p < args->size(); ++p) {
      const std::string_view name = op.params()[p].name;
      if (op.params()[p].type == "float") {
        const float number = static_cast<float>(1 + p % 3) + 0.5F;
        (*args)[p] = encode(number);
        (name == "beta" && op.name() == "tpu_bdc_fp_hsigmoid" ? parameters.d : parameters.c) =
            number;
      } else if (name == "num_iter") {
        (*args)[p] = encode(4);
      }
    }
    Command command;
    decode(op, *args, bm1684x(), false, command);
    std::byte* const base = memory().base(Space::kLocal);
    const Operand& result = command.operands()[0];
    const Dtype dtype = result.layout.dtype();
    // Each number once per element: a source whose strides are 0 has one for many.
    const auto each_index = [&](auto visit) {
      const Layout& layout = result.layout;
      for (std::int64_t i = 0; i < layout.size(); ++i) {
        std::int64_t rest = i;
        Layout::Index index{};
        for (int d = 3; d >= 0; --d) {
          index[static_cast<std::size_t>(d)] = rest % layout.extent(d);
          rest /= layout.extent(d);
        }
        visit(index);
      }
    };
    const auto is_source = [](const Operand& operand) {
      return operand.name().starts_with("src") && operand.reads();
    };
    for (const Operand& operand : command.operands()) {
      if (!is_source(operand)) continue;
      each_index([&](const Layout::Index& index) {
        store(base + operand.layout.address(index), dtype, static_cast<float>(value(random)));
      });
    }
    std::vector<Numbers> numbers;
    each_index([&](const Layout::Index& index) {
      Numbers each = parameters;
      for (const Operand& operand : command.operands()) {
        if (!is_source(operand)) continue;
        (operand.name() == "src1_addr" ? each.b : each.a) =
            element(base + operand.layout.address(index), dtype);
      }
      numbers.push_back(each);
    });
    execute({command, memory().bases()}, ImplementationChoice::kFastest);
    std::size_t at = 0;
    each_index([&](const Layout::Index& index) {
      const Numbers& each = numbers[at++];
      const double want = function.value(each);
      const double got = element(base + result.layout.address(index), dtype);
      ASSERT_NEAR(got, want, function.ulps * ulp(std::max(std::fabs(want), function.size), dtype))
          << "of " << each.a << " and " << each.b << " by " << call_text(op, *args);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(, Functions, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tensorlane::tpukernel
