#include "tensorlane/bmlib/devices.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/observe/environment.h"

namespace tensorlane::bmlib {
namespace {

void print_failure(const Failure& failure) {
  const std::string text =
      fmt::format("tensorlane: kernel '{}' ended at {}\n  {}\n", failure.kernel,
                  find_source_location(failure.call_site).text(), failure.message);
  std::fflush(stdout);  // keeps the order of the program's own lines and ours
  std::fputs(text.c_str(), stderr);
}

std::unique_ptr<Device> make_device() {
  const char* const chip = std::getenv("TENSORLANE_CHIP");
  const FrontEnd& own = front_end();
  if (chip != nullptr && *chip != '\0' && &find_chip(chip) != &own.chip) {
    user_error("TENSORLANE_CHIP is '{}'; this program uses the library of the {}", chip,
               own.chip.full_name);
  }
  auto device = std::make_unique<Device>(own.chip);
  device->on_failure(print_failure);
  observe::attach_from_environment(*device);
  if (own.prepare != nullptr) own.prepare(*device);
  return device;
}

struct Handles {
  std::mutex mutex;
  std::set<bm_handle_t> open;
};

// Never destroyed: programs may close handles from destructors of their own.
Handles& handles() {
  static Handles* const instance = new Handles;
  return *instance;
}

}  // namespace

Device& device(int id) {
  static std::mutex mutex;
  static std::unique_ptr<Device>
      devices[kDevices];  // destroyed at exit: launches finish, reports are written
  const std::lock_guard lock(mutex);
  if (!devices[id]) devices[id] = make_device();
  return *devices[id];
}

bm_handle_t open_handle(int devid) {
  auto context = std::make_unique<bm_context>();
  context->devid = devid;
  context->device = &device(devid);
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  all.open.insert(context.get());
  return context.release();
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
  if (all.open.count(handle) != 0) return true;
  report(function, handle == nullptr
                       ? "handle is NULL; open a device with bm_dev_request first"
                       : "handle is not open; it was closed or never came from bm_dev_request");
  return false;
}

bool wait_for_launches(bm_handle_t handle) {
  std::vector<std::uint64_t> tickets;
  {
    const std::lock_guard lock(handle->mutex);
    tickets.swap(handle->pending);
  }
  bool succeeded = true;
  for (const std::uint64_t ticket : tickets) {
    succeeded = handle->device->wait(ticket, ticket - 1) && succeeded;
    ++handle->completed;
  }
  return succeeded;
}

}  // namespace tensorlane::bmlib
