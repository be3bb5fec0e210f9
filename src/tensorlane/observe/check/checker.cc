#include "tensorlane/observe/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/observe/check/coverage.h"

namespace tensorlane::check {
namespace {

std::vector<MemoryShape> memory_shapes(const Chip& chip) {
  std::vector<MemoryShape> shapes(kSpaces);
  shapes[static_cast<std::size_t>(Space::kLocal)] = {chip.local.npus, chip.local.npu_bytes};
  return shapes;
}

// Addresses of global memory that may stand in an argument block, as offsets. Blocks are packed, so
// an address may start at any byte.
std::vector<std::int64_t> addresses_in(std::span<const std::byte> args, const Chip& chip) {
  std::vector<std::int64_t> addresses;
  const Region& global = chip.region(Space::kGlobal);
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= args.size(); ++at) {
    std::uint64_t value = 0;
    std::copy_n(args.data() + at, sizeof value, reinterpret_cast<std::byte*>(&value));
    if (value >= global.begin && value - global.begin <= global.bytes)
      addresses.push_back(static_cast<std::int64_t>(value - global.begin));
  }
  return addresses;
}

}  // namespace

Checks parse_checks(std::string_view text) {
  constexpr std::string_view kNames[] = {"args",     "memory", "init", "race", "sync",
                                         "coverage", "lint",   "nan",  "all"};
  Checks checks;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const bool all = name == "all";
    if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
      user_error(
          "no check is called '{}'{}; there are args, memory, init, race, sync, coverage, lint, "
          "nan "
          "and all",
          name, did_you_mean(name, kNames));
    checks.args |= all || name == "args";
    checks.memory |= all || name == "memory";
    checks.init |= all || name == "init";
    checks.race |= all || name == "race";
    checks.sync |= all || name == "sync";
    checks.coverage |= all || name == "coverage";
    checks.lint |= all || name == "lint";
    checks.advice |= name == "lint";
    checks.nan |= name == "nan";
  }
  return checks;
}

Checker::Checker(const Chip& chip, Checks checks, Deliver deliver, const DeviceMemory* memory)
    : chip_(chip),
      checks_(checks),
      deliver_(std::move(deliver)),
      memory_(memory),
      shadow_(memory_shapes(chip)) {}

Checker::~Checker() {
  if (checks_.lint) {
    for (const MemoryBounds::Block& block : bounds_.leaks()) check_unread_input(block);
  }
  if (checks_.memory) {
    for (const MemoryBounds::Block& block : bounds_.leaks()) report_leak(block);
  }
  deliver(true);
}

void Checker::deliver(bool last) {
  if (!deliver_) return;
  report_.complete();
  deliver_(report_, last);
}

void Checker::launch_begin(const Launch& launch) {
  kernel_ = launch.kernel;
  sync_state_.launch();
  races_.begin_region();
  region_size_ = 0;
  in_flight_ = {};
  previous_.reset();
  bounds_.begin_launch(addresses_in(launch.args, chip_));
  // What a launch before left in local memory, L2 and DTCM does not count as written: the host has
  // no way to keep another program's launch from coming between. Tables and firmware data do.
  live_.clear();
  writer_calls_.clear();
  for (const Space space : {Space::kLocal, Space::kL2, Space::kDtcm}) {
    if (chip_.has(space)) shadow_.forget(number(space));
  }
  const auto keep = [&](Space space, std::uint64_t user_begin, std::uint64_t user_bytes) {
    if (!chip_.has(space)) return;
    const Region& region = chip_.region(space);
    const auto begin = static_cast<std::int64_t>(user_begin - region.begin);
    const auto end = begin + static_cast<std::int64_t>(user_bytes);
    shadow_.write_linear(number(space), {0, begin}, kHost);
    shadow_.write_linear(number(space), {end, static_cast<std::int64_t>(region.bytes)}, kHost);
  };
  keep(Space::kL2, chip_.l2_user_begin, chip_.l2_user_bytes);
  keep(Space::kDtcm, chip_.dtcm_user_begin, chip_.dtcm_user_bytes);
  if (chip_.has(Space::kStatic)) keep(Space::kStatic, chip_.region(Space::kStatic).begin, 0);
}

void Checker::launch_end(const Launch&, Outcome outcome) {
  if (outcome == Outcome::kDone) {
    if (checks_.sync) {
      if (const auto found = sync_state_.finish()) report_sync(*found);
    }
    if (checks_.lint) {
      for (std::size_t k = 0; k < live_.writers().size(); ++k) {
        if (live_.writers()[k].read == 0) report_unread(static_cast<Mark>(k + 1));
      }
    }
  }
  if (report_.size() == looked_at_) return;
  // Advice can wait for the end; errors and warnings should survive a crash of the program.
  looked_at_ = report_.size();
  const std::size_t serious = report_.count(Severity::kError) + report_.count(Severity::kWarning);
  if (serious != delivered_) deliver(false);
  delivered_ = serious;
}

