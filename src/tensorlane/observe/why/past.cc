#include "tensorlane/observe/why/past.h"

#include <memory>

namespace tensorlane::why {

Json Past::steps(const inspect::Place& place, trail::Writer before, const ChainLimits& limits) {
  Chain chain(history_, allocations_, chip_, memory_, limits);
  if (before >= history_.first_kept()) {
    chain.ask(place, before, {.read_by = before});
    return chain.steps();
  }
  Json steps = Json::array();
  steps.push_back(chain.left_open(place, before - 1, {.id = 0, .read_by = before}));
  return steps;
}

void Past::launch_begin(const Launch& launch) {
  seen_ = launch.accesses_seen;
  history_.launch(std::make_shared<trail::LaunchFacts>(
      trail::LaunchFacts{launch.kernel, launch.number, launch.call_site, launch.cores}));
}

void Past::launch_end(const Launch&, Outcome) {
  history_.launch(nullptr);
  history_.select_core(0);
}

void Past::command_begin(const Command& command) {
  before_event();
  history_.command(command);
}

void Past::pointer_taken(Space space, std::uint64_t offset, const void* call_site) {
  if (seen_) return;
  history_.processor_reads();
  const auto at = static_cast<std::int64_t>(offset);
  std::int64_t end = static_cast<std::int64_t>(memory_.bytes(space));
  if (space == Space::kLocal) end = (at / chip_.local.npu_bytes + 1) * chip_.local.npu_bytes;
  const trail::Allocation* const allocation =
      space == Space::kGlobal ? allocations_.find(at, history_.next()) : nullptr;
  if (allocation != nullptr) end = allocation->bytes.end;
  before_event();
  history_.unseen_writes(space, {at, end}, call_site);
}

void Past::processor_access(const ProcessorAccess& access) {
  if (access.kind != ProcessorAccess::Kind::kWrite) history_.processor_reads();
  if (access.kind == ProcessorAccess::Kind::kRead) return;
  const auto begin = static_cast<std::int64_t>(access.offset);
  const trail::Range bytes{begin, begin + static_cast<std::int64_t>(access.bytes)};
  before_event();
  if (access.kind == ProcessorAccess::Kind::kWrite) {
    history_.processor_writes(access.space, bytes, access.call_site);
  } else {
    history_.unseen_writes(access.space, bytes, access.call_site);
  }
}

void Past::host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                       const HostCaller& caller) {
  if (access == HostAccess::kRead || bytes == 0) return;
  const auto begin = static_cast<std::int64_t>(offset);
  before_event();
  history_.host_writes({begin, begin + static_cast<std::int64_t>(bytes)}, caller);
}

void Past::host_copied(const DeviceCopy& copy, const HostCaller& caller) {
  before_event();
  history_.host_copies(copy, caller);
}

void Past::allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller& caller) {
  const auto begin = static_cast<std::int64_t>(offset);
  allocations_.add({{begin, begin + static_cast<std::int64_t>(bytes)}, caller, history_.next()});
}

}  // namespace tensorlane::why
