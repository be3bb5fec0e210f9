// Addresses, strides, data types and scalar conversion: pure functions.
#include <algorithm>
#include <bit>
#include <cstring>

#include "tensorlane/device/host_functions.h"
#include "tensorlane/tensor/convert.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(utils);

namespace tensorlane::tpukernel {
namespace {

OpSpec util(Doc doc, HostFunction call, Texts limits = {}) {
  return host(doc, call, std::move(limits), "util");
}

// A conversion of one constant.
OpSpec constant_conversion(Doc doc, HostFunction call, Texts limits) {
  return with_constants({{"src", ConstantUse::kNumber, "src_dtype"}},
                        util(doc, call, std::move(limits)));
}

// To the argument `stride`.
std::int64_t store(const HostCall& call, const Stride4& stride) {
  *static_cast<dim4*>(call.arg("stride").pointer) = {
      static_cast<int>(stride.n), static_cast<int>(stride.c), static_cast<int>(stride.h),
      static_cast<int>(stride.w)};
  return 0;
}
template <auto kStrideOf>
std::int64_t store_typed(const HostCall& call) {
  return store(call, kStrideOf(call.chip.local, call.value("start_idx"), call.arg("shape").shape(),
                               static_cast<int>(call.value("dtype", "bits"))));
}
const Texts kStrides = {"not_null(stride)", "not_null(shape)"},
            kTypedStrides = {"not_null(stride)", "not_null(shape)", "0 < dtype.bits"};

// Of the argument `dtype`. A type that the BM1684X does not know is neither.
bool is_float(const HostCall& call) {
  const std::optional<Dtype> dtype = dtype_of(static_cast<int>(call.value("dtype")));
  return dtype && dtype_info(*dtype).is_float;
}
bool is_integer(const HostCall& call) {
  return dtype_of(static_cast<int>(call.value("dtype"))) && !is_float(call);
}
bool is_fp8(const HostCall& call) {
  return call.value("dtype") == DT_FP8E5M2 || call.value("dtype") == DT_FP8E4M3;
}
// FP8, FP20 and TF32 of later chips are floating point types, though the BM1684X has none of them.
bool is_any_float(const HostCall& call) {
  const std::int64_t code = call.value("dtype");
  return is_float(call) || is_fp8(call) || code == DT_FP20 || code == DT_TF32;
}
// Every signed type has an odd code, floating point types too.
bool is_signed(const HostCall& call) {
  return (call.value("dtype") & 1) != 0;
}
bool is_signed_integer(const HostCall& call) {
  return is_integer(call) && is_signed(call);
}
bool is_unsigned_integer(const HostCall& call) {
  return is_integer(call) && !is_signed(call);
}
template <int kBits>
bool is_integer_of(const HostCall& call) {
  return is_integer(call) && call.value("dtype", "bits") == kBits;
}
template <bool (*kTest)(const HostCall& call)>
std::int64_t whether(const HostCall& call) {
  return kTest(call) ? 1 : 0;
}

// C stride of a channel of h * w elements; `align` and `dtype` are arguments of the call.
std::int64_t channel_stride(const HostCall& call, std::int64_t h, std::int64_t w) {
  const std::int64_t unit =
      call.value("align") != 0 ? call.chip.local.align_bytes * 8 / call.value("dtype", "bits") : 1;
  return align_up(h * w, unit);
}

// One conversion. Bits above those of the destination's type are zero.
std::int64_t cast_with(const HostCall& call, RoundingMode mode) {
  const Dtype dst = call.arg("dst_dtype").dtype(), src = call.arg("src_dtype").dtype();
  const auto bits = static_cast<std::uint32_t>(call.value("src"));
  return convert_element(bits, dst, src, tpu_cast_options(dst, src, mode));
}
std::int64_t cast(const HostCall& call) {
  return cast_with(call, static_cast<RoundingMode>(call.value("mode")));
}
std::int64_t cast_integer(const HostCall& call) {  // rounds nothing
  return cast_with(call, RoundingMode::kHalfToEven);
}

const Texts kCastModes = {"src_dtype.is_float == 1 => dst_dtype != src_dtype => 0 <= mode <= 4",
                          "dst_dtype.is_float == 1 => dst_dtype != src_dtype => 0 <= mode <= 4"};

std::int64_t bank(const Chip& chip, std::int64_t address) {
  return address % chip.local.npu_bytes / (chip.local.npu_bytes / chip.banks_per_npu);
}

bool overlap(const range_t& a, const range_t& b) {
  return a.start <= b.end && b.start <= a.end;
}
const range_t* ranges(const HostCall& call, std::string_view param) {
  return static_cast<const range_t*>(call.arg(param).pointer);
}
std::int64_t any_overlap(const HostCall& call) {
  const range_t* const all = ranges(call, "ranges");
  for (std::int64_t i = 0; i < call.value("num"); ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (overlap(all[i], all[j])) return 1;
    }
  }
  return 0;
}

// Byte offset of channel c inside its NPU.
std::int64_t slot_offset(const HostCall& call) {
  return call.value("c") / call.chip.local.npus * call.value("c_stride") *
         call.value("dtype", "bytes");
}

}  // namespace