void Checker::command_begin(const Command& command) {
  const bool hau = command.engine() == Engine::kHau;
  const auto problem = sync_state_.command(command.call_site, hau);
  if (checks_.sync && problem) report_sync(*problem);
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    bytes_[static_cast<std::size_t>(k)] =
        footprints_.get(operand.layout, operand.space == Space::kLocal ? chip_.local.npu_bytes : 0);
    if (operand.writes()) {
      const Footprint& bytes = bytes_[static_cast<std::size_t>(k)];
      in_flight_.add({number(operand.space), bytes.shape->npus,
                      operand.space == Space::kLocal ? bytes.shape->lane_bounds : bytes.bounds(),
                      command.op, command.call_site, hau});
    }
  }
  if (checks_.memory) check_memory(command);
  if (checks_.args) check_aliasing(command);
  if (checks_.race && command.region >= 0) check_races(command);
  if (checks_.init || checks_.coverage || checks_.lint) check_init(command);
  if (checks_.lint) {
    check_overlap_advice(command);
    check_layout_advice(command);
    note_input_reads(command);
  }
  if (checks_.nan) look_for_non_finite_sources(command);
}

void Checker::command_end(const Command& command) {
  if (checks_.nan) look_for_non_finite_results(command);
}

void Checker::check_memory(const Command& command) {
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    const Footprint& bytes = bytes_[static_cast<std::size_t>(k)];
    if (bytes.empty()) continue;
    if (operand.space == Space::kGlobal) {
      if (const auto found = bounds_.check(bytes, operand.writes()))
        report_memory(command, k, *found);
    } else if (operand.space == Space::kL2 || operand.space == Space::kDtcm) {
      const bool l2 = operand.space == Space::kL2;
      const Region& region = chip_.region(operand.space);
      const auto inside = [&](std::uint64_t begin, std::uint64_t size) {
        const auto from = static_cast<std::int64_t>(begin - region.begin);
        return bytes.bounds().begin >= from &&
               bytes.bounds().end <= from + static_cast<std::int64_t>(size);
      };
      if (l2 ? !inside(chip_.l2_user_begin, chip_.l2_user_bytes) &&
                   !inside(region.begin + chip_.lookup_offset, chip_.lookup_bytes)
             : !inside(chip_.dtcm_user_begin, chip_.dtcm_user_bytes)) {
        report_reserved(command, k);
      }
    }
  }
}

// Operands of one class have the same shape by the ops list, and the same storage.
int Checker::shape_class(const Op& op, const OperandSpec& spec) {
  const std::vector<OperandSpec>& all = op.spec().operands;
  const auto same = std::find_if(all.begin(), all.end(), [&](const OperandSpec& other) {
    return other.shape == spec.shape && other.storage == spec.storage;
  });
  return static_cast<int>(same - all.begin());
}

// Moves of bits without a change of place among the dimensions, to the same shape or broadcast.
bool Checker::copies(const Op& op) {
  const OpSpec& spec = op.spec();
  if (spec.implementations.empty() || spec.implementations.front().name != "strided") return false;
  const std::vector<std::string_view>& result = spec.operands.front().shape;
  return std::ranges::all_of(spec.operands, [&](const OperandSpec& operand) {
    return std::ranges::equal(operand.shape, result, [](std::string_view a, std::string_view b) {
      return a == b || a == "1";
    });
  });
}

int Checker::channel_class(const Op& op, const OperandSpec& spec) {
  const std::vector<OperandSpec>& all = op.spec().operands;
  const auto same = std::find_if(all.begin(), all.end(), [&](const OperandSpec& other) {
    return other.shape.size() == 4 && spec.shape.size() == 4 && other.shape[0] == spec.shape[0] &&
           other.shape[1] == spec.shape[1];
  });
  return static_cast<int>(same - all.begin());
}

void Checker::check_aliasing(const Command& command) {
  const std::span<const Operand> operands = command.operands();
  // Most commands have nothing near each other: look at the bounds first.
  bool near = false;
  for (std::size_t i = 0; i < operands.size() && !near; ++i) {
    for (std::size_t j = i + 1; j < operands.size() && !near; ++j) {
      if (operands[i].space != operands[j].space || bytes_[i].empty() || bytes_[j].empty())
        continue;
      if (!operands[i].writes() && !operands[j].writes()) continue;
      const Shape &a = *bytes_[i].shape, &b = *bytes_[j].shape;
      const Range x = bytes_[i].bounds(), y = bytes_[j].bounds();
      near = x.begin < y.end && y.begin < x.end &&
             (a.npu_bytes == 0 || b.npu_bytes == 0 ||
              (a.lane_bounds.begin < b.lane_bounds.end && b.lane_bounds.begin < a.lane_bounds.end));
    }
  }
  if (!near) return;
  std::array<AliasOperand, kMaxOperands> views{};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    views[k] = {number(operand.space),
                operand.reads(),
                operand.writes(),
                operand.role == Role::kWork,
                shape_class(*command.op, *operand.spec),
                channel_class(*command.op, *operand.spec),
                &operand.layout,
                bytes_[k]};
  }
  for (const auto& [i, j] :
       forbidden_overlaps({views.data(), operands.size()}, copies(*command.op)))
    report_aliasing(command, i, j);
}

