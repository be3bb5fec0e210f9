#include "tensorlane/conformance/accepted_bytes.h"

#include <algorithm>
#include <span>

#include "tensorlane/conformance/element.h"

namespace tensorlane::conformance {
namespace {

// visit(dtype, range) for the bytes that the latest command wrote; what lies in no memory the sweep
// will find.
template <class Visit>
void for_each_written_range(const Session& session, MachineImage& image, const Visit& visit) {
  if (session.latest == nullptr) return;
  const auto npu_bytes = static_cast<std::uint64_t>(session.chip.local.npu_bytes);
  for (const Operand& operand : session.latest->operands()) {
    if (!operand.writes()) continue;
    for (const ByteRun& run : operand.layout.byte_runs()) {
      const auto offset =
          static_cast<std::uint64_t>(run.npu) * npu_bytes + static_cast<std::uint64_t>(run.offset);
      const auto range =
          image.range_of(operand.space, offset, static_cast<std::uint64_t>(run.bytes));
      if (range) visit(operand.layout.dtype(), *range);
    }
  }
}

// What lies between the bytes of an operand inside an NPU.
void accept_gaps(const Session& session, MachineImage& image, const Operand& operand) {
  const ByteRun* before = nullptr;
  const std::vector<ByteRun> runs = operand.layout.byte_runs();
  for (const ByteRun& run : runs) {
    const bool follows = before != nullptr && before->npu == run.npu;
    const std::int64_t end = follows ? before->offset + before->bytes : run.offset;
    before = &run;
    if (end >= run.offset) continue;
    const auto npu_bytes = static_cast<std::uint64_t>(session.chip.local.npu_bytes);
    const auto offset =
        static_cast<std::uint64_t>(run.npu) * npu_bytes + static_cast<std::uint64_t>(end);
    const auto gap = static_cast<std::uint64_t>(run.offset - end);
    if (const auto range = image.range_of(operand.space, offset, gap))
      std::ranges::copy(image.actual(*range), image.expected(*range).begin());
  }
}

}  // namespace

void accept_written(const Session& session, MachineImage& image,
                    std::vector<BufferRange>& touched) {
  for_each_written_range(session, image, [&](Dtype, const BufferRange& range) {
    std::ranges::copy(image.actual(range), image.expected(range).begin());
    touched.push_back(range);
  });
}

void accept_other_nans(const Session& session, MachineImage& image) {
  for_each_written_range(session, image, [&](Dtype dtype, const BufferRange& range) {
    if (!dtype_info(dtype).is_float) return;
    const auto step = static_cast<std::size_t>(dtype_bytes(dtype));
    const std::span<std::byte> actual = image.actual(range), expected = image.expected(range);
    for (std::size_t at = 0; at + step <= actual.size(); at += step) {
      if (both_nan(dtype, actual.subspan(at, step), expected.subspan(at, step)))
        std::ranges::copy(actual.subspan(at, step), expected.subspan(at, step).begin());
    }
  });
}

void accept_expected_places(const Session& session, MachineImage& image,
                            const RecordedCase& recorded) {
  for (const RecordedOperand& operand : recorded.expects) {
    for (const BufferRange& range : operand.ranges)
      std::ranges::copy(image.actual(range), image.expected(range).begin());
  }
  for (const Operand& operand : session.latest->operands()) {
    if (operand.writes()) accept_gaps(session, image, operand);
  }
}

}  // namespace tensorlane::conformance
