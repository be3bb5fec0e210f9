#include "tensorlane/observe/check/checker.h"

#include <algorithm>

#include "tensorlane/device/source_location.h"

namespace tensorlane::check {
namespace {

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

Facts::Facts(const Chip& of, const DeviceMemory* values)
    : chip(of),
      memory(values),
      allocations(trail::Range{
          static_cast<std::int64_t>(of.global_alloc_begin - of.region(Space::kGlobal).begin),
          static_cast<std::int64_t>(of.region(Space::kGlobal).bytes)}) {}

trail::Footprint footprint_of(const Chip& chip, Space space, trail::Range bytes) {
  if (space != Space::kLocal) return trail::linear_footprint(bytes.begin, bytes.bytes());
  const std::int64_t npu_bytes = chip.local.npu_bytes, npu = bytes.begin / npu_bytes;
  const std::int64_t begin = bytes.begin - npu * npu_bytes;
  return trail::lane_footprint(npu_bytes, static_cast<int>(npu), 1, begin,
                               std::min(bytes.bytes(), npu_bytes - begin));
}

trail::Provenance& Facts::provenance() {
  if (!history) history.emplace(chip, footprints, memory);
  return *history;
}

Checker::Checker(const Chip& chip, const Checks& checks, Deliver deliver,
                 const DeviceMemory* memory)
    : facts_(chip, memory), deliver_(std::move(deliver)) {
  facts_.expectations = checks.expectations;
  for (const CheckRow* row : checks.rows) {
    const auto [diagnostics, make] = row->parts();
    facts_.selected.push_back(row->name);
    checks_.push_back(make({facts_, {report_, chip, facts_.scene, diagnostics}}));
    current_.push_back(checks_.back().get());
    rows_.push_back(row);
    if (row->cores == CheckOfCores::kEach) rows_of_cores_.push_back(row);
  }
}

Checker::~Checker() {
  tell_all(&Check::device_end);
  deliver(true);
}

void Checker::deliver(bool last) {
  if (!deliver_) return;
  report_.complete();
  deliver_(report_, last);
}

// Checks of the other cores are made once and kept.
void Checker::begin_cores(int cores) {
  cores_ = cores;
  facts_.core = 0;
  facts_.clocks = cores > 1 ? std::make_unique<CoreClocks>(cores) : nullptr;
  regions_.assign(static_cast<std::size_t>(cores), {});
  for (std::size_t k = 0; k < checks_.size(); ++k) current_[k] = checks_[k].get();
  const std::size_t wanted = rows_of_cores_.size() * static_cast<std::size_t>(cores - 1);
  while (of_cores_.size() < wanted) {
    const CheckRow& row = *rows_of_cores_[of_cores_.size() % rows_of_cores_.size()];
    const auto [diagnostics, make] = row.parts();
    of_cores_.push_back(make({facts_, {report_, facts_.chip, facts_.scene, diagnostics}}));
  }
}

void Checker::core_selected(int core) {
  regions_[static_cast<std::size_t>(facts_.core)] = {facts_.region_open, facts_.region_start};
  const OpenRegion& region = regions_[static_cast<std::size_t>(core)];
  facts_.region_open = region.open;
  facts_.region_start = region.start;
  facts_.core = core;
  if (facts_.scene.launch) facts_.scene.launch->cores = {core};
  const std::size_t bytes = arguments_.size() / static_cast<std::size_t>(cores_);
  facts_.scene.arguments = arguments_.subspan(bytes * static_cast<std::size_t>(core), bytes);
  if (facts_.history) facts_.history->select_core(core);
  std::size_t own = 0;
  for (std::size_t k = 0; k < checks_.size(); ++k) {
    const auto row = std::ranges::find(rows_of_cores_, rows_[k]);
    if (row == rows_of_cores_.end()) continue;
    const std::size_t first = static_cast<std::size_t>(core - 1) * rows_of_cores_.size();
    current_[k] = core == 0 ? checks_[k].get() : of_cores_[first + own].get();
    ++own;
  }
}

void Checker::message(const MessageEvent& event) {
  if (facts_.clocks != nullptr) facts_.moment = facts_.clocks->message(facts_.core, event);
  tell(&Check::message, event);
}

void Checker::launch_begin(const Launch& launch) {
  if (const std::uint64_t now = place_generation(); now != places_) {
    places_ = now;
    report_.forget_places();
  }
  facts_.scene = {FindingLaunches{launch.device,
                                  launch.kernel,
                                  launch.number,
                                  launch.number,
                                  1,
                                  {},
                                  launch.call_site,
                                  launch.cores,
                                  {}},
                  {}};
  if (launch.cores > 1) facts_.scene.launch->cores = {0};
  facts_.accesses_seen = launch.accesses_seen;
  facts_.asynchronous = launch.asynchronous;
  facts_.beside = launch.beside;
  facts_.kernel = launch.function;
  arguments_ = launch.args;
  facts_.scene.arguments =
      launch.args.first(launch.args.size() / static_cast<std::size_t>(launch.cores));
  facts_.region_open = false;
  begin_cores(launch.cores);
  facts_.allocations.begin_launch(addresses_in(launch.args, facts_.chip));
  if (facts_.history) facts_.history->launch_begin();
  tell_all(&Check::launch_begin);
}

void Checker::launch_failed(const Failure& failure) {
  if (cores_ > 1) core_selected(0);
  if (facts_.scene.launch)
    facts_.scene.launch->cores =
        cores_ > 1 && failure.core >= 0 ? std::vector{failure.core} : std::vector<int>{};
  tell_all(&Check::launch_failed, failure);
  // What ended the launch was found last: the refused call, or the end itself.
  const std::optional<std::size_t> cause = report_.latest();
  if (!cause) return;
  for (const MemoryBounds::Block& block : facts_.allocations.leaks()) {
    if (block.given) facts_.missing.missed(block.number, *cause);
  }
}

// First the checks that each core has, in its place.
void Checker::launch_done() {
  for (int core = 0; core < cores_ && cores_ > 1; ++core) {
    core_selected(core);
    for (std::size_t k = 0; k < current_.size(); ++k) {
      if (rows_[k]->cores == CheckOfCores::kEach) current_[k]->launch_done();
    }
  }
  if (cores_ > 1) core_selected(0);
  facts_.scene.launch->cores.clear();
  for (std::size_t k = 0; k < current_.size(); ++k) {
    if (cores_ == 1 || rows_[k]->cores == CheckOfCores::kAll) current_[k]->launch_done();
  }
}

void Checker::launch_end(const Launch&, Outcome outcome) {
  if (outcome == Outcome::kDone) launch_done();
  if (facts_.scene.launch) facts_.scene.launch->cores.clear();  // what follows is no core's alone
  facts_.scene.arguments = {};
  if (report_.size() == looked_at_) return;
  // Advice can wait for the end; errors and warnings should survive a crash of the program.
  looked_at_ = report_.size();
  report_.complete(Report::Lines::kOfLibraries);
  const std::size_t serious = report_.serious();
  if (serious != delivered_) deliver(false);
  delivered_ = serious;
}

void Checker::command_begin(const Command& command) {
  command_.assign(command, facts_.footprints);
  report_.called(command.calls);
  if (!facts_.missing.empty()) note_written();
  if (facts_.history) facts_.history->read(command_);
  if (facts_.clocks != nullptr)
    facts_.moment = facts_.clocks->command(facts_.core, command.engine(), command.region);
  tell(&Check::command, command_);
  if (facts_.history) facts_.history->write(command_);
}

// Results that are written after all are missed no longer.
void Checker::note_written() {
  for (int k = 0; k < command_.size(); ++k) {
    const Operand& operand = command_.operand(k);
    if (operand.space != Space::kGlobal || !operand.writes() || command_.bytes(k).empty()) continue;
    if (const auto block = facts_.allocations.find(command_.bytes(k).bounds().begin))
      facts_.missing.written(block->number);
  }
}

void Checker::command_end(const Command&) {
  tell(&Check::command_end, command_);
}

void Checker::discarded(std::uint64_t offset, std::uint64_t bytes) {
  if (!facts_.history) return;
  const auto begin = static_cast<std::int64_t>(offset);
  facts_.history->discarded({begin, begin + static_cast<std::int64_t>(bytes)});
}

void Checker::sync(SyncEvent event, std::int64_t, const void* call_site) {
  tell(&Check::sync, event, call_site);
  if (facts_.clocks != nullptr && event == SyncEvent::kPoll) facts_.clocks->poll(facts_.core);
  if (facts_.clocks != nullptr && event == SyncEvent::kHauPoll)
    facts_.clocks->poll(facts_.core, Engine::kHau);
  if (event == SyncEvent::kParallelStart) {
    facts_.region_open = true;
    facts_.region_start = call_site;
  } else if (event == SyncEvent::kParallelEnd || event == SyncEvent::kInitialize) {
    facts_.region_open = false;
  }
}

void Checker::pointer_taken(Space space, std::uint64_t offset, const void* call_site) {
  const auto at = static_cast<std::int64_t>(offset);
  const std::int64_t npu_bytes = facts_.chip.local.npu_bytes;
  const std::int64_t npu = space == Space::kLocal ? at / npu_bytes : 0;
  std::int64_t end = space == Space::kLocal
                         ? (npu + 1) * npu_bytes
                         : static_cast<std::int64_t>(facts_.chip.region(space).bytes);
  if (space == Space::kGlobal) {
    if (const auto block = facts_.allocations.find(at)) end = block->bytes.end;
  }
  tell(&Check::pointer_taken, TakenPointer{space, static_cast<int>(npu), {at, end}, call_site});
  // The processor may find addresses of allocations in global memory.
  if (space == Space::kGlobal) facts_.allocations.begin_launch({});
  // It may write behind the pointer, and nobody will tell.
  if (facts_.history && !facts_.accesses_seen) facts_.history->processor_wrote(space, {at, end});
}

void Checker::processor_access(const ProcessorAccess& access) {
  tell(&Check::processor_access, access);
  if (facts_.history && access.kind != ProcessorAccess::Kind::kRead)
    facts_.history->processor_wrote(access.space, range_of(access));
}

void Checker::arguments_exceeded(const ArgumentAccess& access) {
  tell(&Check::arguments_exceeded, access);
}

bool Checker::watches(Space space, std::uint64_t offset, std::uint64_t bytes) const {
  const auto begin = static_cast<std::int64_t>(offset);
  const trail::Range range{begin, begin + static_cast<std::int64_t>(bytes)};
  // What the processor writes there is to be known.
  if (facts_.history && facts_.history->undefined(space, range)) return true;
  return std::ranges::any_of(
      checks_, [&](const std::unique_ptr<Check>& check) { return check->watches(space, range); });
}

void Checker::host_waited(std::span<const std::uint64_t> except) {
  tell_all(&Check::host_waited, except);
}

void Checker::host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                          const HostCaller& caller) {
  const auto begin = static_cast<std::int64_t>(offset);
  const trail::Range range{begin, begin + static_cast<std::int64_t>(bytes)};
  if (range.bytes() <= 0) return;
  facts_.scene.host = caller;
  if (access == HostAccess::kWrite) {
    tell_all(&Check::host_wrote, range);
    if (facts_.history) facts_.history->host_wrote(range);
  } else if (const auto block = facts_.allocations.find(begin)) {
    tell_all(&Check::host_read,
             HostRead{*block, {begin, std::min(range.end, block->bytes.end)}, caller});
  }
  facts_.scene.host = {};
}

void Checker::stated(const Statement& statement) {
  tell(&Check::stated, statement);
}

void Checker::allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller& caller) {
  const auto begin = static_cast<std::int64_t>(offset), size = static_cast<std::int64_t>(bytes);
  facts_.allocations.allocated(begin, size, caller);
  if (facts_.history) facts_.history->allocated({begin, begin + size});
  tell_all(&Check::allocated, trail::Range{begin, begin + size});
}

