// Local memory with the buffers of a plan: one NPU from left to right, since all of them have the
// same offsets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/draw.h"
#include "tensorlane/draw/svg.h"
#include "tensorlane/layout/plan.h"

namespace tensorlane {
namespace {

constexpr double kPlanWidth = 860, kPlanMargin = 20, kPlanTop = 84, kPlanBar = 64;

std::string state_text(const LocalPlan& plan) {
  if (plan.tile && plan.parts == 1) return tr("all of it at once");
  return plan.tile ? tr("one part") : tr("does not fit");
}

}  // namespace

std::string draw_plan_svg(const LocalPlan& plan) {
  const double scale = (kPlanWidth - 2 * kPlanMargin) / static_cast<double>(plan.memory.npu_bytes);
  const auto x_of = [&](std::int64_t offset) {
    return kPlanMargin + static_cast<double>(offset) * scale;
  };
  const auto rows = static_cast<double>(plan.places.size());
  const std::string title = tr("Local memory of every NPU");
  SvgWriter svg(kPlanWidth, kPlanTop + kPlanBar + 44 + rows * 20 + kPlanMargin, title);
  svg.text(kPlanMargin, 30, title, {.size = 17, .bold = true});
  svg.text(
      kPlanMargin, 50,
      tr("{} bytes, banks of {}; {}", plan.memory.npu_bytes, plan.bank_bytes, state_text(plan)),
      {.size = 12, .color = "#555555"});
  svg.box(x_of(0), kPlanTop, static_cast<double>(plan.memory.npu_bytes) * scale, kPlanBar,
          {.fill = "#f4f4f4", .stroke = "#888888"});
  double y = kPlanTop + kPlanBar + 44;
  for (const PlanPlace& place : plan.places) {
    const PlanTensor& tensor = plan.tensors[static_cast<std::size_t>(place.tensor)];
    std::string name = tensor.name;
    if (tensor.buffers > 1) name += fmt::format("[{}]", place.buffer);
    const std::string color =
        hex(hsl(47 + 137.5 * place.tensor, 55, place.buffer % 2 == 0 ? 68 : 80));
    const double x = x_of(place.offset), width = static_cast<double>(place.bytes) * scale;
    const std::string where =
        tr("{:#x} to {:#x}, {} bytes", place.offset, place.offset + place.bytes - 1, place.bytes);
    svg.box(x, kPlanTop, width, kPlanBar,
            {.fill = color,
             .stroke = "#333333",
             .title = name + ": " + where,
             .data = fmt::format("{}:{}:{}", name, place.offset, place.bytes)});
    // A name stands in its box where there is room; the list below has all of them.
    if (width > 7.5 * static_cast<double>(name.size()))
      svg.text(x + width / 2, kPlanTop + kPlanBar / 2 + 4, name, {.anchor = TextAnchor::kMiddle});
    svg.box(kPlanMargin, y - 10, 12, 12, {.fill = color, .stroke = "#333333"});
    const NamedLayout part = plan.part(tensor, *plan.tile);
    svg.text(kPlanMargin + 20, y,
             fmt::format("{}: {} [{}] {}, {}", name, dtype_name(part.spec.dtype),
                         fmt::join(part.spec.shape, ","), part.info->name, where));
    y += 20;
  }
  for (std::int64_t at = 0, bank = 0; at <= plan.memory.npu_bytes; at += plan.bank_bytes, ++bank) {
    svg.line(x_of(at), kPlanTop - 6, x_of(at), kPlanTop + kPlanBar + 6, "#c62828", 1);
    if (at < plan.memory.npu_bytes)
      svg.text(x_of(at) + 3, kPlanTop + kPlanBar + 18, tr("bank {}", bank),
               {.size = 10, .color = "#c62828"});
  }
  return svg.finish();
}

}  // namespace tensorlane
