// What looks inside a run: choices of commands, --print, --dump, --watch, --log.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/command_log/log_reader.h"
#include "tensorlane/device/session.h"
#include "tensorlane/io/npy.h"
#include "tensorlane/observe/command_log.h"
#include "tensorlane/observe/dump_operands.h"
#include "tensorlane/observe/print_commands.h"
#include "tensorlane/observe/watch_bytes.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::observe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A session in which okk_bdc_add_C runs on {1, 2, 1, 3} elements.
struct Machine {
  DeviceMemory memory{bm1684()};
  std::vector<std::string> said;
  Say say = [this](const std::string& text) { said.push_back(text); };
  Observer* observer = nullptr;
  Session session{.chip = bm1684(),
                  .memory = memory,
                  .observers = {&observer, 1},
                  .launch = {.kernel = "kernel", .chip = &bm1684()}};

  float& element(int npu, std::uint64_t offset) const {
    return *reinterpret_cast<float*>(memory.base(Space::kLocal) + 524288 * npu + offset);
  }
  void add(unsigned int dst, unsigned int src, float value) {
    const dim4 shape = {1, 2, 1, 3};
    const dim4* const none = nullptr;
    const Arg args[] = {okk::encode(dst),    okk::encode(src),  okk::encode(value),
                        okk::encode(&shape), okk::encode(none), okk::encode(none)};
    session.issue(*okk::find_op("okk_bdc_add_C"), args, __builtin_return_address(0));
  }
  template <class Run>
  void launch(Observer& with, const Run& run) {
    observer = &with;
    with.launch_begin(session.launch);
    run();
    with.launch_end(session.launch, Outcome::kDone);
  }
};

TEST(CommandChoice, IsALineOrAFunction) {
  for (const char* text : {"", "a.c:", ":7", "a.c:0", "a.c:-1", "a.c:7x"})
    EXPECT_THROW(CommandChoice("--print", text), UserError) << text;
  for (const char* text : {"a.c:7", "kernel", "folder/a.c:7", "C:/a.c:7"})
    EXPECT_NO_THROW(CommandChoice("--print", text)) << text;
}

TEST(CommandChoice, IsAPosition) {
  for (const char* text : {"#", "#x", "#1.", "#.1", "#1.2.3.4", "#-1", "#1 "})
    EXPECT_THROW(CommandChoice("--print", text), UserError) << text;
  Machine machine;
  machine.session.launch.number = 3;
  PrintCommands print({CommandChoice("--print", "#3.1"), CommandChoice("--print", "#1.3.2"),
                       CommandChoice("--print", "#0")},
                      machine.memory, true, machine.say);
  machine.launch(print, [&] {
    for (int k = 0; k < 4; ++k) machine.add(0x1000, 0, 1);
  });
  ASSERT_EQ(machine.said.size(), 1u);
  EXPECT_THAT(machine.said[0], HasSubstr("command 1 of launch 3 of device 0"));
}

TEST(CommandChoice, SaysWhatIsNearWhenNothingMatches) {
  Machine machine;
  PrintCommands print({CommandChoice("--print", "okk_bdc_ad")}, machine.memory, true, machine.say);
  CommandChoice choice("--print", "okk_bdc_ad");
  EXPECT_EQ(choice.report().at("hint").text(), "no command was issued at all");
  machine.launch(print, [&] { machine.add(0x1000, 0, 1); });
  EXPECT_THAT(machine.said, IsEmpty());
  choice.matches(*machine.session.latest);
  const Json report = choice.report();
  EXPECT_THAT(report.at("hint").text(), HasSubstr("no command is issued there"));
  EXPECT_EQ(unmatched_choices({&report, 1}),
            fmt::format("tensorlane: --print okk_bdc_ad: {}\n", report.at("hint").text()));
}

TEST(CommandChoice, OneDeviceWithAMatchIsEnough) {
  const std::vector<Json> lines = {
      {{"tool", "choice"}, {"choice", "--print a"}, {"matched", 0}, {"hint", "none"}},
      {{"tool", "choice"}, {"choice", "--print a"}, {"matched", 2}},
      {{"tool", "choice"}, {"choice", "--print b"}, {"matched", 0}, {"hint", "none"}}};
  EXPECT_EQ(unmatched_choices(lines), "tensorlane: --print b: none\n");
}

