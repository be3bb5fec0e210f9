// Packing and unpacking on a real device (PoCL in CI). All cases share one device and its kernels,
// which take seconds to compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tensorlane/base/error.h"
#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/layout/convert.h"
#include "tensorlane/layout/layout_test_support.h"
#include "tensorlane/opencl/bench.h"
#include "tensorlane/opencl/image_transfer.h"
#include "tensorlane/opencl/verify.h"

namespace tensorlane::opencl {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class OnDevice : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!list_devices().empty()) device_ = new ClDevice(0, KernelCache(default_cache_folder()));
  }
  static void TearDownTestSuite() {
    delete device_;
    device_ = nullptr;
  }
  void SetUp() override {
    if (device_ == nullptr) GTEST_SKIP() << "no OpenCL device";
  }
  static NamedLayout image(const std::string& layout, std::vector<std::int64_t> shape,
                           Dtype dtype = Dtype::kFp32, int block = 2) {
    return make_layout({.system = System::kMace,
                        .layout = layout,
                        .dtype = dtype,
                        .shape = std::move(shape),
                        .winograd_block = block});
  }
  static ClDevice* device_;
};
ClDevice* OnDevice::device_ = nullptr;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> data(values.size() * sizeof(T));
  std::memcpy(data.data(), values.data(), data.size());
  return data;
}
std::vector<float> floats_of(const std::vector<std::byte>& data) {
  std::vector<float> values(data.size() / 4);
  std::memcpy(values.data(), data.data(), data.size());
  return values;
}
std::vector<float> count_up(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  return values;
}
// Numbers of all sizes, halves that lie between two fp16 numbers among them.
std::vector<float> random_floats(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const float mantissa = 1 + static_cast<float>(random() % 4096) / 4096;
    const int exponent = static_cast<int>(random() % 46) - 28;  // fp16 overflows and underflows
    values.push_back(std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent));
  }
  return values;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(OnDevice, EveryLaneOfEveryLayoutIsWhereTheMappingSays) {
  VerifyOptions options;
  options.seed = 20;
  const std::vector<VerifyResult> results = verify_device(*device_, options);
  EXPECT_EQ(std::ssize(results), count_checks(*device_, options));
  EXPECT_EQ(results.size(), (15U * 6 + 4) * 3);
  for (const VerifyResult& result : results) {
    EXPECT_TRUE(result.ok()) << result.first_wrong;
    EXPECT_GT(result.lanes, 4 * result.pixels);  // the sentinels around them too
  }
}

