#include "tensorlane/opencl/kernel_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"

namespace tensorlane::opencl {
namespace {

namespace fs = std::filesystem;

// FNV-1a: names files and finds damaged ones; nothing depends on its strength.
std::uint64_t hash_of(const void* data, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3U;
  }
  return hash;
}

// What a file begins with; the length and hash of the key tell other keys of the same name.
struct Header {
  char magic[8] = {'T', 'L', 'C', 'L', 'B', 'I', 'N', '1'};
  std::uint64_t key_bytes = 0;
  std::uint64_t binary_hash = 0;
  std::uint64_t binary_bytes = 0;
};

[[noreturn]] void cannot_use(const fs::path& folder, const std::string& why) {
  user_error("kernel cache folder '{}' cannot be used: {}", folder.string(), why);
}

// Files beside the one that is to appear.
// What is found there runs on the device. A group that users have for themselves is no other.
bool others_may_write(const fs::path& folder) {
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0) return false;
  return (status.st_mode & S_IWOTH) != 0 ||
         ((status.st_mode & S_IWGRP) != 0 && status.st_gid != getegid()) ||
         (status.st_uid != geteuid() && status.st_uid != 0);
}

fs::path temporary(const fs::path& file) {
  static std::atomic<unsigned> number = 0;
  return file.string() + fmt::format(".{}.{}.new", getpid(), number++);
}

}  // namespace

KernelCache::KernelCache(fs::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code error;
  if (fs::create_directories(folder_, error)) {
    fs::permissions(folder_, fs::perms::owner_all, error);
  }
  if (error) cannot_use(folder_, error_number_text(error.value()));
  if (!fs::is_directory(folder_, error)) cannot_use(folder_, "it is not a folder");
  if (others_may_write(folder_)) cannot_use(folder_, "others may write to it");
  if (access(folder_.c_str(), R_OK | W_OK | X_OK) != 0) cannot_use(folder_, std::strerror(errno));
}

fs::path KernelCache::file_of(std::string_view key) const {
  return folder_ / fmt::format("{:016x}.clbin", hash_of(key.data(), key.size()));
}

std::optional<KernelCache::Binary> KernelCache::load(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = file_of(key);
  std::ifstream file(path, std::ios::binary);
  Header header, expected;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error || std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
      header.key_bytes != key.size() || bytes != sizeof header + header.binary_bytes) {
    return std::nullopt;
  }
  Binary binary(header.binary_bytes);
  if (!file.read(reinterpret_cast<char*>(binary.data()),
                 static_cast<std::streamsize>(binary.size())) ||
      hash_of(binary.data(), binary.size()) != header.binary_hash) {
    return std::nullopt;
  }
  return binary;
}

void KernelCache::store(std::string_view key, const Binary& binary) const {
  if (folder_.empty() || binary.empty()) return;
  Header header;
  header.key_bytes = key.size();
  header.binary_bytes = binary.size();
  header.binary_hash = hash_of(binary.data(), binary.size());
  const fs::path path = file_of(key), partial = temporary(path);
  std::ofstream file(partial, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(binary.data()),
             static_cast<std::streamsize>(binary.size()));
  file.close();
  std::error_code error;
  if (file) fs::rename(partial, path, error);
  if (!file || error) {
    std::error_code ignored;
    fs::remove(partial, ignored);
    cannot_use(folder_, error ? error_number_text(error.value()) : tr("a file cannot be written"));
  }
}

fs::path default_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  // The specification of the variable has relative paths ignored.
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) {
    return cache / "tensorlane" / "opencl";
  }
  if (const fs::path home = variable("HOME"); home.is_absolute()) {
    return home / ".cache" / "tensorlane" / "opencl";
  }
  return {};
}

}  // namespace tensorlane::opencl