TL_TPU_OP(tpu_npu_index) = util("NPU of a local address.",
                                [](const HostCall& call) -> std::int64_t {
                                  return call.value("addr") / call.chip.local.npu_bytes %
                                         call.chip.local.npus;
                                });
TL_TPU_OP(tpu_bank_index) = util("Bank of a local address.", [](const HostCall& call) {
  return bank(call.chip, call.value("addr"));
});
TL_TPU_OP(tpu_channle_num_per_npu) =
    util("Channel rows every NPU reserves.", [](const HostCall& call) {
      return channels_per_npu(call.chip.local, call.value("start_idx"), call.value("num_channels"));
    });
TL_TPU_OP(tpu_aligned_feature_size) = util("Bytes of one channel in the aligned layout.",
                                           [](const HostCall& call) -> std::int64_t {
                                             const std::int64_t bits = call.value("h") *
                                                                       call.value("w") *
                                                                       call.value("dtype", "bits");
                                             return align_up(ceil_div(bits, 8),
                                                             call.chip.local.align_bytes);
                                           },
                                           {"0 < dtype.bits"});
TL_TPU_OP(tpu_aligned_stride) = util("Strides of the aligned layout.",
                                     store_typed<aligned_stride_bits>, kTypedStrides);
TL_TPU_OP(tpu_compact_stride) = util(
    "Strides of the compact layout.",
    [](const HostCall& call) {
      return store(call, compact_stride(call.chip.local, call.value("start_idx"),
                                        call.arg("shape").shape()));
    },
    kStrides);
TL_TPU_OP(tpu_line_aligned_stride) = util("Strides of the line-aligned layout.",
                                          store_typed<line_aligned_stride>, kTypedStrides);
TL_TPU_OP(tpu_continuous_stride) = util(
    "Strides of dense system memory.",
    [](const HostCall& call) { return store(call, continuous_stride(call.arg("shape").shape())); },
    kStrides);
TL_TPU_OP(tpu_get_local_cstride) = util("C stride of the aligned or the compact layout.",
                                        [](const HostCall& call) {
                                          return channel_stride(call, call.value("h"),
                                                                call.value("w"));
                                        },
                                        {"0 < dtype.bits"});
TL_TPU_OP(tpu_get_local_nstride) =
    util("N stride for a C stride.", [](const HostCall& call) -> std::int64_t {
      return channels_per_npu(call.chip.local, call.value("start_idx"), call.value("c")) *
             call.value("c_stride");
    });
TL_TPU_OP(tpu_get_local_size) = util("Bytes a tensor takes in every NPU.",
                                     [](const HostCall& call) -> std::int64_t {
                                       const Shape4 shape = call.arg("shape").shape();
                                       const std::int64_t c_stride =
                                           channel_stride(call, shape.h, shape.w);
                                       return shape.n *
                                              channels_per_npu(call.chip.local,
                                                               call.value("start_idx"), shape.c) *
                                              c_stride * call.value("dtype", "bits") / 8;
                                     },
                                     {"not_null(shape)", "0 < dtype.bits"});

TL_TPU_OP(tpu_is_data_type_signed) = util("Whether the type is signed; floating point types are.",
                                          whether<is_signed>);
TL_TPU_OP(tpu_is_data_type_int) = util("Whether the type is an integer type.", whether<is_integer>);
TL_TPU_OP(tpu_is_data_type_int4) = util("Whether the type is a 4-bit integer.",
                                        whether<is_integer_of<4>>);
TL_TPU_OP(tpu_is_data_type_int8) = util("Whether the type is an 8-bit integer.",
                                        whether<is_integer_of<8>>);
TL_TPU_OP(tpu_is_data_type_int16) = util("Whether the type is a 16-bit integer.",
                                         whether<is_integer_of<16>>);
