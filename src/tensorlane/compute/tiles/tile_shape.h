// The size of a tile, and the choice of the loop that was compiled for it.
//
// A tile is `rows` output channels (or matrix rows) by up to `width` positions (pixels, matrix
// columns) whose sums stay in registers. That takes a loop per number of rows and of vectors, all
// known to the compiler.
#ifndef TENSORLANE_COMPUTE_TILES_TILE_SHAPE_H_
#define TENSORLANE_COMPUTE_TILES_TILE_SHAPE_H_

#include <array>
#include <cstddef>
#include <utility>

namespace tensorlane {

constexpr int kMaxTileRows = 32;
constexpr int kMaxTileWords = 32 * 32;  // rows * width of any processor's tile

struct TileShape {
  int rows;   // most rows of a tile
  int width;  // most positions of a tile
  int lanes;  // positions of one vector; inputs are read in whole vectors
  // Steps that are multiplied at once. Their inputs are equally far apart, and weights lie as
  // [step / step_group][row][step mod step_group], rows filled up to `lanes` with zeros when there
  // is more than one to the group.
  int step_group = 1;
  // Whether the inputs of a tile are better packed when several blocks of rows share them: where a
  // product takes long, packing costs little beside it.
  bool packed = false;
};

// What a thread does before its first and after its last tile of some; null: nothing.
struct TileScope {
  void (*enter)() = nullptr;
  void (*leave)() = nullptr;
};

class InTileScope {
 public:
  explicit InTileScope(const TileScope& scope) : scope_(scope) {
    if (scope_.enter != nullptr) scope_.enter();
  }
  ~InTileScope() {
    if (scope_.leave != nullptr) scope_.leave();
  }
  InTileScope(const InTileScope&) = delete;
  InTileScope& operator=(const InTileScope&) = delete;

 private:
  const TileScope scope_;
};

// Runs Loop<tile.rows, vectors>::run(tile), where `vectors` of kLanes hold the tile's positions.
template <template <int, int> class Loop, int kRows, int kVectors, int kLanes, class Tile>
void run_for_size(const Tile& tile) {
  using Run = void (*)(const Tile&);
  static constexpr auto kLoops = []<int... kIndex>(std::integer_sequence<int, kIndex...>) {
    return std::array<Run, sizeof...(kIndex)>{
        &Loop<kIndex / kVectors + 1, kIndex % kVectors + 1>::run...};
  }
  (std::make_integer_sequence<int, kRows * kVectors>());
  const int vectors = (tile.positions + kLanes - 1) / kLanes;
  kLoops[static_cast<std::size_t>((tile.rows - 1) * kVectors + vectors - 1)](tile);
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_TILE_SHAPE_H_
