// Fast convolution: phase planes feed chain tiles.
//
// A task is one band and a group of output channels. It lays the input of its band out as phase
// planes, where each step of a chain is one contiguous read, and runs tiles of output channels by
// positions over them. Weights are repacked once for all tasks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "tensorlane/kernels/chain_tile.h"
#include "tensorlane/kernels/conv2d.h"
#include "tensorlane/kernels/conv2d_bands.h"
#include "tensorlane/kernels/scratch.h"
#include "tensorlane/kernels/tasks.h"

namespace tensorlane {
namespace {

// Most scratch floats for a band and for the weights: 256 MiB, which only operands that repeat
// themselves (stride 0) or huge dilations exceed.
constexpr std::int64_t kMostFloats = 1LL << 26;
// Inputs of the tiles that follow each other with the same weights: in the second-level cache.
constexpr std::int64_t kGroupFloats = 32 * 1024;
// Packing copies this many floats at a time and may overrun a run by as many.
constexpr int kCopyFloats = 8;

std::int64_t multiply_adds(const Conv2dArgs& args) {
  const Window2d& window = args.window;
  return static_cast<std::int64_t>(args.n) * args.output_c * window.output_h * window.output_w *
         args.input_c * window.kernel_h * window.kernel_w;
}

class FastConv2d {
 public:
  explicit FastConv2d(const Conv2dArgs& args)
      : args_(args),
        tile_(chain_tile_shape()),
        threads_(thread_count(multiply_adds(args))),
        bands_(args, tile_, threads_),
        blocks_((args.output_c + tile_.rows - 1) / tile_.rows) {}

  bool fits() const {
    const std::int64_t weights = static_cast<std::int64_t>(args_.input_c) * args_.output_c *
                                 args_.window.kernel_h * args_.window.kernel_w;
    return args_.output.w == 1 && bands_.image_floats() <= kMostFloats && weights <= kMostFloats;
  }

  void run() {
    list_steps();
    pack_weights();
    const std::vector<Band>& bands = bands_.bands();
    // Splitting the output channels repeats the layout work: only to occupy idle threads.
    const auto count = static_cast<int>(bands.size());
    const int groups = std::clamp(threads_ / count, 1, blocks_);
    for_each_task(static_cast<std::int64_t>(count) * groups, multiply_adds(args_),
                  [&](std::int64_t i) {
                    const int group = static_cast<int>(i % groups);
                    run_band(bands[static_cast<std::size_t>(i / groups)], blocks_ * group / groups,
                             blocks_ * (group + 1) / groups);
                  });
  }

 private:
  // One step of a chain.
  struct Step {
    std::int64_t weight;  // in floats from the weight of pair 0 and position (0, 0)
    std::int32_t input;   // in floats from the planes of an image
  };

  // All steps, chain after chain in the order in which a tile joins them: both parities of the
  // first channel of a pair, then of the second.
  void list_steps() {
    const Window2d& window = args_.window;
    const LocalView& weight = args_.weight;
    std::vector<Step> chains[4];
    int step = 0;
    for (int kh = 0; kh < window.kernel_h; ++kh) {
      for (int kw = 0; kw < window.kernel_w; ++kw) {
        const std::int64_t kernel_offset = kh * weight.h + kw * weight.w;
        const std::int32_t plane_offset = bands_.planes().offset(kh, kw);
        for (int ic = 0; ic < args_.input_c; ++ic) {
          const int lane = ic % 2;
          const auto channel = static_cast<std::int32_t>(ic * bands_.planes().channel_size());
          chains[2 * lane + (step + ic / 2) % 2].push_back(
              {2 * (ic / 2 * weight.n + kernel_offset) + lane, channel + plane_offset});
        }
        step += (args_.input_c + 1) / 2;
      }
    }
    for (int i = 0; i < 4; ++i) {
      chain_begin_[i] = static_cast<int>(steps_.size());
      steps_.insert(steps_.end(), chains[i].begin(), chains[i].end());
    }
    chain_begin_[4] = static_cast<int>(steps_.size());
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      offsets_.push_back(bands_.packed() ? static_cast<std::int32_t>(k) * tile_.width
                                         : steps_[k].input);
    }
  }

  int rows_of(int block) const { return std::min(tile_.rows, args_.output_c - block * tile_.rows); }

  float* block_weights(int block) const {
    return weights_.get() + static_cast<std::size_t>(block) * tile_.rows * steps_.size();
  }

  // Per block of output channels: [step][channel of the block].
  void pack_weights() {
    weights_ = hwy::AllocateAligned<float>(args_.output_c * steps_.size());
    const auto work = static_cast<std::int64_t>(args_.output_c * steps_.size());
    for_each_task(blocks_, work, [&](std::int64_t i) {
      const int block = static_cast<int>(i);
      const int rows = rows_of(block);
      for (int r = 0; r < rows; ++r) {
        const float* from = args_.weight.at(0, block * tile_.rows + r, 0, 0);
        float* to = block_weights(block) + r;
        for (const Step& step : steps_) {
          *to = from[step.weight];
          to += rows;
        }
      }
    });
  }

