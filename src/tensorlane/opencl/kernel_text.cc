#include "tensorlane/opencl/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tensorlane/base/error.h"

namespace tensorlane::opencl {
namespace {

// The terms of a sum; "0" when there are none.
using Terms = std::vector<std::string>;

std::string sum(const Terms& terms) {
  return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
}

void add_term(Terms& terms, const std::string& value, std::int64_t factor) {
  if (factor == 0) return;
  terms.push_back(factor == 1 ? value : fmt::format("{} * {}", value, factor));
}

}  // namespace

std::string pixel_functions(std::string_view name, const NamedLayout& image) {
  if (!image.is_image()) user_error("layout {} is a buffer and has no pixels", image.info->name);
  const Layout& layout = image.layout;
  const std::int64_t unit = layout.element_units(), width = layout.image_width();
  Terms x, y, lane, parameters;
  for (int d = 0; d < layout.rank(); ++d) {
    const std::string index = axis_name(image.axes[d]);
    parameters.push_back("const int " + index);
    std::int64_t weight = 1;
    const auto digits = layout.digits(d);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      std::string value = weight == 1 ? index : fmt::format("{} / {}", index, weight);
      if (i + 1 < digits.size()) value += fmt::format(" % {}", digits[i].extent);
      weight *= digits[i].extent;
      if (digits[i].stride < 4 * unit) {
        add_term(lane, value, digits[i].stride / unit);
      } else {
        add_term(x, value, digits[i].stride / (4 * unit) % width);
        add_term(y, value, digits[i].stride / (4 * unit) / width);
      }
    }
  }
  const std::string list = fmt::format("{}", fmt::join(parameters, ", "));
  return fmt::format(
      "int2 {0}_pixel({1}) {{\n  return (int2)({2}, {3});\n}}\n"
      "int {0}_lane({1}) {{\n  return {4};\n}}\n",
      name, list, sum(x), sum(y), sum(lane));
}

}  // namespace tensorlane::opencl
