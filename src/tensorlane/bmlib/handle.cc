// bmlib_runtime.h: devices, handles and what is known about them.
#include <cstring>

#include "tensorlane/base/language.h"
#include "tensorlane/bmlib/devices.h"

using namespace tensorlane;
using namespace tensorlane::bmlib;

namespace {

bool valid_id(int devid, const char* function) {
  if (devid >= 0 && devid < kDevices) return true;
  report(function, tr("devid = {}; devices are 0..{}", devid, kDevices - 1));
  return false;
}

bool given(const void* pointer, const char* function, const char* parameter) {
  if (pointer != nullptr) return true;
  report(function, tr("{} is NULL", parameter));
  return false;
}

}  // namespace

extern "C" {

bm_status_t bm_dev_getcount(int* count) {
  if (!given(count, __func__, "count")) return BM_ERR_PARAM;
  *count = kDevices;
  return BM_SUCCESS;
}

bm_status_t bm_dev_query(int devid) {
  return valid_id(devid, __func__) ? BM_SUCCESS : BM_ERR_PARAM;
}

bm_status_t bm_dev_request(bm_handle_t* handle, int devid) {
  if (!given(handle, __func__, "handle") || !valid_id(devid, __func__)) return BM_ERR_PARAM;
  return guarded(__func__, [&] {
    *handle = open_handle(devid);
    return BM_SUCCESS;
  });
}

int bm_get_devid(bm_handle_t handle) {
  return check(handle, __func__) ? handle->devid : -1;
}

void bm_dev_free(bm_handle_t handle) {
  if (!is_inherited(handle)) {
    if (!check(handle, __func__)) return;
    wait_for_launches(handle);
  }
  close_handle(handle);
}

bm_status_t bm_get_chipid(bm_handle_t handle, unsigned int* p_chipid) {
  if (!check(handle, __func__) || !given(p_chipid, __func__, "p_chipid")) return BM_ERR_PARAM;
  *p_chipid = handle->device->chip().chip_id;
  return BM_SUCCESS;
}

bm_status_t bm_get_misc_info(bm_handle_t handle, struct bm_misc_info* pmisc_info) {
  if (!check(handle, __func__) || !given(pmisc_info, __func__, "pmisc_info")) return BM_ERR_PARAM;
  std::memset(pmisc_info, 0,
              sizeof *pmisc_info);  // all zero on the vendor's model, chip id included [observed]
  return BM_SUCCESS;
}

bm_status_t bm_get_stat(bm_handle_t handle, bm_dev_stat_t* stat) {
  if (!check(handle, __func__) || !given(stat, __func__, "stat")) return BM_ERR_PARAM;
  std::memset(stat, 0, sizeof *stat);
  const auto mebibytes = [](std::uint64_t bytes) { return static_cast<int>(bytes >> 20); };
  stat->mem_total = mebibytes(handle->device->global_bytes());
  stat->mem_used = mebibytes(handle->device->allocated_bytes());
  stat->heap_num = 1;
  stat->heap_stat[0] = {static_cast<unsigned int>(stat->mem_total),
                        static_cast<unsigned int>(stat->mem_total - stat->mem_used),
                        static_cast<unsigned int>(stat->mem_used)};
  return BM_SUCCESS;
}

bm_status_t bm_get_profile(bm_handle_t handle, bm_profile_t* profile) {
  if (!check(handle, __func__) || !given(profile, __func__, "profile")) return BM_ERR_PARAM;
  *profile = {handle->cdma_in_time,   handle->cdma_in_count, handle->cdma_out_time,
              handle->cdma_out_count, handle->tpu_time,      handle->launched,
              handle->completed};
  return BM_SUCCESS;
}

// Device logs always go to stdout here; the switch exists for programs that set it.
void bm_set_debug_mode(bm_handle_t handle, int mode) {
  static_cast<void>(mode);
  check(handle, __func__);
}

}  // extern "C"
