#include "tensorlane/compute/rows/converted_rows.h"

#include <array>
#include <utility>

#include "tensorlane/compute/rows/cast_rows.h"
#include "tensorlane/compute/rows/row_parts.h"
#include "tensorlane/compute/rows/typed_rows.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kConvertedAtATime = 2048;

using Buffer = std::array<std::byte, kConvertedAtATime * 4 + kGatherSlack>;

// Calls convert(result, elements, count) for the elements of a frame, side by side, part by part.
template <class Convert>
void each_side_by_side(const Row& frame, Dtype dst, Dtype src, const Convert& convert) {
  alignas(64) Buffer gathered;
  alignas(64) Buffer results;
  const std::int64_t dst_bytes = dtype_bytes(dst), src_bytes = dtype_bytes(src);
  each_part(frame, kConvertedAtATime, [&](const Row& part) {
    const Places from = Places::of_source(part, 0), to = Places::of_result(part);
    const std::byte* elements = part.src[0];
    if (!from.side_by_side(part, src_bytes)) {
      gather_elements(part, elements, from, src_bytes, gathered.data());
      elements = gathered.data();
    }
    const auto count = static_cast<std::size_t>(elements_of(part));
    if (to.side_by_side(part, dst_bytes)) return convert(part.dst, elements, count);
    convert(results.data(), elements, count);
    scatter_elements(part, results.data(), part.dst, to, dst_bytes);
  });
}

using Convert = void (*)(void* dst, Dtype dst_dtype, const void* src, Dtype src_dtype,
                         std::size_t count, const ConvertOptions& options);

RowFunction convert_row(Dtype dst, Dtype src, const ConvertOptions& options, Convert convert) {
  return [=](const Row& frame) {
    each_side_by_side(frame, dst, src,
                      [&](std::byte* to, const std::byte* from, std::size_t count) {
                        convert(to, dst, from, src, count, options);
                      });
  };
}

}  // namespace

std::vector<Implementation> conversion(std::string_view dst, std::string_view src,
                                       ConversionOf options) {
  const std::array<std::string_view, 1> sources = {src};
  struct Cast {
    Dtype dst, src;
    ConvertOptions options;
  };
  const auto cast_of = [=, options = std::move(options)](const Invocation& invocation) {
    const Command& command = invocation.command;
    const Dtype to = command.find(dst)->layout.dtype(), from = command.find(src)->layout.dtype();
    return Cast{to, from, options(command, to, from)};
  };
  const auto vectors = [=](const Invocation& invocation) {
    const Cast cast = cast_of(invocation);
    const SimdRow row = cast_row(cast.dst, cast.src, cast.options);
    const ElementBytes bytes{dtype_bytes(cast.dst), dtype_bytes(cast.src)};
    if (row != nullptr && run_rows(invocation, dst, sources, row, bytes)) return true;
    return run_rows(invocation, dst, sources,
                    convert_row(cast.dst, cast.src, cast.options, convert_elements));
  };
  const auto reference = [=](const Invocation& invocation) {
    const Cast cast = cast_of(invocation);
    return run_elements(invocation, dst, sources,
                        convert_row(cast.dst, cast.src, cast.options, convert_elements_reference));
  };
  return {{"simd", vectors, kAnyOperands}, {"reference", reference, kAnyOperands}};
}

RowFunction cut_to_bytes(Dtype dst) {
  return [dst](const Row& frame) {
    each_side_by_side(frame, dst, Dtype::kFp32,
                      [dst](std::byte* to, const std::byte* from, std::size_t count) {
                        alignas(64) std::array<std::int32_t, kConvertedAtATime> numbers;
                        Row row{};
                        row.dst = reinterpret_cast<std::byte*>(numbers.data());
                        row.src[0] = from;
                        row.dst_step = row.src_step[0] = sizeof(std::int32_t);
                        row.count = static_cast<std::int64_t>(count);
                        fp32_row<TypedRow::kToInt32>(row);
                        convert_elements(to, dst, numbers.data(), Dtype::kInt32, count);
                      });
  };
}

}  // namespace tensorlane
