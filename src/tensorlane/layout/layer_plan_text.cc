// A plan of a layer as constants of C and of Python: counts, addresses, and what every part needs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/layout/layer_plan.h"

namespace tensorlane {
namespace {

std::string identifier(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    text += word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : '_';
  }
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text = "T" + text;
  return text;
}

// Both languages have numbers by name and tables of pairs; they are spelt by whoever is asked.
class Writer {
 public:
  explicit Writer(bool python) : python_(python) {}

  void comment(const std::string& text) {
    text_ += python_ ? fmt::format("# {}\n", text) : fmt::format("/* {} */\n", text);
  }
  void number(const std::string& name, std::int64_t value, bool address = false) {
    const std::string spelt = address ? fmt::format("{:#x}", value) : fmt::format("{}", value);
    text_ += python_ ? fmt::format("{} = {}\n", name, spelt)
                     : fmt::format("#define {} {}\n", name, spelt);
  }
  void pairs(const std::string& name, const std::vector<std::array<std::int64_t, 2>>& rows) {
    std::vector<std::string> cells;
    for (const auto& row : rows)
      cells.push_back(python_ ? fmt::format("({}, {})", row[0], row[1])
                              : fmt::format("{{{}, {}}}", row[0], row[1]));
    const std::string list = fmt::format("{}", fmt::join(cells, ", "));
    text_ += python_
                 ? fmt::format("{} = [{}]\n", name, list)
                 : fmt::format("static const int {}[{}][2] = {{{}}};\n", name, rows.size(), list);
  }
  std::string text() const { return text_; }

 private:
  bool python_;
  std::string text_;
};

void write_tensor(Writer& out, const LayerPlan& plan, int tensor) {
  const auto at = static_cast<std::size_t>(tensor);
  const std::string name = identifier(plan.tensors[at].name);
  const NamedLayout made = make_layout(plan.tensors[at].spec);
  for (const LayerPlace& place : plan.places) {
    if (place.tensor != tensor) continue;
    const std::int64_t start = plan.tensors[at].spec.start_npu * plan.memory.npu_bytes;
    out.number(fmt::format("{}_ADDR_{}", name, place.buffer), place.offset + start, true);
  }
  const std::vector<std::int64_t> shape = plan.part_shape(tensor);
  for (int d = 0; d < made.axes.size(); ++d) {
    const char letter = axis_letter(made.axes[d]);
    out.number(fmt::format("{}_MOST_{}", name, letter), shape[static_cast<std::size_t>(d)]);
    const std::optional<int> cut = plan.cut_of(tensor, made.axes[d]);
    if (!cut) continue;
    std::vector<std::array<std::int64_t, 2>> spans;
    for (std::int64_t part = 0; part < plan.cuts[static_cast<std::size_t>(*cut)].parts; ++part) {
      const Span span = plan.span(tensor, made.axes[d], part);
      spans.push_back({span.first, span.count});
    }
    out.pairs(fmt::format("{}_{}", name, letter), spans);
  }
}

void write_padding(Writer& out, const LayerPlan& plan, int command) {
  const PlanCommand& c = plan.commands[static_cast<std::size_t>(command)];
  if (c.pad == Plane{0, 0}) return;
  for (const Axis axis : {Axis::kH, Axis::kW}) {
    std::vector<std::array<std::int64_t, 2>> rows;
    const LayerCut& cut = plan.cuts[axis == Axis::kH ? 1 : 2];
    for (std::int64_t part = 0; part < cut.parts; ++part)
      rows.push_back(plan.padding(command, axis, part));
    out.pairs(fmt::format("{}_PAD_{}", identifier(c.output), axis_letter(axis)), rows);
  }
}

std::string constants(const LayerPlan& plan, bool python) {
  Writer out(python);
  std::vector<std::string> cuts;
  for (const LayerCut& cut : plan.cuts)
    cuts.push_back(fmt::format("{} {}", cut.parts, axis_letter(cut.axis)));
  out.comment(tr("parts: {} = {}; outer loop: {}", plan.parts(), fmt::join(cuts, " x "),
                 plan.channels_first ? "C" : "N, H, W"));
  out.comment(tr("pairs: first index and count of every part; of padding: before and behind"));
  out.number("PARTS", plan.parts());
  for (const LayerCut& cut : plan.cuts)
    out.number(fmt::format("PARTS_{}", axis_letter(cut.axis)), cut.parts);
  for (std::size_t t = 0; t < plan.tensors.size(); ++t)
    write_tensor(out, plan, static_cast<int>(t));
  for (std::size_t i = 0; i < plan.commands.size(); ++i)
    write_padding(out, plan, static_cast<int>(i));
  return out.text();
}

}  // namespace

std::string layer_plan_c(const LayerPlan& plan) {
  return plan.fits ? constants(plan, false) : std::string();
}

std::string layer_plan_python(const LayerPlan& plan) {
  return plan.fits ? constants(plan, true) : std::string();
}

}  // namespace tensorlane
