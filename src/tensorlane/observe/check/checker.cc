#include "tensorlane/observe/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/observe/check/coverage.h"

namespace tensorlane::check {
namespace {

int number(Space space) {
  return static_cast<int>(space);
}

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

// The layout with its batches filled up to whole 32-bit words: a 4N or 2N result writes words, and
// what its dummy lanes hold is nobody's concern.
Layout whole_words(const Layout& layout) {
  const std::int64_t lanes = 4 / layout.element_units();
  Layout words(layout.dtype());
  words.set_base(layout.base());
  for (int d = 0; d < layout.rank(); ++d) {
    const std::int64_t extent = layout.extent(d);
    words.add_dim(d == 0 ? align_up(extent, lanes) : extent, layout.digits(d), layout.offset(d));
  }
  return words;
}

}  // namespace

Checks parse_checks(std::string_view text) {
  constexpr std::string_view kNames[] = {"args", "memory",   "init", "race",
                                         "sync", "coverage", "lint", "all"};
  Checks checks;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const bool all = name == "all";
    if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
      user_error(
          "no check is called '{}'{}; there are args, memory, init, race, sync, coverage, lint and "
          "all",
          name, did_you_mean(name, kNames));
    checks.args |= all || name == "args";
    checks.memory |= all || name == "memory";
    checks.init |= all || name == "init";
    checks.race |= all || name == "race";
    checks.sync |= all || name == "sync";
    checks.coverage |= all || name == "coverage";
    checks.lint |= name == "lint";
  }
  return checks;
}

Checker::Checker(const Chip& chip, Checks checks, Deliver deliver)
    : chip_(chip), checks_(checks), deliver_(std::move(deliver)), shadow_(memory_shapes(chip)) {}

Checker::~Checker() {
  if (checks_.memory) {
    for (const MemoryBounds::Block& block : bounds_.leaks()) report_leak(block);
  }
  if (deliver_) deliver_(report_, true);
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
  for (const Space space : {Space::kLocal, Space::kL2, Space::kDtcm}) shadow_.forget(number(space));
  const auto keep = [&](Space space, std::uint64_t user_begin, std::uint64_t user_bytes) {
    const Region& region = chip_.region(space);
    const auto begin = static_cast<std::int64_t>(user_begin - region.begin);
    const auto end = begin + static_cast<std::int64_t>(user_bytes);
    shadow_.write_linear(number(space), {0, begin}, kHost);
    shadow_.write_linear(number(space), {end, static_cast<std::int64_t>(region.bytes)}, kHost);
  };
  keep(Space::kL2, chip_.l2_user_begin, chip_.l2_user_bytes);
  keep(Space::kDtcm, chip_.dtcm_user_begin, chip_.dtcm_user_bytes);
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
  if (deliver_ && report_.size() != delivered_) {
    delivered_ = report_.size();
    deliver_(report_, false);
  }
}

void Checker::command_begin(const Command& command) {
  const auto problem = sync_state_.command(command.call_site);
  if (checks_.sync && problem) report_sync(*problem);
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    bytes_[static_cast<std::size_t>(k)] =
        footprints_.get(operand.layout, operand.space == Space::kLocal ? chip_.local.npu_bytes : 0);
    if (operand.writes()) {
      InFlight& writes = in_flight_[static_cast<std::size_t>(operand.space)];
      const Footprint& bytes = bytes_[static_cast<std::size_t>(k)];
      const Range range =
          operand.space == Space::kLocal ? bytes.shape->lane_bounds : bytes.bounds();
      writes.end = writes.npus == 0 ? range.end : std::max(writes.end, range.end);
      writes.npus |= bytes.shape->npus;
      writes.op = command.op;
      writes.site = command.call_site;
    }
  }
  if (checks_.memory) check_memory(command);
  if (checks_.args) check_aliasing(command);
  if (checks_.race && command.region >= 0) check_races(command);
  if (checks_.init || checks_.coverage || checks_.lint) check_init(command);
  if (checks_.lint) {
    check_overlap_advice(command);
    check_layout_advice(command);
  }
}

