// Tensors outside their memory or the host's allocations; see memory_bounds.h.
#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/check.h"
#include "tensorlane/observe/check/reachable_memory.h"
#include "tensorlane/trail/element_boxes.h"
#include "tensorlane/trail/moved_elements.h"

namespace tensorlane::check {
namespace {

using enum Severity;

constexpr Diagnostic kBoundsDiagnostics[] = {
    {"TL-MEMORY-001", kError, msg("a tensor does not fit its memory"),
     msg("split the tensor or move it down; $local_mem_size_per_npu() bytes is what an NPU has")},
    {"TL-MEMORY-002", kError, msg("a tensor reaches past the end of its allocation"),
     msg("allocate the bytes the kernel touches, or correct the shape or address")},
    {"TL-MEMORY-003", kError, msg("a tensor lies in no allocation"),
     msg("pass the address of an allocation; addresses are bytes, not elements")},
    {"TL-MEMORY-004", kError, msg("a tensor lies in memory that was freed"),
     msg("free the memory after the last launch that uses it")},
    {"TL-MEMORY-005", kWarning, msg("a kernel uses memory that its launch was not given"),
     msg("pass the buffer's address in the launch arguments, or in a table in device memory; or "
         "correct the address")},
    {"TL-MEMORY-006", kWarning, msg("a tensor leaves the part of L2 or DTCM that programs may use"),
     msg("stay in the $l2_sram_size() bytes of L2 for programs, or in the DTCM range; the rest "
         "holds tables and the firmware's data")},
    {"TL-MEMORY-008", kError, msg("a tensor begins beside its allocation, in another's place"),
     msg("correct the address, or the number of tiles; what is to be used as one buffer is "
         "allocated as one: nothing promises that allocations follow each other")},
};

std::string does(const trail::CheckedCommand& command, int operand) {
  const std::string name = trail::name_of(command.command());
  return command.operand(operand).writes() ? tr("{} writes", name) : tr("{} reads", name);
}

// Where the allocation was freed and made, and where the other one was made.
void add_places(const MemoryBounds::Finding& found, Finding& finding) {
  const MemoryBounds::Block& block = found.block;
  if (block.freed.call_site != nullptr)
    finding.locations.push_back(make_location("freed", block.freed));
  if (block.made.call_site != nullptr)
    finding.locations.push_back(make_location("made", block.made));
  if (found.other.made.call_site != nullptr)
    finding.locations.push_back(make_location(msg("other"), found.other.made));
}

std::string_view id_of(const MemoryBounds::Finding& found) {
  using Problem = MemoryBounds::Problem;
  return found.problem == Problem::kBeyondEnd   ? "TL-MEMORY-002"
         : found.problem == Problem::kOutside   ? "TL-MEMORY-003"
         : found.problem == Problem::kFreed     ? "TL-MEMORY-004"
         : found.problem == Problem::kInRedZone ? "TL-MEMORY-008"
                                                : "TL-MEMORY-005";
}

class BoundsCheck final : public Check {
 public:
  using Check::Check;

  [[gnu::hot]] void launch_begin() override { reachable_.reset(); }
  [[gnu::hot]] void command(const trail::CheckedCommand& command) override {
    for (int k = 0; k < command.size(); ++k) {
      if (command.bytes(k).empty()) continue;
      const Operand& operand = command.operand(k);
      if (operand.space == Space::kGlobal) {
        const auto found = facts().allocations.check(command.bytes(k));
        if (found && !is_reachable(*found) && !ends_before(command, k, *found))
          report(command, k, *found);
      } else if (operand.space == Space::kL2 || operand.space == Space::kDtcm) {
        if (!is_for_programs(operand.space, command.bytes(k).bounds())) report(command, k);
      }
    }
  }

  bool watches(Space space, trail::Range bytes) const override {
    return space == Space::kGlobal && outside(bytes);
  }
  void processor_access(const ProcessorAccess& access) override {
    // Functions of libraries may read ahead.
    const bool meant = access.own_code || access.kind == ProcessorAccess::Kind::kWrite;
    if (access.space != Space::kGlobal || access.kind == ProcessorAccess::Kind::kUnseen || !meant)
      return;
    // What begins inside ends inside, but for bytes that a vector instruction leaves out.
    const trail::Range first{range_of(access).begin, range_of(access).begin + 1};
    if (const auto found = outside(first)) report(access, *found);
  }

