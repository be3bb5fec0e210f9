#include "tensorlane/device/debug_presence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tensorlane {
namespace {

namespace fs = std::filesystem;

class DebugPresence : public testing::Test {
 protected:
  DebugPresence() {
    fs::create_directory(folder_);
    std::ofstream(folder_ / "k.c") << "int kernel(int x) { return x + 1; }\n";
  }
  ~DebugPresence() override { fs::remove_all(folder_); }

  std::string path(std::string_view name) const { return folder_ / name; }
  std::string compiled(std::string_view name, std::string_view options) const {
    run(fmt::format("cc -shared -fPIC {} -o {} {}", options, path(name), path("k.c")));
    return path(name);
  }
  static void run(const std::string& line) { EXPECT_EQ(std::system(line.c_str()), 0) << line; }

 private:
  const fs::path folder_ = fs::temp_directory_path() / fmt::format("debug_presence_{}", getpid());
};

TEST_F(DebugPresence, OneWithoutDebugInformationIsKnown) {
  EXPECT_FALSE(may_have_debug_information(compiled("plain.so", "-g0")));
  EXPECT_FALSE(may_have_debug_information(compiled("named.so", "-g0 -Wl,--build-id=0x1234")))
      << "of a build that nobody stored";
}

TEST_F(DebugPresence, DebugInformationInItAndElsewhereIsFound) {
  const std::string object = compiled("debug.so", "-g");
  EXPECT_TRUE(may_have_debug_information(object));
  EXPECT_TRUE(may_have_debug_information(compiled("packed.so", "-g -gz=zlib")));
  run(fmt::format("objcopy --only-keep-debug {} {}", object, path("debug.so.debug")));
  run(fmt::format("objcopy --strip-debug --add-gnu-debuglink={} {}", path("debug.so.debug"),
                  object));
  EXPECT_TRUE(may_have_debug_information(object)) << "named by a link";
}

TEST_F(DebugPresence, WhatCannotBeReadMayHaveSome) {
  EXPECT_TRUE(may_have_debug_information(path("no such file")));
  EXPECT_TRUE(may_have_debug_information(path("k.c")));
  const std::string object = compiled("cut.so", "-g0");
  fs::resize_file(object, 1000);
  EXPECT_TRUE(may_have_debug_information(object)) << "its headers are gone";
}

TEST_F(DebugPresence, TheProgramIsLookedAtOnceForAllOfItsAddresses) {
  const bool may_have = may_have_debug_information("/proc/self/exe");
  EXPECT_EQ(program_may_have_debug_information(), may_have);
  EXPECT_EQ(program_may_have_debug_information(), may_have) << "as it is remembered";
  EXPECT_EQ(may_have_debug_information(reinterpret_cast<const void*>(&run)), may_have);
  setenv("DEBUGINFOD_URLS", "http://localhost", 1);
  EXPECT_TRUE(program_may_have_debug_information()) << "servers may know of it";
  unsetenv("DEBUGINFOD_URLS");
}

TEST_F(DebugPresence, AnAddressOfNoObjectHasNone) {
  const int local = 0;
  EXPECT_FALSE(may_have_debug_information(static_cast<const void*>(&local)));
  EXPECT_FALSE(may_have_debug_information(static_cast<const void*>(nullptr)));
}

}  // namespace
}  // namespace tensorlane
