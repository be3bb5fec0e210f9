#include "tensorlane/device/processor_watch.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "tensorlane/device/access_size.h"

namespace tensorlane {
namespace {

// Read by signal handlers. More devices than this are not watched.
std::array<std::atomic<ProcessorWatch*>, 16> watches{};

// Stores that the table of instructions does not know: at most this long.
constexpr std::uint64_t kLongestStore = 64;

bool matters(std::span<Observer* const> observers, Space space, std::uint64_t page) {
  constexpr std::uint64_t kBytes = ProcessorWatch::kPageBytes;
  return std::ranges::any_of(observers, [&](const Observer* observer) {
    return observer->watches(space, page * kBytes, kBytes);
  });
}

void tell(std::span<Observer* const> observers, const ProcessorAccess& access) {
  for (Observer* const observer : observers) observer->processor_access(access);
}

}  // namespace

ProcessorWatch::ProcessorWatch(DeviceMemory& memory, bool (*ready)())
    : memory_(memory), ready_(ready) {
  views_.reserve(kSpaces);
  for (std::atomic<ProcessorWatch*>& each : watches) {
    ProcessorWatch* none = nullptr;
    if (each.compare_exchange_strong(none, this)) return;
  }
  stopped_ = true;
}

ProcessorWatch::~ProcessorWatch() {
  for (std::atomic<ProcessorWatch*>& each : watches) {
    ProcessorWatch* self = this;
    if (each.compare_exchange_strong(self, nullptr)) return;
  }
}

ProcessorWatch* ProcessorWatch::of(std::uintptr_t address) {
  for (const std::atomic<ProcessorWatch*>& each : watches) {
    ProcessorWatch* const watch = each;
    if (watch != nullptr && watch->find(address) != nullptr) return watch;
  }
  return nullptr;
}

ProcessorWatch::View* ProcessorWatch::find(std::uintptr_t address) {
  const auto holds = [&](const View& view) {
    return address - reinterpret_cast<std::uintptr_t>(view.view) < view.bytes;
  };
  const auto found = std::ranges::find_if(views_, holds);
  return found == views_.end() ? nullptr : &*found;
}

std::byte* ProcessorWatch::pointer(Space space, std::uint64_t offset) {
  if (!ready_()) stop();
  auto found = std::ranges::find(views_, space, &View::space);
  if (found == views_.end()) {
    if (stopped_) return nullptr;
    std::byte* const view = memory_.second_view(space);
    if (view == nullptr) return nullptr;
    views_.push_back({space, memory_.reserved(space), memory_.base(space), view, {}});
    found = views_.end() - 1;
    if (!protect(*found, 0, found->bytes / kPageBytes, PROT_NONE)) return nullptr;
  }
  return stopped_ ? nullptr : found->view + offset;
}

// Where the system has no room for one more piece of a view, all of it is opened.
bool ProcessorWatch::protect(const View& view, std::uint64_t page, std::uint64_t pages,
                             int protection) {
  if (mprotect(view.view + page * kPageBytes, pages * kPageBytes, protection) == 0) return true;
  stop();
  return false;
}

void ProcessorWatch::stop() {
  stopped_ = true;
  for (const View& view : views_) mprotect(view.view, view.bytes, PROT_READ | PROT_WRITE);
}

void ProcessorWatch::close(View& view) {
  std::ranges::sort(view.open);
  for (std::size_t k = 0; k < view.open.size() && !stopped_;) {
    std::size_t next = k + 1;
    while (next < view.open.size() && view.open[next] <= view.open[next - 1] + 1) ++next;
    protect(view, view.open[k], view.open[next - 1] - view.open[k] + 1, PROT_NONE);
    k = next;
  }
  view.open.clear();
}

bool ProcessorWatch::launch_begin() {
  if (!ready_()) stop();
  if (stopped_) return false;
  // The last kernel may have been left while an instruction was followed.
  for (; stepping_ > 0; --stepping_)
    steps_[stepping_ - 1].view->open.push_back(steps_[stepping_ - 1].page);
  followed_in_launch_ = 0;
  for (View& view : views_) close(view);
  return !stopped_;
}

void ProcessorWatch::command(const Command& command) {
  for (View& view : views_) {
    const auto works_there = [&](const Operand& operand) { return operand.space == view.space; };
    if (!view.open.empty() && std::ranges::any_of(command.operands(), works_there)) close(view);
  }
}

void ProcessorWatch::keep_open(View& view, std::uint64_t page) {
  if (protect(view, page, 1, PROT_READ | PROT_WRITE)) view.open.push_back(page);
}

void ProcessorWatch::open(std::uintptr_t address) {
  View* const view = find(address);
  keep_open(*view, (address - reinterpret_cast<std::uintptr_t>(view->view)) / kPageBytes);
}

// The bytes of an access, `room` of which fit its page; the rest faults on the next one.
std::uint64_t ProcessorWatch::bytes_of(const Access& access, std::uint64_t room) {
  auto bytes = static_cast<std::uint64_t>(
      access_bytes(static_cast<const std::uint8_t*>(access.instruction)));
  if (bytes == 0) bytes = access.writes ? kLongestStore : 1;
  if (stepping_ > 0 && room == kPageBytes && on_next_page_ > 0) bytes = on_next_page_;
  on_next_page_ = bytes > room ? bytes - room : 0;
  return std::min(bytes, room);
}

bool ProcessorWatch::follow(const Access& access, std::span<Observer* const> observers) {
  View& view = *find(access.address);
  const std::uint64_t offset = access.address - reinterpret_cast<std::uintptr_t>(view.view);
  const std::uint64_t page = offset / kPageBytes;
  if (stopped_ || !matters(observers, view.space, page)) {
    keep_open(view, page);
    return stepping_ > 0;
  }
  using Kind = ProcessorAccess::Kind;
  const std::uint64_t begin = offset - page * kPageBytes;
  const std::uint64_t bytes = bytes_of(access, kPageBytes - begin);
  const auto tell_of = [&](Kind kind) {
    tell(observers, {kind, view.space, offset, bytes, access.call_site, access.own_code});
  };
  const auto* const code = static_cast<const std::uint8_t*>(access.instruction);
  if (!access.writes || reads_what_it_writes(code)) tell_of(Kind::kRead);
  if (access.writes) tell_of(Kind::kWrite);
  if (stepping_ == steps_.size() || followed_in_launch_ == kFollowedPerLaunch ||
      followed_ == kFollowedPerDevice) {
    tell(observers, {Kind::kUnseen, view.space, page * kPageBytes, kPageBytes, access.call_site});
    keep_open(view, page);
    return stepping_ > 0;
  }
  ++followed_;
  ++followed_in_launch_;
  if (!protect(view, page, 1, PROT_READ | PROT_WRITE)) return false;
  site_ = access.call_site;
  Step& step = steps_[stepping_++];
  step.view = &view;
  step.page = page;
  step.told_begin = begin;
  step.told_end = access.writes ? begin + bytes : begin;
  std::memcpy(step.before.data(), view.base + page * kPageBytes, kPageBytes);
  return true;
}

// What the instruction wrote beside the access that faulted: it may read, then write.
void ProcessorWatch::tell_changes(const Step& step, std::span<Observer* const> observers) const {
  const std::byte* const now = step.view->base + step.page * kPageBytes;
  if (std::memcmp(now, step.before.data(), kPageBytes) == 0) return;
  const auto differs = [&](std::uint64_t at) {
    return now[at] != step.before[at] && (at < step.told_begin || at >= step.told_end);
  };
  for (std::uint64_t at = 0; at < kPageBytes; ++at) {
    if (!differs(at)) continue;
    std::uint64_t end = at + 1;
    while (end < kPageBytes && differs(end)) ++end;
    tell(observers, {ProcessorAccess::Kind::kWrite, step.view->space, step.page * kPageBytes + at,
                     end - at, site_});
    at = end;
  }
}

bool ProcessorWatch::stepped(std::span<Observer* const> observers) {
  if (stepping_ == 0) return false;
  for (; stepping_ > 0; --stepping_) {
    const Step& step = steps_[stepping_ - 1];
    if (stopped_) continue;
    tell_changes(step, observers);
    if (matters(observers, step.view->space, step.page)) {
      protect(*step.view, step.page, 1, PROT_NONE);
    } else {
      step.view->open.push_back(step.page);
    }
  }
  return true;
}

}  // namespace tensorlane
