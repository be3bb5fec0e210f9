#include "tensorlane/io/resumable_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <optional>

#include "tensorlane/io/io_test_support.h"

namespace tensorlane {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST(ResumableFile, AppearsWholeAndAlone) {
  const TemporaryFolder folder;
  write_bytes(folder / "out", bytes_of("old"));
  {
    ResumableFile file(folder / "out", 6, "one");
    EXPECT_THAT(file.notes(), IsEmpty());
    file.write(3, bytes_of("def"));
    file.note("b");
    file.write(0, bytes_of("abc"));
    EXPECT_EQ(file.read(2, 3), bytes_of("cde"));
    EXPECT_EQ(read_bytes(folder / "out"), bytes_of("old"));
    file.commit();
    EXPECT_EQ(read_bytes(folder / "out"), bytes_of("abcdef"));
  }
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(ResumableFile, GoesOnWhereARunWasBrokenOff) {
  const TemporaryFolder folder;
  {
    ResumableFile file(folder / "out", 6, "one");
    file.write(0, bytes_of("abc"));
    file.note("a");
    file.note("b");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  // As when the process is killed in the middle of a note.
  std::vector<std::byte> notes = read_bytes(folder / "out.part.notes");
  EXPECT_EQ(notes, bytes_of("one\na\nb\n"));
  for (const char c : {'c', '-'}) notes.push_back(static_cast<std::byte>(c));
  write_bytes(folder / "out.part.notes", notes);
  {
    ResumableFile file(folder / "out", 6, "one");
    EXPECT_THAT(file.notes(), ElementsAre("a", "b"));
    EXPECT_EQ(file.read(0, 3), bytes_of("abc"));
    file.note("c");
  }
  {
    ResumableFile file(folder / "out", 6, "one");
    EXPECT_THAT(file.notes(), ElementsAre("a", "b", "c"));
  }
  {
    ResumableFile file(folder / "out", 6, "one", true);
    EXPECT_THAT(file.notes(), IsEmpty());
    file.note("a");
  }
  {
    ResumableFile file(folder / "out", 4, "another");
    EXPECT_THAT(file.notes(), IsEmpty());
    EXPECT_EQ(file.read(0, 4), std::vector<std::byte>(4));
  }
  EXPECT_EQ(files_in(folder), 0U) << "nothing to go on with";
}

TEST(ResumableFile, RefusesWhatCannotBeWritten) {
  const TemporaryFolder folder;
  const auto open = [&](const std::filesystem::path& path) { ResumableFile(path, 6, "one"); };
  EXPECT_THAT(error_of([&] { open("/dev/full"); }), HasSubstr("only a regular file takes"));
  EXPECT_THAT(error_of([&] { open(folder.path()); }), HasSubstr("it is a directory"));
  EXPECT_THAT(error_of([&] { open(folder / "none" / "out"); }), HasSubstr("cannot write"));
  std::filesystem::create_symlink("elsewhere", folder / "out.part");
  EXPECT_THAT(error_of([&] { open(folder / "out"); }), HasSubstr("cannot write"));
  std::filesystem::remove(folder / "out.part");
  const ResumableFile first(folder / "out", 6, "one");
  EXPECT_THAT(error_of([&] { open(folder / "out"); }), HasSubstr("another process is writing it"));
  // A disk without room.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THAT(error_of([&] { ResumableFile(folder / "large", 5000, "one"); }),
              HasSubstr("File too large"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(files_in(folder), 2U) << "those of the first";
}

TEST(ResumableFile, FollowsLinksToTheirTargets) {
  const TemporaryFolder folder;
  write_bytes(folder / "target", bytes_of("old"));
  std::filesystem::create_symlink("target", folder / "link");
  ResumableFile file(folder / "link", 3, "one");
  file.write(0, bytes_of("new"));
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "target"), bytes_of("new"));
}

}  // namespace
}  // namespace tensorlane
