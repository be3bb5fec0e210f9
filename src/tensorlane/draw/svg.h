// A small writer for self-contained SVG files: no scripts, no fonts of its own, no links.
#ifndef TENSORLANE_DRAW_SVG_H_
#define TENSORLANE_DRAW_SVG_H_

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace tensorlane {

struct Color {
  int red, green, blue;
};
// Hue in degrees, saturation and lightness in percent.
Color hsl(double hue, double saturation, double lightness);
std::string hex(const Color& color);  // "#rrggbb"

// Replaces the characters that XML gives a meaning.
std::string escape_xml(std::string_view text);

enum class TextAnchor { kStart, kMiddle, kEnd };

struct SvgTextStyle {
  double size = 12;
  std::string_view color = "#222222";
  TextAnchor anchor = TextAnchor::kStart;
  bool bold = false;
  bool upwards = false;  // along the y axis, read from below
};

struct SvgBoxStyle {
  std::string fill = "#ffffff";
  std::string_view stroke = {};  // no outline
  double stroke_width = 0.6;
  std::string title = {};  // shown while the pointer rests on the box
  std::string data = {};   // value of the attribute data-at, for programs that read the file
  std::string_view attribute = "data-at";  // or another one
  std::string children = {};               // SVG inside of it: animations
};

struct SvgPoint {
  double x, y;
};

class SvgWriter {
 public:
  SvgWriter(double width, double height, std::string_view title);

  void box(double x, double y, double width, double height, const SvgBoxStyle& style);
  void dot(double x, double y, double radius, const SvgBoxStyle& style);
  // A box of diagonal lines: reserved, but without an element.
  void hatched(double x, double y, double width, double height, const std::string& title = {});
  // The edge of a box alone.
  void outline(double x, double y, double width, double height, std::string_view color,
               double stroke_width = 1.4);
  void text(double x, double y, std::string_view text, const SvgTextStyle& style = {});
  // What begins here has one title, shown while the pointer rests on any part of it.
  void begin_group(std::string_view title);
  void end_group();
  void line(double x1, double y1, double x2, double y2, std::string_view color, double width = 1);
  // Lines from point to point with an arrow's head at the last. `data` as in SvgBoxStyle.
  void route(std::span<const SvgPoint> points, std::string_view color,
             const std::string& data = {});
  void route(std::initializer_list<SvgPoint> points, std::string_view color,
             const std::string& data = {}) {
    route(std::span(points.begin(), points.size()), color, data);
  }

  // The finished file; call once, last.
  std::string finish();

 private:
  // What a box and a dot have in common, from the outline on.
  void finish_shape(std::string_view tag, const SvgBoxStyle& style);

  std::string out_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_SVG_H_
