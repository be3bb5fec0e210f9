#include "tensorlane/observe/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tensorlane/device/source_location.h"
#include "tensorlane/draw/svg.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/local_map.h"
#include "tensorlane/observe/report_page_style.h"

namespace tensorlane::observe {
namespace {

constexpr double kWidth = 10000;  // of a chart, in its own units
constexpr double kThinnest = 1;   // of a box; boxes closer than this are drawn as one
constexpr double kRow = 26;       // height of an engine's row

std::string at_line(const void* call_site) {
  return escape_xml(find_source_location(call_site).text());
}

// Boxes of one row, from left to right. Neighbours that the eye cannot tell apart become one.
class Row {
 public:
  struct Box {
    double start_us, end_us;
    double busy_us;
    int count;
    std::string title;
  };
  explicit Row(double kernel_us) : us_per_unit_(kernel_us > 0 ? kernel_us / kWidth : 1) {}

  void add(double start_us, double end_us, const std::string& what, const void* call_site) {
    if (!boxes_.empty() && end_us - boxes_.back().start_us < kThinnest * us_per_unit_) {
      Box& last = boxes_.back();
      last.end_us = std::max(last.end_us, end_us);
      last.busy_us += end_us - start_us;
      ++last.count;
      return;
    }
    boxes_.push_back({start_us, end_us, end_us - start_us, 1,
                      fmt::format("{}, {}", escape_xml(what), at_line(call_site))});
  }
  std::string svg(std::string_view style, std::string_view engine, double y) const {
    std::string out;
    for (const Box& box : boxes_) {
      const std::string what =
          box.count == 1 ? box.title : fmt::format("{} commands, first {}", box.count, box.title);
      out += fmt::format(
          "<rect class=\"{}\" data-engine=\"{}\" data-us=\"{:.6f}\" x=\"{:.3f}\" y=\"{}\" "
          "width=\"{:.3f}\" height=\"{}\"><title>{}: {:.2f} us, from {:.2f} to {:.2f} "
          "us</title></rect>\n",
          style, engine, box.busy_us, box.start_us / us_per_unit_, y,
          (box.end_us - box.start_us) / us_per_unit_, kRow - 4, what, box.busy_us, box.start_us,
          box.end_us);
    }
    return out;
  }

