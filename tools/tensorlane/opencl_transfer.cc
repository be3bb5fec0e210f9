// tensorlane opencl pack, unpack: a file into the pixels of an image and back, on a device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.h"
#include "layout_options.h"
#include "opencl_command.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/layout/convert.h"

namespace tensorlane::cli {
namespace {

struct TransferCommand {
  OpenclOptions opencl;
  std::string input, output, tensor_name;
  std::string layout, axes, shape, dtype;
  int winograd_block = 2;
  bool quiet = false;
  bool unpacks = false;

  void add_to(App& command, bool pack);
};

void TransferCommand::add_to(App& command, bool pack) {
  unpacks = !pack;
  command.add_option("IN", input, "file to read")->required();
  command.add_option("OUT", output, "file to write")->required();
  command.add_option("--layout", layout, "of MACE, see 'tensorlane layout list --chip mace'")
      ->required();
  if (pack) {
    command.add_option("--from", axes, "axes of IN, as NCHW (default: those of the layout)");
    command.add_option("--shape", shape, "extents of IN in that order, where the file has others");
    command.add_option("--dtype", dtype,
                       "fp32, fp16, int32 or uint32 pixels (default: as IN, of uint8 uint32)");
  } else {
    command.add_option("--shape", shape, "extents of the tensor in the layout's own order")
        ->required();
    command.add_option("--to", axes, "axes of OUT, as NCHW (default: those of the layout)");
    command.add_option("--dtype", dtype,
                       "fp32, fp16, int32, uint32 or uint8 elements (default: as the pixels)");
  }
  command.add_option("--tensor", tensor_name, "which tensor of an .npz or .safetensors");
  command.add_option("--winograd-block", winograd_block, "2, 4 or 6, for WINOGRAD_FILTER")
      ->capture_default_str();
  command.add_flag("--quiet", quiet, "say nothing");
  opencl.add_to(command);
}

// The axes that the user names, or none.
Axes given_axes(const TransferCommand& command) {
  if (command.axes.empty()) return {};
  try {
    return parse_axes(command.axes);
  } catch (const UserError& error) {
    user_error("{} '{}': {}", command.unpacks ? "--to" : "--from", command.axes, error.what());
  }
}

// Extents in the order of the layout, from extents in the order of `axes`.
std::vector<std::int64_t> in_layout_order(const LayoutInfo& info, const Axes& axes,
                                          const std::vector<std::int64_t>& extents) {
  if (axes.empty()) return extents;
  if (!axes.permutes(info.axes) || std::ssize(extents) != axes.size()) {
    user_error("--from '{}': layout {} has the axes {}, and the data {} extents", axes.text(),
               info.name, info.axes.text(), extents.size());
  }
  return converted_shape(info.axes, axes, extents);
}

NamedLayout packed_layout(const TransferCommand& command, std::vector<std::int64_t> shape,
                          Dtype dtype) {
  NamedLayout packed = make_layout({.system = System::kMace,
                                    .layout = command.layout,
                                    .dtype = dtype,
                                    .shape = std::move(shape),
                                    .winograd_block = command.winograd_block});
  if (!opencl::has_pixel_map(packed)) {
    user_error("layout {} is row-major: there is nothing to pack", packed.info->name);
  }
  return packed;
}

Shape array_shape(const NamedLayout& packed) {
  if (packed.is_image()) return {packed.image_height, packed.layout.image_width(), 4};
  return {packed.bytes / packed.layout.element_units()};
}

Shape shape_of(const Layout& plain, const NamedLayout& packed, const Axes& axes) {
  Shape own;
  for (int d = 0; d < plain.rank(); ++d) own.push_back(plain.extent(d));
  return axes.empty() ? own : converted_shape(axes, packed.axes, own);
}

void say(const TransferCommand& command, const opencl::ClDevice& device, const NamedLayout& packed,
         const Shape& result) {
  if (command.quiet) return;
  fmt::print("{}\n", tr("{} -> {}: {} on {}, array {}", command.input, command.output,
                        opencl::tensor_text(packed), device.info().name, shape_text(result)));
}

// What the file calls the tensor that is read.
std::string name_of(const TransferCommand& command) {
  if (!command.tensor_name.empty() || file_format_of(command.input) == FileFormat::kRaw)
    return command.tensor_name;
  const std::vector<TensorInfo> tensors = list_tensors(command.input);
  return tensors.empty() ? std::string() : tensors.front().name;
}

void run_pack(const TransferCommand& command) {
  file_format_of(command.output);  // says at once what it cannot write
  const LayoutInfo& info = find_layout(System::kMace, command.layout);
  const Axes axes = given_axes(command);
  ReadOptions read;
  read.name = command.tensor_name;
  if (file_format_of(command.input) == FileFormat::kRaw) read.dtype = Dtype::kFp32;
  if (!command.shape.empty()) read.shape = parse_integers("--shape", command.shape);
  ProgressBar bar(stderr_terminal(), tr("pack"), 3);
  const Tensor source = read_tensor(command.input, read);
  bar.advance(1);
  const Dtype dtype = !command.dtype.empty()          ? parse_dtype(command.dtype)
                      : source.dtype == Dtype::kUint8 ? Dtype::kUint32  // as MACE keeps it
                                                      : source.dtype;
  Shape own = in_layout_order(info, axes, source.shape);
  if (info.axes.size() == 1) {  // MACE takes [W,1,1] too
    while (own.size() > 1 && own.back() == 1) own.pop_back();
  }
  const NamedLayout packed = packed_layout(command, own, dtype);
  if (!command.quiet) warn_of_lost_elements(packed);
  // A 3x3 filter for WINOGRAD_FILTER is transformed on the device.
  const bool original = packed.spec.shape != own;
  const Layout plain = opencl::plain_layout(packed, source.dtype, axes, original);
  const auto device = command.opencl.open();
  opencl::ImageTransfer transfer(*device, opencl::parse_path(command.opencl.path));
  const Tensor result{packed.spec.dtype, array_shape(packed),
                      transfer.pack_host(packed, plain, source.data)};
  bar.advance(1);
  write_tensor(command.output, result, name_of(command));
  bar.advance(1);
  bar.clear();
  say(command, *device, packed, result.shape);
}

void run_unpack(const TransferCommand& command) {
  file_format_of(command.output);
  const Axes axes = given_axes(command);
  ReadOptions read;
  read.name = command.tensor_name;
  const bool raw = file_format_of(command.input) == FileFormat::kRaw;
  const std::vector<std::int64_t> shape = parse_integers("--shape", command.shape);
  if (raw) {
    read.dtype = Dtype::kFp32;
    read.shape = array_shape(packed_layout(command, shape, Dtype::kFp32));
  }
  ProgressBar bar(stderr_terminal(), tr("unpack"), 3);
  const Tensor source = read_tensor(command.input, read);
  bar.advance(1);
  const NamedLayout packed = packed_layout(command, shape, source.dtype);
  if (source.shape != array_shape(packed)) {
    user_error("'{}' holds an array {}; {} takes {}", command.input, shape_text(source.shape),
               opencl::tensor_text(packed), shape_text(array_shape(packed)));
  }
  const Dtype dtype = command.dtype.empty() ? source.dtype : parse_dtype(command.dtype);
  const Layout plain = opencl::plain_layout(packed, dtype, axes);
  const auto device = command.opencl.open();
  opencl::ImageTransfer transfer(*device, opencl::parse_path(command.opencl.path));
  const Tensor result{dtype, shape_of(plain, packed, axes),
                      transfer.unpack_host(packed, plain, source.data)};
  bar.advance(1);
  write_tensor(command.output, result, name_of(command));
  bar.advance(1);
  bar.clear();
  say(command, *device, packed, result.shape);
}

}  // namespace

void add_opencl_transfer_commands(App& opencl) {
  App* pack = opencl.add_subcommand("pack", "A row-major tensor into an image, on a device");
  pack->footer(
      "Files: .npy, .npz, .safetensors, .raw, .bin (fp32). OUT holds the image as an array\n"
      "(height, width, 4), or a packed buffer as its elements.\n"
      "\n"
      "Examples:\n"
      "  tensorlane opencl pack in.npy image.npy --layout in_out_channel\n"
      "  tensorlane opencl pack nchw.npy image.npy --layout in_out_channel --from NCHW --dtype "
      "fp16\n"
      "  tensorlane opencl pack filter.npy u.npy --layout winograd_filter --winograd-block 4\n");
  auto pack_command = std::make_shared<TransferCommand>();
  pack_command->add_to(*pack, true);
  pack->callback([pack_command] { run_pack(*pack_command); });

  App* unpack = opencl.add_subcommand("unpack", "The pixels of an image into a tensor");
  unpack->footer(
      "Example:\n"
      "  tensorlane opencl unpack image.npy out.npy --layout in_out_channel --shape 1,56,56,64\n");
  auto unpack_command = std::make_shared<TransferCommand>();
  unpack_command->add_to(*unpack, false);
  unpack->callback([unpack_command] { run_unpack(*unpack_command); });
}

}  // namespace tensorlane::cli
