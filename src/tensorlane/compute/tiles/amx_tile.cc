#include "tensorlane/compute/tiles/amx_tile.h"

#include "tensorlane/base/error.h"
#include "tensorlane/tensor/instruction_set.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tensorlane {
namespace {

constexpr int kAmxLanes = 16;  // rows of weights, or positions, of a register
constexpr int kAmxSteps = 16;  // words of a row of a register
constexpr int kAmxWidth = 2 * kAmxLanes;

}  // namespace

TileShape amx_tile_shape() {
  return {.rows = 2 * kAmxLanes, .width = kAmxWidth, .lanes = kAmxLanes, .step_group = kAmxSteps};
}

#if defined(__x86_64__) && defined(__linux__)
namespace {

bool ask_for_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  constexpr unsigned kTiles = 1U << 24;
  constexpr unsigned kBytes = 1U << 25;
  if ((edx & kTiles) == 0 || (edx & kBytes) == 0) return false;
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM of asm/prctl.h
  constexpr int kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// What `ldtilecfg` reads: every register holds 16 rows of 64 bytes.
struct alignas(64) AmxLayout {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr AmxLayout kAmxLayout;

[[gnu::target("amx-tile")]] void set_up_registers() {
  _tile_loadconfig(&kAmxLayout);
}
[[gnu::target("amx-tile")]] void free_registers() {
  _tile_release();
}

// Registers 0 to 3 hold the sums of both halves of the rows and of the positions, 4 and 5 weights,
// 6 and 7 inputs.
template <bool kUnsignedInputs>
[[gnu::target("amx-tile,amx-int8")]] void add_groups(const IntegerTile& tile) {
  const bool rows2 = tile.rows > kAmxLanes;
  const bool positions2 = tile.positions > kAmxLanes;
  const std::ptrdiff_t group_words = std::ptrdiff_t{rows2 ? 2 : 1} * kAmxLanes * kAmxSteps;
  const std::int32_t* weights = tile.weights;
  for (int k = 0; k < tile.length; k += kAmxSteps, weights += group_words) {
    const std::int32_t* inputs = tile.inputs + tile.offsets[k];
    const std::int64_t step_bytes = std::int64_t{4} * (tile.offsets[k + 1] - tile.offsets[k]);
    _tile_loadd(6, inputs, step_bytes);
    _tile_loadd(4, weights, 64);
    if (kUnsignedInputs) {
      _tile_dpbsud(0, 4, 6);
    } else {
      _tile_dpbusd(0, 4, 6);
    }
    if (positions2) {
      _tile_loadd(7, inputs + kAmxLanes, step_bytes);
      if (kUnsignedInputs) {
        _tile_dpbsud(1, 4, 7);
      } else {
        _tile_dpbusd(1, 4, 7);
      }
    }
    if (!rows2) continue;
    _tile_loadd(5, weights + kAmxLanes * kAmxSteps, 64);
    if (kUnsignedInputs) {
      _tile_dpbsud(2, 5, 6);
    } else {
      _tile_dpbusd(2, 5, 6);
    }
    if (!positions2) continue;
    if (kUnsignedInputs) {
      _tile_dpbsud(3, 5, 7);
    } else {
      _tile_dpbusd(3, 5, 7);
    }
  }
}

[[gnu::target("amx-tile,amx-int8")]] void run_in_registers(const IntegerTile& tile) {
  const std::int64_t row_bytes = std::int64_t{4} * tile.stride;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  if (tile.factors == IntegerFactors::kUnsignedInputs) {
    add_groups<true>(tile);
  } else {
    add_groups<false>(tile);
  }
  std::int32_t* lower = tile.sums + std::ptrdiff_t{kAmxLanes} * tile.stride;
  _tile_stored(0, tile.sums, row_bytes);
  _tile_stored(1, tile.sums + kAmxLanes, row_bytes);
  if (tile.rows > kAmxLanes) {
    _tile_stored(2, lower, row_bytes);
    _tile_stored(3, lower + kAmxLanes, row_bytes);
  }
}

}  // namespace

bool has_amx() {
  static const bool has = ask_for_amx();
  return has && may_use_every_instruction();
}

TileScope amx_scope() {
  return {set_up_registers, free_registers};
}

void run_amx_tile(const IntegerTile& tile) {
  run_in_registers(tile);
}
#else
bool has_amx() {
  return false;
}

TileScope amx_scope() {
  return {};
}

void run_amx_tile(const IntegerTile&) {
  throw InternalError("a tile for AMX on a processor without");
}
#endif

}  // namespace tensorlane