void Checker::check_memory(const Command& command) {
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    const Footprint& bytes = bytes_[static_cast<std::size_t>(k)];
    if (bytes.empty()) continue;
    if (operand.space == Space::kGlobal) {
      if (const auto found = bounds_.check(bytes, operand.writes()))
        report_memory(command, k, *found);
    } else if (operand.space != Space::kLocal) {
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

// A function is element-wise when every source has the shape of the result or one value per
// channel. What it computes of undefined elements concerns the same elements of the result only.
bool Checker::element_wise(const Op& op) {
  const auto known = element_wise_.find(&op);
  if (known != element_wise_.end()) return known->second;
  const std::vector<OperandSpec>& all = op.spec().operands;
  const auto result = std::find_if(all.begin(), all.end(), [](const OperandSpec& spec) {
    return spec.role == Role::kOut || spec.role == Role::kInOut;
  });
  const bool answer =
      result != all.end() && std::all_of(all.begin(), all.end(), [&](const OperandSpec& spec) {
        const bool per_channel = spec.shape.size() == 4 && spec.shape[0] == "1" &&
                                 spec.shape[2] == "1" && spec.shape[3] == "1";
        return spec.role == Role::kWork || spec.shape == result->shape || per_channel;
      });
  element_wise_.emplace(&op, answer);
  return answer;
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
                &operand.layout,
                bytes_[k]};
  }
  for (const auto& [i, j] : forbidden_overlaps({views.data(), operands.size()}))
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
    Access access{command.engine() == Engine::kGdma ? 0 : 1,
                  number(operand.space),
                  operand.writes(),
                  tag,
                  source,
                  bytes_[static_cast<std::size_t>(k)]};
    for (const Race& race : races_.add(access)) report_race(race);
  }
}

void Checker::check_init(const Command& command) {
  ++time_;
  pending_.clear();
  for (int k = 0; k < command.operand_count; ++k) {
    if (command.operands()[static_cast<std::size_t>(k)].reads()) read_operand(command, k);
  }
  write_operands(command);
}

void Checker::read_operand(const Command& command, int at) {
  const Operand& operand = command.operands()[static_cast<std::size_t>(at)];
  const Footprint& bytes = bytes_[static_cast<std::size_t>(at)];
  const bool defined = shadow_.scan(number(operand.space), bytes, found_marks_);
  if (operand.space != Space::kGlobal) {
    std::erase_if(found_marks_, [](Mark mark) { return mark < kFirstWriter; });
    for (Mark& mark : found_marks_) mark -= kFirstWriter - 1;
    if (const auto problem = live_.read(bytes, found_marks_, time_))
      report_clobber(command, at, *problem);
  }
  if (defined) return;
  if (element_wise(*command.op)) {
    pass_on(command, at);
    return;
  }
  std::set<Mark> holes;
  for (const MarkedBytes& piece : shadow_.undefined(number(operand.space), bytes))
    holes.insert(hole_of(command, at, piece.mark));
  for (const Mark hole : holes) report_hole(hole, &command, at);
}

// Notes which elements of the results depend on undefined elements of a source.
void Checker::pass_on(const Command& command, int source) {
  const Operand& from = command.operands()[static_cast<std::size_t>(source)];
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& to = command.operands()[static_cast<std::size_t>(k)];
    if (to.role != Role::kOut && to.role != Role::kInOut) continue;
    // A value per channel counts for the whole channel: a source with strides of 0.
    Layout spread(from.layout.dtype());
    spread.set_base(from.layout.base());
    for (int d = 0; d < from.layout.rank(); ++d) {
      if (from.layout.extent(d) == to.layout.extent(d)) {
        spread.add_dim(from.layout.extent(d), from.layout.digits(d), from.layout.offset(d));
      } else {
        spread.add_dim(to.layout.extent(d), {{1, 0}});
      }
    }
    const bool copy = command.engine() == Engine::kGdma;
    for (const InitShadow::Dependence& each :
         shadow_.dependences(to.layout, number(from.space), spread, copy)) {
      pending_.push_back({number(to.space), each.destination, hole_of(command, source, each.mark)});
    }
  }
}

void Checker::write_operands(const Command& command) {
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (!operand.writes()) continue;
    Footprint bytes = bytes_[static_cast<std::size_t>(k)];
    const int memory = number(operand.space);
    if (operand.role == Role::kWork) {
      shadow_.write(memory, bytes, work_hole(command, k));
      continue;
    }
    if (operand.spec->storage == Storage::kPacked) {
      bytes = footprints_.get(whole_words(operand.layout),
                              operand.space == Space::kLocal ? chip_.local.npu_bytes : 0);
    }
    if (operand.space == Space::kGlobal) {
      shadow_.write(memory, bytes, kKernel);
      continue;
    }
    const auto source = reinterpret_cast<std::uint64_t>(command.call_site) * kOperandsPerCommand +
                        static_cast<std::uint64_t>(k);
    const LiveTensors::Write write = live_.write(source, bytes, time_, write_kind(command, k));
    if (write.mark > writer_calls_.size()) writer_calls_.push_back(call_of(command, k));
    if (write.unread && checks_.lint) report_unread(write.mark);
    if (!pending_.empty()) live_.excuse(write.mark, time_);
    shadow_.write(memory, bytes, write.mark + kFirstWriter - 1);
  }
  for (const Pending& each : pending_) shadow_.write_linear(each.memory, each.bytes, each.mark);
}

