#include "tensorlane/compute/tiles/integer_tile_kinds.h"

#include <algorithm>
#include <array>

#include "tensorlane/base/error.h"
#include "tensorlane/compute/tiles/amx_tile.h"

namespace tensorlane {
namespace {

constexpr int kFewestAmxRows = 9;

constexpr std::array<IntegerTileKind, 2> kKinds{{
    {"amx",
     [](IntegerFactors factors, int rows) {
       return factors != IntegerFactors::kPairs && rows >= kFewestAmxRows && has_amx();
     },
     amx_tile_shape, amx_scope, run_amx_tile, nullptr},
    {"vectors", [](IntegerFactors, int) { return true; }, integer_tile_shape,
     [] { return TileScope(); }, run_integer_tile, run_integer_rows},
}};
std::size_t first_kind = 0;

}  // namespace

std::span<const IntegerTileKind> integer_tile_kinds() {
  return kKinds;
}

const IntegerTileKind& integer_tiles_for(IntegerFactors factors, int rows) {
  return *std::find_if(kKinds.begin() + first_kind, kKinds.end(),
                       [&](const IntegerTileKind& kind) { return kind.handles(factors, rows); });
}

void leave_out_tiles_before(std::string_view name) {
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const IntegerTileKind& each) {
    return name.empty() || each.name == name;
  });
  if (kind == kKinds.end()) {
    throw UserError("no kind of integer tiles has this name: " + std::string(name));
  }
  first_kind = static_cast<std::size_t>(kind - kKinds.begin());
}

}  // namespace tensorlane