  void refused(const Refusal& refusal) override {
    if (refusal.kind != Refusal::Kind::kMemory) return;
    sink().add({"TL-MEMORY-001", sink().key_of(refusal.call_site, refusal.function)},
               [&](Finding& finding) {
                 finding.message = one_line(refusal.message);
                 if (!refusal.repair.empty()) finding.repair = refusal.repair;
                 finding.locations.push_back(
                     make_location("call", std::string(refusal.function), refusal.call_site));
               });
  }

 private:
  // What is wrong with accesses of the processor to these bytes of global memory; it may find the
  // address of any allocation there.
  std::optional<MemoryBounds::Finding> outside(trail::Range bytes) const {
    const auto found =
        facts().allocations.check(trail::linear_footprint(bytes.begin, bytes.bytes()));
    return found && found->problem != MemoryBounds::Problem::kNotGiven ? found : std::nullopt;
  }
  bool is_for_programs(Space space, trail::Range bytes) const;
  bool is_reachable(const MemoryBounds::Finding& found);
  bool ends_before(const trail::CheckedCommand& command, int at,
                   const MemoryBounds::Finding& found) const;
  std::string message_of(const std::string& does, std::span<const trail::Range> bytes,
                         const MemoryBounds::Finding& found) const;
  void report(const trail::CheckedCommand& command, int at,
              const MemoryBounds::Finding& found) const;
  void report(const ProcessorAccess& access, const MemoryBounds::Finding& found) const;
  void report(const trail::CheckedCommand& command, int at) const;  // outside the part for programs

