#include "tensorlane/observe/device_file.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

namespace tensorlane::observe {

std::string numbered(const std::string& path, std::string_view number) {
  const std::size_t folder = path.rfind('/');
  const std::size_t dot = path.find('.', folder == std::string::npos ? 0 : folder);
  if (dot == std::string::npos) return fmt::format("{}{}", path, number);
  return fmt::format("{}{}{}", path.substr(0, dot), number, path.substr(dot));
}

std::string file_of_device(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, int> devices;
  const std::lock_guard lock(mutex);
  const int device = ++devices[path];
  return device == 1 ? path : numbered(path, fmt::format(".{}", device));
}

}  // namespace tensorlane::observe
