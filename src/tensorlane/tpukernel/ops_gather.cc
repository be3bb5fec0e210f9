// BDC: gather, scatter and selection by masks inside local memory.
#include "tensorlane/tpukernel/families.h"
#include "tensorlane/tpukernel/indexed_access.h"

TL_TPU_OPS_FILE(gather_functions);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;

constexpr std::string_view kGroup = "bdc-gather";

bool has_param(const Command& command, std::string_view name) {
  for (const Param& param : command.op->params()) {
    if (param.name == name) return true;
  }
  return false;
}

// What an index of all ones stands for, in functions that know such indices.
struct Exception {
  explicit Exception(const Command& command)
      : known(has_param(command, "fill_const")),
        fill(known && command.arg("fill_const").value() != 0),
        constant(known ? static_cast<std::uint32_t>(command.arg("C").value()) : 0) {}
  bool known, fill;
  std::uint32_t constant;
};

// Copies the line of `count` elements, side by side in both tensors.
void copy_line(std::byte* to, const std::byte* from, std::int64_t count, std::int64_t bytes) {
  std::memmove(to, from, static_cast<std::size_t>(count * bytes));
}

// `move(n, c, i, index)` for every index of a tensor that all channels share.
template <class F>
void each_shared_index(const Invocation& invocation, std::int64_t batches, std::int64_t channels,
                       F move) {
  const IndexedTensor index(invocation, "index_addr");
  std::vector<std::uint32_t> list(static_cast<std::size_t>(index.extent(1)));
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = index.bits(index.at(0, static_cast<std::int64_t>(i), 0, 0));
  for (std::int64_t n = 0; n < batches; ++n) {
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < list.size(); ++i)
        move(n, c, static_cast<std::int64_t>(i), list[i]);
    }
  }
}

// out[n, c, 0, i] = param[n, c, 0, index[i]]
bool gather_w(const Invocation& invocation) {
  const Command& command = invocation.command;
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const Exception exception(command);
  const std::uint32_t none = IndexedTensor(invocation, "index_addr").all_ones();
  each_shared_index(invocation, output.extent(0), output.extent(1),
                    [&](std::int64_t n, std::int64_t c, std::int64_t i, std::uint32_t index) {
                      std::byte* const to = output.at(n, c, 0, i);
                      if (exception.known && index == none) {
                        if (exception.fill)
                          copy_line(to, reinterpret_cast<const std::byte*>(&exception.constant), 1,
                                    output.bytes());
                        return;
                      }
                      check_index(command, "index_addr", index, param.extent(3));
                      copy_line(to, param.at(n, c, 0, index), 1, output.bytes());
                    });
  return true;
}

// out[n, c, 0, index[i]] = param[n, c, 0, i]; the last one stays.
bool scatter_w(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  each_shared_index(invocation, output.extent(0), output.extent(1),
                    [&](std::int64_t n, std::int64_t c, std::int64_t i, std::uint32_t index) {
                      check_index(invocation.command, "index_addr", index, output.extent(3));
                      copy_line(output.at(n, c, 0, index), param.at(n, c, 0, i), 1, output.bytes());
                    });
  return true;
}

// An index word holds w in its low half and h in its high half.
struct Place {
  explicit Place(std::uint32_t word) : h(word >> 16U), w(word & 0xffffU) {}
  std::int64_t h, w;
};
void check_place(const Command& command, const Place& place, const IndexedTensor& tensor) {
  check_index(command, "index_addr", static_cast<std::uint64_t>(place.h), tensor.extent(2));
  check_index(command, "index_addr", static_cast<std::uint64_t>(place.w), tensor.extent(3));
}

bool gather_hw(const Invocation& invocation) {
  const Command& command = invocation.command;
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const Exception exception(command);
  each_shared_index(invocation, output.extent(0), output.extent(1),
                    [&](std::int64_t n, std::int64_t c, std::int64_t i, std::uint32_t index) {
                      std::byte* const to = output.flat(n, c, i);
                      if (exception.known && index == ~std::uint32_t{0}) {
                        if (exception.fill)
                          copy_line(to, reinterpret_cast<const std::byte*>(&exception.constant), 1,
                                    output.bytes());
                        return;
                      }
                      const Place place(index);
                      check_place(command, place, param);
                      copy_line(to, param.at(n, c, place.h, place.w), 1, output.bytes());
                    });
  return true;
}