void Checker::freed(std::uint64_t offset, const HostCaller& caller) {
  const auto begin = static_cast<std::int64_t>(offset);
  if (auto block = facts_.allocations.find(begin)) {
    block->freed = caller;
    tell_all(&Check::freed, *block);
    facts_.missing.freed(block->number);
  }
  facts_.allocations.freed(begin, caller);
}

void Checker::refused(const Refusal& refusal) {
  tell(&Check::refused, refusal);
}

void Checker::host_refused(const HostRefusal& refusal) {
  tell(&Check::host_refused, refusal);
  const std::optional<std::size_t> cause = report_.latest();
  if (!cause) return;
  if (refusal.kind == HostRefusal::Kind::kLaunch) {
    for (const MemoryBounds::Block& block : facts_.allocations.leaks())
      facts_.missing.missed(block.number, *cause);
  } else if (refusal.kind == HostRefusal::Kind::kOutside && refusal.allocation) {
    const Region& global = facts_.chip.region(Space::kGlobal);
    const auto at = static_cast<std::int64_t>(refusal.allocation->address - global.begin);
    if (const auto block = facts_.allocations.find(at))
      facts_.missing.missed(block->number, *cause);
  }
}

void Checker::tolerated(const Tolerated& tolerated) {
  tell(&Check::tolerated, tolerated);
}

}  // namespace tensorlane::check
