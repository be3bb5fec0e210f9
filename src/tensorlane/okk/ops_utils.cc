// Where a tensor lies: start NPU, channels per NPU, and the strides of the named layouts.
#include "tensorlane/base/error.h"
#include "tensorlane/device/host_functions.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/okk/families.h"

TL_OKK_OPS_FILE(utils);

namespace tensorlane::okk {
namespace {

OpSpec util(Doc doc, HostFunction call, Texts limits = {}) {
  return host(doc, call, std::move(limits), "utils");
}

std::int64_t store(const Arg& target, const Stride4& stride) {
  if (stride.n != static_cast<int>(stride.n)) {
    user_error("stride.n = {} for this shape\n    rule: strides are of type int [hdr]", stride.n);
  }
  *static_cast<dim4*>(target.pointer) = {static_cast<int>(stride.n), static_cast<int>(stride.c),
                                         static_cast<int>(stride.h), static_cast<int>(stride.w)};
  return 0;
}

template <int kElementBytes>
std::int64_t store_aligned(const HostCall& call) {
  return store(call.arg("stride"), aligned_stride(call.chip.local, call.value("start_idx"),
                                                  call.arg("shape").shape(), kElementBytes));
}

// Beyond these the strides would not be integers of the C type.
const Texts kContinuousLimits = {"not_null(stride)", "not_null(shape)", "0 <= shape.c",
                                 "0 <= shape.h * shape.w <= 2147483647 - 128"};
const Texts kLimits = join({kContinuousLimits, {"0 <= start_idx < okk_npu_num()"}});

}  // namespace

TL_OKK_OP(okk_start_npu_index) = util("The NPU that a local address points into.",
                                      [](const HostCall& call) {
                                        return call.value("addr") / call.chip.local.npu_bytes;
                                      },
                                      {"0 <= addr < okk_npu_num() * okk_local_mem_size_per_npu()"});
TL_OKK_OP(okk_channle_num_per_npu) = util(
    "Channel rows each NPU reserves for a tensor: ceil((start + channels) / NPUs).",
    [](const HostCall& call) {
      // Out-of-range arguments get the same arithmetic as on the model. [observed]
      return (call.value("start_idx") + call.value("num_channels") - 1) / call.chip.local.npus + 1;
    });

TL_OKK_OP(okk_128_byte_aligned_stride_for_32bit) =
    util("Strides of the aligned layout for 32-bit elements.", store_aligned<4>, kLimits);
TL_OKK_OP(okk_128_byte_aligned_stride_for_16bit) =
    util("Strides of the aligned layout for 16-bit elements.", store_aligned<2>, kLimits);
TL_OKK_OP(okk_128_byte_aligned_stride_for_8bit) =
    util("Strides of the aligned layout for 8-bit elements.", store_aligned<1>, kLimits);
TL_OKK_OP(okk_compact_stride) = util(
    "Strides of the compact layout.",
    [](const HostCall& call) {
      return store(call.arg("stride"), compact_stride(call.chip.local, call.value("start_idx"),
                                                      call.arg("shape").shape()));
    },
    kLimits);
TL_OKK_OP(okk_continuous_stride) = util(
    "Strides of the continuous layout in system memory.",
    [](const HostCall& call) {
      return store(call.arg("stride"), continuous_stride(call.arg("shape").shape()));
    },
    kContinuousLimits);

}  // namespace tensorlane::okk
