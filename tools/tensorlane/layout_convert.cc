// tensorlane layout convert: a file of one layout into a file of another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <new>
#include <optional>

#include "layout_options.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/layout/convert.h"

namespace tensorlane::cli {
namespace {

struct ConvertCommand {
  std::string input, output, tensor_name;
  std::string from, to;
  std::string chip = "bm1684", from_chip, to_chip;
  std::string dtype, to_dtype, shape, to_shape;
  // Of the two layouts, where they take one.
  std::int64_t from_start_npu = 0, to_start_npu = 0;
  std::optional<std::int64_t> from_cols, to_cols;
  std::string from_strides, to_strides;
  std::optional<std::int64_t> npus;
  int winograd_block = 2;
  std::string rounding = "half_to_even";
  bool saturate = false, quiet = false;
};

// "bm1684x:aligned" names the chip too.
void split_chip(std::string& layout, std::string& chip) {
  const std::size_t colon = layout.find(':');
  if (colon == std::string::npos) return;
  chip = layout.substr(0, colon);
  layout = layout.substr(colon + 1);
}

// The extents of the array that holds a tensor's memory in a file.
Shape array_shape(const NamedLayout& tensor) {
  if (tensor.info->row_major) return tensor.spec.shape;
  const int bits = dtype_bits(tensor.spec.dtype);
  if (tensor.is_image()) return {tensor.image_height, tensor.layout.image_width(), 4};
  if (tensor.is_local()) return {tensor.memory().npus, tensor.bytes_per_npu * 8 / bits};
  return {tensor.bytes * 8 / bits};
}

LayoutOptions options_of(const ConvertCommand& command, bool target) {
  LayoutOptions options;
  options.layout = target ? command.to : command.from;
  options.chip = target ? command.to_chip : command.from_chip;
  if (options.chip.empty()) options.chip = command.chip;
  split_chip(options.layout, options.chip);
  options.start_npu = target ? command.to_start_npu : command.from_start_npu;
  options.cols_per_channel = target ? command.to_cols : command.from_cols;
  options.strides = target ? command.to_strides : command.from_strides;
  if (find_owner(options.chip).chip != nullptr) options.npus = command.npus;
  options.winograd_block = command.winograd_block;
  return options;
}

std::string comma(std::span<const std::int64_t> values) {
  return fmt::format("{}", fmt::join(values, ","));
}

// The extents of the source where the file alone says them. An array of rows and columns that is to
// become a matrix, or of one dimension to become a vector, needs no extents of 1 written out.
Shape source_shape(const ConvertCommand& command, const LayoutInfo& from, const Shape& of_file) {
  const LayoutOptions target = options_of(command, true);
  const Axes& to = find_layout(find_owner(target.chip).system, target.layout).axes;
  const bool is_matrix = to.has(Axis::kColumn) && std::ssize(of_file) == to.size();
  if (!is_matrix || std::ssize(of_file) >= from.axes.size()) return of_file;
  Shape shape(static_cast<std::size_t>(from.axes.size()), 1);
  shape.back() = of_file.back();
  if (of_file.size() == 2) shape.front() = of_file.front();
  return shape;
}

// The source as the options and the file say it is, and what the file calls it.
NamedLayout source_layout(const ConvertCommand& command, std::string& name) {
  LayoutOptions options = options_of(command, false);
  const LayoutInfo& info = find_layout(find_owner(options.chip).system, options.layout);
  options.dtype = command.dtype;
  options.shape = command.shape;
  if (file_format_of(command.input) == FileFormat::kRaw) {
    if (options.dtype.empty() || options.shape.empty()) {
      user_error("'{}' holds bytes only: say --dtype and --shape", command.input);
    }
    return make_layout(options.spec());
  }
  const std::vector<TensorInfo> tensors = list_tensors(command.input);
  if (tensors.empty()) user_error("'{}' holds no tensor", command.input);
  std::size_t at = 0;
  if (!command.tensor_name.empty()) {
    at = find_tensor(tensors, command.tensor_name, command.input);
  } else if (tensors.size() > 1) {
    user_error("'{}' holds {} tensors: say which by --tensor", command.input, tensors.size());
  }
  name = tensors[at].name;
  if (options.dtype.empty()) {
    const TensorInfo& tensor = tensors[at];
    const std::string narrowed =
        tensor.narrowed ? std::string(dtype_name(*tensor.narrowed)) : std::string();
    if (tensor.dtype) {
      options.dtype = dtype_name(*tensor.dtype);
    } else if (tensor.narrowed && !command.to_dtype.empty() &&
               parse_dtype(command.to_dtype) == *tensor.narrowed) {
      options.dtype = narrowed;
    } else if (tensor.narrowed) {
      user_error("'{}' stores {}, which no chip has: say --dtype {} to read them as that",
                 command.input, tensor.stored_type, narrowed);
    } else {
      user_error("'{}' stores {}: say --dtype", command.input, tensor.stored_type);
    }
  }
  if (options.shape.empty()) {
    if (!info.row_major) {
      user_error("a file in layout {} holds memory, not the extents of the tensor: say --shape",
                 info.name);
    }
    options.shape = comma(source_shape(command, info, tensors[at].shape));
  }
  return make_layout(options.spec());
}

NamedLayout target_layout(const ConvertCommand& command, const NamedLayout& from) {
  LayoutOptions options = options_of(command, true);
  const LayoutInfo& info = find_layout(find_owner(options.chip).system, options.layout);
  options.dtype =
      command.to_dtype.empty() ? std::string(dtype_name(from.spec.dtype)) : command.to_dtype;
  options.shape = command.to_shape.empty()
                      ? comma(converted_shape(info.axes, from.axes, from.spec.shape))
                      : command.to_shape;
  return make_layout(options.spec());
}

bool holds_weights(const NamedLayout& tensor) {
  return tensor.axes.find_first_of({Axis::kO, Axis::kI}) >= 0;
}

// An array without names for its axes can be weights in any order; frameworks differ in theirs.
void say_how_weights_are_read(const NamedLayout& from, const NamedLayout& to) {
  if (holds_weights(from) || !holds_weights(to)) return;
  std::fputs(tr("note: the array is taken as ({}) = ({}). PyTorch's weights are (o, i, h, w): "
                "--from mace:OIHW matches axes by their names\n",
                fmt::join(axis_names(to), ", "), fmt::join(to.spec.shape, ", "))
                 .c_str(),
             stderr);
}

void run(const ConvertCommand& command) {
  std::string name;
  const NamedLayout from = source_layout(command, name), to = target_layout(command, from);
  if (!command.quiet) {
    say_how_weights_are_read(from, to);
    warn_of_lost_elements(to);
  }
  file_format_of(command.output);  // says at once what it cannot write
  const Shape in_memory = array_shape(from);
  const std::int64_t elements = element_count(in_memory, tr("the source"));
  ReadOptions read;
  read.name = command.tensor_name;
  read.dtype = from.spec.dtype;
  if (file_format_of(command.input) == FileFormat::kRaw) read.shape = Shape{elements};
  const Tensor source = read_tensor(command.input, read);
  if (source.data.size() != static_cast<std::size_t>(from.total_bytes())) {
    user_error("'{}' holds {} {} ({} bytes); layout {} of [{}] takes {} bytes", command.input,
               shape_text(source.shape), dtype_name(source.dtype), source.data.size(),
               from.info->name, comma(from.spec.shape), from.total_bytes());
  }
  LayoutConversion conversion;
  conversion.element.rounding = parse_rounding_mode(command.rounding);
  conversion.reshape = !command.to_shape.empty();
  if (command.saturate) conversion.element.overflow = OverflowRule::kSaturate;
  Tensor result;
  {
    ProgressBar bar(stderr_terminal(), tr("convert"), static_cast<std::uint64_t>(to.layout.size()));
    std::int64_t last = 0;
    conversion.progress = [&](std::int64_t done, std::int64_t) {
      bar.advance(static_cast<std::uint64_t>(done - last));
      last = done;
    };
    try {
      result.data = convert(to, from, source.data, conversion);
    } catch (const std::bad_alloc&) {
      user_error("layout {} of [{}] takes {} bytes: not enough memory beside the {} of '{}'",
                 to.info->name, comma(to.spec.shape), to.total_bytes(), source.data.size(),
                 command.input);
    }
  }
  result.dtype = to.spec.dtype;
  result.shape = array_shape(to);
  write_tensor(command.output, result, name);
  if (!command.quiet) {
    fmt::print("{}\n", tr("{}: {} [{}] {} -> {}: {} [{}] {}, array {}", command.input,
                          from.info->name, comma(from.spec.shape), dtype_name(from.spec.dtype),
                          command.output, to.info->name, comma(to.spec.shape),
                          dtype_name(to.spec.dtype), shape_text(result.shape)));
  }
}

}  // namespace

void add_convert_command(App& layout) {
  App* convert = layout.add_subcommand("convert", "A file of one layout into another");
  convert->footer(
      "Files: .npy, .npz, .safetensors, .raw, .bin. The array of a file holds the memory of its\n"
      "layout: row-major layouts (continuous, NCHW, NHWC, OIHW, ...) the tensor itself, images\n"
      "(height, width, 4), local layouts (NPUs, elements reserved in each NPU). Axes are matched\n"
      "by name; other shapes keep the row-major order of the elements. An array of two dimensions\n"
      "is the matrix, one of one dimension the vector, that it is to become.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout convert in.npy out.npy --from continuous --to aligned\n"
      "  tensorlane layout convert w.npy w4.npy --from mace:OIHW --to mace:CONV2D_FILTER \\\n"
      "    --to-dtype fp16\n"
      "  tensorlane layout convert x.npy x.raw --from mace:NHWC --to bm1684:4N --to-dtype int8\n"
      "  tensorlane layout convert m.npy lm.npy --from continuous --to matrix \\\n"
      "    --to-cols-per-channel 16 --to-start-npu 3\n");
  auto command = std::make_shared<ConvertCommand>();
  convert->add_option("IN", command->input, "file to read")->required();
  convert->add_option("OUT", command->output, "file to write")->required();
  convert->add_option("--from", command->from, "layout of IN: NAME or CHIP:NAME")->required();
  convert->add_option("--to", command->to, "layout of OUT: NAME or CHIP:NAME")->required();
  convert->add_option("--chip", command->chip, "chip of both layouts")->capture_default_str();
  convert->add_option("--from-chip", command->from_chip, "chip of IN");
  convert->add_option("--to-chip", command->to_chip, "chip of OUT");
  convert->add_option("--shape", command->shape, "extents of the tensor, in the order of --from");
  convert->add_option("--to-shape", command->to_shape, "extents in the order of --to, to reshape");
  convert->add_option("--dtype", command->dtype, "element type of IN, where the file lacks it");
  convert->add_option("--to-dtype", command->to_dtype, "element type of OUT");
  convert->add_option("--rounding", command->rounding, "half_to_even, half_away_from_zero, ...")
      ->capture_default_str();
  convert->add_flag("--saturate", command->saturate, "float overflow gives the largest number");
  convert->add_option("--tensor", command->tensor_name, "which tensor of an .npz or .safetensors");
  convert->add_option("--from-start-npu", command->from_start_npu, "NPU of the first channel");
  convert->add_option("--to-start-npu,--start-npu", command->to_start_npu,
                      "NPU of the first channel");
  convert->add_option("--from-cols-per-channel", command->from_cols, "for matrix and vector");
  convert->add_option("--to-cols-per-channel,--cols-per-channel", command->to_cols,
                      "for matrix and vector");
  convert->add_option("--from-strides", command->from_strides, "for free, 4N, 2N, 2IC");
  convert->add_option("--to-strides,--strides", command->to_strides, "for free, 4N, 2N, 2IC");
  convert->add_option("--npus", command->npus, "another number of NPUs than the chips have");
  convert->add_option("--winograd-block", command->winograd_block, "2, 4 or 6")
      ->capture_default_str();
  convert->add_flag("--quiet", command->quiet, "say nothing");
  convert->callback([command] { run(*command); });
}

}  // namespace tensorlane::cli
