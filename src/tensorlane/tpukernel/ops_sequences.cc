// BDC: sequences of numbers: along an NPU, on from one to the next, one number per channel.
#include <algorithm>
#include <cstring>
#include <span>

#include "tensorlane/compute/moves/indexed_access.h"
#include "tensorlane/compute/moves/number_rows.h"
#include "tensorlane/tpukernel/table_families.h"

TL_TPU_OPS_FILE(sequences);

namespace tensorlane::tpukernel {
namespace {

// Which number of the sequence element w of channel c is.
using Position = std::int64_t (*)(std::int64_t c, std::int64_t w, std::int64_t num);

bool sequence(const Invocation& invocation, Position position) {
  const IndexedTensor to(invocation, "dst_addr");
  const auto start = static_cast<std::uint32_t>(invocation.command.arg("start").value());
  const auto step = static_cast<std::uint32_t>(invocation.command.arg("step").value());
  const std::int64_t width = to.extent(3);
  Plane plane = to.plane(0, 0);
  to.each_channel(0, [&](std::int64_t c, std::byte* channel) {
    plane.base = channel;
    // Numbers follow each other along a channel.
    const auto first = static_cast<std::uint32_t>(position(c, 0, width));
    for (std::int64_t w = 0; w < width; ++w) {
      const std::uint32_t value = start + step * (first + static_cast<std::uint32_t>(w));
      std::memcpy(plane.at(0, w), &value, sizeof value);
    }
  });
  return true;
}
// The same where the numbers of a channel lie one after the other.
bool sequence_in_rows(const Invocation& invocation, Position position) {
  const IndexedTensor to(invocation, "dst_addr");
  const auto start = static_cast<std::uint32_t>(invocation.command.arg("start").value());
  const auto step = static_cast<std::uint32_t>(invocation.command.arg("step").value());
  const std::int64_t width = to.extent(3);
  if (!to.has_dense_rows()) return false;
  to.each_channel(0, [&](std::int64_t c, std::byte* channel) {
    const auto first = static_cast<std::uint32_t>(position(c, 0, width));
    numbers::words(channel, width, start + step * first, step);
  });
  return true;
}

// Numbers of which each channel holds one, NPU by NPU.
bool sequence_along_npus(const Invocation& invocation) {
  const Operand& dst = *invocation.command.find("dst_addr");
  const auto start = static_cast<std::uint32_t>(invocation.command.arg("start").value());
  const auto step = static_cast<std::uint32_t>(invocation.command.arg("step").value());
  const std::span<const Digit> digits = dst.layout.digits(1);
  if (digits.size() != 2 || dst.layout.offset(1) != 0) return false;
  const std::int64_t npus = digits.front().extent, next = digits.back().stride;
  const std::int64_t channels = dst.layout.extent(1);
  for (std::int64_t npu = 0; npu < std::min(npus, channels); ++npu) {
    std::byte* to = invocation.base(dst) + dst.layout.base() + npu * digits.front().stride;
    const std::int64_t count = (channels - npu + npus - 1) / npus;
    std::uint32_t number = start + step * static_cast<std::uint32_t>(npu);
    const std::uint32_t further = step * static_cast<std::uint32_t>(npus);
    if (next == sizeof number) {
      numbers::words(to, count, number, further);
      continue;
    }
    for (std::int64_t k = 0; k < count; ++k, to += next, number += further)
      std::memcpy(to, &number, sizeof number);
  }
  return true;
}

OpSpec sequence_on_npus(Doc doc, Position position) {
  OpSpec spec = table_spec(
      doc, {shaped(out("dst_addr", Dtype::kInt32), {"1", "npu_num", "1", "num"})},
      {"1 <= npu_num <= tpu_npu_num()", "start_npu(dst_addr) + npu_num <= tpu_npu_num()",
       "1 <= num <= 65535", "dst_addr % tpu_eu_num(DT_INT8) == 0"},
      [position](const Invocation& invocation) { return sequence(invocation, position); });
  return with_rows(std::move(spec), "simd", [position](const Invocation& invocation) {
    return sequence_in_rows(invocation, position);
  });
}
OpSpec continued_sequence() {
  OpSpec spec = sequence_on_npus(
      "start, start + step, ...: `num` on each of `npu_num` NPUs, from one to the next.",
      [](std::int64_t c, std::int64_t w, std::int64_t num) { return c * num + w; });
  spec.operands.push_back(shaped(work("buffer_addr", Dtype::kInt32), {"1", "npu_num", "1", "1"}));
  return spec;
}
// 0, 1, 2, ... on one NPU; the chip writes on to the end of a row of 128 or 64. [observed]
OpSpec counting_sequence() {
  const auto run = [](const Invocation& invocation) {
    const IndexedTensor to(invocation, "dst_addr");
    const Plane plane = to.plane(0, 0);
    with_width(to.bytes(), [&](auto element) {
      for (std::int64_t w = 0; w < to.extent(3); ++w)
        std::memcpy(plane.at(0, w), &w, sizeof element);
    });
    return true;
  };
  const auto rows = [](const Invocation& invocation) {
    const IndexedTensor to(invocation, "dst_addr");
    if (!to.has_dense_rows()) return false;
    std::byte* const row = to.at(0, 0, 0, 0);
    if (to.bytes() == 4) {
      numbers::words(row, to.extent(3), 0, 1);
    } else {
      numbers::halves(row, to.extent(3), 0, 1);
    }
    return true;
  };
  return with_rows(table_spec("0, 1, 2, ... on the NPU of dst_addr",
                              {shaped(out("dst_addr", "dtype"), {"1", "1", "1", "num"})},
                              {"dtype in {DT_UINT32, DT_UINT16} [observed]", "1 <= num <= 65535",
                               "dst_addr % tpu_eu_num(DT_INT8) == 0"},
                              run),
                   "simd", rows);
}
OpSpec sequence_over_channels(DefaultLayout layout) {
  OpSpec spec = table_spec(
      "start + step * c in channel c.",
      {shaped(out("dst_addr", Dtype::kInt32), {"1", "num", "1", "1"}, layout)},
      {"1 <= num <= 65535",
       layout == DefaultLayout::kCompact ? "dst_addr % 4 == 0"
                                         : "dst_addr % tpu_eu_num(DT_INT8) == 0",
       "start_npu(dst_addr) == 0 [observed]"},
      [](const Invocation& invocation) {
        return sequence(invocation, [](std::int64_t c, std::int64_t, std::int64_t) { return c; });
      });
  return with_rows(std::move(spec), "simd", sequence_along_npus);
}

}  // namespace

TL_TPU_OP(tpu_bdc_arithmetic_sequence_bcast) =
    sequence_on_npus("start, start + step, ... on each of `npu_num` NPUs.",
                     [](std::int64_t, std::int64_t w, std::int64_t) { return w; });
TL_TPU_OP(tpu_bdc_arithmetic_sequence_general) = continued_sequence();
TL_TPU_OP(tpu_bdc_generate_arithmetic_sequence) = counting_sequence();
TL_TPU_OP(tpu_bdc_arithmetic_sequence_distribute) = sequence_over_channels(DefaultLayout::kCompact);
TL_TPU_OP(tpu_bdc_arithmetic_sequence_distribute_aligned) =
    sequence_over_channels(DefaultLayout::kAligned);

}  // namespace tensorlane::tpukernel