LiveTensors::Kind Checker::write_kind(const Command& command, int at) const {
  const Operand& result = command.operands()[static_cast<std::size_t>(at)];
  const Footprint& bytes = bytes_[static_cast<std::size_t>(at)];
  auto kind = LiveTensors::Kind::kFill;
  for (int k = 0; k < command.operand_count; ++k) {
    const Operand& source = command.operands()[static_cast<std::size_t>(k)];
    if (!source.reads()) continue;
    if (source.space == result.space && overlap(bytes_[static_cast<std::size_t>(k)], bytes))
      return LiveTensors::Kind::kUpdate;
    kind = LiveTensors::Kind::kPlain;
  }
  return kind;
}

Mark Checker::hole_of(const Command& command, int at, Mark mark) {
  if (mark != kUnwritten) return mark;
  const auto [entry, added] = hole_numbers_.try_emplace(
      {command.call_site, at, false}, kUndefinedBit | static_cast<Mark>(holes_.size()));
  if (!added) return entry->second;
  const Operand& operand = command.operands()[static_cast<std::size_t>(at)];
  const Footprint& bytes = bytes_[static_cast<std::size_t>(at)];
  Hole hole{call_of(command, at), false, operand.space, {}, neighbour(bytes, operand.space)};
  for (const MarkedBytes& piece : shadow_.undefined(number(operand.space), bytes, 256)) {
    if (piece.mark != kUnwritten) continue;
    const std::int64_t npu_bytes = operand.space == Space::kLocal ? chip_.local.npu_bytes : 0;
    for (int q = piece.npu; q < piece.npu + piece.npus; ++q)
      hole.bytes.push_back(
          {q * npu_bytes + piece.offsets.begin, q * npu_bytes + piece.offsets.end});
  }
  holes_.push_back(std::move(hole));
  return entry->second;
}

Mark Checker::work_hole(const Command& command, int at) {
  const auto [entry, added] = hole_numbers_.try_emplace(
      {command.call_site, at, true}, kUndefinedBit | static_cast<Mark>(holes_.size()));
  if (added) {
    holes_.push_back({call_of(command, at),
                      true,
                      command.operands()[static_cast<std::size_t>(at)].space,
                      {},
                      std::nullopt});
  }
  return entry->second;
}

// The latest write whose bytes lie in the same NPUs next to a footprint or inside it.
std::optional<Checker::Call> Checker::neighbour(const Footprint& bytes, Space space) const {
  if (space != Space::kLocal) return std::nullopt;
  std::uint64_t latest = 0;
  std::optional<Call> call;
  const Range wanted = bytes.shape->lane_bounds;
  for (std::size_t k = 0; k < live_.writers().size(); ++k) {
    const LiveTensors::Writer& writer = live_.writers()[k];
    if (writer.bytes.shape->npu_bytes == 0) continue;  // L2 and DTCM
    const Range range = writer.bytes.shape->lane_bounds;
    const bool close = (writer.bytes.shape->npus & bytes.shape->npus) != 0 &&
                       range.begin <= wanted.end && wanted.begin <= range.end;
    if (close && writer.written > latest) {
      latest = writer.written;
      call = writer_calls_[k];
    }
  }
  return call;
}

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

void Checker::sync(SyncEvent event, std::int64_t, const void* call_site) {
  std::optional<SyncState::Finding> found;
  switch (event) {
    case SyncEvent::kInitialize:
      found = sync_state_.initialize(call_site);
      races_.end_region();
      break;
    case SyncEvent::kPoll:
      found = sync_state_.poll(call_site);
      if (!found) in_flight_ = {};
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
  auto at = static_cast<std::int64_t>(offset);
  const std::int64_t npu_bytes = chip_.local.npu_bytes;
  const InFlight& writes = in_flight_[static_cast<std::size_t>(space)];
  const bool local = space == Space::kLocal;
  const std::int64_t npu = local ? at / npu_bytes : 0;
  if (checks_.sync && (writes.npus >> (local ? npu % 64 : 0) & 1) != 0 &&
      (local ? at % npu_bytes : at) < writes.end) {
    report_pointer(writes, space, call_site);
  }
  // From here on the processor may write behind the pointer unseen.
  std::int64_t end = static_cast<std::int64_t>(space == Space::kLocal ? chip_.local_bytes()
                                                                      : chip_.region(space).bytes);
  if (local) end = (npu + 1) * npu_bytes;
  if (space == Space::kGlobal) {
    bounds_.begin_launch({});  // addresses may come from memory
    if (const auto block = bounds_.find(at)) end = block->bytes.end;
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
}

void Checker::freed(std::uint64_t offset) {
  bounds_.freed(static_cast<std::int64_t>(offset));
}

}  // namespace tensorlane::check
