// tensorlane layout plan: the budget of local memory before a kernel is written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "layout_layer.h"
#include "layout_options.h"
#include "layout_tensor_words.h"
#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/plan.h"

namespace tensorlane::cli {
namespace {

enum class Emit : std::uint8_t { kNothing, kC, kPython };

struct PlanOptions {
  std::string chip = "bm1684";
  std::vector<std::string> tensors, commands;
  BankUse banks = BankUse::kOwn;
  Emit emit = Emit::kNothing;
  LayoutOutput output;
  std::string picture;
  std::optional<std::int64_t> npus, npu_bytes;
};

std::string axis_word(Axis axis) {
  return std::string(1, axis_letter(axis));
}

Json split_json(const PlanSplit& split) {
  return {{"axis", axis_word(split.axis)},
          {"extent", split.extent},
          {"part", split.part ? Json(*split.part) : Json()},
          {"parts", split.part ? Json(split.parts()) : Json()}};
}

Json as_json(const LocalPlan& plan, std::string_view chip) {
  Json tensors = Json::array(), splits = Json::array(), own = Json::array();
  const Tile tile = plan.tile.value_or(plan.whole);
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlanTensor& tensor = plan.tensors[i];
    const NamedLayout whole = make_layout(tensor.spec), part = plan.part(tensor, tile);
    Json addresses = Json::array();
    for (const PlanPlace& place : plan.places) {
      if (place.tensor == static_cast<int>(i)) {
        addresses.push_back(place.offset + tensor.spec.start_npu * plan.memory.npu_bytes);
      }
    }
    tensors.push_back({{"name", tensor.name},
                       {"dtype", dtype_name(tensor.spec.dtype)},
                       {"layout", whole.name()},
                       {"axes", axis_names(whole)},
                       {"shape", tensor.spec.shape},
                       {"buffers", tensor.buffers},
                       {"bytes_per_npu", whole.bytes_per_npu},
                       {"part_shape", part.spec.shape},
                       {"part_bytes_per_npu", part.bytes_per_npu},
                       {"addresses", addresses}});
  }
  for (const PlanSplit& split : plan.splits) splits.push_back(split_json(split));
  for (const PlanSplit& split : plan.own_bank_splits) own.push_back(split_json(split));
  return {
      {"chip", chip},
      {"npus", plan.memory.npus},
      {"npu_bytes", plan.memory.npu_bytes},
      {"bank_bytes", plan.bank_bytes},
      {"bytes_per_npu", plan.bytes_per_npu},
      {"fits", plan.fits},
      {"tensors", tensors},
      {"splits", splits},
      {"splits_with_own_banks", own},
      {"tile", plan.tile
                   ? Json{{"n", tile.n}, {"h", tile.h}, {"w", tile.w}, {"c", tile.c}, {"o", tile.o}}
                   : Json()},
      {"parts", plan.parts},
      {"own_banks", plan.banks == BankUse::kOwn}};
}

void print_tensors(const LocalPlan& plan) {
  std::size_t name = 6, shape = 5;
  for (const PlanTensor& tensor : plan.tensors) {
    name = std::max(name, tensor.name.size());
    shape = std::max(shape, fmt::format("{}", fmt::join(tensor.spec.shape, ",")).size());
  }
  const Tile tile = plan.tile.value_or(plan.whole);
  fmt::print("{:<{}}  {:<5} {:<12} {:<{}} {:>12}    {:<{}} {:>12}  {}\n", tr("tensor"), name,
             tr("dtype"), tr("layout"), tr("whole"), shape, tr("B per NPU"),
             plan.tile ? tr("a part") : tr("whole"), shape, tr("B per NPU"), tr("addresses"));
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlanTensor& tensor = plan.tensors[i];
    const NamedLayout whole = make_layout(tensor.spec), part = plan.part(tensor, tile);
    std::vector<std::string> addresses;
    for (const PlanPlace& place : plan.places) {
      if (place.tensor != static_cast<int>(i)) continue;
      addresses.push_back(
          fmt::format("{:#x}", place.offset + tensor.spec.start_npu * plan.memory.npu_bytes));
    }
    fmt::print("{:<{}}  {:<5} {:<12} {:<{}} {:>12}    {:<{}} {:>12}  {}\n", tensor.name, name,
               dtype_name(tensor.spec.dtype), whole.name(),
               fmt::format("{}", fmt::join(tensor.spec.shape, ",")), shape, whole.bytes_per_npu,
               fmt::format("{}", fmt::join(part.spec.shape, ",")), shape, part.bytes_per_npu,
               fmt::join(addresses, ", "));
  }
}

