#include "tensorlane/chip/timing_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/chip/chip.h"

namespace tensorlane {
namespace {

using P = TimingParameters;
constexpr TimingParameterRow kRows[] = {
    {msg("clock"), "MHz", &P::clock_mhz},
    {msg("launch"), "us", &P::launch_us},
    {msg("launch, at most"), "us", &P::launch_high_us},
    {msg("launch, per further core"), "us", &P::launch_core_us},
    {msg("issue"), msg("us per command"), &P::issue_us},
    {msg("issue, matrix product"), msg("us per command"), &P::issue_matmul_us},
    {msg("issue, GDMA"), msg("us per command"), &P::issue_gdma_us},
    {msg("issue, at most"), msg("us per command"), &P::issue_high_us},
    {msg("message"), "us", &P::message_us},
    {msg("parallel region"), msg("us per region"), &P::region_us},
    {msg("read bandwidth"), "GB/s", &P::read_gbps},
    {msg("write bandwidth"), "GB/s", &P::write_gbps},
    {msg("bandwidth of all cores"), "GB/s", &P::total_gbps},
    {msg("L2 bandwidth"), "GB/s", &P::l2_gbps},
    {msg("SDMA bandwidth"), "GB/s", &P::sdma_gbps},
    {msg("bandwidth inside DDR"), "GB/s", &P::inside_gbps},
    {msg("GDMA start"), msg("us per command"), &P::transfer_start_us},
    {msg("small transfer"), msg("us per 64 KiB"), &P::small_transfer_us},
    {msg("run"), msg("ns per contiguous run"), &P::run_ns},
    {msg("misaligned matrix"), msg("factor"), &P::misaligned_matrix},
    {msg("misaligned rows"), msg("factor"), &P::misaligned_rows},
    {msg("start, element-wise"), msg("cycles"), &P::start_vector},
    {msg("start, exp and its kin"), msg("cycles"), &P::start_special},
    {msg("start, convolution"), msg("cycles"), &P::start_convolution},
    {msg("start, matrix product"), msg("cycles"), &P::start_matrix},
    {msg("exp and its kin"), msg("factor"), &P::special_factor},
    {msg("slowdown of products"), msg("factor"), &P::product_slowdown},
    {msg("row of a product"), msg("cycles"), &P::product_row},
    {msg("convolution tap"), msg("cycles"), &P::conv_tap},
    {msg("convolution tap per stride"), msg("cycles"), &P::conv_tap_stride},
    {msg("convolution group"), msg("cycles"), &P::conv_group},
    {msg("Taylor term"), msg("cycles"), &P::taylor_term},
    {msg("completion extra"), "us", &P::completion_us},
    {msg("completion scale"), "us", &P::completion_scale_us},
};

constexpr std::string_view kModes[] = {"issued", "prebuilt"};

}  // namespace

std::string_view confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh:
      return msg("high");
    case Confidence::kMedium:
      return msg("medium");
    case Confidence::kLow:
      return msg("low");
  }
  return "?";
}

std::string_view confirmed_name(Confirmed confirmed) {
  switch (confirmed) {
    case Confirmed::kNothing:
      return msg("nothing");
    case Confirmed::kEngines:
      return msg("engines");
    case Confirmed::kLaunches:
      return msg("launches");
  }
  return "?";
}

std::string_view launch_mode_name(LaunchMode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

std::string_view launch_mode_text(LaunchMode mode) {
  return mode == LaunchMode::kIssued ? msg("commands issued one by one")
                                     : msg("commands as a prebuilt list");
}

LaunchMode parse_launch_mode(std::string_view name) {
  for (const LaunchMode mode : {LaunchMode::kIssued, LaunchMode::kPrebuilt}) {
    if (name == launch_mode_name(mode)) return mode;
  }
  user_error("there is no launch mode '{}'{}", name, did_you_mean(std::string(name), kModes));
}

TimingParameters advertised_timing(const TimingParameters& like, double clock_mhz, double gbps) {
  TimingParameters parameters = like;
  parameters.clock_mhz = clock_mhz;
  parameters.read_gbps = gbps;
  parameters.write_gbps = gbps;
  parameters.confirmed = Confirmed::kNothing;
  parameters.confirmed_by = {};
  parameters.error_share = 0;
  return parameters;
}

std::string calibration_text(const TimingParameters& parameters) {
  if (parameters.confirmed == Confirmed::kNothing)
    return tr("uncalibrated: from public facts, never compared with a board");
  return tr("{}: {}", translated(confirmed_name(parameters.confirmed)),
            translated(parameters.confirmed_by));
}

TimingParameters shared_by(const TimingParameters& parameters, int cores) {
  TimingParameters of_each = parameters;
  if (parameters.total_gbps <= 0) return of_each;
  const double share = parameters.total_gbps / cores;
  of_each.read_gbps = std::min(parameters.read_gbps, share);
  of_each.write_gbps = std::min(parameters.write_gbps, share);
  of_each.inside_gbps = std::min(parameters.inside_gbps, share);
  of_each.sdma_gbps = std::min(parameters.sdma_gbps, share);
  return of_each;
}

TimingParameters prebuilt(const TimingParameters& issued) {
  TimingParameters parameters = issued;
  parameters.mode = LaunchMode::kPrebuilt;
  parameters.issue_us = parameters.issue_matmul_us = parameters.issue_high_us = 0;
  parameters.issue_gdma_us = parameters.region_us = 0;
  return parameters;
}

const TimingParameters& timing_parameters(const Chip& chip, Calibration calibration,
                                          LaunchMode mode) {
  const bool even = calibration == Calibration::kEven && chip.timing_of_even_cases;
  const TimingParameters& issued = even ? *chip.timing_of_even_cases : chip.timing;
  if (mode == LaunchMode::kIssued) return issued;
  // Never destroyed: devices end, and report, after main.
  static std::mutex& mutex = *new std::mutex;
  static auto& lists = *new std::map<const TimingParameters*, TimingParameters>;
  const std::scoped_lock lock(mutex);
  const auto [at, inserted] = lists.try_emplace(&issued);
  if (inserted) at->second = prebuilt(issued);
  return at->second;
}

std::span<const TimingParameterRow> timing_parameter_rows() {
  return kRows;
}

}  // namespace tensorlane
