#include "tensorlane/observe/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/observe/environment.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::observe {
namespace {

constexpr dim4 kShape = {1, 3, 2, 5};

// Two copies, a fill, one BDC command, one parallel region.
void kernel(const void* args) {
  const auto address = *static_cast<const std::uint64_t*>(args);
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, address, &kShape, nullptr, nullptr);
  okk_parallel_start();
  okk_bdc_add_C(0, 0, 1.0F, &kShape, nullptr, nullptr);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(address, 0, &kShape, nullptr, nullptr);
  okk_gdma_8bit_set_C_local(1024, {}, &kShape, nullptr);
  okk_poll();
}

void illegal(const void*) {
  okk_gdma_32bit_cpy_S2L(2, 0, &kShape, nullptr, nullptr);
}

void run_two_kernels(Device& device) {
  const auto address = device.allocate(4096).value();
  device.host_access(HostAccess::kWrite, address, 120);
  device.submit("kernel", [=](Session& session) { return run_kernel(session, kernel, &address); });
  device.submit("illegal", [](Session& session) { return run_kernel(session, illegal, nullptr); });
  device.drain();
  device.host_access(HostAccess::kRead, address, 40);
  device.free(address);
}

TEST(Statistics, CountWhatADeviceDoes) {
  Device device(bm1684());
  auto owned = std::make_unique<Statistics>(device.chip());
  const Statistics& statistics = *owned;
  device.add_observer(std::move(owned));
  run_two_kernels(device);

  EXPECT_EQ(statistics.commands(Engine::kGdma), 3U);
  EXPECT_EQ(statistics.commands(Engine::kBdc), 1U);
  EXPECT_EQ(statistics.parallel_regions(), 1U);
  EXPECT_EQ(statistics.kernels().at("kernel").launches, 1U);
  EXPECT_EQ(statistics.kernels().at("kernel").failed, 0U);
  EXPECT_EQ(statistics.kernels().at("illegal").failed, 1U);
  EXPECT_EQ(statistics.host(HostAccess::kWrite).bytes, 120U);
  EXPECT_EQ(statistics.host(HostAccess::kRead).bytes, 40U);
  EXPECT_EQ(statistics.peak_allocated(), 4096U);
  const auto transfers = statistics.transfers();
  ASSERT_EQ(transfers.size(), 3U);  // local to global, global to local, fill
  EXPECT_EQ(transfers[0].from, Space::kLocal);
  EXPECT_EQ(transfers[0].to, Space::kGlobal);
  EXPECT_EQ(transfers[0].bytes, 120U);
  EXPECT_EQ(transfers[1].from, Space::kGlobal);
  EXPECT_EQ(transfers[1].bytes, 120U);
  EXPECT_EQ(transfers[2].from, std::nullopt);
  EXPECT_EQ(transfers[2].bytes, 30U);
  EXPECT_EQ(statistics.functions().size(), 4U);
}

TEST(Statistics, ThePeakIsOfWhatIsAllocatedAtOneTime) {
  Statistics statistics(bm1684());
  statistics.allocated(0, 100, {});
  statistics.allocated(4096, 200, {});
  statistics.freed(0, {});
  statistics.freed(0, {});
  statistics.allocated(0, 50, {});
  EXPECT_EQ(statistics.peak_allocated(), 300U);
  statistics.allocated(8192, 100, {});
  EXPECT_EQ(statistics.peak_allocated(), 350U);
}

void said_nothing(const std::string& text) {
  ADD_FAILURE() << text;
}

TEST(Environment, ReportsEveryDeviceInALineOfItsOwn) {
  const TemporaryFolder folder;
  const std::string path = folder / "report.jsonl";
  setenv("TENSORLANE_REPORT", path.c_str(), 1);
  for (int k = 0; k < 2; ++k) {
    Device device(bm1684());
    attach_from_environment(device, said_nothing);
    run_two_kernels(device);
  }
  unsetenv("TENSORLANE_REPORT");
  std::ifstream file(path);
  std::vector<std::string> tools;
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line);
    tools.push_back(entry.value("state", entry["tool"]));
    if (entry["tool"] != "statistics") continue;
    EXPECT_EQ(entry["launches"], 2);
    EXPECT_EQ(entry["failed_launches"], 1);
    EXPECT_EQ(entry["commands"]["gdma"], 3);
  }
  EXPECT_EQ(tools, (std::vector<std::string>{"open", "statistics", "closed", "open", "statistics",
                                             "closed"}));
}

TEST(Environment, EachDeviceWritesTimelinesOfItsOwn) {
  const TemporaryFolder folder;
  const std::string path = folder / "profile.json";
  setenv("TENSORLANE_PROFILE", path.c_str(), 1);
  for (int k = 0; k < 2; ++k) {
    Device device(bm1684());
    attach_from_environment(device, said_nothing);
    for (int programs = 0; programs <= k; ++programs) run_two_kernels(device);
  }
  unsetenv("TENSORLANE_PROFILE");
  for (const auto& [name, launches] : {std::pair("profile.json", 2U), {"profile.2.json", 4U}}) {
    std::ifstream file(folder / name);
    ASSERT_TRUE(file) << name;
    EXPECT_EQ(nlohmann::json::parse(file)["launches"].size(), launches) << name;
  }
}

// The program is ending, and nobody is left to throw to.
TEST(Environment, FilesThatCannotBeWrittenAreSaid) {
  for (const char* variable :
       {"TENSORLANE_PROFILE", "TENSORLANE_TRACE", "TENSORLANE_PAGE", "TENSORLANE_RECORD"}) {
    std::string said;
    setenv(variable, "/no/such/folder/file", 1);
    {
      Device device(bm1684());
      attach_from_environment(device, [&](const std::string& text) { said += text; });
      run_two_kernels(device);
    }
    unsetenv(variable);
    EXPECT_THAT(said, testing::StartsWith("tensorlane: ")) << variable;
    EXPECT_THAT(said, testing::HasSubstr("/no/such/folder/file")) << variable;
    EXPECT_THAT(said, testing::EndsWith("\n")) << variable;
  }
}

TEST(Environment, AReportThatCannotBeWrittenOpensNoDevice) {
  Device device(bm1684());
  setenv("TENSORLANE_REPORT", "/no/such/folder/file", 1);
  EXPECT_THROW(attach_from_environment(device, [](const std::string&) {}), UserError);
  unsetenv("TENSORLANE_REPORT");
}

TEST(Environment, RefusesAnUnknownImplementation) {
  Device device(bm1684());
  setenv("TENSORLANE_IMPL", "refrence", 1);
  try {
    attach_from_environment(device, said_nothing);
    ADD_FAILURE() << "accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "TENSORLANE_IMPL is 'refrence'; did you mean 'reference'?");
  }
  unsetenv("TENSORLANE_IMPL");
}

TEST(Environment, RefusesAnUnknownInstructionSet) {
  Device device(bm1684());
  setenv("TENSORLANE_ISA", "avx3", 1);
  try {
    attach_from_environment(device, said_nothing);
    ADD_FAILURE() << "accepted";
  } catch (const UserError& error) {
    EXPECT_TRUE(
        std::string(error.what()).starts_with("TENSORLANE_ISA is 'avx3'; it must be one of native"))
        << error.what();
  }
  unsetenv("TENSORLANE_ISA");
}

}  // namespace
}  // namespace tensorlane::observe