TEST(PrintCommands, ShowsOperandsBeforeAndAfter) {
  Machine machine;
  machine.element(0, 0) = 2;
  machine.element(1, 8) = -4;
  PrintCommands print({CommandChoice("--print", "okk_bdc_add_C")}, machine.memory, true,
                      machine.say);
  machine.launch(print, [&] { machine.add(0x1000, 0, 0.5F); });
  ASSERT_EQ(machine.said.size(), 1u);
  EXPECT_THAT(machine.said[0], HasSubstr("command 0 of launch 0 of device 0, kernel 'kernel'"));
  EXPECT_THAT(machine.said[0], HasSubstr("before  min 0, max 0, mean 0, hash"));
  EXPECT_THAT(machine.said[0], HasSubstr("after   min -3.5, max 2.5, mean 0.166667, hash"));
  EXPECT_THAT(machine.said[0], HasSubstr(": 2.5, 0.5, 0.5, 0.5, 0.5, -3.5\n"));
}

TEST(PrintCommands, StopsAfterManyAndSaysSo) {
  Machine machine;
  PrintCommands print({CommandChoice("--print", "okk_bdc_add_C")}, machine.memory, true,
                      machine.say);
  machine.launch(print, [&] {
    for (std::uint64_t k = 0; k < PrintCommands::kMost + 5; ++k) machine.add(0x1000, 0, 1);
  });
  ASSERT_EQ(machine.said.size(), PrintCommands::kMost + 1);
  EXPECT_THAT(machine.said.back(), HasSubstr("the others are not printed"));
}

TEST(DumpOperands, TextsAreTakenApart) {
  const DumpText plain = parse_dump("a.c:7=out=1.npy");
  EXPECT_EQ(plain.choice, "a.c:7");
  EXPECT_EQ(plain.operand, "");
  EXPECT_EQ(plain.path, "out=1.npy");
  const DumpText named = parse_dump("kernel:src_addr=x.npy");
  EXPECT_EQ(named.choice, "kernel");
  EXPECT_EQ(named.operand, "src_addr");
  const DumpText odd = parse_dump("a=b:7.c:12:dst_addr=x=1:2.npy");
  EXPECT_EQ(odd.choice, "a=b:7.c:12");
  EXPECT_EQ(odd.operand, "dst_addr");
  EXPECT_EQ(odd.path, "x=1:2.npy");
  for (const char* text : {"", "a.c:7", "a.c:7=", "=x.npy", ":src=x.npy"})
    EXPECT_THROW(parse_dump(text), UserError) << text;
}

TEST(DumpOperands, WritesInputsAndResultsAFileEach) {
  Machine machine;
  machine.element(1, 8) = 3;
  const TemporaryFolder folder;
  const auto result = folder / "dump-{n}.npy", first = folder / "dump-0.npy",
             second = folder / "dump-1.npy", input = folder / "input.npy";
  {
    DumpOperands dump({parse_dump("okk_bdc_add_C=" + result.string()),
                       parse_dump("okk_bdc_add_C:src_addr=" + input.string())},
                      machine.memory, machine.say);
    machine.launch(dump, [&] {
      machine.add(0, 0, 1);  // in place: the input is what was there before
      machine.add(0x1000, 0, 1);
    });
  }
  EXPECT_THAT(machine.said, IsEmpty());
  const Tensor tensor = read_npy_file(first);
  EXPECT_THAT(tensor.shape, ElementsAre(1, 2, 1, 3));
  const auto value = [](const Tensor& from, int k) {
    return reinterpret_cast<const float*>(from.data.data())[k];
  };
  EXPECT_EQ(value(tensor, 5), 4);
  EXPECT_EQ(value(read_npy_file(second), 5), 5);
  EXPECT_EQ(value(read_npy_file(input), 5), 4);  // of the last command
}

TEST(DumpOperands, SaysWhichOperandsThereAre) {
  Machine machine;
  const TemporaryFolder folder;
  {
    DumpOperands dump({parse_dump("okk_bdc_add_C:src0=" + (folder / "x.npy").string())},
                      machine.memory, machine.say);
    machine.launch(dump, [&] { machine.add(0, 0, 1); });
  }
  ASSERT_EQ(machine.said.size(), 1u);
  EXPECT_THAT(machine.said[0], HasSubstr("no operand 'src0'; it has dst_addr, src_addr"));
}

TEST(WatchBytes, NamesElementsBeforeAndAfter) {
  Machine machine;
  machine.element(1, 0x1008) = 7;
  WatchBytes watch(bm1684(), machine.memory, {{{Space::kLocal, 524288 + 0x100a}, 1}}, machine.say,
                   {});
  machine.launch(watch, [&] {
    machine.add(0x2000, 0, 1);  // elsewhere
    machine.add(0x1000, 0, 1);
  });
  ASSERT_EQ(machine.said.size(), 1u);
  EXPECT_THAT(machine.said[0], HasSubstr("NPU 1 offset 0x100a is written by okk_bdc_add_C"));
  EXPECT_THAT(machine.said[0], HasSubstr("element [0,1,0,2] at NPU 1 offset 0x1008: 7 -> 1\n"));
}

