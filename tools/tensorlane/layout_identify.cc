// tensorlane layout identify: which named layout some strides are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "layout_facts.h"
#include "layout_options.h"
#include "layout_tensor_words.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/identify.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/notation.h"

namespace tensorlane::cli {
namespace {

// What the user knows: a tensor, some strides, perhaps the memory it is in.
struct Asked {
  LayoutSpec spec;                                   // without strides
  std::vector<std::optional<std::int64_t>> strides;  // none: not known
  std::optional<bool> local;
};

// A layout whose strides are those asked for, wherever some element is a stride from another.
struct Match {
  NamedLayout tensor;
  bool same_strides;  // else they differ where they mean nothing for this shape
  std::string call;   // of the interface, that gives them
};

struct Identified {
  std::vector<Match> matches;
  std::vector<NamedLayout> others;  // of the same memory, with other strides
};

using KnownStrides = std::vector<std::optional<std::int64_t>>;

bool are(const KnownStrides& known, const std::vector<std::int64_t>& strides) {
  if (known.size() != strides.size()) return false;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].value_or(strides[i]) != strides[i]) return false;
  }
  return true;
}

bool same_meaning(const NamedLayout& tensor, const KnownStrides& strides) {
  const std::vector<std::string> idle = idle_strides(tensor);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const bool differs = strides[i] && tensor.strides[i] != *strides[i];
    if (differs &&
        (idle.empty() ||
         std::ranges::find(idle, axis_name(tensor.axes[static_cast<int>(i)])) == idle.end()))
      return false;
  }
  return true;
}

// The tensor in this layout, where it has one by strides alone.
std::optional<NamedLayout> candidate(const LayoutInfo& info, const Asked& asked) {
  if (info.takes_strides && info.either_memory()) return std::nullopt;  // free: any are its own
  LayoutSpec named = asked.spec;
  named.system = info.system;
  named.layout = info.name;
  try {
    NamedLayout tensor = make_layout(named);
    if (tensor.strides.empty() || tensor.strides.size() != asked.strides.size())
      return std::nullopt;
    return tensor;
  } catch (const UserError&) {  // not of this rank, element type, start or offset
    return std::nullopt;
  }
}

// Numbers in other units, or along other axes, mean the layout only where they are all its own.
void consider(const LayoutInfo& info, const Asked& asked, bool local, Identified& found) {
  const std::optional<NamedLayout> tensor = candidate(info, asked);
  if (!tensor || tensor->is_local() != local) return;
  const bool same = are(asked.strides, tensor->strides);
  const bool plain = info.stride_unit == StrideUnit::kElement && info.axes == Axes("NCHW");
  if (same || (plain && same_meaning(*tensor, asked.strides))) {
    found.matches.push_back({*tensor, same, tensor->strides_call()});
  } else if (plain) {
    found.others.push_back(*tensor);
  }
}

// Words side by side without gaps, which `describe` prints beside those of the documents' example.
void consider_compact_words(const LayoutInfo& info, const Asked& asked, bool local,
                            Identified& found) {
  const std::optional<NamedLayout> tensor = candidate(info, asked);
  if (info.stride_unit != StrideUnit::kWord || !tensor || !tensor->is_local() || !local) return;
  const std::optional<Grouping> words = grouping_of(*tensor);
  if (!words) return;
  const std::vector<std::int64_t>& s = words->shape;
  const Stride4 compact =
      compact_stride(tensor->memory(), tensor->spec.start_npu, {s[0], s[1], s[2], s[3]});
  LayoutSpec spec = tensor->spec;
  spec.strides = {compact.n, compact.c, compact.h, compact.w};
  if (spec.strides == tensor->strides || !are(asked.strides, spec.strides)) return;
  found.matches.push_back(
      {make_layout(spec), true, "okk_compact_stride(&stride, start_npu, &new_shape)"});
}

// Axes in another order than the shape's (channels last): shape and strides in the layout's order.
void consider_in_order_of(const LayoutInfo& info, const Asked& asked, Identified& found) {
  constexpr Axes kGiven("NCHW");
  if (!info.row_major || info.axes == kGiven || !info.axes.permutes(kGiven) ||
      asked.spec.shape.size() != 4 || asked.strides.size() != 4)
    return;
  Asked turned = asked;
  turned.spec.shape = converted_shape(info.axes, kGiven, asked.spec.shape);
  turned.strides.clear();
  for (const int d : info.axes.places_in(kGiven))
    turned.strides.push_back(asked.strides[static_cast<std::size_t>(d)]);
  consider(info, turned, false, found);
}