 private:
  double us_per_unit_;
  std::vector<Box> boxes_;
};

// A chart of `height` units, with the names of its rows beside it.
std::string chart(std::string_view labels, double height, double pixels, const std::string& boxes) {
  return fmt::format(
      "<div class=\"chart\"><div class=\"labels\">{}</div><svg viewBox=\"0 0 {:.0f} {:.0f}\" "
      "preserveAspectRatio=\"none\" style=\"height:{:.0f}px\">\n{}</svg></div>\n",
      labels, kWidth, height, pixels, boxes);
}

std::string engines_chart(const Timeline& timeline) {
  Row issue(timeline.kernel_us), gdma(timeline.kernel_us), bdc(timeline.kernel_us),
      hau(timeline.kernel_us);
  bool sorts = false;
  for (const TimedCommand& command : timeline.commands) {
    const std::string name(command.op->name());
    issue.add(command.slot.issued - command.time.issue_us, command.slot.issued, "issue of " + name,
              command.call_site);
    const Engine engine = command.op->engine();
    sorts = sorts || engine == Engine::kHau;
    (engine == Engine::kGdma  ? gdma
     : engine == Engine::kHau ? hau
                              : bdc)
        .add(command.slot.start, command.slot.end, name, command.call_site);
  }
  std::string labels = "<span>issue</span><span>GDMA</span><span>BDC</span>";
  std::string boxes = issue.svg("issue", "issue", 2) + gdma.svg("gdma", "GDMA", kRow + 2) +
                      bdc.svg("bdc", "BDC", 2 * kRow + 2);
  if (sorts) {
    labels += "<span>HAU</span>";
    boxes += hau.svg("hau", "HAU", 3 * kRow + 2);
  }
  const double height = (sorts ? 4 : 3) * kRow;
  return chart(labels, height, height, boxes);
}

std::string memory_chart(const Timeline& timeline) {
  const LocalMemory& local = timeline.launch.chip->local;
  const int banks = timeline.launch.chip->banks_per_npu;
  const double units_per_us = timeline.kernel_us > 0 ? kWidth / timeline.kernel_us : 1;
  std::string boxes;
  for (int bank = 1; bank < banks; ++bank) {
    const std::int64_t y = local.npu_bytes / banks * bank;
    boxes += fmt::format("<path class=\"bank\" d=\"M0 {}H{:.0f}\"/>\n", y, kWidth);
  }
  // Blocks of the same bytes that follow each other within a line's width are one box.
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> latest;
  struct Box {
    LocalBlock block;
    double end_us;
    int count;
  };
  std::vector<Box> shown;
  for (const LocalBlock& block : local_map(timeline)) {
    const auto [at, inserted] = latest.emplace(std::pair(block.begin, block.end), shown.size());
    if (!inserted) {
      Box& before = shown[at->second];
      if ((block.end_us - before.block.start_us) * units_per_us < kThinnest) {
        before.end_us = block.end_us;
        ++before.count;
        continue;
      }
      at->second = shown.size();
    }
    shown.push_back({block, block.end_us, 1});
  }
  for (const Box& box : shown) {
    const LocalBlock& block = box.block;
    const TimedCommand* const writer = block.writer ? &timeline.commands[*block.writer] : nullptr;
    const std::string who =
        writer == nullptr
            ? "not written in this launch"
            : fmt::format("{}, {}", escape_xml(writer->op->name()), at_line(writer->call_site));
    const std::string reader =
        block.last_reader ? fmt::format("; last read at {}",
                                        at_line(timeline.commands[*block.last_reader].call_site))
                          : std::string("; never read");
    boxes += fmt::format(
        "<rect class=\"{}\" data-bytes=\"{}\"{} x=\"{:.3f}\" y=\"{}\" width=\"{:.3f}\" "
        "height=\"{}\"><title>{:#07x} to {:#07x}, {} bytes: {}{}; {:.2f} to {:.2f} us{}"
        "</title></rect>\n",
        writer == nullptr                       ? "old"
        : writer->op->engine() == Engine::kGdma ? "gdma"
        : writer->op->engine() == Engine::kHau  ? "hau"
                                                : "bdc",
        block.bytes(),
        block.writer ? fmt::format(" data-command=\"{}\"", *block.writer) : std::string(),
        block.start_us * units_per_us, block.begin, (box.end_us - block.start_us) * units_per_us,
        block.bytes(), block.begin, block.end, block.bytes(), who, reader, block.start_us,
        box.end_us, box.count == 1 ? "" : fmt::format("; {} times", box.count));
  }
  return chart(
      fmt::format("<span>0</span><span class=\"low\">{} KiB</span>", local.npu_bytes / 1024),
      static_cast<double>(local.npu_bytes), 260, boxes);
}

// What the script shows of a block that is clicked: its writer, who wrote what that read, and so
// on. "labels" are calls with their lines, "commands" lists with the number of a label and those of
// the commands it read from.
std::string chains(const Timeline& timeline) {
  const std::vector<std::vector<std::size_t>> sources = local_sources(timeline);
  std::map<std::pair<const Op*, const void*>, std::size_t> numbers;
  Json labels = Json::array(), commands = Json::array();
  for (std::size_t k = 0; k < timeline.commands.size(); ++k) {
    const TimedCommand& command = timeline.commands[k];
    const auto [at, added] = numbers.try_emplace({command.op, command.call_site}, labels.size());
    if (added) {
      labels.push_back(fmt::format("{}, {}", command.op->name(),
                                   find_source_location(command.call_site).text()));
    }
    std::vector<std::size_t> row{at->second};
    row.insert(row.end(), sources[k].begin(), sources[k].end());
    commands.push_back(row);
  }
  std::string text = Json{{"labels", labels}, {"commands", commands}}.dump();
  // A name of C++ may hold what ends a script.
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return "<script type=\"application/json\" class=\"chains\">" + text +
         "</script>\n<div class=\"chain\"></div>\n";
}

std::string figures(const Timeline& timeline) {
  const TimeSummary summary = summarise(timeline);
  const double mhz = timeline.parameters->clock_mhz;
  std::string rows;
  const auto row = [&](std::string_view name, const std::string& value) {
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, value);
  };
  const auto share = [&](double us) {
    return fmt::format("{:.1f} us, {:.1f} %", us,
                       summary.kernel_us > 0 ? 100 * us / summary.kernel_us : 0);
  };
  row("modelled time", fmt::format("{:.1f} us = {:.0f} cycles at {:.0f} MHz", summary.kernel_us,
                                   summary.kernel_us * mhz, mhz));
  row("launch", std::string(launch_mode_text(timeline.parameters->mode)));
  if (summary.kernel_high_us > summary.kernel_us) {
    row("with the issue, unknown here",
        fmt::format("{:.1f} to {:.1f} us", summary.kernel_us, summary.kernel_high_us));
  }
  row("as a host measures it",
      summary.host_high_us > summary.host_us
          ? fmt::format("{:.1f} to {:.1f} us", summary.host_us, summary.host_high_us)
          : fmt::format("{:.1f} us", summary.host_us));
  row("GDMA busy", share(summary.gdma_busy_us));
  row("BDC busy", share(summary.bdc_busy_us));
  if (summary.hau_busy_us > 0) row("HAU busy", share(summary.hau_busy_us));
  row("overlap", share(summary.overlap_us));
  row("issuing", share(summary.issue_us));
  row("waiting for issue", share(summary.issue_wait_us));
  row("bound by", std::string(bound_by(summary)));
  row("could be won",
      fmt::format("{:.1f} us of NPUs idle for want of C, {:.1f} us of units idle for want of h*w, "
                  "{:.1f} us of starts",
                  summary.idle_npus_us, summary.idle_units_us, summary.start_us));
  if (summary.operations_per_byte > 0) {
    row("roofline", fmt::format("{:.3g} operations per byte of DDR, {:.3g} would balance both",
                                summary.operations_per_byte, summary.balanced_operations_per_byte));
  }
  row("EU utilisation", fmt::format("{:.1f} %", 100 * summary.eu_utilisation));
  const auto direction = [&](std::string_view name, const TimeSummary::Direction& moved) {
    if (moved.bytes == 0) return;
    row(name, fmt::format("{} bytes at {:.2f} GB/s", moved.bytes,
                          static_cast<double>(moved.bytes) / (moved.busy_us * 1e3)));
  };
  direction("DDR to local", summary.read);
  direction("local to DDR", summary.write);
  direction("DDR to DDR", summary.inside_system);
  direction("inside local", summary.inside_local);
  return "<table class=\"figures\">\n" + rows + "</table>\n";
}

std::string why(const Timeline& timeline) {
  std::string items;
  for (const Reason& reason : reasons(timeline)) {
    items += fmt::format("<li>{}: {:.1f} us{}<br/><em>{}</em></li>\n", escape_xml(reason.what),
                         items.empty() ? reason.busy_us : reason.lost_us,
                         reason.call_site == nullptr
                             ? ""
                             : fmt::format(", most at <code>{}</code>", at_line(reason.call_site)),
                         escape_xml(reason.help));
  }
  return items.empty() ? "" : "<h3>Why</h3>\n<ol>\n" + items + "</ol>\n";
}

std::string lines_table(const Timeline& timeline) {
  std::string rows;
  for (const LineTime& line : time_by_line(timeline)) {
    rows += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</td><td>{:.1f}"
        "</td><td>{}</td><td>{}</td></tr>\n",
        at_line(line.call_site), line.op->name(), engine_name(line.op->engine()), line.calls,
        line.busy_us, line.issue_us, line.bytes, roofline_text(line));
  }
  return "<h3>Source lines</h3>\n<table><tr><th>line</th><th>call</th><th>engine</th><th>calls"
         "</th><th>busy us</th><th>issue us</th><th>bytes moved</th><th>roofline</th></tr>\n" +
         rows + "</table>\n";
}