TL_TPU_OP(tpu_is_data_type_int32) = util("Whether the type is a 32-bit integer.",
                                         whether<is_integer_of<32>>);
TL_TPU_OP(tpu_is_data_type_signed_int) = util("Whether the type is a signed integer type.",
                                              whether<is_signed_integer>);
TL_TPU_OP(tpu_is_data_type_unsigned_int) = util("Whether the type is an unsigned integer type.",
                                                whether<is_unsigned_integer>);
TL_TPU_OP(tpu_is_data_type_fp) = util("Whether the type is a floating point type.",
                                      whether<is_any_float>);
TL_TPU_OP(tpu_is_data_type_fp8) = util(
    "Whether the type is one of the 8-bit floating point types of later chips.", whether<is_fp8>);
TL_TPU_OP(tpu_data_type_size) = util("Bytes of an element.",
                                     [](const HostCall& call) {
                                       return call.value("dtype", "bytes");
                                     },
                                     {"0 < dtype.bytes"});
TL_TPU_OP(tpu_data_type_bits) = util("Bits of an element.",
                                     [](const HostCall& call) {
                                       return call.value("dtype", "bits");
                                     },
                                     {"0 < dtype.bits"});

TL_TPU_OP(tpu_local_shape_5d_to_4d) = util(
    "Folds depth into the batch: (n, c, d, h, w) to (n * d, c, h, w).",
    [](const HostCall& call) -> std::int64_t {
      const dim5& from = *static_cast<const dim5*>(call.arg("shape_5d").pointer);
      *static_cast<dim4*>(call.arg("shape_4d").pointer) = {from.n * from.d, from.c, from.h, from.w};
      return 0;
    },
    {"not_null(shape_5d)", "not_null(shape_4d)"});

TL_TPU_OP(tpu_int_cast) = constant_conversion("Converts an integer, saturating.", cast_integer,
                                              join({integer_type("dst_dtype"),
                                                    integer_type("src_dtype")}));
TL_TPU_OP(tpu_fp_cast) = constant_conversion("Converts between floating point types.", cast,
                                             join({float_type_or_fp8("dst_dtype"),
                                                   float_type_or_fp8("src_dtype"), kCastModes}));
TL_TPU_OP(tpu_fp_to_int_cast) =
    constant_conversion("Converts to an integer: rounds, then saturates.", cast,
                        join({integer_type("dst_dtype"), float_type("src_dtype"), kCastModes}));
TL_TPU_OP(tpu_int_to_fp_cast) = constant_conversion("Converts an integer to a floating point type.",
                                                    cast,
                                                    join({float_type("dst_dtype"),
                                                          integer_type("src_dtype"), kCastModes}));
TL_TPU_OP(tpu_cast) = constant_conversion("Converts between any two types, as tpu_bdc_cast does.",
                                          cast,
                                          join({any_type_or_fp8("dst_dtype"),
                                                any_type_or_fp8("src_dtype"), kCastModes}));

TL_TPU_OP(tpu_bank_range) =
    util("First and last bank of `size` bytes.",
         [](const HostCall& call) -> std::int64_t {
           const range_t range{
               static_cast<int>(bank(call.chip, call.value("addr"))),
               static_cast<int>(bank(call.chip, call.value("addr") + call.value("size") - 1))};
           return std::bit_cast<std::int64_t>(range);
         },
         {"1 <= size"});
TL_TPU_OP(tpu_range_overlapped) =
    util("Whether two ranges share a number; both ends belong to a range.",
         [](const HostCall& call) -> std::int64_t {
           return overlap(ranges(call, "r0")[0], ranges(call, "r1")[0]);
         },
         {"not_null(r0)", "not_null(r1)"});
TL_TPU_OP(tpu_any_range_overlapped) = util("Whether any two of `num` ranges share a number.",
                                           any_overlap, {"not_null(ranges)"});
TL_TPU_OP(tpu_npu_c_offset) = util("Byte offset of channel `c` inside its NPU.", slot_offset,
                                   {"0 < dtype.bytes"});
TL_TPU_OP(tpu_unified_c_offset) = util(
    "Local address of channel `c` relative to channel 0 on NPU 0.",
    [](const HostCall& call) -> std::int64_t {
      return call.value("c") % call.chip.local.npus * call.chip.local.npu_bytes + slot_offset(call);
    },
    {"0 < dtype.bytes"});

}  // namespace tensorlane::tpukernel