// Of local memory first: without a wish, system memory counts where nothing there matches.
Identified identify(const Asked& asked) {
  Identified found;
  for (const bool local : {true, false}) {
    if (asked.local.value_or(local) != local) continue;
    for (const LayoutInfo& info : layouts_of(asked.spec.system)) {
      consider(info, asked, local, found);
      consider_compact_words(info, asked, local, found);
    }
    if (!local) {
      for (const LayoutInfo& info : layouts_of(System::kMace))
        consider_in_order_of(info, asked, found);
    }
    if (!found.matches.empty()) break;
  }
  return found;
}

// Strides that fit no layout are an error and no question.
void check_strides(const Asked& asked, const std::string& text) {
  const KnownStrides& strides = asked.strides;
  if (strides.size() != asked.spec.shape.size() && strides.size() != 4) {
    user_error("--strides [{}] has {} numbers, --shape [{}] {}", text, strides.size(),
               fmt::join(asked.spec.shape, ","), asked.spec.shape.size());
  }
  for (const std::optional<std::int64_t> stride : strides) {
    if (stride.value_or(0) < 0) user_error("--strides [{}]: {} is below 0", text, *stride);
  }
}

// "32,?,5,1": a question mark is a stride that is not known.
KnownStrides parse_known_strides(const std::string& text) {
  KnownStrides strides;
  std::string commas = text;
  std::ranges::replace(commas, 'x', ',');
  for (const std::string& word : split_text(commas, ',')) {
    if (word == "?") {
      strides.emplace_back();
    } else {
      strides.push_back(parse_integers("--strides", word).front());
    }
  }
  return strides;
}

Json as_json(const Match& one) {
  return {{"layout", one.tensor.info->name},
          {"chip", one.tensor.spec.owner_name()},
          {"axes", axis_names(one.tensor)},
          {"strides", one.tensor.strides},
          {"stride_unit", stride_unit_name(one.tensor.info->stride_unit)},
          {"same_strides", one.same_strides},
          {"strides_call", one.call}};
}

// "aligned", or "mace:NHWC" where another system is asked about.
std::string name_of(const NamedLayout& tensor, const Asked& asked) {
  if (tensor.spec.system == asked.spec.system) return std::string(tensor.info->name);
  return fmt::format("{}:{}", system_name(tensor.spec.system), tensor.info->name);
}

void print_match(const Match& one, const Asked& asked) {
  const NamedLayout& tensor = one.tensor;
  fmt::print("{}: {}\n", name_of(tensor, asked), tensor.info->summary_text());
  if (tensor.axes.size() == 4 && tensor.axes != Axes("NCHW"))
    fmt::print("  {}\n", tr("axes {} = ({})", fmt::join(axis_names(tensor), ", "),
                            fmt::join(tensor.spec.shape, ", ")));
  if (tensor.info->stride_unit != StrideUnit::kElement)
    fmt::print("  {}\n",
               tr("strides in {}", translated(stride_unit_name(tensor.info->stride_unit))));
  if (!one.same_strides)
    fmt::print("  {}\n",
               tr("its strides are {}; {} may be anything, no two elements are that far apart",
                  fmt::join(tensor.strides, ", "), fmt::join(idle_strides(tensor), ", ")));
  if (!one.call.empty()) fmt::print("  {}\n", one.call);
}

struct IdentifyCommand {
  LayoutOptions layout;
  LayoutOutput output;
  std::string dump, original;
};

// Systems of the layouts that a name is looked for in: the chip's and MACE's.
std::vector<System> systems_of(const LayoutSpec& spec) {
  std::vector<System> systems = {spec.system};
  if (spec.system != System::kMace) systems.push_back(System::kMace);
  return systems;
}

