#include "tensorlane/io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"

namespace tensorlane {
namespace {

[[noreturn]] void system_error(std::string_view action, const std::filesystem::path& path) {
  user_error("cannot {} '{}': {}", translated(action), path.string(), error_number_text(errno));
}

constexpr std::size_t kMostPiped = std::size_t{4} << 30;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::vector<std::byte> read_to_end(int fd, const std::filesystem::path& path) {
  std::vector<std::byte> content;
  std::array<std::byte, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) system_error(msg("read"), path);
    if (got == 0) return content;
    if (content.size() > kMostPiped) {
      user_error("cannot read '{}': it goes on after {} bytes", path.string(), kMostPiped);
    }
    content.insert(content.end(), buffer.begin(), buffer.begin() + got);
  }
}

mode_t creation_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

FileView::FileView(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) system_error(msg("read"), path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) system_error(msg("read"), path);
  if (S_ISDIR(status.st_mode)) user_error("cannot read '{}': it is a directory", path.string());
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) {
    user_error("cannot read '{}': it is a device", path.string());
  }
  // Files of /proc are regular files of size 0 with content.
  if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    owned_ = read_to_end(file.get(), path);
    bytes_ = owned_;
    return;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapping == MAP_FAILED) system_error("map", path);
  mapping_ = mapping;
  bytes_ = {static_cast<const std::byte*>(mapping), size};
}

FileView::~FileView() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

void FileView::forget(std::span<const std::byte> bytes) const {
  if (mapping_ == nullptr || bytes.empty()) return;
  // Reading a page brings those around it, of 64 KiB (the kernel's default) or a page if that is
  // more. What a neighbour is reading there is read again.
  const auto around =
      std::max(static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)), std::uintptr_t{64} << 10);
  const auto whole = reinterpret_cast<std::uintptr_t>(mapping_);
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  const auto begin = std::max(first / around * around, whole);
  const auto end =
      std::min((first + bytes.size() + around - 1) / around * around, whole + bytes_.size());
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

FileView::FileView(FileView&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})),
      mapping_(std::exchange(other.mapping_, nullptr)),
      owned_(std::move(other.owned_)) {}

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  // The name may be a link: what it points to is replaced, not the link.
  if (std::filesystem::is_symlink(path, error)) {
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
    if (!error) path_ = target;
  }
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  if (std::filesystem::is_directory(status)) {
    user_error("cannot write '{}': it is a directory", path.string());
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    file_.reset(std::fopen(path_.c_str(), "wb"));
    if (!file_) system_error(msg("write"), path_);
    return;
  }
  std::string name = path_.string() + ".XXXXXX";
  const int fd = ::mkstemp(name.data());
  if (fd < 0) system_error(msg("write"), path_);
  temporary_ = name;
  mode_t mode = creation_mode();
  if (std::filesystem::exists(status)) mode = static_cast<mode_t>(status.permissions());
  // A file system without permissions (vfat) refuses; the content matters more.
  [[maybe_unused]] const int ignored = ::fchmod(fd, mode & 0777);
  file_.reset(::fdopen(fd, "wb"));
  if (!file_) {
    ::close(fd);
    system_error(msg("write"), path_);
  }
}

AtomicFile::~AtomicFile() {
  file_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (!file_) user_error("cannot write '{}': it is complete already", path_.string());
  if (bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    system_error(msg("write"), path_);
  }
  position_ += bytes.size();
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::flush() {
  if (file_ && std::fflush(file_.get()) != 0) system_error(msg("write"), path_);
}

void AtomicFile::commit() {
  if (!file_) user_error("cannot write '{}': it is complete already", path_.string());
  if (std::fclose(file_.release()) != 0) system_error(msg("write"), path_);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) system_error(msg("write"), path_);
  temporary_.clear();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace tensorlane
