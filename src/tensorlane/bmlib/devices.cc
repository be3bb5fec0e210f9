#include "tensorlane/bmlib/devices.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/bmlib/linked_front_ends.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/observe/environment.h"

namespace tensorlane::bmlib {
namespace {

// The library speaks to the user of a program, before it opens its first device, too.
[[maybe_unused]] const bool kLanguageIsSet = [] {
  set_language(language_of_environment());
  return true;
}();

void say(const std::string& text) {
  std::fflush(stdout);  // keeps the order of the program's own lines and ours
  std::fputs(text.c_str(), stderr);
}

void print_failure(const Failure& failure) {
  const std::string text = fmt::format(
      "tensorlane: {}\n  {}\n",
      tr("kernel '{}' ended at {}", failure.kernel, find_source_location(failure.call_site).text()),
      failure.message);
  say(text);
}

std::string& preferred_chip() {
  static std::string& name = *new std::string;
  return name;
}

const Chip& chip_of_devices() {
  const char* const asked = std::getenv("TENSORLANE_CHIP");
  const bool is_asked = asked != nullptr && *asked != '\0';
  return is_asked || preferred_chip().empty() ? chosen_chip(front_end())
                                              : find_chip(preferred_chip());
}

std::unique_ptr<Device> make_device(int id) {
  auto device =
      std::make_unique<Device>(chip_of_devices(), id, observe::red_zones_of_environment());
  device->on_failure(print_failure);
  observe::attach_from_environment(*device, say);
  return device;
}

struct Devices {
  std::mutex mutex;
  pid_t process = getpid();
  std::array<Device*, kDevices> made{};
};

// Never destroyed: programs use devices from destructors of their own. At the end of the process
// launches finish and reports are written.
Devices& devices() {
  static Devices* const instance = new Devices;
  static const struct Finish {
    ~Finish() {
      for (Device* device : instance->made) {
        if (device != nullptr) device->finish();
      }
    }
  } finish;
  return *instance;
}

std::array<Device*, kDevices> made_devices() {
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  return all.made;
}

struct Handles {
  std::mutex mutex;
  std::set<bm_handle_t> open;
  std::uint64_t opened = 0;
};

// Never destroyed: programs may close handles from destructors of their own.
Handles& handles() {
  static Handles* const instance = new Handles;
  return *instance;
}

}  // namespace

Device& device(int id) {
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  if (all.process != getpid()) {  // those of the parent have no threads here
    all.process = getpid();
    all.made = {};
  }
  if (all.made[static_cast<std::size_t>(id)] == nullptr)
    all.made[static_cast<std::size_t>(id)] = make_device(id).release();
  return *all.made[static_cast<std::size_t>(id)];
}

void prefer_chip(std::string_view name) {
  const std::lock_guard lock(devices().mutex);
  preferred_chip() = name;
}

Device* made_device(int id) {
  return made_devices()[static_cast<std::size_t>(id)];
}

void drain_devices() {
  for (Device* device : made_devices()) {
    if (device != nullptr) device->drain();
  }
}

bool devices_are_observed() {
  return std::ranges::any_of(made_devices(), [](const Device* device) {
    return device != nullptr && device->is_observed();
  });
}

bm_handle_t open_handle(int devid) {
  auto context = std::make_unique<bm_context>();
  context->devid = devid;
  context->device = &device(devid);
  context->process = getpid();
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  context->queue = all.opened++;
  all.open.insert(context.get());
  return context.release();
}

bool is_inherited(bm_handle_t handle) {
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  return all.open.count(handle) != 0 && handle->process != getpid();
}

bool close_handle(bm_handle_t handle) {
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  if (all.open.erase(handle) == 0) return false;
  delete handle;
  return true;
}

bool check(bm_handle_t handle, const char* function) {
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  const bool open = all.open.count(handle) != 0;
  if (open && handle->process == getpid()) return true;
  report(function, handle == nullptr ? tr("handle is NULL; open a device with bm_dev_request first")
                   : open ? tr("handle belongs to the process that forked this one; open a device "
                               "with bm_dev_request here")
                          : tr("handle is not open; it was closed or never came from "
                               "bm_dev_request"));
  return false;
}

// The tickets stay where they are meanwhile: another thread that waits with this handle must not
// go on before they are done.
bool wait_for_launches(bm_handle_t handle) {
  std::vector<std::uint64_t> tickets;
  {
    const std::lock_guard lock(handle->mutex);
    tickets = handle->pending;
  }
  bool succeeded = true;
  for (const std::uint64_t ticket : tickets)
    succeeded = handle->device->wait(ticket, ticket - 1) && succeeded;
  const std::lock_guard lock(handle->mutex);
  handle->completed += std::erase_if(handle->pending, [&](std::uint64_t pending) {
    return std::ranges::binary_search(tickets, pending);
  });
  return succeeded;
}

}  // namespace tensorlane::bmlib
