// tensorlane layout verify: a packed file against the tensor it was packed from.

#include <memory>

#include "commands.h"
#include "layout_endpoints.h"
#include "layout_options.h"
#include "packed_check.h"
#include "tensorlane/base/error.h"
#include "tensorlane/layout/verify_packed.h"
#include "verify_model.h"

namespace tensorlane::cli {
namespace {

struct VerifyCommand : LayoutEndpoints {
  std::string packed, packed_name;
  std::string rules, manifest;
  PackedCheckOptions options;
  JsonOption json;
};

void verify(VerifyCommand command) {
  if (!command.rules.empty()) {
    if (!command.from.empty() || !command.to.empty() || !command.tensor_name.empty())
      user_error("--from, --to and --tensor are for one tensor; with --rules the rules say it");
    return verify_model({command.packed, command.input, command.rules, command.manifest,
                         command.options.padding, command.json});
  }
  if (command.to.empty()) user_error("{} is required", "--to");
  if (command.from.empty()) {
    // An array of the target's axes, row-major.
    LayoutOptions target;
    target.layout = command.to;
    target.chip = command.chip;
    split_chip(target.layout, target.chip);
    command.from = layout_axes(find_owner(target.chip).system, target.layout).text();
  }
  std::string name;
  const NamedLayout from = source_layout(command, name), to = target_layout(command, from);
  warn_of_lost_elements(to);
  const Tensor original = read_in_layout(command.input, command.tensor_name, from),
               packed = read_in_layout(command.packed, command.packed_name, to);
  command.options.conversion = conversion_of(command);
  const PackedCheck check = verify_packed(to, packed.data, from, original.data, command.options);
  if (!command.json.replaces_text()) print_check(command.packed, to, check);
  command.json.write(check_json(to, check));
  if (!check.right()) throw ExitStatus{1};
}

}  // namespace

void add_verify_command(App& layout) {
  App* verb = layout.add_subcommand("verify", "A packed file against what it was packed from");
  verb->footer(
      "Compares every element, bit by bit, with what 'layout convert' makes of ORIGINAL. Where "
      "some\n"
      "differ, the first are shown and the usual mistakes are tried: axes swapped or backwards, "
      "groups\n"
      "in the wrong order, another layout, another start NPU, bytes in the wrong order, an "
      "offset,\n"
      "another rounding or element type.\n"
      "\n"
      "Exit status: 0 when all is right, 1 when not.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout verify packed.raw weights.npy --to mace:CONV2D_FILTER --to-dtype fp16\n"
      "  tensorlane layout verify packed.raw x.npy --to bm1684:4N --to-dtype int8 --padding zero\n"
      "  tensorlane layout verify blocked.npy weights.npy --to OIhw4i16o\n"
      "  tensorlane layout verify packed.npz model.safetensors --rules rules.toml\n");
  auto command = std::make_shared<VerifyCommand>();
  verb->add_option("PACKED", command->packed, "the packed file")->required();
  verb->add_option("ORIGINAL", command->input, "the file that it was packed from")->required();
  verb->add_option("--to", command->to, "layout of PACKED: NAME or CHIP:NAME");
  verb->add_option("--from", command->from,
                   "layout of ORIGINAL (default: row-major, the axes of --to)");
  verb->add_option("--chip", command->chip, "chip of both layouts")->capture_default_str();
  verb->add_option("--shape", command->shape, "extents of the tensor, in the order of --from");
  verb->add_option("--to-shape", command->to_shape, "extents in the order of --to, to reshape");
  verb->add_option("--dtype", command->dtype, "element type of ORIGINAL, where the file lacks it");
  verb->add_option("--to-dtype", command->to_dtype, "element type of PACKED");
  verb->add_option("--rounding", command->rounding, "half_to_even, half_away_from_zero, ...")
      ->capture_default_str();
  verb->add_flag("--saturate", command->saturate, "float overflow gives the largest number");
  verb->add_option("--tensor", command->tensor_name, "which tensor of ORIGINAL");
  verb->add_option("--packed-tensor", command->packed_name, "which tensor of PACKED");
  verb->add_option("--start-npu", command->to_start_npu, "NPU of the first channel");
  verb->add_option("--cols-per-channel", command->to_cols, "for matrix and vector");
  verb->add_option("--strides", command->to_strides, "for free, 4N, 2N, 2IC");
  verb->add_option("--npus", command->npus, "another number of NPUs than the chips have");
  verb->add_option("--winograd-block", command->winograd_block, "2, 4 or 6")->capture_default_str();
  verb->add_choice("--padding", command->options.padding,
                   "bytes without an element: prescribed (as the layout has them), zero or any",
                   {{"prescribed", PaddingCheck::kPrescribed},
                    {"zero", PaddingCheck::kZero},
                    {"any", PaddingCheck::kAny}});
  verb->add_option("--rules", command->rules,
                   "whole models: by which rules PACKED was made, see 'layout convert'");
  verb->add_option("--manifest", command->manifest,
                   "with --rules: what lies where in PACKED (default: PACKED.manifest.json, if it "
                   "is there)");
  command->json.add_to(*verb);
  verb->callback([command] { verify(*command); });
}

}  // namespace tensorlane::cli
