#include "tensorlane/opencl/cl_device.h"

#include <algorithm>
#include <string_view>

#include "tensorlane/base/language.h"
#include "tensorlane/opencl/error.h"

namespace tensorlane::opencl {
namespace {

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, of the loader

bool has_format(const cl::Context& context, cl_channel_type type) {
  std::vector<cl::ImageFormat> formats;
  context.getSupportedImageFormats(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, &formats);
  return std::ranges::any_of(formats, [&](const cl::ImageFormat& format) {
    return format.image_channel_order == CL_RGBA && format.image_channel_data_type == type;
  });
}

// Texts of drivers end in zeros and blanks.
std::string trimmed(std::string text) {
  const std::size_t end = text.find_last_not_of(std::string_view(" \0", 2));
  text.erase(end == std::string::npos ? 0 : end + 1);
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

constexpr ImageFormat kImageFormats[] = {
    {Dtype::kFp32, CL_FLOAT, "CL_FLOAT", &DeviceInfo::has_fp32_images},
    {Dtype::kFp16, CL_HALF_FLOAT, "CL_HALF_FLOAT", &DeviceInfo::has_fp16_images},
    {Dtype::kInt32, CL_SIGNED_INT32, "CL_SIGNED_INT32", &DeviceInfo::has_int32_images},
    {Dtype::kUint32, CL_UNSIGNED_INT32, "CL_UNSIGNED_INT32", &DeviceInfo::has_uint32_images}};

DeviceInfo describe(int number, const cl::Device& device) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  DeviceInfo info;
  info.number = number;
  info.platform = trimmed(platform.getInfo<CL_PLATFORM_NAME>());
  info.platform_version = trimmed(platform.getInfo<CL_PLATFORM_VERSION>());
  info.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
  info.version = trimmed(device.getInfo<CL_DEVICE_VERSION>());
  info.driver = trimmed(device.getInfo<CL_DRIVER_VERSION>());
  info.is_cpu = (device.getInfo<CL_DEVICE_TYPE>() &
                 ~static_cast<cl_device_type>(CL_DEVICE_TYPE_DEFAULT)) == CL_DEVICE_TYPE_CPU;
  info.has_images = device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() == CL_TRUE;
  info.has_fp16_arithmetic =
      device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_khr_fp16") != std::string::npos;
  info.out_of_order =
      (device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
  if (info.has_images) {
    info.max_width = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>());
    info.max_height = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>());
  }
  info.max_allocation = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
  info.global_memory = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>());
  info.compute_units = static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  return info;
}

void add_formats(DeviceInfo& info, const cl::Context& context) {
  if (!info.has_images) return;
  for (const ImageFormat& format : kImageFormats)
    info.*format.supported = has_format(context, format.channel);
}

std::vector<cl::Device> all_devices() {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error& error) {
    if (error.err() != kNoPlatform) throw;
  }
  std::vector<cl::Device> result;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    try {
      platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    } catch (const cl::Error& error) {
      if (error.err() != CL_DEVICE_NOT_FOUND) throw;
    }
    result.insert(result.end(), devices.begin(), devices.end());
  }
  return result;
}

cl::Context make_context(const cl::Device& device, std::string_view name) {
  try {
    return cl::Context(device);
  } catch (const cl::Error& error) {
    user_error(
        "clCreateContext failed with {} ({}) for device {}; PoCL does so when it cannot write its "
        "cache folder (POCL_CACHE_DIR, XDG_CACHE_HOME)",
        error_name(error.err()), error.err(), name);
  }
}

cl::Device device_number(int number) {
  const std::vector<cl::Device> devices = cl_calls(tr("the list of devices"), all_devices);
  if (devices.empty()) {
    user_error(
        "no OpenCL device: no driver of /etc/OpenCL/vendors offers one; Debian's package "
        "pocl-opencl-icd makes the CPU one, if it can write its cache folder (POCL_CACHE_DIR)");
  }
  if (number < 0 || number >= static_cast<int>(devices.size())) {
    user_error("device is {}; {}, counted from 0: see 'tensorlane opencl devices'", number,
               tr_n("there is {}", "there are {}", devices.size()));
  }
  return devices[static_cast<std::size_t>(number)];
}

// The first line of a compiler's log that says "error", or its first line.
std::string first_error(const std::string& log) {
  const std::size_t error = log.find("error");
  const std::size_t begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;
  return trimmed(log.substr(begin, log.find('\n', begin) - begin));
}

}  // namespace

const ImageFormat* find_image_format(Dtype dtype) {
  for (const ImageFormat& format : kImageFormats) {
    if (format.dtype == dtype) return &format;
  }
  return nullptr;
}

