// Parts of inputs that no kernel reads.
#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/coverage.h"

namespace tensorlane::check {
namespace {

constexpr Diagnostic kUnreadInputDiagnostics[] = {
    {"TL-LINT-007", Severity::kAdvice, msg("a part of an input is never read"),
     msg("nothing, if the kernel needs only a part; else look at the address and at the last "
         "tile")},
};

class UnreadInputCheck final : public Check {
 public:
  explicit UnreadInputCheck(const CheckSetup& setup)
      : Check(setup), history_(setup.facts.provenance()) {}

  [[gnu::hot]] void command(const trail::CheckedCommand& command) override;
  // The processor may read all of it.
  void pointer_taken(const TakenPointer& pointer) override {
    if (pointer.space == Space::kGlobal) reads_.assign(pointer.bytes, kRead);
  }
  void allocated(trail::Range bytes) override { reads_.assign(bytes, trail::kUnwritten); }
  void freed(const MemoryBounds::Block& block) override {
    check(block);
    readers_.erase(block.number);
  }
  void device_end() override {
    for (const MemoryBounds::Block& block : facts().allocations.leaks()) check(block);
  }

 private:
  static constexpr trail::Mark kRead = 1;

  void check(const MemoryBounds::Block& block) const {
    const std::vector<trail::Range> unread =
        unread_input(history_.global(), reads_, block.bytes, trail::Provenance::kHost);
    if (!unread.empty()) report(block, unread);
  }
  void report(const MemoryBounds::Block& block, std::span<const trail::Range> bytes) const;

  const trail::Provenance& history_;
  trail::MarkMap reads_;                                    // global memory that kernels read
  std::unordered_map<std::uint64_t, trail::Call> readers_;  // the latest of each allocation
};

// Reads are noted as ranges: rows so many that they would cost time count with the gaps between
// them, which can only make the advice quieter.
void UnreadInputCheck::command(const trail::CheckedCommand& command) {
  constexpr std::int64_t kMostRuns = 16;
  for (int k = 0; k < command.size(); ++k) {
    const Operand& operand = command.operand(k);
    const trail::Footprint& bytes = command.bytes(k);
    if (operand.space != Space::kGlobal || !operand.reads() || bytes.empty()) continue;
    for (trail::ByteBox box : bytes.shape->boxes) {
      while (box.count() > kMostRuns) {
        const trail::ByteLoop& inner = box.loops[static_cast<std::size_t>(--box.rank)];
        box.run += (inner.extent - 1) * inner.stride;
      }
      trail::for_each_run(box, bytes.origin, [&](std::int64_t begin, std::int64_t end) {
        reads_.assign({begin, end}, kRead);
      });
    }
    if (const auto block = facts().allocations.find(bytes.bounds().begin))
      readers_[block->number] = {
          command.command().op, command.command().call_site, {}, command.command().calls};
  }
}

void UnreadInputCheck::report(const MemoryBounds::Block& block,
                              std::span<const trail::Range> bytes) const {
  const auto reader = readers_.find(block.number);
  const trail::CallKey read_at =
      reader == readers_.end() ? trail::CallKey() : trail::CallKey(reader->second);
  // What one line of the host allocates again and again, for the same reader, is one finding.
  const bool known = block.made.call_site != nullptr;
  sink().add({"TL-LINT-007", block.made.call_site, read_at,
              known ? 0 : static_cast<int>(block.number), facts().missing.cause(block.number)},
             [&](Finding& finding) {
               const auto begin = static_cast<std::int64_t>(space_begin(chip(), Space::kGlobal)) +
                                  block.bytes.begin;
               finding.message =
                   tr("no kernel reads {} of the allocation {:#x} of {} that the host wrote",
                      bytes_text(bytes), begin, bytes_text(block.bytes.bytes()));
               if (reader != readers_.end()) {
                 finding.locations.push_back(make_location("reader", reader->second));
                 finding.notes.push_back(labelled(
                     "reader", tr("is the latest command that read from this allocation")));
               }
               if (block.made.call_site != nullptr)
                 finding.locations.push_back(make_location("made", block.made));
               finding.regions = describe_bytes(chip(), Space::kGlobal, bytes);
             });
}

}  // namespace

CheckParts unread_input_check() {
  return parts_of<UnreadInputCheck>(kUnreadInputDiagnostics);
}

}  // namespace tensorlane::check
