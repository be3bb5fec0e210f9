// The figures of the documents that show no single tensor: addresses, scattering, the pipeline.
#include <fmt/format.h>

#include "tensorlane/draw/draw.h"
#include "tensorlane/draw/picture.h"
#include "tensorlane/draw/svg.h"

namespace tensorlane {
namespace {

constexpr double kBorder = 24, kTop = 70;

}  // namespace

std::string draw_addresses_svg(const LocalMemory& memory, std::span<const MarkedAddress> marks) {
  constexpr double kCellWidth = 42, kCellHeight = 20, kGap = 26;
  std::int64_t last = 0;
  for (const MarkedAddress& mark : marks) {
    last = std::max(last, mark.address % memory.npu_bytes);
  }
  const std::int64_t rows = last / (kCellBytes * kCellsPerRow) + 2;
  const double column = kCellsPerRow * kCellWidth + kGap;
  SvgWriter svg(kBorder * 2 + memory.npus * column - kGap,
                kTop + static_cast<double>(rows) * kCellHeight + kBorder, "local addresses");
  svg.text(kBorder, 30,
           fmt::format("Local memory of {} NPUs, {} bytes each: address A is byte A mod {} of NPU "
                       "A div {}",
                       memory.npus, memory.npu_bytes, memory.npu_bytes, memory.npu_bytes),
           {.size = 15, .bold = true});
  for (int npu = 0; npu < memory.npus; ++npu) {
    const double x0 = kBorder + npu * column;
    svg.text(x0 + column / 2, kTop - 8, fmt::format("NPU {}", npu),
             {.size = 12.5, .anchor = TextAnchor::kMiddle});
    for (std::int64_t cell = 0; cell < rows * kCellsPerRow; ++cell) {
      const double x = x0 + static_cast<double>(cell % kCellsPerRow) * kCellWidth;
      const std::int64_t row = cell / kCellsPerRow;
      const double y = kTop + static_cast<double>(row) * kCellHeight;
      const std::int64_t address = npu * memory.npu_bytes + cell * kCellBytes;
      svg.box(x, y, kCellWidth, kCellHeight, {.fill = "#ffffff", .stroke = "#c0c0c0"});
      svg.text(x + kCellWidth / 2, y + 14, std::to_string(address),
               {.size = 9.5, .color = "#888888", .anchor = TextAnchor::kMiddle});
    }
  }
  for (const MarkedAddress& mark : marks) {
    const LocalAddress at = split_local_address(memory, mark.address);
    const std::int64_t cell = at.offset / kCellBytes;
    const double x = kBorder + static_cast<double>(at.npu) * column +
                     static_cast<double>(cell % kCellsPerRow) * kCellWidth;
    const std::int64_t row = cell / kCellsPerRow;
    const double y = kTop + static_cast<double>(row) * kCellHeight;
    svg.box(x, y, kCellWidth, kCellHeight,
            {.fill = "#ffd54f",
             .stroke = "#c62828",
             .title = fmt::format("{}: address {} = NPU {}, byte {}", mark.label, mark.address,
                                  at.npu, at.offset),
             .data = fmt::format("{}:{}", at.npu, cell)});
    svg.text(x + kCellWidth / 2, y + 14, fmt::format("{} {}", mark.label, mark.address),
             {.size = 9.5, .anchor = TextAnchor::kMiddle, .bold = true});
  }
  return svg.finish();
}

std::string draw_scatter_svg(int npus, std::int64_t batches, std::int64_t channels,
                             std::int64_t start_npu) {
  constexpr double kWidth = 66, kHeight = 26;
  const std::int64_t rows = ceil_div(start_npu + channels, npus);
  const double left = kBorder + 56;
  SvgWriter svg(left + npus * kWidth + kBorder,
                kTop + static_cast<double>(batches * rows) * kHeight +
                    static_cast<double>(batches) * 6 + kBorder,
                "channels over NPUs");
  svg.text(kBorder, 30,
           fmt::format("{} channels over {} NPUs from NPU {}: channel c is in NPU ({} + c) mod {}",
                       channels, npus, start_npu, start_npu, npus),
           {.size = 14, .bold = true});
  for (int npu = 0; npu < npus; ++npu) {
    svg.text(left + (npu + 0.5) * kWidth, kTop - 8, fmt::format("NPU {}", npu),
             {.size = 11.5,
              .color = npu == start_npu ? "#c62828" : "#222222",
              .anchor = TextAnchor::kMiddle,
              .bold = npu == start_npu});
  }
  for (std::int64_t n = 0; n < batches; ++n) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const double y =
          kTop + static_cast<double>(n * rows + row) * kHeight + static_cast<double>(n) * 6;
      svg.text(left - 8, y + 17, fmt::format("row {}", n * rows + row),
               {.size = 10, .color = "#777777", .anchor = TextAnchor::kEnd});
      for (int npu = 0; npu < npus; ++npu) {
        const std::int64_t c = row * npus + npu - start_npu;
        const double x = left + npu * kWidth;
        if (c < 0 || c >= channels) {
          svg.hatched(x, y, kWidth, kHeight, "reserved, no feature");
          continue;
        }
        constexpr double kGoldenAngle = 137.508;
        const double hue = 205 + static_cast<double>(c) * kGoldenAngle;
        svg.box(x, y, kWidth, kHeight,
                {.fill = hex(hsl(hue - 360 * static_cast<int>(hue / 360), 62,
                                 82 - 9 * static_cast<double>(n % 4))),
                 .stroke = "#ffffff",
                 .title =
                     fmt::format("batch {}, channel {}: NPU {}, row {}", n, c, npu, n * rows + row),
                 .data = fmt::format("{}:{}:{}:{}", n, c, npu, n * rows + row)});
        svg.text(x + kWidth / 2, y + 17, fmt::format("({}, {})", n, c),
                 {.size = 11, .anchor = TextAnchor::kMiddle});
      }
    }
  }
  return svg.finish();
}

