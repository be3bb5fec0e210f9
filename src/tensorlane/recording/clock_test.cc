// The clock as an observer of real call sequences: the same time however the sequence is run, and
// traces that can be read back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/observe/time/clock.h"
#include "tensorlane/observe/time/local_map.h"
#include "tensorlane/observe/time/protobuf_test_support.h"
#include "tensorlane/observe/time/report_page.h"
#include "tensorlane/observe/time/trace_file.h"
#include "tensorlane/recording/estimate.h"
#include "tensorlane/recording/replay.h"

namespace tensorlane {
namespace {

using protobuf::Field;
using protobuf::find;
using protobuf::parse;

const std::string kRecordings = TENSORLANE_TESTDATA "/../data/board/recordings/";

observe::Timeline timeline_of(const std::string& name, ImplementationChoice choice) {
  observe::Timeline result;
  observe::Clock clock(timing_parameters(bm1684()),
                       [&](const observe::Timeline& timeline) { result = timeline; });
  Observer* const observers[] = {&clock};
  replay_recording(kRecordings + name + ".jsonl.gz", bm1684(), 1, choice, observers);
  return result;
}

TEST(Clock, DryRunRealRunAndEstimateGiveTheSameTime) {
  for (const char* name : {"softmax_0_E", "softmax_1_A", "depthwise_7_A"}) {
    const double run = timeline_of(name, ImplementationChoice::kFastest).kernel_us;
    EXPECT_EQ(run, timeline_of(name, ImplementationChoice::kNone).kernel_us) << name;
    EXPECT_EQ(run, estimate_recording(kRecordings + name + ".jsonl.gz", bm1684(),
                                      timing_parameters(bm1684()))
                       .kernel_us)
        << name;
  }
}

// The only command of a recording of one line.
observe::TimedCommand timed(const std::string& line) {
  const TemporaryFolder folder;
  const std::string path = folder / "one_line.jsonl";
  std::ofstream(path) << line << '\n';
  observe::Timeline timeline;
  observe::Clock clock(bm1684().timing, [&](const observe::Timeline& done) { timeline = done; });
  Observer* const observers[] = {&clock};
  replay_recording(path, bm1684(), 1, ImplementationChoice::kNone, observers);
  EXPECT_EQ(timeline.commands.size(), 1u);
  return timeline.commands.at(0);
}

// 64 channels from NPU 1 on need a second row, in which one of 64 NPUs works.
TEST(Clock, UnitsWorkFromTheStartNpuOn) {
  for (const auto& [address, used] : {std::pair(0, 1.0), {524288, 0.5}}) {
    const std::string line =
        fmt::format(R"({{"op":"bdc_relu","dst_addr":{0},"src_addr":{0},"shape":[1,64,1,16],)"
                    R"("dst_stride":null,"src_stride":null}})",
                    address);
    EXPECT_EQ(timed(line).lanes_used(), used) << address;
  }
}

// 256 KB in runs of 4 KB: the bandwidth of the direction decides.
TEST(Clock, LoadsAndStoresHaveTheirOwnBandwidth) {
  const auto us = [](const std::string& function, std::uint64_t dst, std::uint64_t src) {
    return timed(fmt::format(R"({{"op":"gdma_32bit_cpy_{}","dst_addr":{},"src_addr":{},)"
                             R"("shape":[1,64,32,32],"dst_stride":null,"src_stride":null}})",
                             function, dst, src))
        .time.duration_us;
  };
  constexpr std::uint64_t kDdr = 0x105100000;
  EXPECT_DOUBLE_EQ(us("S2L", 0, kDdr), 262144 / (bm1684().timing.read_gbps * 1e3));
  EXPECT_DOUBLE_EQ(us("L2S", kDdr, 0), 262144 / (bm1684().timing.write_gbps * 1e3));
}

TEST(Clock, ReasonsAreOrderedAndNeverExceedTheTime) {
  const observe::Timeline timeline = timeline_of("softmax_0_E", ImplementationChoice::kNone);
  std::vector<observe::Reason> reasons = observe::reasons(timeline, 10);
  ASSERT_FALSE(reasons.empty());
  EXPECT_LE(reasons[0].busy_us, timeline.kernel_us);
  EXPECT_FALSE(reasons[0].help.empty());
  reasons.erase(reasons.begin());
  double last = timeline.kernel_us;
  for (const observe::Reason& reason : reasons) {
    EXPECT_LE(reason.lost_us, last);
    EXPECT_FALSE(reason.help.empty());
    last = reason.lost_us;
  }
  const observe::TimeSummary summary = observe::summarise(timeline);
  EXPECT_LE(summary.overlap_us, std::min(summary.gdma_busy_us, summary.bdc_busy_us));
  EXPECT_LE(summary.eu_utilisation, 1);
  EXPECT_NE(observe::time_text(timeline).find("modelled time"), std::string::npos);
}

TEST(TraceFile, PerfettoSlicesNestPerTrackAndAddUpToTheProfile) {
  const observe::Timeline timeline = timeline_of("depthwise_7_A", ImplementationChoice::kNone);
  const std::string trace = observe::perfetto_trace(observe::trace_events({timeline}), "test");
  std::map<unsigned long long, std::string> names;     // track uuid -> name
  std::map<unsigned long long, long long> open, busy;  // begin of the open slice, sum of slices
  std::map<unsigned long long, int> flows;
  unsigned long long last = 0;
  for (const Field& packet : parse(trace)) {
    ASSERT_EQ(packet.number, 1);
    const std::vector<Field> fields = parse(packet.bytes);
    if (const Field* descriptor = find(fields, 60)) {
      const std::vector<Field> track = parse(descriptor->bytes);
      if (const Field* name = find(track, 2))
        names[find(track, 1)->value] = std::string(name->bytes);
      continue;
    }
    const unsigned long long ns = find(fields, 8)->value;
    ASSERT_GE(ns, last);
    last = ns;
    const std::vector<Field> event = parse(find(fields, 11)->bytes);
    const unsigned long long track = find(event, 11)->value;
    ASSERT_TRUE(names.count(track));
    switch (find(event, 9)->value) {
      case 1:
        ASSERT_FALSE(open.count(track)) << "slices of " << names[track] << " overlap";
        open[track] = static_cast<long long>(ns);
        if (const Field* flow = find(event, 47)) ++flows[flow->value];
        break;
      case 2:
        ASSERT_TRUE(open.count(track));
        busy[track] += static_cast<long long>(ns) - open[track];
        open.erase(track);
        break;
      case 4:
        EXPECT_TRUE(std::isfinite(std::bit_cast<double>(find(event, 44)->value)));
        break;
      default:
        ADD_FAILURE();
    }
  }
  EXPECT_TRUE(open.empty());
  const observe::TimeSummary summary = observe::summarise(timeline);
  const double rounding = static_cast<double>(timeline.commands.size()) * 0.001;
  for (const auto& [track, name] : names) {
    const double us = static_cast<double>(busy[track]) / 1000;
    if (name == "GDMA") {
      EXPECT_NEAR(us, summary.gdma_busy_us, rounding);
    } else if (name == "BDC") {
      EXPECT_NEAR(us, summary.bdc_busy_us, rounding);
    }
  }
  EXPECT_EQ(flows.size(), timeline.commands.size());
  for (const auto& [flow, ends] : flows) EXPECT_EQ(ends, 2) << "a flow joins issue and execution";
}

TEST(TraceFile, ChromeTraceIsJsonWithBalancedSlices) {
  const observe::Timeline timeline = timeline_of("softmax_0_E", ImplementationChoice::kNone);
  const auto trace =
      nlohmann::json::parse(observe::chrome_trace(observe::trace_events({timeline}), "test"));
  std::map<int, int> depth;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "B") {
      ASSERT_EQ(++depth[event.at("tid")], 1);
    } else if (event.at("ph") == "E") {
      ASSERT_EQ(--depth[event.at("tid")], 0);
    }
  }
}

