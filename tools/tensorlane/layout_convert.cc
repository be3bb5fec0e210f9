// tensorlane layout convert: a file of one layout into a file of another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <new>

#include "convert_model.h"
#include "layout_endpoints.h"
#include "layout_options.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/layout/convert.h"

namespace tensorlane::cli {
namespace {

struct ConvertCommand : LayoutEndpoints {
  std::string output, output_option;
  bool quiet = false;
  ConvertModel model;
};

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

void run(ConvertCommand command) {
  if (!command.output_option.empty()) {
    if (!command.output.empty()) user_error("OUT and -o name two files: say one");
    command.output = command.output_option;
  }
  if (command.output.empty()) user_error("{} is required", "OUT");
  if (!command.model.rules.empty()) {
    if (!command.from.empty() || !command.to.empty() || !command.tensor_name.empty())
      user_error("--from, --to and --tensor are for one tensor; with --rules the rules say it");
    command.model.input = command.input;
    command.model.output = command.output;
    command.model.quiet = command.quiet;
    return convert_model(command.model);
  }
  if (command.from.empty()) user_error("{} is required", "--from");
  if (command.to.empty()) user_error("{} is required", "--to");
  std::string name;
  const NamedLayout from = source_layout(command, name), to = target_layout(command, from);
  if (!command.quiet) {
    say_how_weights_are_read(from, to);
    warn_of_lost_elements(to);
  }
  file_format_of(command.output);  // says at once what it cannot write
  const Tensor source = read_in_layout(command.input, command.tensor_name, from);
  LayoutConversion conversion = conversion_of(command);
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
                 to.name(), comma(to.spec.shape), to.total_bytes(), source.data.size(),
                 command.input);
    }
  }
  result.dtype = to.spec.dtype;
  result.shape = array_shape(to);
  write_tensor(command.output, result, name);
  if (!command.quiet) {
    fmt::print("{}\n",
               tr("{}: {} [{}] {} -> {}: {} [{}] {}, array {}", command.input, from.name(),
                  comma(from.spec.shape), dtype_name(from.spec.dtype), command.output, to.name(),
                  comma(to.spec.shape), dtype_name(to.spec.dtype), shape_text(result.shape)));
  }
}

void add_model_options(App& convert, ConvertModel& model) {
  convert.add_option("--rules", model.rules,
                     "a whole model, tensor by tensor, as the rules of this file say (TOML)");
  convert.add_option("--manifest", model.manifest,
                     "with --rules: what IN holds (default: IN.manifest.json, if it is there)");
  convert
      .add_option("--align", model.align,
                  "with --rules, in raw files: tensors begin at multiples of this")
      ->capture_default_str();
  convert.add_option("--jobs", model.jobs, "with --rules: tensors at once (0: all processors)")
      ->range(0, 1024)
      ->capture_default_str();
  convert.add_flag("--restart", model.restart,
                   "with --rules: begin anew where a run was broken off");
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
      "Whole models: .npz, .safetensors, .onnx (to read) and blobs (.raw, .bin, .data) with a\n"
      "manifest. --rules names a TOML file, in which the first rule that fits a tensor's name "
      "says\n"
      "what becomes of it. OUT.manifest.json then says what lies where, with a SHA-256 of each\n"
      "tensor. A run that was killed goes on where it was when the same command is given again.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout convert in.npy out.npy --from continuous --to aligned\n"
      "  tensorlane layout convert w.npy w4.npy --from mace:OIHW --to mace:CONV2D_FILTER \\\n"
      "    --to-dtype fp16\n"
      "  tensorlane layout convert x.npy x.raw --from mace:NHWC --to bm1684:4N --to-dtype int8\n"
      "  tensorlane layout convert m.npy lm.npy --from continuous --to matrix \\\n"
      "    --to-cols-per-channel 16 --to-start-npu 3\n"
      "  tensorlane layout convert model.safetensors --rules rules.toml -o packed.npz\n");
  auto command = std::make_shared<ConvertCommand>();
  convert->add_option("IN", command->input, "file to read")->required();
  convert->add_option("OUT", command->output, "file to write");
  convert->add_option("-o,--output", command->output_option, "the same, as an option");
  convert->add_option("--from", command->from, "layout of IN: NAME or CHIP:NAME");
  convert->add_option("--to", command->to, "layout of OUT: NAME or CHIP:NAME");
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
  add_model_options(*convert, command->model);
  convert->callback([command] { run(*command); });
}

}  // namespace tensorlane::cli