std::string draw_pipeline_svg(int parts) {
  constexpr double kWidth = 74, kHeight = 40;
  constexpr std::string_view kLanes[] = {"GDMA S2L", "BDC", "GDMA L2S"};
  constexpr double kHues[] = {205, 95, 30};
  const int steps = parts + 2;
  const double left = kBorder + 90;
  SvgWriter svg(left + steps * kWidth + kBorder, kTop + 3 * kHeight + kBorder, "pipeline");
  svg.text(kBorder, 30,
           fmt::format("{} parts: copy part k in, compute k - 1, copy k - 2 out, at once", parts),
           {.size = 13, .bold = true});
  for (int step = 0; step < steps; ++step) {
    svg.text(left + (step + 0.5) * kWidth, kTop - 8, fmt::format("Step {}", step),
             {.size = 11.5, .anchor = TextAnchor::kMiddle});
  }
  for (int lane = 0; lane < 3; ++lane) {
    const double y = kTop + lane * kHeight;
    svg.text(left - 10, y + 25, kLanes[lane], {.size = 12, .anchor = TextAnchor::kEnd});
    for (int step = 0; step < steps; ++step) {
      const int part = step - lane;
      const double x = left + step * kWidth;
      if (part < 0 || part >= parts) {
        svg.box(x + 2, y + 2, kWidth - 4, kHeight - 4, {.fill = "#fafafa", .stroke = "#e0e0e0"});
        continue;
      }
      svg.box(x + 2, y + 2, kWidth - 4, kHeight - 4,
              {.fill = hex(hsl(kHues[lane], 60, 78 - 8 * (part % 2))),
               .title = fmt::format("step {}: {} of part {}", step, kLanes[lane], part),
               .data = fmt::format("{}:{}:{}", step, kLanes[lane], part)});
      svg.text(x + kWidth / 2, y + 25, fmt::format("part {}", part),
               {.size = 12, .anchor = TextAnchor::kMiddle});
    }
  }
  return svg.finish();
}

}  // namespace tensorlane