  std::optional<ReachableMemory> reachable_;  // of this launch, since the first that asked
};

// Memory that no argument points to, but that the kernel may have found by a table or a number.
// Where values are not known it may have found any.
bool BoundsCheck::is_reachable(const MemoryBounds::Finding& found) {
  if (found.problem != MemoryBounds::Problem::kNotGiven) return false;
  const DeviceMemory* const memory = facts().memory;
  if (memory == nullptr) return true;
  if (!reachable_) {
    reachable_.emplace(facts().allocations, facts().scene.arguments, memory->base(Space::kGlobal),
                       space_begin(chip(), Space::kGlobal));
  }
  return reachable_->contains(found.block);
}

bool BoundsCheck::is_for_programs(Space space, trail::Range bytes) const {
  const Region& region = chip().region(space);
  const auto inside = [&](std::uint64_t begin, std::uint64_t size) {
    const auto from = static_cast<std::int64_t>(begin - region.begin);
    return bytes.begin >= from && bytes.end <= from + static_cast<std::int64_t>(size);
  };
  return space == Space::kL2 ? inside(chip().l2_user_begin, chip().l2_user_bytes) ||
                                   inside(region.begin + chip().lookup_offset, chip().lookup_bytes)
                             : inside(chip().dtcm_user_begin, chip().dtcm_user_bytes);
}

// Where values decide how much of a result is written, as a mask does, the rest needs no room.
bool BoundsCheck::ends_before(const trail::CheckedCommand& command, int at,
                              const MemoryBounds::Finding& found) const {
  const Operand& operand = command.operand(at);
  if (found.problem != MemoryBounds::Problem::kBeyondEnd || !operand.writes() ||
      command.command().op->spec().dependence != Dependence::kMoved) {
    return false;
  }
  const std::vector<std::vector<trail::ElementBox>> undefined(
      static_cast<std::size_t>(command.size()));
  const auto moved = trail::move_states(command.command(), undefined, facts().memory);
  if (!moved) return false;
  for (const trail::MovedElements::Result& result : moved->results) {
    if (result.operand != at) continue;
    for (const trail::ElementBox& box : result.written) {
      for (const Layout& part :
           parts_of(operand.layout, trail::elements_of(box, operand.layout.rank()))) {
        if (trail::footprint(part, command.npu_bytes(operand.space)).bounds().end >
            found.beyond.begin)
          return false;
      }
    }
  }
  return true;
}

// `does` names who does what, `bytes` are those it is about.
std::string BoundsCheck::message_of(const std::string& does, std::span<const trail::Range> bytes,
                                    const MemoryBounds::Finding& found) const {
  const auto begin = static_cast<std::int64_t>(space_begin(chip(), Space::kGlobal));
  const auto text_of = [&](trail::Range block) {
    return tr("the allocation {:#x}..{:#x} of {}", begin + block.begin, begin + block.end - 1,
              bytes_text(block.bytes()));
  };
  const trail::Range block = found.block.bytes;
  const std::string buffer = text_of(block);
  switch (found.problem) {
    case MemoryBounds::Problem::kBeyondEnd:
      return tr("{} {} past the end of {}", does, bytes_text(bytes), buffer);
    case MemoryBounds::Problem::kOutside:
      return block.bytes() == 0
                 ? tr("{} global memory, of which nothing is allocated", does)
                 : tr("{} global memory outside every allocation, {} after the end of {}", does,
                      bytes_text(bytes.front().begin - found.block.bytes.end), buffer);
    case MemoryBounds::Problem::kFreed:
      return tr("{} {}, which was freed", does, buffer);
    case MemoryBounds::Problem::kInRedZone: {
      const std::string other = text_of(found.other.bytes);
      const std::int64_t first = bytes.front().begin;
      if (first == block.end)
        return tr("{} {} right behind {}; without red zones {} lies there", does, bytes_text(bytes),
                  buffer, other);
      return first > block.end
                 ? tr("{} {} that begin {} after the end of {}; without red zones {} lies there",
                      does, bytes_text(bytes), bytes_text(first - block.end), buffer, other)
                 : tr("{} {} that begin {} before the start of {}; without red zones {} lies there",
                      does, bytes_text(bytes), bytes_text(block.begin - first), buffer, other);
    }
    case MemoryBounds::Problem::kNotGiven:
      break;
  }
  return tr("{} {}, whose address is not among the arguments of the launch", does, buffer);
}

void BoundsCheck::report(const trail::CheckedCommand& command, int at,
                         const MemoryBounds::Finding& found) const {
  const trail::Footprint& bytes = command.bytes(at);
  sink().add({id_of(found), command.command(), nullptr, at}, [&](Finding& finding) {
    std::vector<trail::Range> concerned{bytes.bounds()};
    if (found.problem == MemoryBounds::Problem::kBeyondEnd)
      concerned = common(bytes, trail::linear_footprint(found.beyond.begin, found.beyond.bytes()));
    finding.message = message_of(does(command, at), concerned, found);
    finding.locations.push_back(make_location(
        command.operand(at).writes() ? msg("writer") : msg("reader"), command.command(), {at}));
    add_places(found, finding);
    finding.regions = describe_bytes(chip(), Space::kGlobal, concerned);
  });
}

void BoundsCheck::report(const ProcessorAccess& access, const MemoryBounds::Finding& found) const {
  sink().add({id_of(found), sink().key_of(access.call_site)}, [&](Finding& finding) {
    const bool writes = access.kind == ProcessorAccess::Kind::kWrite;
    const std::vector<trail::Range> bytes{range_of(access)};
    finding.message =
        message_of(writes ? tr("the processor writes") : tr("the processor reads"), bytes, found);
    finding.locations.push_back(
        make_location(writes ? msg("writer") : msg("reader"), "", access.call_site));
    add_places(found, finding);
    finding.regions = describe_bytes(chip(), Space::kGlobal, bytes);
  });
}

void BoundsCheck::report(const trail::CheckedCommand& command, int at) const {
  sink().add({"TL-MEMORY-006", command.command(), nullptr, at}, [&](Finding& finding) {
    const Operand& operand = command.operand(at);
    const bool l2 = operand.space == Space::kL2;
    const std::uint64_t begin = l2 ? chip().l2_user_begin : chip().dtcm_user_begin;
    const std::uint64_t bytes = l2 ? chip().l2_user_bytes : chip().dtcm_user_bytes;
    finding.message = tr("{} {} outside the range for programs, {:#x}..{:#x}", does(command, at),
                         translated(space_name(operand.space)), begin, begin + bytes - 1);
    finding.locations.push_back(
        make_location(operand.writes() ? msg("writer") : msg("reader"), command.command(), {at}));
    const trail::Range range = command.bytes(at).bounds();
    finding.regions = describe_bytes(chip(), operand.space, {&range, 1});
  });
}

}  // namespace

CheckParts bounds_check() {
  return parts_of<BoundsCheck>(kBoundsDiagnostics);
}

}  // namespace tensorlane::check
