#include "tensorlane/compute/windows/fp32_channel_windows.h"

#include <algorithm>
#include <vector>

#include "tensorlane/compute/bands/channel_bands.h"
#include "tensorlane/compute/bands/padded_rows.h"
#include "tensorlane/compute/bands/phase_planes.h"
#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"

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
  if (!has_dense_rows(output) || size > kMostBandFloats) return false;

  std::vector<std::int32_t> offsets;
  for (int kh = 0; kh < window.kernel_h; ++kh) {
    for (int kw = 0; kw < window.kernel_w; ++kw) offsets.push_back(planes.offset(kh, kw));
  }
  const auto length = static_cast<int>(offsets.size());
  // Of a band of a group.
  const std::int64_t in_words = size + kWindowSlack;
  const std::int64_t out_words = planes.positions(bands.most_rows()) + kWindowSlack;
  const int group = bands.group(in_words + out_words);
  for_each_range(bands.count(), bands.work(length), [&](std::int64_t begin, std::int64_t end) {
    float* const inputs = thread_scratch<0>(static_cast<std::size_t>(in_words * group));
    float* const out = thread_scratch<1>(static_cast<std::size_t>(out_words * group));
    std::fill_n(inputs, in_words * group, 0.0F);
    const std::vector<float> padding(static_cast<std::size_t>(group), problem.padding);
    bands.visit(begin, end, group, [&](std::span<const ChannelBand> some) {
      std::byte* rows[ChannelBands::kMostInGroup];
      const std::span<std::byte* const> all(rows, some.size());
      find_rows(input, some, 0, rows);
      planes.fill({all, input.h, input.w}, some.front().first_row, padding.data(), inputs,
                  in_words);
      const float* from = inputs;
      float* to = out;
      for (const ChannelBand& band : some) {
        compute({from, offsets.data(), length, planes.positions(band.rows), to}, band.channel);
        from += in_words;
        to += out_words;
      }
      find_rows(output, some, some.front().first_row, rows);
      store_rows(WordRows<float>{.from = out,
                                 .step = out_words,
                                 .pitch = planes.pitch(),
                                 .rows = some.front().rows,
                                 .columns = window.output_w,
                                 .to = all,
                                 .row_bytes = output.h * std::int64_t{sizeof(float)}});
    });
  });
  return true;
}

}  // namespace tensorlane