Json named_json(const NamedLayout& tensor) {
  return {{"layout", tensor.name()},
          {"chip", tensor.spec.owner_name()},
          {"axes", axis_names(tensor)},
          {"shape", tensor.spec.shape},
          {"strides", tensor.strides},
          {"start_npu", tensor.is_local() ? Json(tensor.spec.start_npu) : Json()},
          {"cols_per_channel",
           tensor.spec.cols_per_channel ? Json(*tensor.spec.cols_per_channel) : Json()},
          {"notation", notation(tensor)},
          {"strides_call", tensor.strides_call()}};
}

// Whole tensors, or what a dump holds.
NamedLayout tensor_of(const NamedLayout& tensor) {
  return tensor;
}
NamedLayout tensor_of(const DumpPlace& place) {
  return place.tensor;
}
Json found_json(const NamedLayout& tensor) {
  return named_json(tensor);
}
Json found_json(const DumpPlace& place) {
  Json json = named_json(place.tensor);
  json["begin"] = place.begin;
  if (place.npu_bytes > 0) json["npu_bytes"] = place.npu_bytes;
  return json;
}
std::string begin_text(const NamedLayout& /*tensor*/) {
  return {};
}
std::string begin_text(const DumpPlace& place) {
  if (place.npu_bytes > 0)
    return tr("from byte {} on of the {} of each NPU", place.begin, place.npu_bytes);
  return place.begin > 0 ? tr("from byte {} of the dump on", place.begin) : std::string();
}

template <class Found>
void show(const std::vector<Found>& found, const Asked& asked, const LayoutOutput& output,
          const std::string& none) {
  if (output.wants_json()) {
    Json list = Json::array();
    for (const Found& each : found) list.push_back(found_json(each));
    output.write_json(list);
  }
  if (!output.wants_text()) return;
  for (const Found& each : found) {
    const NamedLayout tensor = tensor_of(each);
    std::string name = name_of(tensor, asked);
    if (tensor.info->written) name = tensor.name();
    fmt::print("{}: {}\n", name, tensor.info->summary_text());
    fmt::print("  {}\n", notation(tensor));
    if (tensor.spec.cols_per_channel)
      fmt::print("  {}\n", tr("{} columns per channel", *tensor.spec.cols_per_channel));
    if (tensor.is_local() && tensor.spec.start_npu != 0)
      fmt::print("  {}\n", tr("from NPU {}", tensor.spec.start_npu));
    if (!tensor.strides_call().empty()) fmt::print("  {}\n", tensor.strides_call());
    if (const std::string begin = begin_text(each); !begin.empty()) fmt::print("  {}\n", begin);
  }
  if (found.empty()) fmt::print("{}\n", none);
}

// A layout by its places: any name or text.
void run_written(const IdentifyCommand& command, const Asked& asked) {
  const NamedLayout tensor = make_layout(command.layout.spec());
  show(names_of(tensor, systems_of(asked.spec)), asked, command.output,
       tr("none: no named layout puts the elements there"));
}

// A dump of a tensor whose contents are known.
void run_dump(const IdentifyCommand& command, const Asked& asked) {
  const Tensor original = read_tensor(command.original);
  const std::size_t rank = original.shape.size();
  if (rank == 0 || rank > Layout::kMaxDims)
    user_error("'{}' has {} dimensions; 1 to {} have axes", command.original, rank,
               Layout::kMaxDims);
  constexpr std::string_view kUsual[] = {"", "W", "RK", "CHW", "NCHW", "NCDHW"};
  const Axes axes = !command.layout.layout.empty() ? notation_axes(command.layout.layout)
                    : rank < std::size(kUsual)     ? Axes(kUsual[rank])
                                                   : Axes(std::string_view("ABCDEFGH", rank));
  if (axes.size() != std::ssize(original.shape)) {
    user_error("'{}' has {} dimensions, the axes {} are {}", command.original, rank, axes.text(),
               axes.size());
  }
  const NamedLayout plain =
      make_layout({.system = System::kMace,
                   .layout = notation(row_major_layout(original.shape, original.dtype), axes),
                   .dtype = original.dtype});
  std::vector<std::byte> bytes;
  if (file_format_of(command.dump) == FileFormat::kRaw) {
    const FileView file(command.dump);
    bytes.assign(file.bytes().begin(), file.bytes().end());
  } else {
    bytes = read_tensor(command.dump).data;
  }
  const std::vector<DumpPlace> found = layouts_of_bytes(
      plain, original.data, bytes,
      {.systems = systems_of(asked.spec), .memory = asked.spec.memory, .owner = asked.spec.owner});
  show(found, asked, command.output,
       tr("none: in no layout do these {} bytes hold the tensor; 'layout verify' says what differs "
          "from one",
          bytes.size()));
}

