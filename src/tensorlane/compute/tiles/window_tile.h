// The inner loop of depthwise convolution and pooling: one channel, all positions of a band.
#ifndef TENSORLANE_COMPUTE_TILES_WINDOW_TILE_H_
#define TENSORLANE_COMPUTE_TILES_WINDOW_TILE_H_

#include <cstdint>

namespace tensorlane {

// Positions are computed in whole blocks: `inputs` is read and `out` written up to this many words
// behind the last position.
constexpr std::int64_t kWindowSlack = 64;

// A window over phase planes of floats or std::int32_t: kernel position t reads inputs[offsets[t] +
// q] for output q.
template <class Word>
struct WindowTile {
  const Word* inputs = nullptr;
  const std::int32_t* offsets = nullptr;
  int length = 0;  // kernel positions
  std::int64_t positions = 0;
  Word* out = nullptr;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_WINDOW_TILE_H_
