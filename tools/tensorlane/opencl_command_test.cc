// The commands with an OpenCL device as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_test_support.h"
#include "commands.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/opencl/cl_device.h"

namespace tensorlane::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Runs "tensorlane opencl" with the words of a line.
Result run(const std::string& line) {
  return run_line("opencl " + line);
}

class OpenclCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (opencl::list_devices().empty()) GTEST_SKIP() << "no OpenCL device";
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const Shape& shape, Dtype dtype = Dtype::kFp32) {
    Tensor tensor{dtype, shape, {}};
    const std::int64_t count = element_count(shape, name);
    tensor.data.resize(static_cast<std::size_t>(count * dtype_bytes(dtype)));
    for (std::int64_t i = 0; i < count && dtype == Dtype::kFp32; ++i) {
      const auto value = static_cast<float>(i + 1);
      std::memcpy(tensor.data.data() + i * 4, &value, 4);
    }
    write_tensor(path(name), tensor);
    return path(name);
  }
  const TemporaryFolder folder_;
};

TEST_F(OpenclCommand, FilesGoThroughTheDeviceAndBack) {
  const std::string in = write("in.npy", {2, 3, 5, 6});
  const Result packed =
      run("pack " + in + " " + path("image.npy") + " --layout in_out_channel --dtype fp16");
  EXPECT_EQ(packed.status, 0) << packed.err;
  const Tensor image = read_tensor(path("image.npy"));
  EXPECT_EQ(image.shape, (Shape{6, 10, 4}));
  const LayoutSpec spec{.system = System::kMace, .shape = {2, 3, 5, 6}};
  LayoutSpec nhwc = spec, channel = spec;
  nhwc.layout = "NHWC";
  channel.layout = "IN_OUT_CHANNEL";
  channel.dtype = Dtype::kFp16;
  EXPECT_EQ(image.data, convert(make_layout(channel), make_layout(nhwc), read_tensor(in).data));
  const Result unpacked =
      run("unpack " + path("image.npy") + " " + path("out.npy") +
          " --layout in_out_channel --shape 2,3,5,6 --dtype fp32 --to NCHW --path direct");
  EXPECT_EQ(unpacked.status, 0) << unpacked.err;
  EXPECT_EQ(read_tensor(path("out.npy")).shape, (Shape{2, 6, 3, 5}));
  const Result again = run("pack " + path("out.npy") + " " + path("again.npy") +
                           " --layout in_out_channel --from NCHW --dtype fp16");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(read_tensor(path("again.npy")), image);
}

TEST_F(OpenclCommand, VerifyReportsEveryLayout) {
  const Result result = run("verify --shapes 1 --json=" + path("report.json"));
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("every lane and every element is where the mapping says"));
  std::ifstream file(path("report.json"));
  const json report = json::parse(file);
  EXPECT_EQ(report["checks"].size(), 282U);
  EXPECT_EQ(report["ok"], true);
  const json one = json::parse(run("verify --layout argument --path staged --json").out);
  EXPECT_EQ(one["checks"].size(), 6U);
}

TEST_F(OpenclCommand, BenchAndDevicesSpeakJson) {
  const json devices = json::parse(run("devices --json").out);
  EXPECT_GE(devices.at(0).at("max_image_width").get<int>(), 1);
  EXPECT_THAT(run("devices").out, HasSubstr("pixels; fp32"));
  const json bench = json::parse(run("bench --layout weight_width --mib 0.1 --turns 1 --json").out);
  EXPECT_GT(bench["layouts"][0]["pack"]["of_buffer_copy"].get<double>(), 0);
  EXPECT_THAT(run("bench --layout weight_width --mib 0.1 --turns 1").out,
              HasSubstr("WEIGHT_WIDTH"));
}

TEST_F(OpenclCommand, WrongInputGivesOneLineAndStatus2) {
  const auto expect = [](const std::string& line, const std::string& part) {
    const Result result = run(line);
    EXPECT_EQ(result.status, 2) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_THAT(result.err, HasSubstr(part)) << line;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  const std::string in = write("in.npy", {1, 2, 3, 4});
  const std::string pack = "pack " + in + " " + path("out.npy");
  const std::int64_t width = opencl::list_devices().at(0).max_width;
  expect("pack " + write("wide.npy", {1, 1, width + 1, 1}) + " " + path("out.npy") +
             " --layout in_out_channel",
         "CL_DEVICE_IMAGE2D_MAX_WIDTH");
  expect("pack " + write("int.npy", {1, 1, 1, 4}, Dtype::kInt8) + " " + path("out.npy") +
             " --layout in_out_channel",
         "fp32, fp16, int32 or uint32");
  expect("pack " + in + " " + path("out.npy") + " --layout in_out_channel --dtype int32",
         "uint8 in uint32");
  expect(pack + " --layout in_out_channel --device 99", "device is 99");
  expect(pack + " --layout in_out_channel --cache /dev/null/kernels",
         "kernel cache folder '/dev/null/kernels' cannot be used");
  expect(pack + " --layout in_out_chanel", "did you mean 'IN_OUT_CHANNEL'?");
  expect(pack + " --layout NHWC", "nothing to pack");
  expect(pack + " --layout in_out_channel --from NCXW", "--from 'NCXW'");
  expect(pack + " --layout in_out_channel --path stagd", "did you mean 'staged'?");
  expect("unpack " + in + " " + path("out.npy") + " --layout in_out_channel --shape 1,2,3,4",
         "takes 2x3x4");
  expect("verfy", "did you mean 'verify'?");
  expect("verify --layout nhwc", "row-major");
  expect("bench --mib 0", "--mib 0");
}

// Without a driver: the loader is told to look where none is. In a process of its own, because the
// loader looks once.
TEST(OpenclCommandDeathTest, WithoutADriver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto verify = [] {
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    const char* const words[] = {"tensorlane", "opencl", "verify", "--no-cache"};
    _exit(run_cli(4, words));
  };
  EXPECT_EXIT(verify(), testing::ExitedWithCode(2), "no OpenCL device");
}

}  // namespace
}  // namespace tensorlane::cli
