// Sliding windows over the planes of a tensor (pooling, depthwise convolution), tiled and
// double-buffered. The operator supplies the one function that computes a tile.
#ifndef EXAMPLES_OKKERNEL_OPERATORS_WINDOW_TILES_H_
#define EXAMPLES_OKKERNEL_OPERATORS_WINDOW_TILES_H_

#include "operators.h"
#include "tile.h"

// A tile in local memory, aligned128, starting at NPU 0.
typedef struct {
  int first_channel;
  dim4 input_shape, output_shape;
  Padding padding;  // of this tile
  local_addr_t input, output;
  dim4 raw_shape;    // what the engine computes before thinning
  local_addr_t raw;  // where; equal to output when nothing is thinned out
} window_tile;

typedef void (*window_compute)(void* user, const window_tile* tile);

typedef struct {
  int images, channels;  // dense NCHW
  window rows, columns;
  // Steps of the window axes that are too large for the engine are taken in smaller steps, of which
  // every thinning.h-th row and thinning.w-th column is kept. {1, 1}: nothing to thin out.
  dim2 thinning;
  float cycles;  // of BDC per 16 outputs, for the choice of tiles
  // Few channels leave NPUs idle. Up to this many bands of output rows may then be computed side by
  // side: band b of channel c is channel b * channels + c of the tile.
  int max_bands;
  int reserved_words;  // per NPU, from address 0: the operator's own data
  // The operator needs two more buffers per NPU: one padded input plane and one output plane.
  bool needs_planes;
  system_addr_t input, output;
  window_blocks asked;
  window_compute compute;
  void* user;
  // Set by window_tiles_run before it issues anything.
  int bands;
  local_addr_t input_plane, output_plane;
  int input_plane_words;
} window_problem;

// Tiles, then runs `prepare` (may be NULL) and the pipeline.
void window_tiles_run(window_problem* problem, void (*prepare)(void* user));

#endif  // EXAMPLES_OKKERNEL_OPERATORS_WINDOW_TILES_H_