std::string section(const Timeline& timeline) {
  const std::uint64_t commands = timeline.totals.commands;
  const std::string drawn = timeline.commands.size() < commands
                                ? fmt::format("<p>The first {} of {} commands are drawn.</p>\n",
                                              timeline.commands.size(), commands)
                                : std::string();
  return fmt::format(
      "<section id=\"launch{0}\">\n<h2>{1}, launch {0}</h2>\n{2}{3}<h3>Timeline and local memory "
      "of an NPU</h3>\n{8}<div class=\"view\" data-us=\"{4:.6f}\">\n{5}{6}<p class=\"axis\">0 to "
      "{4:.1f} us</p>\n{9}</div>\n{7}</section>\n",
      timeline.launch.number, escape_xml(timeline.launch.kernel), figures(timeline), why(timeline),
      timeline.kernel_us, engines_chart(timeline), memory_chart(timeline), lines_table(timeline),
      drawn, chains(timeline));
}

}  // namespace

void ReportPage::add(const Timeline& timeline) {
  ++launches_;
  chip_ = timeline.launch.chip;
  parameters_ = timeline.parameters;
  Line line{timeline.launch.kernel,
            timeline.launch.number,
            1,
            timeline.totals.commands,
            timeline.kernel_us,
            host_time_us(timeline.kernel_us, *timeline.parameters)};
  if (lines_.size() < kMostLines) {
    lines_.push_back(std::move(line));
  } else if (const auto [at, first] = others_.try_emplace(line.kernel, line); !first) {
    Line& all = at->second;
    ++all.launches;
    all.commands += line.commands;
    all.kernel_us += line.kernel_us;
    all.host_us += line.host_us;
  }
  if (charted_.size() == kMostCharts) {
    auto shortest = charted_.begin();  // of equal ones the last
    for (auto at = charted_.begin(); at != charted_.end(); ++at) {
      if (at->kernel_us <= shortest->kernel_us) shortest = at;
    }
    if (timeline.kernel_us <= shortest->kernel_us) return;
    charted_.erase(shortest);
  }
  charted_.push_back(timeline);
}

