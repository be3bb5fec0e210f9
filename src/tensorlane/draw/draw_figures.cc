// The figures of the documents that show no single tensor: addresses, scattering, the pipeline.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tensorlane/base/language.h"
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
  // As many NPUs side by side as a page of text shows without making them smaller.
  const int side_by_side =
      std::clamp(static_cast<int>((kPageWidth - 2 * kBorder + kGap) / column), 1, memory.npus);
  const double block = static_cast<double>(rows) * kCellHeight + kTop - 34;
  const auto left_of = [&](std::int64_t npu) {
    return kBorder + static_cast<double>(npu % side_by_side) * column;
  };
  const auto top_of = [&](std::int64_t npu) {
    const std::int64_t row = npu / side_by_side;
    return kTop + static_cast<double>(row) * block;
  };
  SvgWriter svg(kBorder * 2 + side_by_side * column - kGap,
                top_of(memory.npus - 1) + static_cast<double>(rows) * kCellHeight + kBorder,
                tr("local addresses"));
  svg.text(kBorder, 24, tr("Local memory of {} NPUs, {} bytes each", memory.npus, memory.npu_bytes),
           {.size = 15, .bold = true});
  svg.text(kBorder, 42,
           tr("Address A is byte A mod {} of NPU A div {}", memory.npu_bytes, memory.npu_bytes),
           {.size = 12, .color = "#5a5a5a"});
  const auto corner = [&](std::int64_t npu, std::int64_t cell) {
    const std::int64_t row = cell / kCellsPerRow;
    return std::pair(left_of(npu) + static_cast<double>(cell % kCellsPerRow) * kCellWidth,
                     top_of(npu) + static_cast<double>(row) * kCellHeight);
  };
  for (int npu = 0; npu < memory.npus; ++npu) {
    svg.text(left_of(npu) + (column - kGap) / 2, top_of(npu) - 8, fmt::format("NPU {}", npu),
             {.size = 12.5, .anchor = TextAnchor::kMiddle});
    for (std::int64_t cell = 0; cell < rows * kCellsPerRow; ++cell) {
      const auto [x, y] = corner(npu, cell);
      svg.box(x, y, kCellWidth, kCellHeight, {.fill = "#ffffff", .stroke = "#c0c0c0"});
      const std::int64_t address = npu * memory.npu_bytes + cell * kCellBytes;
      if (std::ranges::find(marks, address, &MarkedAddress::address) != marks.end()) continue;
      svg.text(x + kCellWidth / 2, y + 14, std::to_string(address),
               {.size = 10.5, .color = "#6a6a6a", .anchor = TextAnchor::kMiddle});
    }
  }
  for (const MarkedAddress& mark : marks) {
    const LocalAddress at = split_local_address(memory, mark.address);
    const std::int64_t cell = at.offset / kCellBytes;
    const auto [x, y] = corner(at.npu, cell);
    svg.box(x, y, kCellWidth, kCellHeight,
            {.fill = "#ffd54f",
             .stroke = "#c62828",
             .title = tr("{}: address {} = NPU {}, byte {}", mark.label, mark.address, at.npu,
                         at.offset),
             .data = fmt::format("{}:{}", at.npu, cell)});
    svg.text(x + kCellWidth / 2, y + 14, fmt::format("{} {}", mark.label, mark.address),
             {.size = 10.5, .anchor = TextAnchor::kMiddle, .bold = true});
  }
  return svg.finish();
}

std::string draw_banks_svg(const LocalMemory& memory, int banks) {
  constexpr double kColumn = 190, kRowHeight = 26;
  const std::int64_t bytes = memory.npu_bytes / banks;
  const int shown[] = {0, 1, -1, memory.npus - 1};  // -1: those between
  SvgWriter svg(kBorder * 2 + 62 + 3 * kColumn + 40, kTop + banks * kRowHeight + kBorder,
                tr("banks"));
  svg.text(kBorder, 24,
           tr("Local memory of {} NPUs in {} banks of {} bytes", memory.npus, banks, bytes),
           {.size = 15, .bold = true});
  svg.text(kBorder, 42,
           tr("Address A is in bank A mod {} div {}: the same offsets in every NPU",
              memory.npu_bytes, bytes),
           {.size = 12, .color = "#5a5a5a"});
  double x = kBorder + 62;
  for (const int npu : shown) {
    const double width = npu < 0 ? 40 : kColumn;
    svg.text(x + width / 2, kTop - 8, npu < 0 ? "..." : fmt::format("NPU {}", npu),
             {.size = 12.5, .anchor = TextAnchor::kMiddle});
    for (int bank = 0; bank < banks && npu >= 0; ++bank) {
      const double y = kTop + bank * kRowHeight;
      const std::int64_t first = npu * memory.npu_bytes + bank * bytes;
      svg.box(
          x, y, width, kRowHeight,
          {.fill = hex(hsl(205, 60, bank % 2 == 0 ? 92 : 84)),
           .stroke = "#8a8a8a",
           .title = tr("NPU {}, bank {}: addresses {} to {}", npu, bank, first, first + bytes - 1),
           .data = fmt::format("{}:{}", npu, bank)});
      svg.text(x + width / 2, y + 17, tr("{:#x} to {:#x}", first, first + bytes - 1),
               {.size = 11.5, .anchor = TextAnchor::kMiddle});
    }
    x += width;
  }
  for (int bank = 0; bank < banks; ++bank)
    svg.text(kBorder, kTop + bank * kRowHeight + 17, tr("bank {}", bank), {.size = 12});
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
                tr("channels over NPUs"));
  svg.text(kBorder, 30,
           tr("{} channels over {} NPUs from NPU {}: channel c is in NPU ({} + c) mod {}", channels,
              npus, start_npu, start_npu, npus),
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
      svg.text(left - 8, y + 17, tr("row {}", n * rows + row),
               {.size = 10, .color = "#5a5a5a", .anchor = TextAnchor::kEnd});
      for (int npu = 0; npu < npus; ++npu) {
        const std::int64_t c = row * npus + npu - start_npu;
        const double x = left + npu * kWidth;
        if (c < 0 || c >= channels) {
          svg.hatched(x, y, kWidth, kHeight, tr("reserved, no feature"));
          continue;
        }
        constexpr double kGoldenAngle = 137.508;
        const double hue = 205 + static_cast<double>(c) * kGoldenAngle;
        svg.box(x, y, kWidth, kHeight,
                {.fill = hex(hsl(hue - 360 * static_cast<int>(hue / 360), 62,
                                 86 - 7 * static_cast<double>(n % 4))),
                 .stroke = "#ffffff",
                 .title = tr("batch {}, channel {}: NPU {}, row {}", n, c, npu, n * rows + row),
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
  SvgWriter svg(left + steps * kWidth + kBorder, kTop + 3 * kHeight + kBorder, tr("pipeline"));
  svg.text(kBorder, 30,
           tr("{} parts: copy part k in, compute k - 1, copy k - 2 out, at once", parts),
           {.size = 13, .bold = true});
  for (int step = 0; step < steps; ++step) {
    svg.text(left + (step + 0.5) * kWidth, kTop - 8, tr("Step {}", step),
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
               .title = tr("step {}: {} of part {}", step, kLanes[lane], part),
               .data = fmt::format("{}:{}:{}", step, kLanes[lane], part)});
      svg.text(x + kWidth / 2, y + 25, tr("part {}", part),
               {.size = 12, .anchor = TextAnchor::kMiddle});
    }
  }
  return svg.finish();
}

}  // namespace tensorlane
