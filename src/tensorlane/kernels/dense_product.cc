// Phase planes feed tiles, as in conv2d_simd.cc: a task lays the input of one band out as phase
// planes, where each step is one contiguous read, and runs tiles of rows by positions over them.
#include "tensorlane/kernels/dense_product.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/kernels/chain_tile.h"
#include "tensorlane/kernels/conv2d_bands.h"
#include "tensorlane/kernels/half_tile.h"
#include "tensorlane/kernels/integer_tile.h"
#include "tensorlane/kernels/scratch.h"
#include "tensorlane/kernels/tasks.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kMostWords = 1LL << 27;
// Inputs of the tiles that follow each other with the same weights: in the second-level cache.
constexpr std::int64_t kGroupWords = 32 * 1024;
constexpr int kCopyWords = 8;

ChainTileShape tile_shape(ProductRule rule) {
  switch (rule) {
    case ProductRule::kFp32Chains:
      return chain_tile_shape();
    case ProductRule::kHalfBlocks:
      return half_tile_shape();
    case ProductRule::kInteger:
      break;
  }
  return integer_tile_shape();
}

std::int64_t multiply_adds(const DenseProduct& product) {
  return static_cast<std::int64_t>(product.n) * product.rows * product.window.output_h *
         product.window.output_w * static_cast<std::int64_t>(product.steps.size());
}

// The shape as the division into bands knows it; outputs count dense.
Conv2dArgs band_problem(const DenseProduct& product) {
  Conv2dArgs args;
  args.n = product.n;
  args.input_c = product.channels;
  args.input_h = product.h;
  args.input_w = product.w;
  args.output_c = product.rows;
  args.window = product.window;
  args.output.h = product.window.output_w;
  return args;
}

class FastProduct {
 public:
  FastProduct(const DenseProduct& product, const ProductSink& sink)
      : product_(product),
        sink_(sink),
        tile_(tile_shape(product.rule)),
        threads_(thread_count(multiply_adds(product))),
        problem_(band_problem(product)),
        bands_(problem_, tile_, threads_),
        blocks_((product.rows + tile_.rows - 1) / tile_.rows) {}

  bool fits() const {
    const std::int64_t weights =
        static_cast<std::int64_t>(product_.rows) * static_cast<std::int64_t>(product_.steps.size());
    return bands_.image_floats() <= kMostWords && weights <= kMostWords;
  }

  void run() {
    order_steps();
    pack_weights();
    const std::vector<Band>& bands = bands_.bands();
    // Splitting the rows repeats the layout work: only to occupy idle threads.
    const auto count = static_cast<int>(bands.size());
    const int groups = std::clamp(threads_ / count, 1, blocks_);
    for_each_task(static_cast<std::int64_t>(count) * groups, multiply_adds(product_),
                  [&](std::int64_t i) {
                    const int group = static_cast<int>(i % groups);
                    run_band(bands[static_cast<std::size_t>(i / groups)], blocks_ * group / groups,
                             blocks_ * (group + 1) / groups);
                  });
  }

 private:
  std::size_t length() const { return order_.size(); }

  // The steps as a tile takes them: chain by chain, block by block, or as they are.
  void order_steps() {
    const auto count = static_cast<int>(product_.steps.size());
    if (product_.rule == ProductRule::kFp32Chains) {
      for (int parity = 0; parity < 2; ++parity) {
        for (int k = parity; k < count; k += 2) order_.push_back(k);
        ends_.push_back(static_cast<int>(order_.size()));
      }
    } else {
      for (int k = 0; k < count; ++k) {
        order_.push_back(k);
        if (product_.steps[static_cast<std::size_t>(k)].ends_block) ends_.push_back(k + 1);
      }
    }
    for (const int k : order_) {
      const ProductStep& step = product_.steps[static_cast<std::size_t>(k)];
      inputs_.push_back(static_cast<std::int32_t>(step.channel * bands_.planes().channel_size()) +
                        bands_.planes().offset(step.kernel_h, step.kernel_w));
    }
    for (std::size_t k = 0; k < length(); ++k) {
      offsets_.push_back(bands_.packed() ? static_cast<std::int32_t>(k) * tile_.width : inputs_[k]);
    }
  }

  int rows_of(int block) const { return std::min(tile_.rows, product_.rows - block * tile_.rows); }

  float* block_weights(int block) const {
    return weights_.get() + static_cast<std::size_t>(block) * tile_.rows * length();
  }