std::vector<DeviceInfo> list_devices() {
  return cl_calls(tr("the list of devices"), [] {
    std::vector<DeviceInfo> result;
    for (const cl::Device& device : all_devices()) {
      DeviceInfo info = describe(static_cast<int>(result.size()), device);
      add_formats(info, make_context(device, info.name));
      result.push_back(std::move(info));
    }
    return result;
  });
}

ClDevice::ClDevice(int number, KernelCache cache)
    : device_(device_number(number)), cache_(std::move(cache)) {
  cl_calls(tr("the device"), [&] {
    info_ = describe(number, device_);
    context_ = make_context(device_, info_.name);
    add_formats(info_, context_);
    queue_ = cl::CommandQueue(context_, device_,
                              info_.out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
  });
}

ClDevice::ClDevice(const cl::Context& context, const cl::Device& device, KernelCache cache)
    : device_(device), context_(context), cache_(std::move(cache)) {
  cl_calls(tr("the device"), [&] {
    info_ = describe(0, device_);
    add_formats(info_, context_);
    queue_ = cl::CommandQueue(context_, device_,
                              info_.out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
  });
}

cl::Program ClDevice::program(const std::string& name, const char* source,
                              const std::string& options) {
  const std::lock_guard lock(building_);
  const std::string text = options + '\n' + source;
  if (const auto found = programs_.find(text); found != programs_.end()) return found->second;
  const std::string key =
      info_.platform_version + '\n' + info_.name + '\n' + info_.driver + '\n' + text;
  if (const auto binary = cache_.load(key)) {
    try {
      cl::Program program(context_, {device_}, {*binary});
      program.build({device_}, options.c_str());
      return programs_[text] = program;
    } catch (const cl::Error&) {
      // Made by a driver that is no more: compile again and replace it.
    }
  }
  cl::Program program;
  try {
    program = cl::Program(context_, source);
    program.build({device_}, options.c_str());
  } catch (const cl::BuildError& error) {
    const auto log = error.getBuildLog();
    user_error("the compiler of device {} rejects kernel {}: {}", info_.name, name,
               log.empty() ? tr("no log") : first_error(log.front().second));
  } catch (const cl::Error& error) {
    throw_user_error(error, "kernel " + name);
  }
  cl_calls(tr("the binary of kernel {}", name), [&] {
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    if (!binaries.empty()) cache_.store(key, binaries.front());
  });
  return programs_[text] = program;
}

cl::Buffer ClDevice::make_buffer(std::int64_t bytes, const std::string& subject) const {
  if (bytes > info_.max_allocation) {
    user_error("{} takes {} bytes; device {} allocates at most {} (CL_DEVICE_MAX_MEM_ALLOC_SIZE)",
               subject, bytes, info_.name, info_.max_allocation);
  }
  return cl_calls(subject, [&] {
    return cl::Buffer(context_, CL_MEM_READ_WRITE, static_cast<std::size_t>(bytes));
  });
}

cl::Image2D ClDevice::make_image(std::int64_t width, std::int64_t height, Dtype dtype,
                                 const std::string& subject) const {
  const ImageFormat* const format = find_image_format(dtype);
  if (format == nullptr) {
    user_error("element type {} of {}: images on devices hold fp32, fp16, int32 or uint32",
               dtype_name(dtype), subject);
  }
  if (!(info_.*format->supported)) {
    user_error("{}: device {} has no images of CL_RGBA with {}", subject, info_.name, format->name);
  }
  if (width < 1 || height < 1) {
    user_error("the image of {} is {} x {} pixels; neither may be 0", subject, width, height);
  }
  if (width > info_.max_width || height > info_.max_height) {
    user_error(
        "the image of {} is {} x {} pixels; device {} takes at most {} x {} "
        "(CL_DEVICE_IMAGE2D_MAX_WIDTH, _HEIGHT)",
        subject, width, height, info_.name, info_.max_width, info_.max_height);
  }
  const std::int64_t bytes = width * height * 4 * dtype_bytes(dtype);
  if (bytes > info_.max_allocation) {
    user_error("the image of {} takes {} bytes; device {} allocates at most {}", subject, bytes,
               info_.name, info_.max_allocation);
  }
  return cl_calls(tr("the image of {}", subject), [&] {
    return cl::Image2D(context_, CL_MEM_READ_WRITE, cl::ImageFormat(CL_RGBA, format->channel),
                       static_cast<std::size_t>(width), static_cast<std::size_t>(height));
  });
}

}  // namespace tensorlane::opencl
