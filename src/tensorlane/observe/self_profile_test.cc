#include "tensorlane/observe/self_profile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::observe {
namespace {

constexpr int kLaunches = 5, kCommands = 20;
constexpr double kToolSeconds = 20e-6;  // per command

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// A tool that takes its time with every command.
class BusyTool : public Observer {
 public:
  void command_begin(const Command&) override {
    const double end = thread_seconds() + kToolSeconds;
    while (thread_seconds() < end) {
    }
  }
};

// Fills tensors that take longer than the clock does.
std::optional<Failure> fill(Session& session) {
  const Op& set = *okk::find_op("okk_bdc_32bit_set_C");
  const dim4 shape{1, 64, 64, 64};
  const std::vector<Arg> args = {okk::encode(local_addr_t{0}), okk::encode(x32{.u32 = 7}),
                                 okk::encode(static_cast<const dim4*>(&shape)),
                                 okk::encode(static_cast<const dim4*>(nullptr))};
  for (int k = 0; k < kCommands; ++k) session.issue(set, args, nullptr);
  return {};
}

enum Column { kCount, kAll, kFirstPhase };
double phase(const std::vector<double>& line, Phase which) {
  return line.at(kFirstPhase + static_cast<std::size_t>(which));
}

// The numbers that a device with a tool of a kind says of kernel "fill".
std::vector<double> numbers(Phase kind_of_tool) {
  std::string said;
  {
    Device device(bm1684());
    profile_itself(device, [&](const std::string& text) { said += text; });
    mark_tools(device, Phase::kTools, kind_of_tool);
    device.add_observer(std::make_unique<BusyTool>());
    mark_tools(device, kind_of_tool, Phase::kSetUp);
    for (int k = 0; k < kLaunches; ++k) device.submit("fill", fill);
    device.finish();
  }
  const std::string name = "\n  fill ";
  const std::size_t at = said.find(name);
  EXPECT_NE(at, std::string::npos) << said;
  std::vector<double> values;
  const char* next = said.c_str() + at + name.size();
  for (char* end = nullptr; at != std::string::npos && *next != '\n'; next = end) {
    values.push_back(std::strtod(next, &end));
    if (end == next) break;
  }
  return values;
}

TEST(SelfProfile, PhasesOfALaunchAddUpToAll) {
  const std::vector<double> line = numbers(Phase::kChecks);
  ASSERT_EQ(line.size(), kFirstPhase + kPhases + 1);
  EXPECT_EQ(line[kCount], kLaunches);
  double sum = 0;
  for (std::size_t k = 0; k < kPhases; ++k) sum += line[kFirstPhase + k];
  EXPECT_NEAR(sum, line[kAll], 0.1 * kPhases);  // each is rounded to 0.1
  EXPECT_GT(phase(line, Phase::kArithmetic), phase(line, Phase::kDecode));
  EXPECT_EQ(phase(line, Phase::kCopies), 0);
}

TEST(SelfProfile, ToolsHavePhasesOfTheirOwn) {
  for (const Phase kind : {Phase::kChecks, Phase::kClock}) {
    SCOPED_TRACE(phase_name(kind));
    const std::vector<double> line = numbers(kind);
    EXPECT_GT(phase(line, kind), 0.5e6 * kCommands * kToolSeconds);
    const Phase other = kind == Phase::kChecks ? Phase::kClock : Phase::kChecks;
    EXPECT_EQ(phase(line, other), 0);
  }
}

TEST(SelfProfile, NoLaunchesNoNumbers) {
  const std::string text =
      self_profile_text({{"device", 1}, {"chip", "bm1684"}, {"kernels", Json::array()}});
  EXPECT_NE(text.find("device 1 (bm1684)"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing was launched"), std::string::npos) << text;
}

}  // namespace
}  // namespace tensorlane::observe
