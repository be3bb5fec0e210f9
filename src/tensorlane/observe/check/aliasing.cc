#include "tensorlane/observe/check/aliasing.h"

namespace tensorlane::check {
namespace {

bool in_place(const AliasOperand& a, const AliasOperand& b) {
  return !a.work && !b.work && !(a.write && b.write && !a.read && !b.read) &&
         a.shape_class == b.shape_class && a.layout->same_addresses(*b.layout);
}

}  // namespace

std::vector<std::pair<int, int>> forbidden_overlaps(std::span<const AliasOperand> operands) {
  std::vector<std::pair<int, int>> found;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t j = i + 1; j < operands.size(); ++j) {
      const AliasOperand &a = operands[i], &b = operands[j];
      if (a.memory != b.memory || !(a.write || b.write) || !overlap(a.bytes, b.bytes)) continue;
      if (!in_place(a, b)) found.emplace_back(static_cast<int>(i), static_cast<int>(j));
    }
  }
  return found;
}

}  // namespace tensorlane::check
