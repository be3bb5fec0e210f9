#include "tensorlane/io/resumable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"

namespace tensorlane {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refused(std::string_view action, const fs::path& path, int number) {
  user_error("cannot {} '{}': {}", translated(action), path.string(), error_number_text(number));
}

void write_all(int file, const fs::path& path, std::span<const std::byte> bytes,
               std::uint64_t offset) {
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), std::size_t{1} << 28);
    const ssize_t done = ::pwrite(file, bytes.data(), piece, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) refused(msg("write"), path, done == 0 ? ENOSPC : errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

}  // namespace

ResumableFile::ResumableFile(const fs::path& path, std::uint64_t size, std::string_view identity,
                             bool anew)
    : path_(path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {  // what it points to is replaced, not the link
    const fs::path target = fs::weakly_canonical(path, error);
    if (!error) path_ = target;
  }
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) user_error("cannot write '{}': it is a directory", path.string());
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    user_error("cannot write '{}': a model is written in pieces, which only a regular file takes",
               path.string());
  }
  part_ = path_.string() + ".part";
  notes_path_ = path_.string() + ".part.notes";
  open_part();
  try {
    take_up(identity, anew);
    // Blocks where the file system has them; it may not.
    int failed = size == 0 ? 0 : ::posix_fallocate(file_, 0, static_cast<off_t>(size));
    if (failed == EOPNOTSUPP || failed == EINVAL) failed = 0;
    if (failed != 0) refused(msg("write"), part_, failed);
    if (::ftruncate(file_, static_cast<off_t>(size)) != 0) refused(msg("write"), part_, errno);
  } catch (...) {
    if (!keep_) ::unlink(part_.c_str());
    if (!keep_) ::unlink(notes_path_.c_str());
    if (notes_file_ >= 0) ::close(notes_file_);
    ::close(file_);
    throw;
  }
}

void ResumableFile::open_part() {
  file_ = ::open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file_ < 0) refused(msg("write"), path_, errno);
  struct stat status {};
  const bool regular = ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && ::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  const int number = errno;
  ::close(file_);
  if (regular && number == EWOULDBLOCK)
    user_error("cannot write '{}': another process is writing it", path_.string());
  refused(msg("write"), part_, regular ? number : EEXIST);
}

// The notes of a run that would have written the same; otherwise an empty file.
void ResumableFile::take_up(std::string_view identity, bool anew) {
  notes_file_ = ::open(notes_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (notes_file_ < 0) refused(msg("write"), notes_path_, errno);
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = ::read(notes_file_, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  const std::string first = std::string(identity) + "\n";
  if (text.starts_with(first) && !anew) {
    std::size_t at = first.size();
    for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      notes_.push_back(text.substr(at, end - at));
    keep_ = !notes_.empty();
    // A line that was cut off goes.
    if (::ftruncate(notes_file_, static_cast<off_t>(at)) != 0)
      refused(msg("write"), notes_path_, errno);
    return;
  }
  if (::ftruncate(file_, 0) != 0) refused(msg("write"), part_, errno);
  if (::ftruncate(notes_file_, 0) != 0) refused(msg("write"), notes_path_, errno);
  write_all(notes_file_, notes_path_, std::as_bytes(std::span(first)), 0);
}

ResumableFile::~ResumableFile() {
  if (notes_file_ >= 0) ::close(notes_file_);
  if (file_ < 0) return;
  if (!keep_) {
    ::unlink(part_.c_str());
    ::unlink(notes_path_.c_str());
  }
  ::close(file_);
}

void ResumableFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  write_all(file_, part_, bytes, offset);
}

std::vector<std::byte> ResumableFile::read(std::uint64_t offset, std::uint64_t count) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refused(msg("read"), part_, errno);
    if (got == 0) break;  // shorter than it was: the rest is zero
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

void ResumableFile::note(std::string_view line) {
  const std::lock_guard lock(noting_);
  const std::string text = std::string(line) + "\n";
  const off_t end = ::lseek(notes_file_, 0, SEEK_END);
  write_all(notes_file_, notes_path_, std::as_bytes(std::span(text)),
            static_cast<std::uint64_t>(end));
  keep_ = true;
}

void ResumableFile::commit() {
  if (::fsync(file_) != 0) refused(msg("write"), part_, errno);
  if (::rename(part_.c_str(), path_.c_str()) != 0) refused(msg("write"), path_, errno);
  ::unlink(notes_path_.c_str());
  keep_ = true;  // its name is another's now
}

}  // namespace tensorlane
