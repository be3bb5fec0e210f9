#include "layout_place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/element_place.h"

namespace tensorlane::cli {
namespace {

std::optional<std::vector<std::int64_t>> element_at_unit(const NamedLayout& tensor,
                                                         std::int64_t unit) {
  if (!tensor.holds_elements) return std::nullopt;
  const auto element = tensor.layout.element_at(unit);
  if (!element) return std::nullopt;
  return std::vector<std::int64_t>(element->begin(), element->begin() + tensor.layout.rank());
}

void check_index(const NamedLayout& tensor, const std::vector<std::int64_t>& index) {
  const Layout& layout = tensor.layout;
  if (static_cast<int>(index.size()) != layout.rank()) {
    user_error("--index [{}] has {} numbers; the shape [{}] has {}", fmt::join(index, ","),
               index.size(), fmt::join(tensor.spec.shape, ","), layout.rank());
  }
  for (int d = 0; d < layout.rank(); ++d) {
    const std::int64_t value = index[static_cast<std::size_t>(d)];
    if (value < 0 || value >= layout.extent(d)) {
      user_error("--index [{}]: {} is {}; allowed are 0 to {}", fmt::join(index, ","),
                 axis_name(tensor.axes[d]), value, layout.extent(d) - 1);
    }
  }
  if (!tensor.holds_elements) user_error("this layout stores no element of the tensor");
}

}  // namespace

std::int64_t bank_bytes(const NamedLayout& tensor, int banks) {
  return std::max<std::int64_t>(1, tensor.memory().npu_bytes / banks);
}

std::optional<BankRange> banks_used(const NamedLayout& tensor, int banks) {
  const std::int64_t first = tensor.spec.offset, last = first + tensor.bytes_per_npu - 1;
  if (last >= tensor.memory().npu_bytes) return std::nullopt;
  const std::int64_t bank = bank_bytes(tensor, banks);
  return BankRange{first / bank, last / bank};
}

Json element_place(const NamedLayout& tensor, const std::vector<std::int64_t>& index, int banks) {
  check_index(tensor, index);
  Layout::Index at{};
  std::copy(index.begin(), index.end(), at.begin());
  const std::array<std::int64_t, 4> values = place_of(tensor, at);
  Json place = Json::object();
  std::size_t number = 0;
  for (const std::string_view name : place_names(tensor)) place[name] = values[number++];
  if (tensor.is_local()) {
    const auto offset = place["offset"].get<std::int64_t>();
    place["bank"] = offset / bank_bytes(tensor, banks);
    place["address"] = place["npu"].get<std::int64_t>() * tensor.memory().npu_bytes + offset;
  }
  return place;
}

std::optional<std::vector<std::int64_t>> element_at_byte(const NamedLayout& tensor,
                                                         std::optional<std::int64_t> npu,
                                                         std::int64_t byte) {
  const std::int64_t per_byte = 8 / tensor.layout.unit_bits();
  if (!tensor.is_local()) {
    if (byte < 0) user_error("--byte {}: allowed are 0 and more", byte);
    return element_at_unit(tensor, byte * per_byte);
  }
  const LocalMemory memory = tensor.memory();
  if (!npu || *npu < 0 || *npu >= memory.npus)
    user_error("--npu {}: allowed are 0 to {}", npu.value_or(-1), memory.npus - 1);
  if (byte < 0 || byte >= memory.npu_bytes)
    user_error("--byte {}: an NPU has {} bytes", byte, memory.npu_bytes);
  return element_at_unit(tensor, (*npu * memory.npu_bytes + byte) * per_byte);
}

std::optional<ByteOwner> element_at_address(const NamedLayout& tensor, std::int64_t address) {
  const Layout& layout = tensor.layout;
  const std::int64_t end = tensor.is_local() ? tensor.memory().npus * tensor.memory().npu_bytes
                                             : tensor.spec.offset + tensor.bytes;
  if (address < 0 || address >= end)
    user_error("--at {:#x}: the memory has the addresses 0 to {:#x}", address, end - 1);
  const std::int64_t unit = address * 8 / layout.unit_bits();
  const std::optional<std::vector<std::int64_t>> index = element_at_unit(tensor, unit);
  if (!index) return std::nullopt;
  return ByteOwner{*index, layout.unit_bits() == 4 ? 0 : unit - layout.address(*index)};
}

std::optional<std::vector<std::int64_t>> element_at_pixel(const NamedLayout& tensor, std::int64_t x,
                                                          std::int64_t y, std::int64_t lane) {
  const Layout& layout = tensor.layout;
  if (x < 0 || x >= layout.image_width() || y < 0 || y >= tensor.image_height || lane < 0 ||
      lane > 3) {
    user_error("--pixel {},{},{} lies outside the image of {} x {} pixels with lanes 0 to 3", x, y,
               lane, layout.image_width(), tensor.image_height);
  }
  return element_at_unit(tensor, layout.address_of({x, y, static_cast<int>(lane)}));
}

}  // namespace tensorlane::cli
