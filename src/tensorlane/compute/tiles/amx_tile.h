// Tiles of integer products in the matrix registers that some x86 processors have (AMX): 32 rows by
// 32 positions, 64 products of bytes to each sum per instruction. As integer_tile.h otherwise.
//
// A process has to ask Linux for these registers once. From then on signals save 8 KB more: a
// signal stack (sigaltstack) that is too small for that is refused. Where a thread already has one,
// or the processor or the kernel has no AMX, there are no tiles of this kind.
#ifndef TENSORLANE_COMPUTE_TILES_AMX_TILE_H_
#define TENSORLANE_COMPUTE_TILES_AMX_TILE_H_

#include "tensorlane/compute/tiles/integer_tile.h"

namespace tensorlane {

// Asks once, on the first call.
bool has_amx();

TileShape amx_tile_shape();

// Sets up the registers of the calling thread, and frees them: around run_amx_tile.
TileScope amx_scope();

// The factors are bytes. Inputs are touched up to the next 16 positions, and for whole groups of
// steps.
void run_amx_tile(const IntegerTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_AMX_TILE_H_
