#include "layout_endpoints.h"

#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "layout_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane::cli {

LayoutOptions endpoint_options(const LayoutEndpoints& ends, bool target) {
  LayoutOptions options;
  options.layout = target ? ends.to : ends.from;
  options.chip = target ? ends.to_chip : ends.from_chip;
  if (options.chip.empty()) options.chip = ends.chip;
  split_chip(options.layout, options.chip);
  options.start_npu = target ? ends.to_start_npu : ends.from_start_npu;
  options.cols_per_channel = target ? ends.to_cols : ends.from_cols;
  options.strides = target ? ends.to_strides : ends.from_strides;
  if (find_owner(options.chip).chip != nullptr) options.npus = ends.npus;
  options.winograd_block = ends.winograd_block;
  return options;
}

namespace {

// The extents of the source where the file alone says them. An array of rows and columns that is to
// become a matrix, or of one dimension to become a vector, needs no extents of 1 written out.
Shape source_shape(const LayoutEndpoints& ends, const Axes& from, const Shape& of_file) {
  const LayoutOptions target = endpoint_options(ends, true);
  const Axes to = layout_axes(find_owner(target.chip).system, target.layout);
  const bool is_matrix = to.has(Axis::kColumn) && std::ssize(of_file) == to.size();
  if (!is_matrix || std::ssize(of_file) >= from.size()) return of_file;
  Shape shape(static_cast<std::size_t>(from.size()), 1);
  shape.back() = of_file.back();
  if (of_file.size() == 2) shape.front() = of_file.front();
  return shape;
}

}  // namespace

void split_chip(std::string& layout, std::string& chip) {
  const std::size_t colon = layout.find(':');
  // A layout that is written out has a colon of its own, behind its shape.
  if (colon == std::string::npos || layout.find_first_of("( ") < colon ||
      layout.find_first_of("_0123456789") == 0)
    return;
  chip = layout.substr(0, colon);
  layout = layout.substr(colon + 1);
}

Shape array_shape(const NamedLayout& tensor) {
  if (tensor.is_row_major()) return tensor.spec.shape;
  const int bits = dtype_bits(tensor.spec.dtype);
  if (tensor.is_image()) return {tensor.image_height, tensor.layout.image_width(), 4};
  if (tensor.is_local()) return {tensor.memory().npus, tensor.bytes_per_npu * 8 / bits};
  return {tensor.bytes * 8 / bits};
}

std::string comma(std::span<const std::int64_t> values) {
  return fmt::format("{}", fmt::join(values, ","));
}

NamedLayout source_layout(const LayoutEndpoints& ends, const TensorInfo& tensor) {
  LayoutOptions options = endpoint_options(ends, false);
  const LayoutInfo& info = find_layout(find_owner(options.chip).system, options.layout);
  const Axes from_axes = layout_axes(find_owner(options.chip).system, options.layout);
  options.dtype = ends.dtype;
  options.shape = ends.shape;
  if (options.dtype.empty()) {
    const std::string narrowed =
        tensor.narrowed ? std::string(dtype_name(*tensor.narrowed)) : std::string();
    if (tensor.dtype) {
      options.dtype = dtype_name(*tensor.dtype);
    } else if (tensor.narrowed && !ends.to_dtype.empty() &&
               parse_dtype(ends.to_dtype) == *tensor.narrowed) {
      options.dtype = narrowed;
    } else if (tensor.narrowed) {
      user_error("'{}' stores {}, which no chip has: say --dtype {} to read them as that",
                 ends.input, tensor.stored_type, narrowed);
    } else {
      user_error("'{}' stores {}: say --dtype", ends.input, tensor.stored_type);
    }
  }
  if (options.shape.empty() && !(info.written && options.layout.find(':') != std::string::npos)) {
    const bool rank_tells =
        info.written && notation_axes(options.layout).size() == std::ssize(tensor.shape);
    if (!info.row_major && !rank_tells) {
      user_error("a file in layout {} holds memory, not the extents of the tensor: say --shape",
                 info.name);
    }
    options.shape = comma(source_shape(ends, from_axes, tensor.shape));
  }
  return make_layout(options.spec());
}

NamedLayout source_layout(const LayoutEndpoints& ends, std::string& name) {
  if (file_format_of(ends.input) == FileFormat::kRaw) {
    if (ends.dtype.empty() || ends.shape.empty()) {
      user_error("'{}' holds bytes only: say --dtype and --shape", ends.input);
    }
    return source_layout(ends, TensorInfo{});
  }
  const std::vector<TensorInfo> tensors = list_tensors(ends.input);
  if (tensors.empty()) user_error("'{}' holds no tensor", ends.input);
  std::size_t at = 0;
  if (!ends.tensor_name.empty()) {
    at = find_tensor(tensors, ends.tensor_name, ends.input);
  } else if (tensors.size() > 1) {
    user_error("'{}' holds {} tensors: say which by --tensor", ends.input, tensors.size());
  }
  name = tensors[at].name;
  return source_layout(ends, tensors[at]);
}

NamedLayout target_layout(const LayoutEndpoints& ends, const NamedLayout& from) {
  LayoutOptions options = endpoint_options(ends, true);
  const Axes axes = layout_axes(find_owner(options.chip).system, options.layout);
  options.dtype = ends.to_dtype.empty() ? std::string(dtype_name(from.spec.dtype)) : ends.to_dtype;
  options.shape = ends.to_shape.empty() ? comma(converted_shape(axes, from.axes, from.spec.shape))
                                        : ends.to_shape;
  return make_layout(options.spec());
}

Tensor read_in_layout(const std::string& file, const std::string& name, const NamedLayout& layout) {
  ReadOptions read;
  read.name = name;
  read.dtype = layout.spec.dtype;
  if (file_format_of(file) == FileFormat::kRaw)
    read.shape = Shape{element_count(array_shape(layout), tr("the source"))};
  Tensor tensor = read_tensor(file, read);
  if (tensor.data.size() != static_cast<std::size_t>(layout.total_bytes())) {
    user_error("'{}' holds {} {} ({} bytes); layout {} of [{}] takes {} bytes", file,
               shape_text(tensor.shape), dtype_name(tensor.dtype), tensor.data.size(),
               layout.name(), comma(layout.spec.shape), layout.total_bytes());
  }
  return tensor;
}

LayoutConversion conversion_of(const LayoutEndpoints& ends) {
  LayoutConversion conversion;
  conversion.element.rounding = parse_rounding_mode(ends.rounding);
  conversion.reshape = !ends.to_shape.empty();
  if (ends.saturate) conversion.element.overflow = OverflowRule::kSaturate;
  return conversion;
}

}  // namespace tensorlane::cli
