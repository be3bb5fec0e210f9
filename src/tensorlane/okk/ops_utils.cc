// Where a tensor lies: start NPU, channels per NPU, and the strides of the named layouts.
#include "tensorlane/base/error.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/okk/families.h"

TL_OKK_OPS_FILE(utils);

namespace tensorlane::okk {
namespace {

void store(const Arg& target, const Stride4& stride) {
  if (stride.n != static_cast<int>(stride.n)) {
    user_error("stride.n = {} for this shape\n    rule: strides are of type int [hdr]", stride.n);
  }
  *static_cast<dim4*>(target.pointer) = {static_cast<int>(stride.n), static_cast<int>(stride.c),
                                         static_cast<int>(stride.h), static_cast<int>(stride.w)};
}

template <int kElementBytes>
std::int64_t store_aligned(const HostCall& call) {
  store(call.arg("stride"), aligned_stride(call.chip.local, call.value("start_idx"),
                                           call.arg("shape").shape(), kElementBytes));
  return 0;
}

// Beyond these the strides would not be integers of the C type.
const Texts kContinuousLimits = {"not_null(stride)", "not_null(shape)", "0 <= shape.c",
                                 "0 <= shape.h * shape.w <= 2147483647 - 128"};
const Texts kLimits = join({kContinuousLimits, {"0 <= start_idx < okk_npu_num()"}});

}  // namespace
}  // namespace tensorlane::okk

using namespace tensorlane;
using namespace tensorlane::okk;

TL_OKK_OP(okk_start_npu_index) = {
    .group = "utils",
    .doc = "The NPU that a local address points into.",
    .limits = {"0 <= addr < okk_npu_num() * okk_local_mem_size_per_npu()"},
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      return call.value("addr") / call.chip.local.npu_bytes;
    },
};

TL_OKK_OP(okk_channle_num_per_npu) = {
    .group = "utils",
    .doc = "Channel rows each NPU reserves for a tensor: ceil((start + channels) / NPUs).",
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      // Out-of-range arguments get the same arithmetic as on the model. [observed]
      return (call.value("start_idx") + call.value("num_channels") - 1) / call.chip.local.npus + 1;
    },
};

TL_OKK_OP(okk_128_byte_aligned_stride_for_32bit) = {
    .group = "utils",
    .doc = "Strides of the aligned layout for 32-bit elements.",
    .limits = kLimits,
    .numerics = Numerics::kNoData,
    .call = store_aligned<4>,
};

TL_OKK_OP(okk_128_byte_aligned_stride_for_16bit) = {
    .group = "utils",
    .doc = "Strides of the aligned layout for 16-bit elements.",
    .limits = kLimits,
    .numerics = Numerics::kNoData,
    .call = store_aligned<2>,
};

TL_OKK_OP(okk_128_byte_aligned_stride_for_8bit) = {
    .group = "utils",
    .doc = "Strides of the aligned layout for 8-bit elements.",
    .limits = kLimits,
    .numerics = Numerics::kNoData,
    .call = store_aligned<1>,
};

TL_OKK_OP(okk_compact_stride) = {
    .group = "utils",
    .doc = "Strides of the compact layout.",
    .limits = kLimits,
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      store(call.arg("stride"),
            compact_stride(call.chip.local, call.value("start_idx"), call.arg("shape").shape()));
      return 0;
    },
};

TL_OKK_OP(okk_continuous_stride) = {
    .group = "utils",
    .doc = "Strides of the continuous layout in system memory.",
    .limits = kContinuousLimits,
    .numerics = Numerics::kNoData,
    .call = [](const HostCall& call) -> std::int64_t {
      store(call.arg("stride"), continuous_stride(call.arg("shape").shape()));
      return 0;
    },
};
