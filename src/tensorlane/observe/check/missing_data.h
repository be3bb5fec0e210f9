// Allocations that miss data because of something that was found: a launch failed before it wrote
// its results, a copy of the host was refused. Who reads them finds bytes that nobody wrote; that
// follows from what was found, until a kernel writes there again.
#ifndef TENSORLANE_OBSERVE_CHECK_MISSING_DATA_H_
#define TENSORLANE_OBSERVE_CHECK_MISSING_DATA_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace tensorlane::check {

class MissingData {
 public:
  bool empty() const { return causes_.empty(); }
  // Allocations by their numbers, findings by theirs in the report. The first cause stays.
  void missed(std::uint64_t allocation, std::size_t finding) {
    causes_.try_emplace(allocation, finding);
  }
  void written(std::uint64_t allocation) { causes_.erase(allocation); }
  void freed(std::uint64_t allocation) { causes_.erase(allocation); }

  std::optional<std::size_t> cause(std::uint64_t allocation) const {
    const auto found = causes_.find(allocation);
    return found == causes_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::uint64_t, std::size_t> causes_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_MISSING_DATA_H_