bool scatter_hw(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  each_shared_index(invocation, output.extent(0), output.extent(1),
                    [&](std::int64_t n, std::int64_t c, std::int64_t i, std::uint32_t index) {
                      const Place place(index);
                      check_place(invocation.command, place, output);
                      copy_line(output.at(n, c, place.h, place.w), param.flat(n, c, i), 1,
                                output.bytes());
                    });
  return true;
}

// Every (n, c) has its own indices; the parameter is the same for all batches. `along_h`: whole
// rows are moved, otherwise single elements of one row.
template <class F>
void each_own_index(const Invocation& invocation, F move) {
  const IndexedTensor index(invocation, "index_addr");
  const std::int64_t count = index.extent(2) * index.extent(3);
  for (std::int64_t n = 0; n < index.extent(0); ++n) {
    for (std::int64_t c = 0; c < index.extent(1); ++c) {
      for (std::int64_t i = 0; i < count; ++i) move(n, c, i, index.bits(index.flat(n, c, i)));
    }
  }
}

bool gather_own(const Invocation& invocation, bool along_h) {
  const Command& command = invocation.command;
  const IndexedTensor output(invocation, "output_addr");
  const SharedRows param(invocation, "param_addr");
  const Exception exception(command);
  const std::uint32_t none = IndexedTensor(invocation, "index_addr").all_ones();
  const std::int64_t width = along_h ? output.extent(3) : 1;
  each_own_index(
      invocation, [&](std::int64_t n, std::int64_t c, std::int64_t i, std::uint32_t index) {
        std::byte* const to = along_h ? output.at(n, c, i, 0) : output.at(n, c, 0, i);
        if (exception.known && index == none) {
          for (std::int64_t w = 0; exception.fill && w < width; ++w)
            copy_line(to + w * output.bytes(),
                      reinterpret_cast<const std::byte*>(&exception.constant), 1, output.bytes());
          return;
        }
        check_index(command, "index_addr", index, param.tensor().extent(along_h ? 2 : 3));
        copy_line(to, along_h ? param.at(0, c, index, 0) : param.at(0, c, 0, index), width,
                  output.bytes());
      });
  return true;
}

bool scatter_own(const Invocation& invocation, bool along_h) {
  const IndexedTensor output(invocation, "output_addr");
  const SharedRows param(invocation, "param_addr");
  const std::int64_t width = along_h ? output.extent(3) : 1;
  each_own_index(
      invocation, [&](std::int64_t n, std::int64_t c, std::int64_t i, std::uint32_t index) {
        check_index(invocation.command, "index_addr", index, output.extent(along_h ? 2 : 3));
        copy_line(along_h ? output.at(n, c, index, 0) : output.at(n, c, 0, index),
                  along_h ? param.at(0, c, i, 0) : param.at(0, c, 0, i), width, output.bytes());
      });
  return true;
}

// The elements whose mask is not zero, moved together; how many there were.
bool select_by_mask(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), count(invocation, "count_addr");
  const IndexedTensor mask(invocation, "mask_addr");
  const SharedRows param(invocation, "param_addr");
  for (std::int64_t n = 0; n < output.extent(0); ++n) {
    for (std::int64_t c = 0; c < output.extent(1); ++c) {
      std::uint16_t taken = 0;
      for (std::int64_t i = 0; i < output.extent(3); ++i) {
        if (mask.bits(mask.at(n, c, 0, i)) == 0) continue;
        copy_line(output.at(n, c, 0, taken++), param.at(0, c, 0, i), 1, output.bytes());
      }
      std::memcpy(count.at(n, c, 0, 0), &taken, sizeof taken);
    }
  }
  return true;
}

