// A command as the checks see it: with the bytes of its operands, found out once for all of them.
#ifndef TENSORLANE_TRAIL_CHECKED_COMMAND_H_
#define TENSORLANE_TRAIL_CHECKED_COMMAND_H_

#include <span>
#include <vector>

#include "tensorlane/ops/command.h"
#include "tensorlane/ops/per_call.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::trail {

class CheckedCommand {
 public:
  // `command` has to live as long as this is used.
  void assign(const Command& command, FootprintCache& footprints) {
    command_ = &command;
    bytes_ = known_.get(command, [&](std::vector<Footprint>& bytes) {
      bytes.clear();
      for (const Operand& operand : command.operands())
        bytes.push_back(footprints.get(operand.layout, npu_bytes(operand.space)));
    });
  }

  const Command& command() const { return *command_; }
  // Operands are numbered from 0 to size() - 1.
  int size() const { return command_->operand_count(); }
  const Operand& operand(int k) const { return command_->operands()[static_cast<std::size_t>(k)]; }
  const Footprint& bytes(int k) const { return bytes_[static_cast<std::size_t>(k)]; }

  // Bytes of an NPU of a memory, 0 for linear ones.
  std::int64_t npu_bytes(Space space) const {
    return space == Space::kLocal ? command_->chip->local.npu_bytes : 0;
  }

 private:
  const Command* command_ = nullptr;
  std::span<const Footprint> bytes_;  // by operand
  PerCall<std::vector<Footprint>> known_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_CHECKED_COMMAND_H_
