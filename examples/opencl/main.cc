// A 3x3 convolution and a depthwise one on MACE's image layouts, against plain loops.
//
//   opencl_convolution [DEVICE]
//
// Input, filter, bias are packed on the device, the kernels of convolution.cl read them through the
// index functions of their layouts, and the output is unpacked. Shapes leave remainders of four in
// every packed dimension; fp32 and fp16 images.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tensorlane/opencl/error.h"
#include "tensorlane/opencl/image_transfer.h"
#include "tensorlane/opencl/kernel_text.h"

namespace {

using namespace tensorlane;
using namespace tensorlane::opencl;
using Floats = std::vector<float>;

struct Problem {
  bool depthwise;
  int batch, height, width, channels, out_channels;
  Dtype dtype;  // of all images
};

Floats random_values(std::size_t count, std::mt19937& random) {
  // Multiples of 1/16 below 1: fp16 holds them exactly, so that only the output is rounded.
  Floats values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 31) - 15) / 16;
  return values;
}

// NHWC input and output, OIHW (depthwise: MIHW) filter.
Floats reference(const Problem& p, const Floats& input, const Floats& filter, const Floats& bias) {
  Floats output;
  for (int n = 0; n < p.batch; ++n) {
    for (int h = 0; h < p.height; ++h) {
      for (int w = 0; w < p.width; ++w) {
        for (int o = 0; o < p.out_channels; ++o) {
          double sum = bias[static_cast<std::size_t>(o)];
          for (int kh = 0; kh < 3; ++kh) {
            for (int kw = 0; kw < 3; ++kw) {
              const int y = h + kh - 1, x = w + kw - 1;
              if (y < 0 || y >= p.height || x < 0 || x >= p.width) continue;
              const int first = p.depthwise ? o : 0, last = p.depthwise ? o + 1 : p.channels;
              for (int c = first; c < last; ++c) {
                const int i = p.depthwise ? o : o * p.channels + c;
                sum += input[static_cast<std::size_t>(
                           ((n * p.height + y) * p.width + x) * p.channels + c)] *
                       filter[static_cast<std::size_t>((i * 3 + kh) * 3 + kw)];
              }
            }
          }
          output.push_back(static_cast<float>(sum));
        }
      }
    }
  }
  return output;
}

// A tensor in an image, with its row-major layout.
struct OnDevice {
  NamedLayout image;
  Layout plain;
  cl::Buffer buffer;
  cl::Image2D pixels;

  OnDevice(const ImageTransfer& transfer, const char* layout, std::vector<std::int64_t> shape,
           Dtype dtype)
      : image(make_layout({.system = System::kMace,
                           .layout = layout,
                           .dtype = dtype,
                           .shape = std::move(shape)})),
        plain(plain_layout(image, Dtype::kFp32)),
        buffer(transfer.make_buffer(plain)),
        pixels(transfer.make_image(image)) {}
};

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) user_error("'{}' cannot be read", path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool run(ClDevice& device, ImageTransfer& transfer, const Problem& p, const std::string& kernels) {
  OnDevice input(transfer, "IN_OUT_CHANNEL", {p.batch, p.height, p.width, p.channels}, p.dtype);
  OnDevice output(transfer, "IN_OUT_CHANNEL", {p.batch, p.height, p.width, p.out_channels},
                  p.dtype);
  OnDevice bias(transfer, "ARGUMENT", {p.out_channels}, p.dtype);
  OnDevice filter =
      p.depthwise
          ? OnDevice(transfer, "DW_CONV2D_FILTER", {1, p.channels, 3, 3}, p.dtype)
          : OnDevice(transfer, "CONV2D_FILTER", {p.out_channels, p.channels, 3, 3}, p.dtype);
  std::mt19937 random(1);
  std::vector<Floats> values;
  Events packed;
  const cl::CommandQueue& queue = device.queue();
  for (OnDevice* tensor : {&input, &filter, &bias}) {
    const Floats& data =
        values.emplace_back(random_values(static_cast<std::size_t>(tensor->plain.size()), random));
    Events written(1);
    queue.enqueueWriteBuffer(tensor->buffer, CL_FALSE, 0, data.size() * 4, data.data(), nullptr,
                             written.data());
    packed.push_back(
        transfer.pack(tensor->image, tensor->pixels, tensor->plain, tensor->buffer, written));
    written.front().wait();  // `values` grows
  }

  const char* name = p.depthwise ? "depthwise3x3" : "conv3x3";
  const std::string source =
      pixel_functions("input", input.image) + pixel_functions("filter", filter.image) +
      pixel_functions("bias", bias.image) + pixel_functions("output", output.image) + kernels;
  const std::string options = fmt::format("-DCHANNELS={} -DOUT_CHANNELS={} -DHEIGHT={} -DWIDTH={}",
                                          p.channels, p.out_channels, p.height, p.width);
  cl::Kernel kernel(device.program(name, source.c_str(), options), name);
  const int rows = p.batch * p.height;
  kernel.setArg(0, input.pixels);
  kernel.setArg(1, filter.pixels);
  kernel.setArg(2, bias.pixels);
  kernel.setArg(3, output.pixels);
  kernel.setArg(4, static_cast<cl_int>(rows));
  const auto padded = [](int count, int local) {
    return static_cast<std::size_t>((count + local - 1) / local * local);
  };
  const int blocks = (p.out_channels + 3) / 4;
  Events computed(1);
  queue.enqueueNDRangeKernel(kernel, cl::NullRange,
                             cl::NDRange(padded(p.width, 8), padded(blocks, 2), padded(rows, 4)),
                             cl::NDRange(8, 2, 4), &packed, computed.data());
  const Events unpacked = {
      transfer.unpack(output.image, output.pixels, output.plain, output.buffer, computed)};
  Floats result(static_cast<std::size_t>(output.plain.size()));
  queue.enqueueReadBuffer(output.buffer, CL_TRUE, 0, result.size() * 4, result.data(), &unpacked);

  const Floats expected = reference(p, values[0], values[1], values[2]);
  const double allowed = p.dtype == Dtype::kFp16 ? 1.0 / 1024 : 1e-6;  // of the size of the sums
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(result[i] - expected[i]) / std::max(1.0F, std::abs(expected[i]));
    worst = std::isnan(result[i]) ? 1e9 : std::max(worst, error);
  }
  const bool pass = worst <= allowed;
  std::printf("%-12s %dx%dx%dx%d -> %2d channels, %s images: largest error %.1e of %.1e: %s\n",
              name, p.batch, p.height, p.width, p.channels, p.out_channels,
              p.dtype == Dtype::kFp16 ? "fp16" : "fp32", worst, allowed, pass ? "pass" : "WRONG");
  return pass;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ClDevice device(argc > 1 ? std::atoi(argv[1]) : 0, KernelCache(default_cache_folder()));
    ImageTransfer transfer(device);
    std::printf("%s\n", device.info().name.c_str());
    const std::string kernels = read_text(EXAMPLE_FOLDER "/convolution.cl");
    bool pass = true;
    for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16}) {
      for (const bool depthwise : {false, true}) {
        const Problem problem = {.depthwise = depthwise,
                                 .batch = 2,
                                 .height = 13,
                                 .width = 11,
                                 .channels = 10,
                                 .out_channels = depthwise ? 10 : 7,
                                 .dtype = dtype};
        pass = cl_calls("the example", [&] { return run(device, transfer, problem, kernels); }) &&
               pass;
      }
    }
    return pass ? 0 : 1;
  } catch (const UserError& error) {
    std::fprintf(stderr, "opencl_convolution: %s\n", error.what());
    return 2;
  }
}