const Texts kIndexType = {"index_dtype in {DT_UINT8, DT_UINT16}"};
const Texts kPlaces = {"output_addr % 64 == 0", "param_addr % 64 == 0", "index_addr % 2 == 0",
                       "same_start_npu(output_addr, param_addr)"};

OpSpec gather_spec(Doc doc, std::vector<OperandSpec> operands, Texts limits,
                   bool (*run)(const Invocation&)) {
  return {.engine = Engine::kBdc,
          .group = kGroup,
          .doc = doc,
          .operands = std::move(operands),
          .limits = join({kShapeLimits, any_type("dtype"), std::move(limits)}),
          .dependence = Dependence::kMoved,
          .numerics = Numerics::kExactToModel,
          .implementations = {{"reference", run}},
          .cycles = per_element(),
          .work = Work::kIndexed};
}

// Indices for every position, the same for all channels: [1, count, 1, 1], compact, from NPU 0.
OperandSpec shared_index(TypeOf type, std::string_view count) {
  return deciding(shaped(in("index_addr", type), {"1", count, "1", "1"}, DefaultLayout::kCompact));
}
const Texts kSharedIndex = {"start_npu(index_addr) == 0", "shape.h == 1"};

OpSpec shared_w(Doc doc, bool scatter, bool (*run)(const Invocation&)) {
  OperandSpec output = scatter ? inout("output_addr", "dtype") : out("output_addr", "dtype");
  OpSpec spec = gather_spec(
      doc,
      {output, shaped(in("param_addr", "dtype"), {"shape.n", "shape.c", "1", "param_w"}),
       shared_index("index_dtype", scatter ? "param_w" : "shape.w")},
      join({kIndexType, kPlaces, kSharedIndex, {"1 <= param_w <= 65535"}}), run);
  return spec;
}

OpSpec shared_hw(Doc doc, bool scatter, bool (*run)(const Invocation&)) {
  OperandSpec output = scatter ? inout("output_addr", "dtype") : out("output_addr", "dtype");
  return gather_spec(
      doc,
      {output, shaped(in("param_addr", "dtype"), {"shape.n", "shape.c", "param_h", "param_w"}),
       shared_index(Dtype::kUint32, scatter ? "param_h * param_w" : "shape.h * shape.w")},
      join({kPlaces,
            {"start_npu(index_addr) == 0", "1 <= param_h <= 65535", "1 <= param_w <= 65535"}}),
      run);
}

// Indices of their own for every (n, c); the parameter has one batch, maybe one row per NPU.
OperandSpec own_param(Texts shape, DefaultLayout layout) {
  OperandSpec param = shaped(in("param_addr", "dtype"), std::move(shape), layout);
  param.shared_row_if = "is_param_repeated";
  return param;
}
const Texts kOwnPlaces = {"output_addr % 64 == 0", "param_addr % 64 == 0", "index_addr % 64 == 0",
                          "same_start_npu(output_addr, param_addr, index_addr)"};

OpSpec own_w(Doc doc, bool scatter, bool (*run)(const Invocation&)) {
  OperandSpec output = scatter ? inout("output_addr", "dtype") : out("output_addr", "dtype");
  return gather_spec(
      doc,
      {output, own_param({"1", "shape.c", "1", "param_w"}, DefaultLayout::kAligned),
       deciding(shaped(in("index_addr", "index_dtype"),
                       {"shape.n", "shape.c", "1", scatter ? "param_w" : "shape.w"}))},
      join({kIndexType, kOwnPlaces, {"shape.h == 1", "1 <= param_w <= 65535"}}), run);
}

OpSpec own_h(Doc doc, bool scatter, bool (*run)(const Invocation&)) {
  const OperandSpec output =
      shaped(scatter ? inout("output_addr", "dtype") : out("output_addr", "dtype"), kShape,
             DefaultLayout::kLineAligned);
  return gather_spec(
      doc,
      {output, own_param({"1", "shape.c", "param_h", "shape.w"}, DefaultLayout::kLineAligned),
       deciding(shaped(in("index_addr", "index_dtype"),
                       {"shape.n", "shape.c", scatter ? "param_h" : "shape.h", "1"}))},
      join({kIndexType, kOwnPlaces, {"1 <= param_h <= 65535"}}), run);
}

