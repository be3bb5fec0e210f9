// Convolution against oneDNN and matrix product against OpenBLAS, one thread each.
//
// Counters as in peer_timing.h, in GFLOP/s. The peers use fused multiply-adds; the chips round
// product and sum separately, which costs two instructions, so on a processor without adders of
// their own a ratio of 0.5 is the limit.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <dnnl.hpp>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "openblas_core.h"
#include "peer_timing.h"
#include "tensorlane/compute/matrices/fp32_matmul.h"
#include "tensorlane/compute/windows/any_type_window.h"
#include "tensorlane/compute/windows/fp32_conv2d.h"

namespace {

using tensorlane::LocalView;
using tensorlane::Window2d;
using tensorlane::window_output_extent;
using tensorlane::bench::compare;

constexpr int kNpus = 64;
constexpr std::int64_t kNpuBytes = 512 * 1024;

// The local memory of a BM1684 with operands placed one behind the other.
class NpuMemory {
 public:
  NpuMemory()
      : bytes_(static_cast<std::byte*>(std::aligned_alloc(4096, kNpus * kNpuBytes)), &std::free) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> value(-1.0F, 1.0F);
    auto* floats = reinterpret_cast<float*>(bytes_.get());
    for (std::int64_t i = 0; i < kNpus * kNpuBytes / 4; ++i) floats[i] = value(random);
  }

  LocalView place(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                  std::int64_t align = 32, int element_bytes = 4) {
    LocalView view{bytes_.get(), kNpus, kNpuBytes, 0, used_};
    view.w = 1;
    view.h = w;
    view.c = (h * w + align - 1) / align * align;
    view.n = (c + kNpus - 1) / kNpus * view.c;
    view.element_bytes = element_bytes;
    used_ += (n * view.n * element_bytes + 127) / 128 * 128;
    if (used_ > kNpuBytes) std::abort();  // the case does not fit local memory
    return view;
  }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> bytes_;
  std::int64_t used_ = 0;
};

struct ConvCase {
  const char* name;
  int n, input_c, size, output_c, kernel, stride, pad;
};

Window2d square_window(int size, int kernel, int stride, int pad) {
  const int output = window_output_extent(size, pad, pad, kernel, stride, 1);
  return {.kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = stride,
          .stride_w = stride,
          .pad_top = pad,
          .pad_left = pad,
          .output_h = output,
          .output_w = output};
}

// oneDNN in the memory formats it likes best; reordering is not timed.
class OneDnnConv {
 public:
  OneDnnConv(const ConvCase& c, int output_size) {
    using dnnl::memory;
    const auto any = [](memory::dims dims) {
      return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
    };
    const memory::dims strides{c.stride, c.stride};
    const memory::dims padding{c.pad, c.pad};
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        any({c.n, c.input_c, c.size, c.size}), any({c.output_c, c.input_c, c.kernel, c.kernel}),
        any({c.n, c.output_c, output_size, output_size}), strides, padding, padding);
    const dnnl::convolution_forward::primitive_desc primitive(desc, engine_);
    convolution_ = dnnl::convolution_forward(primitive);
    input_ = filled(primitive.src_desc());
    weight_ = filled(primitive.weights_desc());
    output_ = filled(primitive.dst_desc());
  }

  void run() {
    convolution_.execute(
        stream_, {{DNNL_ARG_SRC, input_}, {DNNL_ARG_WEIGHTS, weight_}, {DNNL_ARG_DST, output_}});
    stream_.wait();
  }

 private:
  dnnl::memory filled(const dnnl::memory::desc& desc) {
    dnnl::memory memory(desc, engine_);
    auto* floats = static_cast<float*>(memory.get_data_handle());
    for (std::size_t i = 0; i < desc.get_size() / 4; ++i) {
      floats[i] = 1e-3F * static_cast<float>(i % 997);
    }
    return memory;
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::convolution_forward convolution_;
  dnnl::memory input_, weight_, output_;
};

void conv2d(benchmark::State& state, const ConvCase& c) {
  NpuMemory memory;
  tensorlane::Conv2dArgs args;
  args.n = c.n;
  args.input_c = c.input_c;
  args.output_c = c.output_c;
  args.input_h = args.input_w = c.size;
  args.window = square_window(c.size, c.kernel, c.stride, c.pad);
  const int output = args.window.output_h;
  args.input = memory.place(c.n, c.input_c, c.size, c.size);
  args.weight = memory.place((c.input_c + 1) / 2, c.output_c, c.kernel, c.kernel, 1, 8);
  args.output = memory.place(c.n, c.output_c, output, output);
  OneDnnConv peer(c, output);
  compare(
      state, 2.0 * c.n * c.output_c * output * output * c.input_c * c.kernel * c.kernel,
      [&] { tensorlane::conv2d_simd(args); }, [&] { peer.run(); });
}

