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

// On a dark ground light and dark change places and hues stay.
constexpr std::string_view kInTheDark =
    "@media (prefers-color-scheme: dark) { "
    ".tensorlane { filter: invert(0.87) hue-rotate(180deg) } }";

SvgWriter::SvgWriter(double width, double height, std::string_view title) {
  append(
      out_,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tensorlane\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
      "<title>{2}</title>\n"
      "<style>{3}</style>\n"
      "<defs>\n"
      "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#f7f7f7\"/>"
      "<rect width=\"1.2\" height=\"6\" fill=\"#d4d4d4\"/></pattern>\n"
      "</defs>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      number(width), number(height), escape_xml(title), kInTheDark);
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
  if (!style.data.empty()) append(out_, " {}=\"{}\"", style.attribute, escape_xml(style.data));
  if (style.title.empty() && style.children.empty()) {
    out_ += "/>\n";
    return;
  }
  out_ += '>';
  if (!style.title.empty()) append(out_, "<title>{}</title>", escape_xml(style.title));
  append(out_, "{}</{}>\n", style.children, tag);
}

void SvgWriter::hatched(double x, double y, double width, double height, const std::string& title) {
  box(x, y, width, height, {.fill = "url(#hatch)", .stroke = "#d0d0d0", .title = title});
}

void SvgWriter::outline(double x, double y, double width, double height, std::string_view color,
                        double stroke_width) {
  append(out_,
         "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" "
         "stroke-width=\"{}\" pointer-events=\"none\"/>\n",
         number(x), number(y), number(width), number(height), color, number(stroke_width));
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

void SvgWriter::begin_group(std::string_view title) {
  append(out_, "<g><title>{}</title>\n", escape_xml(title));
}

void SvgWriter::end_group() {
  out_ += "</g>\n";
}

void SvgWriter::route(std::span<const SvgPoint> points, std::string_view color,
                      const std::string& data) {
  std::string path;
  for (const SvgPoint& point : points)
    append(path, "{}{} {}", path.empty() ? "M" : "L", number(point.x), number(point.y));
  append(out_, "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", path, color,
         data.empty() ? std::string() : fmt::format(" data-at=\"{}\"", escape_xml(data)));
  const SvgPoint end = points.back(), before = points[points.size() - 2];
  const double length = std::max(1e-9, std::hypot(end.x - before.x, end.y - before.y));
  constexpr double kHead = 6;
  const double x = (end.x - before.x) / length * kHead, y = (end.y - before.y) / length * kHead;
  append(out_, "<path d=\"M{} {}L{} {}L{} {}z\" fill=\"{}\"/>\n", number(end.x), number(end.y),
         number(end.x - x - y / 2), number(end.y - y + x / 2), number(end.x - x + y / 2),
         number(end.y - y - x / 2), color);
}

std::string SvgWriter::finish() {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace tensorlane