void run_strides(const IdentifyCommand& command, Asked& asked) {
  const LayoutOutput& output = command.output;
  asked.strides = parse_known_strides(command.layout.strides);
  if (!command.layout.memory.empty()) asked.local = command.layout.memory == "local";
  check_strides(asked, command.layout.strides);
  const auto& [matches, others] = identify(asked);
  if (output.wants_json()) {
    Json list = Json::array();
    for (const Match& one : matches) list.push_back(as_json(one));
    output.write_json(list);
  }
  if (!output.wants_text()) return;
  for (const Match& one : matches) print_match(one, asked);
  if (matches.empty()) {
    fmt::print("{}\n", tr("none: these strides have no name; operands that take strides take them "
                          "as they are"));
    for (const NamedLayout& other : others)
      fmt::print("  {}\n", tr("{:<12} has {}", other.info->name, fmt::join(other.strides, ", ")));
  }
}

void run(const IdentifyCommand& command) {
  const bool dump = !command.dump.empty(), strides = !command.layout.strides.empty();
  if (dump != !command.original.empty())
    user_error("--dump and --original: say both, the bytes and the tensor that they hold");
  const bool written = !dump && !strides && !command.layout.layout.empty();
  if (!dump && !strides && !written)
    user_error("say what is known: --strides, --layout, or --dump with --original");
  LayoutOptions options = command.layout;
  options.strides.clear();
  if (dump) options.shape = "1";
  if (strides || dump) options.layout = layout_names::kAligned;
  Asked asked{options.spec(), {}, {}};
  asked.spec.system_memory = false;
  if (dump) return run_dump(command, asked);
  if (written) return run_written(command, asked);
  run_strides(command, asked);
}

}  // namespace

void add_identify_command(App& layout) {
  App* identify = layout.add_subcommand(
      "identify", "Which layout has these strides, and which call gives them");
  identify->footer(
      "A layout is named where it puts every element of this shape where the strides do, even if "
      "a\n"
      "stride that means nothing for the shape is another. Several may: 4N and aligned can have "
      "the\n"
      "same numbers in other units.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 32,32,5,1\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 60,20,5,1\n"
      "  tensorlane layout identify --shape 6,5,4,5 --dtype int8 --strides 32,32,5,1\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 60,1,15,3\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 32,?,?,1\n"
      "  tensorlane layout identify --layout 'NCHW (2,3,4,5):(60,20,5,1)'\n"
      "  tensorlane layout identify --chip bm1684x --shape 1,64,28,28 --strides 896,896,32,1 "
      "--dtype fp16\n");
  auto command = std::make_shared<IdentifyCommand>();
  LayoutOptions* const options = &command->layout;
  identify->add_option("--chip", options->chip, "whose layouts")
      ->capture_default_str()
      ->offer(owner_words());
  identify->add_option("--dtype", options->dtype, "element type")
      ->capture_default_str()
      ->offer(dtype_words());
  identify->add_option("--shape", options->shape, "extents n,c,h,w, of others in their own order");
  identify->add_option(
      "--strides", options->strides,
      "as 'describe' prints them: in elements, of 4N and 2N in words, of 2IC in pairs; "
      "? where one is not known");
  identify->add_option(
      "--layout", options->layout,
      "instead of strides: the layout written out, or another name; with --dump the "
      "letters of the original's axes");
  identify->add_option("--dump", command->dump,
                       "bytes of a tensor whose contents are known, others before and behind it "
                       "too; of local memory as much of every NPU");
  identify->add_option("--original", command->original, "the file with those contents, row-major");
  identify->add_option("--cols-per-channel", options->cols_per_channel, "for matrix and vector");
  identify->add_option("--start-npu", options->start_npu, "NPU of the first channel")
      ->capture_default_str();
  identify->add_option("--memory", options->memory,
                       "local or system; without it the first in which they have a name");
  identify->add_option("--npus", options->npus, "another number of NPUs than the chip has");
  command->output.add_to(*identify, false);
  identify->callback([command] { run(*command); });
}

}  // namespace tensorlane::cli
