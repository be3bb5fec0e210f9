#include "tensorlane/draw/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tensorlane {
namespace {

template <class... Args>
void append(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

// Coordinates with at most one decimal, without a trailing ".0".
std::string number(double value) {
  const double rounded = std::round(value * 10) / 10;
  return rounded == std::floor(rounded) ? fmt::format("{:.0f}", rounded)
                                        : fmt::format("{:.1f}", rounded);
}

}  // namespace

Color hsl(double hue, double saturation, double lightness) {
  const double l = lightness / 100, s = saturation / 100;
  const double a = s * std::min(l, 1 - l);
  const auto channel = [&](double n) {
    const double k = std::fmod(n + hue / 30, 12);
    return static_cast<int>(
        std::lround(255 * (l - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  return {channel(0), channel(8), channel(4)};
}

std::string hex(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

SvgWriter::SvgWriter(double width, double height, std::string_view title) {
  append(
      out_,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
      "<title>{2}</title>\n"
      "<defs>\n"
      "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#f4f4f4\"/>"
      "<rect width=\"1.2\" height=\"6\" fill=\"#c4c4c4\"/></pattern>\n"
      "<marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" "
      "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#333333\"/></marker>\n"
      "</defs>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      number(width), number(height), escape_xml(title));
}

void SvgWriter::box(double x, double y, double width, double height, const SvgBoxStyle& style) {
  append(out_, "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"", number(x),
         number(y), number(width), number(height), style.fill);
  finish_shape("rect", style);
}

void SvgWriter::dot(double x, double y, double radius, const SvgBoxStyle& style) {
  append(out_, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"", number(x), number(y),
         number(radius), style.fill);
  finish_shape("circle", style);
}

void SvgWriter::finish_shape(std::string_view tag, const SvgBoxStyle& style) {
  if (!style.stroke.empty()) {
    append(out_, " stroke=\"{}\" stroke-width=\"{}\"", style.stroke, number(style.stroke_width));
  }
  if (!style.data.empty()) append(out_, " data-at=\"{}\"", escape_xml(style.data));
  if (style.title.empty()) {
    out_ += "/>\n";
  } else {
    append(out_, "><title>{}</title></{}>\n", escape_xml(style.title), tag);
  }
}

void SvgWriter::hatched(double x, double y, double width, double height, const std::string& title) {
  box(x, y, width, height, {.fill = "url(#hatch)", .stroke = "#d0d0d0", .title = title});
}

void SvgWriter::outline(double x, double y, double width, double height, std::string_view color) {
  append(out_,
         "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" "
         "stroke-width=\"1.4\" pointer-events=\"none\"/>\n",
         number(x), number(y), number(width), number(height), color);
}

void SvgWriter::text(double x, double y, std::string_view text, const SvgTextStyle& style) {
  constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  append(out_, "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", number(x), number(y),
         number(style.size), style.color);
  if (style.anchor != TextAnchor::kStart) {
    append(out_, " text-anchor=\"{}\"", kAnchors[static_cast<int>(style.anchor)]);
  }
  if (style.bold) out_ += " font-weight=\"bold\"";
  if (style.upwards) append(out_, " transform=\"rotate(-90 {} {})\"", number(x), number(y));
  append(out_, " pointer-events=\"none\">{}</text>\n", escape_xml(text));
}

void SvgWriter::line(double x1, double y1, double x2, double y2, std::string_view color,
                     double width) {
  append(out_, "<path d=\"M{} {}L{} {}\" stroke=\"{}\" stroke-width=\"{}\"/>\n", number(x1),
         number(y1), number(x2), number(y2), color, number(width));
}

void SvgWriter::arrow(double x1, double y1, double x2, double y2, std::string_view color,
                      std::string_view label, const std::string& data) {
  // Bent to the left of its direction, so that arrows there and back stay apart.
  const double dx = x2 - x1, dy = y2 - y1, length = std::max(1.0, std::hypot(dx, dy));
  const double bend = std::min(26.0, 8 + length / 8);
  const double mx = (x1 + x2) / 2 + dy / length * bend, my = (y1 + y2) / 2 - dx / length * bend;
  append(out_,
         "<path d=\"M{} {}Q{} {} {} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" "
         "marker-end=\"url(#head)\"{}/>\n",
         number(x1), number(y1), number(mx), number(my), number(x2), number(y2), color,
         data.empty() ? std::string() : fmt::format(" data-at=\"{}\"", escape_xml(data)));
  if (label.empty()) return;
  const double lx = (x1 + 2 * mx + x2) / 4, ly = (y1 + 2 * my + y2) / 4;
  const double width = 6.6 * static_cast<double>(label.size()) + 6;
  append(out_,
         "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\" rx=\"3\" fill=\"#ffffff\" "
         "stroke=\"{}\" stroke-width=\"0.8\"/>\n",
         number(lx - width / 2), number(ly - 7), number(width), color);
  text(lx, ly + 4, label,
       {.size = 10, .color = color, .anchor = TextAnchor::kMiddle, .bold = true});
}

std::string SvgWriter::finish() {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace tensorlane
