#include "tensorlane/observe/statistics.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/engines.h"

#include <algorithm>
#include <ctime>

namespace tensorlane::observe {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

void Statistics::launch_begin(const Launch& launch) {
  evidence_.launch_begin(launch);
  launch_start_ = Clock::now();
  launch_thread_start_ = thread_seconds();
}

void Statistics::launch_end(const Launch& launch, Outcome outcome) {
  evidence_.launch_end(launch, outcome);
  Kernel& kernel = kernels_[launch.kernel];
  ++kernel.launches;
  if (outcome == Outcome::kFailed) ++kernel.failed;
  kernel.seconds += std::chrono::duration<double>(Clock::now() - launch_start_).count();
  kernel.thread_seconds += thread_seconds() - launch_thread_start_;
}

void Statistics::command_end(const Command& command) {
  evidence_.command_end(command);
  ++commands_[static_cast<std::size_t>(command.engine())];
  ++functions_[command.op];
  if (!is_dma(command.engine())) return;
  std::size_t from = kFill;
  for (const Operand& operand : command.operands()) {
    if (operand.reads()) from = static_cast<std::size_t>(operand.space);
  }
  for (const Operand& operand : command.operands()) {
    if (!operand.writes()) continue;
    Host& moved = moved_[from][static_cast<std::size_t>(operand.space)];
    ++moved.copies;
    moved.bytes += static_cast<std::uint64_t>(operand.layout.size()) *
                   static_cast<std::uint64_t>(dtype_bits(operand.layout.dtype())) / 8;
  }
}

void Statistics::sync(SyncEvent event, std::int64_t, const void*) {
  if (event == SyncEvent::kParallelStart) ++parallel_regions_;
}

void Statistics::host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                             const HostCaller& caller) {
  evidence_.host_access(access, offset, bytes, caller);
  Host& host = host_[static_cast<std::size_t>(access)];
  ++host.copies;
  host.bytes += bytes;
}

void Statistics::host_copied(const DeviceCopy& copy, const HostCaller& caller) {
  evidence_.host_copied(copy, caller);
}

void Statistics::allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller&) {
  blocks_[offset] = bytes;
  allocated_ += bytes;
  peak_allocated_ = std::max(peak_allocated_, allocated_);
}

void Statistics::freed(std::uint64_t offset, const HostCaller&) {
  const auto block = blocks_.find(offset);
  if (block == blocks_.end()) return;
  allocated_ -= block->second;
  blocks_.erase(block);
}

std::vector<std::pair<std::string_view, std::uint64_t>> Statistics::functions() const {
  std::vector<std::pair<std::string_view, std::uint64_t>> list;
  for (const auto& [op, count] : functions_) list.emplace_back(op->name(), count);
  std::ranges::sort(list, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return list;
}

std::vector<Statistics::Transfer> Statistics::transfers() const {
  std::vector<Transfer> list;
  for (std::size_t from = 0; from < moved_.size(); ++from) {
    for (std::size_t to = 0; to < kSpaces; ++to) {
      const Host& moved = moved_[from][to];
      if (moved.copies == 0) continue;
      list.push_back({from == kFill ? std::nullopt : std::optional(static_cast<Space>(from)),
                      static_cast<Space>(to), moved.copies, moved.bytes});
    }
  }
  return list;
}

Json Statistics::json() const {
  Json out{{"tool", "statistics"}, {"chip", chip_.name}};
  std::uint64_t launches = 0, failed = 0;
  double seconds = 0;
  Json kernels = Json::array();
  for (const auto& [name, kernel] : kernels_) {
    launches += kernel.launches;
    failed += kernel.failed;
    seconds += kernel.seconds;
    kernels.push_back({{"name", name},
                       {"launches", kernel.launches},
                       {"failed", kernel.failed},
                       {"seconds", kernel.seconds},
                       {"thread_seconds", kernel.thread_seconds}});
  }
  out["launches"] = launches;
  out["failed_launches"] = failed;
  out["kernel_seconds"] = seconds;
  out["kernels"] = kernels;
  out["commands"] = {{"gdma", commands(Engine::kGdma)},
                     {"bdc", commands(Engine::kBdc)},
                     {"hau", commands(Engine::kHau)}};
  if (commands(Engine::kSdma) > 0) out["commands"]["sdma"] = commands(Engine::kSdma);
  out["parallel_regions"] = parallel_regions_;
  out["moved"] = Json::array();
  for (const Transfer& transfer : transfers()) {
    out["moved"].push_back({{"from", transfer.from ? space_name(*transfer.from) : "fill"},
                            {"to", space_name(transfer.to)},
                            {"commands", transfer.commands},
                            {"bytes", transfer.bytes}});
  }
  const Host& read = host(HostAccess::kRead);
  const Host& written = host(HostAccess::kWrite);
  out["host"] = {{"copies_to_device", written.copies},
                 {"bytes_to_device", written.bytes},
                 {"copies_from_device", read.copies},
                 {"bytes_from_device", read.bytes}};
  out["peak_allocated_bytes"] = peak_allocated_;
  out["evidence"] = evidence_.json();
  out["functions"] = Json::array();
  for (const auto& [name, count] : functions())
    out["functions"].push_back({{"name", name}, {"commands", count}});
  return out;
}

}  // namespace tensorlane::observe
