#include "tensorlane/observe/finding_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/draw/svg.h"

namespace tensorlane::observe {
namespace {

constexpr double kMargin = 24, kLineHeight = 18, kSize = 12;
constexpr double kMemoryHeight = 190, kMemoryWidth = 256;
constexpr std::string_view kRed = "#c62828", kGrey = "#5f6b7a", kInk = "#1f2933";
struct Sizes {
  double width, text_width;
};
constexpr Sizes sizes_of(PictureForm form) {
  return form == PictureForm::kWide ? Sizes{900, 560} : Sizes{400, 352};
}

// The first place, where the finding is reported, and the others.
constexpr std::string_view kPlaceColors[] = {"#1565c0", "#b45309"};

// The lines of a text: cut behind a blank, or before a character that is no ASCII, as Chinese is
// everywhere; a word longer than a line stands out.
std::vector<std::string> wrapped(std::string_view text, double width, double size) {
  std::vector<std::string> lines;
  double used = 0;
  std::size_t begin = 0, cut = 0;
  double behind_cut = 0;  // the width from there on
  for (std::size_t at = 0, next; at < text.size(); at = next) {
    next = at + 1;
    while (next < text.size() && (text[next] & 0xc0) == 0x80) ++next;
    const bool ascii = next == at + 1;
    const double wide = size * (ascii ? 0.62 : 1.0);
    if ((ascii ? at > 0 && text[at - 1] == ' ' : true) && at > begin) cut = at, behind_cut = 0;
    if (used + wide > width && cut > begin) {
      lines.emplace_back(text.substr(begin, cut - begin));
      begin = cut;
      used = behind_cut;
    }
    used += wide;
    behind_cut += wide;
  }
  lines.emplace_back(text.substr(begin));
  return lines;
}

// Draws downwards; what it draws is drawn twice, first for its height.
class Column {
 public:
  Column(SvgWriter* svg, double top, double width) : svg_(svg), y_(top), width_(width) {}

  void text(std::string_view text, const SvgTextStyle& style, double indent = 0) {
    for (const std::string& line : wrapped(text, width_ - indent, style.size)) {
      y_ += kLineHeight * style.size / kSize;
      if (svg_ != nullptr) svg_->text(kMargin + indent, y_, line, style);
    }
  }
  void place(const Json& place, std::string_view color) {
    y_ += kLineHeight * 0.6;
    const double top = y_ + 3;
    text(fmt::format("{} {}", translated(place["role"].text()), place["place"].text()),
         {.size = kSize, .color = color, .bold = true}, 12);
    const std::string source = place["source"].text();
    if (!source.empty()) text(source, {.size = kSize, .color = kInk}, 12);
    if (svg_ != nullptr) {
      svg_->box(kMargin, top, 4, y_ + 5 - top, {.fill = std::string(color)});
    }
  }
  void gap() { y_ += kLineHeight * 0.6; }
  double bottom() const { return y_; }

