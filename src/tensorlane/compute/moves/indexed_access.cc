#include "tensorlane/compute/moves/indexed_access.h"

#include "tensorlane/base/error.h"

namespace tensorlane {

void check_index(const Command& command, std::string_view operand, std::uint64_t index,
                 std::int64_t extent) {
  if (index < static_cast<std::uint64_t>(extent)) return;
  user_error("{}: {} holds the index {}\n    rule: 0 <= index < {} [observed]", command.op->name(),
             operand, index, extent);
}

}  // namespace tensorlane