// Both tables of the reference data: where the element lies, and what the other lanes hold.
TEST_F(OnDevice, EveryExampleOfTheReferenceDataHolds) {
  ImageTransfer transfer(*device_);
  std::ifstream file(TENSORLANE_TESTDATA "/layout/mappings.json");
  const json reference = json::parse(file);
  int images = 0, packed_buffers = 0, plain_buffers = 0;
  for (const json& layout : reference["layouts"]) {
    const std::string name = layout["layout"];
    for (const json& example : layout["examples"]) {
      SCOPED_TRACE(name + " " + example["shape"].dump());
      const std::vector<std::int64_t> shape = example["shape"];
      if (name.starts_with("CPU_")) {
        // The buffer's own mapping: packed into an image, element by element.
        ++plain_buffers;
        const Axes axes = find_layout(System::kMace, name).axes;
        const bool nchw = axes.has(Axis::kC);
        const NamedLayout target =
            image(nchw                 ? "IN_OUT_CHANNEL"
                  : axes.has(Axis::kO) ? "CONV2D_FILTER"
                  : axes.has(Axis::kM) ? "WEIGHT_HEIGHT"
                                       : "ARGUMENT",
                  nchw ? std::vector{shape[0], shape[2], shape[3], shape[1]} : shape);
        const Layout plain = plain_layout(target, Dtype::kFp32, nchw ? axes : target.axes);
        const std::vector<float> lanes =
            floats_of(transfer.pack_host(target, plain, bytes_of(count_up(plain.size()))));
        for (const json& row : example["map"]) {
          std::vector<std::int64_t> index = row[0];
          if (nchw) index = {index[0], index[2], index[3], index[1]};
          EXPECT_EQ(lanes[static_cast<std::size_t>(target.layout.address(index) / 4)],
                    row[1].get<float>() + 1);
        }
        continue;
      }
      NamedLayout packed = image(name, shape, Dtype::kFp32, example.value("wino_block", 2));
      const Layout plain = plain_layout(packed, Dtype::kFp32);
      const std::vector<float> values = count_up(plain.size());
      const std::vector<float> lanes =
          floats_of(transfer.pack_host(packed, plain, bytes_of(values)));
      std::vector<float> expected(lanes.size(), -1);
      const auto value_at = [&](const json& index) {
        const std::vector<std::int64_t> at = index;
        return values[static_cast<std::size_t>(plain.address(at) / 4)];
      };
      if (packed.is_image()) {
        ++images;
        const std::int64_t width = example["image"]["width"];
        ASSERT_EQ(lanes.size(), example["lanes"].get<std::size_t>());
        const auto lane = [&](const json& row, std::size_t x) -> float& {
          return expected[static_cast<std::size_t>(
              (row[x + 1].get<std::int64_t>() * width + row[x].get<std::int64_t>()) * 4 +
              row[x + 2].get<std::int64_t>())];
        };
        for (const json& row : example["map"]) lane(row, 1) = value_at(row[0]);
        for (const json& row : example["padding"]) lane(row, 0) = 0;
        if (example.contains("alias_columns")) {
          for (const json& row : example["alias_columns"]) lane(row, 1) = value_at(row[0]);
          for (const json& row : example["past_end_reads"]) lane(row, 0) = 0;
        }
      } else {
        ++packed_buffers;
        ASSERT_EQ(lanes.size(), example["buffer_elements"].get<std::size_t>());
        for (const json& row : example["map"]) expected[row[1]] = value_at(row[0]);
        for (const json& slot : example["padding"]) expected[slot] = 0;
      }
      EXPECT_EQ(lanes, expected);
      if (!packed.holds_elements) continue;
      // Back from an image whose padding lanes hold something.
      for (float& lane : expected) {
        if (lane == 0) lane = -7;
      }
      EXPECT_EQ(floats_of(transfer.unpack_host(packed, plain, bytes_of(expected))), values);
    }
  }
  EXPECT_EQ(images, 45);
  EXPECT_EQ(packed_buffers, 9);
  EXPECT_EQ(plain_buffers, 12);
}

// The same bits as the conversion on the host, rounding to fp16 included.
TEST_F(OnDevice, GivesTheBitsOfTheHost) {
  LayoutMaker maker(11);
  ImageTransfer staged(*device_, TransferPath::kStaged), direct(*device_, TransferPath::kDirect);
  ImageTransfer mapped(*device_, TransferPath::kMapped);
  for (const std::string& name : packed_layouts()) {
    if (find_layout(System::kMace, name).echoes) continue;  // verified above
    for (const Dtype packed_dtype : {Dtype::kFp32, Dtype::kFp16}) {
      LayoutSpec spec = maker.random_spec(System::kMace, find_layout(System::kMace, name));
      spec.dtype = packed_dtype;
      SCOPED_TRACE(describe_spec(spec));
      const NamedLayout packed = make_layout(spec);
      const Layout plain = plain_layout(packed, Dtype::kFp32);
      const std::vector<std::byte> data = bytes_of(random_floats(plain.size(), 5));
      std::vector<std::byte> expected(static_cast<std::size_t>(packed.bytes));
      convert(packed.layout, expected.data(), plain, data.data());
      EXPECT_EQ(staged.pack_host(packed, plain, data), expected);
      EXPECT_EQ(direct.pack_host(packed, plain, data), expected);
      EXPECT_EQ(mapped.pack_host(packed, plain, data), expected);
      const Layout half = plain_layout(packed, Dtype::kFp16);
      std::vector<std::byte> halves(static_cast<std::size_t>(plain.size()) * 2);
      convert(half, halves.data(), packed.layout, expected.data());
      EXPECT_EQ(staged.unpack_host(packed, half, expected), halves);
      EXPECT_EQ(direct.unpack_host(packed, half, expected), halves);
      EXPECT_EQ(mapped.unpack_host(packed, half, expected), halves);
    }
  }
}

