#include "tensorlane/draw/drawing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

constexpr double kTitleSize = 17, kHeadingSize = 11.5, kLegendSize = 11;
constexpr double kHeadingLine = 18, kLegendLine = 20;

// The text in lines that a page has room for.
std::vector<std::string> lines_of(std::string_view text, double size) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || text_width(longer, size) <= kPageWidth - 2 * kMargin) {
      lines.back() = std::move(longer);
    } else {
      lines.push_back(word);
    }
    begin = end + 1;
  }
  return lines;
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double em = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0xe0) {
      em += 1;  // the first byte of a Chinese character
    } else if (byte < 0x80) {
      em += c == ',' || c == '.' || c == ':' || c == ' ' || c == 'i' || c == 'l' ? 0.34 : 0.64;
    }
  }
  return em * size * (bold ? 1.1 : 1);
}

double fitting_size(std::string_view text, double room, double most) {
  return std::min(most, room / std::max(0.1, text_width(text, 1)));
}

std::string axes_text(const NamedLayout& tensor) {
  std::vector<std::string> names;
  for (const Axis axis : tensor.axes) names.push_back(axis_name(axis));
  return fmt::format("{}", fmt::join(names, ","));
}

Heading::Heading(const NamedLayout& tensor) {
  lines_.push_back(fmt::format("{} {}: {}, {} = {}", tensor.spec.owner_name(), tensor.name(),
                               dtype_name(tensor.spec.dtype), axes_text(tensor),
                               fmt::join(tensor.spec.shape, ",")));
  for (std::string& line : lines_of(translated(tensor.rule()), kHeadingSize))
    lines_.push_back(std::move(line));
  std::string more;
  if (tensor.is_local()) more = tr("start NPU {}", tensor.spec.start_npu);
  if (!tensor.strides.empty())
    more += (more.empty() ? std::string() : tr("; ")) +
            (tensor.strides.size() == static_cast<std::size_t>(tensor.axes.size())
                 ? tr("strides {} = {}", axes_text(tensor), fmt::join(tensor.strides, ","))
                 : tr("strides {}", fmt::join(tensor.strides, ",")));
  if (!more.empty()) lines_.push_back(more);
}

double Heading::height() const {
  return 38 + kHeadingLine * static_cast<double>(lines_.size() - 1);
}

void Heading::draw(SvgWriter& svg) const {
  svg.text(kMargin, 28, lines_.front(),
           {.size = fitting_size(lines_.front(), (kPageWidth - 2 * kMargin) / 1.1, kTitleSize),
            .bold = true});
  for (std::size_t k = 1; k < lines_.size(); ++k)
    svg.text(kMargin, 30 + kHeadingLine * static_cast<double>(k), lines_[k],
             {.size = kHeadingSize, .color = kQuiet});
}

void Legend::add(Sample sample, std::string text) {
  const double width = text_width(text, kLegendSize) + (sample == Sample::kNone ? 20 : 46);
  if (x_ > kMargin && x_ + width > kPageWidth - kMargin) {
    x_ = kMargin;
    ++line_;
  }
  entries_.push_back({sample, std::move(text), x_, line_});
  x_ += width;
}

double Legend::height() const {
  return kLegendLine * (line_ + 1) + 8;
}

void Legend::draw(SvgWriter& svg, double top) const {
  for (const Entry& entry : entries_) {
    const double x = entry.x, y = top + 14 + kLegendLine * entry.line;
    switch (entry.sample) {
      case Sample::kNone:
        break;
      case Sample::kHatched:
        svg.hatched(x, y - 10, 20, 12);
        break;
      case Sample::kGroup:
        svg.outline(x, y - 10, 20, 12, kGroupColor);
        break;
      case Sample::kWord:
        svg.outline(x, y - 10, 20, 12, kWordColor, 0.8);
        break;
      case Sample::kUnit:
        svg.line(x, y - 4, x + 20, y - 4, kUnitColor, 1.6);
        break;
      case Sample::kBank:
        svg.line(x, y - 4, x + 20, y - 4, kBankColor, 2.4);
        break;
      case Sample::kArrow:
        svg.route({{x, y - 4}, {x + 20, y - 4}}, "#1f5fbf");
        break;
    }
    svg.text(entry.sample == Sample::kNone ? x : x + 26, y, entry.text,
             {.size = kLegendSize, .color = "#444444"});
  }
}

}  // namespace tensorlane
