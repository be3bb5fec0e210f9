#include "tensorlane/fp32/channel_windows.h"

#include <algorithm>
#include <vector>

#include "tensorlane/tiles/channel_bands.h"
#include "tensorlane/tiles/padded_rows.h"
#include "tensorlane/tiles/phase_planes.h"
#include "tensorlane/tiles/scratch.h"
#include "tensorlane/tiles/tasks.h"

namespace tensorlane {

bool for_each_channel_band(
    const ChannelWindows& problem,
    const std::function<void(const WindowTile<float>& tile, int c)>& compute) {
  constexpr std::int64_t kMostBandFloats = 1LL << 26;
  const Window2d& window = problem.window;
  const LocalView &input = problem.input, &output = problem.output;
  const ChannelBands bands(problem.n, problem.c, window, problem.input_h, problem.input_w);
  const PhasePlanes planes(window, problem.input_h, problem.input_w, bands.most_rows());
  const std::int64_t size = planes.channel_size();
  if (output.w != 1 || size > kMostBandFloats) return false;

  std::vector<std::int32_t> offsets;
  for (int kh = 0; kh < window.kernel_h; ++kh) {
    for (int kw = 0; kw < window.kernel_w; ++kw) offsets.push_back(planes.offset(kh, kw));
  }
  const auto length = static_cast<int>(offsets.size());
  for_each_range(bands.count(), bands.work(length), [&](std::int64_t begin, std::int64_t end) {
    float* const inputs = thread_scratch<0>(static_cast<std::size_t>(size + kWindowSlack));
    std::fill_n(inputs + size, kWindowSlack, 0.0F);
    const std::int64_t most = planes.positions(bands.most_rows());
    float* const out = thread_scratch<1>(static_cast<std::size_t>(most + kWindowSlack));
    int channel = -1;
    const float* from = nullptr;
    float* to = nullptr;
    bands.visit(begin, end, [&](const ChannelBand& band) {
      if (band.channel != channel) {
        channel = band.channel;
        from = input.at(0, channel, 0, 0);
        to = output.at(0, channel, 0, 0);
      }
      const auto* image = reinterpret_cast<const std::byte*>(from + band.image * input.n);
      planes.fill({image, input.h, input.w}, band.first_row, problem.padding, inputs);
      compute({inputs, offsets.data(), length, planes.positions(band.rows), out}, channel);
      float* const first = to + band.image * output.n + band.first_row * output.h;
      store_rows(WordRows<float>{.from = out,
                                 .pitch = planes.pitch(),
                                 .rows = band.rows,
                                 .columns = window.output_w,
                                 .to = reinterpret_cast<std::byte*>(first),
                                 .row_bytes = output.h * std::int64_t{sizeof(float)}});
    });
  });
  return true;
}

}  // namespace tensorlane
