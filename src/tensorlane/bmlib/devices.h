// The emulated devices of this process.
//
// Two devices, as on the vendor's model [observed]; each is made when it is first asked for, with
// the chip and the observers that the environment asks for.
#ifndef TENSORLANE_BMLIB_DEVICES_H_
#define TENSORLANE_BMLIB_DEVICES_H_

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bmlib_runtime.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"

namespace tensorlane::bmlib {

inline constexpr int kDevices = 2;

// The device with id 0..kDevices-1. Throws UserError when its memory cannot be reserved. The child
// of a fork makes devices of its own.
Device& device(int id);
// The chip of devices that are made from now on in programs that name none (TENSORLANE_CHIP).
void prefer_chip(std::string_view name);
// The same where it was made already, else null.
Device* made_device(int id);
// What a descriptor of an allocation on device `id` has in its reserved member; one made from an
// address has something else there.
constexpr unsigned int device_mark(int id) {
  return 0x544c0000U + static_cast<unsigned int>(id);
}
// Waits for everything submitted to the devices.
void drain_devices();
// Whether somebody will report what they did.
bool devices_are_observed();

}  // namespace tensorlane::bmlib

// What a bm_handle_t points to: one connection to one device.
struct bm_context {
  int devid = 0;
  tensorlane::Device* device = nullptr;
  pid_t process = 0;        // that opened it
  std::uint64_t queue = 0;  // that its launches go to: a number of its own
  std::mutex mutex;
  std::vector<std::uint64_t> pending;  // tickets of launches not yet waited for
  // Counters of bm_get_profile; times in microseconds.
  std::atomic<unsigned long> cdma_in_time{0}, cdma_in_count{0};
  std::atomic<unsigned long> cdma_out_time{0}, cdma_out_count{0};
  std::atomic<unsigned long> launched{0}, completed{0}, tpu_time{0};
};

namespace tensorlane::bmlib {

// Handles that are open. `check` is false, with a message, for NULL, closed and foreign handles and
// those of the process that forked this one.
bm_handle_t open_handle(int devid);
bool close_handle(bm_handle_t handle);
bool is_inherited(bm_handle_t handle);
bool check(bm_handle_t handle, const char* function);

// Waits for the launches of the handle; false when one of them failed.
bool wait_for_launches(bm_handle_t handle);

// A copy of the argument block, aligned for any member.
struct ArgumentBlock {
  std::vector<std::max_align_t> storage;
  bool given = false;
  std::size_t size = 0;

  // `copies` of them, back to back.
  ArgumentBlock(const void* args, std::size_t size, std::size_t copies = 1);
  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(storage.data()), size};
  }
  const void* pointer() const { return given ? storage.data() : nullptr; }
};

// What the message of a launch has room for in the public runtime.
inline constexpr std::size_t kMostArgumentBytes = 4096;
// Why a launch with such an argument block is refused; empty when it is not.
std::string argument_problem(const void* args, std::size_t size);

// A call of the host: which function, and where.
struct Caller {
  const char* function;
  const void* call_site;
  operator HostCaller() const { return {function, call_site}; }
};
#define TL_CALLER                         \
  ::tensorlane::bmlib::Caller {           \
    __func__, __builtin_return_address(0) \
  }

// Whether the host's call returns before the launch ends.
enum class Completion : std::uint8_t { kAsynchronous, kWaitedFor };

// Over how many cores a launch goes, and whether its arguments are those of each or of all: an
// array of one struct per core.
struct Cores {
  int number = 1;
  bool same_arguments = true;
};

// Queues a kernel with a copy of its arguments.
void submit(bm_handle_t handle, const std::string& name, KernelFunction kernel, const void* args,
            std::size_t size, const Caller& caller, Completion completion, const Cores& cores = {});
// The same for the kernel called `name`; reports an unknown name.
bm_status_t launch(bm_handle_t handle, const char* name, const void* args, std::size_t size,
                   const Caller& caller, Completion completion, const Cores& cores = {});
// launch, and waits for everything the handle launched.
bm_status_t launch_and_wait(bm_handle_t handle, const char* name, const void* args,
                            std::size_t size, const Caller& caller, const Cores& cores = {});
// Waits for what the handle launched; counts the time as the device's.
bm_status_t wait_timed(bm_handle_t handle);
bm_status_t wait(bm_handle_t handle, const char* function);

// One line about a refused call, to stderr or to the program's log callback.
void report(const char* function, const std::string& message);

// Reports a refused call and tells the observers of the handle's device. A message about an
// allocation ends in its allocation_text().
void refuse(bm_handle_t handle, const Caller& caller, HostRefusal::Kind kind,
            const std::string& message, const std::optional<Allocator::Block>& allocation = {});

// Why what begins at `address` cannot be freed; `found`: the allocation that it lies in.
std::string not_allocated_text(std::uint64_t address, const std::optional<Allocator::Block>& found);

// False, with a message, for memory that was allocated on another device than the handle's.
bool own_memory(bm_handle_t handle, bm_device_mem_t mem, const Caller& caller, const char* which);

// Runs `body`; an exception becomes a message and the status it stands for.
template <class F>
bm_status_t guarded(const char* function, F body) {
  try {
    return body();
  } catch (const std::exception& error) {
    report(function, error.what());
    return BM_ERR_FAILURE;
  }
}

}  // namespace tensorlane::bmlib

#endif  // TENSORLANE_BMLIB_DEVICES_H_