// An exception leaves elements as they are.
OpSpec exceptional(OpSpec spec) {
  spec.operands[0].role = Role::kInOut;
  return spec;
}

// A gather that reads four copies of the parameter, two banks apart, at once. The copies must be
// equal; the first one counts here. [observed]
OpSpec four_banks(OpSpec spec) {
  spec.limits = join({spec.limits, {"shape.n == 1 [observed]"}});
  return spec;
}

bool gather_own_w(const Invocation& invocation) {
  return gather_own(invocation, false);
}
bool gather_own_h(const Invocation& invocation) {
  return gather_own(invocation, true);
}
bool scatter_own_w(const Invocation& invocation) {
  return scatter_own(invocation, false);
}
bool scatter_own_h(const Invocation& invocation) {
  return scatter_own(invocation, true);
}

OpSpec mask_spec() {
  OpSpec spec = gather_spec(
      {"Moves the elements whose mask is not 0 together; count says how many there are.",
       "把 mask 非 0 的元素依次排放；count 为其个数。"},
      {inout("output_addr", "dtype"),
       shaped(out("count_addr", Dtype::kUint16), {"shape.n", "shape.c", "1", "1"},
              DefaultLayout::kCompact),
       own_param({"1", "shape.c", "1", "shape.w"}, DefaultLayout::kAligned),
       deciding(in("mask_addr", "mask_dtype"))},
      join({any_type("mask_dtype"),
            {"output_addr % 64 == 0", "param_addr % 64 == 0", "mask_addr % 64 == 0",
             "count_addr % 2 == 0", "shape.h == 1",
             "same_start_npu(output_addr, count_addr, param_addr, mask_addr)"}}),
      select_by_mask);
  return spec;
}

constexpr Doc kW = {"out[n, c, 0, i] = param[n, c, 0, index[i]]",
                    "out[n, c, 0, i] = param[n, c, 0, index[i]]"};
constexpr Doc kHW = {"out[n, c, i] = param[n, c, index[i].h, index[i].w]",
                     "out[n, c, i] = param[n, c, index[i].h, index[i].w]"};
constexpr Doc kOwnW = {"out[n, c, 0, i] = param[0, c, 0, index[n, c, i]]",
                       "out[n, c, 0, i] = param[0, c, 0, index[n, c, i]]"};
constexpr Doc kOwnH = {"out[n, c, i, :] = param[0, c, index[n, c, i], :]",
                       "out[n, c, i, :] = param[0, c, index[n, c, i], :]"};

}  // namespace
}  // namespace tensorlane::tpukernel

using namespace tensorlane;
using namespace tensorlane::tpukernel;

#define TPU_OUT_PARAM_INDEX \
  (local_addr_t, output_addr), (local_addr_t, param_addr), (local_addr_t, index_addr)
#define TPU_INDEXED (data_type_t, dtype), (data_type_t, index_dtype)

TL_TPU_OP(void, tpu_bdc_w_gather, TPU_OUT_PARAM_INDEX, (const dim4*, shape), (int, param_w),
          TPU_INDEXED) = shared_w(kW, false, gather_w);
TL_TPU_OP(void, tpu_bdc_w_gather_exception, TPU_OUT_PARAM_INDEX, (scalar_t, C),
          (const dim4*, shape), (int, param_w), TPU_INDEXED,
          (bool, fill_const)) = exceptional(shared_w(kW, false, gather_w));
TL_TPU_OP(void, tpu_bdc_w_scatter, TPU_OUT_PARAM_INDEX, (const dim4*, shape), (int, param_w),
          TPU_INDEXED) = shared_w({"out[n, c, 0, index[i]] = param[n, c, 0, i]",
                                   "out[n, c, 0, index[i]] = param[n, c, 0, i]"},
                                  true, scatter_w);
TL_TPU_OP(void, tpu_bdc_hw_gather, TPU_OUT_PARAM_INDEX, (const dim4*, shape), (int, param_h),
          (int, param_w), (data_type_t, dtype)) = shared_hw(kHW, false, gather_hw);
