// Requantisation and dequantisation.
#include "tensorlane/compute/products/quantize.h"
#include "tensorlane/tpukernel/nn_families.h"

TL_TPU_OPS_FILE(quantisation_functions);

namespace tensorlane::tpukernel {
namespace {

bool is_float_rule(QuantRule rule) {
  return rule == QuantRule::kFloatRequant || rule == QuantRule::kFloatDequant;
}

QuantNumbers numbers(const CallArgs& call, QuantRule rule, Dtype dst, Dtype src) {
  const auto float_number = [&](std::string_view name) {
    return std::bit_cast<float>(call.bits(name));
  };
  const auto offset = [&] { return quant_offset(rule, call.bits("offset"), dst, src); };
  switch (rule) {
    case QuantRule::kIntRequant:
    case QuantRule::kIntDequant:
      return {.multiplier = call.integer("multiplier"),
              .shift = call.integer("shift"),
              .offset = offset()};
    case QuantRule::kFloatRequant:
      return {.scale = float_number("scale"), .float_offset = float_number("offset")};
    case QuantRule::kFloatDequant:
      break;
  }
  return {.offset = offset(), .scale = float_number("scale")};
}

QuantArgs quant_args(const Invocation& invocation, QuantRule rule, bool per_channel) {
  const CallArgs call(invocation);
  QuantArgs args;
  args.rule = rule;
  args.dst = call.view("dst_addr");
  args.src = call.view("src_addr");
  args.dst_type = call.type_of("dst_addr");
  args.src_type = call.type_of("src_addr");
  args.n = call.extent("dst_addr", 0);
  args.c = call.extent("dst_addr", 1);
  args.h = call.extent("dst_addr", 2);
  args.w = call.extent("dst_addr", 3);
  const bool two_modes = rule == QuantRule::kFloatRequant;
  args.rounding = call.rounding(two_modes ? "dst_rounding_mode" : "rounding_mode");
  if (two_modes) args.source_rounding = call.rounding("src_rounding_mode");
  args.per_channel = per_channel;
  if (per_channel) {
    args.quant = call.view("quant_addr");
    args.packed = call.numerics().packed_quantisation.value;
  } else {
    args.numbers = numbers(call, rule, args.dst_type, args.src_type);
  }
  return args;
}

bool is_requantisation(QuantRule rule) {
  return rule == QuantRule::kIntRequant || rule == QuantRule::kFloatRequant;
}

Texts limits(QuantRule rule, bool per_channel) {
  Texts texts = join({kShapeLimits,
                      {"dst_addr % tpu_eu_num(DT_INT8) == 0", "src_addr % tpu_eu_num(DT_INT8) == 0",
                       "same_start_npu(dst_addr, src_addr)",
                       "src_dtype in {DT_INT32, DT_INT16, DT_UINT16, DT_INT8, DT_UINT8}"}});
  if (is_requantisation(rule)) {
    texts.emplace_back("dst_dtype in {DT_INT8, DT_UINT8, DT_INT16, DT_UINT16}");
  } else if (rule == QuantRule::kIntDequant) {
    texts.emplace_back("dst_dtype in {DT_INT16, DT_UINT16, DT_INT32, DT_UINT32}");
  }
  if (rule == QuantRule::kFloatRequant) {
    texts = join({texts, {"0 <= dst_rounding_mode <= 4", "0 <= src_rounding_mode <= 4"}});
  } else if (rule == QuantRule::kFloatDequant) {
    texts.emplace_back("0 <= rounding_mode <= 4");
  } else {
    texts.emplace_back(kShiftMode);
  }
  if (per_channel) {
    texts = join(
        {texts, {"quant_addr % tpu_eu_num(DT_INT8) == 0", "same_start_npu(dst_addr, quant_addr)"}});
  } else if (!is_float_rule(rule)) {
    texts.emplace_back("-64 <= shift <= 31");
  }
  return texts;
}

OpSpec quantisation(Doc doc, QuantRule rule, bool per_channel) {
  OpSpec spec{.engine = Engine::kBdc,
              .group = "bdc-quant",
              .doc = doc,
              .operands = {rule == QuantRule::kFloatDequant ? out("dst_addr", Dtype::kFp32)
                                                            : out("dst_addr", "dst_dtype"),
                           exact_in_place(in("src_addr", "src_dtype"))},
              .limits = limits(rule, per_channel),
              .dependence = Dependence::kByIndex,
              .numerics = Numerics::kExactToModel,
              .cycles = per_step(is_requantisation(rule) ? 5 : 2)};
  if (per_channel) {
    const Dtype words = is_float_rule(rule) ? Dtype::kFp32 : Dtype::kInt32;
    OperandSpec quant =
        shaped(in("quant_addr", words),
               {"1", "shape.c", "1", quant_words(rule) == 3 ? "tpu_quant_words()" : "2"});
    quant.layout_rule = [](const Command& command) {
      return numerics_of(*command.chip).rules.packed_quantisation.value ? DefaultLayout::kCompact
                                                                        : DefaultLayout::kAligned;
    };
    spec.operands.push_back(quant);
    // How many numbers a channel has, the chip says.
    if (quant_words(rule) == 3)
      spec.operands[0] = combined(Combination::kFunction, spec.operands[0]);
  } else if (rule != QuantRule::kFloatRequant) {  // there it is a float
    spec.constants = {
        {"offset", ConstantUse::kOffset, is_requantisation(rule) ? "dst_dtype" : "src_dtype"}};
  }
  spec.implementations = {
      {"rows",
       [=](const Invocation& invocation) {
         return quantize_rows(quant_args(invocation, rule, per_channel));
       }},
      {"reference",
       [=](const Invocation& invocation) {
         quantize_reference(quant_args(invocation, rule, per_channel));
         return true;
       }},
  };
  return spec;
}

}  // namespace

TL_TPU_OP(tpu_bdc_int_requant) = quantisation(
    computes("dst = saturate(shift(src * multiplier) + offset)"), QuantRule::kIntRequant, false);

TL_TPU_OP(tpu_bdc_int_pc_requant) =
    quantisation("dst = saturate(shift(src * multiplier) + offset); numbers per channel",
                 QuantRule::kIntRequant, true);

TL_TPU_OP(tpu_bdc_fp32_requant) =
    quantisation(computes("dst = saturate(round(src * scale + offset))", ", in fp32"),
                 QuantRule::kFloatRequant, false);

TL_TPU_OP(tpu_bdc_fp32_pc_requant) =
    quantisation("dst = saturate(round(src * scale + offset)), in fp32; numbers per channel",
                 QuantRule::kFloatRequant, true);

TL_TPU_OP(tpu_bdc_int_dequant) = quantisation(
    computes("dst = saturate(shift((src - offset) * multiplier))"), QuantRule::kIntDequant, false);

TL_TPU_OP(tpu_bdc_int_pc_dequant) =
    quantisation("dst = saturate(shift((src - offset) * multiplier)); numbers per channel",
                 QuantRule::kIntDequant, true);

TL_TPU_OP(tpu_bdc_fp32_dequant) = quantisation(computes("dst = (src - offset) * scale",
                                                        ", in fp32"),
                                               QuantRule::kFloatDequant, false);

TL_TPU_OP(tpu_bdc_fp32_pc_dequant) = quantisation(
    "dst = (src - offset) * scale, in fp32; numbers per channel", QuantRule::kFloatDequant, true);

}  // namespace tensorlane::tpukernel
