// BDC: selection between two operands by a comparison of two others.
//
// Each operand is a tensor, a constant or, where it is compared, one value per channel.
#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/formula_words.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(select_functions);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;

constexpr std::string_view kSelectionGroup = "bdc-select";

// The names around one parameter; they live as long as the ops list.
struct Variable {
  std::string_view address, is_tensor, is_vector;
  Texts limits;
};
Variable variable(std::string_view param, std::string_view dst) {
  const std::string name(param);
  return {keep(name + ".context.addr"),
          keep(name + ".is_tensor"),
          keep(name + ".is_vector"),
          {keep("not_null(" + name + ")"),
           keep(name + ".is_tensor => " + name + ".context.addr % tpu_eu_num(DT_INT8) == 0"),
           keep(name + ".is_addr => same_start_npu(" + std::string(dst) + ", " + name +
                ".context.addr)")}};
}

// Those that are compared may be vectors.
void add_variable(OpSpec& spec, std::string_view param, TypeOf type, std::string_view dst,
                  bool compared) {
  const Variable names = variable(param, dst);
  OperandSpec tensor = unrecorded_in_place(only_if(in(param, type), names.is_tensor));
  tensor.address = names.address;
  tensor.decides = compared;
  spec.operands.push_back(tensor);
  add_limits(spec, names.limits);
  if (compared) {
    OperandSpec vector = deciding(only_if(channel_vector(param, type), names.is_vector));
    vector.address = names.address;
    spec.operands.push_back(vector);
  } else {
    spec.limits.push_back(keep(std::string(param) + ".is_vector == 0 [observed]"));
  }
}

// Where the results of a selection go, and what holds the types.
struct Names {
  std::string_view dst;
  const char* compared;
  const char* selected;
};

List selection_of(const Names& names, const Selection& chosen) {
  return selection(names.dst,
                   {SourceParam("src0", names.compared), SourceParam("src1", names.compared),
                    SourceParam("src2", names.selected), SourceParam("src3", names.selected)},
                   names.compared, chosen);
}

OpSpec select_spec(Doc doc, const Names& names) {
  OpSpec spec{.engine = Engine::kBdc,
              .group = kSelectionGroup,
              .doc = doc,
              .operands = {out(names.dst, names.selected)},
              .limits = join({kShapeLimits, any_type(names.compared), any_type(names.selected)}),
              .dependence = Dependence::kSelected,
              .numerics = Numerics::kExactToModel,
              .cycles = per_step(2)};
  spec.limits.push_back(keep(std::string(names.dst) + " % tpu_eu_num(DT_INT8) == 0"));
  add_variable(spec, "src0", names.compared, names.dst, true);
  add_variable(spec, "src1", names.compared, names.dst, true);
  add_variable(spec, "src2", names.selected, names.dst, false);
  add_variable(spec, "src3", names.selected, names.dst, false);
  return spec;
}

template <TypedRow kRow>
OpSpec select_any() {
  const Names names{"dst_addr", "src0_src1_dtype", "dst_dtype"};
  OpSpec spec = select_spec(formula_doc<kRow>("dst", "src0", "src1", "src2", "src3"), names);
  spec.implementations = selection_of(names, kSelection<kRow>);
  return spec;
}

// The same, and the larger or smaller of the compared operands besides.
OpSpec select_and_extreme(Doc doc, const Selection& chosen, const Extreme& larger) {
  const Names names{"dst1_addr", "dst0_dtype", "dst1_dtype"};
  OpSpec spec = select_spec(doc, names);
  spec.operands.insert(spec.operands.begin(),
                       combined(larger.combination, out("dst0_addr", "dst0_dtype")));
  add_limits(spec,
             {"dst0_addr % tpu_eu_num(DT_INT8) == 0", "same_start_npu(dst0_addr, dst1_addr)"});
  // The selection first: the other result may stand where a compared operand does.
  spec.implementations = in_turn(
      {selection_of(names, chosen),
       extreme("dst0_addr", {SourceParam("src0", "dst0_dtype"), SourceParam("src1", "dst0_dtype")},
               "dst0_dtype", larger)});
  return spec;
}

}  // namespace

TL_TPU_OP(tpu_bdc_greater_select) = select_any<TypedRow::kGreater>();
TL_TPU_OP(tpu_bdc_less_select) = select_any<TypedRow::kLess>();
TL_TPU_OP(tpu_bdc_equal_select) = select_any<TypedRow::kEqual>();
TL_TPU_OP(tpu_bdc_maximum_greater_select) =
    select_and_extreme("dst0 = max(src0, src1), dst1 = src0 > src1 ? src2 : src3",
                       kSelection<TypedRow::kGreater>, kExtreme<TypedRow::kMaximum>);
TL_TPU_OP(tpu_bdc_minimum_less_select) =
    select_and_extreme("dst0 = min(src0, src1), dst1 = src0 < src1 ? src2 : src3",
                       kSelection<TypedRow::kLess>, kExtreme<TypedRow::kMinimum>);

}  // namespace tensorlane::tpukernel