TL_TPU_OP(void, tpu_bdc_hw_gather_exception, TPU_OUT_PARAM_INDEX, (scalar_t, C),
          (const dim4*, shape), (int, param_h), (int, param_w), (data_type_t, dtype),
          (bool, fill_const)) = exceptional(shared_hw(kHW, false, gather_hw));
TL_TPU_OP(void, tpu_bdc_hw_scatter, TPU_OUT_PARAM_INDEX, (const dim4*, shape), (int, param_h),
          (int, param_w),
          (data_type_t, dtype)) = shared_hw({"out[n, c, index[i].h, index[i].w] = param[n, c, i]",
                                             "out[n, c, index[i].h, index[i].w] = param[n, c, i]"},
                                            true, scatter_hw);
TL_TPU_OP(void, tpu_bdc_batch_bcast_w_gather, TPU_OUT_PARAM_INDEX, (const dim4*, shape),
          (int, param_w), TPU_INDEXED,
          (bool, is_param_repeated)) = own_w(kOwnW, false, gather_own_w);
TL_TPU_OP(void, tpu_bdc_batch_bcast_w_gather_exception, TPU_OUT_PARAM_INDEX, (scalar_t, C),
          (const dim4*, shape), (int, param_w), TPU_INDEXED, (bool, is_param_repeated),
          (bool, fill_const)) = exceptional(own_w(kOwnW, false, gather_own_w));
TL_TPU_OP(void, tpu_bdc_4bank_w_gather, TPU_OUT_PARAM_INDEX, (const dim4*, shape), (int, param_w),
          TPU_INDEXED, (bool, is_param_repeated)) = four_banks(own_w(kOwnW, false, gather_own_w));
TL_TPU_OP(void, tpu_bdc_4bank_w_gather_exception, TPU_OUT_PARAM_INDEX, (scalar_t, C),
          (const dim4*, shape), (int, param_w), TPU_INDEXED, (bool, is_param_repeated),
          (bool, fill_const)) = four_banks(exceptional(own_w(kOwnW, false, gather_own_w)));
TL_TPU_OP(void, tpu_bdc_batch_bcast_w_scatter, TPU_OUT_PARAM_INDEX, (const dim4*, shape),
          (int, param_w), TPU_INDEXED,
          (bool, is_param_repeated)) = own_w({"out[n, c, 0, index[n, c, i]] = param[0, c, 0, i]",
                                              "out[n, c, 0, index[n, c, i]] = param[0, c, 0, i]"},
                                             true, scatter_own_w);
TL_TPU_OP(void, tpu_bdc_batch_bcast_w_mask_select, (local_addr_t, output_addr),
          (local_addr_t, count_addr), (local_addr_t, param_addr), (local_addr_t, mask_addr),
          (const dim4*, shape), (data_type_t, dtype), (data_type_t, mask_dtype),
          (bool, is_param_repeated)) = mask_spec();
TL_TPU_OP(void, tpu_bdc_batch_bcast_h_gather, TPU_OUT_PARAM_INDEX, (const dim4*, shape),
          (int, param_h), TPU_INDEXED,
          (bool, is_param_repeated)) = own_h(kOwnH, false, gather_own_h);
TL_TPU_OP(void, tpu_bdc_batch_bcast_h_gather_exception, TPU_OUT_PARAM_INDEX, (scalar_t, C),
          (const dim4*, shape), (int, param_h), TPU_INDEXED, (bool, is_param_repeated),
          (bool, fill_const)) = exceptional(own_h(kOwnH, false, gather_own_h));
TL_TPU_OP(void, tpu_bdc_batch_bcast_h_scatter, TPU_OUT_PARAM_INDEX, (const dim4*, shape),
          (int, param_h), TPU_INDEXED,
          (bool, is_param_repeated)) = own_h({"out[n, c, index[n, c, i], :] = param[0, c, i, :]",
                                              "out[n, c, index[n, c, i], :] = param[0, c, i, :]"},
                                             true, scatter_own_h);
