// The emulated devices of this process.
//
// Two devices, as on the vendor's model [observed]; each is made when it is first asked for, with
// the chip that TENSORLANE_CHIP names (default bm1684) and the observers the environment asks for.
#ifndef TENSORLANE_BMLIB_DEVICES_H_
#define TENSORLANE_BMLIB_DEVICES_H_

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "bmlib_runtime.h"
#include "tensorlane/device/device.h"

namespace tensorlane::bmlib {

inline constexpr int kDevices = 2;

// The device with id 0..kDevices-1. Throws UserError when its memory cannot be reserved.
Device& device(int id);

}  // namespace tensorlane::bmlib

// What a bm_handle_t points to: one connection to one device.
struct bm_context {
  int devid = 0;
  tensorlane::Device* device = nullptr;
  std::mutex mutex;
  std::vector<std::uint64_t> pending;  // tickets of launches not yet waited for
  // Counters of bm_get_profile; times in microseconds.
  std::atomic<unsigned long> cdma_in_time{0}, cdma_in_count{0};
  std::atomic<unsigned long> cdma_out_time{0}, cdma_out_count{0};
  std::atomic<unsigned long> launched{0}, completed{0}, tpu_time{0};
};

namespace tensorlane::bmlib {

// Handles that are open. `check` is false, with a message, for NULL, closed and foreign handles.
bm_handle_t open_handle(int devid);
bool close_handle(bm_handle_t handle);
bool check(bm_handle_t handle, const char* function);

// Waits for the launches of the handle; false when one of them failed.
bool wait_for_launches(bm_handle_t handle);

// One line about a refused call, to stderr or to the program's log callback.
void report(const char* function, const std::string& message);

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
