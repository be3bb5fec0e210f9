// tensorlane chips: the constants of every chip, with their sources.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "json_option.h"
#include "progress.h"
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/chip/cycle_sources.h"
#include "tensorlane/chip/timing_parameters.h"
#include "tensorlane/json/json.h"
#include "text.h"
#include "validation_tables.h"

namespace tensorlane::cli {
namespace {

struct ChipsOptions {
  std::string chip;
  JsonOption json;
};

// A parameter of a chip's times with where it is from; of a chip that was never compared with a
// board, and takes over those of another, nothing is known.
struct Sourced {
  const TimingParameterRow* row;
  double value;
  TimingSource source;
};
std::vector<Sourced> timing_of(const Chip& chip) {
  std::vector<Sourced> list;
  for (const TimingParameterRow& row : timing_parameter_rows()) {
    const TimingSource* const source = chip.source(row.value);
    const bool uncalibrated = chip.timing.confirmed == Confirmed::kNothing;
    if (source == nullptr && (!uncalibrated || chip.timing.*row.value == 0)) continue;
    list.push_back({&row, chip.timing.*row.value,
                    source != nullptr
                        ? *source
                        : TimingSource{row.value, Confidence::kLow,
                                       msg("as advertised, or another chip's; never compared with "
                                           "a board")}});
  }
  return list;
}

Json chip_json(const Chip& chip) {
  Json out{{"name", chip.name},
           {"full_name", chip.full_name},
           {"cores", chip.cores},
           {"npus", chip.local.npus},
           {"local_bytes_per_npu", chip.local.npu_bytes},
           {"alignment_bytes", chip.local.align_bytes},
           {"banks_per_npu", chip.banks_per_npu},
           {"eu_bytes", chip.eu_bytes},
           {"chip_id", chip.chip_id},
           {"clock_mhz", chip.timing.clock_mhz},
           {"memories", Json::array()},
           {"global_allocations_begin", chip.global_alloc_begin},
           {"l2_user", {{"begin", chip.l2_user_begin}, {"bytes", chip.l2_user_bytes}}},
           {"dtcm_user", {{"begin", chip.dtcm_user_begin}, {"bytes", chip.dtcm_user_bytes}}},
           {"lookup_tables", {{"l2_offset", chip.lookup_offset}, {"bytes", chip.lookup_bytes}}},
           {"timing", Json::array()}};
  for (const Region& region : chip.regions) {
    out["memories"].push_back({{"name", space_name(region.space)},
                               {"begin", region.begin},
                               {"bytes", region.bytes},
                               {"source", region.source}});
  }
  for (const Sourced& each : timing_of(chip)) {
    out["timing"].push_back({{"name", each.row->name},
                             {"value", each.value},
                             {"unit", each.row->unit},
                             {"source", each.source.source},
                             {"confidence", confidence_name(each.source.confidence)},
                             {"rows", each.source.rows},
                             {"groups", each.source.groups}});
  }
  out["cycles"] = Json::array();
  for (const CycleSource& each : cycle_sources(chip)) {
    out["cycles"].push_back(
        {{"function", each.function}, {"rows", each.rows}, {"groups", each.groups}});
  }
  out["timing_calibrated"] = chip.timing.confirmed == Confirmed::kLaunches;
  out["timing_calibration"] = calibration_text(chip.timing);
  return out;
}

void print_chip(const Chip& chip) {
  const auto row = [](std::string_view name, const std::string& value, std::string_view note) {
    fmt::print("  {:<26} {}\n", translated(name),
               note.empty() ? value : fmt::format("{:<22} {}", value, note));
  };
  fmt::print("{}  {}\n", styled(stdout_terminal(), TextStyle::kBold, chip.name), chip.full_name);
  row(msg("cores"), fmt::format("{}", chip.cores), "");
  row(msg("NPUs (lanes)"), fmt::format("{}", chip.local.npus), "");
  row(msg("local memory per NPU"), bytes_text(static_cast<std::uint64_t>(chip.local.npu_bytes)),
      tr("{} banks", chip.banks_per_npu));
  row(msg("alignment"), tr("{} bytes", chip.local.align_bytes), "");
  row(msg("execution units"), tr("{} bytes per step", chip.eu_bytes),
      tr("{} fp32 per NPU", chip.eu_bytes / 4));
  row(msg("clock"), fmt::format("{} MHz", chip.timing.clock_mhz), "");
  fmt::print("\n  {:<26} {:<22} {:<12} {}\n", tr("memory"), tr("first address"), tr("size"),
             tr("source"));
  for (const Region& region : chip.regions) {
    fmt::print("  {:<26} {:<22} {:<12} {}\n", translated(space_name(region.space)),
               fmt::format("{:#x}", region.begin), bytes_text(region.bytes),
               translated(region.source));
  }
  fmt::print("\n");
  const auto part = [&](std::string_view name, std::uint64_t begin, std::uint64_t bytes) {
    row(name, fmt::format("{:#x}", begin), tr("{} bytes", bytes));
  };
  row(msg("host allocations from"), fmt::format("{:#x}", chip.global_alloc_begin), "");
  part(msg("L2 for programs"), chip.l2_user_begin, chip.l2_user_bytes);
  part(msg("DTCM for programs"), chip.dtcm_user_begin, chip.dtcm_user_bytes);
  part(msg("lookup tables (in L2)"), chip.region(Space::kL2).begin + chip.lookup_offset,
       chip.lookup_bytes);

  const bool uncalibrated = chip.timing.confirmed == Confirmed::kNothing;
  fmt::print("\n  {:<26} {:>10} {:<11} {:<12} {:<24} {}\n",
             uncalibrated ? tr("timing model, uncalibrated") : tr("timing model"), tr("value"),
             tr("unit"), tr("confidence"), tr("rests on"), tr("source"));
  for (const Sourced& each : timing_of(chip)) {
    fmt::print("  {:<26} {:>10.4g} {:<11} {:<12} {:<24} {}\n", translated(each.row->name),
               each.value, translated(each.row->unit),
               translated(confidence_name(each.source.confidence)),
               support_text(each.source.rows, each.source.groups), translated(each.source.source));
  }
  if (!uncalibrated) row(msg("calibrated"), calibration_text(chip.timing), "");
  if (cycle_sources(chip).empty()) return;
  fmt::print("\n  {:<49} {:<24} {}\n", tr("cycles of the ops list"), "", tr("rests on"));
  for (const CycleSource& each : cycle_sources(chip))
    fmt::print("  {:<74} {}\n", each.function, support_text(each.rows, each.groups));
}

void run(const ChipsOptions& options) {
  std::vector<const Chip*> chips;
  if (options.chip.empty()) {
    chips.assign(all_chips().begin(), all_chips().end());
  } else {
    chips.push_back(&find_chip(options.chip));
  }
  Json list = Json::array();
  for (const Chip* chip : chips) list.push_back(chip_json(*chip));
  options.json.write(list);
  if (options.json.replaces_text()) return;
  for (const Chip* chip : chips) {
    if (chip != chips.front()) fmt::print("\n");
    print_chip(*chip);
  }
}

}  // namespace

void add_chips_command(App& app) {
  auto options = std::make_shared<ChipsOptions>();
  App* command = app.add_subcommand(
      "chips", "Constants of the emulated chips: NPUs, memories, clock, and where they come from");
  command->add_option("CHIP", options->chip, "Only this chip");
  options->json.add_to(*command);
  command->footer(
      "Examples:\n"
      "  tensorlane chips\n"
      "  tensorlane chips bm1684 --json\n");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