std::string split_row(const PlanSplit& split) {
  if (!split.part) return fmt::format("{:>14} {:>6}", "-", "-");
  return fmt::format("{:>14} {:>6}", *split.part, split.parts());
}

void print_text(const LocalPlan& plan, std::string_view chip) {
  fmt::print("{}\n\n",
             tr("{}: {} NPUs of {} bytes, {} banks of {} in each", chip, plan.memory.npus,
                plan.memory.npu_bytes, plan.memory.npu_bytes / plan.bank_bytes, plan.bank_bytes));
  print_tensors(plan);
  const bool is_long = std::ranges::any_of(
      plan.splits, [](const PlanSplit& split) { return split.extent > kMostExtent; });
  fmt::print("\n{}\n", tr("whole: {} bytes per NPU with all buffers, {}", plan.bytes_per_npu,
                          !plan.fits ? tr("does not fit")
                          : plan.parts == 1 || is_long
                              ? tr("fits")
                              : tr("fits, but not with banks of their own (--banks shared)")));
  if (plan.parts != 1 && !plan.splits.empty()) {
    fmt::print("\n{:<9} {:>7} {:>14} {:>6}    {}\n", tr("cut along"), tr("extent"),
               tr("largest part"), tr("parts"), tr("in banks of their own"));
    for (std::size_t i = 0; i < plan.splits.size(); ++i) {
      fmt::print("{:<9} {:>7} {}    {}\n", axis_word(plan.splits[i].axis), plan.splits[i].extent,
                 split_row(plan.splits[i]), split_row(plan.own_bank_splits[i]));
    }
  }
  if (!plan.tile) return;
  const Tile& tile = *plan.tile;
  std::vector<std::string> cuts;
  for (const PlanSplit& split : plan.splits) {
    if (tile.along(split.axis) != split.extent)
      cuts.push_back(
          tr("{} {} of {}", axis_word(split.axis), tile.along(split.axis), split.extent));
  }
  fmt::print("\n{}\n", tr("plan: {}{}; {}", tr_n("{} part", "{} parts", plan.parts),
                          cuts.empty() ? std::string() : tr(" ({})", fmt::join(cuts, ", ")),
                          plan.banks == BankUse::kOwn
                              ? tr("every buffer in banks of its own")
                              : tr("buffers share banks: two engines in one bank wait")));
  if (is_long) fmt::print("{}\n", tr("a call takes extents up to {}", kMostExtent));
}

// What would make a part fit.
template <class Plan>
std::string advice_to_fit(const Plan& plan) {
  using Kind = PlanChange::Kind;
  const std::optional<PlanChange> change = change_that_fits(plan);
  if (!change) return tr("smaller tensors, or columns of a matrix in parts of their own");
  const auto name = [&] { return plan.tensors[static_cast<std::size_t>(change->tensor)].name; };
  switch (change->kind) {
    case Kind::kOneBuffer:
      return tr("one fits with one buffer of '{}'", name());
    case Kind::kOneBufferEach:
      return tr("one fits with one buffer of each tensor");
    case Kind::kInParts:
      return tr("one fits where '{}' need not be whole", name());
    case Kind::kAllInParts:
      return tr("one fits where nothing need be whole, with one buffer of each tensor");
  }
  return {};
}

template <class Plan>
void fail_if_nothing_fits(const Plan& plan, bool fits, std::string_view chip) {
  if (fits) return;
  user_error("no part of these tensors fits: the smallest takes {} bytes per NPU, {} has {}; {}",
             plan.least_bytes, chip, plan.memory.npu_bytes, advice_to_fit(plan));
}

void run_layer(const PlanOptions& options, std::vector<PlanTensor> tensors, std::int64_t bank_bytes,
               std::string_view chip) {
  if (!options.picture.empty()) user_error("a picture is of a plan without --command");
  std::vector<PlanCommand> commands;
  for (const std::string& text : options.commands) commands.push_back(parse_command(text));
  const LayerPlan plan =
      plan_layer(std::move(tensors), std::move(commands), bank_bytes, options.banks);
  if (options.emit != Emit::kNothing) {
    fail_if_nothing_fits(plan, plan.fits, chip);
    fmt::print("{}", options.emit == Emit::kC ? layer_plan_c(plan) : layer_plan_python(plan));
    return;
  }
  if (options.output.wants_text()) print_layer_plan(plan, chip);
  if (options.output.wants_json()) options.output.write_json(layer_plan_json(plan, chip));
  fail_if_nothing_fits(plan, plan.fits, chip);
}

