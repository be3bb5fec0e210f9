#include "tensorlane/fp32/channel_windows.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tensorlane/tiles/phase_planes.h"
#include "tensorlane/tiles/scratch.h"
#include "tensorlane/tiles/tasks.h"

namespace tensorlane {
namespace {

// A band's planes and results stay in the first-level cache.
constexpr std::int64_t kBandFloats = 4 * 1024;
constexpr std::int64_t kMostBandFloats = 1LL << 26;
// What laying out and storing one output costs, in multiply-adds.
constexpr std::int64_t kLayoutCost = 32;

int choose_band_rows(const ChannelWindows& problem) {
  const Window2d& window = problem.window;
  const std::int64_t one_row =
      PhasePlanes(window, problem.input_h, problem.input_w, 1).channel_size();
  const std::int64_t row =
      PhasePlanes(window, problem.input_h, problem.input_w, 2).channel_size() - one_row;
  return static_cast<int>(
      std::clamp<std::int64_t>((kBandFloats - one_row) / row + 1, 1, window.output_h));
}

}  // namespace

bool for_each_channel_band(
    const ChannelWindows& problem,
    const std::function<void(const WindowTile<float>& tile, int c)>& compute) {
  const Window2d& window = problem.window;
  const int band_rows = choose_band_rows(problem);
  const PhasePlanes planes(window, problem.input_h, problem.input_w, band_rows);
  if (problem.output.w != 1 || planes.channel_size() > kMostBandFloats) return false;

  std::vector<std::int32_t> offsets;
  for (int kh = 0; kh < window.kernel_h; ++kh) {
    for (int kw = 0; kw < window.kernel_w; ++kw) offsets.push_back(planes.offset(kh, kw));
  }
  const int bands = (window.output_h + band_rows - 1) / band_rows;
  const std::int64_t tasks = static_cast<std::int64_t>(problem.n) * problem.c * bands;
  const std::int64_t outputs =
      static_cast<std::int64_t>(problem.n) * problem.c * window.output_h * window.output_w;
  const std::int64_t work = outputs * (kLayoutCost + window.kernel_h * window.kernel_w);

  for_each_task(tasks, work, [&](std::int64_t i) {
    const int first_row = static_cast<int>(i % bands) * band_rows;
    const int c = static_cast<int>(i / bands % problem.c);
    const int n = static_cast<int>(i / bands / problem.c);
    const int rows = std::min(band_rows, window.output_h - first_row);
    const std::int64_t size = planes.channel_size();
    float* inputs = thread_scratch<0>(static_cast<std::size_t>(size + kWindowSlack));
    planes.fill(problem.input, n, c, first_row, problem.padding, inputs);
    std::fill_n(inputs + size, kWindowSlack, 0.0F);

    const std::int64_t positions = planes.positions(rows);
    float* out = thread_scratch<1>(static_cast<std::size_t>(positions + kWindowSlack));
    compute({inputs, offsets.data(), static_cast<int>(offsets.size()), positions, out}, c);
    float* to = problem.output.at(n, c, first_row, 0);
    for (int row = 0; row < rows; ++row, out += planes.pitch(), to += problem.output.h) {
      std::memcpy(to, out, static_cast<std::size_t>(window.output_w) * sizeof(float));
    }
  });
  return true;
}

}  // namespace tensorlane
