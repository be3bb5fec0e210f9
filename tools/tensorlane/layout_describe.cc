// tensorlane layout describe: strides, sizes, waste, advice.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "layout_facts.h"
#include "layout_options.h"
#include "layout_place.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/algebra.h"
#include "tensorlane/layout/conversion_plan.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/notation.h"
#include "tensorlane/layout/plan.h"

namespace tensorlane::cli {
namespace {

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::int64_t matrix_bytes_per_npu(const NamedLayout& tensor, std::int64_t width) {
  LayoutSpec spec = tensor.spec;
  spec.cols_per_channel = width;
  return make_layout(spec).bytes_per_npu;
}

// What a tensor too large for local memory can be cut into.
std::vector<std::string> advice_to_cut(const NamedLayout& tensor) {
  if (fits(tensor)) return {};
  const LocalMemory memory = tensor.memory();
  std::vector<std::string> lines = {
      tensor.spec.offset == 0
          ? tr("does not fit: {} bytes per NPU of {}", tensor.bytes_per_npu, memory.npu_bytes)
          : tr("does not fit: {} bytes per NPU from offset {} on, of {}", tensor.bytes_per_npu,
               tensor.spec.offset, memory.npu_bytes)};
  if (tensor.info->written) return lines;  // its extents stand in its text
  LayoutSpec spec = tensor.spec;
  spec.offset = 0;
  if (make_layout(spec).bytes_per_npu <= memory.npu_bytes) {
    lines.push_back(tr("it fits at offset 0"));
    return lines;
  }
  const LocalPlan plan =
      plan_local_memory({{.name = "tensor", .spec = spec}}, memory.npu_bytes, BankUse::kShared);
  for (const PlanSplit& split : plan.splits) {
    if (!split.part) continue;
    const bool rows = !tensor.axes.has(split.axis);  // of a matrix, which stand for N
    lines.push_back(tr("cut along {}: {} of {} at a time make {} parts",
                       rows ? tr("the rows") : std::string(1, axis_letter(split.axis)), *split.part,
                       split.extent, split.parts()));
  }
  if (plan.splits.empty())
    lines.push_back(tr("no axis of it can be cut alone: see 'tensorlane layout plan'"));
  // What an element-wise kernel makes of any shape: a line, dealt evenly to all NPUs.
  const std::int64_t most = memory.npu_bytes / 4 * 8 / dtype_bits(spec.dtype);
  if (tensor.axes.has(Axis::kC) && dtype_bits(spec.dtype) >= 8 && most > 0) {
    const std::int64_t length = tensor.layout.size();
    lines.push_back(tr_n(
        "element by element its shape does not matter: as a line over all NPUs, (1, {1}, 1, M), "
        "it is {0} part of M = {2} with two buffers each for input and output",
        "element by element its shape does not matter: as a line over all NPUs, (1, {1}, 1, M), "
        "it is {0} parts of M = {2} with two buffers each for input and output",
        ceil_div(length, memory.npus * most), memory.npus, most));
  }
  return lines;
}

// One line each; empty when there is nothing to improve.
std::vector<std::string> advice(const NamedLayout& tensor) {
  std::vector<std::string> lines;
  if (!tensor.holds_elements) {
    lines.push_back(tr("MACE writes only zeros into this image: its depthwise filter needs M = 1"));
  }
  if (!tensor.is_local()) return lines;
  const LocalMemory memory = tensor.memory();
  for (std::string& line : advice_to_cut(tensor)) lines.push_back(std::move(line));
  const std::int64_t used = npus_used(tensor);
  if (tensor.spec.cols_per_channel) {
    const std::int64_t cols = tensor.spec.shape.back(), width = *tensor.spec.cols_per_channel;
    const std::int64_t best =
        best_cols_per_channel(memory, tensor.spec.start_npu, cols, dtype_bits(tensor.spec.dtype));
    const std::int64_t bytes = matrix_bytes_per_npu(tensor, best);
    const std::int64_t best_used = std::min<std::int64_t>(memory.npus, ceil_div(cols, best));
    if (bytes == tensor.bytes_per_npu && used >= best_used) {
      lines.push_back(
          tr("cols_per_channel {} is the best: no other takes less memory, the columns lie in {} "
             "of {} NPUs",
             width, used, memory.npus));
    } else {
      const auto npus = [](std::int64_t n) { return tr_n("{} NPU", "{} NPUs", n); };
      lines.push_back(
          tr("cols_per_channel {} would use {} and {} bytes per NPU (now {}: {}, {} bytes)", best,
             npus(best_used), bytes, width, npus(used), tensor.bytes_per_npu));
    }
    return lines;
  }
  if (used * 2 <= memory.npus) {
    lines.push_back(
        tr("{} of {} NPUs hold no channel; a layout that spreads another "
           "dimension over the channels would use them",
           memory.npus - used, memory.npus));
  }
  const std::int64_t rows = channels_per_npu(memory, tensor.spec.start_npu, used);
  if (rows > 1 && tensor.spec.start_npu != 0 && !tensor.info->written &&
      tensor.axes[tensor.layout.npu_dim()] == Axis::kC) {
    lines.push_back(tr("starting at NPU 0 would need {} channel rows per NPU instead of {}",
                       channels_per_npu(memory, 0, tensor.spec.shape[1]),
                       channels_per_npu(memory, tensor.spec.start_npu, tensor.spec.shape[1])));
  }
  if (!tensor.info->without_gaps.empty()) {
    LayoutSpec spec = tensor.spec;
    spec.layout = tensor.info->without_gaps;
    const std::int64_t compact = make_layout(spec).bytes_per_npu;
    if (compact * 4 <= tensor.bytes_per_npu * 3) {
      lines.push_back(tr("{} would take {} bytes per NPU instead of {}", spec.layout, compact,
                         tensor.bytes_per_npu));
    }
  }
  return lines;
}

// From a place to the element, places being elements of the memory, of local memory of all NPUs one
// behind the other; nothing where digits interleave.
std::string inverse_text(const NamedLayout& tensor) {
  if (!tensor.holds_elements || tensor.is_image()) return {};
  try {
    return Inverse(tensor.layout).text(tensor.axes);
  } catch (const UserError&) {
    return {};
  }
}

// A swizzle may leave a box for every run.
bool has_few_boxes(const NamedLayout& tensor) {
  return !tensor.layout.swizzle() || tensor.layout.size() <= 1 << 20;
}

// The same elements row-major: how large a part of a copy's bytes stay together.
ConversionPlan copy_to_row_major(const NamedLayout& tensor) {
  return plan_conversion(memory_layout(tensor),
                         row_major_layout(tensor.spec.shape, tensor.spec.dtype));
}

Json as_json(const NamedLayout& tensor) {
  Json result = {{"chip", tensor.spec.owner_name()},
                 {"layout", tensor.name()},
                 {"dtype", dtype_name(tensor.spec.dtype)},
                 {"axes", axis_names(tensor)},
                 {"shape", tensor.spec.shape}};
  if (!tensor.strides.empty()) result["strides"] = tensor.strides;
  result["data_bytes"] = data_bytes(tensor);
  if (tensor.is_local()) {
    result["start_npu"] = tensor.spec.start_npu;
    result["npus_used"] = npus_used(tensor);
    result["bytes_per_npu"] = tensor.bytes_per_npu;
    result["fits"] = fits(tensor);
    result["channels_per_npu"] = channel_rows(tensor);
    if (const std::optional<EuRows> rows = eu_rows(tensor))
      result["eu_rows"] = {{"rows", rows->rows}, {"least", rows->least}, {"twice", rows->twice}};
    if (const std::optional<BankRange> banks = banks_used(tensor, banks_of(tensor)))
      result["banks"] = {{"first", banks->first}, {"last", banks->last}};
  } else if (tensor.is_image()) {
    result["width"] = tensor.layout.image_width();
    result["height"] = tensor.image_height;
  }
  if (!tensor.strides_call().empty()) result["strides_call"] = tensor.strides_call();
  if (const std::vector<std::string> idle = idle_strides(tensor); !idle.empty())
    result["idle_strides"] = idle;
  if (const std::optional<Grouping> grouping = grouping_of(tensor)) {
    result["grouping"] = {{"axis", axis_name(grouping->axis)},
                          {"elements", grouping->elements},
                          {"new_shape", grouping->shape},
                          {"dummies", grouping->dummies}};
  }
  result["total_bytes"] = tensor.total_bytes();
  result["waste_bytes"] = tensor.total_bytes() - data_bytes(tensor);
  result["rule"] = tensor.rule();
  result["notation"] = notation(tensor);
  if (const std::optional<std::string> cute = cute_notation(tensor.layout)) result["cute"] = *cute;
  if (const std::string inverse = inverse_text(tensor); !inverse.empty())
    result["inverse"] = inverse;
  if (tensor.holds_elements && has_few_boxes(tensor)) {
    const ConversionPlan copy = copy_to_row_major(tensor);
    result["runs"] = copy.runs;
    result["run_bytes"] = copy.run_bytes;
  }
  result["source"] = tensor.info->source;
  result["advice"] = advice(tensor);
  return result;
}

// Elements that share a word or stand side by side, and the tensor that they make.
template <class Line>
void print_grouping(const NamedLayout& tensor, const Line& line) {
  const std::optional<Grouping> grouping = grouping_of(tensor);
  if (!grouping) return;
  line(msg("grouped"), tr("{} {} of axis {} side by side, {} bits together", grouping->elements,
                          dtype_name(tensor.spec.dtype), axis_name(grouping->axis),
                          grouping->elements * dtype_bits(tensor.spec.dtype)));
  line(msg("new shape"),
       tr_n("({1}), {0} dummy in the last group", "({1}), {0} dummies in the last group",
            grouping->dummies, fmt::join(grouping->shape, ", ")));
  if (tensor.info->stride_unit != StrideUnit::kWord || !tensor.spec.strides.empty()) return;
  // Both storage modes of the documents.
  const std::vector<std::int64_t>& s = grouping->shape;
  const Stride4 compact =
      compact_stride(tensor.memory(), tensor.spec.start_npu, {s[0], s[1], s[2], s[3]});
  line("compact", tr("{}, {}, {}, {} {} by okk_compact_stride: {} bytes per NPU", compact.n,
                     compact.c, compact.h, compact.w,
                     translated(stride_unit_name(tensor.info->stride_unit)), s[0] * compact.n * 4));
}

void print_text(const NamedLayout& tensor) {
  const auto line = [](std::string_view name, const std::string& value) {
    fmt::print("{:<12} {}\n", translated(name), value);
  };
  fmt::print("{} {}: {}\n", tensor.spec.owner_name(), tensor.name(), tensor.info->summary_text());
  line(msg("tensor"), tr("{} ({}) = ({}), {} bytes of data", dtype_name(tensor.spec.dtype),
                         fmt::join(axis_names(tensor), ", "), fmt::join(tensor.spec.shape, ", "),
                         data_bytes(tensor)));
  line(msg("rule"), std::string(translated(tensor.rule())));
  line(msg("written"), notation(tensor));
  if (const std::optional<std::string> cute = cute_notation(tensor.layout)) line("CuTe", *cute);
  if (const std::string inverse = inverse_text(tensor); !inverse.empty())
    line(msg("inverse"), inverse);
  if (!tensor.strides.empty()) {
    line(msg("strides"), fmt::format("{} {}", fmt::join(tensor.strides, ", "),
                                     translated(stride_unit_name(tensor.info->stride_unit))));
  }
  if (const std::vector<std::string> idle = idle_strides(tensor); !idle.empty())
    line("", tr("{} may be anything: no two elements are that far apart", fmt::join(idle, ", ")));
  if (!tensor.strides_call().empty()) line(msg("in C"), tensor.strides_call());
  print_grouping(tensor, line);
  if (tensor.spec.cols_per_channel) {
    const std::int64_t rows = tensor.spec.shape.size() == 2 ? tensor.spec.shape[0] : 1;
    line(msg("as tensor"),
         fmt::format("({}, {}, 1, {})", rows,
                     ceil_div(tensor.spec.shape.back(), *tensor.spec.cols_per_channel),
                     *tensor.spec.cols_per_channel));
  }
  if (tensor.is_local()) {
    const LocalMemory memory = tensor.memory();
    const std::int64_t first = tensor.spec.offset, last = first + tensor.bytes_per_npu - 1;
    line(msg("NPUs"),
         tr("{} of {}, from NPU {}", npus_used(tensor), memory.npus, tensor.spec.start_npu));
    line(msg("channels"), tr("{} per NPU = ceil(({} + {}) / {})", channel_rows(tensor),
                             tensor.spec.start_npu, channels_of(tensor), memory.npus));
    const std::optional<BankRange> used = banks_used(tensor, banks_of(tensor));
    const std::string banks = !used ? std::string()
                              : used->first == used->last
                                  ? tr(", bank {}", used->first)
                                  : tr(", banks {} to {}", used->first, used->last);
    line(msg("per NPU"),
         tr("{} bytes (offsets {} to {}, {:.1f} % of {}){}", tensor.bytes_per_npu, first, last,
            percent(tensor.bytes_per_npu, memory.npu_bytes), memory.npu_bytes, banks));
    if (const std::optional<EuRows> rows = eu_rows(tensor)) {
      line(msg("EU rows"),
           tr("{} of {} bytes in the NPU with the most, {} would do", rows->rows,
              memory.align_bytes, rows->least) +
               (rows->twice == 0 ? std::string()
                                 : tr("; {} times two channels meet in one", rows->twice)));
    } else if (!fits(tensor)) {
      line(msg("EU rows"), tr("not counted: the tensor does not fit an NPU"));
    }
  } else if (tensor.is_image()) {
    line(msg("image"), tr("{} x {} pixels, {} bytes", tensor.layout.image_width(),
                          tensor.image_height, tensor.bytes));
  } else {
    line(msg("bytes"), fmt::format("{}", tensor.bytes));
  }
  const std::int64_t total = tensor.total_bytes();
  line(msg("waste"), tr("{} of {} bytes hold no element ({:.1f} %)", total - data_bytes(tensor),
                        total, percent(total - data_bytes(tensor), total)));
  if (tensor.holds_elements && has_few_boxes(tensor)) {
    const ConversionPlan copy = copy_to_row_major(tensor);
    if (copy.run_bytes > 0)
      line(msg("copied"),
           tr_n("in {} run, the shortest of {} bytes, from or to a row-major tensor",
                "in {} runs, the shortest of {} bytes, from or to a row-major tensor", copy.runs,
                copy.run_bytes));
  }
  line(msg("source"), std::string(translated(tensor.info->source)));
  for (const std::string& text : advice(tensor)) line(msg("advice"), text);
}

}  // namespace

void add_describe_command(App& layout) {
  App* describe =
      layout.add_subcommand("describe", "Strides, size per NPU, waste and advice for a tensor");
  describe->footer(
      "Examples:\n"
      "  tensorlane layout describe --layout aligned --dtype fp32 --shape 2,3,4,5 --start-npu 63\n"
      "  tensorlane layout describe --layout matrix --shape 256,1000 --cols-per-channel 128\n"
      "  tensorlane layout describe --chip mace --layout CONV2D_FILTER --dtype fp16 --shape "
      "64,3,3,3\n");
  auto options = std::make_shared<LayoutOptions>();
  auto output = std::make_shared<LayoutOutput>();
  options->add_to(*describe);
  output->add_to(*describe, false);
  describe->callback([options, output] {
    const NamedLayout tensor = make_layout(options->spec());
    if (output->wants_text()) print_text(tensor);
    if (output->wants_json()) output->write_json(as_json(tensor));
  });
}

}  // namespace tensorlane::cli
