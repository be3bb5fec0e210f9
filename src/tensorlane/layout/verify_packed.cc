#include "tensorlane/layout/verify_packed.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/image.h"
#include "tensorlane/layout/packing_mistakes.h"

namespace tensorlane {
namespace {

std::vector<std::int64_t> shape_of(const Layout& layout) {
  std::vector<std::int64_t> shape;
  for (int d = 0; d < layout.rank(); ++d) shape.push_back(layout.extent(d));
  return shape;
}

std::vector<std::byte> plain_memory(const Layout& layout) {
  return std::vector<std::byte>(
      static_cast<std::size_t>(ceil_div(layout.size() * dtype_bits(layout.dtype()), 8)));
}

// Bits that belong to an element are one.
std::vector<std::byte> element_mask(const NamedLayout& to, const Layout& target) {
  std::vector<std::byte> mask(static_cast<std::size_t>(to.total_bytes()));
  if (!to.holds_elements) return mask;
  const Layout plain = row_major_layout(shape_of(target), to.spec.dtype);
  std::vector<std::byte> ones = plain_memory(plain);
  std::fill(ones.begin(), ones.end(), std::byte{0xff});
  convert(target, mask.data(), plain, ones.data());
  return mask;
}

void check_padding(PackedCheck& check, const NamedLayout& to, const Layout& target,
                   std::span<const std::byte> packed, std::span<const std::byte> expected) {
  const std::vector<std::byte> mask = element_mask(to, target);
  for (std::size_t at = 0; at < mask.size(); ++at) {
    if (mask[at] == std::byte{0xff}) continue;
    ++check.padding_bytes;
    if (((packed[at] ^ expected[at]) & ~mask[at]) == std::byte{0}) continue;
    if (check.padding_differing++ == 0) check.first_padding = static_cast<std::int64_t>(at);
  }
}

}  // namespace

PackedCheck verify_packed(const NamedLayout& to, std::span<const std::byte> packed,
                          const NamedLayout& from, std::span<const std::byte> original,
                          const PackedCheckOptions& options) {
  if (packed.size() != static_cast<std::size_t>(to.total_bytes())) {
    user_error("the packed tensor has {} bytes; layout {} of this shape takes {}", packed.size(),
               to.name(), to.total_bytes());
  }
  const std::vector<std::byte> expected = convert(to, from, original, options.conversion);
  const Layout target = memory_layout(to);
  PackedCheck check;
  check.elements = to.holds_elements ? target.size() : 0;
  const bool padding = options.padding == PaddingCheck::kZero ||
                       (options.padding == PaddingCheck::kPrescribed &&
                        (to.padding == PaddingFill::kZero || !to.holds_elements));
  if (padding) check_padding(check, to, target, packed, expected);
  if (!to.holds_elements || std::equal(packed.begin(), packed.end(), expected.begin()))
    return check;

  const Layout plain = row_major_layout(shape_of(target), to.spec.dtype);
  std::vector<std::byte> elements = plain_memory(plain);
  convert(plain, elements.data(), target, expected.data());
  for_each_difference(target, packed, plain, elements,
                      [&](const Layout::Index& index, std::uint32_t want, std::uint32_t found) {
                        ++check.differing;
                        if (check.first.size() < options.most_differences)
                          check.first.push_back({index, want, found});
                        return true;
                      });
  if (check.differing > 0) {
    check.explanation =
        explain_packing({to, packed, from, original, options.conversion, target, elements});
  }
  return check;
}

}  // namespace tensorlane
