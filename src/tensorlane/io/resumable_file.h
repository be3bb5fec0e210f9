// A large file that is written in pieces, and goes on after the process was killed.
//
//   ResumableFile file("packed.npz", size, "what this run would write");
//   for (const std::string& note : file.notes()) ...   // of a run that was broken off
//   file.write(offset, bytes);                         // from any thread
//   file.note("tensor 7 is there");
//   file.commit();
//
// Bytes go to "packed.npz.part" and notes, one line each, to "packed.npz.part.notes". commit()
// gives the file its name in one step and removes the notes: a reader never sees half a file.
// Without commit() both stay, if there is a note, for the next run to go on with: it takes them up
// where the text of the constructor is the same, and begins anew where it is another. What the
// notes say is there may not be (the machine, not the process, may have stopped): check it.
//
// Errors: UserError where the system refuses, where the target is no regular file (no pieces can be
// written to a pipe), and where another process is writing the same file.
#ifndef TENSORLANE_IO_RESUMABLE_FILE_H_
#define TENSORLANE_IO_RESUMABLE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {

class ResumableFile {
 public:
  // Takes the space of `size` bytes at once, so that a full disk shows before the work. `identity`
  // is one line. `anew`: whatever a run before left is dropped.
  ResumableFile(const std::filesystem::path& path, std::uint64_t size, std::string_view identity,
                bool anew = false);
  ~ResumableFile();
  ResumableFile(const ResumableFile&) = delete;
  ResumableFile& operator=(const ResumableFile&) = delete;

  // Of the run before; whole lines.
  const std::vector<std::string>& notes() const { return notes_; }
  const std::filesystem::path& part() const { return part_; }

  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t count) const;
  void note(std::string_view line);
  // Waits until the bytes are on the disk.
  void commit();

 private:
  void open_part();
  void take_up(std::string_view identity, bool anew);

  std::filesystem::path path_, part_, notes_path_;
  int file_ = -1, notes_file_ = -1;
  bool keep_ = false;  // there is something to go on with
  std::vector<std::string> notes_;
  std::mutex noting_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_IO_RESUMABLE_FILE_H_