TEST(WatchBytes, PaddingIsWrittenByNobody) {
  Machine machine;
  WatchBytes watch(bm1684(), machine.memory, {{{Space::kLocal, 0x100c}, 4}}, machine.say, {});
  machine.launch(watch, [&] { machine.add(0x1000, 0, 1); });
  EXPECT_THAT(machine.said, IsEmpty());
}

TEST(WatchBytes, TheHostsWritesAreSaidWithWhatTheyWrote) {
  Machine machine;
  int stops = 0;
  WatchBytes watch(bm1684(), machine.memory, {{{Space::kGlobal, 8}, 6}}, machine.say,
                   [&] { ++stops; });
  watch.host_access(HostAccess::kRead, 0, 64, {"bm_memcpy_d2s", nullptr});
  watch.host_access(HostAccess::kWrite, 0, 64, {"bm_memcpy_s2d", nullptr});
  *reinterpret_cast<float*>(machine.memory.base(Space::kGlobal) + 8) = 1.5F;
  EXPECT_THAT(machine.said, IsEmpty());
  machine.launch(watch, [] {});
  ASSERT_EQ(machine.said.size(), 1u);
  EXPECT_EQ(stops, 1);
  EXPECT_THAT(machine.said[0], HasSubstr("is written by the host: bm_memcpy_s2d"));
  EXPECT_THAT(machine.said[0], HasSubstr("global memory 0x100000008: 0 (0x00000000) -> 1.5"));
  EXPECT_THAT(machine.said[0], HasSubstr("global memory 0x10000000c: 0x0000 -> 0x0000\n"));
}

TEST(WatchBytes, WritesThroughPointersAreSaid) {
  Machine machine;
  WatchBytes watch(bm1684(), machine.memory, {{{Space::kLocal, 4}, 4}}, machine.say, {});
  EXPECT_TRUE(watch.watches(Space::kLocal, 0, 5));
  EXPECT_FALSE(watch.watches(Space::kLocal, 8, 8));
  EXPECT_FALSE(watch.watches(Space::kL2, 0, 64));
  machine.launch(watch, [&] {
    watch.processor_access({ProcessorAccess::Kind::kWrite, Space::kLocal, 4, 4, nullptr});
    machine.element(0, 4) = 2;
  });
  ASSERT_EQ(machine.said.size(), 1u);
  EXPECT_THAT(machine.said[0], HasSubstr("the kernel's own code"));
  EXPECT_THAT(machine.said[0], HasSubstr("-> 2 (0x40000000)"));
}

TEST(CommandLog, HoldsWhatCommandsReadAndWrote) {
  Machine machine;
  machine.element(0, 0) = 2;
  const TemporaryFolder folder;
  const auto path = folder / "log.jsonl";
  CommandLog log(bm1684(), machine.memory, true, path, machine.say);
  machine.launch(log, [&] { machine.add(0, 0, 1); });
  machine.launch(log, [&] {
    machine.add(0x1000, 0, 1);
    machine.add(0x2000, 0, 1);
  });
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const command_log::Log read = command_log::read_log(text.str(), "log");
  ASSERT_EQ(read.launches.size(), 2u);
  EXPECT_TRUE(read.launches[0].ended);
  ASSERT_EQ(read.launches[1].commands.size(), 2u);
  const command_log::LoggedCommand& first = read.launches[0].commands[0];
  EXPECT_EQ(first.function, "okk_bdc_add_C");
  EXPECT_GT(first.time_us, 0);
  EXPECT_EQ(first.operands[0].after->statistics.max, 3);
  EXPECT_EQ(first.operands[1].before->statistics.max, 2);
  EXPECT_FALSE(first.operands[1].after);
  const auto& [left, right] = std::tie(read.launches[1].commands[0], read.launches[1].commands[1]);
  EXPECT_EQ(left.operands[0].after, right.operands[0].after);  // wherever it lies
  EXPECT_THAT(machine.said, IsEmpty());
}

TEST(CommandLog, AFileThatCannotBeWrittenIsSaidOnce) {
  Machine machine;
  CommandLog log(bm1684(), machine.memory, true, "/dev/full", machine.say);
  machine.launch(log, [&] { machine.add(0, 0, 1); });
  ASSERT_EQ(machine.said.size(), 1u);
  EXPECT_THAT(machine.said[0], HasSubstr("cannot write the log '/dev/full'"));
}

}  // namespace
}  // namespace tensorlane::observe
