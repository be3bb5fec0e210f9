// Traces of timelines made by hand; recording/clock_test.cc reads those of real kernels back.
#include "tensorlane/observe/time/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/observe/time/protobuf_test_support.h"
#include "tensorlane/observe/time/timeline_test_support.h"

namespace tensorlane::observe {
namespace {

using protobuf::Field;
using protobuf::parse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = TraceEvent::Kind;
using Track = TraceEvent::Track;

std::vector<TraceEvent> of_track(const std::vector<TraceEvent>& events, Track track) {
  std::vector<TraceEvent> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [&](const TraceEvent& event) { return event.track == track; });
  return found;
}
std::vector<long long> times(const std::vector<TraceEvent>& events) {
  std::vector<long long> found;
  for (const TraceEvent& event : events) found.push_back(event.ns);
  return found;
}

// A copy of 20,000 bytes from DDR in 4 us, an addition, a copy back.
Timeline three_commands() {
  return timeline(
      {copy(2, 6, 20000, true, false), command(kAdd, 6, 8), copy(8, 10, 20000, false, true)}, 10);
}

TEST(TraceEvents, EveryCommandIsASliceOfItsIssueAndOneOfItsEngine) {
  const auto events = trace_events({three_commands()});
  const auto issue = of_track(events, Track::kIssue);
  EXPECT_THAT(times(issue), ElementsAre(1000, 2000, 5000, 6000, 7000, 8000));
  const auto gdma = of_track(events, Track::kGdma);
  EXPECT_THAT(times(gdma), ElementsAre(2000, 6000, 8000, 10000));
  EXPECT_THAT(times(of_track(events, Track::kBdc)), ElementsAre(6000, 8000));
  EXPECT_EQ(gdma[0].kind, Kind::kBegin);
  EXPECT_EQ(gdma[1].kind, Kind::kEnd);
  EXPECT_EQ(gdma[0].name, "toy_copy");
  EXPECT_EQ(gdma[0].detail, "an unknown place");
  EXPECT_EQ(gdma[0].flow, 1u);
  EXPECT_EQ(gdma[2].flow, 3u);
  EXPECT_EQ(issue[0].flow, 1u);
  EXPECT_EQ(issue[4].flow, 3u);
  EXPECT_TRUE(std::is_sorted(events.begin(), events.end(),
                             [](const auto& a, const auto& b) { return a.ns < b.ns; }));
}

TEST(TraceEvents, BandwidthRisesWithACopyAndFallsToZero) {
  const auto events = trace_events({three_commands()});
  const auto read = of_track(events, Track::kReadBandwidth);
  ASSERT_THAT(times(read), ElementsAre(2000, 6000));
  EXPECT_EQ(read[0].value, 5);
  EXPECT_EQ(read[1].value, 0);
  const auto write = of_track(events, Track::kWriteBandwidth);
  ASSERT_THAT(times(write), ElementsAre(8000, 10000));
  EXPECT_EQ(write[0].value, 10);
}

TEST(TraceEvents, LaunchesFollowEachOtherAsTheHostSeesThem) {
  const auto gdma = of_track(trace_events({three_commands(), three_commands()}), Track::kGdma);
  EXPECT_THAT(times(gdma), ElementsAre(2000, 6000, 8000, 10000, 62000, 66000, 68000, 70000));
  EXPECT_EQ(gdma[4].flow, 4u) << "flows are numbered through";
}

TEST(TraceEvents, PiecesOfALaunchShareItsStart) {
  Timeline piece = three_commands(), rest = timeline({command(kAdd, 10, 12)}, 12);
  piece.more = true;
  TraceEvents maker;
  EXPECT_THAT(times(of_track(maker.of(piece), Track::kBdc)), ElementsAre(6000, 8000));
  const auto last = of_track(maker.of(rest), Track::kBdc);
  EXPECT_THAT(times(last), ElementsAre(10000, 12000));
  EXPECT_EQ(last[0].flow, 4u);
  EXPECT_THAT(times(of_track(maker.of(rest), Track::kBdc)), ElementsAre(72000, 74000));
}

// A launch is a slice of its own, whatever its pieces.
TEST(TraceEvents, ALaunchIsASliceAroundItsCommands) {
  Timeline piece = three_commands(), rest = timeline({command(kAdd, 10, 12)}, 12);
  piece.more = true;
  TraceEvents maker;
  auto slice = of_track(maker.of(piece), Track::kLaunch);
  ASSERT_THAT(times(slice), ElementsAre(0));
  EXPECT_EQ(slice[0].name, "kernel, launch 3");
  EXPECT_EQ(slice[0].detail, "commands issued one by one; launches: a test");
  slice = of_track(maker.of(rest), Track::kLaunch);
  ASSERT_THAT(times(slice), ElementsAre(12000));
  EXPECT_EQ(slice[0].kind, Kind::kEnd);
}

TEST(TraceEvents, APrebuiltListHasNoIssue) {
  TimingParameters list = kParameters;
  list.mode = LaunchMode::kPrebuilt;
  Timeline all = three_commands();
  all.parameters = &list;
  EXPECT_TRUE(of_track(trace_events({all}), Track::kIssue).empty());
}

TEST(TraceFormats, SlicesHaveTheArgumentsOfTheirCalls) {
  Timeline all = timeline({command(kAdd, 2, 5)}, 5);
  all.commands[0].call = "toy_add(1, 2);";
  const auto events = trace_events({all});
  EXPECT_THAT(chrome_trace(events, ""), HasSubstr("\"call\":\"toy_add(1, 2);\""));
  EXPECT_THAT(perfetto_trace(events, ""), HasSubstr("toy_add(1, 2);"));
}

TEST(TraceEvents, BlocksOfLocalMemoryHaveATrackPerAddress) {
  Timeline all = three_commands();
  all.commands[0].local_accesses = {{0x1000, 0x1100, false, true}};
  all.commands[1].local_accesses = {{0x1000, 0x1100, true, false}, {0, 64, true, true}};
  const auto events = trace_events({all});
  const auto blocks = of_track(events, Track::kLocalBlock);
  ASSERT_EQ(blocks.size(), 6u);
  EXPECT_EQ(blocks[0].name, "not written in this launch");
  EXPECT_EQ(blocks[0].address, 0);
  EXPECT_EQ(blocks[1].name, "toy_copy");
  EXPECT_EQ(blocks[1].address, 0x1000);
  EXPECT_THAT(blocks[1].detail, HasSubstr("0x01000 to 0x01100, 256 bytes, last read at"));
  EXPECT_THAT(times(blocks), ElementsAre(0, 2000, 6000, 6000, 8000, 8000));
  std::vector<double> bytes;
  for (const TraceEvent& event : of_track(events, Track::kLocalBytes)) bytes.push_back(event.value);
  EXPECT_THAT(bytes, ElementsAre(64, 320, 320, 0));
  EXPECT_EQ(track_name(blocks[1]), "local memory 0x01000");
}

// Each core has engines and local memory of its own; they work at the same time.
TEST(TraceEvents, EveryCoreHasTracksOfItsOwn) {
  Timeline all = three_commands();
  all.launch.cores = 4;
  for (int core : {1, 3}) {
    TimedCommand next = copy(2, 6, 20000, true, false);
    next.core = core;
    next.local_accesses = {{0x1000, 0x1100, false, true}};
    all.commands.push_back(next);
  }
  const auto events = trace_events({all});
  std::map<std::string, std::vector<long long>> tracks;
  for (const TraceEvent& event : events) tracks[track_name(event)].push_back(event.ns);
  EXPECT_THAT(tracks["core 0: GDMA"], ElementsAre(2000, 6000, 8000, 10000));
  EXPECT_THAT(tracks["core 1: GDMA"], ElementsAre(2000, 6000));
  EXPECT_THAT(tracks["core 3: GDMA"], ElementsAre(2000, 6000));
  EXPECT_THAT(tracks["core 3: local memory 0x01000"], ElementsAre(2000, 6000));
  EXPECT_TRUE(tracks.contains("core 1: DDR read, GB/s"));
  EXPECT_TRUE(tracks.contains("launches"));
  EXPECT_FALSE(tracks.contains("GDMA"));
  EXPECT_THAT(chrome_trace(events, ""), HasSubstr("core 3: GDMA"));
  EXPECT_THAT(perfetto_trace(events, ""), HasSubstr("core 3: GDMA"));
}

TEST(TraceEvents, OnlyTheAddressesInUseLongestHaveTracks) {
  Timeline all = timeline({}, 400);
  for (int k = 0; k < 300; ++k) {
    all.commands.push_back(command(kAdd, k, k < 44 ? k + 0.5 : k + 1));
    all.commands.back().local_accesses = {{100 * k, 100 * k + 10, false, true}};
  }
  std::set<std::int64_t> addresses;
  for (const TraceEvent& event : of_track(trace_events({all}), Track::kLocalBlock))
    addresses.insert(event.address);
  EXPECT_EQ(addresses.size(), 256u);
  EXPECT_EQ(*addresses.begin(), 4400) << "the first 44 are in use for half as long";
}

// (phase, name) of every event, in order, with its track's name for slices.
std::vector<std::string> chrome_names(const std::vector<TraceEvent>& events) {
  std::vector<std::string> names;
  std::map<int, std::string> tracks;
  const auto trace = nlohmann::json::parse(chrome_trace(events, "a \"chip\""));
  for (const auto& event : trace.at("traceEvents")) {
    if (event["ph"] == "M") {
      if (event["name"] == "process_name") {
        names.push_back("process " + event["args"]["name"].get<std::string>());
      } else {
        tracks[event["tid"]] = event["args"]["name"];
      }
    } else if (event["ph"] == "C") {
      names.push_back(fmt::format("C {}", event["name"].get<std::string>()));
    } else {
      names.push_back(fmt::format("{} {} {}", event["ph"].get<std::string>(),
                                  tracks.at(event["tid"]), event["ts"].get<double>()));
    }
  }
  return names;
}

TEST(ChromeTrace, HoldsTheEventsInOrderWithTheirTracks) {
  const auto names = chrome_names(trace_events({timeline({command(kAdd, 2, 5)}, 5)}));
  EXPECT_THAT(names, ElementsAre("process a \"chip\"", "B launches 0", "B processor: issue 1",
                                 "s processor: issue 1", "E processor: issue 2", "B BDC 2",
                                 "f BDC 2", "E BDC 5", "E launches 5"));
}

TEST(ChromeTrace, TheHauHasATrackWhereItWorks) {
  const auto has_hau = [](const Timeline& all) {
    return chrome_trace(trace_events({all}), "").find("\"HAU\"") != std::string::npos;
  };
  EXPECT_FALSE(has_hau(three_commands()));
  EXPECT_TRUE(has_hau(timeline({command(kSort, 1, 2)}, 2)));
}

// The field of that number; an empty one where there is none.
Field field(const std::vector<Field>& fields, int number) {
  const Field* const found = protobuf::find(fields, number);
  return found == nullptr ? Field{} : *found;
}

TEST(PerfettoTrace, HoldsTheEventsInOrderWithTheirTracks) {
  std::map<unsigned long long, std::string> tracks;
  std::vector<std::string> events;
  Timeline all = timeline({copy(2, 300, 20000, true, false)}, 300);
  for (const Field& packet : parse(perfetto_trace(trace_events({all}), "a chip"))) {
    const auto fields = parse(packet.bytes);
    if (const Field descriptor = field(fields, 60); descriptor.number != 0) {
      const auto track = parse(descriptor.bytes);
      if (const Field process = field(track, 3); process.number != 0) {
        EXPECT_EQ(field(parse(process.bytes), 6).bytes, "a chip");
      } else {
        tracks[field(track, 1).value] = field(track, 2).bytes;
      }
      continue;
    }
    const auto event = parse(field(fields, 11).bytes);
    events.push_back(fmt::format("{} {} {} {}", field(fields, 8).value, field(event, 9).value,
                                 tracks.at(field(event, 11).value), field(event, 23).bytes));
  }
  EXPECT_THAT(
      events,
      ElementsAre("0 1 launches kernel, launch 3", "1000 1 processor: issue toy_copy",
                  "2000 2 processor: issue ", "2000 1 GDMA toy_copy", "2000 4 DDR read, GB/s ",
                  "300000 2 GDMA ", "300000 4 DDR read, GB/s ", "300000 2 launches "));
}

TEST(WriteTraceFile, TheExtensionDecidesAndAFailureIsAnError) {
  const TemporaryFolder folder;
  const auto written = [&](const std::string& name) {
    TraceFile trace(folder / name);
    trace.add(three_commands());
    trace.add(three_commands());
    trace.finish();
    std::ifstream file(folder / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  EXPECT_TRUE(nlohmann::json::accept(written("a.json")));
  EXPECT_THAT(written("a.json"),
              HasSubstr("Sophon BM1684 (OKKernel) (modelled, launches: a test)"));
  EXPECT_EQ(written("a.pftrace")[0], '\n') << "field 1, bytes";
  EXPECT_THROW(TraceFile(folder / "none" / "a.json"), UserError);
  {
    TraceFile unfinished(folder / "b.json");
    unfinished.add(three_commands());
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "b.json"));
}

}  // namespace
}  // namespace tensorlane::observe
