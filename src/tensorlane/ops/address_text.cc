#include "tensorlane/ops/address_text.h"
#include "tensorlane/base/language.h"

#include <fmt/format.h>

namespace tensorlane {
namespace {

constexpr std::uint64_t kUpperHalf = ~std::uint64_t{0xffffffff};
constexpr std::string_view kSigned =
    msg("compute offsets in signed 64 bits, and look for a difference that goes below zero");

}  // namespace

AddressText explain_system_address(const Chip& chip, std::uint64_t address) {
  constexpr std::uint64_t kOverflow = std::uint64_t{1} << 32, kHostBegin = std::uint64_t{1} << 44,
                          kHostEnd = std::uint64_t{1} << 47;
  if (static_cast<std::int64_t>(address) < 0)
    return {tr(", which is {}", static_cast<std::int64_t>(address)),
            std::string(translated(kSigned))};
  if (address >= kHostBegin && address < kHostEnd) {
    return {
        tr(", an address of the host's memory"),
        tr("copy the data to device memory with bm_memcpy_s2d and pass the address of that; the "
           "GDMA reaches no memory of the host")};
  }
  if (address == 0) {
    return {tr(", a null address"),
            tr("set this address before the launch: a member that the host left out is 0")};
  }
  const Region& global = chip.region(Space::kGlobal);
  const std::uint64_t whole = (global.begin & kUpperHalf) | address;
  if (address < kOverflow && global.begin >= kOverflow && whole >= global.begin &&
      whole - global.begin < global.bytes) {
    return {tr(", the lower 32 bits of {:#x}", whole),
            tr("keep addresses in 64 bits, as {}_addr_t or unsigned long long: an int or "
               "unsigned int cuts them off",
               chip.api.memory)};
  }
  const auto below = chip.find(address - kOverflow);
  if (!chip.find(address) && below && below->space == Space::kGlobal) {
    return {
        tr(", 2^32 more than {:#x}", address - kOverflow),
        tr("compute offsets in signed 64 bits: an unsigned int that goes below zero adds 2^32")};
  }
  return {};
}

AddressText explain_local_address(const Chip& chip, std::uint64_t address) {
  const auto word = static_cast<std::int32_t>(static_cast<std::uint32_t>(address));
  if (word < 0 && address <= 0xffffffff)
    return {tr(", which is {}", word), std::string(translated(kSigned))};
  // DTCM begins where the local memory of some chips ends: an address there may just be too high.
  if (const auto place = chip.find(address); place && place->space == Space::kL2) {
    return {tr(", an address of L2"),
            tr("pass an address of local memory: they count from 0, NPU by NPU")};
  }
  return {};
}

std::string past_first_npu(const LocalMemory& memory, std::int64_t address) {
  const std::int64_t npu = address / memory.npu_bytes;
  if (npu < 1) return "";
  return tr(" ({} bytes past the {} of NPU {})", address - npu * memory.npu_bytes, memory.npu_bytes,
            npu - 1);
}

}  // namespace tensorlane
