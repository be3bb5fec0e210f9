// Accesses as the handlers of launch_guard.cc report them; tests/check has kernels that fault.
#include "tensorlane/device/processor_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <string>

#include "tensorlane/chip/chip.h"

namespace tensorlane {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kPage = ProcessorWatch::kPageBytes;

// Watches bytes until they are written.
struct Unwritten : Observer {
  std::set<std::uint64_t> bytes;
  std::vector<std::string> told;

  void processor_access(const ProcessorAccess& access) override {
    constexpr std::string_view kKinds[] = {"reads", "writes", "unseen"};
    told.push_back(fmt::format("{} {} {}", kKinds[static_cast<std::size_t>(access.kind)],
                               access.offset, access.bytes));
    if (access.kind == ProcessorAccess::Kind::kRead) return;
    bytes.erase(bytes.lower_bound(access.offset), bytes.lower_bound(access.offset + access.bytes));
  }
  bool watches(Space, std::uint64_t offset, std::uint64_t size) const override {
    const auto first = bytes.lower_bound(offset);
    return first != bytes.end() && *first < offset + size;
  }
};

class ProcessorWatchTest : public testing::Test {
 protected:
  static bool ready() { return handlers_are_ours; }
  static inline bool handlers_are_ours = true;

  // As the processor would: is the page open?
  static bool is_open(const std::byte* at) {
    const int file = memfd_create("probe", MFD_CLOEXEC);
    const bool open = write(file, at, 1) == 1;
    close(file);
    return open;
  }
  bool follow(const std::byte* at, bool writes, const std::uint8_t* instruction) {
    return watch.follow({reinterpret_cast<std::uintptr_t>(at), writes, instruction, nullptr, true},
                        observers);
  }

  DeviceMemory memory{bm1684()};
  ProcessorWatch watch{memory, ready};
  Unwritten unwritten;
  std::vector<Observer*> observers{&unwritten};
  // movb, movl, movups to memory; movl from it
  const std::uint8_t store1[16] = {0x88, 0x07}, store4[16] = {0x89, 0x07},
                     store16[16] = {0x0f, 0x11, 0x07}, load4[16] = {0x8b, 0x07};
};

TEST_F(ProcessorWatchTest, FollowsAccessesUntilThePageMattersNoMore) {
  ASSERT_TRUE(watch.launch_begin());
  std::byte* const view = watch.pointer(Space::kLocal, kPage);
  ASSERT_NE(view, nullptr);
  unwritten.bytes = {kPage + 8, kPage + 9, kPage + 10, kPage + 11};
  EXPECT_FALSE(is_open(view));
  EXPECT_TRUE(follow(view, false, load4));
  EXPECT_TRUE(is_open(view));
  EXPECT_TRUE(watch.stepped(observers));
  EXPECT_FALSE(is_open(view));
  EXPECT_FALSE(watch.stepped(observers));
  EXPECT_TRUE(follow(view + 8, true, store4));
  std::memset(view + 8, 1, 4);
  EXPECT_TRUE(watch.stepped(observers));
  EXPECT_TRUE(is_open(view));
  EXPECT_THAT(unwritten.told, ElementsAre("reads 4096 4", "writes 4104 4"));
  EXPECT_EQ(static_cast<int>(memory.base(Space::kLocal)[kPage + 8]), 1);
  ASSERT_TRUE(watch.launch_begin());
  EXPECT_FALSE(is_open(view));
}

TEST_F(ProcessorWatchTest, SeesWhatAnInstructionWritesBesideItsFault) {
  ASSERT_TRUE(watch.launch_begin());
  std::byte* const view = watch.pointer(Space::kL2, 0);
  for (std::uint64_t k = 0; k < 100; ++k) unwritten.bytes.insert(k);
  EXPECT_TRUE(follow(view, false, load4));  // add %eax,(%rdi), say
  std::memset(view + 20, 7, 2);
  EXPECT_TRUE(watch.stepped(observers));
  EXPECT_THAT(unwritten.told, ElementsAre("reads 0 4", "writes 20 2"));
}

TEST_F(ProcessorWatchTest, AnAccessOfTwoPagesIsTwo) {
  ASSERT_TRUE(watch.launch_begin());
  std::byte* const view = watch.pointer(Space::kL2, 0);
  unwritten.bytes = {0, kPage, 2 * kPage - 1};
  EXPECT_TRUE(follow(view + kPage - 6, true, store16));
  EXPECT_TRUE(follow(view + kPage, true, store16));
  EXPECT_TRUE(watch.stepped(observers));
  EXPECT_THAT(unwritten.told, ElementsAre("writes 4090 6", "writes 4096 10"));
  EXPECT_FALSE(is_open(view));
  EXPECT_FALSE(is_open(view + kPage));
}

TEST_F(ProcessorWatchTest, AfterManyAccessesAPageGoesUnseen) {
  ASSERT_TRUE(watch.launch_begin());
  std::byte* const view = watch.pointer(Space::kL2, 0);
  unwritten.bytes = {kPage - 1, 2 * kPage - 1};
  for (int k = 0; k < ProcessorWatch::kFollowedPerLaunch; ++k) {
    ASSERT_TRUE(follow(view, true, store1));
    ASSERT_TRUE(watch.stepped(observers));
  }
  EXPECT_FALSE(follow(view + kPage, true, store1));
  EXPECT_TRUE(is_open(view + kPage));
  EXPECT_EQ(*(unwritten.told.end() - 2), "writes 4096 1") << "the first access is judged";
  EXPECT_EQ(unwritten.told.back(), "unseen 4096 4096");
  EXPECT_FALSE(is_open(view));
}

TEST_F(ProcessorWatchTest, OpensEverythingWhenOthersHandleFaults) {
  ASSERT_TRUE(watch.launch_begin());
  std::byte* const view = watch.pointer(Space::kL2, 0);
  EXPECT_FALSE(is_open(view));
  handlers_are_ours = false;
  EXPECT_EQ(watch.pointer(Space::kL2, 0), nullptr);
  EXPECT_TRUE(is_open(view));
  handlers_are_ours = true;
  EXPECT_FALSE(watch.launch_begin());
}

TEST_F(ProcessorWatchTest, KnowsItsAddresses) {
  ASSERT_TRUE(watch.launch_begin());
  std::byte* const view = watch.pointer(Space::kL2, 0);
  EXPECT_EQ(ProcessorWatch::of(reinterpret_cast<std::uintptr_t>(view)), &watch);
  EXPECT_EQ(ProcessorWatch::of(reinterpret_cast<std::uintptr_t>(memory.base(Space::kL2))), nullptr);
  EXPECT_EQ(ProcessorWatch::of(8), nullptr);
}

}  // namespace
}  // namespace tensorlane
