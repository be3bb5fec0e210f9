// BDC: gather, scatter and selection by masks inside local memory.
#include "tensorlane/compute/moves/indexed_moves.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(gather_functions);

namespace tensorlane::tpukernel {
namespace {

constexpr std::string_view kGatherGroup = "bdc-gather";

const Texts kIndexType = {"index_dtype in {DT_UINT8, DT_UINT16}"};
const Texts kPlaces = {"output_addr % tpu_eu_num(DT_INT8) == 0",
                       "param_addr % tpu_eu_num(DT_INT8) == 0", "index_addr % 2 == 0",
                       "same_start_npu(output_addr, param_addr)"};

OpSpec gather_spec(Doc doc, std::vector<OperandSpec> operands, Texts limits,
                   std::vector<Implementation> implementations) {
  return {.engine = Engine::kBdc,
          .group = kGatherGroup,
          .doc = doc,
          .operands = std::move(operands),
          .limits = join({kShapeLimits, any_type_or_fp8("dtype"), std::move(limits)}),
          .dependence = Dependence::kMoved,
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_element(),
          .work = Work::kIndexed};
}

// Indices for every position, the same for all channels: [1, count, 1, 1], compact, from NPU 0.
OperandSpec shared_index(TypeOf type, std::string_view count) {
  return deciding(shaped(in("index_addr", type), {"1", count, "1", "1"}, DefaultLayout::kCompact));
}
const Texts kSharedIndex = {"start_npu(index_addr) == 0", "shape.h == 1"};

OpSpec shared_w(Doc doc, bool scatter) {
  OperandSpec output = scatter ? inout("output_addr", "dtype") : out("output_addr", "dtype");
  OpSpec spec = gather_spec(
      doc,
      {output, shaped(in("param_addr", "dtype"), {"shape.n", "shape.c", "1", "param_w"}),
       shared_index("index_dtype", scatter ? "param_w" : "shape.w")},
      join({kIndexType, kPlaces, kSharedIndex, {"1 <= param_w <= 65535"}}), moves_along_w(scatter));
  return spec;
}

OpSpec shared_hw(Doc doc, bool scatter) {
  OperandSpec output = scatter ? inout("output_addr", "dtype") : out("output_addr", "dtype");
  return gather_spec(
      doc,
      {output, shaped(in("param_addr", "dtype"), {"shape.n", "shape.c", "param_h", "param_w"}),
       shared_index(Dtype::kUint32, scatter ? "param_h * param_w" : "shape.h * shape.w")},
      join({kPlaces,
            {"start_npu(index_addr) == 0", "1 <= param_h <= 65535", "1 <= param_w <= 65535"}}),
      moves_along_hw(scatter));
}

// Indices of their own for every (n, c); the parameter has one batch, maybe one row per NPU.
OperandSpec own_param(Texts shape, DefaultLayout layout) {
  OperandSpec param = shaped(in("param_addr", "dtype"), std::move(shape), layout);
  param.shared_row_if = "is_param_repeated";
  return param;
}
const Texts kOwnPlaces = {
    "output_addr % tpu_eu_num(DT_INT8) == 0", "param_addr % tpu_eu_num(DT_INT8) == 0",
    "index_addr % tpu_eu_num(DT_INT8) == 0", "same_start_npu(output_addr, param_addr, index_addr)"};

OpSpec own_w(Doc doc, bool scatter) {
  OperandSpec output = scatter ? inout("output_addr", "dtype") : out("output_addr", "dtype");
  return gather_spec(
      doc,
      {output, own_param({"1", "shape.c", "1", "param_w"}, DefaultLayout::kAligned),
       deciding(shaped(in("index_addr", "index_dtype"),
                       {"shape.n", "shape.c", "1", scatter ? "param_w" : "shape.w"}))},
      join({kIndexType, kOwnPlaces, {"shape.h == 1", "1 <= param_w <= 65535"}}),
      moves_by_own_indices(scatter, false));
}

OpSpec own_h(Doc doc, bool scatter) {
  const OperandSpec output =
      shaped(scatter ? inout("output_addr", "dtype") : out("output_addr", "dtype"), kShape,
             DefaultLayout::kLineAligned);
  return gather_spec(
      doc,
      {output, own_param({"1", "shape.c", "param_h", "shape.w"}, DefaultLayout::kLineAligned),
       deciding(shaped(in("index_addr", "index_dtype"),
                       {"shape.n", "shape.c", scatter ? "param_h" : "shape.h", "1"}))},
      join({kIndexType, kOwnPlaces, {"1 <= param_h <= 65535"}}),
      moves_by_own_indices(scatter, true));
}

// An exception leaves elements as they are.
OpSpec exceptional(OpSpec spec) {
  spec.operands[0].role = Role::kInOut;
  return spec;
}

// A gather that reads four copies of the parameter, two banks apart, at once. The copies must be
// equal; the first one counts here. [observed]
OpSpec four_banks(OpSpec spec) {
  add_limits(spec, {"shape.n == 1 [observed]"});
  return spec;
}

OpSpec mask_spec() {
  OpSpec spec = gather_spec(
      "Moves the elements whose mask is not 0 together; count says how many there are.",
      {inout("output_addr", "dtype"),
       shaped(out("count_addr", Dtype::kUint16), {"shape.n", "shape.c", "1", "1"},
              DefaultLayout::kCompact),
       own_param({"1", "shape.c", "1", "shape.w"}, DefaultLayout::kAligned),
       deciding(in("mask_addr", "mask_dtype"))},
      join({any_type("mask_dtype"),
            {"output_addr % tpu_eu_num(DT_INT8) == 0", "param_addr % tpu_eu_num(DT_INT8) == 0",
             "mask_addr % tpu_eu_num(DT_INT8) == 0", "count_addr % 2 == 0", "shape.h == 1",
             "same_start_npu(output_addr, count_addr, param_addr, mask_addr)"}}),
      moves_by_mask());
  return spec;
}

constexpr Doc kW = "out[n, c, 0, i] = param[n, c, 0, index[i]]";
constexpr Doc kHW = "out[n, c, i] = param[n, c, index[i].h, index[i].w]";
constexpr Doc kOwnW = "out[n, c, 0, i] = param[0, c, 0, index[n, c, i]]";
constexpr Doc kOwnH = "out[n, c, i, :] = param[0, c, index[n, c, i], :]";

}  // namespace

TL_TPU_OP(tpu_bdc_w_gather) = shared_w(kW, false);
TL_TPU_OP(tpu_bdc_w_gather_exception) = exceptional(shared_w(kW, false));
TL_TPU_OP(tpu_bdc_w_scatter) = shared_w("out[n, c, 0, index[i]] = param[n, c, 0, i]", true);
TL_TPU_OP(tpu_bdc_hw_gather) = shared_hw(kHW, false);
TL_TPU_OP(tpu_bdc_hw_gather_exception) = exceptional(shared_hw(kHW, false));
TL_TPU_OP(tpu_bdc_hw_scatter) = shared_hw("out[n, c, index[i].h, index[i].w] = param[n, c, i]",
                                          true);
TL_TPU_OP(tpu_bdc_batch_bcast_w_gather) = own_w(kOwnW, false);
TL_TPU_OP(tpu_bdc_batch_bcast_w_gather_exception) = exceptional(own_w(kOwnW, false));
TL_TPU_OP(tpu_bdc_4bank_w_gather) = four_banks(own_w(kOwnW, false));
TL_TPU_OP(tpu_bdc_4bank_w_gather_exception) = four_banks(exceptional(own_w(kOwnW, false)));
TL_TPU_OP(tpu_bdc_batch_bcast_w_scatter) = own_w("out[n, c, 0, index[n, c, i]] = param[0, c, 0, i]",
                                                 true);
TL_TPU_OP(tpu_bdc_batch_bcast_w_mask_select) = mask_spec();
TL_TPU_OP(tpu_bdc_batch_bcast_h_gather) = own_h(kOwnH, false);
TL_TPU_OP(tpu_bdc_batch_bcast_h_gather_exception) = exceptional(own_h(kOwnH, false));
TL_TPU_OP(tpu_bdc_batch_bcast_h_scatter) = own_h("out[n, c, index[n, c, i], :] = param[0, c, i, :]",
                                                 true);

}  // namespace tensorlane::tpukernel
