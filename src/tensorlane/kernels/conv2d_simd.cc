// Fast convolution: phase planes feed chain tiles.
//
// A task is one image, one band of output rows and a group of output channels. It lays the input
// of its band out as phase planes, where each step of a chain is one contiguous read, and runs
// tiles of output channels by positions over them. Weights are repacked once for all tasks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "tensorlane/kernels/chain_tile.h"
#include "tensorlane/kernels/conv2d.h"
#include "tensorlane/kernels/parallel.h"
#include "tensorlane/kernels/phase_planes.h"
#include "tensorlane/kernels/scratch.h"

namespace tensorlane {
namespace {

// Planes of a band should stay in the second-level cache beside the weights.
constexpr std::int64_t kBandFloats = 128 * 1024;
// 256 MiB, which only inputs that repeat themselves (stride 0) or huge dilations exceed.
constexpr std::int64_t kMostBandFloats = 1LL << 26;

struct Step {
  int ic, kh, kw;
};

class FastConv2d {
 public:
  explicit FastConv2d(const Conv2dArgs& args)
      : args_(args),
        tile_(chain_tile_shape()),
        work_(static_cast<std::int64_t>(args.n) * args.output_c * args.window.output_h *
              args.window.output_w * args.input_c * args.window.kernel_h * args.window.kernel_w),
        threads_(thread_count(work_)),
        band_rows_(choose_band_rows()),
        planes_(args.window, args.input_h, args.input_w, band_rows_) {}

  bool fits() const {
    return args_.output.w == 1 && planes_.channel_size() * args_.input_c <= kMostBandFloats;
  }

  void run() {
    list_steps();
    pack_weights();
    const int bands = (args_.window.output_h + band_rows_ - 1) / band_rows_;
    const int blocks = (args_.output_c + tile_.rows - 1) / tile_.rows;
    // Splitting the output channels repeats the layout work: only to occupy idle threads.
    const int groups = std::clamp(threads_ / (args_.n * bands), 1, blocks);
    for_each_task(static_cast<std::int64_t>(args_.n) * bands * groups, work_, [&](std::int64_t i) {
      const int group = static_cast<int>(i % groups);
      const int band = static_cast<int>(i / groups % bands);
      const int n = static_cast<int>(i / groups / bands);
      run_band(n, band * band_rows_, blocks * group / groups, blocks * (group + 1) / groups);
    });
  }

 private:
  int choose_band_rows() const {
    const PhasePlanes one_row(args_.window, args_.input_h, args_.input_w, 1);
    const PhasePlanes two_rows(args_.window, args_.input_h, args_.input_w, 2);
    const std::int64_t row = (two_rows.channel_size() - one_row.channel_size()) * args_.input_c;
    const std::int64_t halo = one_row.channel_size() * args_.input_c - row;
    const int output_h = args_.window.output_h;
    const auto in_cache = std::clamp<std::int64_t>((kBandFloats - halo) / row, 1, output_h);
    // Bands of equal height, and enough of them for all threads.
    const auto for_cache = (output_h + in_cache - 1) / in_cache;
    const auto for_threads = std::min<std::int64_t>((threads_ + args_.n - 1) / args_.n, output_h);
    const auto bands = std::max(for_cache, for_threads);
    return static_cast<int>((output_h + bands - 1) / bands);
  }

  // Chains in the order in which the tile joins them: both parities of lane 0, then of lane 1.
  void list_steps() {
    const Window2d& window = args_.window;
    int step = 0;
    for (int kh = 0; kh < window.kernel_h; ++kh) {
      for (int kw = 0; kw < window.kernel_w; ++kw) {
        for (int ic = 0; ic < args_.input_c; ic += 2, ++step) {
          steps_[step % 2].push_back({ic, kh, kw});
          if (ic + 1 < args_.input_c) steps_[2 + step % 2].push_back({ic + 1, kh, kw});
        }
      }
    }
    for (int chain = 0; chain < 4; ++chain) {
      for (const Step& s : steps_[chain]) {
        offsets_[chain].push_back(
            static_cast<std::int32_t>(s.ic * planes_.channel_size() + planes_.offset(s.kh, s.kw)));
      }
    }
  }

  std::int64_t all_steps() const {
    return static_cast<std::int64_t>(args_.input_c) * args_.window.kernel_h * args_.window.kernel_w;
  }