 private:
  SvgWriter* svg_;
  double y_, width_;
};

// "missing  nothing orders them" of a report: blanks part a label from its text there, and are one
// blank in a picture.
std::string labelled(std::string text) {
  const std::size_t blanks = text.find("  ");
  if (blanks == std::string::npos) return text;
  const std::size_t begin = text.find_first_not_of(' ', blanks);
  if (begin == std::string::npos) return text;
  const std::string_view sign = translated(msg(": "));
  return text.replace(blanks, begin - blanks, sign);
}

double draw_text(SvgWriter* svg, const Json& finding, double width) {
  Column column(svg, kMargin - 8, width);
  column.text(fmt::format("{} {}", translated(finding["severity"].text()), finding["id"].text()),
              {.size = 15, .color = kRed, .bold = true});
  column.text(finding["message"].text(), {.size = 13, .color = kInk});
  std::size_t number = 0;
  for (const Json& place : finding["locations"]) {
    column.place(place, kPlaceColors[number++ == 0 ? 0 : 1]);
  }
  column.gap();
  for (const Json& note : finding["notes"])
    column.text(labelled(note.text()), {.size = 11, .color = kGrey});
  column.gap();
  column.text(labelled(fmt::format("{}  {}", translated("repair"), finding["repair"].text())),
              {.size = kSize, .color = "#2e7d32", .bold = true});
  return column.bottom();
}

struct Region {
  std::string memory;
  std::int64_t npu, npus, begin, end;
};

std::vector<Region> regions_of(const Json& finding) {
  std::vector<Region> regions;
  for (const Json& each : finding["regions"]) {
    const auto number = [&](const char* name) { return each[name].get<std::int64_t>(); };
    regions.push_back(
        {each["memory"].text(), number("npu"), number("npus"), number("begin"), number("end")});
  }
  return regions;
}

// Bytes of the memory of the first region: what lies around them, and they in red.
void draw_memory(SvgWriter& svg, const std::vector<Region>& regions, double left, double heading) {
  const Region& named = regions.front();
  const bool local = named.npus > 0;
  std::int64_t begin = named.begin, end = named.end, npus = 1;
  for (const Region& each : regions) {
    if (each.memory != named.memory) continue;
    begin = std::min(begin, each.begin);
    end = std::max(end, each.end);
    npus = std::max(npus, each.npu + each.npus);
  }
  // As many bytes again, so that the part can be told from the whole; never before the memory.
  const std::int64_t around = std::max<std::int64_t>(end - begin, 1);
  const std::int64_t first = std::max<std::int64_t>(0, begin - around / 2);
  const std::int64_t last = std::max(end + around / 2, first + 2 * around);
  // At least a chip's lanes, which is what a reader knows.
  const std::int64_t columns = local ? std::max<std::int64_t>(npus, 64) : 1;
  const double top = heading + 40;
  const double column_width = kMemoryWidth / static_cast<double>(columns);
  const auto y_of = [&](std::int64_t offset) {
    return top +
           kMemoryHeight * static_cast<double>(offset - first) / static_cast<double>(last - first);
  };
  svg.text(left, heading + 8, translated(named.memory), {.size = 13, .color = kInk, .bold = true});
  for (std::int64_t k = 0; k < columns; ++k) {
    svg.box(left + static_cast<double>(k) * column_width, top, column_width, kMemoryHeight,
            {.fill = "#f1f5f9", .stroke = "#cbd5e1", .stroke_width = 0.4});
  }
  for (const Region& each : regions) {
    if (each.memory != named.memory) continue;
    const double x = left + static_cast<double>(each.npu) * column_width;
    const double width = column_width * static_cast<double>(local ? each.npus : 1);
    svg.box(x, y_of(each.begin), width, std::max(2.0, y_of(each.end) - y_of(each.begin)),
            {.fill = "#ef9a9a", .stroke = kRed, .stroke_width = 1});
  }
  if (local) {
    svg.text(left, top - 6, "NPU 0", {.size = 11, .color = kGrey});
    svg.text(left + kMemoryWidth, top - 6, fmt::format("NPU {}", columns - 1),
             {.size = 11, .color = kGrey, .anchor = TextAnchor::kEnd});
  }
  for (const std::int64_t offset : {begin, end}) {
    svg.text(left - 6, y_of(offset) + 4, fmt::format("{:#x}", offset),
             {.size = 11, .color = kRed, .anchor = TextAnchor::kEnd});
  }
}

}  // namespace

std::string finding_picture(const Json& finding, PictureForm form) {
  if (!finding.is_object() || !finding.contains("id") || !finding.contains("locations"))
    user_error(
        "a finding is an object with the members 'id' and 'locations', as in the "
        "'findings' that --json writes");
  const std::vector<Region> regions = regions_of(finding);
  const auto [width, text_width] = sizes_of(form);
  const double text = draw_text(nullptr, finding, text_width);
  const double heading = form == PictureForm::kWide ? kMargin : text + kMargin;
  const double memory = regions.empty() ? 0 : heading + 40 + kMemoryHeight;
  const double height = std::max(text, memory) + kMargin;
  SvgWriter svg(width, height, finding["message"].text());
  svg.outline(0.5, 0.5, width - 1, height - 1, "#cbd5e1", 1);
  draw_text(&svg, finding, text_width);
  if (!regions.empty()) draw_memory(svg, regions, width - kMargin - kMemoryWidth, heading);
  return svg.finish();
}

const Json& finding_of_report(const Json& report, std::size_t number, const std::string& name) {
  if (!report.is_object() || !report.contains("findings"))
    user_error(
        "'{}' is no report of the checker: it has no member 'findings'; 'tensorlane run "
        "--json=FILE' writes one",
        name);
  const Json& findings = report["findings"];
  if (findings.empty()) user_error("--finding {}: '{}' has no findings", number, name);
  if (number >= findings.size())
    user_error("--finding {}: '{}' has findings 0 to {}", number, name, findings.size() - 1);
  return findings[number];
}

}  // namespace tensorlane::observe
