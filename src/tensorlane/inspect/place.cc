#include "tensorlane/inspect/place.h"

#include <fmt/format.h>

#include <charconv>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"

namespace tensorlane::inspect {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

[[noreturn]] void not_a_place(std::string_view text, std::string_view where) {
  user_error(
      "{} '{}': it must be an address, NPU:OFFSET, l2:OFFSET or dtcm:OFFSET, perhaps with +BYTES "
      "behind it",
      where, text);
}

}  // namespace

PlaceText parse_place(std::string_view text, std::string_view where) {
  PlaceText result;
  const std::string_view whole = text;
  if (const std::size_t plus = text.find('+'); plus != std::string_view::npos) {
    result.bytes = parse_number(text.substr(plus + 1));
    if (!result.bytes || *result.bytes == 0) not_a_place(whole, where);
    text = text.substr(0, plus);
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view memory = text.substr(0, colon);
    if (memory == "l2") {
      result.space = Space::kL2;
    } else if (memory == "dtcm") {
      result.space = Space::kDtcm;
    } else if (result.npu = parse_number(memory); result.npu) {
      result.space = Space::kLocal;
    } else {
      not_a_place(whole, where);
    }
    text = text.substr(colon + 1);
  }
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number) not_a_place(whole, where);
  result.number = *number;
  return result;
}

Place place_on(const Chip& chip, const PlaceText& text, std::string_view where) {
  const std::uint64_t bytes = text.bytes.value_or(1);
  if (text.npu) {
    const auto npus = static_cast<std::uint64_t>(chip.local.npus);
    const auto npu_bytes = static_cast<std::uint64_t>(chip.local.npu_bytes);
    if (*text.npu >= npus)
      user_error("{}: NPU {}; {} has NPUs 0 to {}", where, *text.npu, chip.name, npus - 1);
    if (bytes > npu_bytes || text.number > npu_bytes - bytes)
      user_error("{}: offset {:#x} and {} bytes; an NPU of {} has {} bytes", where, text.number,
                 bytes, chip.name, npu_bytes);
    return {Space::kLocal, *text.npu * npu_bytes + text.number};
  }
  if (text.space) {
    if (!chip.has(*text.space))
      user_error("{}: {} has no {}", where, chip.name, space_name(*text.space));
    const std::uint64_t size = chip.region(*text.space).bytes;
    if (bytes > size || text.number > size - bytes)
      user_error("{}: offset {:#x} and {} bytes; {} of {} has {} bytes", where, text.number, bytes,
                 space_name(*text.space), chip.name, size);
    return {*text.space, text.number};
  }
  const auto place = chip.find(text.number);
  if (!place) user_error("{}: {:#x} is in no memory of {}", where, text.number, chip.name);
  if (bytes > place->bytes_left)
    user_error("{}: {:#x} and {} bytes; {} ends {} bytes behind it", where, text.number, bytes,
               space_name(place->space), place->bytes_left);
  return {place->space, place->offset};
}

std::string place_text(const Chip& chip, const Place& place) {
  if (place.space == Space::kLocal) {
    const LocalAddress at =
        split_local_address(chip.local, static_cast<std::int64_t>(place.offset));
    return tr("NPU {} offset {:#x}", at.npu, at.offset);
  }
  return fmt::format("{} {:#x}", translated(space_name(place.space)),
                     chip.region(place.space).begin + place.offset);
}

}  // namespace tensorlane::inspect
