// Advice: what costs time or memory, and what nobody uses.
#include "tensorlane/observe/check/checker.h"
#include "tensorlane/observe/check/coverage.h"

namespace tensorlane::check {

void Checker::check_overlap_advice(const Command& command) {
  constexpr std::int64_t kWorthIt = 64 * 1024;  // bytes
  const auto conflict = [&] {
    for (std::size_t i = 0; i < previous_->operands().size(); ++i) {
      for (std::size_t j = 0; j < command.operands().size(); ++j) {
        const Operand &a = previous_->operands()[i], &b = command.operands()[j];
        if (a.space == b.space && (a.writes() || b.writes()) &&
            overlap(previous_bytes_[i], bytes_[j])) {
          return true;
        }
      }
    }
    return false;
  };
  const auto size = [](const Command& of) {
    const Layout& layout = of.operands()[0].layout;
    return layout.size() * layout.element_units();
  };
  if (previous_ && command.region < 0 && previous_->engine() != command.engine() &&
      size(*previous_) >= kWorthIt && size(command) >= kWorthIt && !conflict()) {
    report_overlap_advice(*previous_, command);
  }
  if (command.region >= 0 || command.operand_count == 0) {
    previous_.reset();
    return;
  }
  if (!previous_) previous_ = std::make_unique<Command>();
  *previous_ = command;
  previous_bytes_ = bytes_;
}

void Checker::check_layout_advice(const Command& command) {
  constexpr std::int64_t kWorthIt = 16 * 1024;  // bytes per NPU
  for (const Violation& missed : advice(command)) report_preference(command, missed);
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    const Footprint& bytes = bytes_[static_cast<std::size_t>(k)];
    if (operand.layout.npu_bytes() == 0 || !operand.writes() || bytes.empty()) continue;
    const Range reserved = bytes.shape->lane_bounds;
    const std::int64_t used = bytes.shape->lane_used;
    if (reserved.bytes() >= kWorthIt && 2 * used < reserved.bytes())
      report_waste(command, k, used, reserved.bytes());
  }
}

// Reads are noted as ranges: rows so many that they would cost time count with the gaps between
// them, which can only make the advice quieter.
void Checker::note_input_reads(const Command& command) {
  constexpr std::int64_t kMostRuns = 16;
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    const Footprint& bytes = bytes_[static_cast<std::size_t>(k)];
    if (operand.space != Space::kGlobal || !operand.reads() || bytes.empty()) continue;
    for (ByteBox box : bytes.shape->boxes) {
      while (box.count() > kMostRuns) {
        const ByteLoop& inner = box.loops[static_cast<std::size_t>(--box.rank)];
        box.run += (inner.extent - 1) * inner.stride;
      }
      for_each_run(box, bytes.origin, [&](std::int64_t begin, std::int64_t end) {
        input_reads_.write_linear(0, {begin, end}, kKernel);
      });
    }
    if (const auto block = bounds_.find(bytes.bounds().begin))
      input_readers_[block->number] = {command.op, command.call_site, {}};
  }
}

void Checker::check_unread_input(const MemoryBounds::Block& block) {
  const std::vector<Range> unread = unread_input(shadow_.maps(number(Space::kGlobal)).map(0),
                                                 input_reads_.maps(0).map(0), block.bytes, kHost);
  if (!unread.empty()) report_unread_input(block, unread);
}

}  // namespace tensorlane::check
