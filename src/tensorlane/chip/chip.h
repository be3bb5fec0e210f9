// Chips as tables of constants. Nothing below the front ends knows a chip by name: code takes a
// `Chip` and reads what it needs. A chip is one file of chip/chips; see CONTRIBUTING.md.
#ifndef TENSORLANE_CHIP_CHIP_H_
#define TENSORLANE_CHIP_CHIP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tensorlane/chip/kernel_interface.h"
#include "tensorlane/chip/timing_parameters.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// The memories of a device.
enum class Space : std::uint8_t { kLocal, kGlobal, kL2, kDtcm, kStatic };
inline constexpr int kSpaces = 5;
std::string_view space_name(Space space);

// A window of the system address map. Offsets into the memory start at 0 at `begin`.
struct Region {
  Space space;
  std::uint64_t begin;
  std::uint64_t bytes;
  std::string_view source;  // where the figures come from
};

struct Chip {
  std::string_view name;  // as the command line spells it: "bm1684"
  std::string_view full_name;
  LocalMemory local;
  int banks_per_npu;
  int eu_bytes;  // bytes an NPU's execution units handle per step
  // Neighbouring outputs of a channel that an NPU makes per step in the timing model: as many
  // whatever their dtype, or, with 0, as many as `eu_bytes` holds.
  int step_outputs;
  std::uint32_t chip_id;
  int cores = 1;                     // that a launch may run on
  bool has_fp8 = false;              // the two types of 8-bit floats are among its element types
  std::vector<Region> regions;       // the first region of a space is the one that names it
  std::uint64_t global_alloc_begin;  // first address the host allocator gives out
  // The part of L2 and DTCM that programs may use, absolute addresses.
  std::uint64_t l2_user_begin, l2_user_bytes;
  std::uint64_t dtcm_user_begin, dtcm_user_bytes;
  std::uint64_t lookup_offset, lookup_bytes;  // user lookup tables, offset inside L2
  const KernelInterface& api;                 // what its kernels are written in
  // What static memory holds when the device starts; empty where the chip has no such memory.
  std::span<const std::byte> static_contents = {};
  // Functions of the interface that this chip does not have: calling one ends the launch.
  std::vector<std::string_view> missing_functions = {};
  TimingParameters timing = {};
  std::vector<TimingSource> timing_sources = {};  // of those parameters that are known
  // The same fitted on every other published case, for validation; nothing where no board times
  // are published.
  std::optional<TimingParameters> timing_of_even_cases = {};

  std::uint64_t local_bytes() const {
    return static_cast<std::uint64_t>(local.npus) * static_cast<std::uint64_t>(local.npu_bytes);
  }
  std::int64_t outputs_per_step(Dtype dtype) const {
    return step_outputs != 0 ? step_outputs : eu_bytes * 8 / dtype_bits(dtype);
  }
  bool has(Space space) const;
  bool has_function(std::string_view function) const;
  // Where it has a parameter of its times from; null where nothing public says.
  const TimingSource* source(double TimingParameters::*value) const;
  // Internal error when the chip has no such memory.
  const Region& region(Space space) const;

  // The memory that holds system address `address`, and the offset in it; nothing for a hole.
  struct Place {
    Space space;
    std::uint64_t offset;
    std::uint64_t bytes_left;
  };
  std::optional<Place> find(std::uint64_t address) const;
};

// The chips that front ends and tests name.
const Chip& bm1684();
const Chip& bm1684x();
// All chips, by name.
std::span<const Chip* const> all_chips();
// The chip called `name`; UserError with the nearest spelling otherwise.
const Chip& find_chip(std::string_view name);

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_CHIP_H_
