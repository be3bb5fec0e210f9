// What hosts do with a device's memory, and what the observers hear of it.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "tensorlane/base/language.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/source_location.h"

namespace tensorlane {

std::string allocation_text(const Allocator::Block& block) {
  return block.freed ? tr("the allocation of {} bytes at {:#x}, which was freed", block.bytes,
                          block.address)
                     : tr("the allocation of {} bytes at {:#x}", block.bytes, block.address);
}

std::string allocation_places(const Allocator::Block& block) {
  std::string text;
  if (block.freed_at != nullptr) text += tr(" at {}", find_source_location(block.freed_at).text());
  if (block.made_at != nullptr) {
    const std::string place = find_source_location(block.made_at).text();
    text += block.freed ? tr("; made at {}", place) : tr(", made at {}", place);
  }
  return text;
}

template <class Tell>
void Device::tell_observers(Tell tell) {
  const std::unique_lock lock = hold_observers();
  tell_held_observers(tell);
}

template <class Tell>
void Device::tell_held_observers(Tell tell) {
  if (!observed_) return;  // never again, and so nothing is locked
  for (Observer* observer : observer_list_) tell(*observer);
}

// What changes here and what the observers hear of it is one step: else they could hear of the
// next owner of an address before they hear that the last one freed it.
std::optional<std::uint64_t> Device::allocate(std::uint64_t bytes, const HostCaller& caller) {
  const std::unique_lock observers_lock = hold_observers();
  std::optional<std::uint64_t> address;
  {
    const std::lock_guard lock(mutex_);
    address = allocator_.allocate(bytes, caller.call_site);
    if (address) {
      const std::uint64_t end =
          *address + std::max<std::uint64_t>(bytes, 1) - chip_.region(Space::kGlobal).begin;
      if (end > memory_.bytes(Space::kGlobal)) {
        memory_.hold_global(end);
        roomy_chip_.hold(end);
      }
    }
  }
  if (address) {
    const std::uint64_t offset = *address - chip_.region(Space::kGlobal).begin;
    tell_held_observers([&](Observer& observer) { observer.allocated(offset, bytes, caller); });
  }
  return address;
}

bool Device::free(std::uint64_t address, const HostCaller& caller) {
  drain();  // a queued launch may still use it
  const std::unique_lock observers_lock = hold_observers();
  {
    const std::lock_guard lock(mutex_);
    if (!allocator_.free(address, caller.call_site)) return false;
  }
  const std::uint64_t offset = address - chip_.region(Space::kGlobal).begin;
  tell_held_observers([&, open = unawaited()](Observer& observer) {
    observer.host_waited(open);
    observer.freed(offset, caller);
  });
  return true;
}

std::uint64_t Device::allocated_bytes() const {
  const std::lock_guard lock(mutex_);
  return allocator_.used();
}

std::optional<Allocator::Block> Device::find_allocation(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto block = allocator_.find(address);
  return block ? block : allocator_.find_freed(address);
}

std::optional<Chip::Place> Device::find_place(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);  // the memory may become longer
  return chip_.find(address);
}

void Device::check_host_access(std::uint64_t address, std::uint64_t bytes,
                               std::uint64_t offset) const {
  const auto place = find_place(address);
  if (!place) {
    throw IllegalHostAccess(tr("{:#x} is not inside a memory of the device", address), {});
  }
  // What follows the address without leaving its memory or, in global memory, its allocation.
  std::uint64_t room = place->bytes_left;
  std::string holder(translated(space_name(place->space)));
  std::optional<Allocator::Block> block;
  if (place->space == Space::kGlobal && bytes > 0) {
    block = find_allocation(address);
    if (!block) throw IllegalHostAccess(tr("{:#x} is inside no allocation", address), {});
    holder = allocation_text(*block);
    if (block->freed) {
      throw IllegalHostAccess(tr("{:#x} is inside {}", address, holder), block);
    }
    room = block->end() - address;
  }
  if (offset <= room && bytes <= room - offset) return;
  const std::uint64_t excess = bytes - (room - offset);
  throw IllegalHostAccess(
      offset > room ? tr("{} bytes at {:#x} + {} begin outside {}", bytes, address, offset, holder)
                    : tr("{} bytes at {:#x} + {} end {} bytes past {}", bytes, address, offset,
                         excess, holder),
      block);
}

std::byte* Device::host_access(HostAccess access, std::uint64_t address, std::uint64_t bytes,
                               std::uint64_t offset, const HostCaller& caller) {
  drain();
  check_host_access(address, bytes, offset);
  const Chip::Place place = *find_place(address);
  if (place.space == Space::kGlobal) {
    tell_observers([&, open = unawaited()](Observer& observer) {
      observer.host_waited(open);
      observer.host_access(access, place.offset + offset, bytes, caller);
    });
  }
  return memory_.base(place.space) + place.offset + offset;
}

void Device::host_copy(const DeviceCopy& copy, const HostCaller& caller) {
  const std::uint64_t read = copy.bytes_at(copy.from_step), written = copy.bytes_at(copy.to_step);
  if (read == 0) return;
  wait_for_all();  // the chip's runtime queues such copies behind the launches and waits for them
  check_host_access(copy.from, read);
  check_host_access(copy.to, written);
  const Chip::Place from = *find_place(copy.from), to = *find_place(copy.to);
  DeviceCopy offsets = copy;
  offsets.from = from.offset;
  offsets.to = to.offset;
  tell_observers([&](Observer& observer) {
    if (from.space == Space::kGlobal && to.space == Space::kGlobal) {
      observer.host_copied(offsets, caller);
    } else if (from.space == Space::kGlobal) {
      observer.host_access(HostAccess::kRead, from.offset, read, caller);
    } else if (to.space == Space::kGlobal) {
      observer.host_access(HostAccess::kWrite, to.offset, written, caller);
    }
  });
  const std::byte* source = memory_.base(from.space) + from.offset;
  std::byte* target = memory_.base(to.space) + to.offset;
  for (std::uint64_t k = 0; k < copy.count; ++k) {
    std::memmove(target, source, copy.item_bytes);
    source += copy.from_step;
    target += copy.to_step;
  }
}

void Device::state(const Statement& statement) {
  if (!statement.in_kernel) drain();
  tell_observers([&](Observer& observer) { observer.stated(statement); });
}

void Device::at_rest(const std::function<void()>& body) {
  drain();
  std::unique_lock lock(observer_mutex_, std::defer_lock);
  if (!on_own_thread()) lock.lock();  // a launch holds it
  body();
}

void Device::refuse(const HostRefusal& refusal) {
  tell_observers([&](Observer& observer) { observer.host_refused(refusal); });
}

}  // namespace tensorlane