  // Per block of rows: [step][row of the block].
  void pack_weights() {
    const std::size_t all = static_cast<std::size_t>(product_.rows) * length();
    weights_ = hwy::AllocateAligned<float>(all);
    for_each_task(blocks_, static_cast<std::int64_t>(all), [&](std::int64_t i) {
      const int block = static_cast<int>(i);
      const int rows = rows_of(block);
      for (int r = 0; r < rows; ++r) {
        const float* from =
            product_.weights + static_cast<std::size_t>(block * tile_.rows + r) * length();
        float* to = block_weights(block) + r;
        for (const int k : order_) {
          std::memcpy(to, from + k, sizeof(float));
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

  int tiles_per_group() const {
    if (bands_.packed()) return 1;
    const auto tile_words = static_cast<std::int64_t>(length()) * tile_.width;
    return static_cast<int>(std::clamp<std::int64_t>(kGroupWords / tile_words, 1, 8));
  }

  void run_band(const Band& band, int first_block, int end_block) const {
    const float* planes = lay_out(band);
    float* panel = nullptr;
    if (bands_.packed()) panel = thread_scratch<1>(length() * tile_.width + kCopyWords);
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
      if (bands_.packed()) pack_inputs(planes, group[0], panel);
      for (int block = first_block; block < end_block; ++block) {
        for (std::size_t i = 0; i < tiles; ++i) {
          run_tile(block, bands_.packed() ? panel : planes + group[i].first, group[i]);
        }
      }
    }
  }

  const float* lay_out(const Band& band) const {
    const std::int64_t size = bands_.planes().channel_size();
    const std::int64_t all = bands_.image_floats() * band.images;
    // Tiles and copies read whole vectors: the slack behind the planes is zero, not arbitrary.
    const std::int64_t slack = tile_.width + kCopyWords;
    float* planes = thread_scratch<0>(static_cast<std::size_t>(all + slack));
    float* to = planes;
    for (int image = 0; image < band.images; ++image) {
      for (int c = 0; c < product_.channels; ++c, to += size) {
        const float padding = product_.padding == nullptr ? 0.0F : product_.padding[c];
        bands_.planes().fill(product_.input, band.first_image + image, c, band.first_row, padding,
                             to);
      }
    }
    std::fill_n(to, slack, 0.0F);
    return planes;
  }

  // Writes the inputs of a tile to the panel: [step][position].
  void pack_inputs(const float* planes, const Positions& tile, float* panel) const {
    float* to = panel;
    for (const std::int32_t input : inputs_) {
      const float* from = planes + input;
      for (const Run& run : tile.runs) {  // ascending: a run overwrites the overrun before it
        for (int i = 0; i < run.count; i += kCopyWords) {
          std::memcpy(to + run.at + i, from + run.planes + i, kCopyWords * sizeof(float));
        }
      }
      if (tile.count < tile_.width) std::fill(to + tile.count, to + tile_.width, 0.0F);
      to += tile_.width;
    }
  }

  void run_tile(int block, const float* inputs, const Positions& at) const {
    const int rows = rows_of(block);
    alignas(64) float sums[kMaxChainTileFloats];
    alignas(64) float starts[2][kMaxChainTileFloats];
    const bool has_starts = sink_.has_starts();
    if (has_starts) {
      std::memset(starts, 0, sizeof starts);
      for_each_run(block, at, [&](const OutputRun& run, int first) {
        sink_.start(run, starts[0] + first, starts[1] + first);
      });
    }
    const float* weights = block_weights(block);
    switch (product_.rule) {
      case ProductRule::kFp32Chains: {
        ChainTile tile{rows, at.count, inputs, 2};
        for (int i = 0; i < 2; ++i) {
          const int begin = i == 0 ? 0 : ends_[0];
          tile.chains[i] = {weights + static_cast<std::int64_t>(begin) * rows,
                            offsets_.data() + begin, ends_[static_cast<std::size_t>(i)] - begin};
          if (has_starts) tile.starts[i] = starts[i];
        }
        tile.sums = sums;
        run_chain_tile(tile);
        break;
      }
      case ProductRule::kHalfBlocks:
        run_half_tile({rows, at.count, inputs, weights, offsets_.data(), ends_.data(),
                       static_cast<int>(ends_.size()), product_.specials,
                       has_starts ? starts[0] : nullptr, sums});
        break;
      case ProductRule::kInteger:
        run_integer_tile(
            {product_.factors, rows, at.count, inputs, weights, offsets_.data(),
             static_cast<int>(length()),
             product_.row_starts == nullptr ? nullptr : product_.row_starts + block * tile_.rows,
             sums});
        break;
    }
    for_each_run(block, at,
                 [&](const OutputRun& run, int first) { sink_.finish(run, sums + first); });
  }

  // visit(run, index of its first output in the tile)
  template <class Visit>
  void for_each_run(int block, const Positions& at, const Visit& visit) const {
    for (int r = 0; r < rows_of(block); ++r) {
      for (const Run& run : at.runs) {
        visit(OutputRun{run.image, block * tile_.rows + r, run.output, run.count},
              r * tile_.width + run.at);
      }
    }
  }

  const DenseProduct& product_;
  const ProductSink& sink_;
  const ChainTileShape tile_;
  const int threads_;
  const Conv2dArgs problem_;
  const ConvBands bands_;
  const int blocks_;
  std::vector<int> order_;             // steps as the tile takes them
  std::vector<std::int32_t> ends_;     // of chains or blocks, in `order_`
  std::vector<std::int32_t> inputs_;   // of each step, from the planes of an image
  std::vector<std::int32_t> offsets_;  // of each step's inputs, from the tile's
  hwy::AlignedFreeUniquePtr<float[]> weights_;
};

}  // namespace

bool run_dense_product(const DenseProduct& product, const ProductSink& sink) {
  FastProduct fast(product, sink);
  if (!fast.fits()) return false;
  fast.run();
  return true;
}

}  // namespace tensorlane
