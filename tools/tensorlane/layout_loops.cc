// tensorlane layout loops: what a conversion is, and the loops that do it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "layout_endpoints.h"
#include "layout_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/conversion_plan.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane::cli {
namespace {

enum class LoopLanguage : std::uint8_t { kC, kPython };

struct LoopsCommand : LayoutEndpoints {
  LoopLanguage language = LoopLanguage::kC;
  LayoutOutput output;
};

// Words of `ConversionKind` for programs.
const char* kind_word(ConversionKind kind) {
  constexpr const char* kWords[] = {"view", "copy", "transpose", "scatter", "convert"};
  return kWords[static_cast<std::size_t>(kind)];
}

void run(const LoopsCommand& command) {
  LayoutOptions options = endpoint_options(command, false);
  options.dtype = command.dtype.empty() ? "fp32" : command.dtype;
  options.shape = command.shape;
  const NamedLayout from = make_layout(options.spec()), to = target_layout(command, from);
  const ConversionPlan plan = plan_conversion(to, from);
  const std::string loops =
      command.language == LoopLanguage::kPython ? conversion_python(plan) : conversion_c(plan);
  if (command.output.wants_json()) {
    Json boxes = Json::array();
    for (const Box& box : plan.boxes) {
      Json nest = Json::array();
      for (const Loop& loop : box.nest())
        nest.push_back({{"extent", loop.extent}, {"to", loop.stride[0]}, {"from", loop.stride[1]}});
      boxes.push_back({{"to", box.base[0]}, {"from", box.base[1]}, {"loops", nest}});
    }
    command.output.write_json({{"from", notation(from)},
                               {"to", notation(to)},
                               {"kind", kind_word(plan.kind)},
                               {"elements", plan.elements},
                               {"runs", plan.runs},
                               {"run_bytes", plan.run_bytes},
                               {"side_by_side_in_to", plan.block_to},
                               {"side_by_side_in_from", plan.block_from},
                               {"boxes", boxes}});
  }
  if (!command.output.wants_text()) return;
  fmt::print("{} -> {}\n", notation(from), notation(to));
  std::string line(translated(conversion_name(plan.kind)));
  switch (plan.kind) {
    case ConversionKind::kCopy:
      line += tr(", {} of them, the shortest of {} bytes", plan.runs, plan.run_bytes);
      break;
    case ConversionKind::kTranspose:
      line += tr(": {} elements stand side by side in the target, {} in the source", plan.block_to,
                 plan.block_from);
      break;
    default:
      break;
  }
  fmt::print("{}\n", line);
  if (plan.kind != ConversionKind::kView) fmt::print("\n{}", loops);
}

}  // namespace

void add_loops_command(App& layout) {
  App* loops = layout.add_subcommand(
      "loops", "Whether a conversion is a view, a copy or a transpose, and its loops");
  loops->footer(
      "Examples:\n"
      "  tensorlane layout loops --from NCHW --to aligned --shape 2,3,4,5\n"
      "  tensorlane layout loops --from mace:NCHW --to mace:NHWC --shape 2,3,4,5\n"
      "  tensorlane layout loops --from NCHW --to nChw16c --shape 1,32,7,7 --language python\n");
  auto command = std::make_shared<LoopsCommand>();
  loops->add_option("--from", command->from, "layout of the source: NAME or CHIP:NAME")->required();
  loops->add_option("--to", command->to, "layout of the target: NAME or CHIP:NAME")->required();
  loops->add_option("--chip", command->chip, "chip of both layouts")->capture_default_str();
  loops->add_option("--shape", command->shape, "extents of the tensor, in the order of --from");
  loops->add_option("--dtype", command->dtype, "element type")->offer(dtype_words());
  loops->add_option("--to-dtype", command->to_dtype, "element type of the target");
  loops->add_option("--from-start-npu", command->from_start_npu, "NPU of the first channel");
  loops->add_option("--to-start-npu,--start-npu", command->to_start_npu,
                    "NPU of the first channel");
  loops->add_option("--from-cols-per-channel", command->from_cols, "for matrix and vector");
  loops->add_option("--to-cols-per-channel,--cols-per-channel", command->to_cols,
                    "for matrix and vector");
  loops->add_option("--from-strides", command->from_strides, "for free, 4N, 2N, 2IC");
  loops->add_option("--to-strides,--strides", command->to_strides, "for free, 4N, 2N, 2IC");
  loops->add_option("--npus", command->npus, "another number of NPUs than the chips have");
  loops->add_choice<LoopLanguage>("--language", command->language, "c or python",
                                  {{"c", LoopLanguage::kC}, {"python", LoopLanguage::kPython}});
  command->output.add_to(*loops, false);
  loops->callback([command] { run(*command); });
}

}  // namespace tensorlane::cli
