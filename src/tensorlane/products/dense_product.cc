#include "tensorlane/products/dense_product.h"

#include <cstring>

#include "tensorlane/products/block_tile.h"
#include "tensorlane/products/integer_tile.h"
#include "tensorlane/tiles/band_tiles.h"
#include "tensorlane/tiles/chain_tile.h"

namespace tensorlane {
namespace {

ChainTileShape tile_shape(ProductRule rule) {
  switch (rule) {
    case ProductRule::kFp32Chains:
      return chain_tile_shape();
    case ProductRule::kBlockSums:
      return block_tile_shape();
    case ProductRule::kInteger:
      break;
  }
  return integer_tile_shape();
}

// Outputs count dense.
ProductFrame frame_of(const DenseProduct& product) {
  return {.input = product.input,
          .n = product.n,
          .channels = product.channels,
          .h = product.h,
          .w = product.w,
          .rows = product.rows,
          .window = product.window,
          .output_pitch = product.window.output_w};
}

class FastProduct {
 public:
  FastProduct(const DenseProduct& product, const ProductSink& sink)
      : product_(product),
        sink_(sink),
        shape_(tile_shape(product.rule)),
        tiles_(frame_of(product), shape_, static_cast<std::int64_t>(product.steps.size())) {}

  bool fits() const { return tiles_.fits(); }

  void run() {
    order_steps();
    tiles_.pack_weights([&](int row, float* to, int stride) {
      const float* from = product_.weights + static_cast<std::size_t>(row) * order_.size();
      for (const int k : order_) {
        std::memcpy(to, from + k, sizeof(float));
        to += stride;
      }
    });
    tiles_.run(product_.padding, [&](const BandTile& tile) { run_tile(tile); });
  }

 private:
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
      tiles_.add_step(step.channel, step.kernel_h, step.kernel_w);
    }
  }

  void run_tile(const BandTile& at) const {
    alignas(64) float sums[kMaxChainTileFloats];
    alignas(64) float starts[2][kMaxChainTileFloats];
    const bool has_starts = sink_.has_starts();
    if (has_starts) {
      std::memset(starts, 0, sizeof starts);
      for_each_run(at, [&](const OutputRun& run, int first) {
        sink_.start(run, starts[0] + first, starts[1] + first);
      });
    }
    switch (product_.rule) {
      case ProductRule::kFp32Chains: {
        ChainTile tile{at.rows, at.positions, at.inputs, 2};
        for (int i = 0; i < 2; ++i) {
          const int begin = i == 0 ? 0 : ends_[0];
          tile.chains[i] = {at.weights + static_cast<std::int64_t>(begin) * at.rows,
                            at.offsets + begin, ends_[static_cast<std::size_t>(i)] - begin};
          if (has_starts) tile.starts[i] = starts[i];
        }
        tile.sums = sums;
        run_chain_tile(tile);
        break;
      }
      case ProductRule::kBlockSums:
        run_block_tile({at.rows, at.positions, at.inputs, at.weights, at.offsets, ends_.data(),
                        static_cast<int>(ends_.size()), product_.specials,
                        has_starts ? starts[0] : nullptr, sums});
        break;
      case ProductRule::kInteger:
        run_integer_tile(
            {product_.factors, at.rows, at.positions, at.inputs, at.weights, at.offsets,
             static_cast<int>(order_.size()),
             product_.row_starts == nullptr ? nullptr : product_.row_starts + at.first_row, sums});
        break;
    }
    for_each_run(at, [&](const OutputRun& run, int first) { sink_.finish(run, sums + first); });
  }

  // visit(run, index of its first output in the tile)
  template <class Visit>
  void for_each_run(const BandTile& at, const Visit& visit) const {
    for (int r = 0; r < at.rows; ++r) {
      for (const Run& run : at.runs) {
        visit(OutputRun{run.image, at.first_row + r, run.output, run.count},
              r * shape_.width + run.at);
      }
    }
  }

  const DenseProduct& product_;
  const ProductSink& sink_;
  const ChainTileShape shape_;
  BandTiles tiles_;
  std::vector<int> order_;          // steps as the tile takes them
  std::vector<std::int32_t> ends_;  // of chains or blocks, in `order_`
};

}  // namespace

bool run_dense_product(const DenseProduct& product, const ProductSink& sink) {
  FastProduct fast(product, sink);
  if (!fast.fits()) return false;
  fast.run();
  return true;
}

}  // namespace tensorlane