struct MatmulCase {
  int rows, inner, cols, cols_per_channel;
};

void matmul(benchmark::State& state, const MatmulCase& c) {
  NpuMemory memory;
  const auto place = [&](int rows, int cols) {
    return memory.place(rows, (cols + c.cols_per_channel - 1) / c.cols_per_channel, 1,
                        c.cols_per_channel);
  };
  tensorlane::MatmulArgs args;
  args.left_rows = c.rows;
  args.left_cols = c.inner;
  args.right_cols = c.cols;
  args.left_cols_per_channel = args.right_cols_per_channel = c.cols_per_channel;
  args.left = place(c.rows, c.inner);
  args.right = place(c.inner, c.cols);
  args.output = place(c.rows, c.cols);

  const auto dense = [](std::size_t count) { return std::vector<float>(count, 0.5F); };
  const std::vector<float> left = dense(static_cast<std::size_t>(c.rows) * c.inner);
  const std::vector<float> right = dense(static_cast<std::size_t>(c.inner) * c.cols);
  std::vector<float> out(static_cast<std::size_t>(c.rows) * c.cols);
  compare(
      state, 2.0 * c.rows * c.inner * c.cols, [&] { tensorlane::matmul_simd(args); },
      [&] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, c.rows, c.cols, c.inner, 1.0F,
                    left.data(), c.inner, right.data(), c.cols, 0.0F, out.data(), c.cols);
      });
}

// Without a peer: "ours" counts one multiply-add or comparison as two operations.
void channelwise(benchmark::State& state, tensorlane::AnyTypeWindowArgs args, int c, int size,
                 int kernel, int stride) {
  NpuMemory memory;
  args.c = c;
  args.input_h = args.input_w = size;
  args.window = square_window(size, kernel, stride, kernel / 2);
  const int output = args.window.output_h;
  args.input = memory.place(1, c, size, size);
  args.output = memory.place(1, c, output, output);
  args.weight = memory.place(1, c, kernel, kernel, 1);
  compare(
      state, 2.0 * c * output * output * kernel * kernel,
      [&] { tensorlane::any_type_window_simd(args); }, nullptr);
}

void register_all() {
  static const ConvCase convs[] = {
      {"3x3 64->64 56x56 n16", 16, 64, 56, 64, 3, 1, 1},
      {"3x3 128->128 28x28 n16", 16, 128, 28, 128, 3, 1, 1},
      {"3x3 256->256 14x14 n4", 4, 256, 14, 256, 3, 1, 1},
      {"3x3 256->256 7x7 n4", 4, 256, 7, 256, 3, 1, 1},
      {"1x1 64->256 56x56 n4", 4, 64, 56, 256, 1, 1, 0},
      {"1x1 256->64 56x56 n4", 4, 256, 56, 64, 1, 1, 0},
      {"7x7/2 3->64 224x224 n1", 1, 3, 224, 64, 7, 2, 3},
      {"3x3 16->16 112x112 n1", 1, 16, 112, 16, 3, 1, 1},
  };
  for (const ConvCase& c : convs) {
    benchmark::RegisterBenchmark((std::string("conv2d ") + c.name).c_str(),
                                 [&c](benchmark::State& state) { conv2d(state, c); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  static const MatmulCase matmuls[] = {
      {1024, 1024, 1024, 32}, {256, 1024, 1024, 64}, {64, 2048, 256, 32},
      {8, 1024, 1024, 32},    {1, 1024, 2048, 32},   {512, 512, 16, 16},
  };
  for (const MatmulCase& c : matmuls) {
    const std::string name = "matmul " + std::to_string(c.rows) + "x" + std::to_string(c.inner) +
                             "x" + std::to_string(c.cols);
    benchmark::RegisterBenchmark(name.c_str(), [&c](benchmark::State& state) { matmul(state, c); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark(
      "depthwise2d 3x3 256 56x56",
      [](benchmark::State& state) { channelwise(state, {.bias_is_last = true}, 256, 56, 3, 1); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("avg_pool2d 2x2/2 256 56x56",
                               [](benchmark::State& state) {
                                 channelwise(state, {.weight_is_constant = true}, 256, 56, 2, 2);
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(
      "max_pool2d 3x3/2 256 56x56",
      [](benchmark::State& state) {
        channelwise(state, {.rule = tensorlane::WindowRule::kMaximum, .nan_loses = true}, 256, 56,
                    3, 2);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
  tensorlane::bench::restart_with_better_blas(argv);
  omp_set_num_threads(1);  // oneDNN
  openblas_set_num_threads(1);
  if (!tensorlane::bench::take_target(argc, argv)) return 1;
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
