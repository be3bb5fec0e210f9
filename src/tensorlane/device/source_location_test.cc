#include "tensorlane/device/source_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace tensorlane {

// Outside the anonymous namespace, so that its symbol is found without debug information too.
[[gnu::noinline]] const void* place_in_this_function() {
  return __builtin_extract_return_addr(__builtin_return_address(0));
}
[[gnu::noinline]] const void* caller_with_a_name() {
  const void* const place = place_in_this_function();
  asm volatile("");  // no tail call: the place is inside this function
  return place;
}

namespace {

TEST(SourceLocation, SaysFileLineAndFunctionOrWhatIsKnown) {
  EXPECT_EQ((SourceLocation{"k.c", 42, "plus_one", "program", 28}).text(), "k.c:42 in plus_one");
  EXPECT_EQ((SourceLocation{"k.c", 42, "", "program", 28}).text(), "k.c:42");
  EXPECT_EQ((SourceLocation{"", 0, "plus_one", "libk.so", 28}).text(),
            "plus_one+0x1c in libk.so (build with -g for lines)");
  EXPECT_EQ((SourceLocation{"", 0, "", "libk.so", 28}).text(), "libk.so (build with -g for lines)");
  EXPECT_EQ(SourceLocation{}.text(), "an unknown place");
}

TEST(SourceLocation, FindsTheFunctionOfAReturnAddressDemangled) {
  const void* const place = caller_with_a_name();
  const SourceLocation found = find_source_location(place);
  EXPECT_EQ(found.function, "tensorlane::caller_with_a_name()");
  EXPECT_EQ(found.module, "device_test");
  EXPECT_GT(found.offset, 0u);
  EXPECT_EQ(find_source_location(place).text(), found.text()) << "the second time from the cache";
}

TEST(SourceLocation, FramesOfACallBeginAtItsPlace) {
  const void* const place = caller_with_a_name();
  const std::vector<SourceLocation> frames = find_source_frames(place);
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames.front().text(), find_source_location(place).text());
  EXPECT_EQ(find_source_frames(nullptr).size(), 1u);
}

TEST(SourceLocation, AddressesOfAnUnloadedLibraryStayUnused) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const gone = mmap(nullptr, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(gone, 4 * page);
  const auto begin = reinterpret_cast<std::uintptr_t>(gone);
  keep_addresses({begin + 16, begin + 3 * page + 1});
  const auto free = [&](std::uintptr_t at) {
    void* const got = mmap(reinterpret_cast<void*>(at), page, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED) munmap(got, page);
    return got != MAP_FAILED;
  };
  EXPECT_FALSE(free(begin));
  EXPECT_FALSE(free(begin + 3 * page));
  munmap(gone, 4 * page);
  EXPECT_TRUE(free(begin));
}

TEST(SourceLocation, AnAddressOfNoModuleIsAnUnknownPlace) {
  for (const std::uintptr_t address : {0, 16})
    EXPECT_EQ(find_source_location(reinterpret_cast<const void*>(address)).text(),
              "an unknown place");
}

}  // namespace
}  // namespace tensorlane