  int rows_of(int block) const { return std::min(tile_.rows, args_.output_c - block * tile_.rows); }

  // Per block of output channels, per chain: [step][channel of the block].
  void pack_weights() {
    packed_ = hwy::AllocateAligned<float>(static_cast<std::size_t>(args_.output_c * all_steps()));
    for (int oc = 0; oc < args_.output_c; ++oc) {
      const int block = oc / tile_.rows;
      const int rows = rows_of(block);
      float* to = packed_.get() + block * tile_.rows * all_steps() + oc % tile_.rows;
      for (const auto& chain : steps_) {
        for (const Step& s : chain) {
          *to = args_.weight.at(s.ic / 2, oc, s.kh, s.kw)[s.ic % 2];
          to += rows;
        }
      }
    }
  }

  void run_band(int n, int first_row, int first_block, int end_block) const {
    const int rows = std::min(band_rows_, args_.window.output_h - first_row);
    const std::int64_t size = planes_.channel_size();
    // A tile reads whole vectors: the slack behind the last plane is zero, not arbitrary.
    float* planes = thread_scratch<0>(static_cast<std::size_t>(size * args_.input_c) + tile_.width);
    for (int c = 0; c < args_.input_c; ++c) {
      planes_.fill(args_.input, n, c, first_row, 0.0F, planes + c * size);
    }
    std::fill_n(planes + size * args_.input_c, tile_.width, 0.0F);

    const std::int64_t positions = planes_.positions(rows);
    for (std::int64_t q = 0; q < positions; q += tile_.width) {
      for (int block = first_block; block < end_block; ++block) {
        run_tile(n, first_row, block, planes, q,
                 static_cast<int>(std::min<std::int64_t>(tile_.width, positions - q)));
      }
    }
  }

  void run_tile(int n, int first_row, int block, const float* planes, std::int64_t first_position,
                int positions) const {
    const int rows = rows_of(block);
    alignas(64) float sums[kMaxChainTileFloats];
    ChainTile tile{rows, positions, planes + first_position, 4};
    const float* weights = packed_.get() + block * tile_.rows * all_steps();
    for (int chain = 0; chain < 4; ++chain) {
      const int length = static_cast<int>(offsets_[chain].size());
      tile.chains[chain] = {weights, offsets_[chain].data(), length};
      weights += static_cast<std::int64_t>(length) * rows;
    }
    tile.sums = sums;
    run_chain_tile(tile);
    for (int r = 0; r < rows; ++r) {
      const int oc = block * tile_.rows + r;
      float* row = sums + r * tile_.width;
      if (args_.using_bias) {
        const float bias = *args_.bias.at(0, oc, 0, 0);
        for (int i = 0; i < positions; ++i) row[i] += bias;
      }
      store(n, oc, first_row, first_position, positions, row);
    }
  }

  void store(int n, int oc, int first_row, std::int64_t first_position, int positions,
             const float* sums) const {
    const int pitch = planes_.pitch();
    const int output_w = args_.window.output_w;
    if (pitch == output_w && args_.output.h == output_w) {
      store_run(args_.output.at(n, oc, first_row, 0) + first_position, sums, positions);
      return;
    }
    int row = static_cast<int>(first_position / pitch);
    int column = static_cast<int>(first_position % pitch);
    for (int done = 0; done < positions;) {
      const int count = std::min(positions - done, output_w - column);
      if (count > 0) {
        store_run(args_.output.at(n, oc, first_row + row, column), sums + done, count);
      }
      done += pitch - column;
      column = 0;
      ++row;
    }
  }

  void store_run(float* to, const float* sums, int count) const {
    if (args_.result_add) {
      for (int i = 0; i < count; ++i) to[i] = sums[i] + to[i];
    } else {
      std::memcpy(to, sums, static_cast<std::size_t>(count) * sizeof(float));
    }
  }

  const Conv2dArgs& args_;
  const ChainTileShape tile_;
  const std::int64_t work_;
  const int threads_;
  const int band_rows_;
  const PhasePlanes planes_;
  std::vector<Step> steps_[4];
  std::vector<std::int32_t> offsets_[4];
  hwy::AlignedFreeUniquePtr<float[]> packed_;
};

}  // namespace

bool conv2d_simd(const Conv2dArgs& args) {
  FastConv2d fast(args);
  if (!fast.fits()) return false;
  fast.run();
  return true;
}

}  // namespace tensorlane
