// tensorlane layout verify: a packed file against the tensor it was packed from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "commands.h"
#include "layout_endpoints.h"
#include "layout_options.h"
#include "layout_place.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/verify_packed.h"

namespace tensorlane::cli {
namespace {

struct VerifyCommand : LayoutEndpoints {
  std::string packed, packed_name;
  PackedCheckOptions options;
  JsonOption json;
};

std::string bits_text(const NamedLayout& tensor, std::uint32_t bits) {
  return fmt::format("0x{:0{}x}", bits, dtype_bits(tensor.spec.dtype) / 4);
}

// Where an element should lie, in the words of its layout.
std::string place_words(const NamedLayout& tensor, const Layout::Index& index) {
  const auto begin = index.begin();
  const Json place = element_place(
      tensor, std::vector<std::int64_t>(begin, begin + tensor.layout.rank()), banks_of(tensor));
  if (tensor.is_image())
    return tr("pixel ({}, {}), lane {}", place["x"].get<std::int64_t>(),
              place["y"].get<std::int64_t>(), place["lane"].get<std::int64_t>());
  const std::string offset = tr("offset {}", place["offset"].get<std::int64_t>());
  return tensor.is_local() ? tr("NPU {}, {}", place["npu"].get<std::int64_t>(), offset) : offset;
}

Json check_json(const NamedLayout& to, const PackedCheck& check) {
  Json first = Json::array();
  for (const PackedDifference& difference : check.first) {
    const auto begin = difference.index.begin();
    first.push_back({{"index", std::vector<std::int64_t>(begin, begin + to.layout.rank())},
                     {"place", place_words(to, difference.index)},
                     {"expected", bits_text(to, difference.expected)},
                     {"found", bits_text(to, difference.found)}});
  }
  return {{"right", check.right()},
          {"elements", check.elements},
          {"differing", check.differing},
          {"first", first},
          {"padding_differing", check.padding_differing},
          {"explanation", check.explanation.empty() ? Json() : Json(check.explanation)}};
}

void print_check(const VerifyCommand& command, const NamedLayout& to, const PackedCheck& check) {
  const std::string tensor =
      fmt::format("{} [{}] {}", to.name(), comma(to.spec.shape), dtype_name(to.spec.dtype));
  if (check.right()) {
    fmt::print("{}\n",
               tr("{}: {}: all {} elements are right", command.packed, tensor, check.elements));
    return;
  }
  if (check.differing > 0) {
    fmt::print("{}\n", tr("{}: {}: {} of {} elements are wrong", command.packed, tensor,
                          check.differing, check.elements));
    for (const PackedDifference& difference : check.first) {
      const auto begin = difference.index.begin();
      fmt::print(
          "  {}\n",
          tr("({}) = ({}), {}: {} expected, {} found", fmt::join(axis_names(to), ", "),
             fmt::join(begin, begin + to.layout.rank(), ", "), place_words(to, difference.index),
             bits_text(to, difference.expected), bits_text(to, difference.found)));
    }
    fmt::print("  {}\n", check.explanation.empty()
                             ? tr("no usual mistake of packing explains all of them")
                             : tr("it looks as if: {}", check.explanation));
  }
  if (check.padding_differing > 0) {
    fmt::print(
        "{}\n",
        tr("{}: {} of {} bytes of padding are not what they have to be, the first is byte {}",
           command.packed, check.padding_differing, check.padding_bytes, check.first_padding));
  }
}

void verify(VerifyCommand command) {
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
  if (!command.json.replaces_text()) print_check(command, to, check);
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
      "  tensorlane layout verify blocked.npy weights.npy --to OIhw4i16o\n");
  auto command = std::make_shared<VerifyCommand>();
  verb->add_option("PACKED", command->packed, "the packed file")->required();
  verb->add_option("ORIGINAL", command->input, "the file that it was packed from")->required();
  verb->add_option("--to", command->to, "layout of PACKED: NAME or CHIP:NAME")->required();
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
  command->json.add_to(*verb);
  verb->callback([command] { verify(*command); });
}

}  // namespace tensorlane::cli
