// BDC: gather, scatter and selection by masks inside local memory.
#include <cstring>
#include <span>
#include <vector>

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

// One element of a channel to another place, both in bytes from the channel's first element.
struct Move {
  std::int64_t to, from;
};
constexpr std::int64_t kFromConstant = -1;

// In order: the last one stays.
void apply(std::span<const Move> moves, std::int64_t bytes, std::byte* to, const std::byte* from,
           std::uint32_t constant) {
  with_width(bytes, [&](auto element) {
    using Element = decltype(element);
    for (const Move& move : moves) {
      const void* const source =
          move.from == kFromConstant ? static_cast<const void*>(&constant) : from + move.from;
      std::memcpy(to + move.to, source, sizeof(Element));
    }
  });
}

// Gathers and scatters by indices that all channels share: the same moves in each. `place(i)` is
// where the i-th element stands in the tensor that goes along with the indices, `indexed(index)`
// where an index points to in the other one.
template <class Place, class Indexed>
bool move_shared(const Invocation& invocation, bool scatter, Place place, Indexed indexed) {
  const IndexedTensor output(invocation, "output_addr"), param(invocation, "param_addr");
  const IndexedTensor index(invocation, "index_addr");
  const Exception exception(invocation.command);
  const Plane in_order = (scatter ? param : output).plane(0, 0);
  const Plane by_index = (scatter ? output : param).plane(0, 0);
  std::vector<Move> moves;
  for (std::int64_t i = 0; i < index.extent(1); ++i) {
    const std::uint32_t value = index.bits(index.at(0, i, 0, 0));
    const std::int64_t ordered = place(in_order, i);
    if (exception.known && value == index.all_ones()) {
      if (exception.fill) moves.push_back({ordered, kFromConstant});
      continue;
    }
    const std::int64_t found = indexed(scatter ? output : param, by_index, value);
    moves.push_back(scatter ? Move{found, ordered} : Move{ordered, found});
  }
  for (std::int64_t n = 0; n < output.extent(0); ++n) {
    for (std::int64_t c = 0; c < output.extent(1); ++c) {
      apply(moves, output.bytes(), output.at(n, c, 0, 0), param.at(n, c, 0, 0), exception.constant);
    }
  }
  return true;
}

// out[n, c, 0, i] = param[n, c, 0, index[i]], and the other way about
bool move_w(const Invocation& invocation, bool scatter) {
  return move_shared(
      invocation, scatter, [](const Plane& plane, std::int64_t i) { return i * plane.w_stride; },
      [&](const IndexedTensor& tensor, const Plane& plane, std::uint32_t index) {
        check_index(invocation.command, "index_addr", index, tensor.extent(3));
        return static_cast<std::int64_t>(index) * plane.w_stride;
      });
}
bool gather_w(const Invocation& invocation) {
  return move_w(invocation, false);
}
bool scatter_w(const Invocation& invocation) {
  return move_w(invocation, true);
}

// An index word holds w in its low half and h in its high half.
bool move_hw(const Invocation& invocation, bool scatter) {
  const std::int64_t width =
      invocation.command.find(scatter ? "param_addr" : "output_addr")->layout.extent(3);
  return move_shared(
      invocation, scatter,
      [width](const Plane& plane, std::int64_t i) {
        return i / width * plane.h_stride + i % width * plane.w_stride;
      },
      [&](const IndexedTensor& tensor, const Plane& plane, std::uint32_t index) {
        const std::int64_t h = index >> 16U, w = index & 0xffffU;
        check_index(invocation.command, "index_addr", static_cast<std::uint64_t>(h),
                    tensor.extent(2));
        check_index(invocation.command, "index_addr", static_cast<std::uint64_t>(w),
                    tensor.extent(3));
        return h * plane.h_stride + w * plane.w_stride;
      });
}
bool gather_hw(const Invocation& invocation) {
  return move_hw(invocation, false);
}
bool scatter_hw(const Invocation& invocation) {
  return move_hw(invocation, true);
}

