// Files as bytes: read at once, written all or nothing.
#ifndef TENSORLANE_IO_FILE_H_
#define TENSORLANE_IO_FILE_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {

// The content of a file. Regular files are mapped, so that only what is looked at is read; pipes
// are read to their end, up to 4 GiB. A mapped file must not be cut short while it is in use.
class FileView {
 public:
  // Throws UserError when the file cannot be read, and for devices: /dev/zero has no end.
  explicit FileView(const std::filesystem::path& path);
  ~FileView();
  FileView(FileView&& other) noexcept;
  FileView& operator=(FileView&&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  // The system may take back the memory of these bytes; who looks at them again reads them again.
  // A file that is read from one end to the other so takes no memory.
  void forget(std::span<const std::byte> bytes) const;
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  void* mapping_ = nullptr;
  std::vector<std::byte> owned_;
};

// A file under construction. Bytes go to a temporary file next to the target; commit() gives it
// the target's name in one step, and a destructor without commit() removes it. So a reader sees
// the old file or the whole new one. Targets that are no regular files (pipes, /dev/stdout) are
// written directly. Every function throws UserError when the system refuses.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // Hands the bytes written so far to the system.
  void flush();
  // Bytes written so far.
  std::uint64_t position() const { return position_; }
  void commit();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty when the target is written directly
  std::unique_ptr<std::FILE, Closer> file_;
  std::uint64_t position_ = 0;
};

// The whole file at once, all or nothing. Throws like AtomicFile.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace tensorlane

#endif  // TENSORLANE_IO_FILE_H_
