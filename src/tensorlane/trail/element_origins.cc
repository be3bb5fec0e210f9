#include "tensorlane/trail/element_origins.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "tensorlane/device/detached_command.h"

namespace tensorlane::trail {
namespace {

std::uint64_t element(std::span<const std::byte> bytes, std::size_t i, std::size_t width) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + i * width, width);
  return value;
}

}  // namespace

std::vector<std::vector<Origin>> origins_of(const Command& command, const DeviceMemory& memory) {
  constexpr std::byte kFilling{0x55}, kOther{0xff};
  DetachedCommand numbers(command, &memory);
  // A run with zeros in the sources tells constants from what was not written.
  numbers.run(kFilling);
  std::vector<int> results;
  std::vector<std::vector<std::byte>> plain;
  std::vector<std::vector<Origin>> origins;
  for (int k = 0; k < command.operand_count(); ++k) {
    if (!numbers.operand(k).writes()) continue;
    results.push_back(k);
    plain.emplace_back(numbers.bytes(k).begin(), numbers.bytes(k).end());
    origins.emplace_back(static_cast<std::size_t>(numbers.operand(k).layout.size()));
  }
  for (int source = 0; source < command.operand_count(); ++source) {
    const Operand& operand = numbers.operand(source);
    if (operand.role != Role::kIn || operand.spec->decides ||
        dtype_bits(operand.layout.dtype()) < 8)
      continue;
    const auto width = static_cast<std::size_t>(operand.layout.element_units());
    const auto count = static_cast<std::uint64_t>(operand.layout.size());
    // Numbers from 1 on, in as many digits as they take; all ones mean that nothing was written.
    const std::uint64_t digits = (std::uint64_t{1} << (8 * width)) - 2;
    std::vector<std::vector<std::int64_t>> found;
    for (const auto& each : origins) found.emplace_back(each.size(), 0);
    for (std::uint64_t scale = 1; scale == 1 || scale < count; scale *= digits) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t digit = i / scale % digits + 1;
        std::memcpy(&numbers.bytes(source)[i * width], &digit, width);
      }
      numbers.run(kOther);
      for (std::size_t r = 0; r < results.size(); ++r) {
        const auto unit =
            static_cast<std::size_t>(numbers.operand(results[r]).layout.element_units());
        if (unit != width) continue;
        const std::span<const std::byte> held = numbers.bytes(results[r]);
        for (std::size_t i = 0; i < origins[r].size(); ++i) {
          const std::uint64_t value = element(held, i, width);
          if (value == digits + 1) {
            origins[r][i].kept = true;
          } else if (value != element(plain[r], i, width)) {
            origins[r][i].operand = source;
            found[r][i] += static_cast<std::int64_t>((value - 1) * scale);
          }
        }
      }
    }
    for (std::size_t r = 0; r < results.size(); ++r) {
      for (std::size_t i = 0; i < origins[r].size(); ++i) {
        if (origins[r][i].operand == source) origins[r][i].element = found[r][i];
      }
    }
    std::ranges::fill(numbers.bytes(source), std::byte{0});
  }
  return origins;
}

}  // namespace tensorlane::trail
