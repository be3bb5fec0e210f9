// The kinds of tiles that integer products run in, fastest first, and which one a product takes:
// the first that handles it.
//
//   amx      bytes, on processors with AMX, from 9 rows on: fewer leave its registers mostly empty
//   vectors  everything
#ifndef TENSORLANE_COMPUTE_TILES_INTEGER_TILE_KINDS_H_
#define TENSORLANE_COMPUTE_TILES_INTEGER_TILE_KINDS_H_

#include <span>
#include <string_view>

#include "tensorlane/compute/tiles/integer_tile.h"

namespace tensorlane {

struct IntegerTileKind {
  std::string_view name;
  bool (*handles)(IntegerFactors factors, int rows);
  TileShape (*shape)();
  TileScope (*scope)();
  void (*run)(const IntegerTile& tile);       // in a scope
  void (*run_rows)(const IntegerRows& rows);  // null: results do not leave these tiles so
};

std::span<const IntegerTileKind> integer_tile_kinds();

const IntegerTileKind& integer_tiles_for(IntegerFactors factors, int rows);

// From now on kinds before the one of this name are left out; empty: none. Throws UserError for
// other names. For tests and benchmarks, while no product runs.
void leave_out_tiles_before(std::string_view name);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_INTEGER_TILE_KINDS_H_
