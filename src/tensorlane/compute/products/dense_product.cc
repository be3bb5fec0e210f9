#include "tensorlane/compute/products/dense_product.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "tensorlane/compute/bands/band_tiles.h"
#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/products/integer_strips.h"
#include "tensorlane/compute/products/shared_logs.h"
#include "tensorlane/compute/products/streamed_product.h"
#include "tensorlane/compute/products/strip_product.h"
#include "tensorlane/compute/tiles/block_tile.h"
#include "tensorlane/compute/tiles/chain_tile.h"
#include "tensorlane/compute/tiles/integer_tile_kinds.h"

namespace tensorlane {
namespace {

// The steps as a tile takes them.
struct StepOrder {
  std::vector<int> steps;
  std::vector<std::int32_t> ends;  // of chains or blocks, in `steps`
};

// As they are, block by block.
StepOrder in_order(const std::vector<ProductStep>& steps) {
  StepOrder order;
  for (int k = 0; k < static_cast<int>(steps.size()); ++k) {
    order.steps.push_back(k);
    if (steps[static_cast<std::size_t>(k)].ends_block) order.ends.push_back(k + 1);
  }
  return order;
}

// Chain by chain.
StepOrder by_parity(const std::vector<ProductStep>& steps) {
  StepOrder order;
  for (int parity = 0; parity < 2; ++parity) {
    for (int k = parity; k < static_cast<int>(steps.size()); k += 2) order.steps.push_back(k);
    order.ends.push_back(static_cast<int>(order.steps.size()));
  }
  return order;
}

// visit(run, index of its first output in the tile)
template <class Visit>
void for_each_run(const BandTile<float>& at, const TileShape& shape, const Visit& visit) {
  for (int r = 0; r < at.rows; ++r) {
    for (const Run& run : at.runs) {
      visit(OutputRun{run.image, at.first_row + r, run.output, run.count},
            r * shape.width + run.at);
    }
  }
}

// Makes the tiles of a product ready to run; false when it does not fit.
template <class Word>
bool prepare(const DenseOperands<Word>& operands, const StepOrder& order, BandTiles<Word>& tiles) {
  if (!tiles.fits()) return false;
  for (const int k : order.steps) {
    const ProductStep& step = operands.steps[static_cast<std::size_t>(k)];
    tiles.add_step(step.channel, step.kernel_h, step.kernel_w);
  }
  const bool as_they_are = std::is_sorted(order.steps.begin(), order.steps.end());
  tiles.pack_weights([&](int row, Word* scratch) {
    const Word* from = operands.weights + static_cast<std::size_t>(row) * order.steps.size();
    if (as_they_are) return from;
    Word* to = scratch;
    for (const int k : order.steps) *to++ = from[k];
    return static_cast<const Word*>(scratch);
  });
  return true;
}

// Sums of two chains; starts are null or one per chain.
void run_chains(const BandTile<float>& at, const StepOrder& order, const float* const starts[2],
                float* sums) {
  ChainTile tile{at.rows, at.positions, at.inputs, 2};
  for (int i = 0; i < 2; ++i) {
    const int begin = i == 0 ? 0 : order.ends[0];
    tile.chains[i] = {at.weights + static_cast<std::int64_t>(begin) * at.rows, at.offsets + begin,
                      order.ends[static_cast<std::size_t>(i)] - begin};
    tile.starts[i] = starts[i];
  }
  tile.sums = sums;
  run_chain_tile(tile);
}

// The logarithms of inputs last as long as their tiles do: so many rows take the tiles of one place
// one after the other.
struct TileLogs {
  std::array<SharedLogs::Inputs, kMostTilesInTurn> of_turn;
};

void run_blocks(const BlockTile& tile, const BandTile<float>& at, const SharedLogs& logs) {
  thread_local TileLogs kept;
  SharedLogs::Inputs& inputs = kept.of_turn[static_cast<std::size_t>(at.turn)];
  if (at.first_block) {
    auto* const to = thread_scratch<0, std::int16_t>(kMostTilesInTurn * logs.words());
    inputs = logs.of_inputs(tile.inputs, tile.offsets, tile.positions,
                            to + static_cast<std::size_t>(at.turn) * logs.words());
  }
  logs.run(tile, at.first_row, inputs);
}

}  // namespace

bool run_product(const FloatProduct& product, const FloatSink& sink) {
  const DenseOperands<float>& operands = product.operands;
  const bool chains = product.rule == ProductRule::kFp32Chains;
  if (!chains && operands.read && is_streamed(operands.frame)) {
    stream_product(product, sink);
    return true;
  }
  if (operands.read && is_matrix_product(operands.frame)) return strip_product(product, sink);
  const TileShape shape = chains ? chain_tile_shape() : block_tile_shape();
  const StepOrder order = chains ? by_parity(operands.steps) : in_order(operands.steps);
  BandTiles<float> tiles(operands.frame, shape, static_cast<std::int64_t>(order.steps.size()));
  if (!prepare(operands, order, tiles)) return false;
  std::optional<SharedLogs> logs;
  if (!chains) logs.emplace(tiles.packed_weights(), operands.frame.rows, tiles.steps());
  tiles.run(operands.read, operands.padding, [&](const BandTile<float>& at) {
    alignas(64) float sums[kMaxTileWords];
    alignas(64) float starts[2][kMaxTileWords];
    const float* used[2] = {};
    if (sink.has_starts()) {
      std::memset(starts, 0, sizeof starts);
      for_each_run(at, shape, [&](const OutputRun& run, int first) {
        sink.start(run, starts[0] + first, starts[1] + first);
      });
      used[0] = starts[0];
      used[1] = starts[1];
    }
    if (chains) {
      run_chains(at, order, used, sums);
    } else {
      run_blocks({at.rows, at.positions, at.inputs, at.weights, at.offsets, order.ends.data(),
                  static_cast<int>(order.ends.size()), product.specials(), used[0], sums},
                 at, *logs);
    }
    for_each_run(at, shape,
                 [&](const OutputRun& run, int first) { sink.finish(run, sums + first); });
  });
  return true;
}

bool run_product(const IntegerProduct& product, const IntegerSink& sink) {
  const DenseOperands<std::int32_t>& operands = product.operands;
  if (operands.read && is_streamed(operands.frame)) {
    stream_product(product, sink);
    return true;
  }
  const IntegerTileKind& kind = integer_tiles_for(product.factors, operands.frame.rows);
  const TileShape shape = kind.shape();
  if (operands.read && is_matrix_product(operands.frame) && shape.step_group == 1) {
    strip_product(product, sink);
    return true;
  }
  BandTiles<std::int32_t> tiles(operands.frame, shape,
                                static_cast<std::int64_t>(operands.steps.size()));
  if (!prepare(operands, in_order(operands.steps), tiles)) return false;
  const std::vector<std::int32_t> ones = tiles.spread(product.ones);
  tiles.run(
      operands.read, operands.padding,
      [&](const BandTile<std::int32_t>& at) {
        alignas(64) std::int32_t sums[kMaxTileWords];
        IntegerTile tile{.factors = product.factors,
                         .rows = at.rows,
                         .positions = at.positions,
                         .inputs = at.inputs,
                         .weights = at.weights,
                         .offsets = at.offsets,
                         .length = tiles.steps(),
                         .sums = sums,
                         .stride = shape.width};
        kind.run(tile);
        const std::int32_t* input_sums = nullptr;
        if (!product.ones.empty()) {
          tile.weights = ones.data();
          tile.sums = thread_scratch<4, std::int32_t>(kMostTilesInTurn * kMaxTileWords) +
                      std::ptrdiff_t{at.turn} * kMaxTileWords;
          if (at.first_block) run_integer_row(tile);
          input_sums = tile.sums;
        }
        for (const Run& run : at.runs) {
          sink.finish({run.image, at.first_row, run.output, run.count}, at.rows, sums + run.at,
                      shape.width, input_sums == nullptr ? nullptr : input_sums + run.at);
        }
      },
      kind.scope());
  return true;
}

}  // namespace tensorlane