void run(const PlanOptions& options) {
  const LayoutOwner owner = find_owner(options.chip);
  if (owner.chip == nullptr) user_error("{} has no local memory to plan", owner.name);
  std::vector<PlanTensor> tensors;
  for (const std::string& text : options.tensors) {
    PlanTensor tensor = parse_tensor(text, {options.chip, options.npus, options.npu_bytes}).planned;
    for (const PlanTensor& other : tensors) {
      if (other.name == tensor.name) user_error("two tensors are called '{}'", tensor.name);
    }
    tensors.push_back(std::move(tensor));
  }
  const std::int64_t bank_bytes = std::max<std::int64_t>(
      1, tensors.front().spec.local_memory().npu_bytes / owner.chip->banks_per_npu);
  if (!options.commands.empty())
    return run_layer(options, std::move(tensors), bank_bytes, owner.name);
  if (options.emit != Emit::kNothing) user_error("--emit writes the plan of a --command");
  const LocalPlan plan = plan_local_memory(std::move(tensors), bank_bytes, options.banks);
  write_output(options.picture, draw_plan_svg(plan));
  if (options.output.wants_text()) print_text(plan, owner.name);
  if (options.output.wants_json()) options.output.write_json(as_json(plan, owner.name));
  fail_if_nothing_fits(plan, plan.tile.has_value(), owner.name);
}

}  // namespace

void add_plan_command(App& layout) {
  App* plan = layout.add_subcommand(
      "plan", "Which part of some tensors fits local memory, and where its buffers lie");
  plan->footer(
      "A TENSOR is NAME:SHAPE and, in any order, an element type (fp32), a layout (aligned), xK "
      "for\n"
      "K buffers, 'whole' for what every part needs whole, start=NPU and cols=COLUMNS per "
      "channel.\n"
      "A part cuts N, then H, then W, then C. What has another extent along a cut axis is cut in\n"
      "proportion; rows that a window reads beyond its part are yours to add. Beside weights C "
      "stays\n"
      "whole and their output channels are cut last, with those of their result: where I and O "
      "are\n"
      "alike, what is listed behind the weights.\n"
      "With --command the tensors are those of a network's layer: of the result even parts are "
      "cut, "
      "and\n"
      "what each needs of the others follows, halo and weights included. A COMMAND is "
      "RESULT=INPUT,...\n"
      "with kernel=, stride=, pad= and dilation= of the window over the first input; several run "
      "one after\n"
      "the other, and share tensors and memory.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout plan input:16,64,112,112:x2 output:16,64,112,112:x2\n"
      "  tensorlane layout plan --chip bm1684x x:4,64,56,56:fp16:x2 w:64,64,3,3:fp16:32IC "
      "y:4,64,56,56:fp16:x2 \\\n"
      "    -o plan.svg\n"
      "  tensorlane layout plan left:1024,512:matrix:cols=16 "
      "right:512,1000:matrix:cols=16:whole\n"
      "  tensorlane layout plan --chip bm1684x x:1,64,224,224:fp16:x2 w:128,64,3,3:fp16:32IC \\\n"
      "    y:1,128,224,224:fp16:x2 --command y=x,w:kernel=3x3:pad=1 --emit c\n");
  auto options = std::make_shared<PlanOptions>();
  plan->add_option("TENSOR", options->tensors, "a tensor of the kernel, as below")->required();
  plan->add_option("--command", options->commands,
                   "a command of a layer, RESULT=INPUT,...:kernel=3x3:stride=2:pad=1; may be "
                   "repeated")
      ->repeated();
  plan->add_choice<Emit>("--emit", options->emit, "c or python: the plan as constants",
                         {{"c", Emit::kC}, {"python", Emit::kPython}});
  plan->add_option("--chip", options->chip, "whose local memory")
      ->capture_default_str()
      ->offer(chip_names());
  plan->add_choice<BankUse>(
      "--banks", options->banks,
      "own: every buffer in banks of its own, where that is possible (the default); shared: as "
      "large parts as memory holds",
      {{"own", BankUse::kOwn}, {"shared", BankUse::kShared}});
  options->output.add_to(*plan, false);
  plan->add_option("-o,--output", options->picture, "write a picture of local memory, SVG");
  plan->add_option("--npus", options->npus, "another number of NPUs than the chip has");
  plan->add_option("--npu-bytes", options->npu_bytes, "other bytes of local memory per NPU");
  plan->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