// Over real sequences: no two blocks share a byte at a time, what a command reads is there, and
// everything lies inside an NPU and the launch.
TEST(LocalMap, BlocksAreDisjointAndCoverWhatIsRead) {
  for (const char* name : {"softmax_0_E", "softmax_2_A", "depthwise_7_A", "matmul_4_E"}) {
    const observe::Timeline timeline = timeline_of(name, ImplementationChoice::kNone);
    const auto blocks = observe::local_map(timeline);
    ASSERT_FALSE(blocks.empty());
    const auto together = [](const observe::LocalBlock& a, const observe::LocalBlock& b) {
      return a.begin < b.end && b.begin < a.end && a.start_us < b.end_us && b.start_us < a.end_us;
    };
    for (std::size_t a = 0; a < blocks.size(); ++a) {
      ASSERT_GE(blocks[a].begin, 0);
      ASSERT_LE(blocks[a].end, bm1684().local.npu_bytes);
      ASSERT_LE(blocks[a].end_us, timeline.kernel_us);
      for (std::size_t b = 0; b < a; ++b) ASSERT_FALSE(together(blocks[a], blocks[b])) << name;
    }
    for (const observe::TimedCommand& command : timeline.commands) {
      for (const observe::LocalAccess& access : command.local_accesses) {
        if (!access.reads || command.slot.end <= command.slot.start) continue;
        const double now = command.slot.start;
        std::int64_t covered = 0;
        for (const observe::LocalBlock& block : blocks) {
          // A command that writes what it reads starts the next block itself.
          if (block.start_us <= now && now < block.end_us) {
            covered += std::max<std::int64_t>(
                0, std::min(block.end, access.end) - std::max(block.begin, access.begin));
          }
        }
        ASSERT_EQ(covered, access.end - access.begin) << name << ' ' << command.op->name();
      }
    }
  }
}

TEST(ReportPage, LinksToNothingAndItsCommandsAddUpToTheProfile) {
  const observe::Timeline timeline = timeline_of("depthwise_7_A", ImplementationChoice::kNone);
  const std::string page = observe::report_page({timeline, timeline});
  EXPECT_EQ(page.find("http"), std::string::npos) << "links to something else";
  const Json charts = observe::runs_of_page(page, "page.html")[0]["charts"];
  ASSERT_EQ(charts.size(), 2U);
  for (const Json& chart : charts) {
    const Json& commands = chart["commands"];
    std::map<std::string, double> busy;
    for (std::size_t k = 0; k < commands["line"].size(); ++k) {
      const Json& line = chart["profile"]["lines"][commands["line"][k].get<std::size_t>()];
      busy[line["engine"].text()] +=
          commands["end"][k].get<double>() - commands["start"][k].get<double>();
    }
    const observe::TimeSummary summary = observe::summarise(timeline);
    const double rounding = 1e-4 * static_cast<double>(commands["line"].size());
    EXPECT_NEAR(busy["GDMA"], summary.gdma_busy_us, rounding);
    EXPECT_NEAR(busy["BDC"], summary.bdc_busy_us, rounding);
    ASSERT_FALSE(chart["blocks"].empty());
    for (const Json& block : chart["blocks"]) {
      EXPECT_LT(block[0].get<std::int64_t>(), block[1].get<std::int64_t>());
      EXPECT_LE(block[1].get<std::int64_t>(), bm1684().local.npu_bytes);
    }
  }
}

}  // namespace
}  // namespace tensorlane