  // Consecutive positions of a band that share the weights of a block while these are at hand.
  struct Positions {
    std::int64_t first = 0;
    int count = 0;
    std::vector<Run> runs;
  };

  // Short chains leave a tile's outputs as the bulk of the traffic; a few tiles per block of
  // output channels turn them into longer writes. Packed inputs are one tile's.
  int tiles_per_group() const {
    if (bands_.packed()) return 1;
    const auto tile_floats = static_cast<std::int64_t>(steps_.size()) * tile_.width;
    return static_cast<int>(std::clamp<std::int64_t>(kGroupFloats / tile_floats, 1, 8));
  }

  void run_band(const Band& band, int first_block, int end_block) const {
    const float* planes = lay_out(band);
    float* panel = nullptr;
    if (bands_.packed()) {
      panel = thread_scratch<1>(steps_.size() * tile_.width + kCopyFloats);
    }
    std::vector<Positions> group(static_cast<std::size_t>(tiles_per_group()));
    const std::int64_t positions = bands_.positions(band);
    for (std::int64_t q = 0; q < positions;) {
      std::size_t tiles = 0;
      for (; tiles < group.size() && q < positions; ++tiles, q += tile_.width) {
        Positions& tile = group[tiles];
        tile.first = q;
        tile.count = static_cast<int>(std::min<std::int64_t>(tile_.width, positions - q));
        bands_.list_runs(band, q, tile.count, tile.runs);
      }
      if (bands_.packed()) pack_inputs(planes, group[0].runs, group[0].count, panel);
      for (int block = first_block; block < end_block; ++block) {
        for (std::size_t i = 0; i < tiles; ++i) {
          const float* inputs = bands_.packed() ? panel : planes + group[i].first;
          run_tile(block, inputs, group[i].count, group[i].runs);
        }
      }
    }
  }

  const float* lay_out(const Band& band) const {
    const std::int64_t size = bands_.planes().channel_size();
    const std::int64_t all = bands_.image_floats() * band.images;
    // Tiles and copies read whole vectors: the slack behind the planes is zero, not arbitrary.
    const std::int64_t slack = tile_.width + kCopyFloats;
    float* planes = thread_scratch<0>(static_cast<std::size_t>(all + slack));
    float* to = planes;
    for (int image = 0; image < band.images; ++image) {
      for (int c = 0; c < args_.input_c; ++c, to += size) {
        bands_.planes().fill(args_.input, band.first_image + image, c, band.first_row, 0.0F, to);
      }
    }
    std::fill_n(to, slack, 0.0F);
    return planes;
  }

  // Writes the inputs of a tile to the panel: [step][position].
  void pack_inputs(const float* planes, const std::vector<Run>& runs, int count,
                   float* panel) const {
    float* to = panel;
    for (const Step& step : steps_) {
      const float* from = planes + step.input;
      for (const Run& run : runs) {  // ascending, so that a run overwrites the overrun before it
        for (int i = 0; i < run.count; i += kCopyFloats) {
          std::memcpy(to + run.at + i, from + run.planes + i, kCopyFloats * sizeof(float));
        }
      }
      if (count < tile_.width) std::fill(to + count, to + tile_.width, 0.0F);
      to += tile_.width;
    }
  }

  void run_tile(int block, const float* inputs, int positions, const std::vector<Run>& runs) const {
    const int rows = rows_of(block);
    alignas(64) float sums[kMaxChainTileFloats];
    ChainTile tile{rows, positions, inputs, 4};
    for (int i = 0; i < 4; ++i) {
      const int begin = chain_begin_[i];
      tile.chains[i] = {block_weights(block) + static_cast<std::int64_t>(begin) * rows,
                        offsets_.data() + begin, chain_begin_[i + 1] - begin};
    }
    tile.sums = sums;
    run_chain_tile(tile);
    for (int r = 0; r < rows; ++r) {
      store(block * tile_.rows + r, positions, runs, sums + r * tile_.width);
    }
  }

  void store(int oc, int positions, const std::vector<Run>& runs, float* sums) const {
    if (args_.using_bias) {
      const float bias = *args_.bias.at(0, oc, 0, 0);
      for (int i = 0; i < positions; ++i) sums[i] += bias;
    }
    float* channel = args_.output.at(0, oc, 0, 0);
    for (const Run& run : runs) {
      float* to = channel + run.image * args_.output.n + run.output;
      const float* from = sums + run.at;
      if (args_.result_add) {
        for (int i = 0; i < run.count; ++i) to[i] = from[i] + to[i];
      } else {
        std::memcpy(to, from, static_cast<std::size_t>(run.count) * sizeof(float));
      }
    }
  }

  const Conv2dArgs& args_;
  const ChainTileShape tile_;
  const int threads_;
  const ConvBands bands_;
  const int blocks_;
  std::vector<Step> steps_;
  int chain_begin_[5] = {};
  std::vector<std::int32_t> offsets_;  // of each step's inputs, from the tile's
  hwy::AlignedFreeUniquePtr<float[]> weights_;
};

}  // namespace

bool conv2d_simd(const Conv2dArgs& args) {
  FastConv2d fast(args);
  if (!fast.fits()) return false;
  fast.run();
  return true;
}

}  // namespace tensorlane