bool ReportPage::is_charted(std::uint64_t launch) const {
  return std::ranges::any_of(
      charted_, [&](const Timeline& timeline) { return timeline.launch.number == launch; });
}

std::string ReportPage::table() const {
  std::string rows;
  const auto row = [&](const std::string& launch, const std::string& kernel, const Line& line) {
    rows +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</td><td>{:.1f}</td></tr>\n",
                    launch, kernel, line.commands, line.kernel_us, line.host_us);
  };
  for (const Line& line : lines_) {
    const std::string kernel = escape_xml(line.kernel);
    row(std::to_string(line.number),
        is_charted(line.number) ? fmt::format("<a href=\"#launch{}\">{}</a>", line.number, kernel)
                                : kernel,
        line);
  }
  for (const auto& [kernel, line] : others_)
    row(fmt::format("{} more", line.launches), escape_xml(kernel), line);
  return rows;
}

std::string ReportPage::text() const {
  std::string sections;
  for (const Timeline& timeline : charted_) sections += section(timeline);
  std::string chip = "no launch", note;
  if (chip_ != nullptr) {
    chip = escape_xml(chip_->full_name);
    note = calibration_note(*parameters_);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<title>TensorLane: {0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
      "<p>Times are modelled, not measured{2}. {3}Wheel: zoom. Drag: move. Double click: "
      "everything. Click on a block of local memory: where it came "
      "from.</p>\n<table><tr><th>launch</th><th>kernel</th><th>commands</th><th>modelled us"
      "</th><th>as a host measures it, us</th></tr>\n{4}</table>\n{5}<script>{6}</script>\n"
      "</body>\n</html>\n",
      chip, kPageStyle, note.empty() ? "" : "; <strong>" + note + "</strong>",
      launches_ > kMostCharts ? fmt::format("The {} longest launches have charts. ", kMostCharts)
                              : std::string(),
      table(), sections, kPageScript);
}

std::string report_page(const std::vector<Timeline>& launches) {
  ReportPage page;
  for (const Timeline& timeline : launches) page.add(timeline);
  return page.text();
}

}  // namespace tensorlane::observe