TEST_F(OnDevice, WinogradFiltersAreTransformed) {
  ImageTransfer transfer(*device_);
  for (const int block : {2, 4, 6}) {
    for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16}) {
      const NamedLayout packed = image("WINOGRAD_FILTER", {3, 5, 3, 3}, dtype, block);
      const NamedLayout filter = image("OIHW", {3, 5, 3, 3});
      std::vector<float> values = random_floats(135, 9);
      for (float& value : values) value = std::fmod(value, 8.0F);
      EXPECT_EQ(transfer.pack_host(packed, plain_layout(packed, Dtype::kFp32, {}, true),
                                   bytes_of(values)),
                convert(packed, filter, bytes_of(values)));
    }
  }
}

// Large enough for several bands of rows; nothing waits but the events.
TEST_F(OnDevice, EventsOrderTransfersOnAnOutOfOrderQueue) {
  for (const TransferPath path : {TransferPath::kStaged, TransferPath::kDirect}) {
    ImageTransfer transfer(*device_, path);
    const NamedLayout large = image("IN_OUT_CHANNEL", {1, 61, 129, 67});
    const Layout plain = plain_layout(large, Dtype::kFp32);
    const std::vector<float> values = random_floats(plain.size(), 2);
    const std::size_t bytes = values.size() * 4;
    const auto& queue = device_->queue();
    const auto work = [&] {
      const cl::Buffer source = transfer.make_buffer(plain), target = transfer.make_buffer(plain);
      const cl::Image2D pixels = transfer.make_image(large);
      Events last(1);
      queue.enqueueWriteBuffer(source, CL_FALSE, 0, bytes, values.data(), nullptr, last.data());
      for (int i = 0; i < 6; ++i) {
        last = {transfer.pack(large, pixels, plain, source, last)};
        last = {transfer.unpack(large, pixels, plain, i % 2 == 0 ? target : source, last)};
      }
      std::vector<float> back(values.size());
      queue.enqueueReadBuffer(target, CL_TRUE, 0, bytes, back.data(), &last);
      EXPECT_EQ(back, values);
    };
    std::thread other(work);
    work();
    other.join();
  }
}

TEST_F(OnDevice, ErrorsNameLimitAndTensor) {
  ImageTransfer transfer(*device_);
  const DeviceInfo& info = device_->info();
  const NamedLayout small = image("IN_OUT_CHANNEL", {1, 4, 4, 4});
  const Layout plain = plain_layout(small, Dtype::kFp32);
  const cl::Buffer buffer = transfer.make_buffer(plain);
  const cl::Image2D pixels = transfer.make_image(small);
  const std::string wide =
      message_of([&] { transfer.make_image(image("ARGUMENT", {4 * info.max_width + 1})); });
  EXPECT_THAT(wide, HasSubstr("ARGUMENT [" + std::to_string(4 * info.max_width + 1) + "] fp32"));
  EXPECT_THAT(wide, HasSubstr("CL_DEVICE_IMAGE2D_MAX_WIDTH"));
  EXPECT_THAT(message_of([&] { transfer.make_image(image("IN_OUT_CHANNEL", {4}, Dtype::kUint8)); }),
              HasSubstr("uint8"));
  EXPECT_THAT(message_of([&] { device_->make_buffer(info.max_allocation + 1, "the tensor"); }),
              HasSubstr("CL_DEVICE_MAX_MEM_ALLOC_SIZE"));
  const NamedLayout larger = image("IN_OUT_CHANNEL", {1, 5, 4, 4});
  EXPECT_THAT(message_of([&] {
                transfer.pack(larger, pixels, plain_layout(larger, Dtype::kFp32), buffer);
              }),
              HasSubstr("has 256 bytes; it takes 320"));
  const cl::Buffer enough = device_->make_buffer(320, "a tensor");
  EXPECT_THAT(message_of([&] {
                transfer.pack(larger, pixels, plain_layout(larger, Dtype::kFp32), enough);
              }),
              HasSubstr("is 4 x 4 pixels; it takes 4 x 5"));
  EXPECT_THAT(message_of([&] { transfer.pack(larger, pixels, plain, enough); }),
              HasSubstr("other extents"));
  const NamedLayout halves = image("IN_OUT_CHANNEL", {1, 4, 4, 4}, Dtype::kFp16);
  EXPECT_THAT(message_of([&] { transfer.pack(halves, pixels, plain, buffer); }),
              HasSubstr("CL_HALF_FLOAT"));
  const NamedLayout empty = image("DW_CONV2D_FILTER", {2, 4, 2, 1});
  EXPECT_THAT(message_of([&] {
                const Layout layout = plain_layout(empty, Dtype::kFp32);
                transfer.unpack_host(empty, layout, std::vector<std::byte>(64));
              }),
              HasSubstr("no element"));
  EXPECT_THAT(message_of([] { ClDevice device(99); }), HasSubstr("device is 99"));
  EXPECT_THAT(message_of([&] { device_->program("bad", "kernel void f( {}", ""); }),
              HasSubstr("rejects kernel bad"));
}