// Every (n, c) has its own indices; the parameter is the same for all batches. `along_h`: whole
// rows are moved, which are dense, otherwise single elements of one row.
bool move_own(const Invocation& invocation, bool scatter, bool along_h) {
  const Command& command = invocation.command;
  const IndexedTensor output(invocation, "output_addr"), index(invocation, "index_addr");
  const SharedRows param(invocation, "param_addr");
  const Exception exception(command);
  const IndexedTensor& by_index = scatter ? output : param.tensor();
  const std::int64_t extent = by_index.extent(along_h ? 2 : 3);
  const std::int64_t count = index.extent(2) * index.extent(3);
  const std::int64_t width = along_h ? output.extent(3) : 1, bytes = output.bytes();
  const auto step = [along_h](const Plane& plane) {
    return along_h ? plane.h_stride : plane.w_stride;
  };
  std::vector<Move> moves;
  for (std::int64_t n = 0; n < index.extent(0); ++n) {
    for (std::int64_t c = 0; c < index.extent(1); ++c) {
      const Plane to = output.plane(n, c), from = param.plane(c), indices = index.plane(n, c);
      moves.clear();
      with_width(index.bytes(), [&](auto type) {
        for (std::int64_t i = 0; i < count; ++i) {
          decltype(type) value;
          std::memcpy(&value, indices.base + i * step(indices), sizeof value);
          if (exception.known && value == index.all_ones()) {
            if (exception.fill) moves.push_back({i * step(to), kFromConstant});
            continue;
          }
          check_index(command, "index_addr", value, extent);
          moves.push_back(scatter ? Move{value * step(to), i * step(from)}
                                  : Move{i * step(to), value * step(from)});
        }
      });
      if (!along_h) {
        apply(moves, bytes, to.base, from.base, exception.constant);
        continue;
      }
      for (const Move& move : moves) {
        if (move.from == kFromConstant) {
          for (std::int64_t w = 0; w < width; ++w)
            std::memcpy(to.base + move.to + w * bytes, &exception.constant,
                        static_cast<std::size_t>(bytes));
        } else {
          std::memmove(to.base + move.to, from.base + move.from,
                       static_cast<std::size_t>(width * bytes));
        }
      }
    }
  }
  return true;
}

// The elements whose mask is not zero, moved together; how many there were.
bool select_by_mask(const Invocation& invocation) {
  const IndexedTensor output(invocation, "output_addr"), count(invocation, "count_addr");
  const IndexedTensor mask(invocation, "mask_addr");
  const SharedRows param(invocation, "param_addr");
  const std::int64_t width = output.extent(3);
  std::vector<Move> moves;
  for (std::int64_t n = 0; n < output.extent(0); ++n) {
    for (std::int64_t c = 0; c < output.extent(1); ++c) {
      const Plane to = output.plane(n, c), from = param.plane(c), tested = mask.plane(n, c);
      moves.resize(static_cast<std::size_t>(width));
      std::size_t taken = 0;
      with_width(mask.bytes(), [&](auto type) {
        for (std::int64_t i = 0; i < width; ++i) {
          decltype(type) value;
          std::memcpy(&value, tested.base + i * tested.w_stride, sizeof value);
          moves[taken] = {static_cast<std::int64_t>(taken) * to.w_stride, i * from.w_stride};
          taken += value != 0 ? 1 : 0;
        }
      });
      apply({moves.data(), taken}, output.bytes(), to.base, from.base, 0);
      const auto kept = static_cast<std::uint16_t>(taken);
      std::memcpy(count.at(n, c, 0, 0), &kept, sizeof kept);
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
  return move_own(invocation, false, false);
}
bool gather_own_h(const Invocation& invocation) {
  return move_own(invocation, false, true);
}
bool scatter_own_w(const Invocation& invocation) {
  return move_own(invocation, true, false);
}
bool scatter_own_h(const Invocation& invocation) {
  return move_own(invocation, true, true);
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
