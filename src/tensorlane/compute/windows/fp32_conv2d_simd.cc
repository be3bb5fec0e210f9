// Fast convolution: chain tiles over phase planes (band_tiles.h).
#include <array>
#include <cstring>
#include <vector>

#include "tensorlane/compute/bands/band_tiles.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/tiles/chain_tile.h"
#include "tensorlane/compute/windows/fp32_conv2d.h"

namespace tensorlane {
namespace {

ProductFrame frame_of(const Conv2dArgs& args) {
  return {.input = args.input,
          .n = args.n,
          .channels = args.input_c,
          .h = args.input_h,
          .w = args.input_w,
          .rows = args.output_c,
          .window = args.window,
          .output_pitch = args.output.h};
}

std::int64_t step_count(const Conv2dArgs& args) {
  return std::int64_t{args.input_c} * args.window.kernel_h * args.window.kernel_w;
}

class FastConv2d {
 public:
  explicit FastConv2d(const Conv2dArgs& args)
      : args_(args), shape_(chain_tile_shape()), tiles_(frame_of(args), shape_, step_count(args)) {}

  bool fits() const { return has_dense_rows(args_.output) && tiles_.fits(); }

  void run() {
    list_steps();
    tiles_.pack_weights([&](int oc, float* scratch) -> const float* {
      const float* from = args_.weight.at(0, oc, 0, 0);
      float* to = scratch;
      for (const std::int64_t weight : weights_) *to++ = from[weight];
      return scratch;
    });
    tiles_.run({}, nullptr, [&](const BandTile<float>& tile) { run_tile(tile); });
  }

 private:
  // All steps, chain after chain in the order in which a tile joins them: both parities of the
  // first channel of a pair, then of the second.
  void list_steps() {
    struct Step {
      int channel, kernel_h, kernel_w;
    };
    std::array<std::vector<Step>, 4> chains;
    int step = 0;
    for (int kh = 0; kh < args_.window.kernel_h; ++kh) {
      for (int kw = 0; kw < args_.window.kernel_w; ++kw) {
        for (int ic = 0; ic < args_.input_c; ++ic) {
          chains[static_cast<std::size_t>(2 * (ic % 2) + (step + ic / 2) % 2)].push_back(
              {ic, kh, kw});
        }
        step += (args_.input_c + 1) / 2;
      }
    }
    const LocalView& weight = args_.weight;
    for (int i = 0; i < 4; ++i) {
      for (const auto& [ic, kh, kw] : chains[static_cast<std::size_t>(i)]) {
        tiles_.add_step(ic, kh, kw);
        weights_.push_back(2 * (ic / 2 * weight.n + kh * weight.h + kw * weight.w) + ic % 2);
      }
      chain_begin_[i + 1] = static_cast<int>(weights_.size());
    }
  }

  void run_tile(const BandTile<float>& at) const {
    alignas(64) float sums[kMaxTileWords];
    ChainTile tile{at.rows, at.positions, at.inputs, 4};
    for (int i = 0; i < 4; ++i) {
      const int begin = chain_begin_[i];
      tile.chains[i] = {at.weights + static_cast<std::int64_t>(begin) * at.rows, at.offsets + begin,
                        chain_begin_[i + 1] - begin};
    }
    tile.sums = sums;
    run_chain_tile(tile);
    for (int r = 0; r < at.rows; ++r) store(at, at.first_row + r, sums + r * shape_.width);
  }

  void store(const BandTile<float>& at, int oc, float* sums) const {
    if (args_.using_bias) {
      const float bias = *args_.bias.at(0, oc, 0, 0);
      for (int i = 0; i < at.positions; ++i) sums[i] += bias;
    }
    float* channel = args_.output.at(0, oc, 0, 0);
    for (const Run& run : at.runs) {
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
  const TileShape shape_;
  BandTiles<float> tiles_;
  std::vector<std::int64_t> weights_;  // of each step, in floats from the first of the channel
  int chain_begin_[5] = {};            // steps
};

}  // namespace

bool conv2d_simd(const Conv2dArgs& args) {
  FastConv2d fast(args);
  if (!fast.fits()) return false;
  fast.run();
  return true;
}

}  // namespace tensorlane