TEST_F(OnDevice, CompiledKernelsAreKept) {
  namespace fs = std::filesystem;
  const TemporaryFolder temporary;
  const fs::path folder = temporary / "kernels";
  constexpr const char* kSource =
      "kernel void f(global int* a) { a[get_global_id(0)] = get_global_id(0) + 1; }";
  const auto run = [&] {
    ClDevice device(0, KernelCache(folder));
    cl::Kernel kernel(device.program("f", kSource, ""), "f");
    const cl::Buffer buffer = device.make_buffer(64, "a");
    kernel.setArg(0, buffer);
    Events done(1);
    device.queue().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(16), cl::NDRange(16),
                                        nullptr, done.data());
    std::int32_t values[16] = {};
    device.queue().enqueueReadBuffer(buffer, CL_TRUE, 0, 64, values, &done);
    EXPECT_EQ(values[15], 16);
  };
  const auto files = [&] {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
    return paths;
  };
  run();
  ASSERT_EQ(files().size(), 1U);
  const auto written = fs::last_write_time(files()[0]);
  run();
  EXPECT_EQ(fs::last_write_time(files()[0]), written);  // read, not made again
  fs::resize_file(files()[0], fs::file_size(files()[0]) / 2);
  run();
  EXPECT_EQ(files().size(), 1U);
  EXPECT_NE(fs::last_write_time(files()[0]), written);  // damaged: made again
  EXPECT_THAT(message_of([] { KernelCache cache("/dev/null/kernels"); }),
              HasSubstr("kernel cache folder '/dev/null/kernels' cannot be used"));
}

TEST(KernelCache, RefusesAFolderThatOthersMayWriteTo) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  { KernelCache made(folder / "own"); }
  EXPECT_EQ(fs::status(folder / "own").permissions(), fs::perms::owner_all);
  const auto use = [&] { KernelCache again(folder / "own"); };
  EXPECT_NO_THROW(use());
  for (const fs::perms others : {fs::perms::others_write, fs::perms::all}) {
    fs::permissions(folder / "own", fs::perms::owner_all | others);
    EXPECT_THAT(message_of(use), HasSubstr("others may write to it"));
  }
}

TEST_F(OnDevice, BenchMeasuresEveryLayout) {
  BenchOptions options;
  options.bytes = 1 << 16;
  options.turns = 1;
  const std::vector<BenchResult> results = bench_device(*device_, options);
  EXPECT_EQ(results.size(), 13U);
  for (const BenchResult& result : results) {
    EXPECT_GT(result.copy, 0) << result.layout;
    EXPECT_GT(result.pack, 0) << result.layout;
    EXPECT_GT(result.unpack, 0) << result.layout;
    EXPECT_GT(result.copy_to_image, 0) << result.layout;
  }
}

TEST_F(OnDevice, BenchSkipsWhatTheDeviceCannotHold) {
  BenchOptions options;
  options.bytes = std::int64_t{1} << 40;
  options.turns = 1;
  options.layouts = {"IN_OUT_CHANNEL", "ARGUMENT"};  // the second has one row, as long as it may be
  const std::vector<BenchResult> results = bench_device(*device_, options);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_THAT(results[0].skipped, HasSubstr("CL_DEVICE_MAX_MEM_ALLOC_SIZE"));
  EXPECT_EQ(results[1].skipped, "");
  EXPECT_GT(results[1].pack, 0);
  options.layouts = {"IN_OUT_CHANNEL"};
  EXPECT_THROW(bench_device(*device_, options), UserError);
}

}  // namespace
}  // namespace tensorlane::opencl
