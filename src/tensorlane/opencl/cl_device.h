// OpenCL devices: which there are, what limits they have, and one of them opened for work.
//
//   for (const DeviceInfo& info : list_devices()) ...   // "0: cpu (Portable Computing Language)"
//   ClDevice device(0, KernelCache(default_cache_folder()));
//
// An opened device has one context and one command queue, out of order where the device can do
// that: whoever enqueues states by events what has to be done before (image_transfer.h).
#ifndef TENSORLANE_OPENCL_CL_DEVICE_H_
#define TENSORLANE_OPENCL_CL_DEVICE_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/opencl/clhpp.h"
#include "tensorlane/opencl/kernel_cache.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane::opencl {

struct DeviceInfo {
  int number = 0;  // counts the devices of all platforms
  // As the driver spells them; the version of a platform may be a long list.
  std::string platform, platform_version, name, version, driver;
  bool is_cpu = false;               // and nothing else: its images are plain host memory
  bool has_images = false;           // CL_DEVICE_IMAGE_SUPPORT
  bool has_fp32_images = false;      // CL_RGBA with CL_FLOAT can be read and written
  bool has_fp16_images = false;      // CL_RGBA with CL_HALF_FLOAT can be read and written
  bool has_int32_images = false;     // CL_RGBA with CL_SIGNED_INT32 can be read and written
  bool has_uint32_images = false;    // CL_RGBA with CL_UNSIGNED_INT32 can be read and written
  bool has_fp16_arithmetic = false;  // cl_khr_fp16; packing does not need it
  bool out_of_order = false;
  std::int64_t max_width = 0, max_height = 0;  // CL_DEVICE_IMAGE2D_MAX_WIDTH, _HEIGHT
  std::int64_t max_allocation = 0;             // bytes, CL_DEVICE_MAX_MEM_ALLOC_SIZE
  std::int64_t global_memory = 0;              // bytes
  int compute_units = 0;
};

// The element types of MACE's images: fp32, fp16, int32, and for tensors of uint8 uint32.
struct ImageFormat {
  Dtype dtype;
  cl_channel_type channel;
  std::string_view name;  // "CL_FLOAT"
  bool DeviceInfo::*supported;
};
// Null for other types.
const ImageFormat* find_image_format(Dtype dtype);

// The devices of all platforms; empty where there is no driver. Throws UserError when a driver
// cannot even say what it has.
std::vector<DeviceInfo> list_devices();

class ClDevice {
 public:
  // Opens device `number` of list_devices(). Throws UserError when there is no such device.
  explicit ClDevice(int number = 0, KernelCache cache = {});
  // A device and context of the caller's, for programs that have theirs already.
  ClDevice(const cl::Context& context, const cl::Device& device, KernelCache cache = {});

  const DeviceInfo& info() const { return info_; }
  const cl::Context& context() const { return context_; }
  const cl::CommandQueue& queue() const { return queue_; }

  // The program built from `source` with `options`: from this object's memory, from the cache
  // folder, or by the compiler. Throws UserError with the first error of the compiler. `name` is
  // for messages. May be called from several threads.
  cl::Program program(const std::string& name, const char* source, const std::string& options);

  // A buffer of `bytes` for `subject`. Throws UserError when the device does not allocate as much.
  cl::Buffer make_buffer(std::int64_t bytes, const std::string& subject) const;
  // An image of width x height pixels of four lanes, for reading and writing. Throws UserError that
  // names limit and tensor when the device has no such images.
  cl::Image2D make_image(std::int64_t width, std::int64_t height, Dtype dtype,
                         const std::string& subject) const;

 private:
  DeviceInfo info_;
  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  KernelCache cache_;
  std::mutex building_;
  std::map<std::string, cl::Program> programs_;  // by source and options; guarded by building_
};

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_CL_DEVICE_H_