void Checker::check_races(const Command& command) {
  if (region_size_ == region_commands_.size())
    region_commands_.push_back(std::make_unique<Command>());
  *region_commands_[region_size_] = command;
  const std::uint64_t index = region_size_++;
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    const auto tag = index * kOperandsPerCommand + static_cast<std::uint64_t>(k);
    const auto source = reinterpret_cast<std::uint64_t>(command.call_site);
    Access access{
        number(command.engine()),           number(operand.space), operand.writes(), tag, source,
        bytes_[static_cast<std::size_t>(k)]};
    for (const Race& race : races_.add(access)) report_race(race);
  }
}

void Checker::sync(SyncEvent event, std::int64_t, const void* call_site) {
  std::optional<SyncState::Finding> found;
  switch (event) {
    case SyncEvent::kInitialize:
      found = sync_state_.initialize(call_site);
      races_.end_region();
      break;
    case SyncEvent::kPoll:
      found = sync_state_.poll(call_site);
      if (!found) in_flight_.poll();
      break;
    case SyncEvent::kHauPoll:
      sync_state_.hau_poll();
      in_flight_.hau_poll();
      races_.waited_for(number(Engine::kHau));
      break;
    case SyncEvent::kParallelStart:
      found = sync_state_.start(call_site);
      region_start_ = call_site;
      region_size_ = 0;
      races_.begin_region();
      previous_.reset();
      break;
    case SyncEvent::kParallelEnd:
      found = sync_state_.end(call_site);
      races_.end_region();
      break;
  }
  if (found && checks_.sync) report_sync(*found);
}

void Checker::pointer_taken(Space space, std::uint64_t offset, const void* call_site) {
  const auto at = static_cast<std::int64_t>(offset);
  const bool local = space == Space::kLocal;
  const std::int64_t npu = local ? at / chip_.local.npu_bytes : 0;
  // The processor gets to the end of the NPU, the allocation or the memory.
  std::int64_t end = local ? (npu + 1) * chip_.local.npu_bytes
                           : static_cast<std::int64_t>(chip_.region(space).bytes);
  if (space == Space::kGlobal) {
    if (const auto block = bounds_.find(at)) end = block->bytes.end;
  }
  if (checks_.sync) {
    const std::int64_t start = npu * chip_.local.npu_bytes;
    const WritesInFlight::Write* write =
        in_flight_.find(number(space), std::uint64_t{1} << npu % 64, {at - start, end - start});
    if (write != nullptr) report_pointer(*write, space, call_site);
  }
  // From here on the processor may read and write behind the pointer unseen.
  live_.excuse_all(time_);
  if (space == Space::kGlobal) {
    input_reads_.write_linear(0, {at, at + 1}, kKernel);
    bounds_.begin_launch({});  // addresses may come from memory
  }
  shadow_.write_linear(number(space), {at, end}, kHost);
}

void Checker::host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes) {
  const auto begin = static_cast<std::int64_t>(offset);
  const Range range{begin, begin + static_cast<std::int64_t>(bytes)};
  if (range.bytes() <= 0) return;
  if (access == HostAccess::kWrite) {
    shadow_.write(number(Space::kGlobal), linear_footprint(range.begin, range.bytes()), kHost);
    return;
  }
  const auto block = bounds_.find(begin);
  if (!block) return;
  const Range read{begin, std::min(range.end, block->bytes.end)};
  const Coverage found =
      coverage(shadow_.maps(number(Space::kGlobal)).map(0), read, block->bytes, kHost);
  if (checks_.init) {
    std::set<Mark> holes;
    for (const MarkedBytes& piece : found.undefined) holes.insert(piece.mark);
    for (const Mark hole : holes) report_hole(hole, nullptr, 0);
  }
  if (checks_.coverage) report_coverage(*block, found);
}

void Checker::allocated(std::uint64_t offset, std::uint64_t bytes) {
  const auto begin = static_cast<std::int64_t>(offset), size = static_cast<std::int64_t>(bytes);
  bounds_.allocated(begin, size);
  shadow_.write_linear(number(Space::kGlobal), {begin, begin + size}, kUnwritten);
  input_reads_.write_linear(0, {begin, begin + size}, kUnwritten);
}

void Checker::freed(std::uint64_t offset) {
  if (checks_.lint) {
    if (const auto block = bounds_.find(static_cast<std::int64_t>(offset)))
      check_unread_input(*block);
  }
  bounds_.freed(static_cast<std::int64_t>(offset));
}

}  // namespace tensorlane::check
